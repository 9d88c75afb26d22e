// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <Kokkos_Core.hpp>

#include <app/base/failure.hpp>
#include <app/base/ranks.hpp>
#include <app/run/input.hpp>
#include <app/run/run_typed.hpp>
#include <app/run/stored.hpp>
#include <app/run/stored_typed.hpp>
#include <app/solve/solve.hpp>
#include <app/stream/stream_typed.hpp>
#include <io/matrix_file.hpp>
#include <tessera/solve/in_memory.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/regression_classes.hpp>
#include <tessera/solve/regression_rows.hpp>

namespace tessera::app {

namespace {

/// Replaces the matrix of floats by the stored one, and rows that are widened at a time.
void take_stored(Forecast& forecast, io::MatrixInfo const& info, std::int64_t rows) {
  auto const cols = static_cast<std::int64_t>(info.cols);
  std::size_t const group = solve::detail::group_bytes(Kokkos::DefaultHostExecutionSpace());
  stream::detail::Extents const extents{rows, std::max<std::int64_t>(1, cols)};
  auto const groups = solve::detail::groups_of_rows<float>(extents, group);
  forecast.inputs -= bytes_of_widening(info, rows);
  forecast.scratch += bytes_of<float>(groups.size() * cols);
}

}  // namespace

SolvePlace choose_place(SolveOptions const& options, io::MatrixReader const& reader,
                        std::uint64_t vectors, std::int64_t steps) {
  io::MatrixInfo const& info = reader.info();
  Shape const shape{.rows = rows_of_rank(info),
                    .cols = static_cast<std::int64_t>(info.cols),
                    .type = options.type.value_or(info.type),
                    .layout = info.layout,
                    .kernels = options.kernels};
  auto const holds_stored = [=, &reader](BackendChoice backend) {
    return may_hold_stored(reader, shape.type, backend);
  };
  Job const job{.forecast =
                    [=, &info](BackendChoice backend) {
                      Forecast forecast = row_of(OperationId::atax).forecast(shape, backend);
                      if (holds_stored(backend)) take_stored(forecast, info, shape.rows);
                      forecast.results += vectors;
                      return forecast;
                    },
                .runs = static_cast<int>(std::clamp<std::int64_t>(steps, 1, 1'000'000)),
                .input = reader.path(),
                .what = "the job (matrix, vectors and workspace)",
                .reading = io::reading_bytes(info, shape.type)};
  ComputeOptions product;
  product.backend = options.backend;
  product.memory_limit = options.memory_limit;
  auto stream = choose_stream(product, job);
  if (stream && info.in_order_only) {
    throw io::FileError(
        io::ErrorKind::bad_input, reader.path(),
        "is read in each iteration, and does not fit into memory: expected a regular "
        "file, found " +
            std::string(info.obstacle()) + "; " + stream->why);
  }
  if (stream) {
    return {.backend = stream->backend,
            .why = "",
            .stream = std::move(stream),
            .holds_stored = false,
            .kernels = options.kernels};
  }
  auto [backend, why] = choose_backend(options.backend, job);
  bool const is_stored = holds_stored(backend.choice);
  return {.backend = std::move(backend),
          .why = std::move(why),
          .stream = std::nullopt,
          .holds_stored = is_stored,
          .kernels = options.kernels};
}

Reading with_operator(SolveRequest const& r, std::function<void(AnyOperator const&)> const& work) {
  if (ranks().are_many()) return with_operator_on_ranks(r, work);
  auto const& info = r.reader.info();
  Shape const shape = shape_of(info, r.type);
  Reading reading{.is_narrowed = info.type == io::ScalarType::f64 && r.type == io::ScalarType::f32};
  std::optional<MatrixInput> input;
  if (r.place.holds_stored) {
    StoredInput const stored = read_stored_input(r.reader);
    reading.seconds = stored.read_seconds;
    with_stored(space_of(r.place.backend.choice), stored.A, info.stored,
                [&](auto const& exec, auto const& A, bool /*by_rows*/) {
                  solve::detail::OperatorInMemory const op(
                      exec, A,
                      AtaxOptions<std::decay_t<decltype(exec)>, float>{.kernels = r.place.kernels});
                  work(&op);
                });
    return reading;
  }
  if (!r.place.stream) {
    input = read_matrix_input(r.reader, r.type);
    reading.seconds = input->read_seconds;
  }
  with_types(shape, r.place.backend.choice, [&]<class Exec, class T, class Layout>() {
    if (r.place.stream) {
      using Operator = solve::StreamOperator<Exec, FileSource<T, Layout>>;
      with_stream<T, Layout>(
          r.reader, r.place.stream->memory_limit, r.vectors, r.place.kernels,
          [&](auto const& source) {
            solve::SolverCalls calls{.block = r.block, .gram_width = r.gram_width};
            calls.column_statistics = r.column_statistics;
            if (r.by_newton) {
              auto const cols = static_cast<std::int64_t>(info.cols);
              calls.sums = solve::detail::newton_sums(cols);
              if (r.predictors > 1) {
                calls.sums.push_back(solve::detail::class_sums(cols, r.predictors));
              }
            }
            return Operator(Exec(), source, {.kernels = r.place.kernels}).bytes_needed(calls);
          },
          [&](auto const& source, stream::Options<T> const& options) {
            Operator const op(Exec(), source, options);
            work(&op);
          });
      return;
    }
    Exec const exec;
    Measurement copying;
    auto const A = bring<Exec, T, Layout>(exec, std::get<io::MatrixView<T, Layout>>(input->A),
                                          r.reader.path(), copying);
    for (auto const& stage : copying.stages) reading.seconds += stage.seconds;
    solve::MatrixOperator<Exec, DeviceMatrix<Exec, T, Layout>> const op(
        exec, A, {.kernels = r.place.kernels});
    work(&op);
  });
  return reading;
}

}  // namespace tessera::app
