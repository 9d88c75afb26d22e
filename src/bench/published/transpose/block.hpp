// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/detail/blocks.hpp>
#include <concepts>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>

/// Shared by the transposes.
namespace tessera::published {

template <class View, class Exec>
concept RowMajorOf =
    ElementMatrixOf<View, Exec> && std::same_as<typename View::array_layout, Kokkos::LayoutRight>;
template <class View, class Exec, class A>
concept RowMajorOutputOf = RowMajorOf<View, Exec> && TransposeOf<View, Exec, A>;

namespace detail {

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

/// Checks out: n x m; a copy: m x n.
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

}  // namespace detail
}  // namespace tessera::published
