// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <Kokkos_Core.hpp>

#include <app/base/progress.hpp>
#include <app/base/text.hpp>
#include <app/run/options.hpp>
#include <app/solve/solve.hpp>
#include <app/solve/solve_typed.hpp>
#include <io/types.hpp>
#include <tessera/solve/column_statistics.hpp>
#include <tessera/solve/in_memory.hpp>
#include <tessera/solve/moments.hpp>

namespace tessera::app {

std::uint64_t bytes_of_statistics(io::MatrixInfo const& info, io::ScalarType type) {
  auto const rows = static_cast<std::int64_t>(info.rows);
  auto const cols = static_cast<std::int64_t>(info.cols);
  auto const bytes = [&]<class T>(T) -> std::uint64_t {
    using Exec = Kokkos::DefaultHostExecutionSpace;
    auto const groups = solve::detail::groups_of_rows<T>(
        stream::detail::Extents{std::max<std::int64_t>(rows, 1), std::max<std::int64_t>(cols, 1)},
        solve::detail::group_bytes(Exec()));
    return solve::detail::MomentSums<Exec, T>::bytes(0, cols, groups.size(), groups.count());
  };
  return type == io::ScalarType::f32 ? bytes(float{}) : bytes(double{});
}

std::string missing_code(SolveOptions const& options) {
  if (!options.missing) return "";
  return std::isnan(*options.missing) ? "nan" : shortest(*options.missing);
}

solve::ColumnStatistics find_statistics(StatsOptions const& options, SolveRequest const& request,
                                        SolveRun& run) {
  solve::ColumnStatistics found;
  solve_with(request, run, [&]<class Exec, class T>(solve::NormalOperator<Exec, T> const& op) {
    Stopwatch const time;
    auto const& blocks = dynamic_cast<solve::BlockOperator<Exec, T> const&>(op);
    found = solve::column_statistics(blocks, {.ddof = options.ddof, .missing = options.missing});
    run.reads = op.reads();
    run.seconds = time.seconds();
  });
  return found;
}

}  // namespace tessera::app
