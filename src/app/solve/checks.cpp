// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Independent looks at solutions: sums of higher precision over the rows of the file.

#include <algorithm>
#include <check/precise.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <app/base/progress.hpp>
#include <app/solve/solve.hpp>
#include <io/chunked_read.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>

namespace tessera::app {
namespace {

using check::add;
using check::DoubleDouble;
using check::two_product;
using check::two_sum;

/// a·x
DoubleDouble times(double a, DoubleDouble x) {
  DoubleDouble term = two_product(a, x.high);
  term.low += a * x.low;
  return two_sum(term.high, term.low);
}
/// x·y
DoubleDouble times(DoubleDouble x, DoubleDouble y) {
  DoubleDouble term = two_product(x.high, y.high);
  term.low += x.high * y.low + x.low * y.high;
  return two_sum(term.high, term.low);
}

/// Sums of double-doubles, each with its low part.
class Sums {
 public:
  explicit Sums(std::size_t size) : sums_(size) {}

  /// Adds a·x to sum i.
  void add(std::size_t i, double a, DoubleDouble x) {
    sums_[i] = check::add(sums_[i], times(a, x));
  }
  DoubleDouble& operator[](std::size_t i) { return sums_[i]; }
  DoubleDouble const& operator[](std::size_t i) const { return sums_[i]; }
  [[nodiscard]] double norm() const {
    DoubleDouble square;
    for (DoubleDouble const& sum : sums_) square = check::add(square, times(sum, sum));
    return std::sqrt(square.high);
  }

 private:
  std::vector<DoubleDouble> sums_;
};

/// e where squares of a number of about 2^e, or those of its rounding, could over- or underflow;
/// else 0.
int far_exponent(double x) {
  int const e = x > 0 && std::isfinite(x) ? std::ilogb(x) : 0;
  return std::abs(e) > 200 ? e : 0;
}

/// A row of a block of a matrix: 2^-e times its elements.
template <class T>
struct RowOfBlock {
  T const* first;
  std::uint64_t stride;
  int e;
  double operator()(std::uint64_t j) const {
    auto const element = static_cast<double>(first[j * stride]);
    return e == 0 ? element : std::scalbn(element, -e);
  }
};

/// Calls work(i, row) for each row of 2^-e times a matrix, in order, and looks whether its file has
/// changed.
/// @throws io::FileError
template <class T, class Work>
void for_each_row(io::MatrixReader const& reader, std::string const& title, int e,
                  Work const& work) {
  io::MatrixInfo const& info = reader.info();
  // Elements of a block. One of a file in chunks unpacks all that it touches.
  std::uint64_t const most = std::uint64_t{1} << (info.chunk_rows == 0 ? 20U : 23U);
  std::uint64_t const step = std::clamp<std::uint64_t>(most / info.cols, 1, info.rows);
  bool const by_rows = info.layout == io::Layout::right;
  std::vector<T> block(step * info.cols);
  ProgressBar bar(title);
  for (std::uint64_t first = 0; first < info.rows; first += step) {
    std::uint64_t const rows = std::min(step, info.rows - first);
    io::Block const part{.row = first, .col = 0, .rows = rows, .cols = info.cols};
    std::span<T> const elements(block.data(), part.elements());
    io::read_whole_block(reader, part, elements);
    for (std::uint64_t i = 0; i < rows; ++i) {
      work(first + i, RowOfBlock<T>{.first = block.data() + (by_rows ? i * info.cols : i),
                                    .stride = by_rows ? 1 : rows,
                                    .e = e});
    }
    bar.set(first + rows, info.rows);
  }
  reader.check_unchanged();
}

template <class T>
double norm_of(io::VectorView<T> const& x) {
  Sums sums(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sums[i].high = static_cast<double>(x(i));
  return sums.norm();
}

template <class T>
Residual residual_in(io::MatrixReader const& reader, io::VectorView<T> const& x,
                     io::VectorView<T> const& b, double damp, int e = 0) {
  io::MatrixInfo const& info = reader.info();
  double largest = 0;
  Sums gradient(info.cols);
  Sums all(info.rows);
  DoubleDouble square;  // of ‖A‖
  auto const scaled_x = [&](std::uint64_t j) { return std::scalbn(static_cast<double>(x(j)), e); };
  for_each_row<T>(reader, "checking x", e, [&](std::uint64_t i, RowOfBlock<T> const& row) {
    Sums r(1);
    r[0].high = static_cast<double>(b(i));
    for (std::uint64_t j = 0; j < info.cols; ++j) {
      double const a = row(j);
      largest = std::max(largest, std::fabs(a));
      r.add(0, -a, {.high = scaled_x(j)});
      square = add(square, two_product(a, a));
    }
    for (std::uint64_t j = 0; j < info.cols; ++j) gradient.add(j, row(j), r[0]);
    all[i] = r[0];
  });
  // Once more, beside the size of the elements of A and damp·I.
  if (int const far = far_exponent(std::max(largest, damp)); far != 0 && e == 0) {
    return residual_in<T>(reader, x, b, damp, far);
  }
  double const scaled_damp = std::scalbn(damp, -e);
  DoubleDouble const penalty = two_product(scaled_damp, scaled_damp);
  Sums solution(info.cols);
  for (std::uint64_t j = 0; j < info.cols; ++j) {
    solution[j].high = scaled_x(j);
    gradient.add(j, -scaled_x(j), penalty);
  }
  return {.normr = all.norm(),
          .gradient = gradient.norm(),
          .norma = std::sqrt(square.high),
          .normb = norm_of<T>(b),
          .normx = solution.norm(),
          .damp = scaled_damp};
}

}  // namespace

double rounding_of(io::ScalarType type) {
  return type == io::ScalarType::f32 ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                     : std::numeric_limits<double>::epsilon();
}

Residual residual_of(io::MatrixReader const& reader, io::HostVector const& x,
                     io::HostVector const& b, double damp) {
  return std::visit(
      [&]<class T>(io::VectorView<T> const& found) {
        return residual_in<T>(reader, found, std::get<io::VectorView<T>>(b), damp);
      },
      x);
}

namespace {

/// Half a row's deviance at η, and its derivatives, in long double.
struct RowDerivatives {
  long double value;
  long double first;
  long double second;
};
RowDerivatives derivatives(RegressionLoss loss, DoubleDouble at, double y) {
  long double const eta = static_cast<long double>(at.high) + static_cast<long double>(at.low);
  auto const label = static_cast<long double>(y);
  if (loss == RegressionLoss::linear) {
    return {(eta - label) * (eta - label) / 2, eta - label, 1};
  }
  if (loss == RegressionLoss::logistic) {
    long double const e = std::exp(-std::fabs(eta));
    long double const above = (eta < 0 ? e : 1) / (1 + e);
    long double const below = (eta < 0 ? 1 : e) / (1 + e);
    return {std::max(eta, 0.0L) - label * eta + std::log1p(e), label == 0 ? above : -below,
            above * below};
  }
  long double const e = std::exp(eta);
  long double const own = label > 0 ? label * (1 + eta - std::log(label)) : 0;
  return {e - own, e - label, e};
}
DoubleDouble in_two(long double x) {
  auto const high = static_cast<double>(x);
  return {.high = high, .low = static_cast<double>(x - static_cast<long double>(high))};
}

/// What one reading of the matrix adds up at a fit.
struct SumsOfFit {
  Sums first;    ///< the derivative times each column, then times 1
  Sums second;   ///< the weight times each column, then times 1
  Sums squares;  ///< the weight times each column's squares
  long double deviance = 0;

  explicit SumsOfFit(std::size_t cols) : first(cols + 1), second(cols + 1), squares(cols) {}
};

template <class T>
SumsOfFit sums_of_fit(FitOptions const& options, io::MatrixReader const& reader, Fit const& fit,
                      io::HostVector const& labels) {
  std::uint64_t const cols = reader.info().cols;
  auto const& x = std::get<io::VectorView<T>>(fit.x);
  auto const& y = std::get<io::VectorView<T>>(labels);
  SumsOfFit sums(cols);
  for_each_row<T>(reader, "checking x", 0, [&](std::uint64_t i, RowOfBlock<T> const& row) {
    Sums eta(1);
    eta[0].high = fit.intercept;
    for (std::uint64_t j = 0; j < cols; ++j) {
      eta.add(0, row(j), {.high = static_cast<double>(x(j))});
    }
    auto const at = derivatives(options.loss, eta[0], static_cast<double>(y(i)));
    sums.deviance += 2 * at.value;
    DoubleDouble const first = in_two(at.first);
    // Norms of the iterative methods are those of the columns alone.
    DoubleDouble const second = fit.is_newton ? in_two(at.second) : DoubleDouble{.high = 1};
    for (std::uint64_t j = 0; j < cols; ++j) {
      sums.first.add(j, row(j), first);
      sums.second.add(j, row(j), second);
      sums.squares.add(j, row(j), times(row(j), second));
    }
    sums.first.add(cols, 1, first);
    sums.second.add(cols, 1, second);
  });
  return sums;
}

/// Each column's gradient beside the norm of the column and the root of the deviance, or beside
/// what rounding leaves of it. Columns are centred where there is an intercept.
template <class T>
GradientCheck check_in(FitOptions const& options, io::MatrixReader const& reader, Fit const& fit,
                       io::HostVector const& labels) {
  auto const sums = sums_of_fit<T>(options, reader, fit, labels);
  std::size_t const cols = reader.info().cols;
  auto const& x = std::get<io::VectorView<T>>(fit.x);
  double const all = sums.second[cols].high;
  std::vector<double> gradient;
  std::vector<double> norms;
  std::vector<double> sizes;
  for (std::size_t j = 0; j < cols; ++j) {
    DoubleDouble of_column = sums.first[j];
    DoubleDouble square = sums.squares[j];
    if (options.has_intercept && all > 0) {
      double const mean = sums.second[j].high / all;
      of_column = add(of_column, times(-mean, sums.first[cols]));
      square = add(square, times(-mean, sums.second[j]));
    }
    of_column = add(of_column, two_product(options.penalty, static_cast<double>(x(j))));
    gradient.push_back(of_column.high);
    norms.push_back(std::sqrt(std::max(0.0, square.high) + options.penalty));
    sizes.push_back(std::sqrt(sums.squares[j].high + options.penalty));
  }
  gradient.push_back(options.has_intercept ? sums.first[cols].high : 0);
  norms.push_back(std::sqrt(all));
  sizes.push_back(std::sqrt(all));
  // x is rounded to its type, and each product with A to that of the sums.
  double rounded = 0;
  double predictor = std::fabs(fit.intercept) * std::sqrt(all);
  for (std::size_t j = 0; j < cols; ++j) {
    rounded += std::fabs(static_cast<double>(x(j))) * norms[j];
    predictor += std::fabs(static_cast<double>(x(j))) * sizes[j];
  }
  double const of_type = rounding_of(io::scalar_type<T>);
  double const of_sums = fit.is_newton ? std::numeric_limits<double>::epsilon() : of_type;
  double const root = std::sqrt(static_cast<double>(sums.deviance));
  double largest = 0;
  auto const& errors = fit.standard_errors;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    // A column that depends on the others as far as float can tell has no error.
    bool const depends = j < errors.size() && std::isnan(errors[j]);
    double const of_rounding =
        depends ? std::sqrt(64 * std::numeric_limits<double>::epsilon() * (cols + 1.0)) : 0;
    double const small = of_rounding * norms[j] * root + fit.bound * norms[j] * root +
                         of_type * norms[j] * rounded +
                         32 * of_sums * sizes[j] * (root + predictor);
    double const found = std::fabs(gradient[j]);
    double const ratio = found == 0 ? 0 : found / small;
    largest = ratio <= largest ? largest : ratio;
  }
  return {.gradient = largest * fit.bound, .gradient_below = 2 * fit.bound};
}

}  // namespace

GradientCheck check_fit(FitOptions const& options, io::MatrixReader const& reader,
                        io::ScalarType type, Fit const& fit, io::HostVector const& y) {
  return type == io::ScalarType::f32 ? check_in<float>(options, reader, fit, y)
                                     : check_in<double>(options, reader, fit, y);
}

namespace {

/// What is taken out of each column, and what it is multiplied with.
struct Columns {
  std::vector<DoubleDouble> mean;
  std::vector<double> factor;
};

/// The size of the numbers that are checked.
int exponent_of(TripletOptions const& options, Triplets const& found) {
  auto const& sizes = options.scale ? found.deviation : found.s;
  return sizes.empty() ? 0 : far_exponent(*std::ranges::max_element(sizes));
}

/// Means of 2^-e·A and, where columns are scaled, one over their standard deviations, or 0.
template <class T>
Columns columns_of(TripletOptions const& options, io::MatrixReader const& reader,
                   Triplets const& found, int e) {
  io::MatrixInfo const& info = reader.info();
  Columns columns{.mean = std::vector<DoubleDouble>(info.cols),
                  .factor = std::vector<double>(info.cols, 1)};
  if (!options.is_pca()) return columns;
  auto const rows = static_cast<double>(info.rows);
  Sums sums(info.cols);
  for_each_row<T>(reader, "checking means", e, [&](std::uint64_t, RowOfBlock<T> const& row) {
    for (std::uint64_t j = 0; j < info.cols; ++j) sums.add(j, 1, {.high = row(j)});
  });
  for (std::uint64_t j = 0; j < info.cols; ++j) {
    double const mean = sums[j].high / rows;
    DoubleDouble const rest = add(sums[j], two_product(-mean, rows));
    columns.mean[j] = two_sum(mean, rest.high / rows);
  }
  if (!options.scale) return columns;
  Sums squares(info.cols);
  for_each_row<T>(reader, "checking deviations", e, [&](std::uint64_t, RowOfBlock<T> const& row) {
    for (std::uint64_t j = 0; j < info.cols; ++j) {
      DoubleDouble const& mean = columns.mean[j];
      DoubleDouble const off = add({.high = row(j)}, {.high = -mean.high, .low = -mean.low});
      squares[j] = add(squares[j], times(off, off));
    }
  });
  for (std::uint64_t j = 0; j < info.cols; ++j) {
    double const deviation = std::sqrt(squares[j].high / (rows - 1));
    // One that was left out has equal entries, but for what a sum's rounding may hide.
    double const hidden = (rows + 2) * static_cast<double>(std::numeric_limits<T>::epsilon()) *
                          std::fabs(columns.mean[j].high) * std::sqrt(rows / (rows - 1));
    bool const is_left_out = found.deviation[j] == 0 && deviation <= hidden;
    columns.factor[j] = is_left_out ? 0 : 1 / deviation;
  }
  return columns;
}

/// The larger one, or what is not a number.
double larger_or_nan(double a, double b) {
  return b <= a || std::isnan(a) ? a : b;
}

/// The largest entry of X·Xᵀ - I in size, where x(i, j) is entry j of vector i.
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

template <class T>
TripletCheck check_in(TripletOptions const& options, io::MatrixReader const& reader,
                      Triplets const& found) {
  using Matrix = io::MatrixView<T, Kokkos::LayoutRight>;
  io::MatrixInfo const& info = reader.info();
  std::size_t const count = found.s.size();
  Matrix const VT = std::get<Matrix>(found.VT);
  Matrix const U = options.wants_u() ? std::get<Matrix>(found.U) : Matrix();
  int const e = exponent_of(options, found);
  Columns const columns = columns_of<T>(options, reader, found, e);
  auto const beside_e = [&](double s) { return options.scale ? s : std::scalbn(s, -e); };
  // The vectors A is multiplied with, and what the mean's row gives with them.
  auto const x = [&](std::size_t i, std::size_t j) {
    return two_product(columns.factor[j], static_cast<double>(VT(i, j)));
  };
  Sums of_mean(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < info.cols; ++j) {
      of_mean[i] = add(of_mean[i], times(columns.mean[j], x(i, j)));
    }
  }
  std::vector<Sums> products(count, Sums(info.cols));  // Aᵀ·(A·v)
  Sums totals(count);                                  // of A·v
  Sums off(count);                                     // squares of A·v - s·u
  for_each_row<T>(reader, "checking vectors", e, [&](std::uint64_t row, RowOfBlock<T> const& a) {
    for (std::size_t i = 0; i < count; ++i) {
      DoubleDouble y{.high = -of_mean[i].high, .low = -of_mean[i].low};
      for (std::uint64_t j = 0; j < info.cols; ++j) y = add(y, times(a(j), x(i, j)));
      for (std::uint64_t j = 0; j < info.cols; ++j) products[i].add(j, a(j), y);
      totals[i] = add(totals[i], y);
      if (!options.wants_u()) continue;
      y = add(y, two_product(-beside_e(found.s[i]), static_cast<double>(U(row, i))));
      off[i] = add(off[i], times(y, y));
    }
  });
  double const rounding = rounding_of(io::scalar_type<T>);
  double const largest = found.s.empty() || found.s[0] == 0 ? 1 : beside_e(found.s[0]);
  double const small = 10 * std::max(options.tol, 16 * rounding);
  TripletCheck check{.right_below = small, .left_below = small, .orthogonal_below = 160 * rounding};
  for (std::size_t i = 0; i < count; ++i) {
    double const s = beside_e(found.s[i]);
    Sums rest(info.cols);
    for (std::uint64_t j = 0; j < info.cols; ++j) {
      DoubleDouble const& mean = columns.mean[j];
      DoubleDouble const taken = times(totals[i], {.high = -mean.high, .low = -mean.low});
      rest[j] = times(columns.factor[j] / largest, add(products[i][j], taken));
      rest[j] = add(rest[j], times(-s / largest, two_product(s, static_cast<double>(VT(i, j)))));
    }
    check.right = larger_or_nan(check.right, rest.norm() / largest);
    if (options.wants_u()) check.left = larger_or_nan(check.left, std::sqrt(off[i].high) / largest);
    // What the run says of itself.
    check.right_below = std::max(check.right_below, 10 * beside_e(found.residuals[i]) / largest);
  }
  check.v = off_identity(count, info.cols, [&](std::size_t i, std::size_t j) {
    return static_cast<double>(VT(i, j));
  });
  if (options.wants_u()) {
    check.u = off_identity(count, info.rows, [&](std::size_t i, std::size_t j) {
      return static_cast<double>(U(j, i));
    });
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
