// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include <Kokkos_Core.hpp>

#include "support/case_test.hpp"
#include "support/kernel_log.hpp"
#include "support/methods.hpp"

/// As Kokkos reports them to its tools.
namespace tessera::test {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

template <class C>
class Kernels : public CaseTest<C> {
 protected:
  using T = typename C::Scalar;

  /// `check` gets the second run, when the workspace has grown.
  template <class Check>
  void for_each_call(Call call, Check const& check) {
    call.kept_workspace = true;
    for (Shape const& shape : {Shape{900, 300}, Shape{300, 900}, Shape{3, 20000}, Shape{20, 30}}) {
      auto const [A, v, B] = real_problem<T>(shape, C::order, 71);
      for (Index const stride : {1, 3}) {
        call.vector_stride = stride;
        observe(call, "multiply", check, [&](Call const& c) { this->runner().multiply(A, v, c); });
        observe(call, "multiply_transposed", check,
                [&](Call const& c) { this->runner().multiply_transposed(A, B, c); });
        for (Method const method : all_methods) {
          call.method = method;
          observe(call, "atax", check, [&](Call const& c) { this->runner().atax(A, v, c); });
          observe(call, "atax", check,
                  [&](Call const& c) { this->runner().atax_with_intermediate(A, v, c); });
        }
      }
    }
  }

 private:
  template <class Check, class Operation>
  static void observe(Call call, std::string const& name, Check const& check,
                      Operation const& operation) {
    call.observer = nullptr;
    operation(call);
    KernelLog log;
    call.observer = &log;
    operation(call);
    check(log, name);
  }
};
TYPED_TEST_SUITE(Kernels, Cases, CaseName);

TYPED_TEST(Kernels, AreLabelledWithTheirOperation) {
  this->for_each_call({}, [](KernelLog const& log, std::string const& operation) {
    EXPECT_THAT(log.parallel_for, Not(IsEmpty()));
    EXPECT_THAT(log.parallel_for,
                Each(Field(&KernelLog::Kernel::label, StartsWith("tessera::" + operation))));
  });
}

TYPED_TEST(Kernels, AreNoReductionsWhoseOrderKokkosLeavesOpen) {
  this->for_each_call({}, [](KernelLog const& log, std::string const& operation) {
    EXPECT_THAT(log.reductions_and_scans, IsEmpty()) << operation;
  });
}

TYPED_TEST(Kernels, RunOnTheDefaultInstanceWhenGivenThat) {
  auto const device = Kokkos::Tools::Experimental::device_id(typename TypeParam::Exec());
  this->for_each_call({}, [&](KernelLog const& log, std::string const& operation) {
    EXPECT_EQ(log.device(), device);
    EXPECT_THAT(log.parallel_for, Each(Field(&KernelLog::Kernel::device, device))) << operation;
  });
}

TYPED_TEST(Kernels, RunOnAnInstanceOfTheCallersOwn) {
  auto const default_device = Kokkos::Tools::Experimental::device_id(typename TypeParam::Exec());
  bool apart = true;
  this->for_each_call(
      {.own_instance = true}, [&](KernelLog const& log, std::string const& operation) {
        apart = apart && log.device() != default_device;
        EXPECT_THAT(log.parallel_for, Each(Field(&KernelLog::Kernel::device, log.device())))
            << operation;
      });
  if (!apart)
    GTEST_SKIP() << "NOT TESTED: Kokkos numbers no instances of " << TypeParam::Exec::name();
}

TYPED_TEST(Kernels, AreEnqueuedWithoutAFence) {
  this->for_each_call({}, [](KernelLog const& log, std::string const& operation) {
    EXPECT_THAT(log.fences, IsEmpty()) << operation;
  });
}

TYPED_TEST(Kernels, AllocateAndCopyNothingWithAKeptWorkspace) {
  this->for_each_call({}, [](KernelLog const& log, std::string const& operation) {
    constexpr bool is_gpu = backends::Backend<typename TypeParam::Exec>::is_gpu;
    EXPECT_THAT(log.own_allocations(is_gpu), IsEmpty()) << operation;
    EXPECT_THAT(log.deep_copies, IsEmpty()) << operation;
  });
}

TYPED_TEST(Kernels, AllocateTheirWorkspaceUnderALabelOfTheirOwn) {
  using T = typename TypeParam::Scalar;
  auto const [A, v, B] = real_problem<T>({2000, 300}, TestFixture::order, 72);
  KernelLog log;
  this->runner().atax(A, v, {.method = Method::two_stage, .observer = &log});
  EXPECT_THAT(log.allocations, Contains(StartsWith("tessera::")));
  EXPECT_THAT(log.allocations, Each(AnyOf(StartsWith("tessera::"), StartsWith("Kokkos::"))));
}

}  // namespace
}  // namespace tessera::test
