// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>

#include <app/run/operations.hpp>
#include <app/run/run.hpp>
#include <app/stream/stream.hpp>

namespace tessera::app {
namespace {

constexpr std::array<OperationRow, operation_count> operation_table = {{
    {.id = OperationId::atax,
     .name = "atax",
     .command = "atax",
     .formula = "C = Aᵀ·(A·V)",
     .formula_ascii = "C = A^T(A V)",
     .vector_name = "V",
     .takes_rows_vector = false,
     .gives_rows_vector = false,
     .has_methods = true,
     .run = &run_atax,
     .forecast = &forecast_atax,
     .stream = &stream_atax},
    {.id = OperationId::multiply,
     .name = "multiply",
     .command = "gemv",
     .formula = "B = A·V",
     .formula_ascii = "B = A V",
     .vector_name = "V",
     .takes_rows_vector = false,
     .gives_rows_vector = true,
     .has_methods = false,
     .run = &run_multiply,
     .forecast = &forecast_multiply,
     .stream = &stream_multiply},
    {.id = OperationId::multiply_transposed,
     .name = "multiply_transposed",
     .command = "gemvt",
     .formula = "C = Aᵀ·B",
     .formula_ascii = "C = A^T B",
     .vector_name = "B",
     .takes_rows_vector = true,
     .gives_rows_vector = false,
     .has_methods = false,
     .run = &run_multiply_transposed,
     .forecast = &forecast_multiply_transposed,
     .stream = &stream_multiply_transposed},
}};

}  // namespace

std::span<OperationRow const, operation_count> table_of_operations() {
  return operation_table;
}

OperationRow const& row_of(OperationId id) {
  for (auto const& row : operation_table) {
    if (row.id == id) return row;
  }
  return operation_table.front();  // not reached: every OperationId has a row
}

}  // namespace tessera::app
