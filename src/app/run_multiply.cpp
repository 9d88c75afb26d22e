// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/run_typed.hpp>
#include <tessera/multiply.hpp>

namespace tessera::app {

Measurement run_multiply(RunRequest const& request) {
  Measurement measurement;
  measurement.method = "one-stage";
  run_typed(request, [&]<class Exec, class Matrix, class Vector>(Exec const& exec, Matrix const& A,
                                                                 Vector const& v) {
    using Layout = typename Matrix::array_layout;
    using T = typename Matrix::non_const_value_type;
    auto const m = static_cast<std::int64_t>(A.extent(0)),
               n = static_cast<std::int64_t>(A.extent(1));
    auto const B = make_vector<Exec, T>(request, "B", m);
    Workspace<Exec> workspace;
    Options<Exec> const options{.workspace = &workspace};
    take_plan(plan_multiply<T, Layout>(exec, m, n, options), request, measurement);

    measure(exec, request.repeat, measurement,
            Stage{"multiply", [&] { multiply(exec, A, v, B, options); }});
    measurement.bytes =
        Traffic{.matrix = 1, .cols_vectors = 1, .rows_vectors = 1}.bytes(m, n, sizeof(T));
    measurement.result = to_host<T>(B);
  });
  return measurement;
}

}  // namespace tessera::app
