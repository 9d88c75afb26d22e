// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/operation.hpp>
#include <bench/shapes.hpp>
#include <stdexcept>

#include <gmock/gmock.h>

namespace tessera::bench {
namespace {

using ::testing::ElementsAre;

TEST(BenchShapes, ListsOfMatricesAndProductsAreRead) {
  EXPECT_THAT(
      parse_shapes("4x5,1000x1+3"),
      ElementsAre(Shape{.rows = 4, .cols = 5}, Shape{.rows = 1000, .cols = 1, .padding = 3}));
  EXPECT_THAT(parse_shapes("2x3x4,7", ShapeKind::product),
              ElementsAre(Shape{.rows = 2, .cols = 4, .factor_cols = 3},
                          Shape{.rows = 7, .cols = 7, .factor_cols = 7}));
}

TEST(BenchShapes, NamesAreReadBackAsTheSameShapes) {
  for (auto const kind : {ShapeKind::matrix, ShapeKind::product}) {
    auto const grid = parse_shapes("grid", kind);
    ASSERT_GT(grid.size(), 10u);
    for (auto const& shape : grid) {
      EXPECT_EQ(shape.is_product(), kind == ShapeKind::product);
      EXPECT_THAT(parse_shapes(name_of(shape), kind), ElementsAre(shape));
    }
    EXPECT_LT(parse_shapes("quick", kind).size(), grid.size());
  }
}

void expect_refused(std::string const& list, ShapeKind kind, std::string const& expected) {
  EXPECT_THAT(
      [&] { parse_shapes(list, kind); },
      ::testing::ThrowsMessage<std::invalid_argument>(::testing::AllOf(
          ::testing::HasSubstr("' is no shape"), ::testing::HasSubstr("expected " + expected))))
      << list;
}

TEST(BenchShapes, WhatIsNoShapeIsRefusedWithTheTextItself) {
  for (char const* const text : {"", "4", "4x", "x4", "4x5x6", "0x4", "4x-1", "4x5+", "4x5+-1",
                                 "4x5 ", "4x5,,", "99999999999999999999x1", "big"}) {
    expect_refused(text, ShapeKind::matrix, "ROWSxCOLS or ROWSxCOLS+PADDING");
  }
  for (char const* const text : {"", "4x5", "0", "4x5x6x7", "4x5x6+1", "x"}) {
    expect_refused(text, ShapeKind::product, "MxNxK or N, all at least 1");
  }
  expect_refused("2x2,3x", ShapeKind::matrix, "ROWSxCOLS");
  EXPECT_THAT([] { parse_shapes("2x2,3x"); },
              ::testing::ThrowsMessage<std::invalid_argument>(::testing::HasSubstr("'3x'")));
}

TEST(BenchOperations, BytesAndFlopsFollowFromTheShape) {
  Shape const shape{.rows = 10, .cols = 7, .padding = 3};
  EXPECT_EQ(operation_named("multiply").bytes(shape, 4), 4 * (70 + 10 + 7));
  EXPECT_EQ(operation_named("multiply").flops(shape), 2 * 70);
  EXPECT_EQ(operation_named("multiply_transposed").bytes(shape, 8), 8 * (70 + 10 + 7));
  EXPECT_EQ(operation_named("multiply_transposed").flops(shape), 2 * 70);
  EXPECT_EQ(operation_named("multiply_both").bytes(shape, 4), 4 * (70 + 2 * (10 + 7)));
  EXPECT_EQ(operation_named("multiply_both").flops(shape), 4 * 70);
  EXPECT_EQ(operation_named("atax").bytes(shape, 4), 4 * (70 + 7 + 7));
  EXPECT_EQ(operation_named("atax").flops(shape), 4 * 70);
  EXPECT_EQ(operation_named("aatx").bytes(shape, 4), 4 * (70 + 10 + 10));
  EXPECT_EQ(operation_named("aatx").flops(shape), 4 * 70);
  EXPECT_EQ(operation_named("transpose").bytes(shape, 4), 4 * 2 * 70);
  EXPECT_EQ(operation_named("transpose").flops(shape), 0);
  Shape const product{.rows = 2, .cols = 3, .factor_cols = 5};
  EXPECT_EQ(operation_named("gemm").bytes(product, 4), 4 * (6 + 15 + 10));
  EXPECT_EQ(operation_named("gemm").flops(product), 2 * 2 * 3 * 5);
  EXPECT_EQ(operation_named("atax_block").bytes(product, 4), 4 * (6 + 15 + 15));
  EXPECT_EQ(operation_named("atax_block").flops(product), 4 * 2 * 3 * 5);
  EXPECT_THAT([] { static_cast<void>(operation_named("copy")); },
              ::testing::ThrowsMessage<std::invalid_argument>("no operation is called copy"));
}

}  // namespace
}  // namespace tessera::bench
