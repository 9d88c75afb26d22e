// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "support/case_test.hpp"
#include "support/resident.hpp"
#include "support/shapes.hpp"
#include "support/tunings.hpp"

/// The smallest matrices that reach every kernel, for memory checkers.
namespace tessera::test {
namespace {

template <class C>
using EveryKernel = testing::Test;
TYPED_TEST_SUITE(EveryKernel, Cases, CaseName);

TYPED_TEST(EveryKernel, HasTheBitsOfTheReference) {
  using T = typename TypeParam::Scalar;
  constexpr bool row_major = TypeParam::order == Order::row_major;
  auto const all_lines = lines_of_every_kernel(summation::lanes<T>);
  std::vector<Tuning> const tunings{
      {.dot = {1, 1, 0}, .sum = {8, 64, 1}, .fused_lines = {4, true, 1}, .fused_tiles = {1, 1, 8}},
      {.dot = {2, 16, 2},
       .sum = {4, 137, 4},
       .fused_lines = {2, false, 16},
       .fused_tiles = {2, 2, 4}},
      {.dot = {8, 64, 0},
       .sum = {8, 512, 64},
       .fused_lines = {8, true, 64},
       .fused_tiles = {4, 8, 8}},
  };
  auto const resident = make_resident_of<TypeParam>(Instance::own);
  Index longest = 0;
  Index most = 0;
  for (auto const& [count, length] : all_lines) {
    longest = std::max(longest, length + 8);
    most = std::max(most, count * (length + 8));
  }
  resident->fill(most + 8, longest, 41);
  for (auto const& [count, whole_length] : all_lines) {
    for (bool const aligned : {true, false}) {
      Index const length = aligned ? whole_length : whole_length + 1;
      Part const A{row_major ? Shape{count, length} : Shape{length, count}, aligned ? 0 : 5,
                   aligned ? length : length + 2};
      auto const elements = resident->matrix_numbers(A.first, count * A.leading);
      auto const v = resident->input_numbers(0, A.shape.cols);
      auto const B = resident->input_numbers(0, A.shape.rows);
      reference::Matrix<T> const matrix{elements.data(), A.shape.rows, A.shape.cols, A.leading,
                                        TypeParam::order};
      auto const product = reference::multiply(matrix, v);
      auto const try_out = [&](Operation operation, BothResults<T> const& expected) {
        resident->expect(expected);
        for (Tuning const& tuning : tunings) {
          resident->enqueue(
              {.operation = operation, .A = A, .method = Method::fused, .tuning = tuning});
          EXPECT_EQ(resident->differences(), 0)
              << A.shape << ", lines " << A.leading << " apart, operation "
              << static_cast<int>(operation) << ", tuning " << testing::PrintToString(tuning);
        }
      };
      try_out(Operation::multiply, {product, {}});
      try_out(Operation::multiply_transposed, {{}, reference::multiply_transposed(matrix, B)});
      try_out(Operation::atax_with_intermediate,
              {product, reference::multiply_transposed(matrix, product)});
    }
  }
}

}  // namespace
}  // namespace tessera::test
