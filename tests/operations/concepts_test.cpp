// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_transposed.hpp>

/// Argument types, checked at compile time.
namespace tessera {
namespace {

using HostExec = Kokkos::DefaultHostExecutionSpace;
using Right = Kokkos::LayoutRight;
using Left = Kokkos::LayoutLeft;
using Strided = Kokkos::LayoutStride;

template <class Data, class Layout = Right>
using View = Kokkos::View<Data, Layout, Kokkos::HostSpace>;

template <class A, class X, class Y>
concept Multipliable = requires(HostExec exec, A a, X x, Y y) { multiply(exec, a, x, y); };
template <class A, class X, class Y>
concept TransposedMultipliable =
    requires(HostExec exec, A a, X x, Y y) { multiply_transposed(exec, a, x, y); };
template <class A, class X, class Y>
concept Ataxable = requires(HostExec exec, A a, X x, Y y) { atax(exec, a, x, y); };
template <class A, class X, class B, class C>
concept AtaxableWithB = requires(HostExec exec, A a, X x, B b, C c) { atax(exec, a, x, b, c); };

template <class A, class X, class Y>
constexpr bool accepted = Multipliable<A, X, Y> && TransposedMultipliable<A, X, Y> &&
                          Ataxable<A, X, Y> && AtaxableWithB<A, X, Y, Y>;
template <class A, class X, class Y>
constexpr bool refused = !Multipliable<A, X, Y> && !TransposedMultipliable<A, X, Y> &&
                         !Ataxable<A, X, Y> && !AtaxableWithB<A, X, Y, Y>;

static_assert(accepted<View<float**>, View<float*>, View<float*>>);
static_assert(accepted<View<double**, Left>, View<double*>, View<double*>>);
static_assert(accepted<View<double const**>, View<double const*>, View<double*>>);
static_assert(accepted<View<float**>, View<float*, Strided>, View<float*, Strided>>);
static_assert(accepted<View<float**>, View<float const*, Left>, View<float*, Left>>);
static_assert(accepted<View<float[3][5]>, View<float[5]>, View<float[5]>>);

static_assert(refused<View<double**>, View<double*>, View<double const*>>);

static_assert(refused<View<double**>, View<float*>, View<double*>>);
static_assert(refused<View<double**>, View<double*>, View<float*>>);
static_assert(refused<View<int**>, View<int*>, View<int*>>);
static_assert(refused<View<long double**>, View<long double*>, View<long double*>>);

double twice(Index /*i*/, double b) {
  return 2 * b;
}
template <class F>
concept Applicable = requires(HostExec exec, View<double**> a, View<double*> x, F& f) {
  atax(exec, a, x, x, f);
  atax(exec, a, x, x, x, f);
};
static_assert(Applicable<double (*)(Index, double)>);
static_assert(!Applicable<decltype(twice)>);
static_assert(RowFunction<decltype(&twice), double> && !RowFunction<decltype(twice), double>);

static_assert(refused<View<double*>, View<double*>, View<double*>>);
static_assert(refused<View<double***>, View<double*>, View<double*>>);
static_assert(refused<View<double**>, View<double**>, View<double*>>);
static_assert(refused<View<double**>, View<double*>, View<double>>);

static_assert(accepted<View<double**, Strided>, View<double*>, View<double*>>);

static_assert(refused<double*, double*, double*>);

}  // namespace
}  // namespace tessera
