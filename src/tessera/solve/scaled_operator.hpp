// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/elements.hpp>
#include <tessera/solve/golub_kahan.hpp>
#include <tessera/solve/operator.hpp>

/// Columns of even norms for iterative methods, without a copy of A.
namespace tessera::solve::detail {

/// to = power of unit, times x
template <class T>
struct ScaleBy {
  T const* x;
  T const* unit;
  bool is_squared;
  T* to;
  KOKKOS_FUNCTION void operator()(Index j) const {
    to[j] = (is_squared ? unit[j] * unit[j] : unit[j]) * x[j];
  }
};

/// Powers of two that give the columns of A norms from 1 to 2, by one read. Empty: the norms are
/// within a factor of ten, or their squares over- or underflow.
template <class Exec, class T>
std::vector<T> uneven_units(NormalOperator<Exec, T> const& op) {
  Exec const& exec = op.exec();
  auto const zeros = make_values<Exec, T>(exec, op.cols());
  auto const ones = make_values<Exec, T>(exec, op.cols());
  auto const sums = make_values<Exec, T>(exec, op.cols());
  Kokkos::deep_copy(exec, zeros, T(0));
  Kokkos::deep_copy(exec, ones, T(1));
  op.sums_of_squares(zeros, ones, sums);
  std::vector<T> units;
  T least = std::numeric_limits<T>::max();
  T largest = 0;
  for (T const square : to_host<Exec, T>(exec, sums)) {
    constexpr T smallest = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
    if (square != T(0)) {
      if (!(square >= smallest && std::isfinite(square))) return {};
      least = std::min(least, square);
      largest = std::max(largest, square);
    }
    units.push_back(square == T(0) ? T(1) : std::scalbn(T(1), -std::ilogb(std::sqrt(square))));
  }
  return largest > T(100) * least ? units : std::vector<T>{};
}

/// A·D for a diagonal D of powers of two: only vectors of n entries are scaled.
template <class Exec, class T>
class ScaledOperator final : public NormalOperator<Exec, T> {
 public:
  using Base = NormalOperator<Exec, T>;
  using Map = typename Base::Map;

  ScaledOperator(Base const& op, std::vector<T> const& units)
      : Base(op.exec(), op.rows(), op.cols(), std::string_view(op.layout()) == "rows"),
        op_(op),
        units_(make_values<Exec, T>(op.exec(), op.cols())),
        scaled_(make_values<Exec, T>(op.exec(), op.cols())) {
    from_host<Exec, T>(op.exec(), units, units_);
  }

  /// to = D·x
  void scale(ConstValues<Exec, T> const& x, Values<Exec, T> const& to) const {
    static std::string const label("tessera::solve::units");
    for_each_element(op_.exec(), label, op_.cols(),
                     ScaleBy<T>{x.data(), units_.data(), false, to.data()});
  }

 private:
  void do_agree(std::string const& method,
                std::function<std::uint64_t()> const& call) const override {
    op_.agree(method, call);
  }
  void do_atax(ConstValues<Exec, T> const& v, Map const& map, Values<Exec, T> const& b,
               Values<Exec, T> const& c, bool keep_product) const override {
    scale(v, scaled_);
    op_.atax(scaled_, map, b, c, keep_product);
    scale(c, c);
  }
  void do_multiply(ConstValues<Exec, T> const& v, Values<Exec, T> const& b) const override {
    scale(v, scaled_);
    op_.multiply(scaled_, b);
  }
  void do_multiply_transposed(ConstValues<Exec, T> const& u,
                              Values<Exec, T> const& c) const override {
    op_.multiply_transposed(u, c);
    scale(c, c);
  }
  void do_sums_of_squares(ConstValues<Exec, T> const& mean, ConstValues<Exec, T> const& units,
                          Values<Exec, T> const& c) const override {
    op_.sums_of_squares(mean, units, c);
    scale(c, c);
    scale(c, c);
  }

  Base const& op_;
  Values<Exec, T> units_;
  Values<Exec, T> scaled_;
};

}  // namespace tessera::solve::detail
