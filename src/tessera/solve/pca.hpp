// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/maps.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/golub_kahan.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/svd.hpp>
#include <tessera/summation.hpp>
#include <tessera/vectors.hpp>

namespace tessera::solve {

/// Options of `pca`.
struct PcaOptions {
  SvdOptions svd{};    ///< of the centred matrix
  bool scale = false;  ///< divide each column by its standard deviation; a constant one is left out
};

/// The k directions in which the rows of A differ most.
template <class Exec, class T>
struct PcaResult {
  SvdResult<Exec, T> svd;         ///< of the centred matrix: VT has the directions
  std::vector<T> mean;            ///< of each column
  std::vector<double> deviation;  ///< of each column, m - 1 degrees of freedom; 0 of one left out
  std::vector<double> explained_variance;        ///< along each direction: s²/(m - 1)
  std::vector<double> explained_variance_ratio;  ///< the same, as a part of that of all columns
};

namespace detail {

/// x_j = d_j·v_j; d of no entries are ones.
template <class T>
struct Stretch {
  T const* d;
  T const* v;
  T* x;
  KOKKOS_FUNCTION void operator()(Index j) const { x[j] = d == nullptr ? v[j] : d[j] * v[j]; }
};
/// to_i = w_i + *shift
template <class T>
struct Shift {
  T const* w;
  Index stride;
  T const* shift;
  T* to;
  KOKKOS_FUNCTION void operator()(Index i) const { to[i] = w[i * stride] + *shift; }
};
/// c_j = d_j·(c_j - mean_j·*total)
template <class T>
struct TakeMean {
  T const* mean;
  T const* total;
  T const* d;
  T* c;
  KOKKOS_FUNCTION void operator()(Index j) const {
    T const centred = Kokkos::fma(-mean[j], *total, c[j]);
    c[j] = d == nullptr ? centred : d[j] * centred;
  }
};
template <class T>
struct TakeShift {
  T const* shift;
  T* b;
  KOKKOS_FUNCTION void operator()(Index i) const { b[i] = b[i] - *shift; }
};

/// (A - 1·meanᵀ)·diag(d) of an A that stays as it is: a read is one of A. Its maps are the identity
/// and `minus`.
template <class Exec, class T>
class Centred final : public NormalOperator<Exec, T> {
  using Base = NormalOperator<Exec, T>;

 public:
  /// d of no entries: ones.
  Centred(Base const& op, Values<Exec, T> mean, Values<Exec, T> d)
      : Base(op.exec(), op.rows(), op.cols(), op.layout() == std::string_view("rows")),
        op_(op),
        mean_(std::move(mean)),
        d_(std::move(d)),
        ones_(ones<Exec, T>(op.exec(), op.rows())),
        x_(make_values<Exec, T>(op.exec(), op.cols())),
        w_(make_values<Exec, T>(op.exec(), op.rows())),
        sum_(make_values<Exec, T>(op.exec(), 1)) {}

  /// Of b as A has it: c = diag(d)·(c - mean·Σ b).
  void take_mean(ConstValues<Exec, T> const& b, Values<Exec, T> const& c) const {
    tessera::dot(this->exec(), ones_, b, sum_, {.workspace = &workspace_});
    static std::string const label("tessera::pca::take_mean");
    for_each_element(this->exec(), label, this->cols(),
                     TakeMean<T>{mean_.data(), sum_.data(), factors(), c.data()});
  }

 private:
  void do_atax(ConstValues<Exec, T> const& v, typename Base::Map const& map,
               Values<Exec, T> const& b, Values<Exec, T> const& c,
               bool keep_product) const override {
    bool const is_minus = map.function().kind == maps::Kind::minus;
    if ((!is_minus && !map.is_identity()) || keep_product || b.extent(0) == 0) {
      checks::fail("Centred", "expected B and no map but minus");
    }
    stretch(v, x_, sum_);
    if (is_minus) {
      static std::string const label("tessera::pca::shift");
      for_each_element(this->exec(), label, this->rows(),
                       Shift<T>{map.function().x, map.function().stride, sum_.data(), w_.data()});
      op_.atax(x_, maps::minus(w_), b, c);
    } else {
      op_.atax(x_, shift_by<Exec, T>(sum_, 0, this->rows()), b, c);
    }
    take_mean(b, c);
  }
  void do_multiply(ConstValues<Exec, T> const& v, Values<Exec, T> const& b) const override {
    stretch(v, x_, sum_);
    op_.multiply(x_, b);
    static std::string const label("tessera::pca::take_shift");
    for_each_element(this->exec(), label, this->rows(), TakeShift<T>{sum_.data(), b.data()});
  }
  void do_multiply_transposed(ConstValues<Exec, T> const& u,
                              Values<Exec, T> const& c) const override {
    op_.multiply_transposed(u, c);
    take_mean(u, c);
  }
  Index do_atax_of_each(ConstRows<Exec, T> const& VT, ConstValues<Exec, T> const& shifts,
                        Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const override {
    if (shifts.extent(0) > 0) checks::fail("Centred", "expected no shifts");
    auto const count = static_cast<Index>(VT.extent(0));
    Values<Exec, T> const X = make_values<Exec, T>(this->exec(), count * this->cols());
    Rows<Exec, T> const stretched(X.data(), VT.extent(0), VT.extent(1));
    Values<Exec, T> const sums = make_values<Exec, T>(this->exec(), count);
    for (Index i = 0; i < count; ++i) {
      stretch(row<Exec, T const>(VT, i), row<Exec, T>(stretched, i),
              Values<Exec, T>(sums.data() + i, 1));
    }
    Index const reads_before = op_.reads();
    op_.atax_of_each(stretched, sums, BT, CT);
    for (Index i = 0; i < count; ++i) take_mean(row<Exec, T>(BT, i), row<Exec, T>(CT, i));
    this->exec().fence("tessera::pca: products of centred rows are there");
    return op_.reads() - reads_before;
  }
  void do_sums_of_squares(ConstValues<Exec, T> const& /*mean*/,
                          ConstValues<Exec, T> const& /*units*/,
                          Values<Exec, T> const& /*c*/) const override {
    checks::fail("Centred", "its sums of squares are those of the matrix itself");
  }

  /// x = diag(d)·v, and the sum is meanᵀ·x.
  void stretch(ConstValues<Exec, T> const& v, Values<Exec, T> const& x,
               Values<Exec, T> const& sum) const {
    static std::string const label("tessera::pca::stretch");
    for_each_element(this->exec(), label, this->cols(), Stretch<T>{factors(), v.data(), x.data()});
    tessera::dot(this->exec(), mean_, x, sum, {.workspace = &workspace_});
  }

  [[nodiscard]] T const* factors() const { return d_.extent(0) == 0 ? nullptr : d_.data(); }

  Base const& op_;
  Values<Exec, T> mean_;
  Values<Exec, T> d_;
  Values<Exec, T> ones_;
  Values<Exec, T> x_;
  Values<Exec, T> w_;
  Values<Exec, T> sum_;
  mutable Workspace<Exec> workspace_;
};

/// The variance of a column is 2^2e times this one.
struct ScaledVariance {
  int e;
  double variance = 0;
  [[nodiscard]] double deviation() const { return std::ldexp(std::sqrt(variance), e); }
};

/// Variances of columns. c, a product of Aᵀ, says how large their numbers are: squares are of
/// differences beside a power of two that is about as large, and neither over- nor underflow.
template <class Exec, class T>
std::vector<ScaledVariance> variances(NormalOperator<Exec, T> const& op,
                                      Values<Exec, T> const& mean, Values<Exec, T> const& c) {
  constexpr int most = std::numeric_limits<T>::max_exponent - 2;
  std::vector<ScaledVariance> result;
  std::vector<T> on_host;
  for (T const x : to_host<Exec, T>(op.exec(), c)) {
    bool const is_known = x != 0 && std::isfinite(x);
    result.push_back({.e = is_known ? std::clamp(std::ilogb(x), -most, most) : 0});
    on_host.push_back(std::ldexp(T(1), -result.back().e));
  }
  Values<Exec, T> const units = make_values<Exec, T>(op.exec(), op.cols());
  from_host<Exec, T>(op.exec(), on_host, units);
  Values<Exec, T> const squares = make_values<Exec, T>(op.exec(), op.cols());
  op.sums_of_squares(mean, units, squares);
  auto to = result.begin();
  for (T const sum : to_host<Exec, T>(op.exec(), squares)) {
    (to++)->variance = static_cast<double>(sum) / static_cast<double>(op.rows() - 1);
  }
  return result;
}

/// The most that rounding makes of the deviation of a column of equal entries: see `pca`.
template <class Exec, class T>
double deviation_of_equal(NormalOperator<Exec, T> const& op, T mean) {
  Index const rows = op.rows();
  Index const depth = op.layout() == std::string_view("rows")
                          ? summation::sum_depth(rows, op.cols())
                          : summation::dot_depth<T>(rows);
  constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  constexpr auto smallest = static_cast<double>(std::numeric_limits<T>::denorm_min());
  double const error = std::fma(static_cast<double>(depth + 2) * eps,
                                std::fabs(static_cast<double>(mean)), smallest);
  return std::sqrt(static_cast<double>(rows) / static_cast<double>(rows - 1)) * error;
}

template <class Exec, class T>
PcaResult<Exec, T> run_pca(NormalOperator<Exec, T> const& op, Index k, PcaOptions const& options,
                           Control<T> const& control) {
  backends::host::OrdinaryArithmetic const mode;
  Exec const& exec = op.exec();
  Index const reads_before = op.reads();
  if (op.rows() < 2) {
    checks::fail("pca",
                 "expected a matrix of at least two rows, found " + std::to_string(op.rows()));
  }
  op.agree("pca", [&] {
    SvdOptions const& svd = options.svd;
    return digest_of(control)
        .add(k, options.scale, svd.tol, svd.maxiter, svd.ncv, svd.want_u)
        .value();
  });
  auto const rows = static_cast<double>(op.rows());
  // The sums of columns, and by the same read what a run begins with.
  static std::string const label("tessera::pca::begin");
  auto const make = [&](Index size) {
    return Rows<Exec, T>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), 2,
                         static_cast<std::size_t>(size));
  };
  Rows<Exec, T> UT = make(op.rows());
  Rows<Exec, T> const CT = make(op.cols());
  for_each_element(exec, label, op.rows(), SetOne<T>{UT.data()});
  mix_to_begin<Exec, T>(exec, row<Exec, T>(UT, 1));
  op.multiply_transposed_of_each(UT, CT);
  Values<Exec, T> const mean = row<Exec, T>(CT, 0);
  PcaResult<Exec, T> result;
  result.mean = to_host<Exec, T>(exec, mean);
  for (T& x : result.mean) x = static_cast<T>(static_cast<double>(x) / rows);
  from_host<Exec, T>(exec, result.mean, mean);

  SvdBeginning<Exec, T> begin{.c = row<Exec, T>(CT, 1)};
  auto const of_columns = variances<Exec, T>(op, mean, begin.c);
  for (auto const& column : of_columns) result.deviation.push_back(column.deviation());
  double const largest = *std::max_element(result.deviation.begin(), result.deviation.end());
  // Squares beside 2^2e do not overflow.
  bool const has_exponent = !options.scale && largest > 0 && std::isfinite(largest);
  int const e = has_exponent ? std::ilogb(largest) : 0;
  double total = 0;
  std::vector<T> inverses;
  for (std::size_t j = 0; j < of_columns.size(); ++j) {
    auto const& column = of_columns[j];
    double& deviation = result.deviation[j];
    if (!options.scale) {
      total += std::ldexp(column.variance, 2 * (column.e - e));
      continue;
    }
    // What rounding leaves of a constant column would be as large as the others.
    double const of_equal = deviation_of_equal(op, result.mean[j]);
    if (std::isfinite(of_equal) && deviation <= of_equal) deviation = 0;
    inverses.push_back(static_cast<T>(deviation != 0 ? 1 / deviation : 0));
    total += deviation != 0 ? 1 : 0;
  }
  Values<Exec, T> const d = make_values<Exec, T>(exec, options.scale ? op.cols() : 0);
  if (options.scale) from_host<Exec, T>(exec, inverses, d);

  Centred<Exec, T> const centred(op, mean, d);
  centred.take_mean(row<Exec, T>(UT, 1), begin.c);
  exec.fence("tessera::pca: a run can begin");
  UT = {};
  begin.reads = op.reads() - reads_before;
  result.svd = run_svd<Exec, T>(options.scale ? "pca of scaled columns" : "pca", centred, k,
                                options.svd, control, begin);
  for (double const s : result.svd.s) {
    double const scaled = std::ldexp(s, -e);
    result.explained_variance.push_back(s * s / (rows - 1));
    result.explained_variance_ratio.push_back(total == 0 ? 0
                                                         : scaled * scaled / (rows - 1) / total);
  }
  return result;
}

}  // namespace detail

/// Principal components: the k largest singular values and vectors of A - 1·meanᵀ
///
/// | argument | | |
/// |---|---|---|
/// | op | m x n | in: the matrix A, one observation a row; m >= 2 |
/// | k | | in: 1 … min(m, n) |
/// | options | | those of `svd`, and whether columns are scaled |
/// | control | | progress, cancellation, states |
///
/// Work: as `svd`, and one more read of A for the deviations of its columns; their means come by
/// the read that begins, but by one more by several ranks and of a column-major matrix in memory of
/// a GPU. U takes two reads of a matrix in memory of a host where that of `svd` takes one. A is
/// neither copied nor changed by the steps; the deviations of a matrix in memory take a copy of it
/// for a moment.
///
/// Guarantees: as `svd`. The mean is taken out of products, so that of columns whose mean is many
/// times their deviation as many digits are lost.
///
/// Where columns are scaled, one of equal entries x is left out, although the mean that is
/// computed, x', may differ from x. With u = ε/2 and k roundings on the path of an entry through
/// the sum of a column (`summation::sum_depth` of a row-major matrix, `summation::dot_depth` of a
/// column-major one), and two by the division, |x' - x| <= (k + 2)·u·|x|/(1 - (k + 2)·u), or half
/// of the smallest number η of the type more. Each x - x' is exact, all are equal, and their
/// squares are added with k more roundings: for (k + 2)·u <= 1/8 the deviation is at most √(m/(m -
/// 1))·((k + 2)·ε·|x'| + η). A column whose deviation is not larger counts as one of equal entries.
/// Throws std::invalid_argument for options and states that do not fit.
template <ExecutionSpace Exec, Scalar T>
PcaResult<Exec, T> pca(NormalOperator<Exec, T> const& op, Index k, PcaOptions const& options = {},
                       std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_pca<Exec, T>(op, k, options, control);
}

}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_PCA(TEMPLATE, EXEC, T)                                                    \
  namespace tessera::solve::detail {                                                            \
  TEMPLATE PcaResult<EXEC, T> run_pca(NormalOperator<EXEC, T> const&, Index, PcaOptions const&, \
                                      Control<T> const&);                                       \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_PCA)
