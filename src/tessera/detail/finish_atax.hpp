// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/maps.hpp>

/// The map of B, and C = α·c + β·z.
namespace tessera::detail {

template <class T>
struct TermsOfAtax {
  T alpha;
  T beta;
  VectorArgument<T const> z;
  VectorArgument<T const> of_map;
  bool has_map;
  bool has_z;
  bool has_scale;
  bool keep_product;

  template <class Options>
  explicit TermsOfAtax(Options const& options)
      : alpha(options.alpha),
        beta(options.beta),
        z(options.z),
        of_map(options.map),
        has_map(!options.map.is_identity()),
        has_z(!is_zero(beta)),
        has_scale(differ(alpha, T(1))),
        keep_product(options.keep_product) {}

  void require_extents(char const* operation, std::size_t rows, std::size_t cols) const {
    if (has_map) checks::require_input(operation, "the map's vector", of_map, rows);
    if (has_z) checks::require_input(operation, "z", z, cols);
  }
  template <class Out>
  void require_apart(char const* operation, char const* name, Out const& out) const {
    if (has_map) checks::require_apart(operation, name, out, "the map's vector", of_map);
    if (has_z) checks::require_apart(operation, name, out, "z", z);
  }
};

template <class T, class Space, class Body>
decltype(auto) with_map(RowMap<T, Space> const& map, Body const& body) {
  if (map.is_identity()) return body(kernels::Identity{});
  return body(map.function());
}

template <class T, class Exec>
void set_zeros_of_atax(Exec const& exec, Index rows, OutputVector<T> b, Index cols,
                       OutputVector<T> c) {
  static std::string const label("tessera::atax::zero");
  if (b.data != nullptr) set_zero<T>(exec, label, rows, b);
  set_zero<T>(exec, label, cols, c);
}

template <class T, class Factor>
struct MapInPlace {
  Factor factor;
  OutputVector<T> b;
  KOKKOS_FUNCTION void operator()(Index i) const { b.set(i, factor(i, b.data[i * b.stride])); }
};

template <class T>
struct ScaleAndAdd {
  T alpha;
  OutputVector<T> c;
  T beta;
  T const* z;
  Index stride;
  KOKKOS_FUNCTION void operator()(Index j) const {
    T const scaled = alpha * c.data[j * c.stride];
    c.set(j, z == nullptr ? scaled : Kokkos::fma(beta, z[j * stride], scaled));
  }
};

/// b[i] = factor(i, b[i]) unless B keeps the product; c = α·c + β·z.
template <class Exec, class T, class Factor>
void finish_atax(Exec const& exec, Index rows, OutputVector<T> b, Index cols, OutputVector<T> c,
                 TermsOfAtax<T> const& terms, Factor const& factor) {
  if (!kernels::is_identity<Factor> && b.data != nullptr && !terms.keep_product && rows > 0) {
    static std::string const label("tessera::atax::map");
    for_each_element(exec, label, rows, MapInPlace<T, Factor>{factor, b});
  }
  if ((terms.has_scale || terms.has_z) && cols > 0) {
    static std::string const label("tessera::atax::scale_and_add");
    for_each_element(
        exec, label, cols,
        ScaleAndAdd<T>{terms.alpha, c, terms.beta, terms.has_z ? terms.z.data() : nullptr,
                       static_cast<Index>(terms.z.stride(0))});
  }
}

}  // namespace tessera::detail

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_ATAX_TERMS(TEMPLATE, EXEC, T)               \
  namespace tessera::detail {                               \
  TESSERA_FINISH_ATAX(TEMPLATE, EXEC, T, kernels::Identity) \
  TESSERA_FINISH_ATAX(TEMPLATE, EXEC, T, maps::Function<T>) \
  }
#define TESSERA_FINISH_ATAX(TEMPLATE, EXEC, T, FACTOR)                                   \
  TEMPLATE void finish_atax(EXEC const&, Index, OutputVector<T>, Index, OutputVector<T>, \
                            TermsOfAtax<T> const&, FACTOR const&);
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_ATAX_TERMS)
