// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include <tessera/backends/backends.hpp>
#include <tessera/tuning.hpp>

#include "support/case_test.hpp"
#include "support/methods.hpp"
#include "support/tunings.hpp"

/// A tuning never changes an order.
namespace tessera::test {
namespace {

template <class C>
class Tunings : public CaseTest<C> {
 protected:
  using T = typename C::Scalar;

  void expect_no_change(std::vector<Shape> const& shapes, std::vector<Tuning> const& tunings) {
    for (Shape const& shape : shapes) {
      auto const [A, v, B] = real_problem<T>(shape, C::order, 81);
      auto const product = reference::multiply(A.for_reference(), v);
      auto const transposed_product = reference::multiply_transposed(A.for_reference(), B);
      auto const pair = reference::multiply_transposed(A.for_reference(), product);
      for (Tuning const& tuning : tunings) {
        SCOPED_TRACE(testing::PrintToString(shape) + " with " + testing::PrintToString(tuning));
        Call call{.tuning = tuning, .kept_workspace = true};
        EXPECT_THAT(this->runner().multiply(A, v, call), same_bits_as(product));
        EXPECT_THAT(this->runner().multiply_transposed(A, B, call),
                    same_bits_as(transposed_product));
        for (Method const method : all_methods) {
          call.method = method;
          EXPECT_THAT(this->runner().atax(A, v, call), same_bits_as(pair)) << name_of(method);
        }
      }
    }
  }
};
TYPED_TEST_SUITE(Tunings, Cases, CaseName);

TYPED_TEST(Tunings, ThatAreOddChangeNoBit) {
  this->expect_no_change(few_shapes(), odd_tunings());
}

TYPED_TEST(Tunings, DrawnAtRandomChangeNoBit) {
  std::vector<Tuning> tunings;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) tunings.push_back(random_tuning(seed));
  this->expect_no_change(
      {{1, 1}, {97, 513}, {513, 97}, {300, 1300}, {1300, 300}, {2500, 7}, {7, 2500}}, tunings);
}

TYPED_TEST(Tunings, ThatTheBackendChoosesForOtherShapesChangeNoBit) {
  using Backend = backends::Backend<typename TypeParam::Exec>;
  using T = typename TypeParam::Scalar;
  typename TypeParam::Exec const exec;
  std::vector<Tuning> tunings;
  for (Shape const& shape : few_shapes()) {
    for (Tuning const& tuning :
         {Backend::template row_major_tuning<T>(exec, shape.rows, shape.cols),
          Backend::template column_major_tuning<T>(exec, shape.rows, shape.cols)}) {
      if (std::ranges::find(tunings, tuning) == tunings.end()) tunings.push_back(tuning);
    }
  }
  ASSERT_GT(tunings.size(), 4U);
  this->expect_no_change({{97, 513}, {1300, 300}, {7, 2500}}, tunings);
}

}  // namespace
}  // namespace tessera::test
