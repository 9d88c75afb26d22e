// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>

#include <app/base/sha256.hpp>
#include <app/run/input.hpp>
#include <app/stream/checkpoint_job.hpp>
#include <io/dataset_name.hpp>

namespace tessera::app {
namespace {

std::string elements_of(io::MatrixInfo const& info) {
  std::string const order = info.byte_order == std::endian::little ? " little " : " big ";
  return std::string(io::to_string(info.stored)) + order + std::to_string(info.data_offset);
}

}  // namespace

CheckpointJob checkpoint_job(StreamRequest const& request, OperationId id, bool with_b) {
  io::MatrixInfo const& info = request.reader.info();
  io::InputFile const& file = request.reader.file();
  return {.state = {.operation = std::string(row_of(id).name) + (with_b ? " with B" : ""),
                    .scalar = request.type == io::ScalarType::f32 ? "float" : "double",
                    .layout = info.layout == io::Layout::right ? "rows" : "columns",
                    .order = stream::order_version,
                    .rows = static_cast<std::int64_t>(info.rows),
                    .cols = static_cast<std::int64_t>(info.cols)},
          .file = file.identity(),
          .file_sha256 = sha256(file.sample()),
          .dataset = info.format == io::Format::hdf5
                         ? io::split_dataset(request.reader.path()).dataset
                         : std::string(),
          .elements = elements_of(info),
          .vector_sha256 = sha256(elements(request.x))};
}

}  // namespace tessera::app
