// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/run/run_typed.hpp>
#include <tessera/gemm.hpp>

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

}  // namespace tessera::app
