// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/solve/control.hpp>
#include <tessera/solve/gram.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/small_eigen.hpp>
#include <tessera/solve/small_svd.hpp>
#include <tessera/solve/values.hpp>

/// Direct solvers: few reads, then decompositions of Gram matrices on the host.
namespace tessera::solve {

inline constexpr Index direct_columns = 512;

namespace detail {

inline SmallMatrix product(SmallMatrix const& A, SmallMatrix const& B) {
  SmallMatrix C(A.rows(), B.cols());
  for (Index j = 0; j < B.cols(); ++j) {
    for (Index l = 0; l < A.cols(); ++l) {
      if (B(l, j) != 0) add_multiple(A.rows(), B(l, j), A.column(l), C.column(j));
    }
  }
  return C;
}
inline SmallMatrix transposed(SmallMatrix const& A) {
  SmallMatrix T(A.cols(), A.rows());
  for (Index j = 0; j < A.cols(); ++j) {
    for (Index i = 0; i < A.rows(); ++i) T(j, i) = A(i, j);
  }
  return T;
}

/// Reads of A, with their results in a state: a resumed run repeats none.
template <class Exec, class T>
class LoggedReads {
 public:
  using Operator = BlockOperator<Exec, T>;

  LoggedReads(char const* name, Operator const& op, Control<T> const& control,
              std::vector<double> key)
      : name_(name), op_(op), control_(control), reads_before_(op.reads()), key_(std::move(key)) {
    op.agree(name, [&] { return digest_of(control).add(key_).value(); });
    if (control.resume != nullptr) restore(*control.resume);
  }

  /// make(values) reads A unless the state has the values. Returns false if cancelled.
  template <class Make>
  [[nodiscard]] bool operator()(std::size_t size, std::vector<double>& values, Make const& make) {
    if (next_ < log_.size()) {
      values = log_[next_++];
      if (values.size() != size) fail_of_state(name_);
      return true;
    }
    values.assign(size, 0);
    make(values);
    log_.push_back(values);
    ++next_;
    return tell({});
  }
  [[nodiscard]] bool tell(Step step) {
    step.iteration = static_cast<Index>(next_);
    step.reads = op_.reads() - reads_before_;
    history_.push_back(step);
    bool const goes_on = !control_.on_step || control_.on_step(step);
    offer_state(control_, step, [&] { return state(); }, !goes_on);
    return goes_on;
  }
  [[nodiscard]] Index count() const { return static_cast<Index>(next_); }
  [[nodiscard]] Index reads() const { return op_.reads() - reads_before_; }
  [[nodiscard]] std::vector<Step> history() { return std::move(history_); }

 private:
  [[nodiscard]] State<T> state() const {
    State<T> state{.of = state_of<T>(name_, op_), .iteration = static_cast<Index>(log_.size())};
    state.numbers = key_;
    for (auto const& values : log_) {
      state.numbers.push_back(static_cast<double>(values.size()));
      state.numbers.insert(state.numbers.end(), values.begin(), values.end());
    }
    state.history = history_;
    return state;
  }
  void restore(State<T> const& state) {
    require_state_of(name_, state.of, state_of<T>(name_, op_));
    bool fits = state.vectors.empty() && state.numbers.size() >= key_.size() &&
                std::equal(key_.begin(), key_.end(), state.numbers.begin());
    std::size_t at = key_.size();
    while (fits && at < state.numbers.size()) {
      double const size = state.numbers[at++];
      fits = size >= 1 && size <= static_cast<double>(state.numbers.size() - at);
      if (!fits) break;
      auto const from = state.numbers.begin() + static_cast<std::ptrdiff_t>(at);
      log_.emplace_back(from, from + static_cast<std::ptrdiff_t>(size));
      at += log_.back().size();
    }
    if (!fits || static_cast<Index>(log_.size()) != state.iteration) {
      checks::fail(name_, "the state belongs to another run, or is damaged");
    }
    history_ = state.history;
  }

  char const* name_;
  Operator const& op_;
  Control<T> const& control_;
  Index reads_before_;
  std::vector<double> key_;
  std::vector<std::vector<double>> log_;
  std::size_t next_ = 0;
  std::vector<Step> history_;
};

template <class Exec>
Rows<Exec, double> columns_on_device(Exec const& exec, SmallMatrix const& A) {
  auto const to = make_rows<Exec, double>(exec, A.cols(), A.rows());
  from_host<Exec, double>(exec, A.values(), Values<Exec, double>(to.data(), to.size()));
  return to;
}

/// G, with one read.
template <class Exec, class T>
std::vector<double> gram_of(BlockOperator<Exec, T> const& op, GramProducts<Exec, T>& products) {
  products.G = make_values<Exec, double>(op.exec(), products.size());
  op.gram(products);
  return to_host<Exec, double>(op.exec(), products.G);
}

/// R of A = Q·R, with orthonormal columns of Q, from one or two Gram matrices. The second belongs
/// to A·P with P = W·(Λ + δ)^(-1/2); Λ and W are eigenvalues and eigenvectors of the first. Its
/// eigenvalues are between about δ and 1, so singular values of A down to ε·s_1 are resolved, as by
/// QR. P is orthonormal times diagonal, so its inverse loses no digits.
struct GramFactor {
  SmallEigen first;
  double shift = 0;          ///< δ
  std::vector<double> root;  ///< √(Λ + δ)

  GramFactor() = default;
  explicit GramFactor(SmallMatrix G) : first(small_eigen(std::move(G))) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    if (!first.is_converged) return;
    double const largest = first.values.empty() ? 0 : std::max(0.0, first.values.front());
    shift = 4 * static_cast<double>(first.values.size()) * eps * largest;
    for (double const value : first.values) {
      root.push_back(largest > 0 ? std::sqrt(std::max(value, 0.0) + shift) : 1);
    }
  }
  [[nodiscard]] Index size() const { return static_cast<Index>(root.size()); }
  [[nodiscard]] double largest() const { return std::max(0.0, first.values.front()); }
  [[nodiscard]] double value(Index i) const {
    return std::sqrt(std::max(0.0, first.values[static_cast<std::size_t>(i)]));
  }
  [[nodiscard]] SmallMatrix preconditioner() const {
    SmallMatrix P = first.V;
    for (Index j = 0; j < P.cols(); ++j) {
      for (Index i = 0; i < P.rows(); ++i) P(i, j) /= root[static_cast<std::size_t>(j)];
    }
    return P;
  }
  /// Computes B = R·W = Λ_2^(1/2)·W_2ᵀ·(Λ + δ)^(1/2), without rows of rounding, from the Gram
  /// matrix G2 of A·P. Returns false if the eigenvalues do not converge.
  [[nodiscard]] bool refine(SmallMatrix G2, SmallMatrix& B) const {
    SmallEigen const second = small_eigen(std::move(G2));
    if (!second.is_converged) return false;
    double const nothing = static_cast<double>(size()) * std::numeric_limits<double>::epsilon() / 4;
    Index rank = 0;
    while (rank < size() && second.values[static_cast<std::size_t>(rank)] > nothing) ++rank;
    B = SmallMatrix(rank, size());
    for (Index j = 0; j < size(); ++j) {
      for (Index i = 0; i < rank; ++i) {
        B(i, j) = std::sqrt(second.values[static_cast<std::size_t>(i)]) * second.V(j, i) *
                  root[static_cast<std::size_t>(j)];
      }
    }
    return true;
  }
};

/// n right singular vectors and r values of B, r x n with r <= n.
inline SmallSvd right_svd(SmallMatrix const& B) {
  Index const n = B.cols();
  // B's columns are nearly orthogonal: rotations converge at once. Dependent columns never become
  // orthogonal, but rows do.
  if (B.rows() == n) return small_svd(B);
  SmallSvd svd = small_svd(transposed(B));
  SmallMatrix V(n, n);
  for (Index j = 0; j < n; ++j) {
    if (j < B.rows()) {
      std::copy_n(svd.U.column(j), n, V.column(j));
    } else {
      complete(V, j);
    }
  }
  svd.V = std::move(V);
  return svd;
}

/// Exponents for columns whose squares over- or underflow, or nothing.
inline std::vector<int> far_columns(std::vector<double> const& G, Index width, Index cols,
                                    bool each_counts) {
  constexpr int far = 700;
  constexpr double tiny = 0x1p-900;
  std::vector<int> units(static_cast<std::size_t>(cols));
  bool is_far = false;
  bool all_tiny = true;
  for (Index j = 0; j < cols; ++j) {
    double const square = G[static_cast<std::size_t>(j * width + j)];
    bool const is_tiny = square < tiny;
    all_tiny = all_tiny && is_tiny;
    is_far = is_far || !std::isfinite(square) || (each_counts && is_tiny);
    units[static_cast<std::size_t>(j)] = is_tiny ? far : std::isfinite(square) ? 0 : -far;
  }
  return is_far || all_tiny ? units : std::vector<int>();
}

}  // namespace detail
}  // namespace tessera::solve
