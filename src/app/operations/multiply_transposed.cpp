// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/run/run_typed.hpp>
#include <app/stream/stream_typed.hpp>
#include <tessera/multiply_transposed.hpp>

namespace tessera::app {

Measurement run_multiply_transposed(RunRequest const& request) {
  Measurement measurement;
  measurement.method = "one-stage";
  run_typed(
      request, measurement,
      [&]<class Exec, class Matrix, class Vector>(Exec const& exec, Matrix const& A,
                                                  Vector const& B) {
        using Layout = typename Matrix::array_layout;
        using T = typename Matrix::non_const_value_type;
        auto const m = static_cast<std::int64_t>(A.extent(0)),
                   n = static_cast<std::int64_t>(A.extent(1));
        auto const C = make_vector<Exec, T>(request, "C", n);
        Workspace<Exec> workspace;
        tessera::Options<Exec> const options{
            .workspace = &workspace, .tuning = request.tuning, .kernels = request.kernels};
        take_plan<Exec>(plan_multiply_transposed<T, Layout>(exec, m, n, options), request,
                        measurement);

        measure(exec, request.repeat, measurement,
                Stage{"multiply_transposed", [&] { multiply_transposed(exec, A, B, C, options); }});
        measurement.bytes = one_product.bytes(m, n, sizeof(T));
        measurement.result = take_result<Exec, T>(C, measurement);
      });
  return measurement;
}

Forecast forecast_multiply_transposed(Shape const& shape, BackendChoice backend) {
  Forecast forecast;
  with_types(shape, backend, [&]<class Exec, class T, class Layout>() {
    auto const plan = plan_multiply_transposed<T, Layout>(Exec(), shape.rows, shape.cols,
                                                          {.kernels = shape.kernels});
    forecast = forecast_of<T>(shape, one_product, shape.rows, shape.cols, plan.workspace_bytes);
  });
  return forecast;
}

Measurement stream_multiply_transposed(StreamRequest const& request) {
  return run_streamed(
      request, OperationId::multiply_transposed, false, true,
      [](auto const& exec, auto const& source, auto const& b, auto const& out, auto const& options,
         auto const&) { return stream::multiply_transposed(exec, source, b, out.cols, options); });
}

}  // namespace tessera::app
