// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Independent, in double-double (docs/stopping.md), with a search for missed values.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include <app/solve/precise_rows.hpp>
#include <app/solve/solve.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>
#include <tessera/solve/small_eigen.hpp>

namespace tessera::app {
namespace {

/// Subtracted value and factor of each column.
struct Columns {
  std::vector<DoubleDouble> mean;
  std::vector<double> factor;
  // For pca, of 2^-e·A.
  std::vector<double> deviation;
  std::vector<double> size;  ///< mean of absolute values
  double variance = 0;       ///< of all columns, as decomposed
};

double larger_or_nan(double a, double b) {
  return b <= a || std::isnan(a) ? a : b;
}

/// 0 if squares stay in range.
int exponent_of(TripletOptions const& options, Triplets const& found) {
  auto const& sizes = options.scale ? found.deviation : found.s;
  return sizes.empty() ? 0 : far_exponent(*std::ranges::max_element(sizes));
}

/// Two passes, over 2^-e·A.
template <class T>
Columns columns_of(TripletOptions const& options, io::MatrixReader const& reader, int e) {
  io::MatrixInfo const& info = reader.info();
  Columns columns{.mean = std::vector<DoubleDouble>(info.cols),
                  .factor = std::vector<double>(info.cols, 1),
                  .deviation = std::vector<double>(info.cols),
                  .size = std::vector<double>(info.cols)};
  if (!options.is_pca()) return columns;
  auto const rows = static_cast<double>(info.rows);
  Sums sums(info.cols);
  for_each_row<T>(reader, "checking means", e, [&](std::uint64_t, RowOfBlock<T> const& row) {
    for (std::uint64_t j = 0; j < info.cols; ++j) {
      sums.add(j, 1, {.high = row(j)});
      columns.size[j] += std::fabs(row(j)) / rows;
    }
  });
  for (std::uint64_t j = 0; j < info.cols; ++j) {
    double const mean = sums[j].high / rows;
    DoubleDouble const rest = add(sums[j], two_product(-mean, rows));
    columns.mean[j] = two_sum(mean, rest.high / rows);
  }
  Sums squares(info.cols);
  for_each_row<T>(reader, "checking deviations", e, [&](std::uint64_t, RowOfBlock<T> const& row) {
    for (std::uint64_t j = 0; j < info.cols; ++j) {
      DoubleDouble const& mean = columns.mean[j];
      DoubleDouble const off = add({.high = row(j)}, {.high = -mean.high, .low = -mean.low});
      squares[j] = add(squares[j], times(off, off));
    }
  });
  // Relative rounding error of a mean of equal entries.
  constexpr double nothing = 0x1p-90;
  for (std::uint64_t j = 0; j < info.cols; ++j) {
    double const deviation = std::sqrt(squares[j].high / (rows - 1));
    bool const varies = deviation > nothing * columns.size[j];
    columns.deviation[j] = varies ? deviation : 0;
    if (options.scale) columns.factor[j] = varies ? 1 / deviation : 0;
    double const scaled = columns.deviation[j] * columns.factor[j];
    columns.variance = std::fma(scaled, scaled, columns.variance);
  }
  return columns;
}

/// Largest entry of X·Xᵀ - I; x(i, j) is entry j of vector i.
template <class Entry>
double off_identity(std::size_t count, std::size_t length, Entry const& x) {
  double largest = 0;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      DoubleDouble sum{.high = a == b ? -1.0 : 0.0};
      for (std::size_t j = 0; j < length; ++j) sum = add(sum, two_product(x(a, j), x(b, j)));
      largest = larger_or_nan(largest, std::fabs(sum.high));
    }
  }
  return largest;
}

/// Lower bound of the largest singular value outside the found vectors, by a block Krylov space of
/// random vectors orthogonal to them.
template <class T>
class Search {
 public:
  Search(io::MatrixReader const& reader, Columns const& columns, int e, std::size_t found,
         io::MatrixView<T, Kokkos::LayoutRight> const& VT)
      : reader_(reader), columns_(columns), e_(e), cols_(reader.info().cols) {
    for (std::size_t i = 0; i < found; ++i) {
      auto& v = outside_.emplace_back(cols_);
      for (std::size_t j = 0; j < cols_; ++j) v[j] = static_cast<double>(VT(i, j));
    }
  }

  double operator()() {
    constexpr int reads = 6;
    constexpr std::size_t block = 4;
    std::vector<Vector> next;
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < block; ++i) {
      auto& w = next.emplace_back(cols_);
      for (double& x : w) x = mixed(state);
    }
    for (int read = 0; read < reads; ++read) {
      std::size_t const before = inside_.size();
      for (Vector& w : next) append(w);
      if (inside_.size() == before) break;
      next = multiply(before);
    }
    return largest();
  }

 private:
  using Vector = std::vector<double>;

  /// A number from -1 to 1 (SplitMix64).
  static double mixed(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<double>(z ^ (z >> 31U)) * 0x1p-63 - 1;
  }
  static double product(Vector const& x, Vector const& y) {
    return solve::detail::product_of(static_cast<std::int64_t>(x.size()), x.data(), y.data());
  }
  static void take_out(std::vector<Vector> const& of, Vector& w) {
    for (Vector const& x : of) {
      solve::detail::add_multiple(static_cast<std::int64_t>(w.size()), -product(x, w), x.data(),
                                  w.data());
    }
  }
  /// Appends the part of w outside the space, unless it is rounding.
  void append(Vector& w) {
    double const before = std::sqrt(product(w, w));
    if (!(before > 0 && std::isfinite(before))) return;
    for (double& x : w) x /= before;
    for (int pass = 0; pass < 3; ++pass) {
      take_out(outside_, w);
      take_out(inside_, w);
    }
    double const left = std::sqrt(product(w, w));
    if (left < 1e-10) return;
    for (double& x : w) x /= left;
    take_out(outside_, w);
    take_out(inside_, w);
    inside_.push_back(w);
  }
  /// Aᵀ·(A·w), from vector `first`.
  std::vector<Vector> multiply(std::size_t first) {
    std::size_t const count = inside_.size() - first;
    std::vector<Vector> to(count, Vector(cols_));
    Vector row(cols_);
    for_each_row<T>(reader_, "searching larger values", e_,
                    [&](std::uint64_t, RowOfBlock<T> const& a) {
                      for (std::size_t j = 0; j < cols_; ++j) {
                        row[j] = columns_.factor[j] * (a(j) - columns_.mean[j].high);
                      }
                      for (std::size_t i = 0; i < count; ++i) {
                        double const y = product(row, inside_[first + i]);
                        solve::detail::add_multiple(static_cast<std::int64_t>(cols_), y, row.data(),
                                                    to[i].data());
                      }
                    });
    images_.insert(images_.end(), to.begin(), to.end());
    return to;
  }
  [[nodiscard]] double largest() const {
    auto const size = static_cast<std::int64_t>(images_.size());
    if (size == 0) return 0;
    solve::SmallMatrix H(size, size);
    for (std::int64_t i = 0; i < size; ++i) {
      for (std::int64_t j = 0; j < size; ++j) {
        auto const a = static_cast<std::size_t>(i);
        auto const b = static_cast<std::size_t>(j);
        H(i, j) = (product(inside_[a], images_[b]) + product(inside_[b], images_[a])) / 2;
      }
    }
    auto const eigen = solve::small_eigen(std::move(H));
    if (!eigen.is_converged) return std::numeric_limits<double>::quiet_NaN();
    return std::sqrt(std::max(0.0, eigen.values.front()));
  }

  io::MatrixReader const& reader_;
  Columns const& columns_;
  int e_;
  std::size_t cols_;
  std::vector<Vector> outside_;  ///< found right vectors
  std::vector<Vector> inside_;
  std::vector<Vector> images_;  ///< AᵀA·inside_
};

template <class Expected, class Size>
double largest_difference(std::vector<double> const& found, Expected const& expected,
                          Size const& size) {
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    // A variance may overflow in both.
    double const off = found[i] == expected(i) ? 0 : std::fabs(found[i] - expected(i));
    double const of = size(i);
    largest = larger_or_nan(largest, of > 0 ? off / of : off > 0 ? 1 : 0);
  }
  return largest;
}

template <class T>
void check_columns(TripletOptions const& options, io::MatrixInfo const& info, Triplets const& found,
                   Columns const& columns, int e, TripletCheck& check) {
  auto const rows = static_cast<double>(info.rows);
  auto const of_e = [&](double x) { return std::scalbn(x, e); };
  // If a sum overflows, so does its mean.
  check.add("mean",
            largest_difference(
                found.mean, [&](std::size_t j) { return of_e(columns.mean[j].high); },
                [&](std::size_t j) { return of_e(columns.size[j]); }),
            check.small);
  check.add("deviation",
            largest_difference(
                found.deviation, [&](std::size_t j) { return of_e(columns.deviation[j]); },
                [&](std::size_t j) { return of_e(columns.deviation[j]); }),
            check.small);
  auto const variance = [&](std::size_t i) { return found.s[i] * found.s[i] / (rows - 1); };
  check.add("variance", largest_difference(found.variance, variance, variance), check.small);
  // Divided by 2^e: squares stay in range.
  auto const ratio = [&](std::size_t i) {
    double const s = options.scale ? found.s[i] : std::scalbn(found.s[i], -e);
    return columns.variance > 0 ? s * s / (rows - 1) / columns.variance : 0;
  };
  check.add("ratio",
            largest_difference(found.ratio, ratio,
                               [&](std::size_t i) { return std::max(ratio(i), found.ratio[i]); }),
            check.small);
}

template <class T>
TripletCheck check_in(TripletOptions const& options, io::MatrixReader const& reader,
                      Triplets const& found) {
  using Matrix = io::MatrixView<T, Kokkos::LayoutRight>;
  io::MatrixInfo const& info = reader.info();
  std::size_t const count = found.s.size();
  Matrix const VT = std::get<Matrix>(found.VT);
  bool const has_u = options.wants_u();
  Matrix const U = has_u ? std::get<Matrix>(found.U) : Matrix();
  int const e = exponent_of(options, found);
  Columns const columns = columns_of<T>(options, reader, e);
  auto const beside_e = [&](double s) { return options.scale ? s : std::scalbn(s, -e); };
  // Vectors that A is multiplied by; products with the means.
  auto const x = [&](std::size_t i, std::size_t j) {
    return two_product(columns.factor[j], static_cast<double>(VT(i, j)));
  };
  Sums of_mean(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < info.cols; ++j) {
      of_mean[i] = add(of_mean[i], times(columns.mean[j], x(i, j)));
    }
  }
  std::vector<Sums> products(count, Sums(info.cols));    // Aᵀ·(A·v)
  std::vector<Sums> transposed(count, Sums(info.cols));  // Aᵀ·u
  Sums totals(count);                                    // sums of A·v
  Sums totals_of_u(count);
  Sums lengths(count);  // squares of A·v
  Sums off(count);      // squares of A·v - s·u
  for_each_row<T>(reader, "checking vectors", e, [&](std::uint64_t row, RowOfBlock<T> const& a) {
    for (std::size_t i = 0; i < count; ++i) {
      DoubleDouble y{.high = -of_mean[i].high, .low = -of_mean[i].low};
      for (std::uint64_t j = 0; j < info.cols; ++j) y = add(y, times(a(j), x(i, j)));
      for (std::uint64_t j = 0; j < info.cols; ++j) products[i].add(j, a(j), y);
      totals[i] = add(totals[i], y);
      lengths[i] = add(lengths[i], times(y, y));
      if (!has_u) continue;
      DoubleDouble const u{.high = static_cast<double>(U(row, i))};
      for (std::uint64_t j = 0; j < info.cols; ++j) transposed[i].add(j, a(j), u);
      totals_of_u[i] = add(totals_of_u[i], u);
      y = add(y, two_product(-beside_e(found.s[i]), u.high));
      off[i] = add(off[i], times(y, y));
    }
  });
  double const rounding = rounding_of(io::scalar_type<T>);
  // Levels of the summation trees.
  auto const depth = static_cast<double>(std::bit_width(std::max(info.rows, info.cols)));
  double const largest = found.s.empty() || found.s[0] == 0 ? 1 : beside_e(found.s[0]);
  TripletCheck check;
  // Rounding of such sums, and the user's tolerance.
  check.small = 2 * options.tol + (20 + 4 * depth) * rounding;
  double right = 0;
  double values = 0;
  double left = 0;
  double of_u = 0;
  double claimed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double const s = beside_e(found.s[i]);
    auto const centred = [&](Sums const& of, DoubleDouble const& total, std::uint64_t j) {
      DoubleDouble const& mean = columns.mean[j];
      DoubleDouble const taken = times(total, {.high = -mean.high, .low = -mean.low});
      return times(columns.factor[j] / largest, add(of[j], taken));
    };
    Sums rest(info.cols);
    Sums rest_of_u(info.cols);
    for (std::uint64_t j = 0; j < info.cols; ++j) {
      auto const v = static_cast<double>(VT(i, j));
      rest[j] = add(centred(products[i], totals[i], j), times(-s / largest, two_product(s, v)));
      if (has_u) {
        rest_of_u[j] = add(centred(transposed[i], totals_of_u[i], j), two_product(-s / largest, v));
      }
    }
    right = larger_or_nan(right, rest.norm() / largest);
    values = larger_or_nan(values, std::fabs(std::sqrt(lengths[i].high) - s) / largest);
    claimed = std::max(claimed, beside_e(found.residuals[i]) / largest);
    if (!has_u) continue;
    left = larger_or_nan(left, std::sqrt(off[i].high) / largest);
    of_u = larger_or_nan(of_u, rest_of_u.norm());
  }
  // The randomized method guarantees no residual, but reports one.
  if (options.is_randomized() && options.tol == 0) check.small += 2 * claimed;
  check.add("right", right, check.small);
  check.add("values", values, check.small);
  if (has_u) {
    check.add("left", left, check.small);
    check.add("transposed", of_u, check.small);
  }
  double const orthogonal = 160 * rounding;
  check.add(
      "v_orthogonal",
      off_identity(count, info.cols,
                   [&](std::size_t i, std::size_t j) { return static_cast<double>(VT(i, j)); }),
      orthogonal);
  if (has_u) {
    check.add(
        "u_orthogonal",
        off_identity(count, info.rows,
                     [&](std::size_t i, std::size_t j) { return static_cast<double>(U(j, i)); }),
        orthogonal);
  }
  if (options.is_pca()) check_columns<T>(options, info, found, columns, e, check);
  if (count > 0 && count < std::min(info.rows, info.cols)) {
    double const least = beside_e(*std::ranges::min_element(found.s));
    double const other = Search<T>(reader, columns, e, count, VT)();
    check.add("missed", std::isnan(other) ? other : std::max(0.0, other - least) / largest,
              check.small);
  }
  return check;
}

}  // namespace

TripletCheck check_triplets(TripletOptions const& options, io::MatrixReader const& reader,
                            io::ScalarType type, Triplets const& found) {
  return type == io::ScalarType::f32 ? check_in<float>(options, reader, found)
                                     : check_in<double>(options, reader, found);
}

}  // namespace tessera::app
