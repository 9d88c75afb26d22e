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

/// All files of a run, compared before anything is read or computed: what a run writes must not be
/// what it reads, nor what it writes a second time.
///
/// Names are compared as files. Two names are equal if folder (device and inode) and last name are
/// equal after links are followed, so a file need not exist. Existing files are also compared by
/// their own inode. A dataset is compared by its HDF5 file and its name in it. Terminals and other
/// character devices hold nothing that could be lost. An empty name is no file.
class RunFiles {
 public:
  /// A file that is read, or that is kept for later runs.
  RunFiles& reads(std::string const& path);
  /// A result or a state.
  RunFiles& writes(std::string const& path);

  /// Nothing but what is written goes to stdout or stderr.
  RunFiles& without_report();

  /// How the report is written, and where.
  /// @param path empty: as report() says
  /// @throws Failure usage for the name of a dataset
  RunFiles& reports(std::string const& path, ReportFormat format);

  /// Adds the files of tunings to what is read: no run may replace them.
  RunFiles& keeps_tunings();

  /// Also looks where the report goes: not into one of the files, nor between data on stdout. Opens
  /// the file of the report, and releases notices unless they would stand before a report for
  /// programs.
  /// @throws Failure usage, io::FileError bad_output
  void check();

  /// Where a report without a file goes: to stderr where a result goes to stdout, else to stdout.
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

/// A result that is to be written: the file is opened before anything is computed. An empty name,
/// or another rank than the first: nothing is written. Two datasets of one HDF5 file share it.
/// put_in_place() ends the run's files.
class ResultFile {
 public:
  enum class Kind { vector, matrix };

  /// @param add_dataset to an HDF5 file that exists
  /// @param other       a result that may go to the same HDF5 file; null: none
  /// @throws io::FileError bad_output
  ResultFile(std::string const& path, Kind kind, bool add_dataset = false,
             ResultFile const* other = nullptr);
  /// @throws io::FileError bad_output
  void write(io::HostVector const& vector);
  /// @copydoc write(io::HostVector const&)
  void write(io::HostMatrix const& matrix);

  /// The file, once all results that go to it are written; null before that, and without a file.
  [[nodiscard]] io::OutputFile* written() const;

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

/// Puts the files of a run in their places: all of them are on the disk before the first is. Null
/// pointers are no files, and a file may be named twice.
/// @throws io::FileError bad_output
void put_in_place(std::vector<io::OutputFile*> const& files);

}  // namespace tessera::app
