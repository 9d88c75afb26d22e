// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/compiled.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/gemm.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/blocks.hpp>
#include <tessera/solve/in_memory.hpp>
#include <tessera/stream.hpp>
#include <tessera/stream/detail/blocks.hpp>
#include <tessera/stream/detail/plan.hpp>
#include <tessera/stream/detail/run.hpp>
#include <tessera/stream/detail/tree.hpp>
#include <tessera/stream/detail/work.hpp>
#include <tessera/summation.hpp>
#include <tessera/workspace.hpp>

/// Sums over the rows of a matrix with one read, in double for every scalar type.
namespace tessera::solve::detail {

struct RowSumsSize {
  Index width;
  Index count;
};

template <class T>
struct RowsOfMatrix {
  Index first;  ///< in the whole matrix
  Index count;
  T const* data;
  Index down;    ///< stride between rows, in elements
  Index across;  ///< stride between columns
};

/// Calls body(i, j) for each entry of a row. On a host, a work item takes a whole row.
template <class Body>
struct OnRow {
  Body body;
  Index cols;
  KOKKOS_FUNCTION void operator()(Index i) const {
    for (Index j = 0; j < cols; ++j) body(i, j);
  }
};
template <class Body>
struct OnEntry {
  Body body;
  Index cols;
  KOKKOS_FUNCTION void operator()(Index k) const { body(k / cols, k % cols); }
};
template <class Exec, class Body>
void for_each_entry(Exec const& exec, std::string const& label, Index rows, Index cols,
                    Body const& body) {
  if constexpr (tessera::detail::teams_of_one<Exec>) {
    tessera::detail::for_each_element(exec, label, rows, OnRow<Body>{body, cols});
  } else {
    tessera::detail::for_each_element(exec, label, rows * cols, OnEntry<Body>{body, cols});
  }
}

struct ClearAboveDiagonal {
  double* to;
  Index width;
  Index leading;
  KOKKOS_FUNCTION void operator()(Index i) const {
    for (Index j = i + 1; j < width; ++j) to[i * leading + j] = 0;
  }
};

/// C = Dᵀ·E in double, `width` x `count`. Row i of D and of E is computed from row i of A. The sum
/// over rows is a tree over chains as long as a segment of T, so bits depend neither on the blocks
/// of A nor on its layout.
///
/// C may begin with `triangles` square blocks. Their entries above the diagonal are unspecified:
/// hosts do not compute all of them.
template <class Exec, class T>
class RowSums {
 public:
  using Memory = Kokkos::View<double*, typename Exec::memory_space>;

  RowSums(Index width, Index count, Index triangles = 0)
      : width_(width), count_(count), triangles_(triangles) {}
  RowSums(RowSums const&) = delete;
  RowSums& operator=(RowSums const&) = delete;
  RowSums(RowSums&&) = delete;
  RowSums& operator=(RowSums&&) = delete;
  virtual ~RowSums() = default;

  [[nodiscard]] Index width() const { return width_; }
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index length() const { return width_ * count_; }

  static std::size_t bytes(Index width, Index count, Index rows, Index blocks) {
    Index const chains = summation::ceil_div(rows, summation::segment<T>);
    Index const entries = rows * (width + count + 2) + (chains > 1 ? chains * width * count : 0);
    return stream::detail::VectorTree<Exec, double>::bytes(width * count, blocks) +
           static_cast<std::size_t>(entries) * sizeof(double);
  }

  /// to = the sum over these rows, which must be an aligned group of chains.
  void add(Exec const& exec, RowsOfMatrix<T> const& rows, Kernels kernels, double* to) {
    reserve(D_, rows.count * width_);
    reserve(E_, rows.count * count_);
    fill(exec, rows, kernels, D_.data(), E_.data());
    static std::string const label("tessera::solve::rows");
    // A GPU needs the whole product to be busy.
    bool const is_whole = backends::Backend<Exec>::is_gpu || width_ <= panel_columns;
    Index const triangles = is_whole ? 0 : triangles_;
    for (Index block = 0; block < triangles; ++block) {
      Index const column = block * width_;
      for (Index begin = 0; begin < width_; begin += panel_columns) {
        add_part(exec, rows.count, kernels, to, begin, column + begin,
                 std::min(panel_columns, width_ - begin));
      }
      tessera::detail::for_each_element(exec, label, width_,
                                        ClearAboveDiagonal{to + column, width_, count_});
    }
    Index const rest = triangles * width_;
    if (rest < count_) add_part(exec, rows.count, kernels, to, 0, rest, count_ - rest);
  }

 protected:
  template <class Element>
  using Matrix = StridedMatrix<Exec, Element>;

  void multiply(Exec const& exec, Matrix<double const> const& a, Matrix<double const> const& b,
                Matrix<double> const& c, Kernels kernels, Index chain) {
    multiply_in_chains<Exec, double>(exec, a, b, c, {.workspace = &workspace_, .kernels = kernels},
                                     chain);
  }
  static void reserve(Memory& memory, Index entries) {
    if (static_cast<Index>(memory.extent(0)) >= entries) return;
    memory =
        Memory(Kokkos::view_alloc(std::string("tessera::solve::rows"), Kokkos::WithoutInitializing),
               static_cast<std::size_t>(entries));
  }

 private:
  /// A row of D has `width` entries, a row of E `count`.
  virtual void fill(Exec const& exec, RowsOfMatrix<T> const& rows, Kernels kernels, double* D,
                    double* E) = 0;

  static constexpr Index panel_columns = 64;

  /// Computes `columns` columns of C from `row` down.
  void add_part(Exec const& exec, Index depth, Kernels kernels, double* to, Index row, Index column,
                Index columns) {
    Index const rows = width_ - row;
    multiply(exec, Matrix<double const>(D_.data() + row, strided(rows, 1, depth, width_)),
             Matrix<double const>(E_.data() + column, strided(depth, count_, columns, 1)),
             Matrix<double>(to + row * count_ + column, strided(rows, count_, columns, 1)), kernels,
             summation::segment<T>);
  }

  Index width_;
  Index count_;
  Index triangles_;
  Memory D_;
  Memory E_;
  Workspace<Exec> workspace_;
};

/// The first row of `a` is row `first_row` of a larger matrix.
/// @param widened keeps memory for rows of a narrow matrix; null: allocated
template <class Exec, class T>
void sum_rows_in_memory(Exec const& exec, std::type_identity_t<MatrixInMemory<T>> const& a,
                        Index first_row, RowSums<Exec, T>& sums, Kernels kernels, double* out,
                        Workspace<Exec>* widened = nullptr) {
  // Rows of E may be far longer than A's rows.
  Index const longer = std::max(Index{1}, sums.count() / (4 * sums.width()));
  auto const blocks =
      groups_of_rows<T>(a, std::max<std::size_t>(stream::detail::Machine::of(exec).target_bytes() /
                                                     4 / static_cast<std::size_t>(longer),
                                                 1));
  stream::detail::VectorTree<Exec, double> tree(exec, sums.length(), blocks.count());
  for_groups<T>(exec, a, blocks, widened,
                [&](Index block, Index first, Index rows, T const* data, Index down, Index across) {
                  sums.add(exec, {first_row + first, rows, data, down, across}, kernels,
                           tree.next().data());
                  tree.push(block);
                });
  tree.finish({out, 1});
  exec.fence("tessera::solve: the sums over rows are there");
}

template <class Exec, class T, bool RowMajor, class Set>
class RowSumsWork : public stream::detail::WorkOnBlocks<Exec, T> {
 public:
  using Extents = stream::detail::Extents;
  using Blocks = stream::detail::Blocks;
  static constexpr auto cut = RowMajor ? stream::detail::Cut::groups : stream::detail::Cut::tiles;
  static std::size_t bytes(Extents const&, Blocks const& blocks,
                           stream::detail::Vectors const& vectors) {
    return RowSums<Exec, T>::bytes(vectors.width, vectors.count, blocks.size(), blocks.count());
  }

  RowSumsWork(Exec const& exec, Extents const& e, Blocks const& blocks, Index first_row,
              RowSums<Exec, T>& sums, double* out)
      : exec_(exec),
        cols_(RowMajor ? e.length : e.count),
        blocks_(blocks),
        first_row_(first_row),
        sums_(sums),
        out_(out),
        tree_(exec, sums.length(), blocks.count()) {}

  void take(Index block, T const* data) {
    auto const [first, rows] = blocks_.part(block);
    sums_.add(exec_, {first_row_ + first, rows, data, RowMajor ? cols_ : 1, RowMajor ? 1 : rows},
              Set::kind, tree_.next().data());
    tree_.push(block);
  }
  void finish() { tree_.finish({out_, 1}); }

 private:
  Exec exec_;
  Index cols_;
  Blocks blocks_;
  Index first_row_;
  RowSums<Exec, T>& sums_;
  double* out_;
  stream::detail::VectorTree<Exec, double> tree_;
};

/// Sums that only serve to compute their memory.
template <class Exec, class T>
class SizedRowSums final : public RowSums<Exec, T> {
 public:
  explicit SizedRowSums(RowSumsSize size) : RowSums<Exec, T>(size.width, size.count) {}

 private:
  void fill(Exec const&, RowsOfMatrix<T> const&, Kernels, double*, double*) override {}
};

template <class Exec, class Layout, class T>
stream::Report sum_rows_of_stream(Exec const& exec,
                                  stream::detail::AnySource<T, Layout> const& source,
                                  Index first_row, RowSums<Exec, T>& sums,
                                  stream::Options<T> options, double* out) {
  options.on_state = {};
  options.resume = nullptr;
  return tessera::detail::with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
    stream::detail::Run<Exec, T, Layout, RowSumsWork, Set> run(
        exec, "solve", source, {.operation = "rows", .count = sums.count(), .width = sums.width()},
        options);
    typename decltype(run)::WorkOf work(exec, run.extents(), run.blocks(), first_row, sums, out);
    return run(work);
  });
}

}  // namespace tessera::solve::detail

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_ROW_SUMS(TEMPLATE, EXEC, T)                                          \
  namespace tessera::solve::detail {                                                       \
  TEMPLATE void sum_rows_in_memory(EXEC const&, MatrixInMemory<T> const&, Index,           \
                                   RowSums<EXEC, T>&, Kernels, double*, Workspace<EXEC>*); \
  TEMPLATE stream::Report sum_rows_of_stream(                                              \
      EXEC const&, stream::detail::AnySource<T, Kokkos::LayoutLeft> const&, Index,         \
      RowSums<EXEC, T>&, stream::Options<T>, double*);                                     \
  TEMPLATE stream::Report sum_rows_of_stream(                                              \
      EXEC const&, stream::detail::AnySource<T, Kokkos::LayoutRight> const&, Index,        \
      RowSums<EXEC, T>&, stream::Options<T>, double*);                                     \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_ROW_SUMS)
