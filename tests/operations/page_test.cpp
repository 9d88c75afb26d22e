// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/kernels/elementary.hpp>
#include <tessera/solve/operator.hpp>

#include "support/read_file.hpp"
#include "support/sha256.hpp"

/// Digests of docs/summation.md that Python cannot compute.
namespace tessera::test {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

template <class T>
class Page : public testing::Test {
 protected:
  static T number(std::uint64_t k, std::uint64_t series) {
    constexpr std::uint64_t mask = 0xFFFFFFFF;
    std::uint64_t u = ((k + 1) * 2654435769 + series * 374761393) & mask;
    u ^= u >> 15U;
    u = u * 2246822519 & mask;
    u ^= u >> 13U;
    return static_cast<T>((static_cast<double>(u) - 0x1p31) / 0x1p31);
  }
  static std::vector<T> numbers(std::size_t count, std::uint64_t series) {
    std::vector<T> result;
    for (std::size_t k = 0; k < count; ++k) result.push_back(number(k, series));
    return result;
  }
  static std::string digest(std::string const& row) {
    std::string const page =
        read_file(std::filesystem::path(TESSERA_TEST_DATA_DIR) / "../../docs/summation.md");
    std::size_t at = page.find("\n| " + row + " |");
    if (at == std::string::npos) return "the page has no row " + row;
    for (int bar = std::is_same_v<T, float> ? 2 : 3; bar > 0; --bar) at = page.find('|', at) + 1;
    return page.substr(at + 1, 16);
  }
  static void expect(std::string const& row, std::vector<T> const& values) {
    EXPECT_EQ(sha256(values).substr(0, 16), digest(row)) << row;
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Page, Scalars);

TYPED_TEST(Page, HasTheDigestsOfTheFunctions) {
  using T = TypeParam;
  std::vector<T> exps, logs, logs_of_sums;
  for (int k = 0; k < 4096; ++k) {
    T const x = this->number(static_cast<std::uint64_t>(k), 4);
    exps.push_back(elementary::exp(x * T(sizeof(T) == 4 ? 110 : 750)));
    logs.push_back(elementary::log(std::fabs(x) * std::ldexp(T(1), 8 * (k % 31) - 120)));
    logs_of_sums.push_back(elementary::log1p(x * std::ldexp(T(1), -(k % 30))));
  }
  this->expect("exp", exps);
  this->expect("log", logs);
  this->expect("log1p", logs_of_sums);
}

TYPED_TEST(Page, HasTheDigestsOfBlocksOfSolvers) {
  using T = TypeParam;
  using Space = Exec::memory_space;
  constexpr std::size_t m = 700, n = 300, k = 3;
  auto const elements = this->numbers(m * n, 1);
  auto const block = this->numbers(n * k, 2);
  auto const expect_from = [&]<class Layout>(Layout) {
    Kokkos::View<T**, Layout, Space> const A("A", m, n);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) A(i, j) = elements[i * n + j];
    }
    solve::Rows<Exec, T> const VT("VT", k, n), BT("BT", k, m), CT("CT", k, n);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t q = 0; q < k; ++q) VT(q, j) = block[j * k + q];
    }
    solve::MatrixOperator const op(Exec(), A);
    op.atax_block(VT, BT, CT);
    auto const by_rows = [&](auto const& transposed) {
      std::vector<T> values;
      for (std::size_t i = 0; i < transposed.extent(1); ++i) {
        for (std::size_t q = 0; q < k; ++q) values.push_back(transposed(q, i));
      }
      return values;
    };
    this->expect("B of a block", by_rows(BT));
    this->expect("C of a block", by_rows(CT));
  };
  expect_from(Kokkos::LayoutRight());
  expect_from(Kokkos::LayoutLeft());
}

}  // namespace
}  // namespace tessera::test
