// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>

#include <app/backend/devices.hpp>
#include <app/base/failure.hpp>
#include <app/base/ranks.hpp>
#include <app/base/sha256.hpp>
#include <app/run/input.hpp>
#include <app/stream/stream.hpp>
#include <app/stream/stream_typed.hpp>
#include <io/dataset_name.hpp>
#include <io/memory.hpp>

namespace tessera::app {
namespace {

/// This rank's share.
std::uint64_t free_memory() {
  return io::available_memory() / static_cast<std::uint64_t>(ranks().host_size);
}

/// Used by a run without a limit.
std::uint64_t part_of(std::uint64_t free) {
  return static_cast<std::uint64_t>(0.7 * static_cast<double>(free));
}

std::string elements_of(io::MatrixInfo const& info) {
  std::string const order = info.byte_order == std::endian::little ? " little " : " big ";
  return std::string(io::to_string(info.stored)) + order + std::to_string(info.data_offset);
}

}  // namespace

Measurement stream_alone(OperationId id, StreamRequest const& request) {
  return stream_at(id, request, alone);
}

BackendFacts streaming_backend(BackendChoice choice, std::vector<BackendFacts> const& all) {
  if (choice != BackendChoice::automatic) {
    return *std::ranges::find(all, choice, &BackendFacts::choice);
  }
  auto const host = std::ranges::find(all, false, &BackendFacts::is_gpu);
  return host != all.end() ? *host : all.front();
}

namespace {

std::optional<StreamChoice> choose_alone(ComputeOptions const& options, Job const& job,
                                         BackendFacts const& backend) {
  // Not counted: any run may use this much, and streams need fewer buffers.
  constexpr std::uint64_t reading_may_have = std::uint64_t{48} << 20U;
  std::uint64_t const reading = job.reading - std::min(job.reading, reading_may_have);
  std::uint64_t const needed_there = job.forecast(backend.choice).memory();
  std::uint64_t const needed = needed_there + reading;
  std::uint64_t const free = free_memory();
  std::uint64_t const limit = options.memory_limit > 0 ? options.memory_limit : part_of(free);
  if (!options.checkpoint.empty()) {
    return StreamChoice{.backend = backend, .memory_limit = limit, .why = "--checkpoint was given"};
  }
  if (options.memory_limit > 0) {
    if (needed <= options.memory_limit) return std::nullopt;
    return StreamChoice{.backend = backend,
                        .memory_limit = limit,
                        .why = "it needs " + io::format_bytes(needed) +
                               " of memory, the limit is " +
                               io::format_bytes(options.memory_limit)};
  }
  // A check needs A in memory; its error states what is missing.
  if (options.check) return std::nullopt;
  if (backend.is_gpu) {
    auto const [device, free_there] = current_device();
    if (!fits_on_device(needed_there, free_there)) {
      return StreamChoice{.backend = backend,
                          .memory_limit = std::min(limit, part_of(free_there)),
                          .why = "it needs " + io::format_bytes(needed_there) + " on " +
                                 name_of(device) + ", which has " + io::format_bytes(free_there) +
                                 " free"};
    }
  }
  if (needed > free) {
    return StreamChoice{.backend = backend,
                        .memory_limit = limit,
                        .why = "it needs " + io::format_bytes(needed) + " of memory, " +
                               io::format_bytes(free) + " are available"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<StreamChoice> choose_stream(ComputeOptions const& options, Job const& job) {
  BackendFacts const backend = streaming_backend(options.backend, enabled_backends());
  auto mine = choose_alone(options, job, backend);
  if (!ranks().are_many() || !ranks().any(mine.has_value())) return mine;
  if (!mine) {
    std::uint64_t const free = part_of(free_memory());
    mine = {.backend = backend,
            .memory_limit = options.memory_limit > 0 ? options.memory_limit : free,
            .why = "it does not fit the memory of another process"};
  }
  // All ranks use the smallest limit, to divide A alike and fail together.
  for (std::string const& limit : ranks().gather(std::to_string(mine->memory_limit))) {
    mine->memory_limit = std::min<std::uint64_t>(mine->memory_limit, std::stoull(limit));
  }
  return mine;
}

CheckpointJob checkpoint_job(StreamRequest const& request, OperationId id, bool with_b) {
  io::MatrixInfo const& info = request.reader.info();
  io::InputFile const& file = request.reader.file();
  Terms const& terms = request.terms;
  bool const is_of_transpose = row_of(id).is_of_transpose();
  Shape shape = shape_of(info, request.type);
  if (is_of_transpose) shape = transpose_of(shape);
  std::string operation(row_of(is_of_transpose ? OperationId::atax : id).name);
  if (row_of(id).is_chained) {
    if (with_b) operation += " with B";
    if (terms.has_map()) operation += std::string(" and ") + maps::name_of(terms.map);
  }
  std::string vectors = sha256(elements(request.x));
  if (terms.has_map()) vectors += " " + sha256(elements(terms.of_map));
  return {.state = {.operation = operation,
                    .scalar = request.type == io::ScalarType::f32 ? "float" : "double",
                    .layout = shape.layout == io::Layout::right ? "rows" : "columns",
                    .order = stream::order_version,
                    .rows = shape.rows,
                    .cols = shape.cols},
          .file = file.identity(),
          .file_sha256 = sha256(file.sample()),
          .dataset = info.format == io::Format::hdf5
                         ? io::split_dataset(request.reader.path()).dataset
                         : std::string(),
          .elements = elements_of(info),
          .vector_sha256 = vectors};
}

std::int64_t rows_of_rank(io::MatrixInfo const& info) {
  std::int64_t const ranks_there = ranks().size;
  return (static_cast<std::int64_t>(info.rows) + ranks_there - 1) / ranks_there;
}

}  // namespace tessera::app
