// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/compiled.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/options.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/order/narrow.hpp>

/// Common code of operations.
namespace tessera::detail {

template <class T, bool RowMajor, class Set = AcceleratedKernels, class Exec,
          class Columns = OneColumn>
Tuning tuning_for(Exec const& exec, Index rows, Index cols, std::optional<Tuning> const& requested,
                  Columns const& columns = {}) {
  if (requested) {
    checks::require_valid(*requested);
    return *requested;
  }
  if constexpr (Columns::most == 1) {
    return Set::template tuning<T, RowMajor>(exec, rows, cols);
  } else {
    return Set::template tuning_of_blocks<T, RowMajor>(exec, rows, cols, columns.count());
  }
}

/// Without the View's type: operations are compiled for it.
template <class T>
class MatrixArgument {
 public:
  using value_type = T;
  using non_const_value_type = std::remove_const_t<T>;
  enum class Lines { rows, columns, as_strides_say };
  static constexpr std::size_t rank() { return 2; }

  template <class View>
  explicit MatrixArgument(View const& x)
      : data_(x.data()),
        extents_{x.extent(0), x.extent(1)},
        strides_{static_cast<std::size_t>(x.stride(0)), static_cast<std::size_t>(x.stride(1))},
        lines_(lines_of_layout<typename View::array_layout>()) {}

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t extent(std::size_t i) const { return extents_[i]; }
  [[nodiscard]] std::size_t stride(std::size_t i) const { return strides_[i]; }
  [[nodiscard]] Lines lines() const { return lines_; }

 private:
  template <class Layout>
  static constexpr Lines lines_of_layout() {
    return std::is_same_v<Layout, Kokkos::LayoutRight>  ? Lines::rows
           : std::is_same_v<Layout, Kokkos::LayoutLeft> ? Lines::columns
                                                        : Lines::as_strides_say;
  }

  T* data_;
  std::array<std::size_t, 2> extents_;
  std::array<std::size_t, 2> strides_;
  Lines lines_;
};
/// A matrix whose elements are stored in fewer bits than T.
template <class T>
class NarrowArgument : public MatrixArgument<void const> {
 public:
  using value_type = T const;
  using non_const_value_type = T;

  template <class View>
  explicit NarrowArgument(View const& x)
      : MatrixArgument<void const>(x),
        storage_(StorageOf<typename View::non_const_value_type>::value) {}

  [[nodiscard]] NarrowData<T> data() const {
    return {static_cast<unsigned char const*>(MatrixArgument<void const>::data()), storage_};
  }
  [[nodiscard]] std::size_t element_bytes() const { return tessera::element_bytes(storage_); }

 private:
  Storage storage_;
};
template <class T>
inline constexpr bool reads_narrow<NarrowArgument<T>> = true;

/// A matrix that kernels read as scalars T.
template <class A, class T>
concept ReadAs = std::same_as<A, MatrixArgument<T const>> || std::same_as<A, NarrowArgument<T>>;

template <class T>
class VectorArgument {
 public:
  using value_type = T;
  using non_const_value_type = std::remove_const_t<T>;
  static constexpr std::size_t rank() { return 1; }

  template <class View>
  explicit VectorArgument(View const& x)
      : VectorArgument(x.data(), x.extent(0), static_cast<std::size_t>(x.stride(0))) {}
  VectorArgument(T* data, std::size_t extent, std::size_t stride)
      : data_(data), extent_(extent), stride_(stride) {}

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t extent(std::size_t /*i*/) const { return extent_; }
  [[nodiscard]] std::size_t stride(std::size_t /*i*/) const { return stride_; }

 private:
  T* data_;
  std::size_t extent_;
  std::size_t stride_;
};

template <class T>
VectorArgument<T> column(MatrixArgument<T> const& block, std::size_t j) {
  return {block.data() + j * block.stride(1), block.extent(0), block.stride(0)};
}

template <class T>
class BlockArgument {
 public:
  using non_const_value_type = std::remove_const_t<T>;
  BlockArgument(MatrixArgument<T> const& block, std::size_t first, std::size_t count)
      : data_(block.data() + first * block.stride(1)),
        extent_(static_cast<Index>(block.extent(0))),
        stride_(static_cast<Index>(block.stride(0))),
        pitch_(static_cast<Index>(block.stride(1))),
        count_(static_cast<Index>(count)) {}

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] Index extent() const { return extent_; }
  [[nodiscard]] Index stride() const { return stride_; }
  [[nodiscard]] Index pitch() const { return pitch_; }
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] BlockArgument some(Index first, Index count) const {
    BlockArgument result = *this;
    result.data_ += first * pitch_;
    result.count_ = count;
    return result;
  }
  [[nodiscard]] VectorArgument<T> column(Index c) const {
    return {data_ + c * pitch_, static_cast<std::size_t>(extent_),
            static_cast<std::size_t>(stride_)};
  }

 private:
  T* data_;
  Index extent_;
  Index stride_;
  Index pitch_;
  Index count_;
};

constexpr Index passes_of(std::size_t columns, std::size_t at_once) {
  return summation::ceil_div(static_cast<Index>(columns), static_cast<Index>(at_once));
}

/// Passes differ by at most one column.
template <class Body>
void for_passes(std::size_t columns, std::size_t at_once, Body const& body) {
  auto const passes = static_cast<std::size_t>(passes_of(columns, at_once));
  for (std::size_t p = 0, first = 0; p < passes; ++p) {
    std::size_t const count = columns / passes + (p < columns % passes ? 1 : 0);
    body(first, count);
    first += count;
  }
}

/// The output must not overlap the matrix or the input.
template <class T, ReadAs<T> A>
void require_blocks(char const* operation, A const& a, char const* in,
                    MatrixArgument<T const> const& x, std::size_t entries_in, char const* out,
                    MatrixArgument<T> const& y, std::size_t entries_out) {
  checks::require_matrix(operation, a);
  checks::require_rows(operation, in, x, entries_in);
  checks::require_extents(operation, out, y, entries_out, x.extent(1));
  checks::require_memory(operation, in, x);
  checks::require_memory(operation, out, y);
  checks::require_distinct(operation, out, y);
  checks::require_apart(operation, out, y, "A", a);
  checks::require_apart(operation, out, y, in, x);
}

template <class View>
auto matrix_in(View const& x) {
  return MatrixArgument<typename View::const_value_type>(x);
}
template <class T, class View>
NarrowArgument<T> narrow_in(View const& x) {
  return NarrowArgument<T>(x);
}
/// For products in T.
template <class T, class View>
auto stored_in(View const& x) {
  if constexpr (NarrowScalar<typename View::non_const_value_type>) {
    return narrow_in<T>(x);
  } else {
    return matrix_in(x);
  }
}
template <class View>
auto matrix_out(View const& x) {
  return MatrixArgument<typename View::value_type>(x);
}
template <class View>
auto vector_in(View const& x) {
  return VectorArgument<typename View::const_value_type>(x);
}
template <class View>
auto vector_out(View const& x) {
  return VectorArgument<typename View::value_type>(x);
}
/// A vector or a block.
template <class View>
auto input_of(View const& x) {
  if constexpr (View::rank() == 2) {
    return matrix_in(x);
  } else {
    return vector_in(x);
  }
}
template <class View>
auto output_of(View const& x) {
  if constexpr (View::rank() == 2) {
    return matrix_out(x);
  } else {
    return vector_out(x);
  }
}

/// Calls body(std::bool_constant<rows are the lines>). LayoutStride has rows if these are
/// contiguous, otherwise columns. A single row or column has one element per line.
template <class T, class Body>
void with_order(std::string_view operation, std::string_view name, MatrixArgument<T> const& x,
                Body const& body) {
  using Lines = typename MatrixArgument<T>::Lines;
  bool const by_strides = x.lines() == Lines::as_strides_say;
  if (x.lines() == Lines::rows ||
      (by_strides && (x.stride(1) == 1 || (x.stride(0) != 1 && x.extent(1) == 1)))) {
    body(std::true_type{});
  } else if (x.lines() == Lines::columns || x.stride(0) == 1 || x.extent(0) == 1) {
    body(std::false_type{});
  } else {
    checks::fail(operation, std::string(name) +
                                " must have contiguous rows or columns, "
                                "found strides of " +
                                std::to_string(x.stride(0)) + " and " +
                                std::to_string(x.stride(1)) + " elements");
  }
}

/// Decides the order of summation; for parts of a matrix, Distributed::agree and stream::in_order
/// do.
template <class Matrix, class Body>
void with_lines(std::string_view operation, std::string_view name, Matrix const& x,
                Body const& body) {
  if (summation::lines_are_rows(false, static_cast<Index>(x.extent(0)),
                                static_cast<Index>(x.extent(1)))) {
    return body(std::true_type{}, lines_of<true>(x));
  }
  with_order(operation, name, x, [&](auto by_rows) { body(by_rows, lines_of<by_rows()>(x)); });
}

template <class View>
OutputVector<typename View::value_type> output(View const& x) {
  return {x.data(), static_cast<Index>(x.stride(0))};
}

template <class T>
OutputVectors<T> output(BlockArgument<T> const& x) {
  return {x.data(), x.stride(), x.pitch(), x.extent()};
}
template <class T>
T const* as_input(OutputVector<T> const& x) {
  return x.data;
}
template <class T>
InputVectors<T> as_input(OutputVectors<T> const& x) {
  return {x.data, x.pitch};
}

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
