// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/order/narrow.hpp>
#include <tessera/stream/detail/blocks.hpp>
#include <tessera/stream/detail/plan.hpp>
#include <tessera/stream/detail/reading.hpp>
#include <tessera/stream/detail/tree.hpp>
#include <tessera/stream/options.hpp>

/// Work on the blocks of a stream.
namespace tessera::stream::detail {

using tessera::detail::copy_vector;
using tessera::detail::is_row_major;
using tessera::detail::Lines;

template <class Exec, class T>
using ConstVector =
    Kokkos::View<T const*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Defaults of the work on a stream. A derived class hides the ones it replaces, and has
/// - `static constexpr Cut cut`: how the matrix is cut;
/// - `static std::size_t bytes(Extents, Blocks, Vectors)`: the memory allocated for all blocks;
/// - `void take(Index block, T const* data)`: enqueues kernels on a block in memory of Exec.
template <class Exec, class T>
class WorkOnBlocks {
 public:
  /// The memory that the kernels of a block allocate.
  static std::size_t kernel_bytes(Exec const&, Extents const&, Blocks const&, Method) { return 0; }
  /// The kernels that run. `of_set`: the chosen ones.
  static Kernels kernels(Exec const&, Extents const&, Blocks const&, Method, Kernels of_set) {
    return of_set;
  }

  /// Whether threads of a kernel can read the lines that they use. If true, the class has
  /// `void take_reading(Index block, LinesToRead<T>::Read const&, FirstError&)`.
  static constexpr bool reads_lines = false;
  /// Of lines that a thread reads itself; 0: threads do not read.
  static std::size_t bytes_to_read(Exec const&, Extents const&, Blocks const&, Method) { return 0; }

  /// Enqueues what follows the last block.
  void finish() {}

  /// Adds the sums after `block`. Fences.
  void save(State<T>&, Index) const {}
  /// False, without changes, if the state does not fit, or if there are no states.
  [[nodiscard]] bool restore(State<T> const&) { return false; }
  /// Entries that the blocks complete in order, for states; null: none.
  [[nodiscard]] OutputVector<T> output() const { return {nullptr, 1}; }
};

template <class T>
OutputVector<T> from(OutputVector<T> const& out, Index first) {
  return {out.data == nullptr ? nullptr : out.data + first * out.stride, out.stride};
}

/// body(element), where element(i, j) is element j of line i.
template <class T, class Data, class Body>
KOKKOS_FORCEINLINE_FUNCTION void with_elements(Lines<T, Data> const& lines, Body const& body) {
  if constexpr (tessera::detail::is_narrow<Data>) {
    tessera::detail::with_storage(lines.data.storage, [&](auto stored) {
      auto const* const bits = lines.data.template elements<stored()>();
      body([&](Index i, Index j) {
        return static_cast<T>(tessera::detail::widened<stored()>(bits[i * lines.leading + j]));
      });
    });
  } else {
    body([&](Index i, Index j) { return lines.line(i)[j]; });
  }
}

template <class T, class Data>
struct GoOnWithChains {
  Lines<T, Data> lines;
  T const* y;
  T* c;
  Index columns;
  bool fresh;
  KOKKOS_FUNCTION void operator()(Index tile) const {
    Index const begin = tile * columns;
    Index const end = Kokkos::min(lines.length, begin + columns);
    if (fresh) {
      for (Index j = begin; j < end; ++j) c[j] = T(0);
    }
    with_elements(lines, [&](auto const& element) {
      for (Index i = 0; i < lines.count; ++i) {
        for (Index j = begin; j < end; ++j) c[j] = Kokkos::fma(y[i], element(i, j), c[j]);
      }
    });
  }
};

/// c[j]: a chain over lines i of y[i] * line_i[j], from +0 if `fresh`.
template <class Exec, class T, class Data>
void go_on_with_chains(Exec const& exec, Lines<T, Data> const& lines, T const* y, T* c,
                       bool fresh) {
  constexpr Index columns = backends::Backend<Exec>::is_gpu ? 1 : 1024;
  tessera::detail::for_each_element(exec, "tessera::stream::chains",
                                    summation::ceil_div(lines.length, columns),
                                    GoOnWithChains<T, Data>{lines, y, c, columns, fresh});
}

/// A block has the longer panels of the whole matrix: a team adds fewer.
template <class Set, bool RowMajor, class Exec, class T, class Columns = tessera::detail::OneColumn>
Tuning tuning_of(Exec const& exec, Lines<T> const& lines, Columns const& columns = {}) {
  Tuning tuning = tessera::detail::tuning_for<T, RowMajor, Set>(
      exec, RowMajor ? lines.count : lines.length, RowMajor ? lines.length : lines.count,
      std::nullopt, columns);
  Index assumed = summation::panels(lines.count, lines.length).count;
  Index const panels = lines.panels().count;
  for (; assumed > panels; assumed = summation::ceil_div(assumed, 2)) {
    tuning.sum.panels_per_team = std::max(Index{1}, tuning.sum.panels_per_team / 2);
    tuning.fused_lines.panels_per_team = std::max(Index{1}, tuning.fused_lines.panels_per_team / 2);
  }
  return tuning;
}

/// Workspace with `more` scalars, and on a host scratch beyond the stacks.
template <class Exec, class T, class Plan>
std::size_t bytes_of_kernel(Exec const& exec, Lines<T> const& lines, Plan const& plan,
                            Index more = 0) {
  constexpr bool is_gpu = backends::Backend<Exec>::is_gpu;
  using tessera::detail::whole_words;
  Index scalars = whole_words<T>(plan.workspace(lines)) + whole_words<T>(more);
  if constexpr (requires { plan.exchanged(lines); }) scalars += plan.exchanged(lines);
  std::size_t bytes = static_cast<std::size_t>(scalars) * sizeof(T);
  if constexpr (!is_gpu && requires { plan.scratch_of(lines); }) {
    std::size_t const scratch = tessera::detail::scratch_bytes<T>(plan.scratch_of(lines));
    if (scratch > tessera::detail::most_scratch_on_stack) {
      bytes += scratch * static_cast<std::size_t>(exec.concurrency());
    }
  }
  return tessera::detail::WorkspaceOfCall<Exec>::bytes_for(bytes);
}

/// The last blocks of a panel and of the matrix may differ.
template <class Bytes>
std::size_t most_of_blocks(Blocks const& blocks, Bytes const& bytes) {
  Index const last = blocks.count() - 1;
  return std::max({bytes(Index{0}), bytes(std::min(last, blocks.pieces() - 1)), bytes(last)});
}

template <class Exec, class T, bool RowMajor, class Set>
class DotWork : public WorkOnBlocks<Exec, T> {
 public:
  static constexpr Cut cut = Cut::lines;
  static std::size_t bytes(Extents const&, Blocks const&, Vectors const&) { return 0; }
  static std::size_t kernel_bytes(Exec const& exec, Extents const& e, Blocks const& blocks,
                                  Method) {
    return most_of_blocks(blocks, [&](Index block) {
      Lines<T> const lines = lines_of(e, blocks, block, nullptr);
      return bytes_of_kernel(
          exec, lines,
          tessera::detail::DotOf<Exec, T, Set>(exec, lines, tuning_of<Set, RowMajor>(exec, lines)));
    });
  }

  DotWork(Exec const& exec, tessera::detail::Label label, Extents const& e, Blocks const& blocks,
          ConstVector<Exec, T> x, OutputVector<T> out, Workspace<Exec>& workspace)
      : exec_(exec),
        label_(std::move(label)),
        extents_(e),
        blocks_(blocks),
        x_(x),
        out_(out),
        workspace_(workspace) {}

  void take(Index block, T const* data) {
    Lines<T> const lines = lines_of(extents_, blocks_, block, data);
    tessera::detail::run_dot<Set>(exec_, label_, lines, x_, from(out_, blocks_.part(block).first),
                                  tessera::Options<Exec>{.workspace = &workspace_},
                                  tuning_of<Set, RowMajor>(exec_, lines));
  }
  [[nodiscard]] bool restore(State<T> const&) { return true; }
  [[nodiscard]] OutputVector<T> output() const { return out_; }

 private:
  static Lines<T> lines_of(Extents const& e, Blocks const& blocks, Index block, T const* data) {
    return {data, blocks.part(block).count, e.length, e.length};
  }

  Exec exec_;
  tessera::detail::Label label_;
  Extents extents_;
  Blocks blocks_;
  ConstVector<Exec, T> x_;
  OutputVector<T> out_;
  Workspace<Exec>& workspace_;
};

template <class Exec, class T>
class TreeWork : public WorkOnBlocks<Exec, T> {
 public:
  TreeWork(Exec const& exec, Index length, Blocks const& blocks, OutputVector<T> out)
      : instance(exec), cuts(blocks), sums(exec, length, blocks.subtrees()), out_(out) {}

  void finish() { sums.finish(out_); }
  void save(State<T>& state, Index block) const {
    state.waiting = sums.save();
    if (is_inside_panel(block)) state.chain = to_host<T>(sums.next());
  }
  [[nodiscard]] bool restore(State<T> const& state) {
    bool const has_chain = !state.chain.empty();
    bool const is_inside = state.blocks_done > 0 && is_inside_panel(state.blocks_done - 1);
    Index const begun = state.blocks_done > 0 ? cuts.subtree(state.blocks_done - 1) + 1 : 0;
    if (has_chain != is_inside || (has_chain && state.chain.size() != sums.next().extent(0)) ||
        !sums.restore(state.waiting, is_inside ? begun - 1 : begun)) {
      return false;
    }
    if (has_chain) from_host(state.chain, sums.next());
    return true;
  }

 protected:
  [[nodiscard]] bool is_inside_panel(Index block) const {
    return cuts.are_pieces() && !cuts.ends_panel(block);
  }
  static Lines<T> lines_of(Blocks const& blocks, Index block, T const* data, Index length) {
    return {data, blocks.part(block).count, length, length, blocks.panel_lines()};
  }
  [[nodiscard]] OutputVector<T> sum() const { return {sums.next().data(), 1}; }
  void add_chains(Index block, Lines<T> const& lines, T const* y) {
    go_on_with_chains(instance, lines, y, sums.next().data(), cuts.begins_panel(block));
    if (cuts.ends_panel(block)) sums.push(cuts.subtree(block));
  }

  Exec instance;
  Blocks cuts;
  VectorTree<Exec, T> sums;

 private:
  OutputVector<T> out_;
};

template <class Exec, class T, bool RowMajor, class Set>
class SumWork : public TreeWork<Exec, T> {
 public:
  static constexpr Cut cut = Cut::panels;
  static std::size_t bytes(Extents const& e, Blocks const& blocks, Vectors const&) {
    return VectorTree<Exec, T>::bytes(e.length, blocks.subtrees());
  }
  static std::size_t kernel_bytes(Exec const& exec, Extents const& e, Blocks const& blocks,
                                  Method) {
    if (blocks.are_pieces()) return 0;
    return most_of_blocks(blocks, [&](Index block) {
      Lines<T> const lines = TreeWork<Exec, T>::lines_of(blocks, block, nullptr, e.length);
      return bytes_of_kernel(
          exec, lines,
          tessera::detail::SumOf<Exec, T, Set>(exec, lines, tuning_of<Set, RowMajor>(exec, lines)));
    });
  }

  SumWork(Exec const& exec, tessera::detail::Label label, Extents const& e, Blocks const& blocks,
          ConstVector<Exec, T> y, OutputVector<T> out, Workspace<Exec>& workspace)
      : TreeWork<Exec, T>(exec, e.length, blocks, out),
        label_(std::move(label)),
        length_(e.length),
        y_(y),
        workspace_(workspace) {}

  void take(Index block, T const* data) {
    auto const lines = this->lines_of(this->cuts, block, data, length_);
    Index const first = this->cuts.part(block).first;
    if (this->cuts.are_pieces()) return this->add_chains(block, lines, y_.data() + first);
    ConstVector<Exec, T> const part(y_.data() + first, static_cast<std::size_t>(lines.count));
    tessera::detail::run_sum<Set>(this->instance, label_, lines, part, this->sum(),
                                  tessera::Options<Exec>{.workspace = &workspace_},
                                  tuning_of<Set, RowMajor>(this->instance, lines));
    this->sums.push(this->cuts.subtree(block));
  }

 private:
  tessera::detail::Label label_;
  Index length_;
  ConstVector<Exec, T> y_;
  Workspace<Exec>& workspace_;
};

/// Blocks are groups of panels (row-major), or segments of all columns.
template <class Exec, class T, bool RowMajor, class Set, class Factor>
class AtaxWork : public TreeWork<Exec, T> {
 public:
  static constexpr Cut cut = RowMajor ? Cut::panels : Cut::tiles;
  static std::size_t bytes(Extents const& e, Blocks const& blocks, Vectors const&) {
    auto const rows = static_cast<std::size_t>(blocks.are_pieces() ? blocks.size() : 0);
    return VectorTree<Exec, T>::bytes(cols(e), blocks.subtrees()) + rows * sizeof(T);
  }
  static std::size_t kernel_bytes(Exec const& exec, Extents const& e, Blocks const& blocks,
                                  Method method) {
    using tessera::detail::DotOf;
    return most_of_blocks(blocks, [&](Index block) {
      Lines<T> const lines = lines_of(e, blocks, block, nullptr);
      Tuning const tuning = tuning_of<Set, RowMajor>(exec, lines);
      if (blocks.are_pieces()) {
        return bytes_of_kernel(exec, lines, DotOf<Exec, T, Set>(exec, lines, tuning));
      }
      if (is_fused(method, tuning, lines)) {
        return with_fused(exec, lines, tuning, [&]<class Fused>(Fused) {
          return bytes_of_kernel(exec, lines,
                                 tessera::detail::FusedOf<Exec, T, RowMajor, Fused>(
                                     exec, lines, tuning_of<Fused, RowMajor>(exec, lines)));
        });
      }
      Index const rows = RowMajor ? lines.count : lines.length;
      return bytes_of_kernel(exec, lines, DotOf<Exec, T, Set>(exec, lines, tuning)) +
             bytes_of_kernel(exec, lines, tessera::detail::SumOf<Exec, T, Set>(exec, lines, tuning),
                             rows);
    });
  }
  /// Portable if no accelerated kernel fuses these lines.
  static Kernels kernels(Exec const& exec, Extents const& e, Blocks const& blocks, Method method,
                         Kernels of_set) {
    Lines<T> const lines = lines_of(e, blocks, 0, nullptr);
    Tuning const tuning = tuning_of<Set, RowMajor>(exec, lines);
    if (blocks.are_pieces() || !is_fused(method, tuning, lines)) return of_set;
    return with_fused(exec, lines, tuning, []<class Fused>(Fused) { return Fused::kind; });
  }
  static constexpr bool reads_lines =
      RowMajor && Set::lines_have_sources && !backends::Backend<Exec>::is_gpu;
  static std::size_t bytes_to_read(Exec const& exec, Extents const& e, Blocks const& blocks,
                                   Method method) {
    if (!reads_lines || blocks.are_pieces()) return 0;
    auto const lines = lines_of(e, blocks, 0, nullptr);
    if (!is_fused(method, tuning_of<Set, RowMajor>(exec, lines), lines)) return 0;
    Index const elements =
        LinesToRead<T>::lines_for(blocks.panel_lines(), lines.length) * lines.length;
    return static_cast<std::size_t>(elements) * sizeof(T);
  }

  AtaxWork(Exec const& exec, Extents const& e, Blocks const& blocks, Method method,
           ConstVector<Exec, T> v, OutputVector<T> b, OutputVector<T> c, Workspace<Exec>& workspace,
           Factor const& factor)
      : TreeWork<Exec, T>(exec, cols(e), blocks, c),
        extents_(e),
        method_(method),
        v_(v),
        b_(b),
        workspace_(workspace),
        factor_(factor) {
    if (blocks.are_pieces()) {
      y_ = typename VectorTree<Exec, T>::Vector(
          Kokkos::view_alloc(exec, std::string("tessera::stream::b"), Kokkos::WithoutInitializing),
          static_cast<std::size_t>(blocks.size()));
    }
  }

  void take(Index block, T const* data) {
    auto const lines = lines_of(extents_, this->cuts, block, data);
    if (this->cuts.are_pieces()) return take_piece(block, lines);
    run(block, lines);
    this->sums.push(this->cuts.subtree(block));
  }
  void take_reading(Index block, typename LinesToRead<T>::Read const& read, FirstError& error) {
    auto const lines = lines_of(extents_, this->cuts, block, nullptr);
    Tuning tuning = tuning_of<Set, RowMajor>(this->instance, lines);
    // Lines do not come from memory, so loads of x from L2 count.
    if (tuning.fused_lines.lines_per_step == 8) tuning.fused_lines.dot_side_by_side = true;
    tessera::detail::launch_fused<RowMajor, Set>(
        this->instance, labels(), lines, v_, from(b_, this->cuts.part(block).first), this->sum(),
        &workspace_, tuning, factor_of(block), tessera::detail::OneColumn{},
        LinesToRead<T>(read, error, this->cuts.panel_lines(), lines.length));
    this->sums.push(this->cuts.subtree(block));
  }
  [[nodiscard]] OutputVector<T> output() const { return b_; }

 private:
  static tessera::detail::AtaxLabels const& labels() {
    static tessera::detail::AtaxLabels const all("tessera::stream::atax");
    return all;
  }
  static Index cols(Extents const& e) { return RowMajor ? e.length : e.count; }

  static Lines<T> lines_of(Extents const& e, Blocks const& blocks, Index block, T const* data) {
    if constexpr (RowMajor) {
      return TreeWork<Exec, T>::lines_of(blocks, block, data, e.length);
    } else {
      Index const rows = blocks.part(block).count;
      return {data, e.count, rows, rows, e.panel()};
    }
  }
  static bool is_fused(Method method, Tuning const& tuning, Lines<T> const& lines) {
    return tessera::detail::is_fused<Exec, RowMajor, Set>(method, tuning, lines);
  }
  static auto with_fused(Exec const& exec, Lines<T> const& lines, Tuning const& tuning,
                         auto const& body) {
    return tessera::detail::with_fused_kernels<Set, RowMajor>(exec, lines, tuning, body);
  }
  auto factor_of(Index block) const {
    using tessera::kernels::shifted;  // maps have an overload
    return shifted(factor_, this->cuts.part(block).first);
  }
  void run(Index block, Lines<T> const& lines) {
    OutputVector<T> const b = from(b_, this->cuts.part(block).first);
    Tuning const tuning = tuning_of<Set, RowMajor>(this->instance, lines);
    if (is_fused(method_, tuning, lines)) {
      with_fused(this->instance, lines, tuning, [&]<class Fused>(Fused) {
        tessera::detail::launch_fused<RowMajor, Fused>(
            this->instance, labels(), lines, v_, b, this->sum(), &workspace_,
            tuning_of<Fused, RowMajor>(this->instance, lines), factor_of(block));
      });
    } else {
      tessera::detail::launch_two_stage<RowMajor, Set>(this->instance, labels(), lines, v_, b,
                                                       this->sum(), &workspace_, tuning,
                                                       factor_of(block));
    }
  }
  /// The piece's part of B, then the panel's chains.
  void take_piece(Index block, Lines<T> const& lines) {
    OutputVector<T> const y{y_.data(), 1};
    tessera::detail::run_dot<Set>(this->instance, labels().multiply, lines, v_, y,
                                  tessera::Options<Exec>{.workspace = &workspace_},
                                  tuning_of<Set, RowMajor>(this->instance, lines));
    OutputVector<T> const b = from(b_, this->cuts.part(block).first);
    if constexpr (!tessera::kernels::is_identity<Factor>) {
      tessera::detail::multiply_by_factors(this->instance, labels().factors, lines.count, y.data, b,
                                           factor_of(block));
    } else if (b.data != nullptr) {
      copy_vector<T>(this->instance, "tessera::stream::copy", lines.count, y.data, 1, b);
    }
    this->add_chains(block, lines, y_.data());
  }

  Extents extents_;
  Method method_;
  ConstVector<Exec, T> v_;
  OutputVector<T> b_;
  typename VectorTree<Exec, T>::Vector y_;
  Workspace<Exec>& workspace_;
  Factor factor_;
};

template <class Factor>
struct AtaxWith {
  template <class Exec, class T, bool RowMajor, class Set>
  using Work = AtaxWork<Exec, T, RowMajor, Set, Factor>;
};

}  // namespace tessera::stream::detail

// See backends/compiled.hpp.
// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_READING_PRODUCTS(TEMPLATE, EXEC, T)          \
  namespace tessera::detail {                                \
  TESSERA_READING_WITH(TEMPLATE, EXEC, T, kernels::Identity) \
  TESSERA_READING_WITH(TEMPLATE, EXEC, T, maps::Function<T>) \
  }
#define TESSERA_READING_WITH(TEMPLATE, EXEC, T, FACTOR)                                       \
  TEMPLATE void fused_lines(EXEC const&, Label const&, Lines<T> const&,                       \
                            stream::detail::LinesToRead<T> const&, T const*, OutputVector<T>, \
                            PartialVectors<T> const&, HostFusedLinesPlan<T> const&,           \
                            FusedLinesTuning const&, FACTOR const&, OneColumn const&);
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED_ON_HOSTS(TESSERA_READING_PRODUCTS)
