// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/narrow.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/tessera.hpp>

#include "support/cases.hpp"
#include "support/device_data.hpp"
#include "support/guarded_matrix.hpp"
#include "support/methods.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/tunings.hpp"

/// A narrow matrix gives the bits of the widened one.
namespace tessera::test {
namespace {

struct TwiceEvenRows {
  KOKKOS_FUNCTION float operator()(Index i, float b) const { return i % 2 == 0 ? 2 * b : b; }
};

constexpr std::array all_kernels{Kernels::automatic, Kernels::portable};

template <class C>
class Narrow : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using S = typename C::Element;
  using Space = typename Exec::memory_space;
  using Vector = Kokkos::View<float*, Space>;
  using Block = Kokkos::View<float**, Kokkos::LayoutLeft, Space>;
  using Values = std::vector<float>;

  static Vector vector(Index size, std::uint64_t seed) {
    return vector_on_device<C>(real_numbers<float>(static_cast<std::size_t>(size), seed));
  }
  static Block block(Index size, Index k, std::uint64_t seed) {
    Block const result("block", static_cast<std::size_t>(size), static_cast<std::size_t>(k));
    auto const numbers = real_numbers<float>(static_cast<std::size_t>(size * k), seed);
    auto const mirror = Kokkos::create_mirror_view(result);
    for (std::size_t i = 0; i < numbers.size(); ++i) mirror.data()[i] = numbers[i];
    Kokkos::deep_copy(result, mirror);
    return result;
  }

  static void expect_same(Vector const& found, Vector const& expected, std::string const& what) {
    EXPECT_THAT(elements_of(found), same_bits_as(elements_of(expected))) << what;
  }

  static void check_products(auto const& a, auto const& wide, std::string const& what) {
    auto const m = static_cast<Index>(a.extent(0));
    auto const n = static_cast<Index>(a.extent(1));
    Vector const v = vector(n, 1);
    Vector const u = vector(m, 2);
    Vector const b("b", a.extent(0));
    Vector const b_wide("b_wide", a.extent(0));
    Vector const c("c", a.extent(1));
    Vector const c_wide("c_wide", a.extent(1));
    auto const reset = [&] {
      Kokkos::deep_copy(b, poison<float>());
      Kokkos::deep_copy(c, poison<float>());
    };
    multiply(Exec(), wide, v, b_wide);
    multiply_transposed(Exec(), wide, u, c_wide);
    for (Kernels const kernels : all_kernels) {
      std::string const which = what + (kernels == Kernels::portable ? ", portable" : "");
      reset();
      multiply(Exec(), a, v, b, {.kernels = kernels});
      expect_same(b, b_wide, which + ", A·v");
      multiply_transposed(Exec(), a, u, c, {.kernels = kernels});
      expect_same(c, c_wide, which + ", Aᵀ·b");
    }
    atax(Exec(), wide, v, b_wide, c_wide);
    for (Kernels const kernels : all_kernels) {
      for (Method const method : all_methods) {
        reset();
        atax(Exec(), a, v, b, c, {.method = method, .kernels = kernels});
        std::string const which = what + ", " + std::string(name_of(method)) +
                                  (kernels == Kernels::portable ? ", portable" : "");
        expect_same(b, b_wide, which + ", B of ATAX");
        expect_same(c, c_wide, which + ", ATAX");
      }
    }
  }
};
TYPED_TEST_SUITE(Narrow, NarrowCases, NarrowCaseName);

/// At the end: lines of several tiles, more panels than lines of a step, panels of ten lines,
/// lines that no cache holds, and more columns than a tile.
constexpr std::array shapes{Shape{0, 5},      Shape{5, 0},     Shape{1, 1},      Shape{1, 300},
                            Shape{300, 1},    Shape{7, 64},    Shape{63, 65},    Shape{65, 63},
                            Shape{64, 257},   Shape{257, 64},  Shape{33, 1030},  Shape{9, 2049},
                            Shape{21, 5000},  Shape{1100, 17}, Shape{300000, 3}, Shape{3, 300000},
                            Shape{11, 20000}, Shape{300, 600}};

std::string describe(Shape const& shape, Stored const& stored) {
  return to_string(shape) + " " + name_of(stored);
}

TYPED_TEST(Narrow, HasTheBitsOfTheWidenedMatrix) {
  for (Shape const& shape : shapes) {
    for (MatrixLayout const layout : {MatrixLayout::right, MatrixLayout::left}) {
      with_numbers<TypeParam>(shape, {layout}, [&](auto const& a, auto const& wide) {
        TestFixture::check_products(a, wide, describe(shape, {layout}));
      });
    }
  }
}

/// Lines that accelerated kernels of GPUs take.
TYPED_TEST(Narrow, HasTheBitsOfTheWidenedMatrixInLongLines) {
  std::vector<Shape> long_lines{{1100, 2064}, {1200, 9024}, {70, 12336}};
  if (backends::Backend<typename TypeParam::Exec>::is_gpu) long_lines.push_back({1100, 33008});
  for (Shape const& shape : long_lines) {
    with_numbers<TypeParam>(shape, {MatrixLayout::right}, [&](auto const& a, auto const& wide) {
      TestFixture::check_products(a, wide, to_string(shape));
    });
  }
  with_numbers<TypeParam>({2064, 1100}, {MatrixLayout::left}, [&](auto const& a, auto const& wide) {
    TestFixture::check_products(a, wide, "columns");
  });
}

TYPED_TEST(Narrow, MayBePaddedAndUnaligned) {
  for (Shape const& shape : {Shape{63, 64}, Shape{64, 257}, Shape{20, 1300}, Shape{1300, 20}}) {
    for (Stored const& stored :
         {Stored{MatrixLayout::right, 1, 1}, Stored{MatrixLayout::left, 3, 5},
          Stored{MatrixLayout::right, 64, 3}, Stored{MatrixLayout::left, 4, 4}}) {
      with_numbers<TypeParam>(shape, stored, [&](auto const& a, auto const& wide) {
        TestFixture::check_products(a, wide, describe(shape, stored));
      });
    }
  }
}

TYPED_TEST(Narrow, MayHaveAnyStrides) {
  using Exec = typename TypeParam::Exec;
  using S = typename TypeParam::Element;
  using Strided = Kokkos::View<S const**, Kokkos::LayoutStride, typename Exec::memory_space>;
  for (MatrixLayout const layout : {MatrixLayout::right, MatrixLayout::left}) {
    with_numbers<TypeParam>({40, 70}, {layout, 3, 1}, [&](auto const& a, auto const& wide) {
      TestFixture::check_products(Strided(a), wide, "LayoutStride");
    });
  }
  // One line with gaps is packed.
  for (Shape const& shape : {Shape{1, 700}, Shape{700, 1}, Shape{1, 1}}) {
    Stored const stored{MatrixLayout::strided, 2, 1};
    with_numbers<TypeParam>(shape, stored, [&](auto const& a, auto const& wide) {
      TestFixture::check_products(a, wide, describe(shape, stored));
    });
  }
}

TYPED_TEST(Narrow, WidensEveryValue) {
  using Exec = typename TypeParam::Exec;
  using S = typename TypeParam::Element;
  using Bits = std::conditional_t<sizeof(S) == 1, std::uint8_t, std::uint16_t>;
  constexpr Index count = Index{1} << 8 * sizeof(S);
  auto const every = [](Index i, Index j) {
    return std::bit_cast<S>(static_cast<Bits>((i + j) % count));
  };
  std::vector<float> expected;
  for (Index i = 0; i < count; ++i) {
    expected.push_back(value_of(every(i, 0)));
    if (!same_bits(widen(every(i, 0)), expected.back())) ADD_FAILURE() << "widen of " << i;
    if (!same_bits(widen<double>(every(i, 0)), static_cast<double>(expected.back()))) {
      ADD_FAILURE() << "widen<double> of " << i;
    }
    expected.back() += 0.0F;  // sums of products are never -0
  }
  typename TestFixture::Vector const one("one", 1);
  Kokkos::deep_copy(one, 1.0F);
  typename TestFixture::Vector const found("found", static_cast<std::size_t>(count));
  for (Kernels const kernels : all_kernels) {
    for (MatrixLayout const layout : {MatrixLayout::right, MatrixLayout::left}) {
      with_matrices<TypeParam>({count, 1}, {layout}, every, [&](auto const& a, auto const&) {
        multiply(Exec(), a, one, found, {.kernels = kernels});
        EXPECT_THAT(elements_of(found), same_bits_as(expected));
      });
      with_matrices<TypeParam>({1, count}, {layout}, every, [&](auto const& a, auto const&) {
        multiply_transposed(Exec(), a, one, found, {.kernels = kernels});
        EXPECT_THAT(elements_of(found), same_bits_as(expected));
      });
      // Whole words and rests, with infinities and NaN in some rows and columns.
      with_matrices<TypeParam>({70, 1000}, {layout}, every, [&](auto const& a, auto const& wide) {
        TestFixture::check_products(a, wide, "every value");
      });
    }
  }
}

TYPED_TEST(Narrow, PassesInfinitiesAndNans) {
  using S = typename TypeParam::Element;
  if constexpr (std::is_integral_v<S>) {
    GTEST_SKIP() << "integers are finite";
  } else {
    constexpr bool is_half = std::is_same_v<S, Float16>;
    constexpr std::uint16_t infinity = is_half ? 0x7c00 : 0x7f80;
    constexpr std::uint16_t nan = is_half ? 0x7e01 : 0x7fc1;
    auto const with_some = [](Index i, Index j) -> S {
      if (i == 3 && j % 90 == 2) return {infinity};
      if (i == 50 && j % 90 == 2) return {infinity | 0x8000};
      if (i == 7 && j == 80) return {nan};
      return number<S>(9, i, j);
    };
    for (MatrixLayout const layout : {MatrixLayout::right, MatrixLayout::left}) {
      for (Shape const& shape : {Shape{60, 300}, Shape{300, 90}}) {
        with_matrices<TypeParam>(shape, {layout}, with_some, [&](auto const& a, auto const& wide) {
          TestFixture::check_products(a, wide, to_string(shape));
        });
      }
    }
  }
}

TYPED_TEST(Narrow, HasBlocks) {
  using Exec = typename TypeParam::Exec;
  using Block = typename TestFixture::Block;
  for (Shape const& shape :
       {Shape{1, 1}, Shape{33, 70}, Shape{700, 9}, Shape{40, 2500}, Shape{3, 0}}) {
    for (Index const k : {1, 3, 9}) {
      for (MatrixLayout const layout : {MatrixLayout::right, MatrixLayout::left}) {
        with_numbers<TypeParam>(shape, {layout}, [&](auto const& a, auto const& wide) {
          auto const [m, n] = shape;
          Block const V = TestFixture::block(n, k, 1);
          Block const U = TestFixture::block(m, k, 2);
          Block const B = TestFixture::block(m, k, 3);
          Block const C = TestFixture::block(n, k, 4);
          Block const B_wide = TestFixture::block(m, k, 5);
          Block const C_wide = TestFixture::block(n, k, 6);
          auto const expect_same = [&](std::string const& what) {
            EXPECT_THAT(elements_of(B), same_bits_as(elements_of(B_wide)))
                << what << describe(shape, {layout}) << " k " << k;
            EXPECT_THAT(elements_of(C), same_bits_as(elements_of(C_wide)))
                << what << describe(shape, {layout}) << " k " << k;
          };
          for (Kernels const kernels : all_kernels) {
            multiply(Exec(), a, V, B, {.kernels = kernels});
            multiply_transposed(Exec(), a, U, C, {.kernels = kernels});
            multiply(Exec(), wide, V, B_wide);
            multiply_transposed(Exec(), wide, U, C_wide);
            expect_same("products ");
            for (Method const method : all_methods) {
              Kokkos::deep_copy(C, poison<float>());
              atax(Exec(), a, V, C, {.method = method, .kernels = kernels});
              atax(Exec(), wide, V, C_wide);
              expect_same("alone ");
              atax(Exec(), a, V, B, C, {.method = method, .kernels = kernels, .alpha = 3});
              atax(Exec(), wide, V, B_wide, C_wide, {.alpha = 3});
              expect_same("atax ");
            }
          }
        });
      }
    }
  }
}

TYPED_TEST(Narrow, HasEveryOption) {
  using Exec = typename TypeParam::Exec;
  using Vector = typename TestFixture::Vector;
  TwiceEvenRows const twice;
  Workspace<Exec> workspace;
  for (Shape const& shape : {Shape{120, 70}, Shape{0, 5}, Shape{5, 0}, Shape{40, 3000}}) {
    for (MatrixLayout const layout : {MatrixLayout::right, MatrixLayout::left}) {
      with_numbers<TypeParam>(shape, {layout}, [&](auto const& a, auto const& wide) {
        Vector const v = TestFixture::vector(shape.cols, 1);
        Vector const w = TestFixture::vector(shape.rows, 2);
        Vector const z = TestFixture::vector(shape.cols, 3);
        Vector const b("b", a.extent(0));
        Vector const b_wide("b_wide", a.extent(0));
        Vector const c("c", a.extent(1));
        Vector const c_wide("c_wide", a.extent(1));
        auto const expect_same = [&](std::string const& what) {
          TestFixture::expect_same(b, b_wide, what);
          TestFixture::expect_same(c, c_wide, what);
        };
        for (Kernels const kernels : all_kernels) {
          for (Method const method : all_methods) {
            for (bool const keep_product : {false, true}) {
              atax(Exec(), a, v, b, c,
                   {.method = method,
                    .workspace = &workspace,
                    .kernels = kernels,
                    .map = maps::minus(w),
                    .alpha = 3,
                    .beta = 0.5F,
                    .z = z,
                    .keep_product = keep_product});
              atax(Exec(), wide, v, b_wide, c_wide,
                   {.map = maps::minus(w),
                    .alpha = 3,
                    .beta = 0.5F,
                    .z = z,
                    .keep_product = keep_product});
              expect_same("map");
            }
            atax(Exec(), a, v, c, {.method = method, .kernels = kernels, .map = maps::weights(w)});
            atax(Exec(), wide, v, c_wide, {.map = maps::weights(w)});
            expect_same("without B");
            atax(Exec(), a, v, b, c, twice, {.method = method, .kernels = kernels});
            atax(Exec(), wide, v, b_wide, c_wide, twice);
            expect_same("function");
            atax(Exec(), a, v, c, twice, {.method = method, .kernels = kernels});
            expect_same("function without B");
          }
        }
      });
    }
  }
}

TYPED_TEST(Narrow, NoTuningChangesABit) {
  using Exec = typename TypeParam::Exec;
  using Vector = typename TestFixture::Vector;
  for (Shape const& shape : {Shape{130, 1100}, Shape{1100, 130}}) {
    for (MatrixLayout const layout : {MatrixLayout::right, MatrixLayout::left}) {
      with_numbers<TypeParam>(shape, {layout}, [&](auto const& a, auto const& wide) {
        Vector const v = TestFixture::vector(shape.cols, 1);
        Vector const u = TestFixture::vector(shape.rows, 2);
        Vector const b("b", a.extent(0));
        Vector const b_wide("b_wide", a.extent(0));
        Vector const c("c", a.extent(1));
        Vector const c_wide("c_wide", a.extent(1));
        Vector const d("d", a.extent(1));
        Vector const d_wide("d_wide", a.extent(1));
        atax(Exec(), wide, v, b_wide, c_wide);
        multiply_transposed(Exec(), wide, u, d_wide);
        for (Tuning const& tuning : odd_tunings()) {
          for (Method const method : all_methods) {
            atax(Exec(), a, v, b, c, {.method = method, .tuning = tuning});
            TestFixture::expect_same(b, b_wide, "B");
            TestFixture::expect_same(c, c_wide, "C");
          }
          multiply(Exec(), a, v, b, {.tuning = tuning});
          TestFixture::expect_same(b, b_wide, "A·v");
          multiply_transposed(Exec(), a, u, d, {.tuning = tuning});
          TestFixture::expect_same(d, d_wide, "Aᵀ·b");
        }
      });
    }
  }
}

TYPED_TEST(Narrow, ComputesWithDoubles) {
  using Exec = typename TypeParam::Exec;
  using S = typename TypeParam::Element;
  using Space = typename Exec::memory_space;
  Kokkos::View<S**, Kokkos::LayoutRight, Space> const a("a", 37, 300);
  Kokkos::View<double**, Kokkos::LayoutRight, Space> const wide("wide", 37, 300);
  auto const narrow_mirror = Kokkos::create_mirror_view(a);
  auto const wide_mirror = Kokkos::create_mirror_view(wide);
  for (Index i = 0; i < 37; ++i) {
    for (Index j = 0; j < 300; ++j) {
      narrow_mirror(i, j) = number<S>(3, i, j);
      wide_mirror(i, j) = static_cast<double>(value_of(narrow_mirror(i, j)));
    }
  }
  Kokkos::deep_copy(a, narrow_mirror);
  Kokkos::deep_copy(wide, wide_mirror);
  Kokkos::View<double*, Space> const v("v", 300);
  Kokkos::View<double*, Space> const c("c", 300);
  Kokkos::View<double*, Space> const c_wide("c_wide", 300);
  Kokkos::deep_copy(v, 0.1);
  atax(Exec(), wide, v, c_wide);
  for (Kernels const kernels : all_kernels) {
    atax(Exec(), a, v, c, {.kernels = kernels});
    EXPECT_THAT(elements_of(c), same_bits_as(elements_of(c_wide)));
  }
}

TYPED_TEST(Narrow, RefusesWhatItCannotCompute) {
  using Exec = typename TypeParam::Exec;
  using S = typename TypeParam::Element;
  using Space = typename Exec::memory_space;
  using Vector = typename TestFixture::Vector;
  Exec const exec;
  Kokkos::View<S**, Kokkos::LayoutRight, Space> const a("a", 6, 8);
  Vector const v("v", 8);
  Vector const b("b", 6);
  Vector const c("c", 8);
  EXPECT_THAT([&] { multiply(exec, a, b, b); }, refuses("v must have 8 entries, found 6"));
  EXPECT_THAT([&] { atax(exec, a, v, v); }, refuses("C must not overlap v"));
  // A counts with the bytes that it has, not with the bytes of floats.
  Vector const memory("memory", 60);
  Kokkos::View<S**, Kokkos::LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      within(reinterpret_cast<S*>(memory.data()), 6, 8);
  std::size_t const end = 6 * 8 * sizeof(S) / sizeof(float);
  auto const behind = Kokkos::subview(memory, std::make_pair(end, end + 8));
  auto const over_last = Kokkos::subview(memory, std::make_pair(end - 1, end + 7));
  EXPECT_NO_THROW(atax(exec, within, v, behind));
  EXPECT_THAT([&] { atax(exec, within, v, over_last); }, refuses("C must not overlap A"));
  Kokkos::View<S**, Kokkos::LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      nowhere(static_cast<S*>(nullptr), 6, 8);
  EXPECT_THAT([&] { multiply_transposed(exec, nowhere, b, c); },
              refuses("A has no memory: its data() is null"));
  Kokkos::View<S**, Kokkos::LayoutStride, Space> const gaps(within.data(),
                                                            Kokkos::LayoutStride(3, 16, 4, 2));
  Vector const three("three", 3);
  Vector const four("four", 4);
  EXPECT_THAT([&] { multiply(exec, gaps, four, three); },
              refuses("A must have contiguous rows or columns"));
  if constexpr (backends::Backend<Exec>::is_gpu) {
    EXPECT_THAT([&] { multiply(exec, a, v, b, {.kernels = Kernels::accelerated}); },
                refuses("choose automatic or portable ones"));
  } else if constexpr (backends::IsAccelerated<Exec>) {
    EXPECT_NO_THROW(multiply(exec, a, v, b, {.kernels = Kernels::accelerated}));
  }
}

static_assert(NarrowMatrix<Kokkos::View<std::int8_t const**>>);
static_assert(NarrowMatrix<Kokkos::View<Float16**, Kokkos::LayoutStride>>);
static_assert(!NarrowMatrix<Kokkos::View<std::int32_t**>>);
static_assert(!NarrowMatrix<Kokkos::View<float**>>);
static_assert(!NarrowMatrix<Kokkos::View<std::int8_t*>>);
#if !KOKKOS_HALF_T_IS_FLOAT
static_assert(NarrowMatrix<Kokkos::View<Kokkos::Experimental::half_t**>>);
#endif
#if !KOKKOS_BHALF_T_IS_FLOAT
static_assert(NarrowMatrix<Kokkos::View<Kokkos::Experimental::bhalf_t**>>);
#endif

}  // namespace
}  // namespace tessera::test
