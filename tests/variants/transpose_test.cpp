// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/published/transpose.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include "support/cases.hpp"
#include "support/guarded_matrix.hpp"
#include "support/instance.hpp"
#include "support/kernel_log.hpp"

/// Against plain loops; also messages.
namespace tessera::published {
namespace {

using test::GuardedMatrix;
using test::KernelLog;
using test::MatrixLayout;
using test::Shape;
using test::Stored;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing::ThrowsMessage;

template <class C>
class TransposeVariants : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Variant = TransposeVariant<Exec, T>;
  using Guarded = GuardedMatrix<Exec, T>;
  using Memory = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;

  static void expect_exact(Variant const& variant, Shape const& shape, Block const& block,
                           Index padding = 0, Index out_padding = 0) {
    Guarded const A(shape, {MatrixLayout::right, padding, padding});
    Guarded const out(variant.is_copy ? shape : Shape{shape.cols, shape.rows},
                      {MatrixLayout::right, out_padding, padding});
    A.fill(shape.rows * 3 + shape.cols);
    out.fill_with_guards();
    run(variant, A, out, block);
    Exec().fence("tessera test: result is wanted");
    EXPECT_EQ(out.differences([&](Index i, Index j) {
      return variant.is_copy ? A.expected(i, j) : A.expected(j, i);
    }),
              0)
        << variant.name << " by " << block.x << " x " << block.y << ", " << shape << ", padding "
        << padding << " and " << out_padding;
  }
  static void run(Variant const& variant, Guarded const& A, Guarded const& out, Block const& block,
                  Exec const& exec = Exec()) {
    A.visit_rows([&](auto const& a) {
      out.visit_rows([&](auto const& o) { variant.run(exec, a, o, block); });
    });
  }
};
TYPED_TEST_SUITE(TransposeVariants, test::RowMajorCases, test::CaseName);

std::vector<Block> blocks() {
  return {{8, 1},   {16, 1},  {32, 1},  {64, 1},  {128, 1}, {256, 1}, {8, 2},  {16, 2},
          {32, 2},  {64, 2},  {128, 2}, {256, 2}, {8, 8},   {16, 16}, {32, 8}, {32, 16},
          {32, 32}, {16, 32}, {8, 32},  {2, 256}, {1, 1},   {1, 8},   {7, 5},  {33, 3}};
}

TYPED_TEST(TransposeVariants, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (auto const& variant :
       transpose_variants<typename TypeParam::Exec, typename TypeParam::Scalar>()) {
    names.insert(std::string(variant.name));
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("copy-row", "copy-col", "naive-row", "naive-col",
                                                   "unroll4-row", "unroll4-col", "diagonal-row",
                                                   "diagonal-col", "tile", "tile-padded",
                                                   "tile-unrolled-padded"));
}

TYPED_TEST(TransposeVariants, AreExactForEveryBlock) {
  for (auto const& variant :
       transpose_variants<typename TypeParam::Exec, typename TypeParam::Scalar>()) {
    for (Block const& block : blocks()) {
      for (Shape const& shape : {Shape{1, 1}, Shape{67, 131}, Shape{256, 128}, Shape{300, 37}}) {
        this->expect_exact(variant, shape, block);
      }
    }
  }
}

TYPED_TEST(TransposeVariants, AreExactForEveryShape) {
  for (auto const& variant :
       transpose_variants<typename TypeParam::Exec, typename TypeParam::Scalar>()) {
    for (Index const rows : {1, 2, 31, 32, 33, 64, 127, 300}) {
      for (Index const cols : {1, 3, 31, 32, 33, 64, 129, 257}) {
        this->expect_exact(variant, {rows, cols}, {32, 8});
        this->expect_exact(variant, {rows, cols}, {16, 16}, 3, 6);
      }
    }
    for (Shape const& shape : {Shape{1, 100003}, Shape{100003, 1}, Shape{20011, 97}}) {
      this->expect_exact(variant, shape, {32, 8});
    }
    for (Shape const& shape : {Shape{33, 47}, Shape{64, 64}}) {
      this->expect_exact(variant, shape, {16, 16}, 5, 0);
      this->expect_exact(variant, shape, {16, 16}, 0, 5);
    }
  }
}

TYPED_TEST(TransposeVariants, EnqueueOneKernelAndNeitherFenceNorAllocate) {
  using Exec = typename TypeParam::Exec;
  using Fixture = TestFixture;
  Exec const own = test::instance_of_its_own<Exec>();
  for (auto const& variant : transpose_variants<Exec, typename TypeParam::Scalar>()) {
    typename Fixture::Guarded const A({128, 128}, {MatrixLayout::right});
    typename Fixture::Guarded const out({128, 128}, {MatrixLayout::right});
    A.fill(1);
    Fixture::run(variant, A, out, {32, 8}, own);  // grows Kokkos' team scratch
    KernelLog log;
    log.begin(Kokkos::Tools::Experimental::device_id(own));
    Fixture::run(variant, A, out, {32, 8}, own);
    log.end();
    own.fence("tessera test: kernels are done");
    EXPECT_THAT(log.parallel_for,
                ElementsAre(AllOf(Field(&KernelLog::Kernel::label,
                                        "tessera::published::" + std::string(variant.name)),
                                  Field(&KernelLog::Kernel::device, log.device()))));
    EXPECT_THAT(log.fences, IsEmpty()) << variant.name;
    EXPECT_THAT(log.own_allocations(backends::Backend<Exec>::is_gpu), IsEmpty()) << variant.name;
    EXPECT_THAT(log.reductions_and_scans, IsEmpty()) << variant.name;
  }
}

auto refuses(std::string_view variant, std::string const& what) {
  return ThrowsMessage<std::invalid_argument>(
      AllOf(StartsWith("tessera::published::" + std::string(variant) + ": "), HasSubstr(what)));
}

TYPED_TEST(TransposeVariants, RefuseABlockThatTheyCannotTake) {
  using Fixture = TestFixture;
  for (auto const& variant :
       transpose_variants<typename TypeParam::Exec, typename TypeParam::Scalar>()) {
    typename Fixture::Guarded const A({64, 64}, {MatrixLayout::right});
    typename Fixture::Guarded const out({64, 64}, {MatrixLayout::right});
    auto const run = [&](Block const& block) {
      return [&, block] { Fixture::run(variant, A, out, block); };
    };
    EXPECT_THAT(run({0, 8}), refuses(variant.name, "at least one thread"));
    EXPECT_THAT(run({8, -1}), refuses(variant.name, "at least one thread"));
    EXPECT_THAT(run({1025, 1}), refuses(variant.name, "at most 1024 threads, found 1025 x 1"));
    EXPECT_THAT(run({64, 32}), refuses(variant.name, "at most 1024 threads, found 64 x 32"));
    EXPECT_THAT(run({1 << 20, 1 << 20}), refuses(variant.name, "at most 1024 threads"));
  }
}

TYPED_TEST(TransposeVariants, RefuseATileThatScratchCannotHold) {
  using Exec = typename TypeParam::Exec;
  using Sixteen = Kokkos::complex<double>;
  std::size_t const most = static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
  std::size_t const needed = 1024 * (2 * 1 + 1) * sizeof(Sixteen);
  if (needed <= most) GTEST_SKIP() << "NOT TESTED: scratch holds the tile of every block";
  using View = Kokkos::View<Sixteen**, Kokkos::LayoutRight, typename Exec::memory_space>;
  View const A(Kokkos::view_alloc("A", Kokkos::WithoutInitializing), 8, 8);
  View const At(Kokkos::view_alloc("At", Kokkos::WithoutInitializing), 8, 8);
  EXPECT_THAT([&] { tile_unrolled_padded(Exec(), A, At, {1, 1024}); },
              refuses("tile-unrolled-padded", "bytes of scratch, and there are"));
}

TYPED_TEST(TransposeVariants, RefuseMatricesThatDoNotFit) {
  using Exec = typename TypeParam::Exec;
  using Memory = typename TestFixture::Memory;
  for (auto const& variant : transpose_variants<Exec, typename TypeParam::Scalar>()) {
    std::string const name = variant.is_copy ? "the copy" : "At";
    Memory const A("A", 8, 4);
    EXPECT_THAT([&] { variant.run(Exec(), A, Memory("out", 8, 5), {}); },
                refuses(variant.name, name + " must be"));
    EXPECT_THAT([&] { variant.run(Exec(), Memory("A", 0, 4), Memory("out", 4, 0), {}); },
                refuses(variant.name, "at least one row"));
    auto const square = Kokkos::subview(A, Kokkos::make_pair(0, 4), Kokkos::ALL);
    EXPECT_THAT([&] { variant.run(Exec(), square, square, {}); },
                refuses(variant.name, name + " must not overlap A"));
  }
}

}  // namespace
}  // namespace tessera::published
