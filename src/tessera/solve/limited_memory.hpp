// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include <tessera/solve/control.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/values.hpp>
#include <tessera/vectors.hpp>

/// The inverse Hessian of L-BFGS.
namespace tessera::solve::detail {

/// A vector with one more entry, on the host.
template <class Exec, class T>
struct Bordered {
  Values<Exec, T> x;
  double border = 0;
};

template <class Exec, class T>
class LimitedMemory {
 public:
  using Vector = Bordered<Exec, T>;
  static constexpr std::size_t most = 10;

  explicit LimitedMemory(Exec const& exec) : exec_(exec), dot_(exec) {}

  [[nodiscard]] double dot(Vector const& a, Vector const& b) {
    return std::fma(a.border, b.border, dot_(a.x, b.x));
  }
  void add(double a, Vector const& x, double b, Vector& y) const {
    axpby(exec_, static_cast<T>(a), x.x, static_cast<T>(b), y.x);
    y.border = std::fma(a, x.border, b * y.border);
  }

  /// Ignores steps along which the gradient does not rise.
  void learn(Vector step, Vector change) {
    double const product = dot(step, change);
    double const square = dot(change, change);
    constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    if (!(product > eps * square)) return;
    if (pairs_.size() == most) pairs_.pop_front();
    pairs_.push_back({std::move(step), std::move(change), product, square});
  }
  void forget() { pairs_.clear(); }
  [[nodiscard]] bool is_empty() const { return pairs_.empty(); }

  /// x = H·x
  void apply(Vector& x) {
    std::vector<double> lengths;
    for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
      lengths.push_back(dot(pair->step, x) / pair->product);
      add(-lengths.back(), pair->change, 1, x);
    }
    if (!pairs_.empty()) {
      Pair const& last = pairs_.back();
      scale(exec_, static_cast<T>(last.product / last.square), x.x);
      x.border *= last.product / last.square;
    }
    for (Pair const& pair : pairs_) {
      add(lengths.back() - dot(pair.change, x) / pair.product, pair.step, 1, x);
      lengths.pop_back();
    }
  }

  void save(State<T>& state) const {
    for (Pair const& pair : pairs_) {
      for (Vector const* const vector : {&pair.step, &pair.change}) {
        state.numbers.push_back(vector->border);
        state.vectors.push_back(to_host<Exec, T>(exec_, vector->x));
      }
    }
  }
  /// Returns false if the state does not fit after `numbers` numbers and `vectors` vectors.
  [[nodiscard]] bool restore(State<T> const& state, std::size_t numbers, std::size_t vectors,
                             Index size) {
    std::size_t const count = state.vectors.size() - vectors;
    if (count % 2 != 0 || count > 2 * most || state.numbers.size() != numbers + count) return false;
    std::vector<Vector> both;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<T> const& from = state.vectors[vectors + i];
      if (static_cast<Index>(from.size()) != size) return false;
      both.push_back({make_values<Exec, T>(exec_, size), state.numbers[numbers + i]});
      from_host<Exec, T>(exec_, from, both.back().x);
    }
    forget();
    for (std::size_t i = 0; i < count; i += 2) learn(both[i], both[i + 1]);
    return pairs_.size() == count / 2;
  }

 private:
  struct Pair {
    Vector step;
    Vector change;
    double product;
    double square;
  };

  Exec exec_;
  Dots<Exec, T> dot_;
  std::deque<Pair> pairs_;
};

}  // namespace tessera::solve::detail
