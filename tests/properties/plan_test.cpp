// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <stdexcept>
#include <vector>

#include <tessera/plan.hpp>

#include "support/case_test.hpp"
#include "support/methods.hpp"

/// Plans predict the kernels of calls.
namespace tessera::test {
namespace {

using testing::ElementsAre;
using testing::Field;

template <class C>
class Plans : public CaseTest<C> {
 protected:
  using T = typename C::Scalar;
  using Layout = typename C::Layout;
  typename C::Exec exec_{};

  Plan multiply(Shape const& s) const {
    return plan_multiply<T, Layout>(exec_, s.rows, s.cols, {.kernels = kernels_under_test()});
  }
  Plan multiply_transposed(Shape const& s) const {
    return plan_multiply_transposed<T, Layout>(exec_, s.rows, s.cols,
                                               {.kernels = kernels_under_test()});
  }
  Plan atax(Shape const& s, Method method) const {
    return plan_atax<T, Layout>(exec_, s.rows, s.cols,
                                {.method = method, .kernels = kernels_under_test()});
  }
};
TYPED_TEST_SUITE(Plans, Cases, CaseName);

TYPED_TEST(Plans, TellTheWorkspaceThatACallTakes) {
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : few_shapes()) {
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 96);
    Call call{.kept_workspace = true};

    auto runner = make_runner_of<TypeParam>();
    runner->multiply(A, v, call);
    EXPECT_EQ(runner->workspace_bytes(), this->multiply(shape).workspace_bytes) << shape;

    runner = make_runner_of<TypeParam>();
    runner->multiply_transposed(A, B, call);
    EXPECT_EQ(runner->workspace_bytes(), this->multiply_transposed(shape).workspace_bytes) << shape;

    for (Method const method : all_methods) {
      call.method = method;
      runner = make_runner_of<TypeParam>();
      runner->atax(A, v, call);
      EXPECT_EQ(runner->workspace_bytes(), this->atax(shape, method).workspace_bytes)
          << shape << ", " << name_of(method);
    }
  }
}

TYPED_TEST(Plans, NameTheirStagesAndPanels) {
  Shape const shape{3000, 200};
  auto const name = [](char const* expected) { return Field(&StagePlan::name, expected); };
  EXPECT_THAT(this->multiply(shape).stages, ElementsAre(name("multiply")));
  EXPECT_THAT(this->multiply_transposed(shape).stages, ElementsAre(name("multiply_transposed")));
  EXPECT_THAT(this->atax(shape, Method::fused).stages, ElementsAre(name("fused")));
  EXPECT_THAT(this->atax(shape, Method::two_stage).stages,
              ElementsAre(name("multiply"), name("multiply_transposed")));

  bool const row_major = TestFixture::order == Order::row_major;
  reference::Index const count = row_major ? shape.rows : shape.cols;
  reference::Index const length = row_major ? shape.cols : shape.rows;
  for (Method const method : {Method::fused, Method::two_stage}) {
    StagePlan const sum = row_major ? this->atax(shape, method).stages.back()
                                    : this->atax(shape, method).stages.front();
    EXPECT_EQ(sum.panels, reference::panel_count(count, length)) << name_of(method);
    EXPECT_EQ(sum.lines_per_panel, reference::panel_lines(count, length)) << name_of(method);
  }
}

TYPED_TEST(Plans, TellTheMethodOfBlocks) {
  using T = typename TestFixture::T;
  using Layout = typename TestFixture::Layout;
  auto const method_of = [&](Index vectors, Method wanted) {
    return method_of_blocks<T, Layout>(this->exec_, 3000, 200, vectors,
                                       {.method = wanted, .kernels = kernels_under_test()});
  };
  for (Index const vectors : {1, 2, 9, 33}) {
    for (Method const method : {Method::fused, Method::two_stage}) {
      EXPECT_EQ(method_of(vectors, method), method) << vectors;
    }
  }
  EXPECT_EQ(method_of(1, Method::automatic), this->atax({3000, 200}, Method::automatic).method);
  EXPECT_THROW(method_of(0, Method::automatic), std::invalid_argument);
}

TYPED_TEST(Plans, StayInRangeForSizesNearTwoToThe40) {
  constexpr Index huge = Index{1} << 40;
  constexpr bool is_gpu = backends::Backend<typename TypeParam::Exec>::is_gpu;
  constexpr double gpu_bytes = 4.0 * huge;
  for (Shape const& shape :
       {Shape{huge, 1}, Shape{1, huge}, Shape{huge + 1, 3}, Shape{3, huge - 1}, Shape{huge, 65536},
        Shape{65536, huge}, Shape{Index{1} << 29, (Index{1} << 29) + 1}}) {
    double const bytes = static_cast<double>(shape.rows) * static_cast<double>(shape.cols) *
                         sizeof(typename TypeParam::Scalar);
    for (Plan const& plan :
         {this->multiply(shape), this->multiply_transposed(shape), this->atax(shape, Method::fused),
          this->atax(shape, Method::two_stage), this->atax(shape, Method::automatic)}) {
      EXPECT_LT(plan.workspace_bytes, std::size_t{1} << 62) << shape;
      for (StagePlan const& stage : plan.stages) {
        EXPECT_GE(stage.teams, 1) << shape << ", " << stage.name;
        // GPU launches refuse larger sizes.
        if (!is_gpu || bytes <= gpu_bytes) {
          EXPECT_LE(stage.teams, std::numeric_limits<int>::max()) << shape << ", " << stage.name;
        }
        EXPECT_GE(stage.panels, 0) << shape << ", " << stage.name;
        EXPECT_GE(stage.panels_per_team, 0) << shape << ", " << stage.name;
        EXPECT_GE(stage.lines_per_panel, 0) << shape << ", " << stage.name;
        EXPECT_LT(stage.scratch_bytes, std::size_t{1} << 31) << shape << ", " << stage.name;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::test
