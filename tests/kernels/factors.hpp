// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/stream.hpp>

#include "support/cases.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/reference.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/shapes.hpp"

/// A function between ATAX's products has the bits of the reference's two products.
namespace tessera::test {

/// A matrix that readers provide or, if InKernels, the threads that use it.
template <class T, class LayoutT, bool InKernels>
class Source {
 public:
  using value_type = T;
  using array_layout = LayoutT;
  static constexpr bool reads_in_kernels = InKernels;

  explicit Source(HostMatrix<T> const& matrix) : matrix_(matrix) {
    static_assert(stream::may_read_in_kernels<Source> == reads_in_kernels);
  }
  [[nodiscard]] Index rows() const { return matrix_.shape().rows; }
  [[nodiscard]] Index cols() const { return matrix_.shape().cols; }
  void read(stream::Block const& block, T* to) const {
    constexpr bool row_major = std::is_same_v<LayoutT, Kokkos::LayoutRight>;
    Index const first = row_major ? block.first_row : block.first_col;
    Index const element = row_major ? block.first_col : block.first_row;
    Index const elements = row_major ? block.cols : block.rows;
    for (Index i = 0; i < (row_major ? block.rows : block.cols); ++i) {
      std::copy_n(matrix_.line(first + i) + element, elements, to + i * elements);
    }
  }

 private:
  HostMatrix<T> const& matrix_;
};

template <class C>
class Factors : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Vector = std::vector<T>;
  static constexpr bool row_major = C::order == reference::Order::row_major;

  struct Problem {
    HostMatrix<T> A;
    Vector v;
    Vector weights;
    Vector first;
    Vector second;

    explicit Problem(Shape shape)
        : A(shape, C::order, real_numbers<T>(static_cast<std::size_t>(shape.size()), 1)),
          v(real_numbers<T>(static_cast<std::size_t>(shape.cols), 2)),
          weights(real_numbers<T>(static_cast<std::size_t>(shape.rows), 3)),
          first(reference::multiply(A.for_reference(), v)) {
      Vector weighted = first;
      for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] = weights[i] * weighted[i];
      second = reference::multiply_transposed(A.for_reference(), weighted);
    }
  };

  template <class Atax>
  static void expect_products(Problem const& problem, Atax const& atax, std::string const& how) {
    GuardedVector<C> const v(problem.v, 1);
    GuardedVector<C> const weights(problem.weights, 1);
    auto const expect_c = [&](GuardedVector<C> const& c, std::string const& when) {
      Kokkos::fence();
      EXPECT_THAT(c.to_host(), same_bits_as(problem.second))
          << problem.A.shape() << ", " << when << ", " << how;
    };
    GuardedVector<C> const alone(problem.A.shape().cols, 1);
    atax(v.contiguous(), maps::weights(weights.contiguous()), alone.contiguous());
    expect_c(alone, "without B");
    for (Index const stride : {1, 3}) {
      GuardedVector<C> const b(problem.A.shape().rows, stride);
      GuardedVector<C> const c(problem.A.shape().cols, stride);
      atax(v.contiguous(), maps::weights(weights.contiguous()), b.strided(), c.strided());
      expect_c(c, "with B, stride " + std::to_string(stride));
      EXPECT_THAT(b.to_host(), same_bits_as(problem.first)) << problem.A.shape() << ", " << how;
    }
  }
  static void expect_in_memory(Problem const& problem) {
    DeviceMatrix<C> const A = matrix_on_device<C>(problem.A);
    Tuning const small{.dot = {2, 16, 2},
                       .sum = {4, 137, 4},
                       .fused_lines = {2, false, 16},
                       .fused_tiles = {2, 2, 4}};
    for (Kernels const set : {Kernels::portable, Kernels::automatic}) {
      for (Method const method : {Method::fused, Method::two_stage}) {
        for (auto const& tuning : {std::optional<Tuning>(), std::optional<Tuning>(small)}) {
          expect_products(
              problem,
              [&](auto const& v, auto const& map, auto const&... out) {
                atax(Exec(), A, v, out...,
                     {.method = method,
                      .tuning = tuning,
                      .kernels = set,
                      .map = map,
                      .keep_product = true});
              },
              std::string(set == Kernels::portable ? "portable, " : "the backend's own, ") +
                  (method == Method::fused ? "fused" : "two-stage") + (tuning ? ", small" : ""));
        }
      }
    }
  }
  template <bool InKernels>
  static void expect_streamed(Problem const& problem) {
    Source<T, typename C::Layout, InKernels> const source(problem.A);
    for (Kernels const set : {Kernels::portable, Kernels::automatic}) {
      for (Method const method : {Method::fused, Method::two_stage}) {
        for (bool const is_small : {true, false}) {
          expect_products(
              problem,
              [&](auto const& v, auto const& map, auto const&... out) {
                stream::Options<T> options;
                options.method = method;
                options.kernels = set;
                auto const run = [&](std::size_t limit) {
                  options.memory_limit = limit;
                  stream::atax(Exec(), source, v, out..., options,
                               {.map = map, .keep_product = true});
                };
                std::size_t limit = std::size_t{1} << 30;
                if (is_small) {
                  try {
                    run(1);
                  } catch (stream::LimitError const& error) {
                    // Tens of blocks: a GPU waits for each.
                    limit = error.needed() +
                            problem.first.size() * problem.second.size() * sizeof(T) / 32;
                  }
                }
                run(limit);
              },
              std::string("streamed, ") + (is_small ? "small blocks, " : "") +
                  (method == Method::fused ? "fused" : "two-stage"));
        }
      }
    }
  }
};
TYPED_TEST_SUITE_P(Factors);

TYPED_TEST_P(Factors, AreMultipliedWithInEveryKernel) {
  using T = typename TypeParam::Scalar;
  for (auto const& [count, length] : lines_of_every_kernel(summation::lanes<T>)) {
    this->expect_in_memory(typename TestFixture::Problem(this->row_major ? Shape{count, length}
                                                                         : Shape{length, count}));
  }
}

TYPED_TEST_P(Factors, AreMultipliedWithInMatricesOfFewRowsAndColumns) {
  for (Shape const& shape : few_shapes()) {
    this->expect_in_memory(typename TestFixture::Problem(shape));
  }
}

TYPED_TEST_P(Factors, AreMultipliedWithAsBlocksCome) {
  for (Shape const& shape : {Shape{1, 1}, Shape{1000, 77}, Shape{77, 1000}, Shape{9000, 40}}) {
    typename TestFixture::Problem const problem(shape);
    this->template expect_streamed<false>(problem);
    this->template expect_streamed<true>(problem);
  }
}

TYPED_TEST_P(Factors, AreFollowedByAScaleAndASumAfterTheLastBlock) {
  using T = typename TypeParam::Scalar;
  typename TestFixture::Problem const p(Shape{9000, 40});
  Source<T, typename TypeParam::Layout, false> const source(p.A);
  auto const mapped = reference::map("minus", p.first, p.weights);
  GuardedVector<TypeParam> const v(p.v, 1);
  GuardedVector<TypeParam> const y(p.weights, 1);
  GuardedVector<TypeParam> const b(9000, 1);
  GuardedVector<TypeParam> const c(40, 1);
  stream::atax(typename TypeParam::Exec(), source, v.contiguous(), b.contiguous(), c.contiguous(),
               {},
               {.map = maps::minus(y.contiguous()), .alpha = 3, .beta = 2, .z = v.contiguous()});
  EXPECT_THAT(b.to_host(), same_bits_as(mapped));
  EXPECT_THAT(c.to_host(),
              same_bits_as(reference::scale_and_add<T>(
                  3, reference::multiply_transposed(p.A.for_reference(), mapped), 2, p.v)));
}

TYPED_TEST_P(Factors, OfAStateAreThoseOfTheStreamThatGoesOn) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  typename TestFixture::Problem const p(Shape{9000, 40});
  Source<T, typename TypeParam::Layout, false> const source(p.A);
  GuardedVector<TypeParam> const v(p.v, 1);
  GuardedVector<TypeParam> const w(p.weights, 1);
  GuardedVector<TypeParam> const b(9000, 1);
  GuardedVector<TypeParam> const c(40, 1);
  std::optional<stream::State<T>> state;
  stream::Options<T> options{.memory_limit = std::size_t{1} << 20U,
                             .wants_state = [&](auto const&) { return !state.has_value(); },
                             .on_state = [&](auto const& found) { state = found; }};
  stream::AtaxTerms<Exec, T> const terms{.map = maps::weights(w.contiguous())};
  stream::atax(Exec(), source, v.contiguous(), b.contiguous(), c.contiguous(), options, terms);
  ASSERT_TRUE(state.has_value());
  stream::Options<T> const resume{.memory_limit = options.memory_limit, .resume = &*state};
  GuardedVector<TypeParam> const b2(9000, 1);
  GuardedVector<TypeParam> const c2(40, 1);
  stream::atax(Exec(), source, v.contiguous(), b2.contiguous(), c2.contiguous(), resume, terms);
  EXPECT_THAT(b2.to_host(), same_bits_as(b.to_host()));
  EXPECT_THAT(c2.to_host(), same_bits_as(p.second));
  EXPECT_THAT(
      [&] {
        stream::atax(Exec(), source, v.contiguous(), b2.contiguous(), c2.contiguous(), resume,
                     {.map = maps::minus(w.contiguous())});
      },
      refuses("expected a state of"));
}

REGISTER_TYPED_TEST_SUITE_P(Factors, AreMultipliedWithInEveryKernel,
                            AreMultipliedWithInMatricesOfFewRowsAndColumns,
                            AreMultipliedWithAsBlocksCome,
                            AreFollowedByAScaleAndASumAfterTheLastBlock,
                            OfAStateAreThoseOfTheStreamThatGoesOn);

template <class LayoutT, class T>
struct FactorsOf {
  template <class Exec>
  using On = std::tuple<Case<Exec, LayoutT, T>>;
  using Cases = detail::AsTestingTypes<typename detail::CasesOnAll<On, Tested>::Type>;
  using Type = typename Cases::Type;
};

}  // namespace tessera::test
