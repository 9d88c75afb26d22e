// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include <io/output_file.hpp>
#include <io/types.hpp>

namespace tessera::app {

/// Refuses to write one file twice, or over an input. Empty names are no files.
/// @throws Failure usage
void check_output(std::string const& output, std::initializer_list<std::string> others);

/// A result that is to be written: the file is opened before anything is computed. An empty name:
/// nothing is written.
class ResultFile {
 public:
  enum class Kind { vector, matrix };

  /// @throws io::FileError bad_output
  ResultFile(std::string const& path, Kind kind);
  void write(io::HostVector const& vector);
  void write(io::HostMatrix const& matrix);

 private:
  std::optional<io::OutputFile> file_;
};

}  // namespace tessera::app
