// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/elementary.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/regression_types.hpp>
#include <tessera/solve/row_sums.hpp>
#include <tessera/solve/tweedie.hpp>
#include <tessera/solve/values.hpp>

/// Sums over the rows of A in Newton's method, with one read.
namespace tessera::solve::detail {

/// Columns of E after the columns of the Hessian.
enum RowColumn : Index {
  of_first,       ///< derivative of the loss by η
  of_value,       ///< the loss minus its least value
  of_wrong_side,  ///< the loss rises along A·x + intercept somewhere
  of_rising,      ///< it rises along the last step
  of_falling,     ///< it falls along the last step by more than half of η
  row_columns,
};

/// Writes rows of A, centred and scaled, and 1.
template <class T>
struct FillRows {
  T const* data;
  Index down;
  Index across;
  Index cols;
  double const* mean;
  double const* unit;
  double* to;
  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    to[i * (cols + 1) + j] =
        j == cols ? 1 : (static_cast<double>(data[i * down + j * across]) - mean[j]) * unit[j];
  }
};

/// Writes rows of A, their absolute values, and 1.
template <class T>
struct FillSizes {
  T const* data;
  Index down;
  Index across;
  Index cols;
  double* to;
  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    double value = 1;
    if (j < 2 * cols) {
      value = static_cast<double>(data[i * down + (j < cols ? j : j - cols) * across]);
      if (j >= cols) value = Kokkos::fabs(value);
    }
    to[i * (2 * cols + 1) + j] = value;
  }
};
struct FillCounted {
  double const* weights;  ///< or null
  double* to;
  KOKKOS_FUNCTION void operator()(Index i) const {
    to[i] = weights == nullptr || weights[i] > 0 ? 1 : 0;
  }
};

template <class Exec, class T>
class ColumnSums final : public RowSums<Exec, T> {
 public:
  using Memory = typename RowSums<Exec, T>::Memory;
  /// Rows of weight 0 do not count; without weights, all do.
  ColumnSums(Index cols, Memory weights)
      : RowSums<Exec, T>(2 * cols + 1, 1), cols_(cols), weights_(std::move(weights)) {}

 private:
  void fill(Exec const& exec, RowsOfMatrix<T> const& rows, Kernels /*kernels*/, double* D,
            double* E) override {
    static std::string const label("tessera::regression::sizes");
    for_each_entry(exec, label, rows.count, 2 * cols_ + 1,
                   FillSizes<T>{rows.data, rows.down, rows.across, cols_, D});
    double const* const weights = weights_.extent(0) == 0 ? nullptr : weights_.data() + rows.first;
    tessera::detail::for_each_element(exec, label, rows.count, FillCounted{weights, E});
  }
  Index cols_;
  Memory weights_;
};

/// DᵀE counts entries that are not finite, by column and group of rows.
template <class T>
struct FillNotFinite {
  T const* data;
  Index down;
  Index across;
  Index width;
  double* to;
  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    to[i * width + j] = Kokkos::isfinite(data[i * down + j * across]) ? 0 : 1;
  }
};
struct FillGroups {
  Index first;  ///< row of A
  Index begin;
  Index size;
  Index groups;
  double* to;
  KOKKOS_FUNCTION void operator()(Index i, Index g) const {
    Index const row = first + i - begin;
    to[i * groups + g] = row >= g * size && row < (g + 1) * size ? 1 : 0;
  }
};
inline constexpr Index groups_of_not_finite = 64;

template <class Exec, class T>
class NotFinite final : public RowSums<Exec, T> {
 public:
  static constexpr Index groups = groups_of_not_finite;
  NotFinite(Index cols, Index begin, Index size)
      : RowSums<Exec, T>(cols, groups), begin_(begin), size_(size) {}

 private:
  void fill(Exec const& exec, RowsOfMatrix<T> const& rows, Kernels /*kernels*/, double* D,
            double* E) override {
    static std::string const label("tessera::regression::not_finite");
    for_each_entry(exec, label, rows.count, this->width(),
                   FillNotFinite<T>{rows.data, rows.down, rows.across, this->width(), D});
    for_each_entry(exec, label, rows.count, groups,
                   FillGroups{rows.first, begin_, size_, groups, E});
  }
  Index begin_;
  Index size_;
};

/// The sums, with one read.
template <class Exec, class T>
std::vector<double> sums_over_rows(NormalOperator<Exec, T> const& op, RowSums<Exec, T>& sums) {
  auto const to = make_values<Exec, double>(op.exec(), sums.length());
  op.sum_rows(sums, to.data());
  return to_host<Exec, double>(op.exec(), to);
}

/// Row and column of the first entry that is not finite, or nothing.
template <class Exec, class T>
std::string not_finite_in_matrix(NormalOperator<Exec, T> const& op) {
  Index begin = 0;
  Index size = op.rows();
  for (bool is_last = false; !is_last;) {
    is_last = size == 1;
    Index const of_group = summation::ceil_div(size, NotFinite<Exec, T>::groups);
    NotFinite<Exec, T> sums(op.cols(), begin, of_group);
    auto const found = sums_over_rows<Exec, T>(op, sums);
    Index group = NotFinite<Exec, T>::groups;
    Index column = 0;
    for (Index k = 0; k < sums.length(); ++k) {
      if (found[static_cast<std::size_t>(k)] == 0 || k % sums.count() >= group) continue;
      group = k % sums.count();
      column = k / sums.count();
    }
    if (group == NotFinite<Exec, T>::groups) return "";
    begin += group * of_group;
    size = of_group;
    if (is_last) {
      return "A has an infinity or a NaN at row " + std::to_string(begin) + ", column " +
             std::to_string(column);
    }
  }
  return "";
}

enum class RowsAs {
  losses,
  start,     ///< of weighted least squares at η = log y
  expected,  ///< Pearson's statistic, and the expected second derivative
};

struct RowLosses {
  Loss loss;
  double power;
  RowsAs as;
  double const* eta;      ///< A·x + intercept, A·step + its intercept
  double const* y;        ///< of these rows, as below
  double const* weights;  ///< or null
  double const* offset;   ///< or null
  double* to;             ///< (rows, count)
  double* second;
  Index count;
  Index before;  ///< columns of E before these

  struct Derivatives {
    double value;
    double first;
    double second;
  };

  KOKKOS_FUNCTION static Derivatives of_logistic(double at, double label) {
    double const e = elementary::exp(-Kokkos::fabs(at));  // the exponent is at most 0
    double const d = 1 + e;
    double const larger = Kokkos::fmax(at, 0.0);
    // Avoids a difference of nearly equal numbers: 1/d - 1 is -e/d.
    double const above = (at < 0 ? e : 1.0) / d;
    double const below = (at < 0 ? 1.0 : e) / d;
    double const first = label == 0 ? above : label == 1 ? -below : above - label;
    return {Kokkos::fma(-label, at, larger) + elementary::log1p(e), first, e / (d * d)};
  }
  KOKKOS_FUNCTION static Derivatives of_poisson(double at, double count) {
    double const e = elementary::exp(at);
    if (!(count > 0)) return {e, e, e};
    double const t = at - elementary::log(count);
    double const beyond = exp_beyond_line(t);
    return {count * beyond, count * (t + beyond), e};
  }
  KOKKOS_FUNCTION Derivatives at(double eta_i, double offset_i, double y_i) const {
    if (loss == Loss::squares) {
      double const off = eta_i - y_i;
      return {0.5 * off * off, off, 1};
    }
    if (loss == Loss::logistic) return of_logistic(eta_i, y_i);
    bool const is_poisson = loss == Loss::poisson;
    if (as == RowsAs::start) {
      double const log_rate = elementary::log(is_poisson ? y_i + 0.1 : (y_i > 0 ? y_i : 0.1));
      double const rate = is_poisson ? y_i + 0.1 : elementary::exp((2 - power) * log_rate);
      return {0, rate * (offset_i - log_rate), rate};
    }
    if (is_poisson) return of_poisson(eta_i, y_i);
    TweedieRow<double> const row = tweedie_row(eta_i, y_i, power);
    if (as == RowsAs::losses) return {row.value, row.first, row.second};
    return {0.5 * row.first * row.first / row.expected, row.first, row.expected};
  }
  [[nodiscard]] KOKKOS_FUNCTION bool rises(double along, double y_i, double slack) const {
    if (loss == Loss::logistic) return (y_i > 0.5 ? -along : along) > slack;
    if (y_i > 0) return Kokkos::fabs(along) > slack;
    return along > slack;
  }
  KOKKOS_FUNCTION void operator()(Index i) const {
    double const offset_i = offset == nullptr ? 0 : offset[i];
    double const weight = weights == nullptr ? 1 : weights[i];
    double const plain = eta[2 * i];
    double const along = eta[2 * i + 1];
    // Without weight exp may overflow, and 0·∞ is NaN.
    Derivatives const d = weight > 0 ? at(plain + offset_i, offset_i, y[i]) : Derivatives{0, 0, 0};
    second[i] = weight * d.second;
    double* const e = to + i * count + before;
    bool const counts = weight > 0 && loss != Loss::squares;
    bool const is_wrong = loss == Loss::logistic ? (y[i] > 0.5 ? plain <= 0 : plain >= 0) : true;
    e[of_first] = weight * d.first;
    e[of_value] = weight * d.value;
    e[of_wrong_side] = counts && is_wrong ? 1 : 0;
    e[of_rising] = counts && rises(along, y[i], 1e-6) ? 1 : 0;
    e[of_falling] = counts && Kokkos::fabs(along) >= 0.5 && !rises(along, y[i], 1e-6) ? 1 : 0;
  }
};

struct WeighRows {
  double const* D;
  double const* second;
  Index width;
  Index count;
  double* to;
  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    to[i * count + j] = second[i] * D[i * width + j];
  }
};

struct PlaceOfSums {
  std::vector<double> x;  ///< and the intercept
  std::vector<double> step;
};

inline RowSumsSize loss_sums(Index cols, bool has_hessian) {
  return {cols + 1, (has_hessian ? cols + 1 : 0) + row_columns};
}
inline std::vector<RowSumsSize> newton_sums(Index cols) {
  return {loss_sums(cols, true), {cols, groups_of_not_finite}};
}

/// D has rows of A, centred and scaled, and 1.
template <class Exec, class T>
class PlacedSums : public RowSums<Exec, T> {
 public:
  using Memory = typename RowSums<Exec, T>::Memory;

  struct OfRows {
    Memory y;
    Memory weights;
    Memory offset;
  };

  /// @param triangles blocks of the Hessian at the beginning of E
  PlacedSums(Exec const& exec, RowSumsSize size, OfRows rows, std::vector<double> const& mean,
             std::vector<double> const& unit, Index triangles)
      : RowSums<Exec, T>(size.width, size.count, triangles),
        of_rows_(std::move(rows)),
        mean_(on_device(exec, mean)),
        unit_(on_device(exec, unit)),
        has_hessian_(triangles > 0) {}

  [[nodiscard]] bool has_hessian() const { return has_hessian_; }

  void go_to(Exec const& exec, PlaceOfSums const& place, RowsAs as) {
    std::vector<double> both = place.x;
    both.insert(both.end(), place.step.begin(), place.step.end());
    go_to(exec, both);
    as_ = as;
  }
  /// Sets the columns that D is multiplied by, one after the other.
  void go_to(Exec const& exec, std::vector<double> const& places) {
    place_ = on_device(exec, places);
  }

 protected:
  static double const* from(Memory const& of, Index first) {
    return of.extent(0) == 0 ? nullptr : of.data() + first;
  }

  /// Computes `eta_`, beginning with D times the place's columns.
  void fill_places(Exec const& exec, RowsOfMatrix<T> const& rows, Kernels kernels, double* D,
                   Index columns, Index more) {
    static std::string const label("tessera::regression::rows");
    using Base = RowSums<Exec, T>;
    Index const p = this->width();
    for_each_entry(
        exec, label, rows.count, p,
        FillRows<T>{rows.data, rows.down, rows.across, p - 1, mean_.data(), unit_.data(), D});
    Base::reserve(eta_, (columns + more) * rows.count);
    using In = typename Base::template Matrix<double const>;
    using Out = typename Base::template Matrix<double>;
    this->multiply(exec, In(D, strided(rows.count, p, p, 1)),
                   In(place_.data(), strided(p, 1, columns, p)),
                   Out(eta_.data(), strided(rows.count, columns, columns, 1)), kernels, chain_of_b);
  }

  OfRows of_rows_;
  RowsAs as_ = RowsAs::losses;
  Memory eta_;

 private:
  Memory mean_;
  Memory unit_;
  bool has_hessian_;
  Memory place_;
};

template <class Exec, class T>
class LossSums final : public PlacedSums<Exec, T> {
 public:
  using Base = PlacedSums<Exec, T>;

  LossSums(Exec const& exec, Loss loss, double power, typename Base::OfRows rows,
           std::vector<double> const& mean, std::vector<double> const& unit, bool has_hessian)
      : Base(exec, loss_sums(static_cast<Index>(mean.size()), has_hessian), std::move(rows), mean,
             unit, has_hessian ? 1 : 0),
        loss_(loss),
        power_(power) {}

 private:
  void fill(Exec const& exec, RowsOfMatrix<T> const& rows, Kernels kernels, double* D,
            double* E) override {
    static std::string const label("tessera::regression::rows");
    Index const p = this->width();
    this->fill_places(exec, rows, kernels, D, 2, 1);
    double* const second = this->eta_.data() + 2 * rows.count;
    Index const before = this->has_hessian() ? p : 0;
    auto const& of_rows = this->of_rows_;
    tessera::detail::for_each_element(
        exec, label, rows.count,
        RowLosses{loss_, power_, this->as_, this->eta_.data(), Base::from(of_rows.y, rows.first),
                  Base::from(of_rows.weights, rows.first), Base::from(of_rows.offset, rows.first),
                  E, second, this->count(), before});
    if (before == 0) return;
    for_each_entry(exec, label, rows.count, p, WeighRows{D, second, p, this->count(), E});
  }

  Loss loss_;
  double power_;
};

}  // namespace tessera::solve::detail
