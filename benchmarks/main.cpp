// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// All contenders of src/bench on the same matrices; see `usage`. Google Benchmark interleaves the
// turns and writes JSON.

#include <algorithm>
#include <bench/check.hpp>
#include <bench/contender.hpp>
#include <bench/machine.hpp>
#include <bench/operation.hpp>
#include <bench/runner.hpp>
#include <bench/shapes.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>

#include <tessera/backends/threads.hpp>

#include "report.hpp"

namespace {

using tessera::bench::Contender;
using tessera::bench::Kind;
using tessera::bench::Layout;
using tessera::bench::Problem;
using tessera::bench::Shape;
using tessera::bench::ShapeKind;
using tessera::bench::Turn;

using Exec = Kokkos::DefaultExecutionSpace;

constexpr char usage[] =
    "usage: tessera_benchmark SHAPES [TYPES] [options] [--benchmark_... options]\n"
    "  SHAPES       ROWSxCOLS, or ROWSxCOLS+PADDING with unused elements after each line; several\n"
    "               with commas between them; `quick` and `grid` stand for lists of shapes for "
    "GPUs\n"
    "  TYPES        f32, f64, or f32,f64 (default: f32)\n"
    "  --json=FILE  write JSON too; - is the standard output\n"
    "  --products=LIST\n"
    "               products of matrices too: MxNxK or N, `quick` or `grid`; SHAPES may then be -\n"
    "  --variants   published kernels too, each as published\n"
    "  --seconds=S  time of one turn, about (default: 0.01)\n"
    "  --limit=S    begin no further matrix after so many seconds (default: no limit)\n"
    "Contenders take 7 turns each in random order unless --benchmark_repetitions and\n"
    "--benchmark_enable_random_interleaving say otherwise. Before, each is compared with our own\n"
    "operation; one whose result is wrong is not timed, and the exit status is 1.\n";

struct Arguments {
  std::vector<Shape> shapes;
  std::vector<Shape> products;
  std::vector<std::string> types = {"f32"};
  std::string json;
  double seconds = 0.01;
  double limit = INFINITY;
  bool variants = false;
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
    } else if (argument.starts_with("--products=")) {
      arguments.products = tessera::bench::parse_shapes(value, ShapeKind::product);
    } else if (argument == "--variants") {
      arguments.variants = true;
    } else if (argument.starts_with("--limit=")) {
      arguments.limit = parse_seconds(value);
    } else if ((argument.starts_with("-") && argument != "-") || ++positional > 2) {
      throw std::invalid_argument("not known: " + std::string(argument));
    } else if (positional == 1 && argument == "-") {
      // no matrices
    } else if (positional == 1) {
      arguments.shapes = tessera::bench::parse_shapes(argument);
    } else {
      arguments.types = tessera::bench::split_at_commas(argument);
    }
  }
  arguments.shapes.insert(arguments.shapes.end(), arguments.products.begin(),
                          arguments.products.end());
  if (arguments.shapes.empty()) throw std::invalid_argument("SHAPES is missing");
  for (std::string const& type : arguments.types) {
    if (type != "f32" && type != "f64") {
      throw std::invalid_argument("a type is f32 or f64, not " + type);
    }
  }
  return arguments;
}

template <class T>
class Row {
 public:
  Row(std::shared_ptr<Problem<Exec, T> const> problem, Contender<Exec, T> contender, double seconds)
      : runner_(std::move(problem), std::move(contender), {}, seconds) {}

  [[nodiscard]] tessera::bench::Runner<Exec, T>& runner() { return runner_; }

  void refuse(std::string why) { error_ = std::move(why); }

  void run(::benchmark::State& state) {
    try {
      if (error_.empty()) return measure(state);
    } catch (std::exception const& error) {
      error_ = error.what();
    }
    state.SkipWithError(error_.c_str());
  }

 private:
  void measure(::benchmark::State& state) {
    Turn const turn = runner_.take_turn();
    for (auto _ : state) state.SetIterationTime(turn.seconds);
    if (turn.host_seconds) state.counters["host_seconds"] = *turn.host_seconds;
    state.counters["effective_GB_per_s"] = ::benchmark::Counter(
        runner_.problem().matrix_bytes() / 1e9, ::benchmark::Counter::kIsIterationInvariantRate);
    state.counters["matrix_reads"] = runner_.contender().matrix_reads;
    state.counters["kernels"] = runner_.kernels();
    state.counters["calls"] = runner_.calls();
    state.counters["copies"] = runner_.problem().copies;
  }

  tessera::bench::Runner<Exec, T> runner_;
  std::string error_;
};

bool is_of_products(std::string_view operation) {
  return std::ranges::any_of(
      tessera::bench::operations(), [&](tessera::bench::Operation const& one) {
        return one.name == operation && one.shapes == tessera::bench::ShapeKind::product;
      });
}

/// Published kernels only on demand; some take very long.
template <class T>
bool is_wanted(Contender<Exec, T> const& contender, Arguments const& arguments,
               Shape const& shape) {
  return (contender.kind != Kind::variant || arguments.variants) &&
         is_of_products(contender.operation) == shape.is_product();
}

template <class T>
using Rows = std::vector<std::shared_ptr<Row<T>>>;

/// @return the number of wrong rows
template <class T>
int refuse_wrong(std::shared_ptr<Problem<Exec, T> const> const& problem, Rows<T> const& rows,
                 std::string const& matrix) {
  std::map<std::pair<std::string, Layout>, Rows<T>> groups;
  for (auto const& row : rows) {
    auto const& contender = row->runner().contender();
    groups[{contender.operation, contender.layout}].push_back(row);
  }
  int wrong = 0;
  for (auto const& [of, group] : groups) {
    if (group.front()->runner().contender().kind == Kind::stream) continue;  // has no result
    std::vector<tessera::bench::Runner<Exec, T>*> runners;
    runners.reserve(group.size());
    for (auto const& row : group) runners.push_back(&row->runner());
    auto const verdicts = tessera::bench::check(problem, of.first, of.second, runners);
    for (std::size_t k = 0; k < group.size(); ++k) {
      if (!verdicts[k].why_not.empty()) group[k]->refuse(verdicts[k].why_not);
      if (!verdicts[k].wrong) continue;
      ++wrong;
      group[k]->refuse(verdicts[k].text);
      std::fprintf(stderr, "!!! NOT TIMED: %s of %s by %s: %s\n", of.first.c_str(), matrix.c_str(),
                   full_name(runners[k]->contender()).c_str(), verdicts[k].text.c_str());
    }
  }
  return wrong;
}

template <class T>
int register_contenders(Arguments const& arguments, Shape const& shape, std::string const& type) {
  auto const [problem, missing] = tessera::bench::make_problem<Exec, T>(shape);
  Rows<T> rows;
  for (Contender<Exec, T> const& contender : tessera::bench::contenders<Exec, T>()) {
    if (!is_wanted(contender, arguments, shape)) continue;
    std::string const name =
        contender.operation + "/" + full_name(contender) + "/" + type + "/" + name_of(shape);
    auto const row =
        problem ? std::make_shared<Row<T>>(problem, contender, arguments.seconds) : nullptr;
    if (row) rows.push_back(row);
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
  return problem ? refuse_wrong(problem, rows, type + " " + name_of(shape)) : 0;
}

void add_context() {
  for (auto const& [name, value] :
       tessera::bench::facts_of(tessera::backends::Backend<Exec>::name)) {
    ::benchmark::AddCustomContext(name, value);
  }
}

int run(Arguments const& arguments) {
  using Clock = std::chrono::steady_clock;
  auto const begin = Clock::now();
  benchmarks::Report report(arguments.json);
  add_context();
  int wrong = 0;
  for (Shape const& shape : arguments.shapes) {
    for (std::string const& type : arguments.types) {
      std::chrono::duration<double> const elapsed = Clock::now() - begin;
      if (elapsed.count() > arguments.limit) {
        std::fprintf(stderr, "!!! LEFT OUT, the time limit is reached: %s %s\n",
                     name_of(shape).c_str(), type.c_str());
        continue;
      }
      wrong += type == "f32" ? register_contenders<float>(arguments, shape, type)
                             : register_contenders<double>(arguments, shape, type);
      ::benchmark::RunSpecifiedBenchmarks(&report);
      ::benchmark::ClearRegisteredBenchmarks();  // releases the matrix
    }
  }
  report.close();
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  // After defaults that they may override.
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
    auto const threads = tessera::backends::survey_host_threads(0);
    if (!threads.why.empty()) {
      std::fprintf(stderr, "tessera_benchmark: %d of %d threads are used, because %s\n",
                   threads.found, threads.wanted, threads.why.c_str());
    }
    Kokkos::ScopeGuard const guard(
        Kokkos::InitializationSettings().set_disable_warnings(true).set_num_threads(threads.found));
    int const wrong = run(arguments);
    if (wrong == 0) return 0;
    std::fprintf(stderr, "tessera_benchmark: %d results are WRONG\n", wrong);
    return 1;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "tessera_benchmark: %s\n", error.what());
    return 4;
  }
}
