// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/kernels/portable.hpp>

#include "kernels/weights.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/reference.hpp"
#include "support/same_bits.hpp"
#include "support/shapes.hpp"

/// What comes between the two products of portable fused ATAX, which no operation offers yet. A
/// tuning changes no bit.
namespace tessera::test {
namespace {

template <class C>
class PortablePlans : public testing::Test {
 protected:
  using Space = typename C::Exec;
  using T = typename C::Scalar;
  using Memory = Kokkos::View<T*, typename Space::memory_space>;
  static constexpr bool row_major = C::order == reference::Order::row_major;
  using FusedPlan = std::conditional_t<row_major, kernels::FusedLinesPlan<Space, T>,
                                       kernels::FusedTilesPlan<Space, T>>;
  /// What both products of ATAX give.
  struct Products {
    std::vector<T> first;
    std::vector<T> second;
  };

  /// The machine's tuning, and one of small parts, so that all trees are cut.
  static std::vector<Tuning> tunings(tessera::test::Shape const& shape) {
    Tuning small;
    small.dot.segments_per_run = 1;
    small.dot.lines_per_team = 4;
    small.sum.columns_per_team = summation::segment<T>;
    small.sum.panels_per_team = 2;
    small.fused_lines.panels_per_team = 4;
    small.fused_tiles.segments_per_tile = 1;
    small.fused_tiles.tiles_per_team = 2;
    return {kernels::tuning_of_matrix<T, row_major>(Space(), shape.rows, shape.cols), small};
  }
  static tessera::detail::Lines<T> lines(tessera::test::Shape const& shape, Memory const& matrix) {
    Index const count = row_major ? shape.rows : shape.cols;
    Index const length = row_major ? shape.cols : shape.rows;
    return {matrix.data(), count, length, length};
  }
  static Memory vector(Index size) { return Memory("vector", static_cast<std::size_t>(size)); }
  static Memory on_device(std::vector<T> const& host) {
    Memory const device = vector(static_cast<Index>(host.size()));
    auto const mirror = Kokkos::create_mirror_view(Kokkos::HostSpace(), device);
    for (std::size_t i = 0; i < host.size(); ++i) mirror(i) = host[i];
    Kokkos::deep_copy(device, mirror);
    return device;
  }
  static std::vector<T> on_host(Memory const& device) {
    auto const mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device);
    return {mirror.data(), mirror.data() + mirror.size()};
  }
  /// Workspace of a plan, in which NaNs lie.
  template <class Plan>
  static Memory workspace(Plan const& plan, tessera::detail::Lines<T> const& lines) {
    return on_device(std::vector<T>(static_cast<std::size_t>(plan.workspace(lines)), poison<T>()));
  }

  template <class Factor>
  static Products fused(tessera::detail::Lines<T> const& lines, Memory const& x,
                        Tuning const& tuning, Factor const& factor) {
    FusedPlan const plan(Space(), lines, tuning);
    Memory const first = vector(row_major ? lines.count : lines.length);
    Memory const second = vector(row_major ? lines.length : lines.count);
    Memory const parts = workspace(plan, lines);
    plan.run(Space(), tessera::detail::Label("fused"), lines, x.data(), {first.data(), 1},
             {second.data(), 1}, parts.data(), {}, factor);
    return {on_host(first), on_host(second)};
  }
};
TYPED_TEST_SUITE(PortablePlans, Cases, CaseName);

TYPED_TEST(PortablePlans, HaveTheBitsOfTheReferenceWithWeightsBetweenTheProducts) {
  using T = typename TypeParam::Scalar;
  for (tessera::test::Shape const& shape : few_shapes()) {
    auto const values = real_numbers<T>(static_cast<std::size_t>(shape.size()), 1);
    auto const v = real_numbers<T>(static_cast<std::size_t>(shape.cols), 2);
    auto const weights = real_numbers<T>(static_cast<std::size_t>(shape.rows), 3);
    reference::Matrix<T> const A{values.data(), shape.rows, shape.cols,
                                 this->row_major ? shape.cols : shape.rows, TypeParam::order};
    auto const first = reference::multiply(A, v);
    auto weighted = first;
    for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] = weights[i] * weighted[i];

    auto const matrix = this->on_device(values);
    auto const weights_there = this->on_device(weights);
    for (Tuning const& tuning : this->tunings(shape)) {
      auto const products = this->fused(this->lines(shape, matrix), this->on_device(v), tuning,
                                        Weights<T>{weights_there.data()});
      EXPECT_THAT(products.first, same_bits_as(first)) << shape;
      EXPECT_THAT(products.second, same_bits_as(reference::multiply_transposed(A, weighted)))
          << shape;
    }
  }
}

}  // namespace
}  // namespace tessera::test
