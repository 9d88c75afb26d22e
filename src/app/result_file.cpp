// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <system_error>

#include <app/failure.hpp>
#include <app/input.hpp>
#include <app/result_file.hpp>
#include <io/writers.hpp>

namespace tessera::app {
namespace {

/// Whether two names are of one file; what is no regular file, such as a terminal, replaces
/// nothing.
bool same_file(std::string const& a, std::string const& b) {
  std::error_code error;
  return a == b ||
         (std::filesystem::is_regular_file(b, error) && std::filesystem::equivalent(a, b, error));
}

}  // namespace

void check_output(std::string const& output, std::initializer_list<std::string> others) {
  for (auto const& other : others) {
    if (!output.empty() && !other.empty() && same_file(output, other)) {
      std::string sentence = output;
      throw Failure(ExitStatus::usage,
                    sentence.append(": the output would replace ").append(other));
    }
  }
}

ResultFile::ResultFile(std::string const& path, Kind kind) {
  if (path.empty()) return;
  if (kind == Kind::vector) {
    io::check_vector_format(path);
  } else {
    io::check_matrix_format(path);
  }
  file_.emplace(path);
}

void ResultFile::write(io::HostVector const& vector) {
  if (!file_) return;
  io::write_vector(*file_, elements(vector));
  file_->commit();
}

void ResultFile::write(io::HostMatrix const& matrix) {
  if (!file_) return;
  io::write_matrix(*file_, matrix);
  file_->commit();
}

}  // namespace tessera::app
