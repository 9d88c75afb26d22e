// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/backends/gpu/gemm_tiles.hpp>
#include <tessera/gemm.hpp>

#include "support/cases.hpp"
#include "support/digests.hpp"
#include "support/double_double.hpp"
#include "support/guarded_matrix.hpp"
#include "support/instance.hpp"
#include "support/kernel_log.hpp"
#include "support/reference.hpp"
#include "support/refusal.hpp"
#include "support/runner.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"
#include "support/shapes.hpp"

/// Against plain loops, with guards around the output.
namespace tessera::test {
namespace {

using testing::IsEmpty;

struct Size {
  Index rows;
  Index cols;
  Index depth;
};

std::string to_string(Size const& s) {
  return std::to_string(s.rows) + " x " + std::to_string(s.cols) + " x " + std::to_string(s.depth);
}

struct Layouts {
  Stored a{MatrixLayout::right};
  Stored b{MatrixLayout::right};
  Stored c{MatrixLayout::right};
};

std::vector<Layouts> all_layouts(Index padding = 0, Index before = 0) {
  std::vector<Layouts> all;
  auto const stored = [&](int bit) {
    return Stored{bit != 0 ? MatrixLayout::left : MatrixLayout::right, padding, before};
  };
  for (int k = 0; k < 8; ++k) all.push_back({stored(k & 1), stored(k & 2), stored(k & 4)});
  return all;
}

template <class ExecT, class ScalarT>
struct GemmCase {
  using Exec = ExecT;
  using Scalar = ScalarT;
};
template <class List>
struct GemmCasesOf;
template <class... Exec>
struct GemmCasesOf<backends::Spaces<Exec...>> {
  using Type = detail::AsTestingTypes<decltype(std::tuple_cat(
      std::declval<std::tuple<GemmCase<Exec, float>, GemmCase<Exec, double>>>()...))>::Type;
};
struct GemmCaseName {
  template <class C>
  static std::string GetName(int /*index*/) {
    return std::string(C::Exec::name()) + (sizeof(typename C::Scalar) == 4 ? "_float" : "_double");
  }
};

template <class CaseT>
class Gemm : public testing::Test {
 protected:
  using Exec = typename CaseT::Exec;
  using T = typename CaseT::Scalar;
  using Elements = std::vector<T>;

  static void expect_product(Size const& s, Layouts const& layouts, Elements const& a,
                             Elements const& b, Elements const& expected,
                             GemmOptions<Exec> options = {}) {
    options.kernels = kernels_under_test();
    GuardedMatrix<Exec, T> const A({s.rows, s.depth}, layouts.a);
    GuardedMatrix<Exec, T> const B({s.depth, s.cols}, layouts.b);
    GuardedMatrix<Exec, T> const C({s.rows, s.cols}, layouts.c);
    auto const element = [](Elements const& of, Index cols) {
      return [&of, cols](Index i, Index j) { return of[static_cast<std::size_t>(i * cols + j)]; };
    };
    A.fill_with(element(a, s.depth));
    B.fill_with(element(b, s.cols));
    C.fill_with_guards();
    with_views(A, B, C, [&](auto const& va, auto const& vb, auto const& vc) {
      gemm(Exec(), va, vb, vc, options);
      Exec().fence("tessera test: result is wanted");
    });
    EXPECT_EQ(C.differences(element(expected, s.cols)), 0)
        << to_string(s) << ", A " << name_of(layouts.a) << ", B " << name_of(layouts.b) << ", C "
        << name_of(layouts.c);
  }
  template <class Work>
  static void with_views(GuardedMatrix<Exec, T> const& A, GuardedMatrix<Exec, T> const& B,
                         GuardedMatrix<Exec, T> const& C, Work const& work) {
    A.visit_lines([&](auto const& a) {
      B.visit_lines([&](auto const& b) { C.visit_lines([&](auto const& c) { work(a, b, c); }); });
    });
  }
  static std::pair<Elements, Elements> real_factors(Size const& s, std::uint64_t seed) {
    return {real_numbers<T>(static_cast<std::size_t>(s.rows * s.depth), seed),
            real_numbers<T>(static_cast<std::size_t>(s.depth * s.cols), vector_seed(seed))};
  }
  static void expect_reference(Size const& s, std::vector<Layouts> const& layouts,
                               GemmOptions<Exec> const& options = {}) {
    auto const [a, b] = real_factors(s, static_cast<std::uint64_t>(s.rows + s.cols + s.depth));
    auto const expected = reference::gemm(a, b, s.rows, s.cols, s.depth);
    for (Layouts const& each : layouts) expect_product(s, each, a, b, expected, options);
  }
  static std::vector<GemmTuning> tunings() {
    std::vector<GemmTuning> all;
    for (Index const band : {1, 3, 100}) {
      if constexpr (backends::Backend<Exec>::is_gpu) {
        tessera::detail::gpu::GemmTileShapes<T>::for_each(
            [&]<class Tile>(Tile) { all.push_back({Tile::rows, Tile::cols, Tile::depth, band}); });
      } else {
        for (int const tile : {1, 50, 384}) {
          for (int const depth : {1, 17, 1000}) all.push_back({tile, tile + 13, depth, band});
        }
      }
    }
    if (some_are_enough()) {
      std::size_t n = 0;
      std::erase_if(all, [&](GemmTuning const&) {
        std::size_t const place = n++;
        return (place / 9 + place / 3 + place) % 3 != 0;
      });
    }
    return all;
  }
};
TYPED_TEST_SUITE(Gemm, GemmCasesOf<Tested>::Type, GemmCaseName);

TYPED_TEST(Gemm, IsExactOnWholeNumbersOfEveryShape) {
  using T = typename TypeParam::Scalar;
  std::array<Index, 9> const edges = {1, 2, 5, 16, 31, 64, 65, 129, 200};
  auto const layouts = all_layouts();
  std::size_t turn = 0;
  for (Index const rows : edges) {
    for (Index const cols : edges) {
      for (Index const depth : edges) {
        Size const s{rows, cols, depth};
        auto const a = whole_numbers<T>(static_cast<std::size_t>(rows * depth), 5, 100);
        auto const b = whole_numbers<T>(static_cast<std::size_t>(depth * cols), 6, 100);
        std::vector<T> expected(static_cast<std::size_t>(rows * cols), T(0));
        for (Index i = 0; i < rows; ++i) {
          for (Index k = 0; k < depth; ++k) {
            for (Index j = 0; j < cols; ++j) {
              expected[static_cast<std::size_t>(i * cols + j)] +=
                  a[static_cast<std::size_t>(i * depth + k)] *
                  b[static_cast<std::size_t>(k * cols + j)];
            }
          }
        }
        this->expect_product(s, layouts[turn++ % layouts.size()], a, b, expected);
      }
    }
  }
}

TYPED_TEST(Gemm, HasTheBitsOfTheReferenceInEveryLayout) {
  for (Size const& s : {Size{1, 1, 1}, Size{1, 1, 70001}, Size{3, 5, 5000}, Size{64, 64, 1024},
                        Size{130, 70, 600}, Size{300, 257, 515}, Size{700, 3, 90}}) {
    this->expect_reference(s, all_layouts());
  }
}

TYPED_TEST(Gemm, HasTheBitsOfTheReferenceWhereSumsAreLong) {
  for (Size const& s : {Size{1, 1, 8192}, Size{1, 16, 8193}, Size{3, 5, 20011}, Size{8, 8, 9000},
                        Size{16, 16, 12345}, Size{17, 16, 12345}}) {
    for (Index const padding : {0, 3}) this->expect_reference(s, all_layouts(padding));
  }
}

TYPED_TEST(Gemm, HasTheBitsOfTheReferenceForGramMatrices) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  using Strided = Kokkos::View<T const**, Kokkos::LayoutStride, typename Exec::memory_space>;
  std::size_t const rows = 10007;
  for (std::size_t const cols :
       {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{16}, std::size_t{31}}) {
    std::size_t const padding = cols % 4;
    auto const x = real_numbers<T>(rows * cols, cols);
    for (bool const by_rows : {true, false}) {
      std::size_t const down = by_rows ? cols + padding : 1;
      std::size_t const across = by_rows ? 1 : rows + padding;
      Kokkos::View<T*, typename Exec::memory_space> const memory(
          "X", (rows + padding) * (cols + padding));
      auto const on_host = Kokkos::create_mirror_view(memory);
      std::vector<T> transpose(x.size());
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < cols; ++j) {
          on_host(i * down + j * across) = x[i * cols + j];
          transpose[j * rows + i] = x[i * cols + j];
        }
      }
      Kokkos::deep_copy(memory, on_host);
      Strided const X(memory.data(), Kokkos::LayoutStride(rows, down, cols, across));
      Strided const Xt(memory.data(), Kokkos::LayoutStride(cols, across, rows, down));
      Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> const C("C", cols, cols);
      gemm(Exec(), Xt, X, C, {.kernels = kernels_under_test()});
      std::vector<T> found(cols * cols);
      using Host = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
      Kokkos::deep_copy(Host(found.data(), cols, cols), C);
      auto const n = static_cast<Index>(cols);
      EXPECT_THAT(found, same_bits_as(reference::gemm(transpose, x, n, n, Index{10007})))
          << cols << (by_rows ? " columns, by rows" : " columns, by columns");
    }
  }
}

TYPED_TEST(Gemm, HasTheBitsOfTheReferenceWithOneChainAndManyTiles) {
  for (Size const& s : {Size{1024, 1024, 70}, Size{2049, 1025, 40}}) {
    this->expect_reference(s, {Layouts{}});
  }
}

TYPED_TEST(Gemm, ReadsAndWritesOnlyItsPartOfLargerMatrices) {
  for (Size const& s : {Size{65, 33, 300}, Size{128, 128, 64}}) {
    for (Index const padding : {1, 16}) {
      for (Index const before : {0, 1, 16}) {
        this->expect_reference(s, all_layouts(padding, before));
      }
    }
  }
}

TYPED_TEST(Gemm, TakesPaddingOfOneMatrixAlone) {
  for (Layouts const& none : all_layouts()) {
    for (int const which : {0, 1, 2}) {
      Layouts one = none;
      Stored* const matrices[] = {&one.a, &one.b, &one.c};
      matrices[which]->padding = 5;
      this->expect_reference({65, 33, 300}, {one});
    }
  }
}

/// All products underflow to -0: whole blocks and edges, one chain and 2^k, which no +0 pads.
TYPED_TEST(Gemm, NeverGivesMinusZero) {
  using T = typename TestFixture::T;
  T const tiny = std::numeric_limits<T>::denorm_min();
  ASSERT_TRUE(std::signbit(std::fma(tiny, -tiny, T(0))));
  for (Size const& s :
       {Size{1, 1, 1}, Size{96, 96, 16}, Size{97, 101, 3}, Size{48, 64, 1024}, Size{2, 3, 16384}}) {
    std::vector<T> const a(static_cast<std::size_t>(s.rows * s.depth), tiny);
    std::vector<T> const b(static_cast<std::size_t>(s.depth * s.cols), -tiny);
    std::vector<T> const zeros(static_cast<std::size_t>(s.rows * s.cols), T(0));
    for (Layouts const& layouts : all_layouts()) this->expect_product(s, layouts, a, b, zeros);
  }
}

TYPED_TEST(Gemm, HasTheSameBitsForEveryTuning) {
  for (GemmTuning const& tuning : this->tunings()) {
    for (Size const& s : {Size{1, 1, 3}, Size{150, 290, 530}}) {
      this->expect_reference(s, {Layouts{}, all_layouts(1)[3]}, {.tuning = tuning});
    }
  }
}

TYPED_TEST(Gemm, MeetsTheCommittedDigests) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  std::string const type = sizeof(T) == 4 ? "f32" : "f64";
  int count = 0;
  for (GemmDigest const& d : read_gemm_digests(TESSERA_TEST_DATA_DIR "/gemm_digests.txt")) {
    if (d.type != type) continue;
    ++count;
    auto const size = [](Index n) { return static_cast<std::size_t>(n); };
    using Host = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
    using Device = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;
    auto a = digest_a<T>(d);
    auto b = digest_b<T>(d);
    Device const A("A", size(d.rows), size(d.depth));
    Device const B("B", size(d.depth), size(d.cols));
    Device const C("C", size(d.rows), size(d.cols));
    Kokkos::deep_copy(A, Host(a.data(), size(d.rows), size(d.depth)));
    Kokkos::deep_copy(B, Host(b.data(), size(d.depth), size(d.cols)));
    gemm(Exec(), A, B, C, {.kernels = kernels_under_test()});
    std::vector<T> c(size(d.rows * d.cols));
    Kokkos::deep_copy(Host(c.data(), size(d.rows), size(d.cols)), C);
    EXPECT_EQ(sha256(c), d.sha256) << d;
  }
  EXPECT_EQ(count, 9);
}

TYPED_TEST(Gemm, LiesWithinTheBoundOfItsOrder) {
  using T = typename TypeParam::Scalar;
  for (Size const& s : {Size{20, 30, 40}, Size{17, 9, 3000}}) {
    auto const [a, b] = this->real_factors(s, 77);
    auto const c = reference::gemm(a, b, s.rows, s.cols, s.depth);
    this->expect_product(s, {}, a, b, c);
    double const ku = static_cast<double>(summation::product_depth(s.rows, s.cols, s.depth)) *
                      static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
    for (Index i = 0; i < s.rows; ++i) {
      for (Index j = 0; j < s.cols; ++j) {
        DoubleDouble truth;
        double magnitude = 0;
        for (Index k = 0; k < s.depth; ++k) {
          auto const x = static_cast<double>(a[static_cast<std::size_t>(i * s.depth + k)]);
          auto const y = static_cast<double>(b[static_cast<std::size_t>(k * s.cols + j)]);
          truth.add_product(x, y);
          magnitude += std::abs(x * y);
        }
        auto const found = static_cast<double>(c[static_cast<std::size_t>(i * s.cols + j)]);
        ASSERT_LE(std::abs(truth.error_of(found)), (ku / (1 - ku) + 0x1p-80) * magnitude)
            << to_string(s) << ", element " << i << ", " << j;
      }
    }
  }
}

TYPED_TEST(Gemm, TakesInfinitiesAndNansOnlyWhereTheyBelong) {
  using T = typename TypeParam::Scalar;
  Size const s{67, 45, 523};
  auto [a, b] = this->real_factors(s, 9);
  a[static_cast<std::size_t>(66 * s.depth + 522)] = std::numeric_limits<T>::infinity();
  b[static_cast<std::size_t>(522 * s.cols + 44)] = T(0);
  for (Index j = 0; j < 44; ++j) b[static_cast<std::size_t>(522 * s.cols + j)] = T(1);
  auto const expected = reference::gemm(a, b, s.rows, s.cols, s.depth);
  ASSERT_TRUE(std::isnan(expected.back()));
  ASSERT_TRUE(std::isinf(expected[expected.size() - 2]));

  using Exec = typename TypeParam::Exec;
  using Host = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  using Device = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;
  Device const A("A", 67, 523);
  Device const B("B", 523, 45);
  Device const C("C", 67, 45);
  Kokkos::deep_copy(A, Host(a.data(), 67, 523));
  Kokkos::deep_copy(B, Host(b.data(), 523, 45));
  gemm(Exec(), A, B, C, {.kernels = kernels_under_test()});
  std::vector<T> c(expected.size());
  Kokkos::deep_copy(Host(c.data(), 67, 45), C);
  EXPECT_THAT(c, same_bits_as(expected));
}

TYPED_TEST(Gemm, NeverGivesANegativeZero) {
  using T = typename TypeParam::Scalar;
  for (Index const depth : {1, 3, 600}) {
    std::vector<T> const a(static_cast<std::size_t>(2 * depth), -std::numeric_limits<T>::min());
    std::vector<T> const b(static_cast<std::size_t>(3 * depth), std::numeric_limits<T>::min());
    this->expect_product({2, 3, depth}, {}, a, b, std::vector<T>(6, T(0)));
  }
}

TYPED_TEST(Gemm, NeitherFencesNorAllocatesWithAKeptWorkspace) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  Exec const own = test::instance_of_its_own<Exec>();
  for (Size const& s : {Size{60, 70, 80}, Size{64, 64, 1024}, Size{2, 3, 16384}}) {
    GuardedMatrix<Exec, T> const A({s.rows, s.depth}, {MatrixLayout::right});
    GuardedMatrix<Exec, T> const B({s.depth, s.cols}, {MatrixLayout::right});
    GuardedMatrix<Exec, T> const C({s.rows, s.cols}, {MatrixLayout::right});
    this->with_views(A, B, C, [&](auto const& a, auto const& b, auto const& c) {
      Workspace<Exec> workspace;
      GemmOptions<Exec> const options{.workspace = &workspace, .kernels = kernels_under_test()};
      gemm(own, a, b, c, options);
      KernelLog log;
      log.begin(Kokkos::Tools::Experimental::device_id(own));
      gemm(own, a, b, c, options);
      log.end();
      own.fence("tessera test: kernels are done");
      std::vector<std::string> labels;
      for (auto const& kernel : log.parallel_for) {
        labels.push_back(kernel.label);
        EXPECT_EQ(kernel.device, log.device()) << kernel.label;
      }
      std::vector<std::string> expected = {"tessera::gemm"};
      if (s.depth > 256) expected.emplace_back("tessera::gemm::combine");
      EXPECT_EQ(labels, expected);
      EXPECT_THAT(log.reductions_and_scans, IsEmpty());
      EXPECT_THAT(log.fences, IsEmpty());
      EXPECT_THAT(log.own_allocations(backends::Backend<Exec>::is_gpu), IsEmpty());
      EXPECT_THAT(log.deep_copies, IsEmpty());
    });
  }
}

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;

TEST(GemmErrors, RefusesSizesThatDoNotFit) {
  Matrix const A("A", 3, 5);
  EXPECT_THAT([&] { gemm(Exec(), A, Matrix("B", 4, 2), Matrix("C", 3, 2)); },
              refuses("gemm", "B must have 5 rows, found 4 x 2"));
  EXPECT_THAT([&] { gemm(Exec(), A, Matrix("B", 6, 2), Matrix("C", 3, 2)); },
              refuses("gemm", "B must have 5 rows, found 6 x 2"));
  EXPECT_THAT([&] { gemm(Exec(), A, Matrix("B", 5, 2), Matrix("C", 2, 3)); },
              refuses("gemm", "C must be 3 x 2, found 2 x 3"));
}

TEST(GemmErrors, RefusesAnOutputThatOverlapsAFactor) {
  Matrix const A("A", 8, 4);
  Matrix const B("B", 4, 4);
  auto const upper = Kokkos::subview(A, Kokkos::make_pair(0, 4), Kokkos::ALL);
  EXPECT_THAT([&] { gemm(Exec(), upper, B, upper); }, refuses("gemm", "C must not overlap A"));
  EXPECT_THAT([&] { gemm(Exec(), upper, B, B); }, refuses("gemm", "C must not overlap B"));
}

TEST(GemmErrors, RefusesATuningThatNoKernelCanFollow) {
  Matrix const A("A", 4, 4);
  Matrix const B("B", 4, 4);
  Matrix const C("C", 4, 4);
  for (GemmTuning const& tuning : {GemmTuning{0, 1, 1, 1}, GemmTuning{1, 0, 1, 1},
                                   GemmTuning{1, 1, 0, 1}, GemmTuning{1, 1, 1, 0}}) {
    EXPECT_THAT([&] { gemm(Exec(), A, B, C, {.tuning = tuning}); },
                refuses("GemmTuning", "must be at least 1"));
  }
  if constexpr (backends::Backend<Exec>::is_gpu) {
    EXPECT_THAT([&] { gemm(Exec(), A, B, C, {.tuning = GemmTuning{17, 19, 8, 1}}); },
                refuses("GemmTuning", "no kernel for tiles of 17 x 19"));
  }
}

TEST(GemmConcepts, TakeMatricesOfOneScalarAndNothingElse) {
  static_assert(FactorOf<Matrix, Exec, Matrix>);
  static_assert(OutputMatrixOf<Matrix, Exec, Matrix>);
  static_assert(!OutputMatrixOf<Kokkos::View<double const**, Exec>, Exec, Matrix>);
  static_assert(!FactorOf<Kokkos::View<float**, Exec>, Exec, Matrix>);
  static_assert(!FactorOf<Kokkos::View<double*, Exec>, Exec, Matrix>);
}

}  // namespace
}  // namespace tessera::test
