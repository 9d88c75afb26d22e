// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/checks.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/direct.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/values.hpp>
#include <tessera/vectors.hpp>

/// Common code of singular value solvers.
namespace tessera::solve {

struct SvdOptions {
  /// Bound of residuals over s_1; 0: the precision of the type.
  double tol = 0;
  Index maxiter = 0;  ///< 0: 100 times the vectors of the basis
  /// Vectors of the basis between restarts: above k, up to min(m, n); 0: the larger of 2k + 1 and
  /// 20.
  Index ncv = 0;
  bool want_u = false;
  /// Most columns for a direct decomposition, unless ncv or maxiter is set; 0: never.
  Index direct = direct_columns;
};

template <class Exec, class T>
struct SvdResult {
  std::vector<double> s;          ///< falling; fewer than k if the run stopped too early
  Rows<Exec, T> VT;               ///< right singular vectors, one per row
  Rows<Exec, T> UT;               ///< left ones, if wanted
  std::vector<double> residuals;  ///< bounds of ‖Aᵀ·u - s·v‖
  Stop stop = Stop::breakdown;
  bool is_direct = false;
  Index iterations = 0;  ///< direct: reads without U
  Index reads = 0;
  std::vector<Step> history;
};

namespace detail {

/// An integer times 2^-23, hashed from i and the seed.
template <class T>
struct MixedNumbers {
  std::uint64_t seed;
  T* x;
  KOKKOS_FUNCTION void operator()(Index i) const {
    // SplitMix64's finaliser (Steele, Lea and Flood, OOPSLA 2014).
    std::uint64_t z = (seed + static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    auto const whole = static_cast<std::int32_t>((z ^ (z >> 31U)) >> 40U);
    x[i] = (static_cast<T>(whole) - T(0x1p23)) * T(0x1p-23);
  }
};

/// From -1 to 1, the same everywhere.
template <class Exec, class T>
void mix(Exec const& exec, std::uint64_t seed, Values<Exec, T> const& x) {
  static std::string const label("tessera::solve::mix");
  for_each_element(exec, label, static_cast<Index>(x.extent(0)),
                   MixedNumbers<T>{seed << 40U, x.data()});
}

template <class Exec, class T>
class Basis {
 public:
  Basis(Exec const& exec, Index most, Index size)
      : exec_(exec),
        size_(size),
        values_(make_values<Exec, T>(exec, most * size)),
        along_(make_values<Exec, T>(exec, most)),
        between_(make_values<Exec, T>(exec, size)) {}

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Values<Exec, T> const& values() const { return values_; }
  [[nodiscard]] Rows<Exec, T> first(Index count) const { return some(0, count); }
  [[nodiscard]] Rows<Exec, T> some(Index first, Index count) const {
    return Rows<Exec, T>(vector(first).data(), static_cast<std::size_t>(count),
                         static_cast<std::size_t>(size_));
  }
  [[nodiscard]] Values<Exec, T> vector(Index i) const {
    return Values<Exec, T>(values_.data() + i * size_, static_cast<std::size_t>(size_));
  }
  /// Returns the products with the first `count` vectors.
  std::vector<T> make_orthogonal(Index count, Values<Exec, T> const& x) {
    if (count == 0) return {};
    Values<Exec, T> const along(along_.data(), static_cast<std::size_t>(count));
    subtract_projection(count, x, along, between_);
    std::vector<T> const products = to_host<Exec, T>(exec_, along);
    subtract_projection(count, between_, along, x);
    return products;
  }
  /// Any unit vector orthogonal to the previous ones.
  void add_any(Index count, std::uint64_t seed, Norms<Exec, T>& norm) {
    Values<Exec, T> const x = vector(count);
    for (std::uint64_t attempt = 0;; ++attempt) {
      mix<Exec, T>(exec_, seed + (attempt << 20U), x);
      double const before = norm(x);
      make_orthogonal(count, x);
      double const left = norm(x);
      if (left > before * std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon())) ||
          attempt == 8) {
        return scale(exec_, static_cast<T>(1 / left), x);
      }
    }
  }

 private:
  /// to = x - Σ v·(vᵀ·x), along = vᵀ·x
  void subtract_projection(Index count, Values<Exec, T> const& x, Values<Exec, T> const& along,
                           Values<Exec, T> const& to) {
    atax(exec_, first(count), x, along, to,
         {.workspace = &workspace_, .alpha = T(-1), .beta = T(1), .z = x});
  }

  Exec exec_;
  Index size_;
  Values<Exec, T> values_;
  Values<Exec, T> along_;
  Values<Exec, T> between_;
  Workspace<Exec> workspace_;
};

/// Throws std::invalid_argument unless 1 <= k <= result.
template <class Operator>
Index most_vectors(char const* name, Operator const& op, Index k) {
  Index const most = std::min(op.rows(), op.cols());
  if (k < 1 || k > most) {
    checks::fail(name, "expected k from 1 to the smaller size of the matrix, " +
                           std::to_string(most) + ", found " + std::to_string(k));
  }
  return most;
}

}  // namespace detail
}  // namespace tessera::solve
