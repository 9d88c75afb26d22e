// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/backends/backends.hpp>

#include "support/double_double.hpp"
#include "support/kernel_log.hpp"
#include "support/same_bits.hpp"
#include "support/whole_arithmetic.hpp"
#include "variants/gemv_runner.hpp"

/// Published matrix-vector products.
namespace tessera::test {
namespace {

using published::Reproducible;
using published::TeamShape;
using published::Tiling;
using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing::ThrowsMessage;

std::vector<Shape> variant_shapes() {
  std::vector<Shape> shapes;
  for (Index const rows : {1, 2, 7, 31, 64, 127, 129, 257}) {
    for (Index const cols : {1, 3, 8, 97, 128, 255, 513}) shapes.push_back({rows, cols});
  }
  for (Shape const shape :
       {Shape{1, 8193}, {8193, 1}, {3, 4099}, {4099, 3}, {2, 3584}, {1793, 5}, {256, 512}}) {
    shapes.push_back(shape);
  }
  return shapes;
}
std::vector<Shape> few_variant_shapes() {
  return {{1, 1}, {1, 257}, {257, 1}, {7, 129}, {129, 7}, {64, 128}, {31, 1800}, {1800, 31}};
}

template <class C>
class Gemv : public testing::Test {
 protected:
  using T = typename C::Scalar;
  static constexpr bool is_gpu = backends::Backend<typename C::Exec>::is_gpu;

  GemvRunner<T>& runner() { return *runner_; }

  static std::vector<Shape> shapes_for_teams() {
    std::vector<Shape> shapes{{1, 1}, {7, 33}, {33, 7}};
    if (Kokkos::num_threads() <= static_cast<int>(std::thread::hardware_concurrency())) {
      shapes.insert(shapes.end(), {{1, 257}, {257, 1}, {7, 129}, {129, 7}, {31, 33}});
    }
    if (is_gpu) shapes.insert(shapes.end(), {{31, 1800}, {1800, 31}, {1025, 1030}});
    return shapes;
  }
  std::vector<TeamShape> teams() const {
    int const most = runner_->most_threads();
    std::vector<TeamShape> teams;
    for (TeamShape const team :
         {TeamShape{1, 1}, {2, 1},    {1, 2},    {3, 1},   {1, 3},   {2, 3},    {3, 2},
          {5, 1},          {1, 7},    {7, 1},    {1, 32},  {32, 1},  {33, 1},   {1, 33},
          {8, 4},          {7, 9},    {128, 1},  {1, 128}, {32, 32}, {1, 768},  {1, 999},
          {1023, 1},       {1, 1024}, {1024, 1}, {256, 2}, {2, 512}, {1, most}, {most, 1}}) {
      if (team.threads() <= most) teams.push_back(team);
    }
    return teams;
  }

  static std::vector<T> const& input(GemvVariant const& variant, Problem<T> const& problem) {
    return variant.transposed ? problem.B : problem.v;
  }
  static std::vector<T> whole_result(GemvVariant const& variant, Problem<T> const& problem) {
    return variant.transposed ? whole::multiply_transposed(problem.A, problem.B)
                              : whole::multiply(problem.A, problem.v);
  }
  std::vector<T> run(std::size_t i, Problem<T> const& problem, GemvCall const& call = {}) {
    return runner().run(i, problem.A, input(runner().table()[i], problem), call);
  }
  template <class Visit>
  void for_each_variant(Visit const& visit) {
    auto const& table = runner().table();
    for (std::size_t i = 0; i < table.size(); ++i) {
      SCOPED_TRACE(testing::Message() << table[i]);
      visit(i, table[i]);
    }
  }
  auto refuses(std::string const& what) {
    return ThrowsMessage<std::invalid_argument>(
        AllOf(StartsWith("tessera::published::gemv::"), HasSubstr(what)));
  }

 private:
  std::unique_ptr<GemvRunner<T>> runner_ = make_gemv_runner<T>(case_name<C>());
};
TYPED_TEST_SUITE(Gemv, Cases, CaseName);

TYPED_TEST(Gemv, TableHasEveryVariantThatTakesTheLayout) {
  std::multiset<std::string> names;
  this->for_each_variant([&](std::size_t, GemvVariant const& variant) {
    names.insert(variant.name + (variant.transposed ? " transposed" : ""));
    bool const has_atomics = variant.name == "atomic" || variant.name == "team-atomic";
    EXPECT_EQ(variant.reproducible == Reproducible::no, has_atomics);
  });
  std::multiset<std::string> expected{"ex3",    "ex3 transposed", "repeated-reduction",
                                      "atomic", "team-atomic",    "grid-sync"};
  if (TypeParam::order == Order::column_major) {
    expected.insert({"column-tile-static", "column-tile-dynamic"});
  }
  EXPECT_EQ(names, expected);
}

TYPED_TEST(Gemv, IsExactOnWholeNumbersOfEveryShape) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : variant_shapes()) {
    auto const problem = whole_problem<T>(shape, TypeParam::order, 81);
    this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
      EXPECT_THAT(this->run(i, problem), same_bits_as(this->whole_result(variant, problem)))
          << shape;
    });
  }
}

TYPED_TEST(Gemv, IsExactForEveryTeamThatItTakes) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : TestFixture::shapes_for_teams()) {
    auto const problem = whole_problem<T>(shape, TypeParam::order, 82);
    this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
      auto const expected = this->whole_result(variant, problem);
      for (TeamShape const team : this->teams()) {
        GemvCall const call{.team = team, .kept_workspace = true};
        if (variant.one_column_of_threads && team.cols != 1) {
          EXPECT_FALSE(this->runner().takes(i, team)) << call;
          EXPECT_THAT([&] { this->run(i, problem, call); }, this->refuses("a team must be R x 1"))
              << call;
        } else {
          EXPECT_TRUE(this->runner().takes(i, team)) << call;
          EXPECT_THAT(this->run(i, problem, call), same_bits_as(expected)) << shape << ", " << call;
        }
      }
    });
  }
}

TYPED_TEST(Gemv, IsExactForEveryNumberOfTeams) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : few_variant_shapes()) {
    auto const problem = whole_problem<T>(shape, TypeParam::order, 83);
    this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
      auto const expected = this->whole_result(variant, problem);
      for (Index const teams : {1, 2, 5, 12}) {
        if (variant.name == "grid-sync" && !this->is_gpu && teams > 1) continue;
        GemvCall const call{.teams = teams};
        EXPECT_THAT(this->run(i, problem, call), same_bits_as(expected)) << shape << ", " << call;
      }
    });
  }
}

TYPED_TEST(Gemv, IsExactForEveryTileAndTiling) {
  using T = typename TypeParam::Scalar;
  std::vector<Shape> shapes = few_variant_shapes();
  shapes.push_back({1024, 512});  // exact for every compiled tile
  shapes.push_back({1023, 1536});
  for (Shape const& shape : shapes) {
    auto const problem = whole_problem<T>(shape, TypeParam::order, 84);
    this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
      if (!variant.has_tile) return;
      auto const expected = this->whole_result(variant, problem);
      std::vector<Index> const tiles = variant.name == "column-tile-static"
                                           ? std::vector<Index>{32, 128, 512}
                                           : std::vector<Index>{1, 3, 32, 127, 512, 2000};
      for (Index const tile : tiles) {
        GemvCall call{.tile = tile};
        EXPECT_THAT(this->run(i, problem, call), same_bits_as(expected)) << shape << ", " << call;
        if (!variant.has_tiling) continue;
        call.tiling = Tiling::inexact;
        EXPECT_THAT(this->run(i, problem, call), same_bits_as(expected)) << shape << ", " << call;
        call.tiling = Tiling::exact;
        if (shape.rows % variant.default_team.rows == 0 && shape.cols % tile == 0) {
          EXPECT_THAT(this->run(i, problem, call), same_bits_as(expected))
              << shape << ", exact, " << call;
        } else {
          EXPECT_THAT([&] { this->run(i, problem, call); },
                      this->refuses("exact tiling needs rows that are a multiple of"))
              << shape << ", " << call;
        }
      }
    });
  }
}

TYPED_TEST(Gemv, TakesPaddedMatricesAndVectorsOfAnyStride) {
  using T = typename TypeParam::Scalar;
  for (Margin const margin : {Margin{0, 0, 1}, Margin{1, 3, 0}, Margin{2, 1, 64}}) {
    for (Shape const& shape : few_variant_shapes()) {
      auto const problem = whole_problem<T>(shape, TypeParam::order, 85, margin);
      this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
        auto const expected = this->whole_result(variant, problem);
        for (Index const stride : {1, 2, 7}) {
          GemvCall const call{.vector_stride = stride};
          EXPECT_THAT(this->run(i, problem, call), same_bits_as(expected))
              << shape << ", " << problem.A.leading() << " between lines, " << call;
        }
      });
    }
  }
}

template <class T>
double gamma(Index roundings) {
  double const ku =
      static_cast<double>(roundings) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  return ku / (1 - ku);
}

TYPED_TEST(Gemv, IsWithinTheBoundOfAnyOrderOfSummation) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : few_variant_shapes()) {
    auto const problem = real_problem<T>(shape, TypeParam::order, 86);
    this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
      auto const truth =
          true_product(problem.A, exactly(this->input(variant, problem)), variant.transposed);
      // n products in any order: a rounding and at most n - 1 additions each; adding +0 is exact.
      Index const terms = variant.transposed ? shape.rows : shape.cols;
      double const factor = gamma<T>(terms) + std::ldexp(1.0, -80);
      auto const found = this->run(i, problem);
      ASSERT_EQ(found.size(), truth.value.size());
      for (std::size_t j = 0; j < found.size(); ++j) {
        double const error = std::abs(truth.value[j].error_of(static_cast<double>(found[j])));
        ASSERT_LE(error, factor * truth.magnitude[j]) << shape << ", element " << j;
      }
    });
  }
}

TYPED_TEST(Gemv, ReproducibleVariantsGiveTheSameBitsAgain) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : few_variant_shapes()) {
    auto const problem = real_problem<T>(shape, TypeParam::order, 87);
    this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
      if (variant.reproducible == Reproducible::no) return;
      auto const first = this->run(i, problem);
      EXPECT_THAT(this->run(i, problem), same_bits_as(first)) << shape;
      EXPECT_THAT(this->run(i, problem, {.kept_workspace = true, .own_instance = true}),
                  same_bits_as(first))
          << shape;
      if (variant.reproducible != Reproducible::always) return;
      for (TeamShape const team : this->teams()) {
        if (!this->runner().takes(i, team)) continue;
        EXPECT_THAT(this->run(i, problem, {.team = team, .teams = 1}), same_bits_as(first))
            << shape << ", " << team.rows << " x " << team.cols;
      }
    });
  }
}

template <class T>
T halved(std::vector<T> x) {
  while (x.size() > 1) {
    std::size_t const half = (x.size() + 1) / 2;
    for (std::size_t k = half; k < x.size(); ++k) x[k - half] += x[k];
    x.resize(half);
  }
  return x[0] + T(0);
}

TYPED_TEST(Gemv, ReproducibleVariantsAddInTheOrderThatTheyDocument) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : few_variant_shapes()) {
    auto const problem = real_problem<T>(shape, TypeParam::order, 88);
    std::vector<T> by_halving;
    std::vector<T> by_chain;
    for (Index i = 0; i < shape.rows; ++i) {
      std::vector<T> products;
      T chain = 0;
      for (Index j = 0; j < shape.cols; ++j) {
        T const a =
            TypeParam::order == Order::row_major ? problem.A.line(i)[j] : problem.A.line(j)[i];
        T const x = problem.v[static_cast<std::size_t>(j)];
        products.push_back(a * x);
        chain = std::fma(a, x, chain);
      }
      by_halving.push_back(halved(products));
      by_chain.push_back(chain);
    }
    this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
      if (variant.reproducible != Reproducible::always) return;
      EXPECT_THAT(this->run(i, problem), same_bits_as(variant.has_tile ? by_chain : by_halving))
          << shape;
    });
  }
}

TYPED_TEST(Gemv, RefusesTeamsThatNobodyCanGive) {
  using T = typename TypeParam::Scalar;
  auto const problem = whole_problem<T>({5, 6}, TypeParam::order, 89);
  int const most = this->runner().most_threads();
  this->for_each_variant([&](std::size_t i, GemvVariant const&) {
    for (TeamShape const team :
         {TeamShape{0, 1}, TeamShape{1, 0}, TeamShape{-1, -1}, TeamShape{-2, 4}}) {
      EXPECT_FALSE(this->runner().takes(i, team));
      EXPECT_THAT([&] { this->run(i, problem, {.team = team}); },
                  this->refuses("a team must have at least one row and one column of threads"));
    }
    for (TeamShape const team :
         {TeamShape{most + 1, 1}, TeamShape{1, most + 1}, TeamShape{1 << 16, 1 << 16}}) {
      EXPECT_FALSE(this->runner().takes(i, team));
      EXPECT_THAT([&] { this->run(i, problem, {.team = team}); },
                  this->refuses("has at most " + std::to_string(most) + " for a team"));
    }
    EXPECT_THAT([&] { this->run(i, problem, {.teams = -1}); }, this->refuses("teams must be"));
    EXPECT_THAT([&] { this->run(i, problem, {.teams = Index{1} << 40}); },
                this->refuses("teams must be"));
  });
}

TYPED_TEST(Gemv, RefusesTilesThatItDoesNotHave) {
  using T = typename TypeParam::Scalar;
  auto const problem = whole_problem<T>({5, 6}, TypeParam::order, 90);
  this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
    auto const refuses = [&](GemvCall const& call, std::string const& what) {
      EXPECT_THAT([&] { this->run(i, problem, call); }, this->refuses(what));
    };
    if (!variant.has_tile) {
      refuses({.tile = 128}, "has no tile");
      refuses({.tiling = Tiling::inexact}, "has no tile");
      return;
    }
    if (!variant.has_tiling) refuses({.tiling = Tiling::exact}, "leave tiling alone");
    if (variant.name == "column-tile-static") {
      refuses({.tile = 64}, "tiles of 32, 128 and 512 columns were compiled, found 64");
      refuses({.tile = -1}, "found -1");
    } else {
      refuses({.tile = -1}, "found -1");
      refuses({.tile = Index{1} << 40}, "found 1099511627776");
      if (variant.has_tiling) refuses({.tile = 1 << 20}, "bytes of scratch, and a team has");
    }
  });
}

TYPED_TEST(Gemv, GridSyncRefusesMoreTeamsThanCanWaitForEachOther) {
  using T = typename TypeParam::Scalar;
  auto const problem = whole_problem<T>({5, 6}, TypeParam::order, 91);
  this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
    if (variant.name != "grid-sync") return;
    EXPECT_THAT([&] { this->run(i, problem, {.teams = this->is_gpu ? 1 << 20 : 2}); },
                this->refuses("cannot wait for each other"));
  });
}

TYPED_TEST(Gemv, RefusesVectorsThatDoNotFit) {
  Shape const shape{5, 6};
  this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
    bool const t = variant.transposed;
    auto const run = [&](Index input_size, Index output_size) {
      this->runner().run_on_zeros(i, shape, input_size, output_size, false);
    };
    EXPECT_NO_THROW(run(t ? 5 : 6, t ? 6 : 5));
    EXPECT_THAT([&] { run(7, t ? 6 : 5); }, this->refuses(t ? "B must have 5 entries, found 7"
                                                            : "v must have 6 entries, found 7"));
    EXPECT_THAT([&] { run(t ? 5 : 6, 4); }, this->refuses(t ? "C must have 6 entries, found 4"
                                                            : "B must have 5 entries, found 4"));
  });
}

TYPED_TEST(Gemv, RefusesAnOutputThatOverlapsTheInput) {
  this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
    EXPECT_THAT(
        [&] { this->runner().run_on_zeros(i, {5, 5}, 5, 5, true); },
        this->refuses(variant.transposed ? "C must not overlap B" : "B must not overlap v"));
  });
}

TYPED_TEST(Gemv, RefusesAMatrixWithoutElements) {
  for (Shape const& shape : {Shape{0, 5}, Shape{3, 0}, Shape{0, 0}}) {
    this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
      Index const input_size = variant.transposed ? shape.rows : shape.cols;
      Index const output_size = variant.transposed ? shape.cols : shape.rows;
      EXPECT_THAT([&] { this->runner().run_on_zeros(i, shape, input_size, output_size, false); },
                  this->refuses("A must have at least one row and one column"));
    });
  }
}

TYPED_TEST(Gemv, EnqueuesOnTheInstanceWithoutAFenceOrAnAllocation) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : {Shape{300, 200}, Shape{3, 5000}}) {
    auto const problem = whole_problem<T>(shape, TypeParam::order, 93);
    this->for_each_variant([&](std::size_t i, GemvVariant const& variant) {
      for (bool const own_instance : {false, true}) {
        for (Index const stride : {1, 3}) {
          GemvCall call{
              .vector_stride = stride, .kept_workspace = true, .own_instance = own_instance};
          this->run(i, problem, call);  // grows the kept workspace
          KernelLog log;
          call.observer = &log;
          EXPECT_THAT(this->run(i, problem, call),
                      same_bits_as(this->whole_result(variant, problem)));
          EXPECT_THAT(log.parallel_for, Not(IsEmpty()));
          EXPECT_THAT(log.parallel_for, Each(Field(&KernelLog::Kernel::label,
                                                   StartsWith("tessera::published::gemv::"))));
          EXPECT_THAT(log.parallel_for, Each(Field(&KernelLog::Kernel::device, log.device())));
          EXPECT_THAT(log.reductions_and_scans, IsEmpty());
          EXPECT_THAT(log.fences, IsEmpty());
          EXPECT_THAT(log.deep_copies, IsEmpty());
          // Kokkos grows its team scratch at first use.
          EXPECT_THAT(log.own_allocations(this->is_gpu), IsEmpty());
          if (variant.name == "grid-sync") {
            EXPECT_EQ(log.parallel_for.size(), 1U);
          }
          if (variant.name == "repeated-reduction") {
            EXPECT_EQ(log.parallel_for.size(), shape.cols == 200 ? 8U + 2U : 13U + 2U);
          }
        }
      }
    });
  }
}

}  // namespace
}  // namespace tessera::test
