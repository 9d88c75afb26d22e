// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/backends/gpu/transpose.hpp>
#include <tessera/transpose.hpp>

#include "support/cases.hpp"
#include "support/guarded_matrix.hpp"
#include "support/instance.hpp"
#include "support/kernel_log.hpp"
#include "support/refusal.hpp"
#include "support/runner.hpp"

/// Against plain loops, for every element size and layout, with guards around the output.
namespace tessera::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::IsEmpty;
using testing::Not;

struct Sixteen {
  std::array<std::uint32_t, 4> part;
};

template <class ExecT, class ElementT>
struct TransposeCase {
  using Exec = ExecT;
  using Element = ElementT;
};
template <class List>
struct TransposeCasesOf;
template <class... Exec>
struct TransposeCasesOf<backends::Spaces<Exec...>> {
  template <class E>
  using On = std::tuple<TransposeCase<E, std::uint8_t>, TransposeCase<E, std::int16_t>,
                        TransposeCase<E, float>, TransposeCase<E, double>,
                        TransposeCase<E, Kokkos::complex<double>>, TransposeCase<E, Sixteen>>;
  using Type = detail::AsTestingTypes<decltype(std::tuple_cat(std::declval<On<Exec>>()...))>::Type;
};
struct TransposeCaseName {
  template <class C>
  static std::string GetName(int /*index*/) {
    using T = typename C::Element;
    return std::string(C::Exec::name()) + "_" + std::to_string(sizeof(T)) + "_bytes" +
           (std::is_same_v<T, Sixteen> ? "_in_parts" : "");
  }
};

constexpr std::array<MatrixLayout, 3> layouts = {MatrixLayout::right, MatrixLayout::left,
                                                 MatrixLayout::strided};

template <class C>
class Transpose : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Element;
  using Guarded = GuardedMatrix<Exec, T>;

  static void expect_transpose(Shape const& shape, Stored const& from, Stored const& to,
                               TransposeOptions options = {}) {
    options.kernels = kernels_under_test();
    Guarded const A(shape, from);
    Guarded const At({shape.cols, shape.rows}, to);
    A.fill(shape.rows * 7 + shape.cols);
    At.fill_with_guards();
    A.visit([&](auto const& a) {
      At.visit([&](auto const& at) {
        transpose(Exec(), a, at, options);
        Exec().fence("tessera test: result is wanted");
      });
    });
    std::string const where = to_string(shape) + " " + name_of(from) + " to " + name_of(to);
    EXPECT_EQ(At.differences([&](Index i, Index j) { return A.expected(j, i); }), 0) << where;
  }
  static void expect_in_place(Index size, Stored const& stored) {
    Guarded const A({size, size}, stored);
    A.fill(size);
    A.visit([&](auto const& a) {
      transpose_in_place(Exec(), a, {.kernels = kernels_under_test()});
      Exec().fence("tessera test: result is wanted");
    });
    EXPECT_EQ(A.differences([&](Index i, Index j) { return A.expected(j, i); }), 0)
        << size << ", " << name_of(stored);
  }
};
TYPED_TEST_SUITE(Transpose, TransposeCasesOf<Tested>::Type, TransposeCaseName);

std::vector<Index> edges() {
  return {1, 2, 3, 7, 8, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 131, 257};
}

TYPED_TEST(Transpose, IsExactForEveryShape) {
  for (Index const rows : edges()) {
    for (Index const cols : edges()) {
      this->expect_transpose({rows, cols}, {MatrixLayout::right}, {MatrixLayout::right});
    }
  }
}

TYPED_TEST(Transpose, IsExactForEveryPairOfLayouts) {
  for (Shape const& shape :
       {Shape{1, 1}, Shape{1, 70}, Shape{70, 1}, Shape{67, 130}, Shape{128, 64}, Shape{257, 33}}) {
    for (MatrixLayout const from : layouts) {
      for (MatrixLayout const to : layouts) this->expect_transpose(shape, {from}, {to});
    }
  }
}

TYPED_TEST(Transpose, ReadsAndWritesOnlyItsPartOfLargerMatrices) {
  for (Shape const& shape : {Shape{1, 70}, Shape{67, 130}, Shape{128, 64}, Shape{64, 256}}) {
    for (MatrixLayout const from : layouts) {
      for (MatrixLayout const to : layouts) {
        this->expect_transpose(shape, {from, 0}, {to, 16});
        this->expect_transpose(shape, {from, 16}, {to, 0});
        for (Index const padding : {1, 3, 16}) {
          for (Index const before : {0, 1, 16}) {
            this->expect_transpose(shape, {from, padding, before}, {to, 16, 16});
            this->expect_transpose(shape, {from, 16, 16}, {to, padding, before});
          }
        }
      }
    }
  }
}

TYPED_TEST(Transpose, IsExactForVeryWideAndVeryTallMatrices) {
  for (Shape const& shape : {Shape{1, 1000003}, Shape{1000003, 1}, Shape{3, 400009},
                             Shape{400009, 3}, Shape{97, 20011}, Shape{20011, 97}}) {
    this->expect_transpose(shape, {MatrixLayout::right}, {MatrixLayout::right});
    this->expect_transpose(shape, {MatrixLayout::left}, {MatrixLayout::right});
  }
}

TYPED_TEST(Transpose, IsExactBeyondTheSizeFromWhichHostsWritePastTheCaches) {
  for (Shape const& shape : {Shape{3001, 2999}, Shape{2048, 4096}}) {
    this->expect_transpose(shape, {MatrixLayout::right}, {MatrixLayout::right});
  }
}

TYPED_TEST(Transpose, InPlaceIsExactForEverySize) {
  for (MatrixLayout const layout : layouts) {
    for (Index const size : edges()) this->expect_in_place(size, {layout});
    for (Index const size : {5, 64, 200}) {
      this->expect_in_place(size, {layout, 3, 1});
      this->expect_in_place(size, {layout, 16, 16});
    }
  }
}

TYPED_TEST(Transpose, IsTheSameForEveryTuning) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Element;
  auto const check = [&](TransposeTuning const& tuning) {
    for (Shape const& shape : {Shape{1, 1}, Shape{300, 511}, Shape{256, 512}}) {
      this->expect_transpose(shape, {MatrixLayout::right}, {MatrixLayout::right},
                             {.tuning = tuning});
      this->expect_transpose(shape, {MatrixLayout::right, 1, 0}, {MatrixLayout::strided},
                             {.tuning = tuning});
    }
  };
  for (Index const band : {1, 3, 100}) {
    if constexpr (backends::Backend<Exec>::is_gpu) {
      tessera::detail::gpu::for_each_transpose_tile<tessera::detail::gpu::CellOf<T>>(
          [&](auto tile, auto threads) {
            check({.tile_rows = tile(), .tile_cols = tile(), .team_size = threads(), .band = band});
          });
    } else {
      for (bool const stream : {false, true}) {
        for (int const rows : {1, 5, 64}) {
          for (int const cols : {1, 7, 128}) {
            check({.tile_rows = rows, .tile_cols = cols, .band = band, .stream = stream});
          }
        }
      }
    }
  }
}

TYPED_TEST(Transpose, EnqueuesOneKernelAndNeitherFencesNorAllocates) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Element;
  Exec const own = test::instance_of_its_own<Exec>();
  for (Shape const& shape : {Shape{200, 300}, Shape{256, 256}}) {
    for (MatrixLayout const to : layouts) {
      GuardedMatrix<Exec, T> const A(shape, {MatrixLayout::right});
      GuardedMatrix<Exec, T> const At({shape.cols, shape.rows}, {to});
      auto const expect_one_kernel = [&](std::string const& name, auto const& call) {
        call();  // Kokkos' team scratch grows
        KernelLog log;
        log.begin(Kokkos::Tools::Experimental::device_id(own));
        call();
        log.end();
        own.fence("tessera test: kernels are done");
        EXPECT_THAT(log.parallel_for,
                    testing::ElementsAre(AllOf(Field(&KernelLog::Kernel::label, name),
                                               Field(&KernelLog::Kernel::device, log.device()))));
        EXPECT_THAT(log.reductions_and_scans, IsEmpty());
        EXPECT_THAT(log.fences, IsEmpty());
        EXPECT_THAT(log.own_allocations(backends::Backend<Exec>::is_gpu), IsEmpty());
        EXPECT_THAT(log.deep_copies, IsEmpty());
      };
      A.visit([&](auto const& a) {
        At.visit([&](auto const& at) {
          expect_one_kernel("tessera::transpose",
                            [&] { transpose(own, a, at, {.kernels = kernels_under_test()}); });
        });
      });
      if (shape.rows != shape.cols) continue;
      At.visit([&](auto const& at) {
        expect_one_kernel("tessera::transpose_in_place",
                          [&] { transpose_in_place(own, at, {.kernels = kernels_under_test()}); });
      });
    }
  }
}

TYPED_TEST(Transpose, OnTwoInstancesAtOnceIsExact) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Element;
  std::array<Exec, 2> const instances = {instance_of_its_own<Exec>(), instance_of_its_own<Exec>()};
  std::array<Shape, 2> const shapes = {Shape{301, 203}, Shape{256, 128}};
  std::vector<GuardedMatrix<Exec, T>> A;
  std::vector<GuardedMatrix<Exec, T>> At;
  for (Shape const& shape : shapes) {
    A.emplace_back(shape, Stored{MatrixLayout::right});
    At.emplace_back(Shape{shape.cols, shape.rows}, Stored{MatrixLayout::right});
    A.back().fill(shape.rows);
    At.back().fill_with_guards();
  }
  for (int round = 0; round < 20; ++round) {
    for (std::size_t k = 0; k < 2; ++k) {
      A[k].visit([&](auto const& a) {
        At[k].visit([&](auto const& at) {
          transpose(instances[k], a, at, {.kernels = kernels_under_test()});
        });
      });
    }
  }
  for (std::size_t k = 0; k < 2; ++k) {
    instances[k].fence("tessera test: result is wanted");
    EXPECT_EQ(At[k].differences([&](Index i, Index j) { return A[k].expected(j, i); }), 0)
        << shapes[k];
  }
}

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;

TEST(TransposeErrors, RefusesAnOutputOfTheWrongShape) {
  Matrix const A("A", 3, 5);
  EXPECT_THAT([&] { transpose(Exec(), A, Matrix("At", 3, 5)); },
              refuses("transpose", "At must be 5 x 3, found 3 x 5"));
  EXPECT_THAT([&] { transpose(Exec(), A, Matrix("At", 5, 4)); },
              refuses("transpose", "At must be 5 x 3, found 5 x 4"));
}

TEST(TransposeErrors, RefusesAnOutputThatOverlapsTheInput) {
  Matrix const A("A", 6, 4);
  auto const upper = Kokkos::subview(A, Kokkos::make_pair(0, 4), Kokkos::ALL);
  auto const lower = Kokkos::subview(A, Kokkos::make_pair(2, 6), Kokkos::ALL);
  EXPECT_THAT([&] { transpose(Exec(), upper, lower); },
              refuses("transpose", "At must not overlap A"));
  EXPECT_THAT([&] { transpose(Exec(), upper, upper); },
              refuses("transpose", "At must not overlap A"));
}

TEST(TransposeErrors, RefusesToTurnAMatrixInPlaceThatIsNotSquare) {
  EXPECT_THAT([] { transpose_in_place(Exec(), Matrix("A", 3, 5)); },
              refuses("transpose_in_place", "as many rows as columns, found 3 x 5"));
}

TEST(TransposeErrors, RefusesATuningThatNoKernelCanFollow) {
  Matrix const A("A", 4, 4);
  Matrix const At("At", 4, 4);
  TransposeTuning const good = backends::Backend<Exec>::transpose_tuning(
      Exec(), {.element_bytes = 8, .rows = 4, .cols = 4, .from_line_bytes = 32});
  auto const changed = [&](auto const& change) {
    TransposeTuning tuning = good;
    change(tuning);
    return tuning;
  };
  for (TransposeTuning const& tuning :
       {changed([](auto& t) { t.tile_rows = 0; }), changed([](auto& t) { t.tile_cols = -1; }),
        changed([](auto& t) { t.team_size = 0; }), changed([](auto& t) { t.band = 0; })}) {
    EXPECT_THAT([&] { transpose(Exec(), A, At, {.tuning = tuning}); },
                refuses("TransposeTuning", "must be at least 1"));
  }
  auto const odd_team = changed([](auto& t) { t.team_size = 17; });
  EXPECT_THAT([&] { transpose(Exec(), A, At, {.tuning = odd_team}); },
              refuses("TransposeTuning", "17"));
}

TEST(TransposeErrors, WritesNothingWhenItRefuses) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const A("A", 3, 5);
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const At("At", 5, 4);
  for (std::size_t k = 0; k < At.size(); ++k) At.data()[k] = 7.0;
  EXPECT_THAT([&] { transpose(Host(), A, At); }, refuses("transpose", "At must be 5 x 3"));
  Host().fence();
  for (std::size_t k = 0; k < At.size(); ++k) EXPECT_EQ(At.data()[k], 7.0);
}

TEST(TransposeConcepts, TakeWhatCanBeMovedAndNothingElse) {
  static_assert(Element<Sixteen> && Element<char> && Element<float>);
  static_assert(!Element<std::string> && !Element<std::array<char, 3>> &&
                !Element<std::array<double, 4>>);
  static_assert(TransposeOf<Matrix, Exec, Matrix>);
  static_assert(!TransposeOf<Kokkos::View<double const**, Exec>, Exec, Matrix>);
  static_assert(!TransposeOf<Kokkos::View<float**, Exec>, Exec, Matrix>);
  static_assert(!ElementMatrix<Kokkos::View<double*, Exec>>);
}

}  // namespace
}  // namespace tessera::test
