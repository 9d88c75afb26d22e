// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/tessera.hpp>

#include "support/cases.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/reference.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/shapes.hpp"

/// Column j has the bits of the product with column j.
namespace tessera::test {
namespace {

template <class C>
class Blocks : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Block = Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space>;
  using Columns = std::vector<std::vector<T>>;

  /// Copied as a whole: device elements with gaps cannot be copied.
  class Stored {
   public:
    Stored(Index rows, Index cols, int order)
        : rows_(static_cast<std::size_t>(rows)),
          cols_(static_cast<std::size_t>(cols)),
          row_stride_(order == 0   ? cols_
                      : order == 1 ? 1
                                   : 2 * cols_ + 1),
          col_stride_(order == 0   ? 1
                      : order == 1 ? rows_
                                   : 2),
          memory_("block", rows_ * row_stride_ + cols_ * col_stride_) {
      Kokkos::deep_copy(memory_, poison<T>());
    }
    Stored(Columns const& columns, int order)
        : Stored(static_cast<Index>(columns[0].size()), static_cast<Index>(columns.size()), order) {
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory_);
      for (std::size_t j = 0; j < cols_; ++j) {
        for (std::size_t i = 0; i < rows_; ++i) host(place(i, j)) = columns[j][i];
      }
      Kokkos::deep_copy(memory_, host);
    }
    [[nodiscard]] Block view() const {
      return Block(memory_.data(), Kokkos::LayoutStride(rows_, row_stride_, cols_, col_stride_));
    }
    [[nodiscard]] std::vector<T> column(std::size_t j) const {
      Kokkos::fence();
      auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory_);
      std::vector<T> values(rows_);
      for (std::size_t i = 0; i < rows_; ++i) values[i] = host(place(i, j));
      return values;
    }

   private:
    [[nodiscard]] std::size_t place(std::size_t i, std::size_t j) const {
      return i * row_stride_ + j * col_stride_;
    }
    std::size_t rows_;
    std::size_t cols_;
    std::size_t row_stride_;
    std::size_t col_stride_;
    DeviceVector<C> memory_;
  };
};
TYPED_TEST_SUITE(Blocks, Cases, CaseName);

TYPED_TEST(Blocks, HaveTheBitsOfTheirColumns) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  using Stored = typename TestFixture::Stored;
  Workspace<Exec> workspace;
  for (Shape const& shape : {Shape{1, 1}, Shape{33, 70}, Shape{700, 9}, Shape{40, 1500}}) {
    for (std::size_t const k : {1U, 3U, 8U}) {
      HostMatrix<T> const A(shape, TypeParam::order,
                            real_numbers<T>(static_cast<std::size_t>(shape.size()), 1));
      auto const on_device = matrix_on_device<TypeParam>(A);
      typename TestFixture::Columns v;
      typename TestFixture::Columns u;
      for (std::size_t j = 0; j < k; ++j) {
        v.push_back(real_numbers<T>(static_cast<std::size_t>(shape.cols), 10 + j));
        u.push_back(real_numbers<T>(static_cast<std::size_t>(shape.rows), 100 + j));
      }
      GuardedVector<TypeParam> const w(u[0], 1);
      for (int const order : {0, 1, 2}) {
        Stored const V(v, order);
        auto const cols = static_cast<Index>(k);
        Stored const B(shape.rows, cols, (order + 1) % 3);
        Stored const C(shape.cols, cols, (order + 2) % 3);
        multiply(Exec(), on_device, V.view(), B.view(), {.workspace = &workspace});
        multiply_transposed(Exec(), on_device, Stored(u, order).view(), C.view());
        for (std::size_t j = 0; j < k; ++j) {
          EXPECT_THAT(B.column(j), same_bits_as(reference::multiply(A.for_reference(), v[j])))
              << shape << ", column " << j << " of " << k << ", order " << order;
          EXPECT_THAT(C.column(j),
                      same_bits_as(reference::multiply_transposed(A.for_reference(), u[j])));
        }
        atax(Exec(), on_device, V.view(), B.view(), C.view(),
             {.map = maps::weights(w.contiguous()), .alpha = 2});
        Stored const alone(shape.cols, cols, order);
        atax(Exec(), on_device, V.view(), alone.view(), {.workspace = &workspace});
        for (std::size_t j = 0; j < k; ++j) {
          auto const mapped =
              reference::map("weights", reference::multiply(A.for_reference(), v[j]), u[0]);
          auto const c = reference::multiply_transposed(A.for_reference(), mapped);
          EXPECT_THAT(B.column(j), same_bits_as(mapped)) << shape;
          EXPECT_THAT(C.column(j), same_bits_as(reference::scale_and_add<T>(2, c, 0, {}))) << shape;
          EXPECT_THAT(alone.column(j), same_bits_as(reference::atax(A.for_reference(), v[j])))
              << shape;
        }
      }
    }
  }
}

/// GPUs with clusters fuse two vectors of such lines, which one or two teams share.
TYPED_TEST(Blocks, OfLongLinesHaveTheBitsOfEachColumnAlone) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  using Stored = typename TestFixture::Stored;
  for (Shape const& shape : {Shape{1100, 1032}, Shape{1100, 1029}, Shape{1200, 9001}}) {
    HostMatrix<T> const A(shape, TypeParam::order,
                          real_numbers<T>(static_cast<std::size_t>(shape.size()), 3));
    auto const on_device = matrix_on_device<TypeParam>(A);
    typename TestFixture::Columns v;
    typename TestFixture::Columns b;
    typename TestFixture::Columns c;
    for (std::size_t j = 0; j < 3; ++j) {
      v.push_back(real_numbers<T>(static_cast<std::size_t>(shape.cols), 10 + j));
      b.push_back(reference::multiply(A.for_reference(), v[j]));
      c.push_back(reference::atax(A.for_reference(), v[j]));
    }
    for (std::size_t const k : {2U, 3U}) {
      auto const cols = static_cast<Index>(k);
      Stored const V({v.begin(), v.begin() + cols}, 0);
      for (Method const method : {Method::automatic, Method::fused}) {
        Stored const B(shape.rows, cols, 1);
        Stored const C(shape.cols, cols, 0);
        atax(Exec(), on_device, V.view(), B.view(), C.view(), {.method = method});
        for (std::size_t j = 0; j < k; ++j) {
          EXPECT_THAT(B.column(j), same_bits_as(b[j])) << shape << ", column " << j << " of " << k;
          EXPECT_THAT(C.column(j), same_bits_as(c[j])) << shape << ", column " << j << " of " << k;
        }
      }
    }
  }
}

TYPED_TEST(Blocks, OfAnyWidthHaveTheBitsOfEachColumnAlone) {
  using Exec = typename TypeParam::Exec;
  using T = typename TypeParam::Scalar;
  using Stored = typename TestFixture::Stored;
  std::vector<std::size_t> widths{1, 2, 3, 4, 5, 8, 9, 17, 64};
  if (some_are_enough()) widths = {1, 3, 33};
  // Over a panel and a segment; long lines; many panels.
  for (Shape const& shape : {Shape{70, 611}, Shape{19, 9000}, Shape{2500, 36}, Shape{300, 4096}}) {
    HostMatrix<T> const A(shape, TypeParam::order,
                          real_numbers<T>(static_cast<std::size_t>(shape.size()), 2));
    auto const on_device = matrix_on_device<TypeParam>(A);
    typename TestFixture::Columns v;
    typename TestFixture::Columns u;
    typename TestFixture::Columns b;
    typename TestFixture::Columns c;
    typename TestFixture::Columns w;
    for (std::size_t j = 0; j < widths.back(); ++j) {
      v.push_back(real_numbers<T>(static_cast<std::size_t>(shape.cols), 10 + j));
      u.push_back(real_numbers<T>(static_cast<std::size_t>(shape.rows), 100 + j));
      b.push_back(reference::multiply(A.for_reference(), v[j]));
      c.push_back(reference::atax(A.for_reference(), v[j]));
      w.push_back(reference::multiply_transposed(A.for_reference(), u[j]));
    }
    for (std::size_t const k : widths) {
      int const order = static_cast<int>(k % 3);
      auto const some = [&](auto const& all) {
        return typename TestFixture::Columns(all.begin(),
                                             all.begin() + static_cast<std::ptrdiff_t>(k));
      };
      auto const cols = static_cast<Index>(k);
      Stored const V(some(v), order);
      Stored const U(some(u), order);
      for (Kernels const kernels : {Kernels::portable, Kernels::automatic}) {
        Stored const B(shape.rows, cols, order);
        Stored const W(shape.cols, cols, (order + 1) % 3);
        multiply(Exec(), on_device, V.view(), B.view(), {.kernels = kernels});
        multiply_transposed(Exec(), on_device, U.view(), W.view(), {.kernels = kernels});
        for (std::size_t j = 0; j < k; ++j) {
          ASSERT_THAT(B.column(j), same_bits_as(b[j])) << shape << ", column " << j << " of " << k;
          ASSERT_THAT(W.column(j), same_bits_as(w[j])) << shape << ", column " << j << " of " << k;
        }
        for (Method const method : {Method::automatic, Method::fused, Method::two_stage}) {
          Stored const between(shape.rows, cols, (order + 2) % 3);
          Stored const C(shape.cols, cols, order);
          atax(Exec(), on_device, V.view(), between.view(), C.view(),
               {.method = method, .kernels = kernels});
          for (std::size_t j = 0; j < k; ++j) {
            ASSERT_THAT(between.column(j), same_bits_as(b[j])) << shape << ", column " << j;
            ASSERT_THAT(C.column(j), same_bits_as(c[j])) << shape << ", column " << j;
          }
        }
      }
    }
  }
}

TEST(BlocksOnHost, RefuseWhatDoesNotFit) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  Matrix const A("A", 4, 3);
  Matrix const V("V", 3, 2);
  Matrix const B("B", 4, 2);
  Kokkos::View<float*, Kokkos::HostSpace> const z("z", 3);
  Matrix const C("C", 3, 2);
  Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> const of_three("A", 3, 3);
  Kokkos::deep_copy(of_three, 1);
  Kokkos::deep_copy(C, -7);
  expect_refused(
      [&] {
        atax(Exec(), of_three, V, C, {.map = maps::weights(Kokkos::subview(C, Kokkos::ALL, 1))});
      },
      "C must not overlap the map's vector");
  EXPECT_EQ(C(0, 0), -7);
  expect_refused([&] { multiply(Exec(), A, B, B); }, "multiply: v must have 3 rows, found 4 x 2");
  expect_refused([&] { multiply(Exec(), A, V, Matrix("B", 4, 3)); },
                 "multiply: B must be 4 x 2, found 4 x 3");
  expect_refused([&] { multiply_transposed(Exec(), A, V, V); },
                 "multiply_transposed: B must have 4 rows, found 3 x 2");
  expect_refused([&] { atax(Exec(), A, V, V); }, "atax: C must not overlap V");
  expect_refused([&] { atax(Exec(), A, V, Matrix("C", 3, 2), {.beta = 1, .z = z}); },
                 "expected beta of 0 for a block of them");
}

}  // namespace
}  // namespace tessera::test
