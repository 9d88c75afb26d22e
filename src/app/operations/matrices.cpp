// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/run/run_typed.hpp>
#include <tessera/gemm.hpp>
#include <tessera/transpose.hpp>

namespace tessera::app {

std::uint64_t workspace_of_gemm(std::int64_t rows, std::int64_t cols, std::int64_t depth,
                                io::ScalarType type) {
  auto const chains = summation::chains(rows, cols, depth);
  if (chains.count == 1) return 0;
  return static_cast<std::uint64_t>(chains.count * rows * cols) * io::size_of(type);
}

Measurement run_gemm(MatrixRequest const& request) {
  Measurement measurement;
  measurement.method = "one-stage";
  auto const run = [&]<class Exec, class T, class LayoutA, class OfB, class LayoutB>(
                       Exec const& exec, io::MatrixView<T, LayoutA> const& host_a,
                       io::MatrixView<OfB, LayoutB> const& host_b) {
    if constexpr (std::is_same_v<T, OfB>) {
      auto const A = bring(exec, host_a, request.input, measurement);
      auto const B = bring(exec, host_b, request.input, measurement);
      auto const C = make_matrix<Exec, T, LayoutA>(request.input, A.extent(0), B.extent(1));
      auto const [m, n, k] =
          std::tuple(static_cast<std::int64_t>(A.extent(0)), static_cast<std::int64_t>(B.extent(1)),
                     static_cast<std::int64_t>(A.extent(1)));
      require_memory_of<Exec>(workspace_of_gemm(m, n, k, io::scalar_type<T>), request.input,
                              "the workspace");
      Workspace<Exec> workspace;
      tessera::GemmOptions<Exec> const options{
          .workspace = &workspace, .tuning = request.launch.gemm, .kernels = request.kernels};
      measurement.kernels = kernels_used<Exec>(request.kernels);
      measure(exec, request.repeat, measurement,
              Stage{"gemm", [&] { gemm(exec, A, B, C, options); }});
      take_product_facts(A, B, measurement);
      measurement.matrix = take_matrix<T, LayoutA>(C, request.input, measurement);
    }
  };
  std::visit(run, space_for(request, measurement), request.A, *request.B);
  return measurement;
}

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
      bool const is_back = request.repeat % 2 == 1;  // even with the warm-up
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
