// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdio>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <app/run/options.hpp>
#include <io/output_file.hpp>
#include <io/types.hpp>

namespace tessera::app {

/// All files of a run, compared before anything is read or computed: a run must not write a file
/// that it reads, nor write a file twice.
///
/// Names are compared as files. Two names are equal if folder (device and inode) and last name are
/// equal after links are followed, so a file need not exist. Existing files are also compared by
/// their own inode. A dataset is compared by its HDF5 file and its name in it. Terminals and other
/// character devices hold nothing that could be lost. An empty name is no file.
class RunFiles {
 public:
  /// A file that is read, or kept for later runs.
  RunFiles& reads(std::string const& path);
  /// A result or a state.
  RunFiles& writes(std::string const& path);

  /// Declares that the run prints no report.
  RunFiles& without_report();

  /// Sets the format and the file of the report.
  /// @param path empty: the stream chosen by report()
  /// @throws Failure usage for the name of a dataset
  RunFiles& reports(std::string const& path, ReportFormat format);

  /// Adds the tuning files to the files that are read: no run may overwrite them.
  RunFiles& keeps_tunings();

  /// Compares the files, and the target of the report: it must not be one of the files, nor mix
  /// with data on stdout. Opens the file of the report. Releases notices unless they would precede
  /// a report for programs on the same stream.
  /// @throws Failure usage, io::FileError bad_output
  void check();

  /// The stream of a report without a file: stderr if a result goes to stdout, else stdout.
  [[nodiscard]] std::FILE* report() const;

  /// Prints a report, or puts its file in place. Call it once, last.
  /// @throws io::FileError bad_output
  void print_report(std::string const& text);

 private:
  std::vector<std::string> read_;
  std::vector<std::string> written_;
  bool has_report_ = true;
  ReportFormat format_ = ReportFormat::text;
  std::optional<io::OutputFile> report_file_;
  std::string report_path_;  ///< empty: none
};

/// Refuses --add-dataset if no output is a dataset. Empty names are no files.
/// @throws Failure usage
void check_add_dataset(bool add_dataset, std::initializer_list<std::string> outputs);

/// A result file, opened before anything is computed. With an empty name, or on a rank other than
/// the first, nothing is written. Two datasets of one HDF5 file share it. put_in_place() commits
/// the run's files.
class ResultFile {
 public:
  enum class Kind { vector, matrix };

  /// @param add_dataset to an existing HDF5 file
  /// @param other       a result that may go to the same HDF5 file; null: none
  /// @throws io::FileError bad_output
  ResultFile(std::string const& path, Kind kind, bool add_dataset = false,
             ResultFile const* other = nullptr);
  /// @throws io::FileError bad_output
  void write(io::HostVector const& vector);
  /// @copydoc write(io::HostVector const&)
  void write(io::HostMatrix const& matrix);

  /// The file, after all its results are written; null before that, and without a file.
  [[nodiscard]] io::OutputFile* written() const;

 private:
  /// A file and the number of results that are still missing.
  struct Shared {
    io::OutputFile file;
    int results = 1;
  };

  template <class Write>
  void write_by(Write const& write);

  std::string path_;
  std::shared_ptr<Shared> shared_;
};

/// Commits the files of a run: all are on the disk before the first is moved into place. Null
/// pointers are ignored, and a file may occur twice.
/// @throws io::FileError bad_output
void put_in_place(std::vector<io::OutputFile*> const& files);

}  // namespace tessera::app
