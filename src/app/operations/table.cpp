// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include <app/run/run.hpp>

namespace tessera::app {

std::span<OperationRow const> table_of_operations() {
  static std::array const table = {row_of_atax(), row_of_multiply(), row_of_multiply_transposed(),
                                   row_of_multiply_both()};
  return table;
}

OperationRow const& row_of(OperationId id) {
  return *std::ranges::find(table_of_operations(), id, &OperationRow::id);
}

}  // namespace tessera::app
