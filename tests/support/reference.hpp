// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The canonical order of summation (docs/summation.md) in plain loops. It shares no code with the
/// library and does not use Kokkos. The library is compared with it, bit by bit. Instantiated for
/// float and double in reference.cpp.
namespace reference {

using Index = std::int64_t;

enum class Order { row_major, column_major };

/// A non-owning matrix in memory. `leading` is the distance in elements between rows of a row-major
/// matrix, or columns of a column-major one.
template <class T>
struct Matrix {
  T const* data;
  Index rows;
  Index cols;
  Index leading;
  Order order;
};

/// A matrix as a stack of contiguous lines: rows of a row-major matrix, columns of a column-major.
template <class T>
struct Lines {
  T const* data;
  Index count;
  Index length;
  Index leading;
};

/// The lines of `matrix`, as it is stored.
template <class T>
Lines<T> lines_of(Matrix<T> const& matrix);

/// Lines of each panel of a sum; the last panel may have fewer.
Index panel_lines(Index count, Index length);
/// Panels of a sum.
Index panel_count(Index count, Index length);

/// The adjacent-pair tree over `values`; 0 values give +0.
template <class T>
T tree(std::vector<T> values);

/// d[i] = sum over j of line_i[j] * x[j]; `x` has the length of a line.
template <class T>
std::vector<T> dot(Lines<T> const& lines, std::vector<T> const& x);

/// s[j] = sum over i of y[i] * line_i[j]; `y` has as many elements as there are lines.
template <class T>
std::vector<T> sum(Lines<T> const& lines, std::vector<T> const& y);

/// B = A v.
template <class T>
std::vector<T> multiply(Matrix<T> const& A, std::vector<T> const& v);

/// C = A^T B.
template <class T>
std::vector<T> multiply_transposed(Matrix<T> const& A, std::vector<T> const& B);

/// C = A^T (A v).
template <class T>
std::vector<T> atax(Matrix<T> const& A, std::vector<T> const& v);

/// e^x, log(x) and log(1 + x) by the fixed sequences of docs/summation.md.
template <class T>
T exp(T x);
template <class T>
T log(T x);
template <class T>
T log1p(T x);

/// f(b) for each entry; `name` is the name of a function in tessera::maps.
template <class T>
std::vector<T> map(std::string const& name, std::vector<T> b, std::vector<T> const& x,
                   T gamma = T(0));

/// alpha * c + beta * z, with the first product rounded; z is not read if beta is 0.
template <class T>
std::vector<T> scale_and_add(T alpha, std::vector<T> c, T beta, std::vector<T> const& z);

/// Products per chain of an element of a matrix product whose result is rows x cols.
Index chain_length(Index rows, Index cols, Index depth);

/// C = A B, row by row. A is rows x depth and B depth x cols, both row by row.
template <class T>
std::vector<T> gemm(std::vector<T> const& A, std::vector<T> const& B, Index rows, Index cols,
                    Index depth);

}  // namespace reference
