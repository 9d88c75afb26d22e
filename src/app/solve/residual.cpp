// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>

#include <app/solve/precise_rows.hpp>
#include <app/solve/residual.hpp>

namespace tessera::app {
namespace {

template <class T>
double norm_of(io::VectorView<T> const& x) {
  Sums sums(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sums[i].high = static_cast<double>(x(i));
  return sums.norm();
}

template <class T>
Residual residual_in(io::MatrixReader const& reader, io::VectorView<T> const& x,
                     io::VectorView<T> const& b, double damp) {
  io::MatrixInfo const& info = reader.info();
  Sums gradient(info.cols);
  Sums all(info.rows);
  DoubleDouble square;  // of ‖A‖
  for_each_row<T>(reader, "checking x", [&](std::uint64_t i, RowOfBlock<T> const& row) {
    Sums r(1);
    r[0].high = static_cast<double>(b(i));
    for (std::uint64_t j = 0; j < info.cols; ++j) {
      double const a = row(j);
      r.add(0, -a, {.high = static_cast<double>(x(j))});
      square = add(square, two_product(a, a));
    }
    for (std::uint64_t j = 0; j < info.cols; ++j) gradient.add(j, row(j), r[0]);
    all[i] = r[0];
  });
  DoubleDouble const penalty = two_product(damp, damp);
  for (std::uint64_t j = 0; j < info.cols; ++j) {
    gradient.add(j, -static_cast<double>(x(j)), penalty);
  }
  return {.normr = all.norm(),
          .gradient = gradient.norm(),
          .norma = std::sqrt(square.high),
          .normb = norm_of<T>(b),
          .normx = norm_of<T>(x)};
}

}  // namespace

Residual residual_of(io::MatrixReader const& reader, io::HostVector const& x,
                     io::HostVector const& b, double damp) {
  return std::visit(
      [&]<class T>(io::VectorView<T> const& found) {
        return residual_in<T>(reader, found, std::get<io::VectorView<T>>(b), damp);
      },
      x);
}

}  // namespace tessera::app
