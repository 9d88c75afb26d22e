// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bench/operation.hpp>
#include <stdexcept>
#include <string>

namespace tessera::bench {
namespace {

double elements(Shape const& s) {
  return static_cast<double>(s.rows) * static_cast<double>(s.cols);
}
double m(Shape const& s) {
  return static_cast<double>(s.rows);
}
double n(Shape const& s) {
  return static_cast<double>(s.cols);
}

double mapped_bytes(Shape const& s, double size) {
  return (elements(s) + 2 * n(s) + m(s)) * size;
}

constexpr std::array<Operation, 10> table = {{
    {.name = "atax",
     .command = "atax",
     .formula = "C = Aᵀ·(A·V)",
     .formula_ascii = "C = A^T(A V)",
     .vector_name = "V",
     .is_chained = true,
     .has_methods = true,
     .bytes = [](Shape const& s, double size) { return (elements(s) + 2 * n(s)) * size; },
     .flops = [](Shape const& s) { return 4 * elements(s); }},
    {.name = "aatx",
     .command = "aatx",
     .formula = "B = A·(Aᵀ·U)",
     .formula_ascii = "B = A(A^T U)",
     .vector_name = "U",
     .takes_rows_vector = true,
     .gives_rows_vector = true,
     .is_chained = true,
     .has_methods = true,
     .is_tuned = false,
     .bytes = [](Shape const& s, double size) { return (elements(s) + 2 * m(s)) * size; },
     .flops = [](Shape const& s) { return 4 * elements(s); }},
    {.name = "weights",
     .command = "weights",
     .formula = "C = Aᵀ·(w∘(A·V))",
     .formula_ascii = "C = A^T(w * (A V))",
     .vector_name = "V",
     .is_chained = true,
     .is_tuned = false,
     .takes_files = false,
     .bytes = mapped_bytes,
     .flops = [](Shape const& s) { return 4 * elements(s); }},
    {.name = "logistic",
     .command = "logistic",
     .formula = "C = Aᵀ·(σ(A·V) - y)",
     .formula_ascii = "C = A^T(1/(1 + exp(-A V)) - y)",
     .vector_name = "V",
     .is_chained = true,
     .is_tuned = false,
     .takes_files = false,
     .is_exact = false,
     .bytes = mapped_bytes,
     .flops = [](Shape const& s) { return 4 * elements(s); }},
    {.name = "multiply",
     .command = "gemv",
     .formula = "B = A·V",
     .formula_ascii = "B = A V",
     .vector_name = "V",
     .gives_rows_vector = true,
     .bytes = [](Shape const& s, double size) { return (elements(s) + m(s) + n(s)) * size; },
     .flops = [](Shape const& s) { return 2 * elements(s); }},
    {.name = "multiply_transposed",
     .command = "gemvt",
     .formula = "C = Aᵀ·B",
     .formula_ascii = "C = A^T B",
     .vector_name = "B",
     .takes_rows_vector = true,
     .bytes = [](Shape const& s, double size) { return (elements(s) + m(s) + n(s)) * size; },
     .flops = [](Shape const& s) { return 2 * elements(s); }},
    {.name = "multiply_both",
     .command = "gemv-both",
     .formula = "Y = A·X, W = Aᵀ·U",
     .formula_ascii = "Y = A X and W = A^T U",
     .vector_name = "X",
     .gives_rows_vector = true,
     .gives_two_vectors = true,
     .is_tuned = false,
     .takes_files = false,
     .bytes = [](Shape const& s, double size) { return (elements(s) + 2 * (m(s) + n(s))) * size; },
     .flops = [](Shape const& s) { return 4 * elements(s); }},
    {.name = "transpose",
     .command = "transpose",
     .formula = "At = Aᵀ",
     .formula_ascii = "At = A^T",
     .vector_name = "",
     .stream = "copy",
     .bytes = [](Shape const& s, double size) { return 2 * elements(s) * size; },
     .flops = [](Shape const&) { return 0.0; }},
    {.name = "gemm",
     .command = "gemm",
     .formula = "C = A·B",
     .formula_ascii = "C = A B",
     .vector_name = "",
     .shapes = ShapeKind::product,
     .is_counted_in_flops = true,
     .stream = "",
     .bytes =
         [](Shape const& s, double size) {
           auto const columns = static_cast<double>(s.factor_cols);
           return (elements(s) + (m(s) + n(s)) * columns) * size;
         },
     .flops = [](Shape const& s) { return 2 * elements(s) * static_cast<double>(s.factor_cols); }},
    {.name = "atax_block",
     .command = "atax-block",
     .formula = "C = Aᵀ·(A·B)",
     .formula_ascii = "C = A^T(A B)",
     .vector_name = "",
     .is_chained = true,
     .is_tuned = false,
     .takes_files = false,
     .shapes = ShapeKind::product,
     .is_counted_in_flops = true,
     .stream = "",
     .bytes =
         [](Shape const& s, double size) {
           return (elements(s) + 2 * n(s) * static_cast<double>(s.factor_cols)) * size;
         },
     .flops = [](Shape const& s) { return 4 * elements(s) * static_cast<double>(s.factor_cols); }},
}};

}  // namespace

std::span<Operation const> operations() {
  return table;
}

Operation const& operation_named(std::string_view name) {
  for (auto const& operation : table) {
    if (operation.name == name) return operation;
  }
  throw std::invalid_argument("no operation is called " + std::string(name));
}

}  // namespace tessera::bench
