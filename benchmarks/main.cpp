// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// tessera_benchmark ROWSxCOLS [float|double] [Google Benchmark's options]
//
// Times every contender of the table on one matrix. Use
//   --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
// so that contenders take turns and their ratio holds on a machine whose speed drifts;
// benchmarks/host.py does so for a list of shapes.

#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>

#include <tessera/version.hpp>

#include "contenders.hpp"

namespace {

using benchmarks::Exec;
using benchmarks::Problem;
using benchmarks::Shape;

std::optional<Shape> parse_shape(std::string_view text) {
  Shape shape{};
  char const* const end = text.data() + text.size();
  auto const rows = std::from_chars(text.data(), end, shape.rows);
  if (rows.ec != std::errc{} || rows.ptr == end || *rows.ptr != 'x') return std::nullopt;
  auto const cols = std::from_chars(rows.ptr + 1, end, shape.cols);
  if (cols.ec != std::errc{} || cols.ptr != end) return std::nullopt;
  if (shape.rows < 1 || shape.cols < 1) return std::nullopt;
  return shape;
}

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

template <class T>
Problem<T> make_problem(Shape const& shape) {
  auto const rows = static_cast<std::size_t>(shape.rows);
  auto const columns = static_cast<std::size_t>(shape.cols);
  Problem<T> p;
  p.A = decltype(p.A)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "A"), rows, columns);
  p.v = decltype(p.v)("v", columns);
  p.B = decltype(p.B)("B", rows);
  p.C = decltype(p.C)("C", columns);
  auto const A = p.A;
  auto const v = p.v;
  auto const cols = shape.cols;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "benchmark::fill", Policy(0, shape.rows), KOKKOS_LAMBDA(std::int64_t const i) {
        for (std::int64_t j = 0; j < cols; ++j) {
          auto x = static_cast<std::uint32_t>(i * cols + j) * 2654435761U;
          x ^= x >> 15;
          x *= 2246822519U;
          A(i, j) = static_cast<T>(static_cast<int>(x >> 16) - 32768) / T(32768);
          if (i == 0) v(j) = T(1) / static_cast<T>(1 + j % 7);
        }
      });
  Kokkos::deep_copy(p.B, T(1));
  Kokkos::fence();
  return p;
}

template <class T>
void register_contenders(Shape const& shape, std::string const& type) {
  Problem<T> const problem = make_problem<T>(shape);
  for (auto const& contender : benchmarks::contenders<T>()) {
    std::string const name = contender.operation + "/" + contender.name + "/" + type + "/" +
                             std::to_string(shape.rows) + "x" + std::to_string(shape.cols);
    ::benchmark::RegisterBenchmark(
        name.c_str(),
        [problem, contender](::benchmark::State& state) {
          auto const work = contender.prepare(problem);
          work();  // warm-up: workspaces, threads, caches
          Exec().fence();
          for (auto _ : state) {
            work();
            Exec().fence();
          }
          double const bytes = static_cast<double>(problem.A.size() * sizeof(T));
          state.counters["effective_GB_per_s"] =
              ::benchmark::Counter(bytes / 1e9, ::benchmark::Counter::kIsIterationInvariantRate);
          state.counters["matrix_reads"] = contender.matrix_reads;
        })
        ->UseRealTime()
        ->Unit(::benchmark::kMicrosecond);
  }
}

}  // namespace

int main(int argc, char** argv) {
  ::benchmark::Initialize(&argc, argv);
  auto const shape = argc > 1 ? parse_shape(argv[1]) : std::nullopt;
  std::string const type = argc > 2 ? argv[2] : "float";
  if (!shape || argc > 3 || (type != "float" && type != "double")) {
    std::fprintf(stderr, "usage: %s ROWSxCOLS [float|double] [--benchmark_… options]\n", argv[0]);
    return 2;
  }
  Kokkos::ScopeGuard const guard(Kokkos::InitializationSettings().set_disable_warnings(true));
  ::benchmark::AddCustomContext("tessera", std::string(tessera::version));
  ::benchmark::AddCustomContext("commit", std::string(tessera::git_commit));
  ::benchmark::AddCustomContext("kokkos", kokkos_version());
  ::benchmark::AddCustomContext("compiler", TESSERA_COMPILER);
  ::benchmark::AddCustomContext("host_blas", benchmarks::host_blas());
  ::benchmark::AddCustomContext("execution_space", Exec::name());
  ::benchmark::AddCustomContext("concurrency", std::to_string(Exec().concurrency()));
  if (type == "float") {
    register_contenders<float>(*shape, type);
  } else {
    register_contenders<double>(*shape, type);
  }
  ::benchmark::RunSpecifiedBenchmarks();
  ::benchmark::ClearRegisteredBenchmarks();
  return 0;
}
