// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/run/run_typed.hpp>
#include <tessera/variants/gemv/table.hpp>

// The only source of the program that compiles the variants of matrix-vector products.
namespace tessera::app {
namespace {

namespace gemv = variants::gemv;

/// The rows of the table for a product.
template <class Exec, class Matrix, class Vector>
auto rows_for(gemv::Product product) {
  auto rows = gemv::table<Exec, Matrix, Vector, Vector>();
  std::erase_if(rows, [&](auto const& row) { return row.product != product; });
  return rows;
}

/// The rows for a column-major matrix on a host: all there are.
auto all_rows_for(gemv::Product product) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  return rows_for<Exec, io::MatrixView<float, Kokkos::LayoutLeft>, io::VectorView<float>>(product);
}

std::vector<VariantFacts> facts_of(gemv::Product product) {
  std::vector<VariantFacts> facts;
  for (auto const& row : all_rows_for(product)) {
    facts.push_back({.name = row.name,
                     .takes_teams = true,
                     .takes_tile = row.has_tile,
                     .takes_tiling = row.has_tiling,
                     .column_major_only = row.layouts == gemv::Layouts::column_major});
  }
  return facts;
}

template <class Exec>
variants::VariantOptions<Exec> options_of(VariantChoice const& choice, Workspace<Exec>& workspace) {
  return {.workspace = &workspace,
          .team = choice.team.value_or(variants::Team{}),
          .teams = choice.teams.value_or(0),
          .tile = choice.tile.value_or(0),
          .tiling = choice.tiling.value_or(variants::Tiling::automatic)};
}

Measurement run_variant(RunRequest const& request, gemv::Product product) {
  Measurement measurement;
  measurement.method = "variant";
  bool const transposed = product == gemv::Product::multiply_transposed;
  run_typed(request, measurement,
            [&]<class Exec, class Matrix, class Vector>(Exec const& exec, Matrix const& A,
                                                        Vector const& x) {
              using T = typename Matrix::non_const_value_type;
              auto const m = static_cast<std::int64_t>(A.extent(0)),
                         n = static_cast<std::int64_t>(A.extent(1));
              auto const rows = rows_for<Exec, Matrix, DeviceVector<Exec, T>>(product);
              auto const& row = row_named(rows, request.variant.name);
              auto const result =
                  make_vector<Exec, T>(request, transposed ? "C" : "B", transposed ? n : m);
              if (row.has_buffer) {
                require_memory_of<Exec>(bytes_of<T>(m * n), request.input, "the workspace");
              }
              Workspace<Exec> workspace;
              auto const options = options_of(request.variant, workspace);
              auto& variant = measurement.variant.emplace();
              variant.name = row.name;
              variant.team = request.variant.team.value_or(row.default_team(exec));
              variant.reproducible = row.reproducible;
              DeviceVector<Exec, T> const input = x;
              with_refusals(request.variant.name, [&] {
                measure(exec, request.repeat, measurement,
                        Stage{"variant", [&] { row.run(exec, A, input, result, options); }});
              });
              measurement.bytes = one_product.bytes(m, n, sizeof(T));
              measurement.result = take_result<Exec, T>(result, measurement);
            });
  return measurement;
}

Forecast forecast_variant(Shape const& shape, BackendChoice backend, gemv::Product product) {
  Forecast forecast;
  bool const transposed = product == gemv::Product::multiply_transposed;
  auto const rows = all_rows_for(product);
  auto const& row = row_named(rows, shape.variant);
  with_types(shape, backend, [&]<class Exec, class T, class Layout>() {
    auto const buffer = row.has_buffer ? bytes_of<T>(shape.rows * shape.cols) : 0;
    forecast = forecast_of<T>(shape, one_product, transposed ? shape.rows : shape.cols,
                              transposed ? shape.cols : shape.rows,
                              detail::WorkspaceOfCall<Exec>::bytes_for(buffer));
    forecast.traffic +=
        4 * buffer;  // written once; halved, to be read and written, till it is gone
  });
  return forecast;
}

}  // namespace

std::vector<VariantFacts> variants_of_multiply() {
  return facts_of(gemv::Product::multiply);
}

std::vector<VariantFacts> variants_of_multiply_transposed() {
  return facts_of(gemv::Product::multiply_transposed);
}

Measurement run_multiply_variant(RunRequest const& request) {
  return run_variant(request, gemv::Product::multiply);
}

Measurement run_multiply_transposed_variant(RunRequest const& request) {
  return run_variant(request, gemv::Product::multiply_transposed);
}

Forecast forecast_multiply_variant(Shape const& shape, BackendChoice backend) {
  return forecast_variant(shape, backend, gemv::Product::multiply);
}

Forecast forecast_multiply_transposed_variant(Shape const& shape, BackendChoice backend) {
  return forecast_variant(shape, backend, gemv::Product::multiply_transposed);
}

}  // namespace tessera::app
