// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cerrno>
#include <sys/stat.h>

#include <app/checkpoint_job.hpp>
#include <app/input.hpp>
#include <app/sha256.hpp>
#include <io/errors.hpp>

namespace tessera::app {

CheckpointJob checkpoint_job(StreamRequest const& request, OperationId id, bool with_b) {
  auto const& info = request.reader.info();
  struct stat facts{};
  if (::stat(request.reader.path().c_str(), &facts) != 0) {
    throw io::FileError(io::ErrorKind::bad_input, request.reader.path(), io::system_message(errno));
  }
  constexpr std::int64_t second = 1'000'000'000;
  return {.operation = std::string(row_of(id).command) + (with_b ? " with B" : ""),
          .type = std::string(io::to_string(request.type)),
          .layout = std::string(io::to_string(info.layout)),
          .rows = static_cast<std::int64_t>(info.rows),
          .cols = static_cast<std::int64_t>(info.cols),
          .file_bytes = info.file_bytes,
          .file_modified = facts.st_mtim.tv_sec * second + facts.st_mtim.tv_nsec,
          .vector_sha256 = sha256(elements(request.x))};
}

}  // namespace tessera::app
