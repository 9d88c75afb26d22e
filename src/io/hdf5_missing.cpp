// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <io/errors.hpp>
#include <io/format_functions.hpp>
#include <io/hdf5_chunk.hpp>

namespace tessera::io {
namespace {

[[noreturn]] void refuse(ErrorKind kind, std::string const& path) {
  throw FileError(kind, path,
                  "is an HDF5 file: expected a tessera with HDF5, found one that was built without "
                  "its library (TESSERA_ENABLE_HDF5)");
}

}  // namespace

std::string hdf5_version() {
  return {};
}

std::unique_ptr<MatrixSource> open_hdf5(InputFile file, RawFile const& /*raw*/) {
  require_positions(file);
  refuse(ErrorKind::bad_input, file.path());
}

std::vector<std::string> datasets_of(InputFile const& file) {
  refuse(ErrorKind::bad_input, file.path());
}

struct Hdf5ChunkWriter::State {};

Hdf5ChunkWriter::Hdf5ChunkWriter(OutputFile& out, MatrixInfo const& /*info*/,
                                 Hdf5Chunks const& /*chunks*/) {
  refuse(ErrorKind::bad_output, out.path());
}

Hdf5ChunkWriter::~Hdf5ChunkWriter() = default;

void Hdf5ChunkWriter::write(Block const& /*block*/, std::span<std::byte const> /*elements*/) {}

void Hdf5ChunkWriter::close() {}

void begin_hdf5(OutputFile& out, MatrixInfo const& /*info*/) {
  refuse(ErrorKind::bad_output, out.path());
}

}  // namespace tessera::io
