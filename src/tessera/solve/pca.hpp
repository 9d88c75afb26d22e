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
#include <tessera/solve/operator.hpp>
#include <tessera/solve/svd.hpp>
#include <tessera/solve/values.hpp>
#include <tessera/summation.hpp>
#include <tessera/vectors.hpp>

namespace tessera::solve {

struct PcaOptions {
  SvdOptions svd{};
  bool scale = false;  ///< divide columns by their deviations; leaves constant ones out
};

template <class Exec, class T>
struct PcaResult {
  SvdResult<Exec, T> svd;  ///< the rows of VT are the directions
  std::vector<T> mean;
  std::vector<double> deviation;                 ///< m - 1 degrees of freedom; 0 if constant
  std::vector<double> explained_variance;        ///< s²/(m - 1)
  std::vector<double> explained_variance_ratio;  ///< as a fraction
};

namespace detail {

template <class T>
struct Stretch {
  T const* d;
  T const* v;
  T* x;
  KOKKOS_FUNCTION void operator()(Index j) const { x[j] = d == nullptr ? v[j] : d[j] * v[j]; }
};
template <class T>
struct Shift {
  T const* w;
  Index stride;
  T const* shift;
  T* to;
  KOKKOS_FUNCTION void operator()(Index i) const { to[i] = w[i * stride] + *shift; }
};
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

/// (A - 1·meanᵀ)·diag(d) without copying A. Maps must be the identity or `minus`.
template <class Exec, class T>
class Centred final : public NormalOperator<Exec, T> {
  using Base = NormalOperator<Exec, T>;

 public:
  /// d empty: ones.
  Centred(Base const& op, Values<Exec, T> mean, Values<Exec, T> d)
      : Base(op.exec(), op.rows(), op.cols(), op.layout() == std::string_view("rows")),
        op_(op),
        mean_(std::move(mean)),
        d_(std::move(d)),
        ones_(ones<Exec, T>(op.exec(), op.rows())),
        x_(make_values<Exec, T>(op.exec(), op.cols())),
        w_(make_values<Exec, T>(op.exec(), op.rows())),
        sum_(make_values<Exec, T>(op.exec(), 1)) {}

  /// c = diag(d)·(c - mean·Σ b) for c = Aᵀ·b.
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
      op_.atax(x_, shift_by<Exec, T>(sum_.data(), this->rows()), b, c);
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
  Index do_multiply_transposed_of_each(ConstRows<Exec, T> const& UT,
                                       Rows<Exec, T> const& CT) const override {
    Index const reads_before = op_.reads();
    op_.multiply_transposed_of_each(UT, CT);
    for (Index i = 0; i < static_cast<Index>(UT.extent(0)); ++i) {
      take_mean(row<Exec, T const>(UT, i), row<Exec, T>(CT, i));
    }
    this->exec().fence("tessera::pca: products of centred rows are there");
    return op_.reads() - reads_before;
  }
  Index do_atax_of_each(ConstRows<Exec, T> const& VT,
                        std::vector<typename NormalOperator<Exec, T>::Map> const& maps,
                        Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const override {
    if (!maps.empty()) checks::fail("Centred", "expected no maps");
    auto const count = static_cast<Index>(VT.extent(0));
    auto const stretched = make_rows<Exec, T>(this->exec(), count, this->cols());
    Values<Exec, T> const sums = make_values<Exec, T>(this->exec(), count);
    std::vector<typename NormalOperator<Exec, T>::Map> shifts;
    for (Index i = 0; i < count; ++i) {
      stretch(row<Exec, T const>(VT, i), row<Exec, T>(stretched, i),
              Values<Exec, T>(sums.data() + i, 1));
      shifts.push_back(shift_by<Exec, T>(sums.data() + i, this->rows()));
    }
    Index const reads_before = op_.reads();
    op_.atax_of_each(stretched, shifts, BT, CT);
    for (Index i = 0; i < count; ++i) take_mean(row<Exec, T>(BT, i), row<Exec, T>(CT, i));
    this->exec().fence("tessera::pca: products of centred rows are there");
    return op_.reads() - reads_before;
  }
  void do_sums_of_squares(ConstValues<Exec, T> const& /*mean*/,
                          ConstValues<Exec, T> const& /*units*/,
                          Values<Exec, T> const& /*c*/) const override {
    checks::fail("Centred", "its sums of squares are those of the matrix itself");
  }

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

/// Two reads: sums, then squares about the means.
template <class Exec, class T>
class Moments {
 public:
  explicit Moments(NormalOperator<Exec, T> const& op)
      : op_(op),
        block_(dynamic_cast<BlockOperator<Exec, T> const*>(&op)),
        rows_(static_cast<double>(op.rows())) {
    if (block_ != nullptr && block_->has_gram()) {
      take_sums();
    } else {
      take_products();
    }
  }
  [[nodiscard]] std::vector<double> const& means() const { return means_; }
  [[nodiscard]] std::vector<double> const& deviations() const { return deviations_; }

 private:
  void take_sums() {
    read({}, {});
    auto const cols = static_cast<std::size_t>(op_.cols());
    constexpr double tiny = 0x1p-900;
    for (std::size_t j = 0; j < cols; ++j) {
      double const square = values_[cols + j];
      exponents_.push_back(square < tiny ? 700 : std::isfinite(square) ? 0 : -700);
      units_.push_back(std::ldexp(1.0, exponents_.back()));
    }
    bool const is_far = std::ranges::any_of(exponents_, [](int e) { return e != 0; });
    if (is_far) read({}, units_);
    for (std::size_t j = 0; j < cols; ++j) means_.push_back(mean_beside(0, j));
    read(means_, units_);
    for (std::size_t j = 0; j < cols; ++j) {
      double const square = values_[j] * values_[j] / rows_;
      double const rest = values_[cols + j] - square;
      // Equal entries differ from the rounded mean by one number: a small rest is rounding.
      bool const varies = rest > 64 * std::numeric_limits<double>::epsilon() * square;
      double const deviation = varies ? std::sqrt(rest / (rows_ - 1)) : rest <= square ? 0 : rest;
      deviations_.push_back(std::ldexp(deviation, -exponents_[j]));
      means_[j] = mean_beside(means_[j], j);
    }
  }
  /// If the operator has no sums in double.
  void take_products() {
    Exec const& exec = op_.exec();
    Values<Exec, T> const c = make_values<Exec, T>(exec, op_.cols());
    op_.multiply_transposed(ones<Exec, T>(exec, op_.rows()), c);
    std::vector<T> mean = to_host<Exec, T>(exec, c);
    for (T& x : mean) {
      x = static_cast<T>(static_cast<double>(x) / rows_);
      means_.push_back(static_cast<double>(x));
    }
    op_.sums_of_squares(on_device(exec, mean), ones<Exec, T>(exec, op_.cols()), c);
    auto const squares = to_host<Exec, T>(exec, c);
    double const least = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t j = 0; j < squares.size(); ++j) {
      double const deviation = std::sqrt(static_cast<double>(squares[j]) / (rows_ - 1));
      deviations_.push_back(deviation > least * std::abs(means_[j]) ? deviation : 0);
    }
  }
  void read(std::vector<double> const& shift, std::vector<double> const& units) {
    Exec const& exec = op_.exec();
    GramProducts<Exec, T> products;
    products.cols = op_.cols();
    products.has_moments_only = true;
    if (!shift.empty()) products.shift = on_device(exec, shift);
    if (!units.empty()) products.units = on_device(exec, units);
    values_ = gram_of(*block_, products);
  }
  [[nodiscard]] double mean_beside(double shift, std::size_t j) const {
    return shift + std::ldexp(values_[j] / rows_, -exponents_[j]);
  }

  NormalOperator<Exec, T> const& op_;
  BlockOperator<Exec, T> const* block_;
  double rows_;
  std::vector<double> values_;
  std::vector<int> exponents_;
  std::vector<double> units_;
  std::vector<double> means_;
  std::vector<double> deviations_;
};

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
        .add(k, options.scale, svd.tol, svd.maxiter, svd.ncv, svd.want_u, svd.direct)
        .value();
  });
  auto const rows = static_cast<double>(op.rows());
  if (auto const* direct = direct_operator(op, options.svd)) {
    most_vectors("pca", op, k);
    auto found = DirectSvd<Exec, T>(
        options.scale ? "direct pca of scaled columns" : "direct pca", *direct,
        {.k = k, .is_centred = true, .scale = options.scale, .want_u = options.svd.want_u},
        control)();
    PcaResult<Exec, T> result;
    result.svd = std::move(found.svd);
    for (double const mean : found.mean) result.mean.push_back(static_cast<T>(mean));
    result.deviation = std::move(found.deviation);
    for (double const s : result.svd.s) result.explained_variance.push_back(s * s / (rows - 1));
    result.explained_variance_ratio = std::move(found.ratio);
    return result;
  }
  PcaResult<Exec, T> result;
  Moments<Exec, T> const moments(op);
  result.deviation = moments.deviations();
  for (double const mean : moments.means()) result.mean.push_back(static_cast<T>(mean));
  std::vector<double> sizes;
  std::vector<T> inverses;
  double const largest = *std::ranges::max_element(result.deviation);
  // Squares relative to 2^2e do not overflow.
  bool const has_exponent = !options.scale && largest > 0 && std::isfinite(largest);
  int const e = has_exponent ? std::ilogb(largest) : 0;
  double total = 0;
  for (std::size_t j = 0; j < result.deviation.size(); ++j) {
    double const deviation = result.deviation[j];
    double const inverse = deviation != 0 ? 1 / deviation : 0;
    double const scaled = std::ldexp(deviation, -e);
    total += options.scale ? (deviation != 0 ? 1 : 0) : scaled * scaled;
    if (options.scale) inverses.push_back(static_cast<T>(inverse));
    sizes.push_back(static_cast<double>(result.mean[j]) * (options.scale ? inverse : 1));
  }
  Centred<Exec, T> const centred(op, on_device(exec, result.mean), on_device(exec, inverses));
  Index const reads = op.reads() - reads_before;
  SvdOptions svd = options.svd;
  svd.direct = 0;
  result.svd = run_svd<Exec, T>(options.scale ? "pca of scaled columns" : "pca", centred, k, svd,
                                control, std::sqrt(rows) * scaled_norm(sizes));
  result.svd.reads += reads;
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
/// A is m x n, one observation a row, m >= 2, and k from 1 to min(m, n). Methods, passes and
/// accuracy as `svd`. Without `has_gram` sums are in T: scaling leaves out columns that vary by
/// less than 64·ε relative to their mean.
/// @throws std::invalid_argument for invalid options and states
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// auto const result = tessera::solve::pca(op, 5, {.scale = true});
/// ```
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
