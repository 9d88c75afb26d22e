// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Times every contender of the table on the same matrices; `usage` below says how to call it.
//
// A turn is a number of calls one after the other, timed together: on a GPU between two events, so
// that launches count as far as they are not hidden. Contenders take turns in random order, and the
// ratio of their medians holds on a machine whose speed drifts.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>

#include <tessera/version.hpp>

#include "contenders.hpp"
#include "kernel_count.hpp"
#include "machine.hpp"
#include "report.hpp"
#include "shapes.hpp"

namespace {

using benchmarks::Contender;
using benchmarks::Elapsed;
using benchmarks::Exec;
using benchmarks::Problem;
using benchmarks::Shape;
using benchmarks::Work;

constexpr char usage[] =
    "usage: tessera_benchmark SHAPES [TYPES] [options] [--benchmark_... options]\n"
    "  SHAPES       ROWSxCOLS, or ROWSxCOLS+PADDING with unused elements after each line; several\n"
    "               with commas between them; `quick` and `grid` stand for lists of shapes for "
    "GPUs\n"
    "  TYPES        float, double, or float,double (default: float)\n"
    "  --json=FILE  write JSON too; - is the standard output\n"
    "  --seconds=S  time of one turn, about (default: 0.01)\n"
    "  --limit=S    begin no further matrix after so many seconds (default: no limit)\n"
    "Contenders take 7 turns each in random order unless --benchmark_repetitions and\n"
    "--benchmark_enable_random_interleaving say otherwise.\n";

struct Arguments {
  std::vector<Shape> shapes;
  std::vector<std::string> types = {"float"};
  std::string json;
  double seconds = 0.01;
  double limit = INFINITY;
};

double parse_seconds(std::string_view text) {
  double seconds = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size() || !(seconds > 0)) {
    throw std::invalid_argument("a time is a number of seconds above 0");
  }
  return seconds;
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  int positional = 0;
  for (std::string_view const argument : std::vector<std::string_view>(argv + 1, argv + argc)) {
    auto const value = argument.substr(std::min(argument.find('=') + 1, argument.size()));
    if (argument.starts_with("--json=")) {
      arguments.json = value;
    } else if (argument.starts_with("--seconds=")) {
      arguments.seconds = parse_seconds(value);
    } else if (argument.starts_with("--limit=")) {
      arguments.limit = parse_seconds(value);
    } else if (argument.starts_with("-") || ++positional > 2) {
      throw std::invalid_argument("not known: " + std::string(argument));
    } else if (positional == 1) {
      arguments.shapes = benchmarks::parse_shapes(argument);
    } else {
      arguments.types = benchmarks::split_at_commas(argument);
    }
  }
  if (arguments.shapes.empty()) throw std::invalid_argument("SHAPES is missing");
  for (std::string const& type : arguments.types) {
    if (type != "float" && type != "double") {
      throw std::invalid_argument("a type is float or double, not " + type);
    }
  }
  return arguments;
}

/// A row of the table on one matrix, between its turns.
template <class T>
class Row {
 public:
  Row(std::shared_ptr<Problem<T> const> problem, Contender<T> contender, double seconds)
      : problem_(std::move(problem)), contender_(std::move(contender)), seconds_(seconds) {}

  /// One turn.
  void run(::benchmark::State& state) {
    try {
      if (error_.empty() && !work_) prepare();
      if (error_.empty()) return measure(state);
    } catch (std::exception const& error) {
      error_ = error.what();
    }
    state.SkipWithError(error_.c_str());
  }

 private:
  /// Makes the work, and settles on the number of calls that fill a turn.
  void prepare() {
    work_ = contender_.prepare(*problem_);
    kernels_ = benchmarks::count_kernels([this] { work_(next_++); });  // workspaces grow here
    problem_->exec.fence("benchmark: warm-up");
    double seconds_of_call = time_calls(1).seconds;
    if (seconds_of_call < seconds_ / 10) seconds_of_call = time_calls(10).seconds / 10;
    double const calls = std::min(std::ceil(seconds_ / std::max(seconds_of_call, 1e-9)),
                                  double(benchmarks::most_calls_under_way()));
    calls_ = std::max(1, static_cast<int>(calls));
  }

  void measure(::benchmark::State& state) {
    if (calls_ > 1) time_calls(1);  // who had the turn before leaves nothing behind
    for (auto _ : state) {
      Elapsed const elapsed = time_calls(calls_);
      state.SetIterationTime(elapsed.seconds / calls_);
      if (elapsed.host_seconds) {
        state.counters["host_seconds"] = *elapsed.host_seconds / calls_;
      }
    }
    state.counters["effective_GB_per_s"] = ::benchmark::Counter(
        problem_->matrix_bytes() / 1e9, ::benchmark::Counter::kIsIterationInvariantRate);
    state.counters["matrix_reads"] = contender_.matrix_reads;
    state.counters["kernels"] = kernels_;
    state.counters["calls"] = calls_;
    state.counters["copies"] = problem_->copies;
  }

  Elapsed time_calls(int calls) {
    return benchmarks::time(problem_->exec, [&] {
      for (int k = 0; k < calls; ++k) {
        work_(next_);
        next_ = (next_ + 1) % problem_->copies;
      }
    });
  }

  std::shared_ptr<Problem<T> const> problem_;
  Contender<T> contender_;
  double seconds_;
  Work work_;
  std::string error_;
  int kernels_ = 0;
  int calls_ = 1;
  int next_ = 0;
};

/// The problem of a shape, or nothing and the reason why it cannot be had.
template <class T>
std::pair<std::shared_ptr<Problem<T> const>, std::string> make_problem(Shape const& shape) {
  std::size_t const bytes = Problem<T>::stored_elements(shape) * sizeof(T);
  std::size_t const rotated = benchmarks::bytes_to_rotate();
  // A matrix that is much larger than the caches has left them when it is read again.
  std::size_t const copies =
      rotated == 0 || bytes >= 16 * rotated ? 1 : 1 + (rotated + bytes - 1) / bytes;
  std::size_t const vectors = static_cast<std::size_t>(shape.rows + 2 * shape.cols) * sizeof(T);
  std::size_t const needed = copies * bytes + vectors;
  std::size_t const free = benchmarks::free_bytes();
  if (needed > free) {
    return {nullptr, "needs " + std::to_string(needed >> 20) + " MiB of memory, " +
                         std::to_string(free >> 20) + " MiB are free"};
  }
  try {
    return {std::make_shared<Problem<T> const>(shape, static_cast<int>(copies)), ""};
  } catch (std::exception const& error) {
    return {nullptr, error.what()};
  }
}

template <class T>
void register_contenders(Shape const& shape, std::string const& type, double seconds) {
  auto const [problem, missing] = make_problem<T>(shape);
  for (Contender<T> const& contender : benchmarks::contenders<T>()) {
    std::string const name =
        contender.operation + "/" + contender.name + "/" + type + "/" + name_of(shape);
    auto const row = problem ? std::make_shared<Row<T>>(problem, contender, seconds) : nullptr;
    ::benchmark::RegisterBenchmark(name.c_str(),
                                   [row, reason = missing](::benchmark::State& state) {
                                     if (row) {
                                       row->run(state);
                                     } else {
                                       state.SkipWithError(reason.c_str());
                                     }
                                   })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(::benchmark::kMicrosecond);
  }
}

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

std::string names_of_peers() {
  std::string names;
  for (std::string const& name : benchmarks::peers()) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

void add_context() {
  ::benchmark::AddCustomContext("tessera", std::string(tessera::version));
  ::benchmark::AddCustomContext("commit", std::string(tessera::git_commit));
  ::benchmark::AddCustomContext("kokkos", kokkos_version());
  ::benchmark::AddCustomContext("compiler", TESSERA_COMPILER);
  ::benchmark::AddCustomContext("peers", names_of_peers());
  ::benchmark::AddCustomContext("execution_space", Exec::name());
  ::benchmark::AddCustomContext("concurrency", std::to_string(Exec().concurrency()));
  for (auto const& [name, value] : benchmarks::facts()) ::benchmark::AddCustomContext(name, value);
}

void run(Arguments const& arguments) {
  using Clock = std::chrono::steady_clock;
  auto const begin = Clock::now();
  benchmarks::Report report(arguments.json);
  add_context();
  for (Shape const& shape : arguments.shapes) {
    for (std::string const& type : arguments.types) {
      std::chrono::duration<double> const elapsed = Clock::now() - begin;
      if (elapsed.count() > arguments.limit) {
        std::fprintf(stderr, "!!! LEFT OUT, the time limit is reached: %s %s\n",
                     name_of(shape).c_str(), type.c_str());
        continue;
      }
      if (type == "float") {
        register_contenders<float>(shape, type, arguments.seconds);
      } else {
        register_contenders<double>(shape, type, arguments.seconds);
      }
      ::benchmark::RunSpecifiedBenchmarks(&report);
      ::benchmark::ClearRegisteredBenchmarks();  // releases the matrix
    }
  }
  report.close();
}

}  // namespace

int main(int argc, char** argv) {
  // Google Benchmark's options, after defaults that they may override.
  std::string repetitions = "--benchmark_repetitions=7";
  std::string interleaving = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> options = {argv[0], repetitions.data(), interleaving.data()};
  options.insert(options.end(), argv + 1, argv + argc);
  int count = static_cast<int>(options.size());
  options.push_back(nullptr);
  ::benchmark::Initialize(&count, options.data());

  Arguments arguments;
  try {
    arguments = parse(count, options.data());
  } catch (std::invalid_argument const& error) {
    std::fprintf(stderr, "tessera_benchmark: %s\n%s", error.what(), usage);
    return 2;
  }
  try {
    Kokkos::ScopeGuard const guard(Kokkos::InitializationSettings().set_disable_warnings(true));
    run(arguments);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "tessera_benchmark: %s\n", error.what());
    return 4;
  }
  return 0;
}
