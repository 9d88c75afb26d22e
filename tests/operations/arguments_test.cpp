// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/tessera.hpp>

#include "support/refusal.hpp"

/// Arguments that operations accept and reject.
namespace tessera {
namespace {

using test::refuses;

using Exec = Kokkos::DefaultHostExecutionSpace;
using Right = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace>;
using Vector = Kokkos::View<double*, Kokkos::HostSpace>;
using StridedVector = Kokkos::View<double*, Kokkos::LayoutStride, Kokkos::HostSpace>;
using Range = std::pair<std::size_t, std::size_t>;

template <class Matrix>
Matrix whole_numbers(std::string const& name, std::size_t rows, std::size_t cols) {
  Matrix const A(name, rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) A(i, j) = static_cast<double>((7 * i + 3 * j) % 11) - 5;
  }
  return A;
}

template <class A, class X>
std::vector<double> product(A const& a, X const& x, bool transposed) {
  std::vector<double> result(transposed ? a.extent(1) : a.extent(0));
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    for (std::size_t j = 0; j < a.extent(1); ++j) {
      result[transposed ? j : i] += a(i, j) * x(transposed ? i : j);
    }
  }
  return result;
}

template <class X>
std::vector<double> entries(X const& x) {
  std::vector<double> result(x.extent(0));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = x(i);
  return result;
}

template <class View>
std::set<std::uintptr_t> bytes_of(View const& x) {
  std::set<std::uintptr_t> result;
  auto const add = [&](auto const& element) {
    auto const first = reinterpret_cast<std::uintptr_t>(&element);
    for (std::size_t k = 0; k < sizeof(element); ++k) result.insert(first + k);
  };
  for (std::size_t i = 0; i < x.extent(0); ++i) {
    if constexpr (View::rank() == 1) {
      add(x(i));
    } else {
      for (std::size_t j = 0; j < x.extent(1); ++j) add(x(i, j));
    }
  }
  return result;
}

template <class A, class B>
bool share_bytes(A const& a, B const& b) {
  auto const of_b = bytes_of(b);
  for (auto const byte : bytes_of(a)) {
    if (of_b.contains(byte)) return true;
  }
  return false;
}

TEST(PartsOfOneView, AreApartWhereTheyAreColumnsOfARowMajorMatrix) {
  Right const basis = whole_numbers<Right>("basis", 6, 5);
  Right const A = whole_numbers<Right>("A", 6, 6);
  auto const column = [&](std::size_t j) { return Kokkos::subview(basis, Kokkos::ALL, j); };
  auto const v = column(1);
  auto const expected_b = product(A, v, false);
  multiply(Exec(), A, v, column(2));
  EXPECT_EQ(entries(column(2)), expected_b);
  auto const expected_c = product(A, column(2), true);
  multiply_transposed(Exec(), A, column(2), column(0));
  EXPECT_EQ(entries(column(0)), expected_c);
  atax(Exec(), A, v, column(3), column(4));
  EXPECT_EQ(entries(column(3)), expected_b);
  EXPECT_EQ(entries(column(4)), expected_c);
}

TEST(PartsOfOneView, AreApartWhereTheyAreBlocksSideBySide) {
  Right const all = whole_numbers<Right>("all", 4, 8);
  auto const left = Kokkos::subview(all, Kokkos::ALL, Range{0, 4});
  auto const right = Kokkos::subview(all, Kokkos::ALL, Range{4, 8});
  transpose(Exec(), left, right);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(right(j, i), left(i, j));
  }
  auto const column = Kokkos::subview(all, Kokkos::ALL, 6);
  auto const v = Kokkos::subview(all, Kokkos::ALL, 5);
  auto const expected = product(left, v, false);
  multiply(Exec(), left, v, column);
  EXPECT_EQ(entries(column), expected);
  Left const B("B", 4, 4);
  gemm(Exec(), left, B, right);
}

TEST(PartsOfOneView, AreRefusedWhereTheyShareAnElementBeyondSize) {
  Vector const x("x", 9);
  StridedVector const even(x.data(), Kokkos::LayoutStride(4, 2));
  StridedVector const odd(x.data() + 1, Kokkos::LayoutStride(4, 2));
  StridedVector const later(x.data() + 6, Kokkos::LayoutStride(2, 2));
  StridedVector const thirds(x.data(), Kokkos::LayoutStride(3, 3));
  Right const A = whole_numbers<Right>("A", 4, 4);
  EXPECT_NO_THROW(multiply(Exec(), A, even, odd));
  EXPECT_THAT([&] { multiply(Exec(), A, even, even); },
              refuses("multiply", "B must not overlap v"));
  auto const two = Kokkos::subview(A, Range{0, 2}, Kokkos::ALL);
  EXPECT_THAT([&] { multiply(Exec(), two, even, later); },
              refuses("multiply", "B must not overlap v"));
  auto const three = Kokkos::subview(A, Range{0, 3}, Kokkos::ALL);
  EXPECT_THAT([&] { multiply(Exec(), three, even, thirds); },
              refuses("multiply", "B must not overlap v"));
  Right const wide("wide", 4, 6);
  auto const padded = Kokkos::subview(wide, Kokkos::ALL, Range{0, 4});
  EXPECT_NO_THROW(multiply(Exec(), padded, even, Kokkos::subview(wide, Kokkos::ALL, 5)));
  EXPECT_THAT([&] { multiply(Exec(), padded, even, Kokkos::subview(wide, Kokkos::ALL, 3)); },
              refuses("multiply", "B must not overlap A"));
  EXPECT_THAT([&] { transpose(Exec(), padded, Kokkos::subview(wide, Kokkos::ALL, Range{2, 6})); },
              refuses("transpose", "At must not overlap A"));
}

TEST(PartsOfOneView, AreJudgedAsTheirBytesAre) {
  // Reported non-overlap must be true; lines and blocks of one matrix must be recognised.
  std::mt19937 generator(33);
  auto const draw = [&](int from, int to) {
    return static_cast<std::size_t>(std::uniform_int_distribution<int>(from, to)(generator));
  };
  std::vector<float> memory(400);
  using AnyFloats = Kokkos::View<float**, Kokkos::LayoutStride, Kokkos::HostSpace>;
  int found_apart = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    auto const any = [&] {
      return AnyFloats(memory.data() + draw(0, 40),
                       Kokkos::LayoutStride(draw(0, 4), draw(0, 12), draw(0, 4), draw(0, 12)));
    };
    auto const a = any();
    auto const b = any();
    bool const apart = checks::are_apart(checks::place_of(a), checks::place_of(b));
    bool const shared = share_bytes(a, b);
    EXPECT_FALSE(apart && shared) << trial;
    found_apart += apart && a.size() > 0 && b.size() > 0 ? 1 : 0;
    bool const distinct = bytes_of(a).size() == sizeof(float) * a.size();
    if (a.size() > 0) {
      EXPECT_EQ(checks::are_distinct(checks::place_of(a)), distinct) << trial;
    }
  }
  EXPECT_GT(found_apart, 500);
  for (int trial = 0; trial < 500; ++trial) {
    std::size_t const leading = draw(6, 9);
    auto const block = [&](std::size_t col, std::size_t cols) {
      return AnyFloats(memory.data() + draw(0, 4) * leading + col,
                       Kokkos::LayoutStride(draw(1, 5), leading, cols, 1));
    };
    std::size_t const cut = draw(1, 5);
    auto const a = block(0, cut);
    auto const b = block(cut, 6 - cut);
    EXPECT_TRUE(checks::are_apart(checks::place_of(a), checks::place_of(b))) << trial;
  }
}

TEST(AnOutput, MustHaveAnElementForEachEntry) {
  Vector const x("x", 8);
  Vector const v("v", 4);
  Right const A = whole_numbers<Right>("A", 4, 4);
  StridedVector const one(x.data(), Kokkos::LayoutStride(4, 0));
  std::string const what = "must have elements that are distinct in memory, found strides of 0";
  EXPECT_THAT([&] { multiply(Exec(), A, v, one); }, refuses("multiply", "B " + what));
  EXPECT_THAT([&] { multiply_transposed(Exec(), A, v, one); },
              refuses("multiply_transposed", "C " + what));
  EXPECT_THAT([&] { atax(Exec(), A, v, one); }, refuses("atax", "C " + what));
  EXPECT_THAT([&] { atax(Exec(), A, v, one, Vector("C", 4)); }, refuses("atax", "B " + what));
  Strided const folded(x.data(), Kokkos::LayoutStride(2, 1, 2, 1));
  Right const two("two", 2, 2);
  EXPECT_THAT([&] { transpose(Exec(), two, folded); },
              refuses("transpose", "At must have elements that are distinct"));
  EXPECT_THAT([&] { transpose_in_place(Exec(), folded); },
              refuses("transpose_in_place", "A must have elements that are distinct"));
  EXPECT_THAT([&] { gemm(Exec(), two, two, folded); },
              refuses("gemm", "C must have elements that are distinct"));
  StridedVector const same(x.data(), Kokkos::LayoutStride(4, 0));
  Vector const B("B", 4);
  x(0) = 2;
  multiply(Exec(), A, same, B);
  EXPECT_EQ(entries(B), product(A, same, false));
}

TEST(StridedMatrices, AreTakenWhereTheirLinesAreContiguous) {
  Right const wide = whole_numbers<Right>("wide", 70, 40);
  Left const tall = whole_numbers<Left>("tall", 70, 40);
  for (std::size_t k = 0; k < wide.span(); ++k)
    wide.data()[k] += 1.0 / 3.0 * static_cast<double>(k % 5);
  for (std::size_t k = 0; k < tall.span(); ++k)
    tall.data()[k] += 1.0 / 3.0 * static_cast<double>(k % 5);
  Vector const v("v", 33);
  for (std::size_t j = 0; j < 33; ++j) v(j) = 0.1 * static_cast<double>(j + 1);
  auto const compare = [&](auto const& A) {
    Strided const strided = A;
    Vector const C("C", 33);
    Vector const expected("expected", 33);
    atax(Exec(), A, v, expected);
    atax(Exec(), strided, v, C);
    EXPECT_EQ(entries(C), entries(expected));
    Vector const B("B", 70);
    Vector const expected_b("expected", 70);
    multiply(Exec(), A, v, expected_b);
    multiply(Exec(), strided, v, B);
    EXPECT_EQ(entries(B), entries(expected_b));
    multiply_transposed(Exec(), A, B, expected);
    multiply_transposed(Exec(), strided, B, C);
    EXPECT_EQ(entries(C), entries(expected));
    Right const G("G", 70, 5);
    Strided const strided_g = Right("G", 70, 5);
    Strided const factor = Left("factor", 33, 5);
    for (std::size_t j = 0; j < 5; ++j) factor(j, j) = 1;
    gemm(Exec(), A, factor, G);
    gemm(Exec(), strided, factor, strided_g);
    for (std::size_t i = 0; i < 70; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        EXPECT_EQ(G(i, j), A(i, j));
        EXPECT_EQ(strided_g(i, j), A(i, j));
      }
    }
  };
  compare(Kokkos::subview(wide, Kokkos::ALL, Range{2, 35}));
  Left const tall_part = tall;
  compare(Kokkos::subview(tall_part, Kokkos::ALL, Range{2, 35}));
}

TEST(StridedMatrices, AreRefusedWhereNoLinesAreContiguous) {
  Vector const memory("memory", 100);
  Strided const A(memory.data(), Kokkos::LayoutStride(3, 10, 3, 2));
  Vector const x("x", 3);
  std::string const what =
      "A must have contiguous rows or columns, found "
      "strides of 10 and 2 elements";
  Vector const y("y", 3);
  EXPECT_THAT([&] { multiply(Exec(), A, x, y); }, refuses("multiply", what));
  EXPECT_THAT([&] { atax(Exec(), A, x, y); }, refuses("atax", what));
  EXPECT_THAT([&] { gemm(Exec(), A, A, Right("C", 3, 3)); }, refuses("gemm", what));
  memory(0) = 2;
  memory(10) = 3;
  memory(20) = 4;
  Strided const column(memory.data(), Kokkos::LayoutStride(3, 10, 1, 7));
  Strided const row(memory.data(), Kokkos::LayoutStride(1, 7, 3, 10));
  Vector const one("one", 1);
  one(0) = 5;
  multiply(Exec(), column, one, y);
  EXPECT_EQ(entries(y), (std::vector<double>{10, 15, 20}));
  multiply_transposed(Exec(), row, one, x);
  EXPECT_EQ(entries(x), (std::vector<double>{10, 15, 20}));
}

TEST(EmptyMatrices, GiveZerosLikeBlas) {
  Vector const none("none", 0);
  Vector const five("five", 5);
  Vector const C("C", 5);
  auto const zeros = std::vector<double>(5);
  auto const fill = [&] { Kokkos::deep_copy(C, 7); };
  auto const expect_zeros = [&](auto const& without_rows, auto const& without_cols) {
    fill();
    multiply_transposed(Exec(), without_rows, none, C);
    EXPECT_EQ(entries(C), zeros);
    fill();
    atax(Exec(), without_rows, five, C);
    EXPECT_EQ(entries(C), zeros);
    fill();
    atax(Exec(), without_rows, five, none, C);
    EXPECT_EQ(entries(C), zeros);
    fill();
    multiply(Exec(), without_cols, none, C);
    EXPECT_EQ(entries(C), zeros);
    fill();
    atax(Exec(), without_cols, none, C, none);
    EXPECT_EQ(entries(C), zeros);
    EXPECT_NO_THROW(multiply(Exec(), without_rows, five, none));
    EXPECT_NO_THROW(multiply_transposed(Exec(), without_cols, five, none));
    EXPECT_NO_THROW(transpose(Exec(), without_rows, Right("At", 5, 0)));
  };
  expect_zeros(Right("A", 0, 5), Right("A", 5, 0));
  expect_zeros(Left("A", 0, 5), Left("A", 5, 0));
  expect_zeros(Strided(nullptr, Kokkos::LayoutStride(0, 3, 5, 2)),
               Strided(nullptr, Kokkos::LayoutStride(5, 3, 0, 2)));

  Right const product("C", 3, 2);
  Kokkos::deep_copy(product, 7);
  gemm(Exec(), Right("A", 3, 0), Left("B", 0, 2), product);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(product.data()[k], 0.0);
  Left const by_columns("C", 3, 2);
  Kokkos::deep_copy(by_columns, 7);
  gemm(Exec(), Right("A", 3, 0), Right("B", 0, 2), by_columns);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(by_columns.data()[k], 0.0);
  EXPECT_NO_THROW(gemm(Exec(), Right("A", 0, 3), Right("B", 3, 2), Right("C", 0, 2)));
  EXPECT_NO_THROW(transpose_in_place(Exec(), Right("A", 0, 0)));
  EXPECT_THAT([&] { multiply(Exec(), Right("A", 0, 5), none, none); },
              refuses("multiply", "v must have 5 entries, found 0"));
}

TEST(NullViews, AreRefused) {
  Right const null(nullptr, 3, 3);
  Vector const nothing(nullptr, 3);
  Right const A("A", 3, 3);
  Vector const x("x", 3);
  Vector const y("y", 3);
  std::string const what = " has no memory: its data() is null";
  EXPECT_THAT([&] { multiply(Exec(), null, x, y); }, refuses("multiply", "A" + what));
  EXPECT_THAT([&] { multiply(Exec(), A, nothing, y); }, refuses("multiply", "v" + what));
  EXPECT_THAT([&] { multiply(Exec(), A, x, nothing); }, refuses("multiply", "B" + what));
  EXPECT_THAT([&] { multiply_transposed(Exec(), A, x, nothing); },
              refuses("multiply_transposed", "C" + what));
  EXPECT_THAT([&] { atax(Exec(), null, x, y); }, refuses("atax", "A" + what));
  EXPECT_THAT([&] { transpose(Exec(), null, A); }, refuses("transpose", "A" + what));
  EXPECT_THAT([&] { transpose(Exec(), A, null); }, refuses("transpose", "At" + what));
  EXPECT_THAT([&] { transpose_in_place(Exec(), null); }, refuses("transpose_in_place", "A" + what));
  EXPECT_THAT([&] { gemm(Exec(), A, null, A); }, refuses("gemm", "B" + what));
  EXPECT_THAT([&] { gemm(Exec(), A, A, null); }, refuses("gemm", "C" + what));
}

TEST(Sizes, ThatNoMemoryHasAreRefused) {
#ifndef NDEBUG
  GTEST_SKIP() << "SKIPPED: without NDEBUG Kokkos itself ends the program for such views";
#endif
  constexpr Index huge = Index{1} << 62;
  std::string const what = "A must have 0 to 2^50 rows and columns and at most 2^62 bytes, found ";
  auto const refuse = [&](Index rows, Index cols) {
    std::string const found = what + std::to_string(rows) + " x " + std::to_string(cols);
    EXPECT_THAT([&] { (plan_multiply<float, Kokkos::LayoutRight>(Exec(), rows, cols)); },
                refuses("plan_multiply", found));
    EXPECT_THAT([&] { (plan_multiply_transposed<double, Kokkos::LayoutLeft>(Exec(), rows, cols)); },
                refuses("plan_multiply_transposed", found));
    EXPECT_THAT([&] { (plan_atax<double, Kokkos::LayoutRight>(Exec(), rows, cols)); },
                refuses("plan_atax", found));
  };
  refuse(huge, huge);
  refuse(-1, 5);
  refuse(5, -1);
  refuse(std::numeric_limits<Index>::min(), 1);
  refuse((Index{1} << 50) + 1, 1);
  refuse(Index{1} << 31, Index{1} << 31);
  double one = 0;
  // In Kokkos 4 the largest unsigned size means none.
  std::size_t const most = std::numeric_limits<std::size_t>::max() - 1;
  EXPECT_THAT([&] { multiply(Exec(), Right(&one, most, 0), Vector("v", 0), Vector("B", 1)); },
              refuses("multiply", what + std::to_string(most) + " x 0"));
  EXPECT_THAT(
      [&] { atax(Exec(), Right(&one, std::size_t{1} << 63U, 1), Vector("v", 1), Vector("C", 1)); },
      refuses("atax", what + "9223372036854775808 x 1"));
  std::size_t const size = std::size_t{1} << 40;
  EXPECT_THAT([&] { multiply(Exec(), Right(&one, size, size), Vector("v", 1), Vector("B", 1)); },
              refuses("multiply", what));
  EXPECT_THAT([&] { transpose(Exec(), Right(&one, size, size), Right("At", 1, 1)); },
              refuses("transpose", what));
  Strided const far(&one, Kokkos::LayoutStride(2, std::size_t{1} << 62, 2, 1));
  EXPECT_THAT(
      [&] { multiply(Exec(), far, Vector("v", 2), Vector("B", 2)); },
      refuses("multiply", "A must span at most 2^62 bytes, gaps between its elements included"));
  EXPECT_THAT(
      [&] {
        tessera::detail::WorkspaceOfCall<Exec>::bytes_for(std::numeric_limits<std::size_t>::max() -
                                                          1);
      },
      refuses("Workspace", "no memory has"));
}

TEST(Plans, OfMatricesWithoutElementsHaveNoStages) {
  for (auto const& [rows, cols] : {std::pair<Index, Index>{0, 0}, {0, 5}, {5, 0}}) {
    for (Plan const& plan :
         {plan_multiply<float, Kokkos::LayoutRight>(Exec(), rows, cols),
          plan_multiply_transposed<float, Kokkos::LayoutLeft>(Exec(), rows, cols),
          plan_atax<float, Kokkos::LayoutLeft>(Exec(), rows, cols)}) {
      EXPECT_TRUE(plan.stages.empty());
      EXPECT_EQ(plan.workspace_bytes, 0);
    }
  }
}

TEST(Plans, OfTheLargestMatricesAreMade) {
  constexpr Index most = Index{1} << 50;
  for (auto const& [rows, cols] : {std::pair<Index, Index>{most, 1},
                                   {1, most},
                                   {most, 512},
                                   {512, most},
                                   {Index{1} << 30, Index{1} << 29}}) {
    EXPECT_GE((plan_multiply<double, Kokkos::LayoutRight>(Exec(), rows, cols).stages.at(0).teams),
              1);
    EXPECT_GE((plan_multiply<double, Kokkos::LayoutLeft>(Exec(), rows, cols).stages.at(0).teams),
              1);
    for (Method const method : {Method::automatic, Method::fused, Method::two_stage}) {
      EXPECT_GE((plan_atax<double, Kokkos::LayoutRight>(Exec(), rows, cols, {.method = method})
                     .stages.at(0)
                     .teams),
                1);
      EXPECT_GE((plan_atax<double, Kokkos::LayoutLeft>(Exec(), rows, cols, {.method = method})
                     .stages.at(0)
                     .teams),
                1);
    }
  }
}

TEST(Tunings, WithTilesThatNoTeamHasRoomForAreRefused) {
  constexpr int most = std::numeric_limits<int>::max();
  Right const A = whole_numbers<Right>("A", 300, 300);
  Right const B("B", 300, 300);
  Right const C("C", 300, 300);
  for (GemmTuning const& tuning : {GemmTuning{most, most, most, 1}, GemmTuning{most, 8, 8, 1},
                                   GemmTuning{8, most, 8, 1}, GemmTuning{8, 8, most, 1}}) {
    EXPECT_THAT([&] { gemm(Exec(), A, B, C, {.tuning = tuning}); },
                refuses("GemmTuning", "must be at most 65536, found"));
  }
  EXPECT_THAT([&] { gemm(Exec(), A, B, C, {.tuning = GemmTuning{65536, 65536, 256, 1}}); },
              refuses("gemm", "choose smaller tiles"));
  for (TransposeTuning const& tuning :
       {TransposeTuning{most, most, 1, 1, false}, TransposeTuning{most, 1, 1, 1, false},
        TransposeTuning{1, most, 1, 1, true}}) {
    EXPECT_THAT([&] { transpose(Exec(), A, B, {.tuning = tuning}); },
                refuses("TransposeTuning", "must be at most 65536, found"));
  }
  EXPECT_THAT([&] { transpose(Exec(), A, B, {.tuning = TransposeTuning{65536, 65536, 1, 1}}); },
              refuses("transpose", "choose smaller tiles"));
  // The largest values of the others mean no limit.
  constexpr Index all = Index{1} << 62;
  Tuning const whole{.dot = {.lines_per_team = all, .segments_per_run = all},
                     .sum = {.columns_per_team = all, .panels_per_team = all},
                     .fused_lines = {.panels_per_team = all},
                     .fused_tiles = {.segments_per_tile = all, .tiles_per_team = all}};
  Vector const v("v", 300);
  v(3) = 2;
  Vector const found("C", 300);
  auto const expected = product(A, Kokkos::subview(A, Kokkos::ALL, 3), true);
  Left const by_columns = whole_numbers<Left>("A", 300, 300);
  for (Method const method : {Method::fused, Method::two_stage}) {
    for (bool const rows : {true, false}) {
      if (rows) {
        atax(Exec(), A, v, found, {.method = method, .tuning = whole});
      } else {
        atax(Exec(), by_columns, v, found, {.method = method, .tuning = whole});
      }
      for (std::size_t j = 0; j < 300; ++j) EXPECT_EQ(found(j), 2 * expected[j]);
    }
  }
}

TEST(OptionsOfEveryOperation, AreTakenByAtax) {
  Right const A = whole_numbers<Right>("A", 30, 20);
  Vector const v("v", 20);
  Vector const C("C", 20);
  Workspace<Exec> workspace;
  Options<Exec> const options{.workspace = &workspace};
  atax(Exec(), A, v, C, options);
  EXPECT_GT(workspace.bytes(), 0);
  EXPECT_FALSE((plan_atax<double, Kokkos::LayoutRight>(Exec(), 30, 20, options).stages.empty()));
}

TEST(Workspaces, AreMovedAndNotCopied) {
  using Kept = Workspace<Exec>;
  static_assert(!std::is_copy_constructible_v<Kept> && !std::is_copy_assignable_v<Kept>);
  static_assert(std::is_nothrow_move_constructible_v<Kept> &&
                std::is_nothrow_move_assignable_v<Kept>);
  auto const reserve = [](Kept& kept, std::size_t bytes) {
    return tessera::detail::WorkspaceOfCall<Exec>(&kept).reserve(Exec(), bytes, 100);
  };
  Kept first;
  auto const* const memory = reserve(first, 1000).data;
  std::size_t const held = first.bytes();
  Kept second = std::move(first);
  EXPECT_EQ(second.bytes(), held);
  EXPECT_EQ(reserve(second, 1000).data, memory);
  EXPECT_EQ(first.bytes(), 0);  // NOLINT(bugprone-use-after-move): that is asked
  EXPECT_NE(reserve(first, 1000).data, memory);
  second = std::move(first);
  EXPECT_NE(reserve(second, 1000).data, memory);
  EXPECT_EQ(first.bytes(), 0);  // NOLINT(bugprone-use-after-move)
  second.clear();
  EXPECT_EQ(second.bytes(), 0);
  EXPECT_EQ(reserve(second, 10).arrivals[0], 0);
}

TEST(Workspaces, RefuseConcurrentCalls) {
  Right const A = whole_numbers<Right>("A", 30, 20);
  Vector const v("v", 20);
  Vector const C("C", 20);
  Workspace<Exec> workspace;
  std::string const what = "another call is using this workspace";
  {
    tessera::detail::WorkspaceOfCall<Exec> const of_a_call(&workspace);
    EXPECT_THAT([&] { atax(Exec(), A, v, C, {.workspace = &workspace}); },
                refuses("Workspace", what));
    EXPECT_THAT([&] { multiply(Exec(), A, v, Vector("B", 30), {.workspace = &workspace}); },
                refuses("Workspace", what));
    EXPECT_THAT([&] { workspace.clear(); }, refuses("Workspace", what));
  }
  EXPECT_NO_THROW(atax(Exec(), A, v, C, {.workspace = &workspace}));
  Tuning const wrong{.dot = {.lines_per_step = 3}};
  EXPECT_THROW(atax(Exec(), A, v, C, {.workspace = &workspace, .tuning = wrong}),
               std::invalid_argument);
  EXPECT_NO_THROW(atax(Exec(), A, v, C, {.workspace = &workspace}));
}

}  // namespace
}  // namespace tessera
