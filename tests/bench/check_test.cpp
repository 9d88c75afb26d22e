// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/check.hpp>
#include <bench/table.hpp>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace tessera::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

enum class Fault {
  none,
  other_order,  ///< adds from the end: correct, with other bits
  last_missing,
  one_unwritten,
  float_products,  ///< rounds its input to few bits
};

template <class T>
struct MultiplyPlainly {
  T const* A;
  std::int64_t leading;
  T const* v;
  T* B;
  std::int64_t n;
  bool is_coarse;

  KOKKOS_FUNCTION void operator()(int i) const {
    T sum = 0;
    for (std::int64_t j = n - 1; j >= 0; --j) {
      T const exact = A[i * leading + j];
      T const a = is_coarse ? static_cast<T>(static_cast<int>(exact * 8)) / T(8) : exact;
      sum += a * v[j];
    }
    B[i] = sum;
  }
};

template <class Exec, class T>
void multiply_plainly(Problem<Exec, T> const& p, Fault fault) {
  std::int64_t const n = p.shape.cols - (fault == Fault::last_missing ? 1 : 0);
  std::int64_t const rows = p.shape.rows - (fault == Fault::one_unwritten ? 1 : 0);
  auto const A = p.template matrix<Kokkos::LayoutRight>(0);
  Kokkos::parallel_for(
      "bench_test::multiply", Kokkos::RangePolicy<Exec>(p.exec, 0, rows),
      MultiplyPlainly<T>{A.data(), static_cast<std::int64_t>(A.stride(0)), p.v.data(), p.B.data(),
                         n, fault == Fault::float_products});
}

template <class Exec, class T>
Contender<Exec, T> with_fault(Fault fault, bool says_our_bits = false) {
  Contender<Exec, T> contender;
  contender.operation = "multiply";
  contender.name = "of the test";
  contender.has_our_bits = says_our_bits;
  contender.prepare = [fault](Problem<Exec, T> const& p, Launch const&) -> Work {
    return [fault, &p](int) { multiply_plainly(p, fault); };
  };
  return contender;
}

template <class Exec, class T>
Contender<Exec, T> const& ours(std::string const& operation) {
  for (auto const& contender : contenders<Exec, T>()) {
    if (contender.operation == operation && contender.kind == Kind::ours) return contender;
  }
  throw std::logic_error("no row of ours");
}

template <class Exec, class T>
struct Outcome {
  std::vector<Verdict> verdicts;

  Outcome(Shape const& shape, std::string const& operation,
          std::vector<Contender<Exec, T>> const& all) {
    auto const problem = std::make_shared<Problem<Exec, T> const>(shape, 1);
    std::vector<Runner<Exec, T>> runners;
    for (auto const& each : all) runners.emplace_back(problem, each, Launch{}, 1e-6);
    verdicts = Checker<Exec, T>(problem, ours<Exec, T>(operation)).check(pointers_to(runners));
  }
};

// Named: nvcc loses braced initialisers in generic lambdas.
constexpr Shape padded_shape = {.rows = 33, .cols = 1000, .padding = 1};
constexpr Shape small_shape = {.rows = 3, .cols = 4};
constexpr Shape long_shape = {.rows = 1, .cols = std::int64_t{1} << 23};
constexpr Shape transposed_shape = {.rows = 20, .cols = 31, .padding = 5};
constexpr Layout layouts[] = {Layout::row_major, Layout::column_major};
constexpr Shape shapes[] = {
    {.rows = 37, .cols = 150, .padding = 3}, {.rows = 128, .cols = 64}, {.rows = 1, .cols = 1}};

TEST(BenchCheck, RightResultsPassAndWrongOnesAreFound) {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    SCOPED_TRACE(std::string(Exec::name()) + (sizeof(T) == 4 ? " float" : " double"));
    Outcome<Exec, T> const outcome(
        padded_shape, "multiply",
        {with_fault<Exec, T>(Fault::other_order), with_fault<Exec, T>(Fault::last_missing),
         with_fault<Exec, T>(Fault::one_unwritten), with_fault<Exec, T>(Fault::float_products),
         with_fault<Exec, T>(Fault::other_order, true), ours<Exec, T>("multiply")});
    for (auto const& verdict : outcome.verdicts) EXPECT_EQ(verdict.why_not, "");
    auto const& verdicts = outcome.verdicts;
    EXPECT_EQ(verdicts[0].text, "in bounds");
    EXPECT_FALSE(verdicts[0].wrong);
    EXPECT_TRUE(verdicts[1].wrong);
    EXPECT_THAT(verdicts[1].text, StartsWith("WRONG: whole numbers: "));
    EXPECT_TRUE(verdicts[2].wrong);
    EXPECT_THAT(verdicts[2].text, HasSubstr("1 of 33 elements differ; number 32 is nan"));
    EXPECT_TRUE(verdicts[3].wrong);
    EXPECT_THAT(verdicts[3].text, StartsWith("WRONG: "));
    EXPECT_THAT(verdicts[3].text, ::testing::Not(HasSubstr("whole")));
    EXPECT_TRUE(verdicts[4].wrong) << "it says that it has our bits, and has others";
    EXPECT_EQ(verdicts[5].text, "equal bits");
    EXPECT_FALSE(verdicts[5].wrong);
  });
}

TEST(BenchCheck, BothOfTwoResultsAreJudged) {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    auto const right = ours<Exec, T>("multiply_both");
    auto one = right;
    one.prepare = ours<Exec, T>("multiply").prepare;
    auto other = right;
    other.prepare = ours<Exec, T>("multiply_transposed").prepare;
    Outcome<Exec, T> const outcome(padded_shape, "multiply_both", {right, one, other});
    EXPECT_EQ(outcome.verdicts[0].text, "equal bits");
    EXPECT_THAT(outcome.verdicts[1].text,
                HasSubstr("1000 of 1033 elements differ; number 33 is nan"));
    EXPECT_THAT(outcome.verdicts[2].text, HasSubstr("33 of 1033 elements differ; number 0 is nan"));
  });
}

TEST(BenchCheck, ALogisticGradientIsJudgedWithinItsBound) {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    auto const right = ours<Exec, T>("logistic");
    auto plain = right;
    plain.has_our_bits = false;
    plain.prepare = ours<Exec, T>("atax").prepare;
    auto other = right;
    other.has_our_bits = false;
    Outcome<Exec, T> const outcome(padded_shape, "logistic", {right, plain, other});
    EXPECT_EQ(outcome.verdicts[0].text, "equal bits");
    EXPECT_THAT(outcome.verdicts[1].text, StartsWith("WRONG: "));
    EXPECT_EQ(outcome.verdicts[2].text, "in bounds");
  });
}

TEST(BenchCheck, WhereNoBoundHoldsTheVerdictSaysThatWholeNumbersJudged) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Outcome<Exec, float> const outcome(
      long_shape, "multiply",
      {with_fault<Exec, float>(Fault::other_order), with_fault<Exec, float>(Fault::one_unwritten),
       ours<Exec, float>("multiply")});
  EXPECT_EQ(outcome.verdicts[0].text, "equal on whole numbers alone");
  EXPECT_FALSE(outcome.verdicts[0].wrong);
  EXPECT_THAT(outcome.verdicts[1].text, StartsWith("WRONG: whole numbers: "));
  EXPECT_EQ(outcome.verdicts[2].text, "equal bits");
}

TEST(BenchCheck, WhereNoBoundHoldsZerosAreStillEqual) {
  float const found[] = {0, -0.0F, 1, 7}, expected[] = {0, 0, 0, 8}, magnitudes[] = {0, 0, 0, 1};
  Comparison<float> const comparison{{found, 1, 4, 4, 1},
                                     {expected, 1, 4, 4, 1},
                                     magnitudes,
                                     std::numeric_limits<double>::infinity()};
  EXPECT_FALSE(comparison.differs(0));
  EXPECT_FALSE(comparison.differs(1));
  EXPECT_TRUE(comparison.differs(2));
  EXPECT_FALSE(comparison.differs(3));
}

TEST(BenchCheck, NothingPassesWhereThereIsNothingToCompareWith) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  auto const problem = std::make_shared<Problem<Exec, float> const>(small_shape, 1);
  std::vector<Runner<Exec, float>*> const none;
  EXPECT_THAT([&] { check(problem, "transpose", Layout::column_major, none); },
              ThrowsMessage<std::invalid_argument>(
                  "nothing of ours computes transpose in this layout: there is nothing to compare "
                  "with"));
}

TEST(BenchCheck, AContenderThatThrowsIsNoVerdict) {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    auto refusing = with_fault<Exec, T>(Fault::none);
    refusing.prepare = [](Problem<Exec, T> const&, Launch const&) -> Work {
      throw std::invalid_argument("not with this team");
    };
    Outcome<Exec, T> const outcome(small_shape, "multiply",
                                   {refusing, with_fault<Exec, T>(Fault::none)});
    EXPECT_EQ(outcome.verdicts[0].why_not, "not with this team");
    EXPECT_FALSE(outcome.verdicts[0].wrong);
    EXPECT_EQ(outcome.verdicts[1].why_not, "");
    EXPECT_EQ(outcome.verdicts[1].text, "in bounds");
  });
}

TEST(BenchCheck, ATransposeThatOnlyCopiesIsWrongAndACopyIsNot) {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    for (auto const& contender : contenders<Exec, T>()) {
      if (contender.name != "copy-row") continue;
      auto pretender = contender;
      pretender.is_copy = false;
      Outcome<Exec, T> const outcome(transposed_shape, "transpose",
                                     {contender, pretender, ours<Exec, T>("transpose")});
      EXPECT_EQ(outcome.verdicts[0].text, "equal bits");
      EXPECT_TRUE(outcome.verdicts[1].wrong);
      EXPECT_EQ(outcome.verdicts[2].text, "equal bits");
    }
  });
}

TEST(BenchCheck, EveryRowOfTheTableIsRight) {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    for (auto const& operation : operations()) {
      for (auto const layout : layouts) {
        std::vector<Contender<Exec, T>> all;
        bool has_ours = false;
        for (auto const& contender : contenders<Exec, T>()) {
          if (contender.operation != operation.name || contender.layout != layout) continue;
          has_ours = has_ours || contender.kind == Kind::ours;
          all.push_back(contender);
        }
        if (!has_ours) continue;
        for (Shape shape : shapes) {
          if (operation.shapes == ShapeKind::product) {
            shape.padding = 0;
            shape.factor_cols = 45;
          }
          auto const problem = std::make_shared<Problem<Exec, T> const>(shape, 2);
          std::vector<Runner<Exec, T>> runners;
          for (auto const& each : all) runners.emplace_back(problem, each, Launch{}, 1e-6);
          auto const verdicts = check(problem, operation.name, layout, pointers_to(runners));
          for (std::size_t k = 0; k < all.size(); ++k) {
            if (all[k].name.ends_with(" exact") && !verdicts[k].why_not.empty()) {
              EXPECT_THAT(verdicts[k].why_not,
                          testing::HasSubstr("exact tiling needs rows that are"));
              continue;
            }
            EXPECT_EQ(verdicts[k].why_not, "") << operation.name << " " << full_name(all[k]);
            EXPECT_FALSE(verdicts[k].wrong)
                << operation.name << " " << full_name(all[k]) << ": " << verdicts[k].text;
            EXPECT_NE(verdicts[k].text, "");
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace tessera::bench
