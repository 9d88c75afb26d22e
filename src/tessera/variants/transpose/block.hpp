// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/variants/detail/blocks.hpp>

/// What the published transposes share: blocks of threads over row-major matrices.
namespace tessera::variants {

/// A matrix as the published kernels take it: row-major, rows may be padded.
template <class View, class Exec>
concept RowMajorOf =
    ElementMatrixOf<View, Exec> && std::same_as<typename View::array_layout, Kokkos::LayoutRight>;
template <class View, class Exec, class A>
concept RowMajorOutputOf = RowMajorOf<View, Exec> && TransposeOf<View, Exec, A>;

namespace detail {

/// A row-major matrix in a kernel.
template <class T>
struct Rows {
  T* data;
  Index rows;
  Index cols;
  Index leading;

  KOKKOS_INLINE_FUNCTION bool has(Index i, Index j) const { return i < rows && j < cols; }
  KOKKOS_INLINE_FUNCTION T& operator()(Index i, Index j) const { return data[i * leading + j]; }
};

template <class T, class View>
Rows<T> rows_of(View const& a) {
  return {a.data(), static_cast<Index>(a.extent(0)), static_cast<Index>(a.extent(1)),
          static_cast<Index>(a.stride(0))};
}

/// Checks what every variant asks of its matrices: At is n x m, or, of a copy, m x n.
template <class A, class Out>
void require_matrices(std::string const& name, A const& a, Out const& out, bool is_copy) {
  auto const* const output = is_copy ? "the copy" : "At";
  checks::require_matrix(name, a);
  checks::require_elements(name, "A", a);
  checks::require_extents(name, output, out, a.extent(is_copy ? 0 : 1), a.extent(is_copy ? 1 : 0));
  checks::require_memory(name, output, out);
  checks::require_distinct(name, output, out);
  checks::require_apart(name, output, out, "A", a);
}

/// The direction in A of threads that are neighbours in x.
enum class Along { rows, columns };

/// Checks, and runs Kernel{A, out, grid}: a thread an element, or `per_thread` of them along x.
template <template <class, class> class Kernel, class Exec, class A, class Out>
void run_elements(Exec const& exec, std::string const& variant, A const& a, Out const& out,
                  Block const& block, Along along, bool is_copy = false, Index per_thread = 1) {
  using T = typename Out::value_type;
  std::string const name = "variants::" + variant;
  require_matrices(name, a, out, is_copy);
  require_block<Exec>(name, block);
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  Grid const grid = along == Along::rows ? Grid(block, cols, rows, per_thread)
                                         : Grid(block, rows, cols, per_thread);
  for_each_block(exec, name, grid, 0, Kernel<Exec, T>{rows_of<T const>(a), rows_of<T>(out), grid});
}

}  // namespace detail
}  // namespace tessera::variants
