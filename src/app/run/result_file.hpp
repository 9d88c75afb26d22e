// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include <io/output_file.hpp>
#include <io/types.hpp>

namespace tessera::app {

/// Refuses --add-dataset where no output is a dataset. Empty names are no files.
/// @throws Failure usage
void check_add_dataset(bool add_dataset, std::initializer_list<std::string> outputs);

/// A result that is to be written: the file is opened before anything is computed. An empty name:
/// nothing is written. Two datasets of one HDF5 file are in their place when both are written.
class ResultFile {
 public:
  enum class Kind { vector, matrix };

  /// @param add_dataset to an HDF5 file that exists
  /// @param other       a result that may go to the same HDF5 file; null: none
  /// @throws io::FileError bad_output
  ResultFile(std::string const& path, Kind kind, bool add_dataset = false,
             ResultFile const* other = nullptr);
  void write(io::HostVector const& vector);
  void write(io::HostMatrix const& matrix);

 private:
  /// A file with the results that it waits for.
  struct Shared {
    io::OutputFile file;
    int results = 1;
  };

  template <class Write>
  void write_by(Write const& write);

  std::string path_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace tessera::app
