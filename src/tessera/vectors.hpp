// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/maps.hpp>
#include <tessera/options.hpp>

/// Vector operations in a fixed order: the bits depend only on the vectors.
namespace tessera {

/// A number, or a vector of one entry in memory of `Exec`, which the kernel reads: the host does
/// not wait, and a captured graph reads it at each launch.
template <class T, class Exec>
class Coefficient {
 public:
  Coefficient(T value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  template <Vector View>
    requires std::is_constructible_v<VectorIn<T, Exec>, View const&>
  Coefficient(View const& x) : vector_(x) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T value() const { return value_; }
  [[nodiscard]] std::optional<VectorIn<T, Exec>> const& vector() const { return vector_; }

 private:
  T value_ = T(0);
  std::optional<VectorIn<T, Exec>> vector_;
};

namespace detail {

/// The product of a matrix of one row.
template <class Exec, class T>
void call_dot(Exec const& exec, VectorArgument<T const> const& x, VectorArgument<T const> const& y,
              VectorArgument<T> const& result, Options<Exec> const& options) {
  constexpr auto operation = "dot";
  checks::require_input(operation, "x", x, x.extent(0));
  checks::require_input(operation, "y", y, x.extent(0));
  checks::require_output(operation, "the result", result, 1);
  checks::require_apart(operation, "the result", result, "x", x);
  checks::require_apart(operation, "the result", result, "y", y);

  static Label const label("tessera::dot");
  auto const size = static_cast<Index>(x.extent(0));
  bool const is_same = x.data() == y.data() && x.stride(0) == y.stride(0);
  Index const packed_y = is_same ? 0 : packed_size(y);
  Region const region(operation, 1, size);
  if (size == 0) return set_zero<T>(exec, label.zero, 1, output(result));
  with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
    Lines<T> line{packed_size(x) == 0 ? x.data() : nullptr, 1, size, size};
    DotOf<Exec, T, Set> const plan(exec, line,
                                   tuning_for<T, true, Set>(exec, 1, size, options.tuning));
    Index const runs = plan.workspace(line);
    WorkspaceParts<Exec, T> parts(
        exec, options.workspace,
        whole_words<T>(packed_size(x)) + whole_words<T>(packed_y) + whole_words<T>(runs));
    line.data = contiguous(exec, label.pack, x, parts.take(packed_size(x)));
    T const* const factors =
        is_same ? line.data : contiguous(exec, label.pack, y, parts.take(packed_y));
    plan.run(exec, label, line, factors, output(result), parts.take(runs), OneColumn{});
  });
}

template <class T>
struct KernelCoefficient {
  T const* data;
  T value;
  KOKKOS_FUNCTION T operator()() const { return data != nullptr ? *data : value; }
  KOKKOS_FUNCTION KernelCoefficient loaded() const { return {nullptr, (*this)()}; }
};

template <class Exec, class T>
KernelCoefficient<T> coefficient_of(char const* operation, char const* name,
                                    Coefficient<T, Exec> const& a, char const* output_name,
                                    VectorArgument<T> const& y) {
  if (!a.vector()) return {nullptr, a.value()};
  checks::require_input(operation, name, *a.vector(), 1);
  checks::require_apart(operation, output_name, y, name, *a.vector());
  return {a.vector()->data(), T(0)};
}

template <class T>
struct Axpby {
  KernelCoefficient<T> a;
  T const* x;
  Index stride;
  KernelCoefficient<T> b;
  OutputVector<T> y;
  KOKKOS_FUNCTION Axpby loaded() const { return {a.loaded(), x, stride, b.loaded(), y}; }
  KOKKOS_FUNCTION void operator()(Index i) const {
    T const of_y = b();
    T const added = of_y == T(0) ? T(0) : of_y * y.data[i * y.stride];
    y.set(i, Kokkos::fma(a(), x[i * stride], added));
  }
};

template <class Exec, class T>
void call_axpby(Exec const& exec, Coefficient<T, Exec> const& a, VectorArgument<T const> const& x,
                Coefficient<T, Exec> const& b, VectorArgument<T> const& y) {
  constexpr auto operation = "axpby";
  checks::require_input(operation, "x", x, y.extent(0));
  checks::require_output(operation, "y", y, y.extent(0));
  checks::require_apart(operation, "y", y, "x", x);
  Axpby<T> const body{coefficient_of(operation, "a", a, "y", y), x.data(),
                      static_cast<Index>(x.stride(0)), coefficient_of(operation, "b", b, "y", y),
                      output(y)};
  if (y.extent(0) == 0) return;
  static std::string const label("tessera::axpby");
  for_each_element(exec, label, static_cast<Index>(y.extent(0)), body);
}

template <class T>
struct Scale {
  KernelCoefficient<T> a;
  OutputVector<T> x;
  KOKKOS_FUNCTION Scale loaded() const { return {a.loaded(), x}; }
  KOKKOS_FUNCTION void operator()(Index i) const { x.set(i, a() * x.data[i * x.stride]); }
};

template <class Exec, class T>
void call_scale(Exec const& exec, Coefficient<T, Exec> const& a, VectorArgument<T> const& x) {
  checks::require_output("scale", "x", x, x.extent(0));
  Scale<T> const body{coefficient_of("scale", "a", a, "x", x), output(x)};
  if (x.extent(0) == 0) return;
  static std::string const label("tessera::scale");
  for_each_element(exec, label, static_cast<Index>(x.extent(0)), body);
}

template <class T, class Exec, class Compute>
T on_host(Exec const& exec, Compute const& compute) {
  Kokkos::View<T*, typename Exec::memory_space> const result(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::result")), 1);
  compute(result);
  T value;
  Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const host(&value);
  Kokkos::deep_copy(exec, host, Kokkos::subview(result, 0));
  exec.fence("tessera: a number comes to the host");
  return value;
}

}  // namespace detail

/// result(0) = x·y
///
/// | argument | shape | |
/// |---|---|---|
/// | x, y | n | in: any stride; they may be the same |
/// | result | 1 | out: in memory of `exec`, overwritten |
///
/// 2n flop; 2n·sizeof(T) bytes. Guarantees and errors as `atax`. Has the bits of `multiply` with a
/// row-major x of one row; 0 without entries.
///
/// ```cpp
/// Kokkos::View<double*> x("x", 100), y("y", 100), result("result", 1);
/// tessera::dot(Kokkos::DefaultExecutionSpace(), x, y, result);
/// ```
template <ExecutionSpace Exec, Vector X, VectorOf<Exec, X> Y, OutputVectorOf<Exec, X> Result>
  requires AccessibleFrom<X, Exec>
void dot(Exec const& exec, X const& x, Y const& y, Result const& result,
         std::type_identity_t<Options<Exec>> const& options = {}) {
  detail::call_dot(exec, detail::vector_in(x), detail::vector_in(y), detail::vector_out(result),
                   options);
}

/// Returns x·y: waits for `exec`, and allocates.
///
/// ```cpp
/// Kokkos::View<double*> x("x", 100), y("y", 100);
/// std::printf("%g\n", tessera::dot(Kokkos::DefaultExecutionSpace(), x, y));
/// ```
template <ExecutionSpace Exec, Vector X, VectorOf<Exec, X> Y>
  requires AccessibleFrom<X, Exec>
typename X::non_const_value_type dot(Exec const& exec, X const& x, Y const& y,
                                     std::type_identity_t<Options<Exec>> const& options = {}) {
  return detail::on_host<typename X::non_const_value_type>(
      exec, [&](auto const& result) { dot(exec, x, y, result, options); });
}

/// result(0) = Σ x_i², as `dot`.
///
/// ```cpp
/// Kokkos::View<double*> x("x", 100), result("result", 1);
/// tessera::sum_of_squares(Kokkos::DefaultExecutionSpace(), x, result);
/// ```
template <ExecutionSpace Exec, Vector X, OutputVectorOf<Exec, X> Result>
  requires AccessibleFrom<X, Exec>
void sum_of_squares(Exec const& exec, X const& x, Result const& result,
                    std::type_identity_t<Options<Exec>> const& options = {}) {
  dot(exec, x, x, result, options);
}

/// Returns Σ x_i²: waits for `exec`, and allocates.
///
/// ```cpp
/// Kokkos::View<double*> x("x", 100);
/// std::printf("%g\n", tessera::sum_of_squares(Kokkos::DefaultExecutionSpace(), x));
/// ```
template <ExecutionSpace Exec, Vector X>
  requires AccessibleFrom<X, Exec>
typename X::non_const_value_type sum_of_squares(
    Exec const& exec, X const& x, std::type_identity_t<Options<Exec>> const& options = {}) {
  return dot(exec, x, x, options);
}

/// y = a·x + b·y. Each entry is fma(a, x_i, b·y_i), with b·y_i rounded. If b is 0, y is not read.
///
/// x and y have n entries of any stride; y must not overlap another argument. 3n·sizeof(T) bytes.
/// Asynchronous, allocates nothing.
/// @throws std::invalid_argument for sizes that differ, missing memory, or overlap
///
/// ```cpp
/// Kokkos::View<double*> x("x", 100), y("y", 100), factor("factor", 1);
/// tessera::axpby(Kokkos::DefaultExecutionSpace(), 2.0, x, 1.0, y);
/// tessera::axpby(Kokkos::DefaultExecutionSpace(), factor, x, 1.0, y);  // no wait for factor
/// ```
template <ExecutionSpace Exec, Vector X, OutputVectorOf<Exec, X> Y>
  requires AccessibleFrom<X, Exec>
void axpby(Exec const& exec,
           std::type_identity_t<Coefficient<typename X::non_const_value_type, Exec>> const& a,
           X const& x,
           std::type_identity_t<Coefficient<typename X::non_const_value_type, Exec>> const& b,
           Y const& y) {
  detail::call_axpby(exec, a, detail::vector_in(x), b, detail::vector_out(y));
}

/// x = a·x, x of any stride, not overlapping a. 2n·sizeof(T) bytes. Asynchronous, allocates
/// nothing.
/// @throws std::invalid_argument for missing memory, more than one entry in a, or overlap
///
/// ```cpp
/// Kokkos::View<double*> x("x", 100);
/// tessera::scale(Kokkos::DefaultExecutionSpace(), 0.5, x);
/// ```
template <ExecutionSpace Exec, OutputVector X>
  requires AccessibleFrom<X, Exec>
void scale(Exec const& exec,
           std::type_identity_t<Coefficient<typename X::non_const_value_type, Exec>> const& a,
           X const& x) {
  detail::call_scale(exec, a, detail::vector_out(x));
}

}  // namespace tessera

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_VECTORS(TEMPLATE, EXEC, T)                                                      \
  namespace tessera::detail {                                                                   \
  TEMPLATE void call_dot(EXEC const&, VectorArgument<T const> const&,                           \
                         VectorArgument<T const> const&, VectorArgument<T> const&,              \
                         Options<EXEC> const&);                                                 \
  TEMPLATE void call_axpby(EXEC const&, Coefficient<T, EXEC> const&,                            \
                           VectorArgument<T const> const&, Coefficient<T, EXEC> const&,         \
                           VectorArgument<T> const&);                                           \
  TEMPLATE void call_scale(EXEC const&, Coefficient<T, EXEC> const&, VectorArgument<T> const&); \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_VECTORS)
