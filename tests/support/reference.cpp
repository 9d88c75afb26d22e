// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace reference {
namespace {

constexpr Index two_to_20 = 1048576;
constexpr Index two_to_22 = 4194304;

Index rounded_up_quotient(Index a, Index b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

std::size_t next_power_of_two(std::size_t k) {
  std::size_t power = 1;
  while (power < k) power *= 2;
  return power;
}

std::size_t size(Index n) {
  return static_cast<std::size_t>(n);
}

void require_length(std::size_t found, Index expected) {
  if (found != size(expected)) throw std::invalid_argument("reference: wrong length of a vector");
}

/// Chains of 64 (float) or 32 (double) lanes, by segment, then the tree.
template <class T>
T dot_of_line(T const* line, T const* x, Index length) {
  constexpr Index lanes = 256 / static_cast<Index>(sizeof(T));
  constexpr Index segment = 4 * lanes;
  std::vector<T> values;  // val(0,0), …, val(0,lanes-1), val(1,0), …
  values.reserve(next_power_of_two(size(rounded_up_quotient(length, segment) * lanes)));
  for (Index begin = 0; begin < length; begin += segment) {
    std::array<T, static_cast<std::size_t>(lanes)> acc{};
    Index const end = std::min(length, begin + segment);
    for (Index step = begin; step < end; step += lanes) {
      for (Index l = 0; l < lanes && step + l < end; ++l) {
        acc[size(l)] = std::fma(line[step + l], x[step + l], acc[size(l)]);
      }
    }
    values.insert(values.end(), acc.begin(), acc.end());
  }
  return tree(std::move(values)) + T(0);
}

/// A matrix of one row or one column counts as row-major.
template <class T>
Matrix<T> as_summed(Matrix<T> const& A, std::vector<T>& copy) {
  if (A.order == Order::row_major || (A.rows != 1 && A.cols != 1)) return A;
  for (Index j = 0; j < A.cols; ++j) {
    for (Index i = 0; i < A.rows; ++i) copy.push_back(A.data[j * A.leading + i]);
  }
  return {copy.data(), A.rows, A.cols, A.cols, Order::row_major};
}

}  // namespace

template <class T>
Lines<T> lines_of(Matrix<T> const& matrix) {
  if (matrix.order == Order::row_major) {
    return {matrix.data, matrix.rows, matrix.cols, matrix.leading};
  }
  return {matrix.data, matrix.cols, matrix.rows, matrix.leading};
}

Index panel_lines(Index count, Index length) {
  Index most_panels = 0;
  if (length <= 16384) {
    most_panels = std::min(std::max(two_to_22 / length, Index{1024}), Index{32768});
  } else {
    most_panels = 8 * std::max(Index{1}, two_to_20 / length);
  }
  return std::max(Index{8}, rounded_up_quotient(count, most_panels));
}

Index panel_count(Index count, Index length) {
  return rounded_up_quotient(count, panel_lines(count, length));
}

template <class T>
T tree(std::vector<T> values) {
  values.resize(next_power_of_two(values.size()), T(0));
  for (std::size_t o = 1; o < values.size(); o *= 2) {
    for (std::size_t t = 0; t < values.size(); t += 2 * o) {
      values[t] = values[t] + values[t + o];
    }
  }
  return values[0];
}

template <class T>
std::vector<T> dot(Lines<T> const& lines, std::vector<T> const& x) {
  require_length(x.size(), lines.length);
  std::vector<T> d(size(lines.count));
  for (Index i = 0; i < lines.count; ++i) {
    d[size(i)] = dot_of_line(lines.data + i * lines.leading, x.data(), lines.length);
  }
  return d;
}

template <class T>
std::vector<T> sum(Lines<T> const& lines, std::vector<T> const& y) {
  require_length(y.size(), lines.count);
  Index const height = panel_lines(lines.count, lines.length);
  Index const panels = panel_count(lines.count, lines.length);
  std::size_t const leaves = next_power_of_two(size(panels));
  std::size_t const length = size(lines.length);

  std::vector<T> partial(leaves * length, T(0));  // (leaves, length), row-major
  for (Index i = 0; i < lines.count; ++i) {
    T* const c = partial.data() + size(i / height) * length;
    T const* const line = lines.data + i * lines.leading;
    for (std::size_t j = 0; j < length; ++j) c[j] = std::fma(y[size(i)], line[j], c[j]);
  }

  for (std::size_t o = 1; o < leaves; o *= 2) {
    for (std::size_t t = 0; t < leaves; t += 2 * o) {
      T* const left = partial.data() + t * length;
      T const* const right = partial.data() + (t + o) * length;
      for (std::size_t j = 0; j < length; ++j) left[j] = left[j] + right[j];
    }
  }

  std::vector<T> s(length);
  for (std::size_t j = 0; j < length; ++j) s[j] = partial[j] + T(0);
  return s;
}

template <class T>
std::vector<T> multiply(Matrix<T> const& matrix, std::vector<T> const& v) {
  std::vector<T> copy;
  Matrix<T> const A = as_summed(matrix, copy);
  return A.order == Order::row_major ? dot(lines_of(A), v) : sum(lines_of(A), v);
}

template <class T>
std::vector<T> multiply_transposed(Matrix<T> const& matrix, std::vector<T> const& B) {
  std::vector<T> copy;
  Matrix<T> const A = as_summed(matrix, copy);
  return A.order == Order::row_major ? sum(lines_of(A), B) : dot(lines_of(A), B);
}

template <class T>
std::vector<T> atax(Matrix<T> const& A, std::vector<T> const& v) {
  return multiply_transposed(A, multiply(A, v));
}

template <class T>
T exp(T x) {
  bool const is_float = sizeof(T) == 4;
  T const high = is_float ? T(355.0 / 512) : T(0x1.62e42feep-1);
  T const low = is_float ? T(-0x1.bd0106p-13) : T(0x1.a39ef35793c76p-33);
  if (std::isnan(x)) return x;
  if (x >= (is_float ? 89 : 710)) return std::numeric_limits<T>::infinity();
  if (x < (is_float ? -104 : -746)) return 0;
  T const to_whole = is_float ? T(12582912) : T(6755399441055744);  // 1.5 · 2^23, 1.5 · 2^52
  T const k = std::fma(x, T(1.442695040888963407359924681), to_whole) - to_whole;
  T const r = std::fma(-k, low, std::fma(-k, high, x));
  T sum = 0;
  for (int n = is_float ? 7 : 13; n >= 0; --n) {
    double factorial = 1;
    for (int i = 2; i <= n; ++i) factorial *= i;
    sum = std::fma(sum, r, T(1 / factorial));
  }
  return std::ldexp(sum, static_cast<int>(k));
}

template <class T>
T log(T x) {
  bool const is_float = sizeof(T) == 4;
  T const high = is_float ? T(355.0 / 512) : T(0x1.62e42feep-1);
  T const low = is_float ? T(-0x1.bd0106p-13) : T(0x1.a39ef35793c76p-33);
  if (std::isnan(x) || x < 0) return std::numeric_limits<T>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<T>::infinity();
  if (std::isinf(x)) return x;
  int power = 0;
  T m = std::frexp(x, &power);  // from 1/2 to 1
  if (m <= T(0.70710678118654752440)) {
    m = m * 2;
    --power;
  }
  T const k = static_cast<T>(power);
  T const f = m - 1;
  T const s = f / (2 + f);
  T const z = s * s;
  T sum = 0;
  for (int n = is_float ? 4 : 10; n >= 1; --n) sum = std::fma(sum, z, T(2.0 / (2 * n + 1)));
  T const series = z * sum;
  T const below = std::fma(s, std::fma(f / 2, f, series), k * low);
  return std::fma(k, high, f - std::fma(f / 2, f, -below));
}

template <class T>
T log1p(T x) {
  T const u = 1 + x;
  if (u == 1 || u == std::numeric_limits<T>::infinity()) return x;
  return reference::log(u) * (x / (u - 1));
}

template <class T>
std::vector<T> map(std::string const& name, std::vector<T> b, std::vector<T> const& x, T gamma) {
  require_length(x.size(), static_cast<Index>(b.size()));
  for (std::size_t i = 0; i < b.size(); ++i) {
    T const e = reference::exp(-std::abs(x[i]));
    if (name == "weights") {
      b[i] = x[i] * b[i];
    } else if (name == "minus") {
      b[i] = b[i] - x[i];
    } else if (name == "plus") {
      b[i] = std::fma(gamma, x[i], b[i]);
    } else if (name == "logistic") {
      b[i] = 1 / (1 + reference::exp(-b[i])) - x[i];
    } else if (name == "logistic_weights") {
      b[i] = b[i] * (e / ((1 + e) * (1 + e)));
    } else if (name == "poisson") {
      b[i] = reference::exp(b[i]) - x[i];
    } else if (name == "poisson_weights") {
      b[i] = b[i] * reference::exp(x[i]);
    } else {
      throw std::runtime_error("reference: no map is called " + name);
    }
  }
  return b;
}

template <class T>
std::vector<T> scale_and_add(T alpha, std::vector<T> c, T beta, std::vector<T> const& z) {
  for (std::size_t j = 0; j < c.size(); ++j) {
    c[j] = alpha * c[j];
    if (beta != 0) c[j] = std::fma(beta, z[j], c[j]);
  }
  return c;
}

Index chain_length(Index rows, Index cols, Index depth) {
  Index most_chains = 1;  // 2^20 over all elements, of >= 256 products each
  if (rows < two_to_20 && cols < two_to_20 && rows * cols < two_to_20) {
    most_chains = std::min(two_to_20 / (rows * cols), rounded_up_quotient(depth, 256));
  }
  return 16 * rounded_up_quotient(rounded_up_quotient(depth, most_chains), 16);
}

template <class T>
std::vector<T> gemm(std::vector<T> const& A, std::vector<T> const& B, Index rows, Index cols,
                    Index depth) {
  require_length(A.size(), rows * depth);
  require_length(B.size(), depth * cols);
  Index const length = chain_length(rows, cols, depth);
  std::vector<std::vector<T>> parts(size(rows * cols));
  for (Index begin = 0; begin < depth; begin += length) {
    Index const end = std::min(depth, begin + length);
    for (Index i = 0; i < rows; ++i) {
      std::vector<T> acc(size(cols), T(0));
      for (Index k = begin; k < end; ++k) {
        for (Index j = 0; j < cols; ++j) {
          acc[size(j)] = std::fma(A[size(i * depth + k)], B[size(k * cols + j)], acc[size(j)]);
        }
      }
      for (Index j = 0; j < cols; ++j) parts[size(i * cols + j)].push_back(acc[size(j)]);
    }
  }
  std::vector<T> C;
  C.reserve(parts.size());
  for (auto& part : parts) C.push_back(tree(std::move(part)) + T(0));
  return C;
}

template Lines<float> lines_of(Matrix<float> const&);
template Lines<double> lines_of(Matrix<double> const&);
template float tree(std::vector<float>);
template double tree(std::vector<double>);
template std::vector<float> dot(Lines<float> const&, std::vector<float> const&);
template std::vector<double> dot(Lines<double> const&, std::vector<double> const&);
template std::vector<float> sum(Lines<float> const&, std::vector<float> const&);
template std::vector<double> sum(Lines<double> const&, std::vector<double> const&);
template std::vector<float> multiply(Matrix<float> const&, std::vector<float> const&);
template std::vector<double> multiply(Matrix<double> const&, std::vector<double> const&);
template std::vector<float> multiply_transposed(Matrix<float> const&, std::vector<float> const&);
template std::vector<double> multiply_transposed(Matrix<double> const&, std::vector<double> const&);
template std::vector<float> atax(Matrix<float> const&, std::vector<float> const&);
template std::vector<double> atax(Matrix<double> const&, std::vector<double> const&);
template std::vector<float> gemm(std::vector<float> const&, std::vector<float> const&, Index, Index,
                                 Index);
template float exp(float);
template double exp(double);
template float log(float);
template double log(double);
template float log1p(float);
template double log1p(double);
template std::vector<float> map(std::string const&, std::vector<float>, std::vector<float> const&,
                                float);
template std::vector<double> map(std::string const&, std::vector<double>,
                                 std::vector<double> const&, double);
template std::vector<float> scale_and_add(float, std::vector<float>, float,
                                          std::vector<float> const&);
template std::vector<double> scale_and_add(double, std::vector<double>, double,
                                           std::vector<double> const&);
template std::vector<double> gemm(std::vector<double> const&, std::vector<double> const&, Index,
                                  Index, Index);

}  // namespace reference
