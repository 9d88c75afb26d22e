// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstddef>
#include <cstdio>

#include <Kokkos_Core.hpp>

#include <tessera/tessera.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, Exec::memory_space>;

// Conjugate gradients on AᵀA·x = Aᵀ·b. The host never waits for a number during an iteration.
struct Step {
  Exec exec;
  Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space> A;
  Vector x, direction, product, normal, gradient;  // x, p, A·p, Aᵀ·A·p, Aᵀ·(b - A·x)
  Vector length, minus_length, ratio;              // α, -α, β
  Vector square, curvature;                        // ‖Aᵀ·(b - A·x)‖²; ‖A·p‖², then the next square
  tessera::Workspace<Exec> workspace;

  Step(std::size_t rows, std::size_t cols)
      : exec(Kokkos::Experimental::partition_space(Exec(), 1)[0]),
        A("A", rows, cols),
        x("x", cols),
        direction("direction", cols),
        product("product", rows),
        normal("normal", cols),
        gradient("gradient", cols),
        length("length", 1),
        minus_length("minus_length", 1),
        ratio("ratio", 1),
        square("square", 1),
        curvature("curvature", 1) {}

  // α = ‖gradient‖²/‖A·p‖²
  struct Lengths {
    double const* square;
    double const* curvature;
    double* length;
    double* minus_length;
    KOKKOS_FUNCTION void operator()(int /*i*/) const {
      *length = *curvature > 0 ? *square / *curvature : 0;
      *minus_length = -*length;
    }
  };
  // β = ‖new gradient‖²/‖gradient‖²
  struct Ratio {
    double const* next;
    double* square;
    double* ratio;
    KOKKOS_FUNCTION void operator()(int /*i*/) const {
      *ratio = *square > 0 ? *next / *square : 0;
      *square = *next;
    }
  };

  void enqueue() {
    Kokkos::RangePolicy<Exec> const once(exec, 0, 1);
    tessera::atax(exec, A, direction, product, normal, {.workspace = &workspace});
    tessera::sum_of_squares(exec, product, curvature, {.workspace = &workspace});
    Kokkos::parallel_for(
        "lengths", once,
        Lengths{square.data(), curvature.data(), length.data(), minus_length.data()});
    tessera::axpby(exec, length, direction, 1, x);
    tessera::axpby(exec, minus_length, normal, 1, gradient);
    tessera::sum_of_squares(exec, gradient, curvature, {.workspace = &workspace});
    Kokkos::parallel_for("ratio", once, Ratio{curvature.data(), square.data(), ratio.data()});
    tessera::axpby(exec, 1, gradient, ratio, direction);
  }
};

// Runs a step many times. On CUDA it runs once directly, then as a captured graph.
void repeat(Step& step, int times) {
#if defined(KOKKOS_ENABLE_CUDA)
  cudaStream_t const stream = step.exec.cuda_stream();
  step.enqueue();  // loads the kernels and allocates the workspace
  cudaGraph_t graph{};
  cudaGraphExec_t captured{};
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  step.enqueue();
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&captured, graph, 0);
  for (int i = 1; i < times; ++i) cudaGraphLaunch(captured, stream);
  cudaStreamSynchronize(stream);
  cudaGraphExecDestroy(captured);
  cudaGraphDestroy(graph);
  if (cudaGetLastError() != cudaSuccess) Kokkos::abort("the graph failed");
#else
  for (int i = 0; i < times; ++i) step.enqueue();
#endif
}

int main() {
  Kokkos::ScopeGuard const kokkos;
  constexpr int rows = 5000;
  constexpr int cols = 60;
  Step step(rows, cols);

  // b = A·1, so the solution is x = 1.
  auto const A = Kokkos::create_mirror_view(step.A);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) A(i, j) = std::sin(1.0 + i * 7.0 + j * 13.0 + i * j * 0.37);
  }
  Kokkos::deep_copy(step.A, A);
  Vector const ones("ones", cols), b("b", rows);
  Kokkos::deep_copy(ones, 1.0);
  tessera::multiply(step.exec, step.A, ones, b);
  tessera::multiply_transposed(step.exec, step.A, b, step.gradient);
  tessera::sum_of_squares(step.exec, step.gradient, step.square);
  Kokkos::deep_copy(step.exec, step.direction, step.gradient);
  double const first = tessera::sum_of_squares(step.exec, step.gradient);

  repeat(step, 20);

  double const last = tessera::sum_of_squares(step.exec, step.gradient);
  tessera::axpby(step.exec, -1, ones, 1, step.x);
  double const error = std::sqrt(tessera::sum_of_squares(step.exec, step.x));
  std::printf("the gradient has become %.1e times as long, x is off by %.1e\n",
              std::sqrt(last / first), error);
  return error < 1e-6 ? 0 : 1;
}
