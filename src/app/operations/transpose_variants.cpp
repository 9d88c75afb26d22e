// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/run/run_typed.hpp>
#include <tessera/variants/transpose.hpp>

// The only source of the program that compiles the variants of transposes.
namespace tessera::app {

std::vector<VariantFacts> variants_of_transpose() {
  std::vector<VariantFacts> facts;
  for (auto const& row : variants::transpose_variants<Kokkos::DefaultHostExecutionSpace, float>()) {
    facts.push_back({.name = row.name, .is_copy = row.is_copy});
  }
  return facts;
}

Measurement run_transpose_variant(MatrixRequest const& request) {
  Measurement measurement;
  measurement.method = "variant";
  run_on_matrix(
      request, measurement,
      [&]<class Exec, class T, class Layout>(Exec const& exec,
                                             io::MatrixView<T, Layout> const& host) {
        auto const rows = variants::transpose_variants<Exec, T>();
        auto const& row = row_named(rows, request.variant.name);
        variants::Block const preset;
        auto const team = request.variant.team.value_or(variants::Team{preset.x, preset.y});
        auto& variant = measurement.variant.emplace();
        variant.name = row.name;
        variant.team = team;
        variant.block = "block";
        variant.is_copy = row.is_copy;
        auto const A = bring(exec, host, request.input, measurement);
        auto const result = make_matrix<Exec, T, Layout>(
            request.input, A.extent(row.is_copy ? 0 : 1), A.extent(row.is_copy ? 1 : 0));
        // The variants are for row-major matrices: a column-major one is the transpose of such.
        constexpr bool by_rows = std::is_same_v<Layout, Kokkos::LayoutRight>;
        constexpr int down = by_rows ? 0 : 1;
        variants::TransposeInput<Exec, T> const in(A.data(), A.extent(down), A.extent(1 - down));
        variants::TransposeOutput<Exec, T> const out(result.data(), result.extent(down),
                                                     result.extent(1 - down));
        with_refusals(request.variant.name, [&] {
          measure(
              exec, request.repeat, measurement,
              Stage{"variant", [&] { row.run(exec, in, out, {.x = team.rows, .y = team.cols}); }});
        });
        measurement.bytes = 2 * bytes_of<T>(static_cast<std::int64_t>(A.size()));
        measurement.matrix = take_matrix<T, Layout>(result, request.input, measurement);
      });
  return measurement;
}

}  // namespace tessera::app
