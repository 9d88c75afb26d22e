// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/concepts.hpp>
#include <tessera/kernels/elementary.hpp>
#include <tessera/summation.hpp>

/// Maps of the entries of A·v in `atax`.
namespace tessera {

namespace maps {
/// See the functions below; `replace` maps b to x_i.
enum class Kind {
  identity,
  weights,
  minus,
  plus,
  logistic,
  logistic_weights,
  poisson,
  poisson_weights,
  replace,
};

inline char const* name_of(Kind kind) {
  constexpr char const* names[]{"identity", "weights",         "minus",
                                "plus",     "logistic",        "logistic_weights",
                                "poisson",  "poisson_weights", "replace"};
  return names[static_cast<int>(kind)];
}

template <class T>
struct Function {
  Kind kind = Kind::identity;
  T const* x = nullptr;  ///< one entry per row
  Index stride = 1;
  T gamma = T(0);

  KOKKOS_FUNCTION T operator()(Index i, T b) const {
    T const x_i = x[i * stride];
    switch (kind) {
      case Kind::weights:
        return x_i * b;
      case Kind::minus:
        return b - x_i;
      case Kind::plus:
        return Kokkos::fma(gamma, x_i, b);
      case Kind::logistic:
        return T(1) / (T(1) + elementary::exp(-(b + gamma))) - x_i;
      case Kind::logistic_weights: {
        T const e = elementary::exp(-Kokkos::fabs(x_i));
        T const d = T(1) + e;
        return b * (e / (d * d));
      }
      case Kind::poisson:
        return elementary::exp(b + gamma) - x_i;
      case Kind::poisson_weights:
        return b * elementary::exp(x_i);
      case Kind::replace:
        return x_i;
      case Kind::identity:
        break;
    }
    return b;
  }
};

template <class T>
Function<T> shifted(Function<T> function, Index first) {
  function.x += first * function.stride;
  return function;
}

}  // namespace maps

/// A non-owning vector of any stride, which must outlive the work.
template <class T, class Space>
class VectorIn {
 public:
  using value_type = T const;
  using non_const_value_type = T;
  static constexpr std::size_t rank() { return 1; }

  VectorIn() = default;
  template <Vector View>
    requires(std::is_same_v<typename View::non_const_value_type, T> &&
             bool(Kokkos::SpaceAccessibility<Space, typename View::memory_space>::accessible))
  VectorIn(View const& x)  // NOLINT(google-explicit-constructor)
      : data_(x.data()), size_(x.extent(0)), stride_(static_cast<std::size_t>(x.stride(0))) {}

  [[nodiscard]] T const* data() const { return data_; }
  [[nodiscard]] std::size_t extent(std::size_t /*i*/) const { return size_; }
  [[nodiscard]] std::size_t stride(std::size_t /*i*/) const { return stride_; }

 private:
  T const* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t stride_ = 1;
};

/// A predefined map, by default the identity. Its vector is not owned, and must outlive the work.
template <class T, class Space>
class RowMap {
 public:
  using value_type = T const;

  RowMap() = default;
  template <class Other>
    requires(!std::is_same_v<Other, Space> &&
             bool(Kokkos::SpaceAccessibility<Space, Other>::accessible))
  RowMap(RowMap<T, Other> const& other)  // NOLINT(google-explicit-constructor)
      : function_(other.function()), size_(other.extent(0)) {}
  template <Vector View>
    requires std::is_same_v<typename View::memory_space, Space>
  RowMap(maps::Kind kind, View const& x, T gamma = T(0))
      : function_{kind, x.data(), static_cast<Index>(x.stride(0)), gamma}, size_(x.extent(0)) {}

  [[nodiscard]] maps::Function<T> const& function() const { return function_; }
  [[nodiscard]] bool is_identity() const { return function_.kind == maps::Kind::identity; }

  static constexpr std::size_t rank() { return 1; }
  [[nodiscard]] T const* data() const { return function_.x; }
  [[nodiscard]] std::size_t extent(std::size_t /*i*/) const { return size_; }
  [[nodiscard]] std::size_t stride(std::size_t /*i*/) const {
    return static_cast<std::size_t>(function_.stride);
  }

 private:
  maps::Function<T> function_;
  std::size_t size_ = 0;
};

namespace maps {
template <class View>
using MapOf = RowMap<typename View::non_const_value_type, typename View::memory_space>;

/// b ↦ w_i·b: weighted least squares.
template <Vector W>
MapOf<W> weights(W const& w) {
  return {Kind::weights, w};
}
/// b ↦ b - y_i: residuals; atax gives the gradient of ‖A·v - y‖²/2.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> v("v", 30), y("y", 1000), C("C", 30);
/// tessera::atax(Kokkos::DefaultExecutionSpace(), A, v, C,
///               {.map = tessera::maps::minus(y)});
/// ```
template <Vector Y>
MapOf<Y> minus(Y const& y) {
  return {Kind::minus, y};
}
/// b ↦ fma(γ, u_i, b), of LSQR and LSMR.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> v("v", 30), u("u", 1000), C("C", 30);
/// tessera::atax(Kokkos::DefaultExecutionSpace(), A, v, C, {.map = tessera::maps::plus(0.5, u)});
/// ```
template <Vector U>
MapOf<U> plus(typename U::non_const_value_type gamma, U const& u) {
  return {Kind::plus, u, gamma};
}
/// b ↦ σ(b + γ) - y_i, σ(b) = 1/(1 + e^-b): the logistic loss' gradient; intercept γ, labels y of 0
/// and 1.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> v("v", 30), y("y", 1000), C("C", 30);
/// tessera::atax(Kokkos::DefaultExecutionSpace(), A, v, C,
///               {.map = tessera::maps::logistic(y)});
/// ```
template <Vector Y>
MapOf<Y> logistic(Y const& y, typename Y::non_const_value_type gamma = 0) {
  return {Kind::logistic, y, gamma};
}
/// b ↦ σ'(η_i)·b: the logistic loss' Hessian at η = A·x.
template <Vector Eta>
MapOf<Eta> logistic_weights(Eta const& eta) {
  return {Kind::logistic_weights, eta};
}
/// b ↦ e^(b + γ) - y_i: the Poisson loss' gradient (log link); intercept γ, counts y.
template <Vector Y>
MapOf<Y> poisson(Y const& y, typename Y::non_const_value_type gamma = 0) {
  return {Kind::poisson, y, gamma};
}
/// b ↦ e^η_i·b: the Poisson loss' Hessian at η = A·x.
template <Vector Eta>
MapOf<Eta> poisson_weights(Eta const& eta) {
  return {Kind::poisson_weights, eta};
}

}  // namespace maps

/// T f(Index i, T b) with the row i, called on the device, maybe several times per row. It is
/// copied bytewise. On a host use a function pointer, `&f`.
template <class F, class T>
concept RowFunction =
    std::is_object_v<F> && !Kokkos::is_view_v<F> && std::is_invocable_r_v<T, F const&, Index, T>;

}  // namespace tessera
