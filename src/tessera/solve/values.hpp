// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/elements.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/vectors.hpp>

/// Vectors of solvers: memory, copies, norms and dot products.
namespace tessera::solve::detail {

using tessera::detail::for_each_element;

template <class Exec, class T>
Values<Exec, T> make_values(Exec const& exec, Index size) {
  return Values<Exec, T>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::solve::vector")),
      static_cast<std::size_t>(size));
}

template <class Exec, class T>
Rows<Exec, T> make_rows(Exec const& exec, Index count, Index length) {
  return Rows<Exec, T>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::solve::rows")),
      static_cast<std::size_t>(count), static_cast<std::size_t>(length));
}

/// All entries of rows without gaps between them.
template <class View>
auto flat(View const& rows) {
  return Kokkos::View<typename View::value_type*, Kokkos::LayoutRight, typename View::memory_space>(
      rows.data(), rows.size());
}

template <class T>
using HostValues = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::HostSpace,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class Exec, class T>
std::vector<T> to_host(Exec const& exec, ConstValues<Exec, T> const& x) {
  std::vector<T> copy(x.extent(0));
  Kokkos::deep_copy(exec, HostValues<T>(copy.data(), copy.size()), x);
  exec.fence("tessera: a vector comes to the host");
  return copy;
}

template <class Exec, class T>
void from_host(Exec const& exec, std::vector<T> const& from, Values<Exec, T> const& x) {
  Kokkos::deep_copy(exec, x, HostValues<T const>(from.data(), from.size()));
  exec.fence("tessera: a vector has come from the host");
}

template <class Exec, class T>
Values<Exec, T> on_device(Exec const& exec, std::vector<T> const& x) {
  auto const to = make_values<Exec, T>(exec, static_cast<Index>(x.size()));
  from_host<Exec, T>(exec, x, to);
  return to;
}

/// Scales, so that squares do not over- or underflow; adds sequentially.
template <class T>
double scaled_norm(std::vector<T> const& x) {
  double largest = 0;
  for (T const entry : x) {
    double const size = std::fabs(static_cast<double>(entry));
    if (!(size <= std::numeric_limits<double>::max())) return size;
    largest = std::max(largest, size);
  }
  if (largest == 0) return 0;
  int const exponent = std::ilogb(largest);
  double sum = 0;
  for (T const entry : x) {
    double const scaled = std::scalbn(static_cast<double>(entry), -exponent);
    sum = std::fma(scaled, scaled, sum);
  }
  return std::scalbn(std::sqrt(sum), exponent);
}

/// Sums in a fixed order.
template <class Exec, class T>
class Norms {
 public:
  /// Norms of `places` vectors need only one fence.
  explicit Norms(Exec const& exec, std::size_t places = 1)
      : exec_(exec), sums_("tessera::solve::sums", places) {}

  /// Fences. Not finite if an entry is not.
  double operator()(ConstValues<Exec, T> const& x) {
    begin(x, 0);
    exec_.fence("tessera: a norm is on the host");
    return of(x, 0);
  }

  /// Needs a fence before `of`.
  void begin(ConstValues<Exec, T> const& x, std::size_t place) {
    sum(x, Kokkos::subview(sums_, std::pair(place, place + 1)));
  }
  template <class View>
  void sum(ConstValues<Exec, T> const& x, View const& to) {
    sum_of_squares(exec_, x, to, {.workspace = &workspace_});
  }
  [[nodiscard]] T* at(std::size_t place) const { return sums_.data() + place; }

  /// Whether the sum is accurate. If it is tiny, entries with subnormal squares may matter.
  [[nodiscard]] bool is_root(std::size_t place) const {
    constexpr T smallest = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon() /
                           std::numeric_limits<T>::epsilon();
    T const sum = sums_(place);
    return sum >= smallest && sum <= std::numeric_limits<T>::max();
  }
  double of(ConstValues<Exec, T> const& x, std::size_t place) {
    if (is_root(place)) return std::sqrt(static_cast<double>(sums_(place)));
    return scaled_norm(to_host<Exec, T>(exec_, x));
  }

 private:
  Exec exec_;
  Kokkos::View<T*, Kokkos::SharedHostPinnedSpace> sums_;
  Workspace<Exec> workspace_;
};

template <class Exec, class T>
class Dots {
 public:
  explicit Dots(Exec const& exec) : exec_(exec), product_(make_values<Exec, T>(exec, 1)) {}

  double operator()(ConstValues<Exec, T> const& x, ConstValues<Exec, T> const& y) {
    dot(exec_, x, y, product_, {.workspace = &workspace_});
    return static_cast<double>(to_host<Exec, T>(exec_, product_)[0]);
  }

 private:
  Exec exec_;
  Values<Exec, T> product_;
  Workspace<Exec> workspace_;
};

template <class T>
struct Divide {
  T const* x;
  T a;
  T factor;
  T* y;
  KOKKOS_FUNCTION void operator()(Index i) const { y[i] = factor * (x[i] / a); }
};

}  // namespace tessera::solve::detail
