// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/options.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/order/narrow.hpp>

/// Arguments of operations.
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
  /// Rows [first, first + count).
  [[nodiscard]] MatrixArgument rows(std::size_t first, std::size_t count) const {
    MatrixArgument result = *this;
    result.take_rows(first, count, sizeof(T));
    return result;
  }

 protected:
  void take_rows(std::size_t first, std::size_t count, std::size_t bytes_of_element) {
    using Byte = std::conditional_t<std::is_const_v<T>, unsigned char const, unsigned char>;
    data_ = reinterpret_cast<T*>(reinterpret_cast<Byte*>(data_) +
                                 first * strides_[0] * bytes_of_element);
    extents_[0] = count;
  }

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
  [[nodiscard]] NarrowArgument rows(std::size_t first, std::size_t count) const {
    NarrowArgument result = *this;
    result.take_rows(first, count, element_bytes());
    return result;
  }

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

}  // namespace tessera::detail
