// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/concepts.hpp>
#include <tessera/summation.hpp>

/// Sources of streamed matrices.
namespace tessera::stream {

using summation::Index;

/// A rectangle of a matrix.
struct Block {
  Index first_row;
  Index rows;
  Index first_col;
  Index cols;

  friend constexpr bool operator==(Block const&, Block const&) = default;
};

/// A matrix that provides its blocks. `read` writes block.rows x block.cols elements, contiguously,
/// in the order of `array_layout`; the same in every call. Several threads call it at once, outside
/// kernels (unless may_read_in_kernels). It throws on errors.
template <class S>
concept MatrixSource = Scalar<typename S::value_type> &&
                       (std::same_as<typename S::array_layout, Kokkos::LayoutRight> ||
                        std::same_as<typename S::array_layout, Kokkos::LayoutLeft>) &&
                       requires(S const& source, Block const& block, typename S::value_type* to) {
                         { source.rows() } -> std::convertible_to<Index>;
                         { source.cols() } -> std::convertible_to<Index>;
                         source.read(block, to);
                       };

/// Whether worker threads may call `read` inside a kernel, declared by `static constexpr bool
/// reads_in_kernels = true;`. Such a `read` must not use Kokkos: allocating a View, copying or
/// starting a kernel deadlocks.
template <class S>
inline constexpr bool may_read_in_kernels = requires { requires bool(S::reads_in_kernels); };

/// Bytes that justify a call of `read`, returned by the source's `bytes_at_once()`: for sources
/// such as packed chunks, where a few lines cost as much as many. 0 or no such function: any call
/// is cheap.
///
/// If above 0, blocks have that many bytes if the memory limit allows it. One thread reads them,
/// whole and in order, never in kernels; `read` may start threads.
template <class S>
std::size_t bytes_at_once(S const& source) {
  if constexpr (requires {
                  { source.bytes_at_once() } -> std::convertible_to<std::size_t>;
                }) {
    return source.bytes_at_once();
  } else {
    return 0;
  }
}

/// A matrix given by a function read(block, to) as in MatrixSource. The function's type may declare
/// reads_in_kernels.
template <Scalar T, class Layout, class Read>
class FunctionSource {
 public:
  using value_type = T;
  using array_layout = Layout;
  static constexpr bool reads_in_kernels = may_read_in_kernels<Read>;

  FunctionSource(Index rows, Index cols, Read read)
      : rows_(rows), cols_(cols), read_(std::move(read)) {}

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  void read(Block const& block, T* to) const { read_(block, to); }

 private:
  Index rows_;
  Index cols_;
  Read read_;
};

namespace detail {

/// Erases the source's type: operations are compiled for this one. The source must outlive it.
template <class T, class Layout>
class AnySource {
 public:
  using value_type = T;
  using array_layout = Layout;

  template <class Source>
  explicit AnySource(Source const& source)
      : rows_(static_cast<Index>(source.rows())),
        cols_(static_cast<Index>(source.cols())),
        bytes_at_once_(stream::bytes_at_once(source)),
        reads_in_kernels_(may_read_in_kernels<Source>),
        source_(&source),
        read_([](void const* from, Block const& block, T* to) {
          static_cast<Source const*>(from)->read(block, to);
        }) {}

  /// The block, in panels of `panel` lines as the whole matrix.
  [[nodiscard]] AnySource part(Block const& block, Index panel) const {
    AnySource part = *this;
    part.first_row_ += block.first_row;
    part.rows_ = block.rows;
    part.first_col_ += block.first_col;
    part.cols_ = block.cols;
    part.panel_of_whole_ = panel;
    return part;
  }

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] std::size_t bytes_at_once() const { return bytes_at_once_; }
  [[nodiscard]] bool reads_in_kernels() const { return reads_in_kernels_; }
  /// Lines per panel of the whole matrix; 0: this is the whole.
  [[nodiscard]] Index panel_of_whole() const { return panel_of_whole_; }
  void read(Block block, T* to) const {
    block.first_row += first_row_;
    block.first_col += first_col_;
    read_(source_, block, to);
  }

 private:
  Index first_row_ = 0;
  Index first_col_ = 0;
  Index rows_;
  Index cols_;
  Index panel_of_whole_ = 0;
  std::size_t bytes_at_once_;
  bool reads_in_kernels_;
  void const* source_;
  void (*read_)(void const* from, Block const& block, T* to);
};

template <class Source>
auto any_source(Source const& source) {
  return AnySource<typename Source::value_type, typename Source::array_layout>(source);
}
template <class T, class Layout>
AnySource<T, Layout> any_source(AnySource<T, Layout> const& source) {
  return source;
}

/// Calls body(AnySource in the layout that determines the order of sums). A single row or column
/// has the same blocks in both.
template <class Source, class Body>
decltype(auto) in_order(Source const& source, Body const& body) {
  if constexpr (std::is_same_v<typename Source::array_layout, Kokkos::LayoutLeft>) {
    if (summation::lines_are_rows(false, static_cast<Index>(source.rows()),
                                  static_cast<Index>(source.cols()))) {
      return body(AnySource<typename Source::value_type, Kokkos::LayoutRight>(source));
    }
  }
  return body(any_source(source));
}

}  // namespace detail

/// Creates a source of a rows x cols matrix of T from a function.
///
/// ```cpp
/// auto const element = [](tessera::stream::Block const& block, double* to) {
///   for (tessera::stream::Index i = 0; i < block.rows * block.cols; ++i) to[i] = 1.0;
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, element);
/// Kokkos::View<double*> v("v", 30), C("C", 30);
/// tessera::stream::atax(Kokkos::DefaultExecutionSpace(), source, v, C);
/// ```
template <Scalar T, class Layout = Kokkos::LayoutRight, class Read>
FunctionSource<T, Layout, Read> make_source(Index rows, Index cols, Read read) {
  return {rows, cols, std::move(read)};
}

}  // namespace tessera::stream
