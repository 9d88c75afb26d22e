// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/solve.hpp>

#include "solve/host_source.hpp"
#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/device_data.hpp"
#include "support/guarded_matrix.hpp"
#include "support/host_matrix.hpp"
#include "support/narrow.hpp"
#include "support/refusal.hpp"
#include "support/same_bits.hpp"
#include "support/sha256.hpp"
#include "support/shapes.hpp"

/// Statistics of columns: right, with the bits of docs/summation.md, with one read.
namespace tessera::test {
namespace {

using solve::ColumnStatistics;
using solve::ColumnStatisticsOptions;
using Entry = std::function<double(Index i, Index j)>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> numbers_of(ColumnStatistics const& found) {
  std::vector<double> all;
  for (auto const* values : {&found.mean, &found.variance, &found.min, &found.max}) {
    all.insert(all.end(), values->begin(), values->end());
  }
  for (auto const* values : {&found.count, &found.missing, &found.nonfinite}) {
    for (Index const value : *values) all.push_back(static_cast<double>(value));
  }
  return all;
}

/// As docs/summation.md defines them.
struct Moments {
  double count = 0;
  double mean = 0;
  double low = 0;
  double squares = 0;

  void set_mean(double a, double b) {
    mean = a + b;
    double const z = mean - a;
    low = (a - (mean - z)) + (b - z);
  }
  static Moments of(std::vector<double> const& column) {
    Moments m;
    if (column.empty()) return m;
    m.count = static_cast<double>(column.size());
    for (double const x : column) m.mean += x;
    auto const [least, most] = std::ranges::minmax(column);
    m.mean = std::clamp(m.mean / m.count, least, most);
    double rest = 0;
    for (double const x : column) {
      double const d = x - m.mean;
      rest += d;
      m.squares = std::fma(d, d, m.squares);
    }
    m.squares = std::max(0.0, m.squares - rest * (rest / m.count));
    m.set_mean(m.mean, rest / m.count);
    return m;
  }
  static Moments joined(Moments const& a, Moments const& b) {
    if (a.count == 0 || b.count == 0) return a.count == 0 ? b : a;
    Moments m;
    m.count = a.count + b.count;
    double const part = b.count / m.count;
    double const apart = (b.mean - a.mean) + (b.low - a.low);
    m.set_mean(a.mean, std::fma(apart, part, a.low));
    m.squares = (a.squares + b.squares) + apart * (apart * (a.count * part));
    return m;
  }
  /// The adjacent-pair tree over segments of rows.
  static Moments of_segments(std::vector<double> const& column, Index segment, double missing) {
    std::vector<Moments> parts;
    for (std::size_t first = 0; first < column.size();) {
      std::size_t const end = std::min(column.size(), first + static_cast<std::size_t>(segment));
      std::vector<double> present;
      for (; first < end; ++first) {
        if (column[first] != missing) present.push_back(column[first]);
      }
      parts.push_back(of(present));
    }
    while (parts.size() > 1) {
      std::vector<Moments> next;
      for (std::size_t t = 0; t < parts.size(); t += 2) {
        next.push_back(t + 1 < parts.size() ? joined(parts[t], parts[t + 1]) : parts[t]);
      }
      parts = next;
    }
    return parts.front();
  }
};

template <class C>
class Statistics : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;

  static HostMatrix<T> matrix(Index rows, Index cols, Entry const& entry) {
    constexpr bool by_rows = C::order == Order::row_major;
    std::vector<T> elements;
    for (Index at = 0; at < rows * cols; ++at) {
      elements.push_back(
          static_cast<T>(by_rows ? entry(at / cols, at % cols) : entry(at % rows, at / rows)));
    }
    return {Shape{rows, cols}, C::order, std::move(elements)};
  }
  static ColumnStatistics of(HostMatrix<T> const& A, ColumnStatisticsOptions const& options = {}) {
    solve::MatrixOperator const op(Exec(), matrix_on_device<C>(A));
    auto found = solve::column_statistics(op, options);
    EXPECT_EQ(op.reads(), 1);
    return found;
  }
  static double whole(Index i, Index j, Index cols) {
    return whole_number<double>(3, static_cast<std::size_t>(i * cols + j), 1000);
  }
};
TYPED_TEST_SUITE(Statistics, Cases, CaseName);

TYPED_TEST(Statistics, AreRightForColumnsOfEveryKind) {
  using T = typename TypeParam::Scalar;
  constexpr Index cols = 6;
  for (Index const rows : {2, 100, 255, 256, 257, 20000}) {
    Entry const entry = [&](Index i, Index j) -> double {
      double const x = TestFixture::whole(i, j, cols) / 256;
      switch (j) {
        case 0:
          return x;
        case 1:
          return (std::same_as<T, float> ? 0x1p16 : 0x1p40) + x;  // far from 0
        case 2:
          return 0.1;  // constant
        case 3:
          return i == 0 ? 1048576 : x;  // the first row is far from the others
        case 4:
          return i % 2 == 0 ? -1e30 : 1e30;
        default:
          return 1e-20 * x;
      }
    };
    auto const A = TestFixture::matrix(rows, cols, entry);
    for (Index const ddof : {0, 1}) {
      auto const found = TestFixture::of(A, {.ddof = ddof});
      for (Index j = 0; j < cols; ++j) {
        auto const at = static_cast<std::size_t>(j);
        // Relative to the last row, so that the reference loses no digits.
        auto const last = static_cast<long double>(static_cast<T>(entry(rows - 1, j)));
        auto const value = [&](Index i) {
          return static_cast<long double>(static_cast<T>(entry(i, j))) - last;
        };
        long double mean = 0;
        for (Index i = 0; i < rows; ++i) mean += value(i) / static_cast<long double>(rows);
        long double squares = 0;
        for (Index i = 0; i < rows; ++i) squares += (value(i) - mean) * (value(i) - mean);
        auto const variance = static_cast<double>(squares / static_cast<long double>(rows - ddof));
        mean += last;
        double const size = std::max(std::fabs(found.min[at]), std::fabs(found.max[at]));
        EXPECT_NEAR(found.mean[at], static_cast<double>(mean), 1e-15 * size) << rows << ", " << j;
        if (j == 2) {
          EXPECT_EQ(found.variance[at], 0) << rows;
          EXPECT_EQ(found.mean[at], static_cast<double>(static_cast<T>(0.1))) << rows;
        } else {
          EXPECT_NEAR(found.variance[at] / variance, 1, 1e-13) << rows << ", " << j;
        }
        EXPECT_EQ(found.count[at], rows);
        EXPECT_EQ(found.missing[at], 0);
        EXPECT_EQ(found.nonfinite[at], 0);
      }
    }
  }
}

TYPED_TEST(Statistics, HaveTheDocumentedOrder) {
  using T = typename TypeParam::Scalar;
  constexpr Index rows = 5000;
  constexpr Index cols = 70;
  constexpr double missing = 64;
  Entry const entry = [](Index i, Index j) {
    return std::trunc(TestFixture::whole(i, j, cols) / 8) * static_cast<double>(j % 3 + 1);
  };
  auto const found = TestFixture::of(TestFixture::matrix(rows, cols, entry), {.missing = missing});
  std::vector<double> mean;
  std::vector<double> variance;
  Index left_out = 0;
  for (Index j = 0; j < cols; ++j) {
    std::vector<double> column;
    for (Index i = 0; i < rows; ++i) column.push_back(static_cast<T>(entry(i, j)));
    auto const m = Moments::of_segments(column, summation::segment<T>, missing);
    mean.push_back(m.mean);
    variance.push_back(m.squares / m.count);
    left_out += rows - static_cast<Index>(m.count);
    EXPECT_EQ(found.count[static_cast<std::size_t>(j)], static_cast<Index>(m.count));
  }
  EXPECT_GT(left_out, 0);
  EXPECT_THAT(found.mean, same_bits_as(mean));
  EXPECT_THAT(found.variance, same_bits_as(variance));
}

TYPED_TEST(Statistics, HaveTheSameBitsStreamed) {
  using Exec = typename TypeParam::Exec;
  for (auto const& [rows, cols] : {Shape{5000, 70}, Shape{700, 3}, Shape{3, 400}, Shape{1, 9}}) {
    auto const A = TestFixture::matrix(
        rows, cols, [cols = cols](Index i, Index j) { return TestFixture::whole(i, j, cols) / 7; });
    auto const expected = numbers_of(TestFixture::of(A));
    std::atomic<Index> elements = 0;
    auto const source = source_of<TypeParam>(A, rows, cols, &elements);
    solve::StreamOperator const whole(Exec(), source);
    std::size_t const least = whole.bytes_needed({.column_statistics = true});
    for (std::size_t const limit : {least, 2 * least, std::size_t{1} << 30U}) {
      solve::StreamOperator const streamed(Exec(), source, {.memory_limit = limit});
      elements = 0;
      EXPECT_THAT(numbers_of(solve::column_statistics(streamed)), same_bits_as(expected)) << limit;
      EXPECT_EQ(elements, rows * cols);
    }
  }
}

TYPED_TEST(Statistics, LeaveOutMissingEntries) {
  auto const A = TestFixture::matrix(4, 5, [](Index i, Index j) -> double {
    constexpr std::array<std::array<double, 5>, 4> rows{{{1, nan, 255, nan, 2},
                                                         {3, 5, 1, nan, infinity},
                                                         {255, 7, 255, nan, 4},
                                                         {5, nan, 4, nan, 0}}};
    return rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  });
  using testing::ElementsAre;
  using testing::IsNan;
  auto const by_nan = TestFixture::of(A, {.ddof = 1, .missing = nan});
  EXPECT_THAT(by_nan.mean, ElementsAre(66, 6, 128.75, IsNan(), infinity));
  EXPECT_THAT(by_nan.variance, ElementsAre(47636.0 / 3, 2, 63760.75 / 3, IsNan(), IsNan()));
  EXPECT_THAT(by_nan.min, ElementsAre(1, 5, 1, IsNan(), 0));
  EXPECT_THAT(by_nan.max, ElementsAre(255, 7, 255, IsNan(), infinity));
  EXPECT_THAT(by_nan.count, ElementsAre(4, 2, 4, 0, 4));
  EXPECT_THAT(by_nan.missing, ElementsAre(0, 2, 0, 4, 0));
  EXPECT_THAT(by_nan.nonfinite, ElementsAre(0, 0, 0, 0, 1));

  auto const by_code = TestFixture::of(A, {.missing = 255});
  EXPECT_THAT(by_code.mean, ElementsAre(3, IsNan(), 2.5, IsNan(), infinity));
  EXPECT_THAT(by_code.variance, ElementsAre(8.0 / 3, IsNan(), 2.25, IsNan(), IsNan()));
  EXPECT_THAT(by_code.min, ElementsAre(1, 5, 1, IsNan(), 0));
  EXPECT_THAT(by_code.max, ElementsAre(5, 7, 4, IsNan(), infinity));
  EXPECT_THAT(by_code.missing, ElementsAre(1, 0, 2, 0, 0));
  EXPECT_THAT(by_code.nonfinite, ElementsAre(0, 2, 0, 4, 1));
}

TYPED_TEST(Statistics, HandleTheLargestNumbers) {
  using T = typename TypeParam::Scalar;
  constexpr auto largest = static_cast<double>(std::numeric_limits<T>::max());
  auto const found = TestFixture::of(TestFixture::matrix(
      1000, 2, [](Index i, Index j) { return j == 0 || i % 2 == 0 ? largest : -largest; }));
  EXPECT_THAT(found.mean, testing::ElementsAre(largest, testing::DoubleNear(0, 1e-10 * largest)));
  EXPECT_EQ(found.variance[0], 0);
  EXPECT_EQ(found.min[1], -largest);
  EXPECT_EQ(std::isinf(found.variance[1]), (std::same_as<T, double>));
}

TYPED_TEST(Statistics, OfNothingAreNaN) {
  using Exec = typename TypeParam::Exec;
  DeviceMatrix<TypeParam> const no_rows("A", 0, 3);
  auto const found = solve::column_statistics(solve::MatrixOperator(Exec(), no_rows));
  EXPECT_THAT(found.mean, testing::Each(testing::IsNan()));
  EXPECT_THAT(found.count, testing::ElementsAre(0, 0, 0));
  DeviceMatrix<TypeParam> const no_cols("A", 3, 0);
  EXPECT_TRUE(solve::column_statistics(solve::MatrixOperator(Exec(), no_cols)).mean.empty());
  // One entry has no variance of a sample.
  auto const A = TestFixture::matrix(1, 1, [](Index, Index) { return 5; });
  EXPECT_THAT(TestFixture::of(A, {.ddof = 1}).variance, testing::ElementsAre(testing::IsNan()));
  EXPECT_EQ(TestFixture::of(A).variance[0], 0);
  EXPECT_THAT([&] { TestFixture::of(A, {.ddof = -1}); }, refuses("expected ddof >= 0, found -1"));
}

TYPED_TEST(Statistics, HasTheCommittedBits) {
  auto const A = TestFixture::matrix(3001, 65, [](Index i, Index j) {
    return TestFixture::whole(i, j, 65) / 7 + 1000.0 * static_cast<double>(j);
  });
  constexpr bool is_float = std::same_as<typename TypeParam::Scalar, float>;
  EXPECT_EQ(sha256(numbers_of(TestFixture::of(A))),
            is_float ? "f07be1e5ec0b9d4bb7b93b7b8d973043c9cc7d9f6f53dbe4f98480170f87da2d"
                     : "be2b71347a3e33b416a9afe9752633cfda10e14f0fb7188b6b1aa79a4ef4988d");
}

template <class C>
class NarrowStatistics : public testing::Test {};
TYPED_TEST_SUITE(NarrowStatistics, NarrowCases, NarrowCaseName);

TYPED_TEST(NarrowStatistics, HaveTheBitsOfTheWidenedMatrix) {
  using Exec = typename TypeParam::Exec;
  for (Stored const& stored : {Stored{MatrixLayout::right}, Stored{MatrixLayout::left, 5, 3}}) {
    with_numbers<TypeParam>({1500, 11}, stored, [&](auto const& a, auto const& wide) {
      solve::MatrixOperator const of_narrow(Exec(), a);
      solve::MatrixOperator const of_wide(Exec(), wide);
      EXPECT_THAT(numbers_of(solve::column_statistics(of_narrow)),
                  same_bits_as(numbers_of(solve::column_statistics(of_wide))));
    });
  }
}

}  // namespace
}  // namespace tessera::test
