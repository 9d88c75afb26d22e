// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/run/run_typed.hpp>
#include <tessera/transpose.hpp>

namespace tessera::app {

Measurement run_transpose(MatrixRequest const& request) {
  Measurement measurement;
  measurement.method = request.in_place ? "in-place" : "one-stage";
  auto const run = [&]<class Exec, class T, class Layout>(Exec const& exec,
                                                          io::MatrixView<T, Layout> const& host) {
    auto const A = bring(exec, host, request.input, measurement);
    auto const At = make_matrix<Exec, T, Layout>(request.input, A.extent(1), A.extent(0));
    tessera::TransposeOptions const options{.tuning = request.launch.transpose,
                                            .kernels = request.kernels};
    measurement.kernels = kernels_used<Exec>(request.kernels);
    if (request.in_place) {
      TransposeInPlaceOptions const in_place{.kernels = request.kernels};
      Kokkos::deep_copy(exec, At, A);
      measure(exec, request.repeat, measurement,
              Stage{"transpose_in_place", [&] { transpose_in_place(exec, At, in_place); }});
      bool const is_back = request.repeat % 2 == 1;  // with the warm-up, an even number of times
      if (is_back) transpose_in_place(exec, At, in_place);
      exec.fence("tessera::app::transpose");
    } else {
      measure(exec, request.repeat, measurement,
              Stage{"transpose", [&] { transpose(exec, A, At, options); }});
    }
    measurement.bytes = 2 * bytes_of<T>(static_cast<std::int64_t>(A.size()));
    measurement.matrix = take_matrix<T, Layout>(At, request.input, measurement);
  };
  std::visit(run, space_for(request, measurement), request.A);
  return measurement;
}

}  // namespace tessera::app
