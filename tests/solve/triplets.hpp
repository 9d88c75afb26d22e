// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/host_matrix.hpp"
#include "support/same_bits.hpp"
#include "support/shapes.hpp"

/// Shared by the tests of singular values.
namespace tessera::test {

struct Found {
  std::vector<double> s;
  std::vector<double> VT;
  std::vector<double> UT;
  std::vector<double> residuals;
  solve::Stop stop;
  Index iterations;
  Index reads;
};

inline void expect_same_bits(Found const& found, Found const& expected) {
  EXPECT_THAT(found.s, same_bits_as(expected.s));
  EXPECT_THAT(found.VT, same_bits_as(expected.VT));
  EXPECT_THAT(found.UT, same_bits_as(expected.UT));
  EXPECT_THAT(found.residuals, same_bits_as(expected.residuals));
  EXPECT_EQ(found.stop, expected.stop);
  EXPECT_EQ(found.iterations, expected.iterations);
}

template <class C>
class TripletsTest : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  static constexpr double eps = std::numeric_limits<T>::epsilon();

  template <class Entry>
  static HostMatrix<T> matrix(Index rows, Index cols, Entry const& entry) {
    bool const by_rows = C::order == Order::row_major;
    std::vector<T> elements;
    for (Index i = 0; i < rows * cols; ++i) {
      Index const line = i / (by_rows ? cols : rows);
      Index const place = i % (by_rows ? cols : rows);
      elements.push_back(static_cast<T>(by_rows ? entry(line, place) : entry(place, line)));
    }
    return {Shape{rows, cols}, C::order, std::move(elements)};
  }
  static HostMatrix<T> diagonal(Index rows, Index cols, std::vector<double> const& s) {
    return matrix(rows, cols, [&](Index i, Index j) {
      return i == j && i < static_cast<Index>(s.size()) ? s[static_cast<std::size_t>(i)] : 0;
    });
  }
  static HostMatrix<T> whole_matrix(Index rows, Index cols) {
    return matrix(rows, cols, [&](Index i, Index j) {
      return whole_number<T>(1, static_cast<std::size_t>(i * cols + j), 9);
    });
  }
  /// Calls expect(matrix, number of triplets, name).
  template <class Expect>
  static void for_every_shape(Expect const& expect) {
    auto const ones = [](Index, Index) { return 1; };
    expect(matrix(1, 1, [](Index, Index) { return -3; }), 1, "1 x 1");
    expect(matrix(1, 30, ones), 1, "a row");
    expect(matrix(30, 1, ones), 1, "a column");
    expect(matrix(7, 5, [](Index, Index) { return 0; }), 4, "zero");
    expect(matrix(33, 70, ones), 3, "constant");
    expect(diagonal(40, 40, std::vector<double>(40, 2)), 6, "twice identity");
    expect(diagonal(50, 45, {9, 5, 5, 3}), 6, "rank 4");
    expect(whole_matrix(300, 12), 12, "tall, all");
    expect(whole_matrix(12, 300), 12, "wide, all");
    expect(whole_matrix(200, 90), 4, "tall");
    expect(whole_matrix(90, 200), 4, "wide");
  }
  static double entry(HostMatrix<T> const& A, Index i, Index j) {
    return static_cast<double>(C::order == Order::row_major ? A.line(i)[j] : A.line(j)[i]);
  }

  template <class View>
  static std::vector<double> on_host(View const& rows) {
    auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows);
    return std::vector<double>(copy.data(), copy.data() + copy.size());
  }
  template <class Result>
  static Found found_in(Result const& result) {
    return {result.s,    on_host(result.VT), on_host(result.UT), result.residuals,
            result.stop, result.iterations,  result.reads};
  }

  static std::vector<double> all_values(HostMatrix<T> const& A) {
    Index const rows = std::max(A.shape().rows, A.shape().cols);
    Index const cols = std::min(A.shape().rows, A.shape().cols);
    solve::SmallMatrix whole(rows, cols);
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) {
        whole(i, j) = A.shape().rows == rows ? entry(A, i, j) : entry(A, j, i);
      }
    }
    return solve::small_svd(std::move(whole)).s;
  }

  /// Expects `all_values`, A·v = s·u, Aᵀ·u = s·v, orthonormal v and u.
  /// @param are_near residuals bound the errors of values
  static void expect_triplets_of(HostMatrix<T> const& A, Index k, Found const& found,
                                 bool are_near) {
    ASSERT_EQ(static_cast<Index>(found.s.size()), k);
    auto const all = all_values(A);
    Index const m = A.shape().rows;
    Index const n = A.shape().cols;
    double const bound = 200 * eps * std::max(all[0], 1e-300);
    for (Index i = 0; i < k; ++i) {
      auto const at = static_cast<std::size_t>(i);
      EXPECT_NEAR(found.s[at], all[at], bound + (are_near ? found.residuals[at] : 0)) << i;
      double const* const v = found.VT.data() + i * n;
      double const* const u = found.UT.data() + i * m;
      double off = 0;
      for (Index row = 0; row < m; ++row) {
        double sum = -found.s[at] * u[row];
        for (Index j = 0; j < n; ++j) sum += entry(A, row, j) * v[j];
        off += sum * sum;
      }
      EXPECT_LE(std::sqrt(off), bound) << i;
      off = 0;
      for (Index j = 0; j < n; ++j) {
        double sum = -found.s[at] * v[j];
        for (Index row = 0; row < m; ++row) sum += entry(A, row, j) * u[row];
        off += sum * sum;
      }
      EXPECT_LE(std::sqrt(off), found.residuals[at] + bound) << i;
      for (Index other = 0; other <= i; ++other) {
        double vv = other == i ? -1 : 0;
        double uu = vv;
        for (Index j = 0; j < n; ++j) vv += v[j] * found.VT.data()[other * n + j];
        for (Index j = 0; j < m; ++j) uu += u[j] * found.UT.data()[other * m + j];
        EXPECT_NEAR(vv, 0, 100 * eps) << i << ", " << other;
        EXPECT_NEAR(uu, 0, 100 * eps) << i << ", " << other;
      }
    }
  }
};

}  // namespace tessera::test
