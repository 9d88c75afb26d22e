// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <stdexcept>
#include <variant>

#include <app/precise.hpp>
#include <app/timing.hpp>
#include <app/verdict.hpp>
#include <io/memory.hpp>
#include <tessera/summation.hpp>

namespace tessera::app {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The unit roundoff of a type with this many bits of significand.
constexpr double unit_roundoff(int digits) {
  return 1 / static_cast<double>(std::uint64_t{1} << digits);
}

/// γ_k = k·u / (1 - k·u): the relative error that k roundings can cause (Higham, Accuracy and
/// Stability of Numerical Algorithms, section 3.1).
double gamma(std::int64_t k, double unit) {
  double const ku = static_cast<double>(k) * unit;
  return ku < 1 ? ku / (1 - ku) : infinity;
}

/// How far a computed value may be from the reference value.
using Errors = std::vector<double>;

/// Adds the errors of one product to a reference. `depth` roundings are on the path of a term in
/// the result, and `chain` on its path in the reference; `terms` are added up.
///
/// With error e of each x, the error of Σ a·x is at most Σ |a|·(γ_depth·(|x| + e) + e), plus what
/// underflow takes: half of the smallest number for each multiplication. The reference's own error
/// is added, and that of the bound itself, which double arithmetic computes.
template <class T>
class ErrorModel {
 public:
  ErrorModel(std::int64_t depth, std::int64_t chain, std::int64_t terms)
      : relative_(gamma(depth, unit_roundoff(std::numeric_limits<T>::digits)) +
                  reference_error(chain)),
        of_bound_(1 + gamma(terms + 8, unit_roundoff(53))),
        underflow_(2 * static_cast<double>(terms) *
                   static_cast<double>(std::numeric_limits<T>::denorm_min())) {}

  /// The weights that the product needs, from the errors of x so far.
  void set_weights(PreciseVector& x, Errors const& errors) const {
    for (std::size_t i = 0; i < x.high.size(); ++i) {
      if (!std::isfinite(errors[i])) {
        x.weight[i] = infinity;
      } else if (!std::isfinite(x.high[i])) {
        x.weight[i] = 0;  // certainly infinite or NaN: no error to speak of
      } else {
        x.weight[i] = relative_ * (std::fabs(x.high[i]) + errors[i]) + errors[i];
      }
    }
  }

  /// The errors of the product that was computed with these weights.
  [[nodiscard]] Errors errors(PreciseVector const& product) const {
    double const largest = 0.99 * static_cast<double>(std::numeric_limits<T>::max());
    Errors errors(product.weight.size());
    for (std::size_t i = 0; i < errors.size(); ++i) {
      bool const safe = product.weight[i] / relative_ < largest;  // no partial sum can overflow
      errors[i] = safe ? product.weight[i] * of_bound_ + underflow_ : infinity;
    }
    return errors;
  }

 private:
  /// Of sums of products in double for float, and of compensated ones for double (Ogita, Rump,
  /// Oishi, Accurate Sum and Dot Product, proposition 5.5).
  static double reference_error(std::int64_t chain) {
    double const g = gamma(chain + 2, unit_roundoff(53));
    return std::is_same_v<T, float> ? g : 2 * g * g + unit_roundoff(62) * unit_roundoff(40);
  }

  double relative_;
  double of_bound_;
  double underflow_;
};

template <class T, class Layout>
class Reference {
 public:
  Reference(io::MatrixView<T, Layout> const& A, ProgressBar& bar) : bar_(bar) {
    auto const m = static_cast<std::int64_t>(A.extent(0));
    auto const n = static_cast<std::int64_t>(A.extent(1));
    lines_ = {.data = A.data(), .count = by_rows ? m : n, .length = by_rows ? n : m};
  }

  /// Replaces x by A·x (or Aᵀ·x), and its errors by those of a product whose terms go through
  /// `depth` roundings; empty: as many as in the canonical order.
  void multiply(bool transposed, PreciseVector& x, Errors& errors,
                std::optional<std::int64_t> depth = std::nullopt) const {
    if (transposed != by_rows) {  // along the lines
      auto const length = lines_.length;
      ErrorModel<T> const model(depth.value_or(summation::dot_depth<T>(length)),
                                longest_chain_of_dot(length), length);
      model.set_weights(x, errors);
      x = dot_lines(lines_, x, bar_);
      errors = model.errors(x);
    } else {
      auto const [data, count, length] = lines_;
      ErrorModel<T> const model(depth.value_or(summation::sum_depth(count, length)),
                                longest_chain_of_sum(count, length), count);
      model.set_weights(x, errors);
      x = sum_lines(lines_, x, bar_);
      errors = model.errors(x);
    }
  }

  [[nodiscard]] std::uint64_t memory_needed() const {
    auto const vectors =
        static_cast<std::uint64_t>(lines_.count + lines_.length) * 5 * sizeof(double);
    return vectors + precise_workspace_bytes(lines_.count, lines_.length);
  }

 private:
  static constexpr bool by_rows = std::is_same_v<Layout, Kokkos::LayoutRight>;
  Lines<T> lines_;
  ProgressBar& bar_;
};

/// The distance of a number from its neighbour in T, at the size of `value`.
template <class T>
double ulp(double value) {
  int const least = std::numeric_limits<T>::min_exponent;
  int const exponent = value == 0 ? least : std::max(std::ilogb(value) + 1, least);
  return std::ldexp(1.0, exponent - std::numeric_limits<T>::digits);
}

/// Adds what a comparison of elements finds. `value_of(i)` is element i, and `index_of(i)` what the
/// verdict calls it.
template <class T, class ValueOf, class IndexOf>
void compare(PreciseVector const& reference, Errors const& errors, ValueOf const& value_of,
             IndexOf const& index_of, Verdict& verdict) {
  verdict.elements += reference.size();
  for (std::size_t i = 0; i < errors.size(); ++i) {
    double const value = static_cast<double>(value_of(i));
    double const expected = reference.high[i];
    if (!std::isfinite(errors[i])) {
      ++verdict.not_judged;
      continue;
    }
    double in_bounds = infinity, in_ulp = infinity;
    if (std::isfinite(expected) && std::isfinite(value)) {
      double const error = std::fabs((value - expected) - reference.low[i]);
      in_bounds = error / errors[i];
      in_ulp = error / ulp<T>(expected);
    } else if (value == expected || (std::isnan(value) && std::isnan(expected))) {
      in_bounds = in_ulp = 0;
    }
    verdict.failed += in_bounds > 1 ? 1 : 0;
    if (in_bounds > verdict.worst_in_bounds) {
      verdict.worst = index_of(i);
      verdict.worst_in_bounds = in_bounds;
      verdict.worst_value = value;
      verdict.worst_reference = expected;
      verdict.worst_bound = errors[i];
    }
    if (in_ulp > verdict.greatest_ulp) {
      verdict.ulp_index = index_of(i);
      verdict.greatest_ulp = in_ulp;
    }
  }
}

/// A verdict with all elements in it.
Verdict finished(Verdict verdict, Stopwatch const& watch) {
  verdict.worst_in_bounds = std::max(verdict.worst_in_bounds, 0.0);
  verdict.seconds = watch.seconds();
  return verdict;
}

template <class T, class Layout>
Verdict judge_typed(OperationId operation, io::MatrixView<T, Layout> const& A,
                    io::VectorView<T> const& x, io::VectorView<T> const& result,
                    std::string const& input, Summation order) {
  Stopwatch watch;
  ProgressBar bar("checking");
  Reference<T, Layout> const reference(A, bar);
  io::require_memory(reference.memory_needed(), input, "the reference of the check");
  auto const passes = operation == OperationId::atax ? 2 : 1;
  bar.set(0, static_cast<std::uint64_t>(passes) * A.size() * sizeof(T));

  PreciseVector value(static_cast<std::int64_t>(x.size()));
  std::copy(x.data(), x.data() + x.size(), value.high.begin());
  Errors errors(x.size(), 0.0);
  // In any order a product is rounded once, and then by each of the other terms' additions at most.
  auto const depth = [&](unsigned extent) {
    return order == Summation::any ? std::optional(static_cast<std::int64_t>(A.extent(extent)))
                                   : std::nullopt;
  };
  if (operation != OperationId::multiply_transposed) {
    reference.multiply(false, value, errors, depth(1));
  }
  if (operation != OperationId::multiply) reference.multiply(true, value, errors, depth(0));

  Verdict verdict{.worst_in_bounds = -1};
  compare<T>(
      value, errors, [&](std::size_t i) { return result(i); },
      [](std::size_t i) { return static_cast<std::int64_t>(i); }, verdict);
  return finished(verdict, watch);
}

/// One column of C after the other: A times a column of B.
template <class T, class LayoutA, class MatrixB, class MatrixC>
Verdict judge_product_typed(io::MatrixView<T, LayoutA> const& A, MatrixB const& B, MatrixC const& C,
                            std::string const& input, Summation order) {
  Stopwatch watch;
  ProgressBar bar("checking");
  Reference<T, LayoutA> const reference(A, bar);
  io::require_memory(reference.memory_needed(), input, "the reference of the check");
  std::size_t const columns = C.extent(1);
  auto const terms = static_cast<std::int64_t>(A.extent(1));
  auto const depth = order == Summation::any
                         ? terms
                         : summation::product_depth(static_cast<std::int64_t>(C.extent(0)),
                                                    static_cast<std::int64_t>(C.extent(1)), terms);
  bar.set(0, columns * A.size() * sizeof(T));
  Verdict verdict{.worst_in_bounds = -1};
  for (std::size_t j = 0; j < columns; ++j) {
    PreciseVector value(static_cast<std::int64_t>(B.extent(0)));
    for (std::size_t k = 0; k < B.extent(0); ++k) value.high[k] = static_cast<double>(B(k, j));
    Errors errors(B.extent(0), 0.0);
    reference.multiply(false, value, errors, depth);
    compare<T>(
        value, errors, [&](std::size_t i) { return C(i, j); },
        [&](std::size_t i) { return static_cast<std::int64_t>(i * columns + j); }, verdict);
  }
  return finished(verdict, watch);
}

}  // namespace

Verdict judge(OperationId operation, io::HostMatrix const& A, io::HostVector const& x,
              io::HostVector const& result, std::string const& input, Summation order) {
  return std::visit(
      [&]<class T, class Layout>(io::MatrixView<T, Layout> const& matrix) {
        return judge_typed(operation, matrix, std::get<io::VectorView<T>>(x),
                           std::get<io::VectorView<T>>(result), input, order);
      },
      A);
}

Verdict judge_product(io::HostMatrix const& A, io::HostMatrix const& B, io::HostMatrix const& C,
                      std::string const& input, Summation order) {
  return std::visit(
      [&]<class T, class LayoutA, class U, class LayoutB, class W, class LayoutC>(
          io::MatrixView<T, LayoutA> const& a, io::MatrixView<U, LayoutB> const& b,
          io::MatrixView<W, LayoutC> const& c) -> Verdict {
        if constexpr (std::is_same_v<T, U> && std::is_same_v<T, W>) {
          return judge_product_typed(a, b, c, input, order);
        } else {
          throw std::logic_error("judge_product: matrices of several types");
        }
      },
      A, B, C);
}

std::string to_sentence(Verdict const& verdict) {
  char text[256];
  std::snprintf(text, sizeof text,
                "%s: greatest error %.3g of the bound at element %lld, %.3g ulp at element %lld; "
                "%lld of %lld fail",
                verdict.passed() ? "passed" : "FAILED", verdict.worst_in_bounds,
                static_cast<long long>(verdict.worst), verdict.greatest_ulp,
                static_cast<long long>(verdict.ulp_index), static_cast<long long>(verdict.failed),
                static_cast<long long>(verdict.elements));
  std::string sentence = text;
  if (verdict.not_judged > 0) {
    sentence +=
        "; " + std::to_string(verdict.not_judged) + " not judged, because their sums may overflow";
  }
  return sentence;
}

}  // namespace tessera::app
