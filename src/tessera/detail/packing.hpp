// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/compiled.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/options.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/order/narrow.hpp>

/// Kernels that set vectors to zero and copy them; contiguous copies of arguments in a workspace.
namespace tessera::detail {

/// Scalars for a contiguous copy; 0 if none is needed.
template <class View>
Index packed_size(View const& x) {
  return x.stride(0) == 1 || x.extent(0) == 1 ? 0 : static_cast<Index>(x.extent(0));
}

template <class T>
Index packed_size(BlockArgument<T> const& x) {
  return x.stride() == 1 || x.extent() == 1 ? 0 : x.count() * x.extent();
}

template <class T, class Data>
Index packed_size(Lines<T, Data> const& lines) {
  return lines.stride == 1 ? 0 : lines.length;
}

template <class T>
T const* without_data(T const* /*data*/) {
  return nullptr;
}
template <class T>
NarrowData<T> without_data(NarrowData<T> const& data) {
  return {nullptr, data.storage};
}
/// `data` is null if the lines must be packed first.
template <class T, class Data>
Lines<T, Data> before_packing(Lines<T, Data> lines) {
  if (packed_size(lines) > 0) lines.data = without_data(lines.data);
  lines.stride = 1;
  return lines;
}

template <class T, class Out>
struct SetZero {
  Out out;

  KOKKOS_FUNCTION void operator()(Index i) const { out.set(i, T(0)); }
};

/// +0 is the empty sum.
template <class T, class Exec, class Out>
void set_zero(Exec const& exec, std::string const& label, Index size, Out const& out) {
  if (size == 0) return;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  launch(label, Policy(exec, 0, size), SetZero<T, Out>{out});
}

template <class T>
struct CopyVector {
  T const* from;
  Index stride;
  OutputVector<T> to;

  KOKKOS_FUNCTION void operator()(Index i) const { to.set(i, from[i * stride]); }
};

template <class T, class Exec>
void copy_vector(Exec const& exec, std::string const& label, Index size, T const* from,
                 Index stride, OutputVector<T> const& to) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  launch(label, Policy(exec, 0, size), CopyVector<T>{from, stride, to});
}

template <class Exec, class View>
typename View::non_const_value_type const* contiguous(Exec const& exec, std::string const& label,
                                                      View const& x,
                                                      typename View::non_const_value_type* copy) {
  Index const size = packed_size(x);
  if (size == 0) return x.data();
  using T = typename View::non_const_value_type;
  copy_vector<T>(exec, label, size, x.data(), static_cast<Index>(x.stride(0)), {copy, 1});
  return copy;
}

template <class Exec, class T>
T const* contiguous(Exec const& exec, std::string const& label, Lines<T> const& lines, T* copy) {
  if (packed_size(lines) == 0) return lines.data;
  copy_vector<T>(exec, label, lines.length, lines.data, lines.stride, {copy, 1});
  return copy;
}

template <class Element>
struct CopyStored {
  Element const* from;
  Index stride;
  Element* to;

  KOKKOS_FUNCTION void operator()(Index i) const { to[i] = from[i * stride]; }
};

/// Elements stay as stored, in memory for as many scalars.
template <class Exec, class T>
NarrowData<T> contiguous(Exec const& exec, std::string const& label, NarrowLines<T> const& lines,
                         T* copy) {
  if (packed_size(lines) == 0) return lines.data;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  auto const pack = [&]<class Element>(Element) {
    launch(label, Policy(exec, 0, lines.length),
           CopyStored<Element>{reinterpret_cast<Element const*>(lines.data.bytes), lines.stride,
                               reinterpret_cast<Element*>(copy)});
  };
  element_bytes(lines.data.storage) == 1 ? pack(std::uint8_t{}) : pack(std::uint16_t{});
  return {reinterpret_cast<unsigned char const*>(copy), lines.data.storage};
}

template <class T>
struct CopyVectors {
  OutputVectors<T const> from;
  Index count;
  T* to;

  KOKKOS_FUNCTION void operator()(Index i) const {
    Index const c = i % count;
    Index const j = i / count;
    to[c * from.length + j] = from.data[c * from.pitch + j * from.stride];
  }
};

template <class Exec, class T>
InputVectors<T> contiguous(Exec const& exec, std::string const& label,
                           BlockArgument<T const> const& x, T* copy) {
  if (packed_size(x) == 0) return {x.data(), x.pitch()};
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  launch(label, Policy(exec, 0, packed_size(x)),
         CopyVectors<T>{{x.data(), x.stride(), x.pitch(), x.extent()}, x.count(), copy});
  return {copy, x.extent()};
}

/// In the caller's workspace, or a temporary one.
template <class Exec, class T>
class WorkspaceParts {
 public:
  WorkspaceParts(Exec const& exec, Workspace<Exec>* kept, Index scalars, Index exchanged = 0)
      : workspace_(kept) {
    if (scalars == 0 && exchanged == 0) return;
    auto const memory = workspace_.reserve(exec, static_cast<std::size_t>(scalars) * sizeof(T),
                                           static_cast<std::size_t>(exchanged) * sizeof(T));
    meeting_ = {memory.arrivals, reinterpret_cast<T*>(memory.exchange)};
    next_ = reinterpret_cast<T*>(memory.data);
  }
  T* take(Index scalars) {
    T* const part = next_;
    if (scalars > 0) next_ += whole_words<T>(scalars);
    return part;
  }
  [[nodiscard]] Meeting<T> meeting() const { return meeting_; }

 private:
  WorkspaceOfCall<Exec> workspace_;
  Meeting<T> meeting_{};
  T* next_ = nullptr;
};

template <class Set = AcceleratedKernels, class Exec, class T, class Data, class Input, class Out,
          class Columns = OneColumn>
void run_dot(Exec const& exec, Label const& label, Lines<T, Data> const& given, Input const& x,
             Out const& out, Options<Exec> const& options, Tuning const& tuning,
             Columns const& columns = {}) {
  Lines<T, Data> lines = before_packing(given);
  DotOf<Exec, T, Set, Columns> const plan(exec, lines, tuning, columns);
  Index const packed = packed_size(x);
  Index const packed_line = packed_size(given);
  Index const runs = plan.workspace(lines);
  WorkspaceParts<Exec, T> parts(
      exec, options.workspace,
      whole_words<T>(packed_line) + whole_words<T>(packed) + whole_words<T>(runs));
  lines.data = contiguous(exec, label.pack, given, parts.take(packed_line));
  auto const factors = contiguous(exec, label.pack, x, parts.take(packed));
  plan.run(exec, label, lines, factors, out, parts.take(runs), columns);
}

template <class Set = AcceleratedKernels, class Exec, class T, class Data, class Input, class Out,
          class Columns = OneColumn>
void run_sum(Exec const& exec, Label const& label, Lines<T, Data> const& given, Input const& y,
             Out const& out, Options<Exec> const& options, Tuning const& tuning,
             Columns const& columns = {}) {
  Lines<T, Data> lines = before_packing(given);
  SumOf<Exec, T, Set, Columns> const plan(exec, lines, tuning, columns);
  Index const packed = packed_size(y);
  Index const packed_line = packed_size(given);
  Index const partials = plan.workspace(lines);
  WorkspaceParts<Exec, T> parts(
      exec, options.workspace,
      whole_words<T>(packed_line) + whole_words<T>(packed) + whole_words<T>(partials));
  lines.data = contiguous(exec, label.pack, given, parts.take(packed_line));
  auto const factors = contiguous(exec, label.pack, y, parts.take(packed));
  plan.run(exec, label, lines, factors, out, parts.take(partials), parts.meeting(), columns);
}

}  // namespace tessera::detail

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_COPIES(TEMPLATE, EXEC, T)                                            \
  namespace tessera::detail {                                                        \
  TEMPLATE void copy_vector(EXEC const&, std::string const&, Index, T const*, Index, \
                            OutputVector<T> const&);                                 \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_COPIES)
