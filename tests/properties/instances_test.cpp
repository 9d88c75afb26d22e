// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <thread>
#include <vector>

#include "support/case_test.hpp"
#include "support/methods.hpp"

/// Calls at the same time, and one after another with the same workspace, do not touch each other.
namespace tessera::test {
namespace {

template <class C>
class Instances : public CaseTest<C> {};
TYPED_TEST_SUITE(Instances, Cases, CaseName);

TYPED_TEST(Instances, OfTwoThreadsAtOnceGiveTheBitsOfTheReference) {
  using T = typename TypeParam::Scalar;
  auto const work = [](Shape shape, std::uint64_t seed) {
    auto const runner = make_runner_of<TypeParam>();
    auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, seed);
    auto const expected = reference::atax(A.for_reference(), v);
    for (int repeat = 0; repeat < 20; ++repeat) {
      for (Method const method : all_methods) {
        Call const call{.method = method, .kept_workspace = true, .own_instance = true};
        EXPECT_THAT(runner->atax(A, v, call), same_bits_as(expected))
            << shape << ", " << name_of(method) << ", repeat " << repeat;
      }
    }
  };
  std::thread first(work, Shape{700, 300}, 91);
  std::thread second(work, Shape{200, 1500}, 92);
  first.join();
  second.join();
}

TYPED_TEST(Instances, KeepAWorkspaceThatServesAnyShapeAfterAnyOther) {
  using T = typename TypeParam::Scalar;
  std::vector<Shape> shapes = few_shapes();
  for (int round = 0; round < 2; ++round) {
    for (Shape const& shape : shapes) {
      auto const [A, v, B] = real_problem<T>(shape, TestFixture::order, 93);
      Call const call{.method = Method::fused, .kept_workspace = true};
      EXPECT_THAT(this->runner().atax(A, v, call),
                  same_bits_as(reference::atax(A.for_reference(), v)))
          << shape;
    }
    std::ranges::reverse(shapes);
  }
}

TYPED_TEST(Instances, RepeatTheirBits) {
  using T = typename TypeParam::Scalar;
  auto const [A, v, B] = real_problem<T>({1234, 567}, TestFixture::order, 94);
  auto const expected = this->runner().atax(A, v);
  for (int repeat = 0; repeat < 50; ++repeat) {
    ASSERT_THAT(this->runner().atax(A, v), same_bits_as(expected)) << "repeat " << repeat;
  }
}

}  // namespace
}  // namespace tessera::test
