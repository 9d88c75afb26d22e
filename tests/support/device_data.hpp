// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include "support/cases.hpp"
#include "support/host_matrix.hpp"
#include "support/same_bits.hpp"

/// Copies between host vectors and a case's views.
namespace tessera::test {

template <class C>
using DeviceMatrix =
    Kokkos::View<typename C::Scalar**, typename C::Layout, typename C::Exec::memory_space>;
template <class C>
using DeviceVector = Kokkos::View<typename C::Scalar*, typename C::Exec::memory_space>;
template <class C>
using StridedVector =
    Kokkos::View<typename C::Scalar*, Kokkos::LayoutStride, typename C::Exec::memory_space>;

template <class C>
DeviceVector<C> vector_on_device(std::vector<typename C::Scalar> const& x) {
  DeviceVector<C> const copy("vector", x.size());
  auto const mirror = Kokkos::create_mirror_view(copy);
  for (std::size_t i = 0; i < x.size(); ++i) mirror(i) = x[i];
  Kokkos::deep_copy(copy, mirror);
  return copy;
}

template <class View>
std::vector<typename View::non_const_value_type> elements_of(View const& x) {
  auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  return {mirror.data(), mirror.data() + mirror.size()};
}

template <class C>
DeviceMatrix<C> matrix_on_device(HostMatrix<typename C::Scalar> const& host) {
  using T = typename C::Scalar;
  Margin const margin = host.margin();
  Index const lines = margin.lines + host.count();
  bool const row_major = C::order == reference::Order::row_major;
  auto const stored_rows = static_cast<std::size_t>(row_major ? lines : host.leading());
  auto const stored_cols = static_cast<std::size_t>(row_major ? host.leading() : lines);

  DeviceMatrix<C> const whole(Kokkos::view_alloc("matrix", Kokkos::WithoutInitializing),
                              stored_rows, stored_cols);
  Kokkos::View<T const**, typename C::Layout, Kokkos::HostSpace,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const from(host.memory().data(),
                                                                   stored_rows, stored_cols);
  Kokkos::deep_copy(whole, from);

  Index const first_row = row_major ? margin.lines : margin.before;
  Index const first_col = row_major ? margin.before : margin.lines;
  return Kokkos::subview(whole, Kokkos::make_pair(first_row, first_row + host.shape().rows),
                         Kokkos::make_pair(first_col, first_col + host.shape().cols));
}

/// Inside a larger view of NaNs.
template <class C>
class GuardedVector {
 public:
  using T = typename C::Scalar;

  GuardedVector(Index size, Index stride)
      : size_(static_cast<std::size_t>(size)),
        stride_(static_cast<std::size_t>(stride)),
        memory_(Kokkos::view_alloc("guarded", Kokkos::WithoutInitializing),
                2 * guard + (size_ - 1) * stride_ + 1) {
    // On the host: a kernel's argument may lose bits of a NaN.
    auto const mirror = Kokkos::create_mirror_view(Kokkos::HostSpace(), memory_);
    std::fill_n(mirror.data(), mirror.size(), poison<T>());
    Kokkos::deep_copy(memory_, mirror);
  }

  GuardedVector(std::vector<T> const& host, Index stride)
      : GuardedVector(static_cast<Index>(host.size()), stride) {
    auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory_);
    for (std::size_t i = 0; i < size_; ++i) mirror(guard + i * stride_) = host[i];
    Kokkos::deep_copy(memory_, mirror);
  }

  DeviceVector<C> contiguous() const {
    EXPECT_EQ(stride_, 1U);
    return Kokkos::subview(memory_, Kokkos::make_pair(guard, guard + size_));
  }

  StridedVector<C> strided() const {
    return StridedVector<C>(memory_.data() + guard, Kokkos::LayoutStride(size_, stride_));
  }

  std::vector<T> to_host() const {
    auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory_);
    std::vector<T> elements(size_);
    std::size_t touched = 0;
    for (std::size_t place = 0; place < mirror.size(); ++place) {
      std::size_t const offset = place - guard;
      bool const inside = place >= guard && offset % stride_ == 0 && offset / stride_ < size_;
      if (inside) {
        elements[offset / stride_] = mirror(place);
      } else if (std::bit_cast<BitsOf<T>>(mirror(place)) != std::bit_cast<BitsOf<T>>(poison<T>())) {
        ++touched;
      }
    }
    EXPECT_EQ(touched, 0U) << "elements around an output vector were written";
    return elements;
  }

 private:
  static constexpr std::size_t guard = 33;  // odd: the vector is not aligned

  std::size_t size_;
  std::size_t stride_;
  DeviceVector<C> memory_;
};

}  // namespace tessera::test
