// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/run/run_typed.hpp>
#include <app/stream/stream_typed.hpp>
#include <tessera/atax.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_transposed.hpp>

namespace tessera::app {
namespace {

/// What moves through memory: fused reads A once, two stages read it twice and B between them.
Traffic fused_or_not(bool fused, bool with_intermediate) {
  if (fused) return {.matrix = 1, .cols_vectors = 2, .rows_vectors = with_intermediate ? 1 : 0};
  return {.matrix = 2, .cols_vectors = 2, .rows_vectors = 2};
}

}  // namespace

Measurement run_atax(RunRequest const& request) {
  Measurement measurement;
  run_typed(
      request, measurement,
      [&]<class Exec, class Matrix, class Vector>(Exec const& exec, Matrix const& A,
                                                  Vector const& v) {
        using T = typename Matrix::non_const_value_type;
        using Layout = typename Matrix::array_layout;
        auto const m = static_cast<std::int64_t>(A.extent(0)),
                   n = static_cast<std::int64_t>(A.extent(1));
        auto const C = make_vector<Exec, T>(request, "C", n);
        Workspace<Exec> workspace;
        AtaxOptions<Exec, T> const options{.method = request.method,
                                           .workspace = &workspace,
                                           .tuning = request.tuning,
                                           .kernels = request.kernels};
        auto const plan = plan_atax<T, Layout>(exec, m, n, options);
        take_plan<Exec>(plan, request, measurement);

        bool const fused = plan.method == Method::fused;
        measurement.method = fused ? "fused" : "two-stage";
        measurement.bytes = fused_or_not(fused, request.keep_intermediate).bytes(m, n, sizeof(T));
        if (fused && !request.keep_intermediate) {
          measure(exec, request.repeat, measurement,
                  Stage{"fused", [&] { atax(exec, A, v, C, options); }});
        } else {
          auto const B = make_vector<Exec, T>(request, "B", m);
          if (fused) {
            measure(exec, request.repeat, measurement,
                    Stage{"fused", [&] { atax(exec, A, v, B, C, options); }});
          } else {
            tessera::Options<Exec> const stage{
                .workspace = &workspace, .tuning = request.tuning, .kernels = request.kernels};
            measure(
                exec, request.repeat, measurement,
                Stage{"multiply", [&] { multiply(exec, A, v, B, stage); }},
                Stage{"multiply_transposed", [&] { multiply_transposed(exec, A, B, C, stage); }});
          }
          if (request.keep_intermediate)
            measurement.intermediate = take_result<Exec, T>(B, measurement);
        }
        measurement.result = take_result<Exec, T>(C, measurement);
      });
  return measurement;
}

Forecast forecast_atax(Shape const& shape, BackendChoice backend) {
  Forecast forecast;
  with_types(shape, backend, [&]<class Exec, class T, class Layout>() {
    auto const [m, n] = std::pair(shape.rows, shape.cols);
    auto const plan =
        plan_atax<T, Layout>(Exec(), m, n, {.method = shape.method, .kernels = shape.kernels});
    bool const fused = plan.method == Method::fused;
    forecast = forecast_of<T>(shape, fused_or_not(fused, shape.keep_intermediate), n,
                              shape.keep_intermediate ? m + n : n,
                              plan.workspace_bytes + bytes_of<T>(fused ? 0 : m));
  });
  return forecast;
}

Measurement stream_atax(StreamRequest const& request) {
  return run_streamed(request, OperationId::atax, request.keep_intermediate, true,
                      [&](auto const& exec, auto const& source, auto const& v, auto const& out,
                          auto const& options) {
                        if (request.keep_intermediate) {
                          return stream::atax(exec, source, v, out.rows, out.cols, options);
                        }
                        return stream::atax(exec, source, v, out.cols, options);
                      });
}

}  // namespace tessera::app
