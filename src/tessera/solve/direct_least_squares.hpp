// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/detail/digest.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/direct.hpp>
#include <tessera/solve/least_squares.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/small_eigen.hpp>
#include <tessera/solve/small_svd.hpp>
#include <tessera/solve/values.hpp>

namespace tessera::solve::detail {

template <class Exec, class T>
bool may_be_direct(Index rows, Index cols, LeastSquaresOptions<Exec, T> const& options) {
  return cols >= 1 && rows >= 1 && cols <= options.direct && !options.maxiter;
}

/// Null if `op` cannot be solved directly.
template <class Exec, class T>
BlockOperator<Exec, T> const* direct_operator(NormalOperator<Exec, T> const& op,
                                              LeastSquaresOptions<Exec, T> const& options) {
  if (!may_be_direct(op.rows(), op.cols(), options)) return nullptr;
  auto const* const block = dynamic_cast<BlockOperator<Exec, T> const*>(&op);
  return block != nullptr && block->has_gram() ? block : nullptr;
}

/// x = P·(L·g) solves (AᵀA + λ·I)·x = g, in the space of A's numerical rank.
struct NormalSolver {
  SmallMatrix P;  ///< n x rank
  SmallMatrix L;  ///< rank x n
  double condition = 1;
  bool is_converged = true;

  [[nodiscard]] Index rank() const { return P.cols(); }
  [[nodiscard]] std::vector<double> operator()(std::vector<double> const& g) const {
    std::vector<double> y(static_cast<std::size_t>(rank()));
    for (std::size_t j = 0; j < g.size(); ++j) {
      add_multiple(rank(), g[j], L.column(static_cast<Index>(j)), y.data());
    }
    std::vector<double> x(g.size());
    for (Index i = 0; i < rank(); ++i) {
      add_multiple(P.rows(), y[static_cast<std::size_t>(i)], P.column(i), x.data());
    }
    return x;
  }
};

/// Removes the part of P in the span of N's columns, of any length.
inline void take_out(SmallMatrix N, SmallMatrix& P) {
  Index const n = N.rows();
  for (Index j = 0; j < N.cols(); ++j) {
    double* const x = N.column(j);
    double before = std::sqrt(product_of(n, x, x));
    for (Index i = 0; i < n; ++i) x[i] /= before;
    for (int pass = 0; pass < 2; ++pass) {
      for (Index k = 0; k < j; ++k) add_multiple(n, -product_of(n, N.column(k), x), N.column(k), x);
      double const norm = std::sqrt(product_of(n, x, x));
      for (Index i = 0; i < n && norm > 0; ++i) x[i] /= norm;
    }
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (Index j = 0; j < P.cols(); ++j) {
      for (Index k = 0; k < N.cols(); ++k) {
        add_multiple(n, -product_of(n, N.column(k), P.column(j)), N.column(k), P.column(j));
      }
    }
  }
}

/// From A·D = Q·diag(s)·Zᵀ. Values up to `nothing` times the largest count as zero; x then has no
/// part in the null space of A, so it is the shortest solution.
inline NormalSolver solver_of(std::vector<double> const& s, SmallMatrix const& Z,
                              std::vector<double> const& d, double nothing) {
  Index const n = Z.rows();
  Index rank = 0;
  while (rank < static_cast<Index>(s.size()) &&
         s[static_cast<std::size_t>(rank)] > nothing * s[0]) {
    ++rank;
  }
  NormalSolver solver{SmallMatrix(n, rank), SmallMatrix(rank, n)};
  SmallMatrix N(n, n - rank);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double const entry = d[static_cast<std::size_t>(i)] * Z(i, j);
      if (j < rank) {
        solver.L(j, i) = entry / s[static_cast<std::size_t>(j)];
        solver.P(i, j) = solver.L(j, i);
      } else {
        N(i, j - rank) = entry;
      }
    }
  }
  if (rank < n) take_out(std::move(N), solver.P);
  solver.condition = rank == 0 ? 1 : s[0] / s[static_cast<std::size_t>(rank - 1)];
  return solver;
}

/// Least squares for each right-hand side and each λ (docs/stopping.md).
template <class Exec, class T>
class DirectLeastSquares {
 public:
  using Operator = BlockOperator<Exec, T>;
  using Result = LeastSquares<Exec, T>;

  DirectLeastSquares(char const* name, Operator const& op, ConstRows<Exec, T> const& BT,
                     ConstValues<Exec, T> const& x0, Control<T> const& control,
                     std::vector<double> const& lambdas)
      : op_(op),
        BT_(BT),
        lambdas_(lambdas),
        n_(op.cols()),
        sides_(static_cast<Index>(BT.extent(0))),
        reads_(name, op, control, lambdas),
        start_(static_cast<std::size_t>(op.cols())) {
    op.agree(name, [&] {
      Exec const& exec = op.exec();
      return tessera::detail::Digest()
          .add(to_host<Exec, T>(exec, flat(BT)))
          .add(to_host<Exec, T>(exec, x0))
          .value();
    });
    if (x0.extent(0) == 0) return;
    auto const on_host = to_host<Exec, T>(op.exec(), x0);
    std::copy(on_host.begin(), on_host.end(), start_.begin());
  }

  /// Returns a result per right-hand side and λ, or nothing if squares over- or underflow: then
  /// another method is needed.
  std::vector<Result> operator()() {
    backends::host::OrdinaryArithmetic const mode;
    for (Index b = 0; b < sides_; ++b) {
      for (std::size_t l = 0; l < lambdas_.size(); ++l) tracks_.push_back({b, l, {}, {}});
    }
    Stop const stop = solve();
    if (is_far_) return {};
    std::vector<Result> results;
    auto const history = reads_.history();
    for (Track& track : tracks_) {
      Result result = stop == Stop::converged ? result_of(track) : Result();
      if (stop != Stop::converged) {
        result.stop = stop;
        result.x = make_values<Exec, T>(op_.exec(), n_);
        Kokkos::deep_copy(op_.exec(), result.x, T(0));
      }
      result.is_direct = true;
      result.iterations = reads_.count();
      result.reads = reads_.reads();
      result.history = history;
      results.push_back(std::move(result));
    }
    op_.exec().fence("tessera: x is there");
    return results;
  }

 private:
  static constexpr bool is_float = std::is_same_v<T, float>;
  static constexpr auto eps_T = static_cast<double>(std::numeric_limits<T>::epsilon());
  static constexpr double eps = std::numeric_limits<double>::epsilon();

  struct Track {
    Index side;
    std::size_t lambda;
    std::vector<double> x;
    std::vector<double> gradient;  ///< Aᵀ·(b - A·x) - λ·(x - x0)
    double normr = 0;
    double size = std::numeric_limits<double>::infinity();  ///< of the last correction
    bool is_done = false;
  };

  Stop solve() {
    Index const all = n_ + sides_;
    bool const goes_on =
        reads_(static_cast<std::size_t>(all * all), G_, [&](std::vector<double>& values) {
          GramProducts<Exec, T> products;
          products.cols = n_;
          products.ET = BT_;
          values = gram_of(op_, products);
        });
    if (!goes_on) return Stop::cancelled;
    is_far_ = !is_float && (!far_columns(G_, all, n_, false).empty() || has_far_sides()) &&
              !has_zeros_only();
    if (is_far_) return Stop::not_finite;
    if (!std::ranges::all_of(G_, [](double x) { return std::isfinite(x); })) {
      return Stop::not_finite;
    }
    if (std::optional<Stop> const stop = find_solvers()) return *stop;
    for (Track& track : tracks_) {
      track.x = start_;
      find_gradient(track);
      add(solvers_[track.lambda](track.gradient), track.x);
      for (double& x : track.x) x = static_cast<double>(static_cast<T>(x));
      find_gradient(track);
    }
    if (!is_float) return correct();
    return Stop::converged;
  }

  [[nodiscard]] double at(Index i, Index j) const {
    return G_[static_cast<std::size_t>(i * (n_ + sides_) + j)];
  }
  [[nodiscard]] bool has_far_sides() const {
    for (Index b = n_; b < n_ + sides_; ++b) {
      if (!std::isfinite(at(b, b)) || (at(b, b) > 0 && at(b, b) < 0x1p-900)) return true;
    }
    return false;
  }
  /// A zero matrix has no scale.
  [[nodiscard]] bool has_zeros_only() const {
    return std::ranges::all_of(G_, [](double x) { return x == 0; });
  }

  /// Powers of two that scale the columns of A above damp·I to norms from 1 to 2; 1 for zeros.
  [[nodiscard]] std::vector<double> scales(double lambda) const {
    std::vector<double> d;
    for (Index j = 0; j < n_; ++j) {
      double const norm = std::sqrt(std::max(at(j, j), lambda));
      d.push_back(norm > 0 ? std::ldexp(1.0, -std::ilogb(norm)) : 1);
    }
    return d;
  }
  /// D·(AᵀA + λ·I)·D
  [[nodiscard]] SmallMatrix scaled(std::vector<double> const& d, double lambda) const {
    SmallMatrix G(n_, n_);
    for (Index j = 0; j < n_; ++j) {
      for (Index i = 0; i < n_; ++i) {
        double const d_i = d[static_cast<std::size_t>(i)];
        double const d_j = d[static_cast<std::size_t>(j)];
        G(i, j) = d_i * (at(i, j) + (i == j ? lambda : 0)) * d_j;
      }
    }
    return G;
  }
  /// Singular values up to this fraction of the largest are rounding, of A to its type or of the
  /// second Gram matrix: of dependent columns they reach a few n eps.
  [[nodiscard]] double nothing() const {
    return (is_float ? 2 : 8 * static_cast<double>(n_)) * eps_T;
  }

  std::optional<Stop> find_solvers() {
    std::vector<std::size_t> left;
    for (std::size_t l = 0; l < lambdas_.size(); ++l) {
      auto const d = scales(lambdas_[l]);
      SmallEigen const eigen = small_eigen(scaled(d, lambdas_[l]));
      if (!eigen.is_converged) return Stop::not_finite;
      solvers_.emplace_back();
      bool const is_good = is_float || eigen.values.back() >= 1e-10 * eigen.values.front();
      if (!is_good) {
        left.push_back(l);
        continue;
      }
      // Smaller eigenvalues are rounding of the Gram matrix.
      double const least = std::max(nothing(), std::sqrt(4 * static_cast<double>(n_) * eps));
      std::vector<double> s;
      s.reserve(eigen.values.size());
      for (double const value : eigen.values) s.push_back(std::sqrt(std::max(0.0, value)));
      solvers_[l] = solver_of(s, eigen.V, d, least);
    }
    return left.empty() ? std::nullopt : refine(left);
  }

  std::optional<Stop> refine(std::vector<std::size_t> const& left) {
    auto const d = scales(0);
    GramFactor const factor(scaled(d, 0));
    if (!factor.first.is_converged) return Stop::not_finite;
    SmallMatrix P = factor.preconditioner();
    for (Index j = 0; j < n_; ++j) {
      for (Index i = 0; i < n_; ++i) P(i, j) *= d[static_cast<std::size_t>(i)];
    }
    std::vector<double> values;
    bool const goes_on = reads_(static_cast<std::size_t>(n_ * n_), values, [&](auto& to) {
      GramProducts<Exec, T> products;
      products.cols = n_;
      products.PT = columns_on_device(op_.exec(), P);
      to = gram_of(op_, products);
    });
    if (!goes_on) return Stop::cancelled;
    SmallMatrix G2(n_, n_);
    for (Index j = 0; j < n_; ++j) std::copy_n(values.data() + j * n_, n_, G2.column(j));
    SmallMatrix B;
    if (!factor.refine(std::move(G2), B)) return Stop::not_finite;
    SmallMatrix const R = product(B, transposed(factor.first.V));  // A·D = Q·R
    for (std::size_t const l : left) {
      double const damp = std::sqrt(lambdas_[l]);
      auto const d_l = scales(lambdas_[l]);
      SmallMatrix stack(n_ + (damp > 0 ? n_ : 0), n_);
      for (Index j = 0; j < n_; ++j) {
        auto const column = static_cast<std::size_t>(j);
        double const ratio = d_l[column] / d[column];
        for (Index i = 0; i < R.rows(); ++i) stack(i, j) = R(i, j) * ratio;
        if (damp > 0) stack(n_ + j, j) = damp * d_l[column];
      }
      SmallSvd const svd = small_svd(std::move(stack));
      if (!svd.is_converged) return Stop::not_finite;
      solvers_[l] = solver_of(svd.s, svd.V, d_l, nothing());
    }
    return std::nullopt;
  }

  static void add(std::vector<double> const& dx, std::vector<double>& x) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += dx[j];
  }
  void find_gradient(Track& track) const {
    Index const b = n_ + track.side;
    auto const& x = track.x;
    track.gradient.assign(static_cast<std::size_t>(n_), 0);
    double square = at(b, b);
    for (Index j = 0; j < n_; ++j) {
      auto const to = static_cast<std::size_t>(j);
      double g = at(j, b);
      for (Index i = 0; i < n_; ++i) g = std::fma(-at(j, i), x[static_cast<std::size_t>(i)], g);
      square -= x[to] * (at(j, b) + g);
      track.gradient[to] = g - lambdas_[track.lambda] * (x[to] - start_[to]);
    }
    track.normr = std::sqrt(std::max(0.0, square));
  }

  /// One read per pass, until corrections are as small as rounding.
  Stop correct() {
    constexpr int most = 12;
    for (int pass = 0; pass < most; ++pass) {
      std::vector<Track*> open;
      for (Track& track : tracks_) {
        if (!track.is_done) open.push_back(&track);
      }
      if (open.empty()) break;
      if (!read_residuals(open)) return Stop::cancelled;
      for (Track* const track : open) {
        NormalSolver const& solver = solvers_[track->lambda];
        auto const d = scales(lambdas_[track->lambda]);
        auto const dx = solver(track->gradient);
        double size = 0;
        double whole = 0;
        for (std::size_t j = 0; j < dx.size(); ++j) {
          size = std::max(size, std::abs(dx[j]) / d[j]);
          whole = std::max(whole, std::abs(track->x[j]) / d[j]);
        }
        bool const helps = size > eps * whole && size < track->size / 2 && pass + 1 < most;
        if (helps) add(dx, track->x);
        // After a correction of a few eps, the next read would only find rounding.
        track->is_done = !helps || size <= 16 * eps * whole;
        track->size = size;
      }
    }
    return Stop::converged;
  }
  bool read_residuals(std::vector<Track*> const& open) {
    auto const count = static_cast<Index>(open.size());
    std::vector<double> values;
    bool const goes_on = reads_(static_cast<std::size_t>(count * (n_ + 1)), values, [&](auto& to) {
      to.clear();
      if constexpr (!is_float) multiply(open, to);
    });
    if (!goes_on) return false;
    for (Index i = 0; i < count; ++i) {
      Track& track = *open[static_cast<std::size_t>(i)];
      auto const from = values.begin() + i * (n_ + 1);
      track.normr = *from;
      for (Index j = 0; j < n_; ++j) {
        auto const to = static_cast<std::size_t>(j);
        track.gradient[to] = -from[j + 1] - lambdas_[track.lambda] * (track.x[to] - start_[to]);
      }
    }
    return true;
  }
  /// to = ‖A·x - b‖ and Aᵀ·(A·x - b) of each track.
  void multiply(std::vector<Track*> const& open, std::vector<double>& to) const {
    Exec const& exec = op_.exec();
    auto const count = static_cast<Index>(open.size());
    auto const VT = make_rows<Exec, T>(exec, count, n_);
    auto const UT = make_rows<Exec, T>(exec, count, op_.rows());
    auto const RT = make_rows<Exec, T>(exec, count, op_.rows());
    auto const CT = make_rows<Exec, T>(exec, count, n_);
    for (Index i = 0; i < count; ++i) {
      Track const& track = *open[static_cast<std::size_t>(i)];
      std::vector<T> const x(track.x.begin(), track.x.end());
      from_host<Exec, T>(exec, x, row<Exec, T>(VT, i));
      Kokkos::deep_copy(exec, row<Exec, T>(UT, i),
                        ConstValues<Exec, T>(BT_.data() + track.side * op_.rows(), UT.extent(1)));
    }
    op_.residual_block(VT, UT, RT, CT);
    Norms<Exec, T> norm(exec);
    for (Index i = 0; i < count; ++i) {
      to.push_back(norm(row<Exec, T>(RT, i)));
      auto const c = to_host<Exec, T>(exec, row<Exec, T>(CT, i));
      to.insert(to.end(), c.begin(), c.end());
    }
  }

  Result result_of(Track const& track) const {
    double const lambda = lambdas_[track.lambda];
    NormalSolver const& solver = solvers_[track.lambda];
    double moved = 0;
    double square = 0;
    double trace = static_cast<double>(n_) * lambda;
    for (Index j = 0; j < n_; ++j) {
      auto const i = static_cast<std::size_t>(j);
      moved += (track.x[i] - start_[i]) * (track.x[i] - start_[i]);
      square += track.gradient[i] * track.gradient[i];
      trace += at(j, j);
    }
    Result result;
    std::vector<T> const x(track.x.begin(), track.x.end());
    result.x = on_device(op_.exec(), x);
    result.rank = solver.rank();
    result.normr = std::sqrt(std::fma(track.normr, track.normr, lambda * moved));
    result.normar = std::sqrt(square);
    result.norma = std::sqrt(trace);
    result.conda = solver.condition;
    result.normx = scaled_norm(x);
    Index const b = n_ + track.side;
    double const small = 10 * eps_T * (result.norma * result.normx + std::sqrt(at(b, b)));
    result.stop = result.normx == 0       ? Stop::zero_solution
                  : result.normr <= small ? Stop::solved
                                          : Stop::least_squares;
    if (!std::isfinite(result.normx)) result.stop = Stop::not_finite;
    return result;
  }

  Operator const& op_;
  ConstRows<Exec, T> BT_;
  std::vector<double> lambdas_;
  Index n_;
  Index sides_;
  LoggedReads<Exec, T> reads_;
  std::vector<double> start_;  ///< x0, or zeros
  std::vector<double> G_;      ///< Gram matrix of A and the right-hand sides
  bool is_far_ = false;
  std::vector<NormalSolver> solvers_;  ///< one per λ
  std::vector<Track> tracks_;
};

}  // namespace tessera::solve::detail
