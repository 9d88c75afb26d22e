// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The order of docs/summation.md in plain loops, without the library's code. The library must
/// match it bitwise.
namespace reference {

using Index = std::int64_t;

enum class Order { row_major, column_major };

/// `leading`: elements between rows (row-major) or columns (column-major).
template <class T>
struct Matrix {
  T const* data;
  Index rows;
  Index cols;
  Index leading;
  Order order;
};

template <class T>
struct Lines {
  T const* data;
  Index count;
  Index length;
  Index leading;
};

template <class T>
Lines<T> lines_of(Matrix<T> const& matrix);

Index panel_lines(Index count, Index length);
Index panel_count(Index count, Index length);

/// The adjacent-pair tree; +0 without values.
template <class T>
T tree(std::vector<T> values);

/// d[i] = sum over j of line_i[j] * x[j].
template <class T>
std::vector<T> dot(Lines<T> const& lines, std::vector<T> const& x);

/// s[j] = sum over i of y[i] * line_i[j].
template <class T>
std::vector<T> sum(Lines<T> const& lines, std::vector<T> const& y);

template <class T>
std::vector<T> multiply(Matrix<T> const& A, std::vector<T> const& v);

template <class T>
std::vector<T> multiply_transposed(Matrix<T> const& A, std::vector<T> const& B);

template <class T>
std::vector<T> atax(Matrix<T> const& A, std::vector<T> const& v);

template <class T>
T exp(T x);
template <class T>
T log(T x);
template <class T>
T log1p(T x);

/// `name` is in tessera::maps.
template <class T>
std::vector<T> map(std::string const& name, std::vector<T> b, std::vector<T> const& x,
                   T gamma = T(0));

/// alpha * c + beta * z, the first product rounded; z unread if beta is 0.
template <class T>
std::vector<T> scale_and_add(T alpha, std::vector<T> c, T beta, std::vector<T> const& z);

/// Of an element of a rows x cols product.
Index chain_length(Index rows, Index cols, Index depth);

template <class T>
std::vector<T> gemm(std::vector<T> const& A, std::vector<T> const& B, Index rows, Index cols,
                    Index depth);

}  // namespace reference
