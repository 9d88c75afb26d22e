// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <utility>

#include <app/base/failure.hpp>
#include <app/base/ranks.hpp>
#include <app/run/input.hpp>
#include <app/run/run_typed.hpp>
#include <app/solve/solve.hpp>
#include <app/stream/stream_typed.hpp>
#include <io/matrix_file.hpp>

namespace tessera::app {

SolvePlace choose_place(SolveOptions const& options, io::MatrixReader const& reader,
                        std::uint64_t vectors, std::int64_t steps) {
  io::MatrixInfo const& info = reader.info();
  Shape const shape{.rows = rows_of_rank(info),
                    .cols = static_cast<std::int64_t>(info.cols),
                    .type = options.type.value_or(info.type),
                    .layout = info.layout,
                    .kernels = options.kernels};
  Job const job{.forecast =
                    [=](BackendChoice backend) {
                      Forecast forecast = row_of(OperationId::atax).forecast(shape, backend);
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
  if (stream) return {.backend = stream->backend, .why = "", .stream = std::move(stream)};
  auto [backend, why] = choose_backend(options.backend, job);
  return {.backend = std::move(backend), .why = std::move(why), .stream = std::nullopt};
}

Reading with_operator(SolveRequest const& r, std::function<void(AnyOperator const&)> const& work) {
  if (ranks().are_many()) return with_operator_on_ranks(r, work);
  auto const& info = r.reader.info();
  Shape const shape = shape_of(info, r.type);
  Reading reading{.is_narrowed = info.type == io::ScalarType::f64 && r.type == io::ScalarType::f32};
  std::optional<MatrixInput> input;
  if (!r.place.stream) {
    input = read_matrix_input(r.reader, r.type);
    reading.seconds = input->read_seconds;
  }
  with_types(shape, r.place.backend.choice, [&]<class Exec, class T, class Layout>() {
    if (r.place.stream) {
      using Operator = solve::StreamOperator<Exec, FileSource<T, Layout>>;
      with_stream<T, Layout>(
          r.reader, r.place.stream->memory_limit, r.vectors, r.kernels,
          [&](auto const& source) {
            solve::SolverCalls calls{.block = r.block, .gram_width = r.gram_width};
            if (r.by_newton) {
              auto const cols = static_cast<std::int64_t>(info.cols);
              calls.sums = solve::detail::newton_sums(cols);
              if (r.predictors > 1) {
                calls.sums.push_back(solve::detail::class_sums(cols, r.predictors));
              }
            }
            return Operator(Exec(), source, {.kernels = r.kernels}).bytes_needed(calls);
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
    solve::MatrixOperator<Exec, DeviceMatrix<Exec, T, Layout>> const op(exec, A,
                                                                        {.kernels = r.kernels});
    work(&op);
  });
  return reading;
}

}  // namespace tessera::app
