// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/run/run_typed.hpp>
#include <tessera/variants/gemm/table.hpp>

// The only source of the program that compiles the variants of matrix products.
namespace tessera::app {

namespace gemm = variants::gemm;

std::vector<VariantFacts> variants_of_gemm() {
  using Matrix = io::MatrixView<float, Kokkos::LayoutRight>;
  std::vector<VariantFacts> facts;
  for (auto const& row : gemm::table<Kokkos::DefaultHostExecutionSpace, Matrix, Matrix, Matrix>()) {
    facts.push_back({.name = row.name,
                     .takes_team = row.has_team(),
                     .takes_tile = row.has_tile,
                     .hosts_only = row.hosts_only});
  }
  return facts;
}

Measurement run_gemm_variant(MatrixRequest const& request) {
  Measurement measurement;
  measurement.method = "variant";
  run_on_matrices(
      request, measurement,
      [&]<class Exec, class T, class LayoutA, class LayoutB>(
          Exec const& exec, io::MatrixView<T, LayoutA> const& host_a,
          io::MatrixView<T, LayoutB> const& host_b) {
        auto const A = bring(exec, host_a, request.input, measurement);
        auto const B = bring(exec, host_b, request.input, measurement);
        auto const C = make_matrix<Exec, T, LayoutA>(request.input, A.extent(0), B.extent(1));
        auto const rows =
            gemm::table<Exec, DeviceMatrix<Exec, T, LayoutA>, DeviceMatrix<Exec, T, LayoutB>,
                        DeviceMatrix<Exec, T, LayoutA>>();
        auto const& row = row_named(rows, request.variant.name);
        auto& variant = measurement.variant.emplace();
        variant.name = row.name;
        variant.reproducible = row.reproducible;
        if (row.has_team()) variant.team = request.variant.team.value_or(row.published);
        gemm::Options const options{.team = request.variant.team.value_or(variants::Team{}),
                                    .tile = request.variant.tile.value_or(0)};
        with_refusals(request.variant.name, [&] {
          measure(exec, request.repeat, measurement,
                  Stage{"variant", [&] { row.run(exec, A, B, C, options); }});
        });
        take_product_facts(A, B, measurement);
        measurement.matrix = take_matrix<T, LayoutA>(C, request.input, measurement);
      });
  return measurement;
}

}  // namespace tessera::app
