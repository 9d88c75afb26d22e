// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include <Kokkos_Core.hpp>

#include <app/run/run_typed.hpp>
#include <app/run/stored_typed.hpp>
#include <tessera/atax.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/detail/product.hpp>
#include <tessera/detail/run_atax.hpp>

namespace tessera::app {
namespace {

/// Two stages read A twice and move B between them. A map reads its vector; with a B it is a
/// separate kernel, as are scalars.
Traffic traffic_of(bool fused, bool with_intermediate, bool has_map, bool scales) {
  Traffic traffic{.matrix = fused ? 1 : 2, .cols_vectors = scales ? 5 : 2, .rows_vectors = 2};
  if (fused) traffic.rows_vectors = with_intermediate ? 1 : 0;
  if (has_map) traffic.rows_vectors += fused && !with_intermediate ? 1 : 3;
  return traffic;
}

/// Vectors that share a read.
template <class Exec, class Matrix>
std::size_t vectors_at_once(RunRequest const& request, bool fused, Matrix const& A) {
  using namespace tessera::detail;
  using T = typename Matrix::non_const_value_type;
  std::size_t at_once = columns_at_once<Exec, T>("atax", A, request.kernels);
  if constexpr (!reads_narrow<Matrix>) {
    if (!fused) return at_once;
    with_lines("atax", "A", A, [&](auto by_rows, auto const& lines) {
      at_once = fused_at_once<Exec, by_rows()>(request.kernels, lines,
                                               static_cast<std::size_t>(request.columns));
    });
  }
  return at_once;
}

/// A·Aᵀ·U is the atax of Aᵀ.
template <bool transposed>
Measurement run_atax(RunRequest const& request) {
  Measurement measurement;
  with_matrix_of<transposed>(
      request, measurement,
      [&]<class Exec, class Matrix>(Exec const& exec, Matrix const& A, bool by_rows) {
        using namespace tessera::detail;
        using T = typename Matrix::non_const_value_type;
        auto const v =
            bring_vector<Exec, T>(exec, request.x, request.input, "the vector", measurement);
        auto const m = static_cast<std::int64_t>(A.extent(0)),
                   n = static_cast<std::int64_t>(A.extent(1));
        auto const C = make_vector<Exec, T>(request, "C", n);
        Workspace<Exec> workspace;
        TermsOnDevice<Exec, T> const terms(exec, request.terms, request.input, measurement);
        AtaxOptions<Exec, T> options{.method = request.method,
                                     .workspace = &workspace,
                                     .tuning = request.tuning,
                                     .kernels = request.kernels,
                                     .map = terms.map(),
                                     .alpha = terms.alpha,
                                     .beta = terms.beta,
                                     .z = terms.z};
        bool const one = request.columns == 1;
        auto const plan = of_layout(by_rows, [&]<class Layout>(Layout) {
          if (!one) {
            options.method = method_of_blocks<T, Layout>(exec, m, n, request.columns, options);
          }
          return plan_atax<T, Layout>(exec, m, n, options);
        });
        take_plan<Exec>(plan, request, measurement);

        bool const fused = plan.method == Method::fused;
        char const* const method = fused ? "fused" : "two-stage";
        measurement.method = method;
        bool const has_map = request.terms.has_map();
        bool const scales = request.terms.scales();
        measurement.bytes =
            traffic_of(fused, request.keep_intermediate, has_map, scales)
                .of_block(request.columns,
                          static_cast<std::int64_t>(vectors_at_once<Exec>(request, fused, A)))
                .bytes(m, n, app::element_bytes(A), sizeof(T));
        auto const block = [&](auto const& x) { return app::block_of(x, request.columns); };
        // Two plain products are timed separately.
        bool const apart = !fused && !has_map && !scales && one;
        auto const B =
            make_vector<Exec, T>(request, "B", apart || request.keep_intermediate ? m : 0);
        if (apart) {
          tessera::Options<Exec> const stage{
              .workspace = &workspace, .tuning = request.tuning, .kernels = request.kernels};
          auto const multiply = [&](VectorProduct const& product, auto const& x, auto const& y) {
            call_product<Exec, T>(exec, product, A, vector_in(x), vector_out(y), stage);
          };
          measure(exec, request.repeat, measurement,
                  Stage{"multiply", [&] { multiply(plain_product, v, B); }},
                  Stage{"multiply_transposed", [&] { multiply(transposed_product, B, C); }});
        } else {
          measure(exec, request.repeat, measurement,
                  Stage{method, [&] {
                          if (one) {
                            auto const b = vector_out(B);
                            call_atax<Exec, T>(exec, A, vector_in(v),
                                               request.keep_intermediate ? &b : nullptr,
                                               vector_out(C), options);
                          } else {
                            auto const b = matrix_out(block(B));
                            call_atax<Exec, T>(exec, A, matrix_in(block(v)),
                                               request.keep_intermediate ? &b : nullptr,
                                               matrix_out(block(C)), options);
                          }
                        }});
        }
        if (request.keep_intermediate)
          measurement.intermediate = take_result<Exec, T>(B, measurement);
        measurement.result = take_result<Exec, T>(C, measurement);
      });
  return measurement;
}

template <bool transposed>
Forecast forecast_atax(Shape const& of_file, BackendChoice backend) {
  Forecast forecast;
  Shape const shape = transposed ? transpose_of(of_file) : of_file;
  with_types(shape, backend, [&]<class Exec, class T, class Layout>() {
    auto const [m, n] = std::pair(shape.rows, shape.cols);
    auto const plan =
        plan_atax<T, Layout>(Exec(), m, n, {.method = shape.method, .kernels = shape.kernels});
    bool const fused = plan.method == Method::fused;
    forecast = forecast_of<T>(
        shape, traffic_of(fused, shape.keep_intermediate, shape.has_map, shape.scales), n,
        shape.keep_intermediate ? m + n : n, plan.workspace_bytes + bytes_of<T>(fused ? 0 : m));
  });
  return forecast;
}

}  // namespace

OperationRow row_of_atax() {
  return {bench::operation_named("atax"), OperationId::atax, &run_atax<false>,
          &forecast_atax<false>};
}

OperationRow row_of_aatx() {
  return {bench::operation_named("aatx"), OperationId::aatx, &run_atax<true>, &forecast_atax<true>};
}

}  // namespace tessera::app
