// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "support/case_test.hpp"
#include "support/kernel_log.hpp"
#include "support/methods.hpp"
#include "support/resident.hpp"

/// Calls do not interfere.
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

template <class C>
struct Worker {
  using T = typename C::Scalar;
  std::unique_ptr<Resident<T>> resident = make_resident_of<C>(Instance::own);
  ResidentCall call;

  Worker(Shape const& shape, std::uint64_t seed) {
    bool const row_major = C::order == Order::row_major;
    call.operation = Operation::atax_with_intermediate;
    call.A = {shape, 0, row_major ? shape.cols : shape.rows};
    resident->fill(shape.size(), shape.cols, seed);
    auto const elements = resident->matrix_numbers(0, shape.size());
    auto const v = resident->input_numbers(0, shape.cols);
    reference::Matrix<T> const A{elements.data(), shape.rows, shape.cols, call.A.leading, C::order};
    resident->expect({reference::multiply(A, v), reference::atax(A, v)});
    for (Method const method : all_methods) enqueue(method);  // the workspace grows
    EXPECT_EQ(resident->differences(), 0) << shape << ", one call after the other";
  }
  void enqueue(Method method) {
    call.method = method;
    resident->enqueue(call);
  }
};

TYPED_TEST(Instances, FromOneThreadRunIndependently) {
  std::array<Worker<TypeParam>, 3> workers{Worker<TypeParam>({700, 900}, 97),
                                           Worker<TypeParam>({150, 2100}, 98),
                                           Worker<TypeParam>({2500, 64}, 99)};
  KernelLog log;
  log.begin(0);
  for (int round = 0; round < 30; ++round) {
    for (Method const method : all_methods) {
      for (auto& worker : workers) worker.enqueue(method);
    }
  }
  log.end();
  for (auto& worker : workers) {
    EXPECT_EQ(worker.resident->differences(), 0) << worker.call.A.shape;
  }
  EXPECT_THAT(log.fences, testing::IsEmpty());
  if constexpr (backends::Backend<typename TypeParam::Exec>::is_gpu) {
    std::set<std::uint32_t> devices;
    for (auto const& kernel : log.parallel_for) devices.insert(kernel.device);
    EXPECT_EQ(devices.size(), workers.size()) << "the instances are not apart";
  }
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
