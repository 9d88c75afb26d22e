// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/shapes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/kernels/portable.hpp>

#include "kernels/weights.hpp"
#include "support/data.hpp"
#include "support/reference.hpp"
#include "support/same_bits.hpp"

/// Portable kernels in every machine's shape.
namespace tessera::test {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

template <class Scalar, class KernelShape>
struct Made {
  using T = Scalar;
  using Shape = KernelShape;
};

template <class Case>
class Shapes : public testing::Test {
 protected:
  using T = typename Case::T;
  using Shape = typename Case::Shape;

  int const threads = static_cast<int>(std::min(Exec().concurrency(), 4));

  struct Problem {
    std::vector<T> values;
    std::vector<T> x;
    std::vector<T> weights;  // per line, or per element of a line
    tessera::detail::Lines<T> lines;

    Problem(Index count, Index length)
        : values(size(count * leading_for(length))),
          x(size(length)),
          weights(size(std::max(count, length))),
          lines{values.data(), count, length, leading_for(length)} {
      fill(values, 1);
      fill(x, 2);
      fill(weights, 3);
    }
    static Index leading_for(Index length) { return (length + 15) / 8 * 8; }
    static std::size_t size(Index n) { return static_cast<std::size_t>(n); }
    static void fill(std::vector<T>& values, std::uint64_t seed) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<T>(random_bits(seed, i) >> 40) / T(1 << 23) - T(1);
      }
    }
    [[nodiscard]] reference::Lines<T> for_reference() const {
      return {lines.data, lines.count, lines.length, lines.leading};
    }
    [[nodiscard]] std::vector<T> times_weights(std::vector<T> values_to_weigh) const {
      for (std::size_t i = 0; i < values_to_weigh.size(); ++i) values_to_weigh[i] *= weights[i];
      return values_to_weigh;
    }
  };

  template <class Check>
  void for_each_problem(Check const& check) const {
    int n = 0;
    for (Index const count : {1, 2, 3, 8, 9, 21, 100}) {
      for (Index const length : {1, 3, 4, 64, 100, 256, 260, 511, 512, 768, 1000, 5000}) {
        bool const whole = length % Shape::width == 0;
        bool const fits = kernels::Items<T, Shape>::of(length) <= Shape::kept * threads;
        if (some_are_enough() && n++ % 5 != 0) continue;
        if (Shape::kept == 0 || (whole && fits)) check(Problem(count, length));
      }
    }
  }
  template <class Kernel>
  void run(Index teams, Kernel const& kernel) const {
    kernels::run_teams<T, Shape::max_threads>(Exec(), "test", teams, threads, kernel);
  }
  static std::vector<T> workspace(Index groups, Index levels, Index length) {
    return std::vector<T>(Problem::size(groups * levels * length));
  }
  static std::vector<T> combined(kernels::Stacks<T> const& stacks, Index groups) {
    std::vector<T> out(Problem::size(stacks.length));
    kernels::combine(Exec(), "test", stacks, groups,
                     tessera::detail::OutputVector<T>{out.data(), 1});
    Exec().fence();
    return out;
  }
};

template <class T>
inline constexpr int word = 16 / sizeof(T);
using AllShapes = testing::Types<Made<float, kernels::OfOneThread<float>>,
                                 Made<double, kernels::Shape<word<double>, 32, 1, 512>>,
                                 Made<float, kernels::Shape<1, 64, 3, 512>>,
                                 Made<double, kernels::Shape<word<double>, 0, 2, 512>>
#ifndef TESSERA_TEST_SOME_CASES
                                 ,
                                 Made<double, kernels::OfOneThread<double>>,
                                 Made<float, kernels::Shape<word<float>, 16, 2, 512>>,
                                 Made<double, kernels::Shape<1, 32, 4, 512>>,
                                 Made<float, kernels::Shape<1, 0, 1, 512>>
#endif
                                 >;
TYPED_TEST_SUITE(Shapes, AllShapes);

TYPED_TEST(Shapes, OfDotHaveTheBitsOfTheReference) {
  using T = typename TypeParam::T;
  using Shape = typename TypeParam::Shape;
  this->for_each_problem([&](auto const& p) {
    std::vector<T> out(static_cast<std::size_t>(p.lines.count));
    for (Index const lines_of_team : {1, 5}) {
      this->run(summation::ceil_div(p.lines.count, lines_of_team),
                kernels::Dot<T, Shape>{p.lines,
                                       p.x.data(),
                                       {out.data(), 1},
                                       lines_of_team,
                                       1,
                                       p.lines.length,
                                       kernels::chunk_of<T, Shape>(p.lines.length)});
      Exec().fence();
      EXPECT_THAT(out, same_bits_as(reference::dot(p.for_reference(), p.x)))
          << p.lines.count << " lines of " << p.lines.length;
    }
  });
}

TYPED_TEST(Shapes, OfSumHaveTheBitsOfTheReference) {
  using T = typename TypeParam::T;
  using Shape = typename TypeParam::Shape;
  this->for_each_problem([&](auto const& p) {
    std::vector<T> y(p.weights.begin(), p.weights.begin() + p.lines.count);
    auto const panels = p.lines.panels();
    for (Index const of_team : {1, 4}) {
      Index const groups = summation::ceil_div(panels.count, of_team);
      auto memory = this->workspace(groups, 3, p.lines.length);
      kernels::Stacks<T> const stacks{memory.data(), 3, p.lines.length};
      this->run(groups, kernels::Sum<T, Shape>{p.lines, y.data(), stacks, panels, of_team,
                                               p.lines.length, 1});
      EXPECT_THAT(this->combined(stacks, groups),
                  same_bits_as(reference::sum(p.for_reference(), y)))
          << p.lines.count << " lines of " << p.lines.length;
    }
  });
}

TYPED_TEST(Shapes, OfFusedRowsHaveTheBitsOfTheReferenceWithWeightsBetweenTheProducts) {
  using T = typename TypeParam::T;
  using Shape = typename TypeParam::Shape;
  this->for_each_problem([&](auto const& p) {
    auto const panels = p.lines.panels();
    std::vector<T> y(static_cast<std::size_t>(p.lines.count));
    auto const product = reference::dot(p.for_reference(), p.x);
    for (Index const of_team : {1, 4}) {
      Index const groups = summation::ceil_div(panels.count, of_team);
      auto memory = this->workspace(groups, 3, p.lines.length);
      kernels::Stacks<T> const stacks{memory.data(), 3, p.lines.length};
      this->run(groups, kernels::FusedRows<T, Shape, Weights<T>>{
                            p.lines,
                            p.x.data(),
                            {y.data(), 1},
                            stacks,
                            panels,
                            of_team,
                            kernels::chunk_of<T, Shape>(p.lines.length),
                            {p.weights.data()}});
      EXPECT_THAT(this->combined(stacks, groups),
                  same_bits_as(reference::sum(p.for_reference(), p.times_weights(product))))
          << p.lines.count << " lines of " << p.lines.length;
      EXPECT_THAT(y, same_bits_as(product)) << p.lines.count << " lines of " << p.lines.length;
    }
  });
}

TYPED_TEST(Shapes, OfFusedColumnsHaveTheBitsOfTheReferenceWithWeightsBetweenTheProducts) {
  using T = typename TypeParam::T;
  using Shape = typename TypeParam::Shape;
  this->for_each_problem([&](auto const& p) {
    auto const panels = p.lines.panels();
    Index const width = summation::segment<T>;
    Index const tiles = summation::ceil_div(p.lines.length, width);
    std::vector<T> x(p.weights.begin(), p.weights.begin() + p.lines.count);
    std::vector<T> y(static_cast<std::size_t>(p.lines.length));
    auto const product = reference::sum(p.for_reference(), x);
    for (Index const of_team : {1, 4}) {
      Index const groups = summation::ceil_div(tiles, of_team);
      Index const levels = kernels::Stacks<T>::levels_for(panels.count);
      auto memory = this->workspace(groups, 3, p.lines.count);
      auto parts = this->workspace(groups, levels, width);
      kernels::Stacks<T> const stacks{memory.data(), 3, p.lines.count};
      this->run(groups, kernels::FusedColumns<T, Shape, Weights<T>>{p.lines,
                                                                    x.data(),
                                                                    {y.data(), 1},
                                                                    stacks,
                                                                    {parts.data(), levels, width},
                                                                    panels,
                                                                    width,
                                                                    tiles,
                                                                    of_team,
                                                                    {p.weights.data()}});
      EXPECT_THAT(this->combined(stacks, groups),
                  same_bits_as(reference::dot(p.for_reference(), p.times_weights(product))))
          << p.lines.count << " lines of " << p.lines.length;
      EXPECT_THAT(y, same_bits_as(product)) << p.lines.count << " lines of " << p.lines.length;
    }
  });
}

}  // namespace
}  // namespace tessera::test
