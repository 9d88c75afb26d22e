// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>

#include <app/run/operations.hpp>
#include <app/run/run.hpp>
#include <app/stream/stream.hpp>

namespace tessera::app {
namespace {

/// What is known of the operations stands in src/bench/operation.cpp.
std::array<OperationRow, operation_count> const& operation_table() {
  using bench::operation_named;
  static std::array<OperationRow, operation_count> const table = {{
      {operation_named("atax"), OperationId::atax, &run_atax, &forecast_atax, &stream_atax},
      {operation_named("multiply"), OperationId::multiply, &run_multiply, &forecast_multiply,
       &stream_multiply},
      {operation_named("multiply_transposed"), OperationId::multiply_transposed,
       &run_multiply_transposed, &forecast_multiply_transposed, &stream_multiply_transposed},
      {operation_named("multiply_both"), OperationId::multiply_both, &run_multiply_both,
       &forecast_multiply_both, &stream_multiply_both},
  }};
  return table;
}

}  // namespace

std::span<OperationRow const, operation_count> table_of_operations() {
  return operation_table();
}

OperationRow const& row_of(OperationId id) {
  for (auto const& row : operation_table()) {
    if (row.id == id) return row;
  }
  return operation_table().front();  // not reached: every OperationId has a row
}

}  // namespace tessera::app
