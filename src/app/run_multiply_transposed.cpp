// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/run_typed.hpp>
#include <tessera/multiply_transposed.hpp>

namespace tessera::app {

Measurement run_multiply_transposed(RunRequest const& request) {
  Measurement measurement;
  measurement.method = "one-stage";
  run_typed(request, [&]<class Exec, class Matrix, class Vector>(Exec const& exec, Matrix const& A,
                                                                 Vector const& B) {
    using Layout = typename Matrix::array_layout;
    using T = typename Matrix::non_const_value_type;
    auto const m = static_cast<std::int64_t>(A.extent(0)),
               n = static_cast<std::int64_t>(A.extent(1));
    auto const C = make_vector<Exec, T>(request, "C", n);
    Workspace<Exec> workspace;
    Options<Exec> const options{.workspace = &workspace};
    take_plan(plan_multiply_transposed<T, Layout>(exec, m, n, options), request, measurement);

    measure(exec, request.repeat, measurement,
            Stage{"multiply_transposed", [&] { multiply_transposed(exec, A, B, C, options); }});
    measurement.bytes =
        Traffic{.matrix = 1, .cols_vectors = 1, .rows_vectors = 1}.bytes(m, n, sizeof(T));
    measurement.result = to_host<T>(C);
  });
  return measurement;
}

}  // namespace tessera::app
