// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <tessera/solve/operator.hpp>

namespace tessera::test {

/// Only the mandatory functions.
template <class Exec, class T>
class PlainOperator final : public solve::NormalOperator<Exec, T> {
  using Base = solve::NormalOperator<Exec, T>;
  using Vector = solve::Values<Exec, T>;
  using ConstVector = solve::ConstValues<Exec, T>;

 public:
  explicit PlainOperator(Base const& op)
      : Base(op.exec(), op.rows(), op.cols(), std::string_view(op.layout()) == "rows"), op_(op) {}

 private:
  void do_atax(ConstVector const& v, typename Base::Map const& map, Vector const& b,
               Vector const& c, bool keep_product) const override {
    op_.atax(v, map, b, c, keep_product);
  }
  void do_multiply(ConstVector const& v, Vector const& b) const override { op_.multiply(v, b); }
  void do_multiply_transposed(ConstVector const& u, Vector const& c) const override {
    op_.multiply_transposed(u, c);
  }
  void do_sums_of_squares(ConstVector const& mean, ConstVector const& units,
                          Vector const& c) const override {
    op_.sums_of_squares(mean, units, c);
  }

  Base const& op_;
};

}  // namespace tessera::test
