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

/// Checks before reading that a run writes no file that it reads, and none twice.
///
/// After links, files are equal by folder (device and inode) and last name, so they need not exist;
/// existing files also by inode, datasets also by name. Character devices never conflict.
class RunFiles {
 public:
  /// Also for files that are kept for later runs.
  RunFiles& reads(std::string const& path);
  RunFiles& writes(std::string const& path);

  RunFiles& without_report();

  /// @param path empty: see report()
  RunFiles& reports(std::string const& path, ReportFormat format);

  RunFiles& keeps_tunings();

  /// Opens the report, which must not be one of the files or mix with data on stdout. Releases
  /// notices unless they would precede a report for programs on one stream.
  void check();

  /// stderr if a result goes to stdout, else stdout.
  [[nodiscard]] std::FILE* report() const;

  void print_report(std::string const& text);

 private:
  std::vector<std::string> read_;
  std::vector<std::string> written_;
  bool has_report_ = true;
  ReportFormat format_ = ReportFormat::text;
  std::optional<io::OutputFile> report_file_;
  std::string report_path_;
};

void check_add_dataset(bool add_dataset, std::initializer_list<std::string> outputs);

/// Opened before computing; put_in_place() commits. Nothing is written without a name, or on ranks
/// other than the first.
class ResultFile {
 public:
  enum class Kind { vector, matrix };

  /// @param other may write to the same HDF5 file; may be null
  ResultFile(std::string const& path, Kind kind, bool add_dataset = false,
             ResultFile const* other = nullptr);
  void write(io::HostVector const& vector);
  void write(io::HostMatrix const& matrix);

  /// Null before all results of the file are written.
  [[nodiscard]] io::OutputFile* written() const;

 private:
  struct Shared {
    io::OutputFile file;
    int results = 1;
  };

  template <class Write>
  void write_by(Write const& write);

  std::string path_;
  std::shared_ptr<Shared> shared_;
};

struct NamedResult {
  char const* name;
  std::string path;
  ResultFile::Kind kind = ResultFile::Kind::vector;
};
/// Results may be datasets of one HDF5 file.
[[nodiscard]] std::vector<ResultFile> open_results(std::vector<NamedResult> const& named,
                                                   bool add_dataset);

/// For put_in_place().
[[nodiscard]] std::vector<io::OutputFile*> written_of(std::vector<ResultFile> const& results);

/// See OutputFile::commit_all(). Ignores null and repeated files.
void put_in_place(std::vector<io::OutputFile*> const& files);

}  // namespace tessera::app
