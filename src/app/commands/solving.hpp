// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <app/base/failure.hpp>
#include <app/checkpoint/checkpoint.hpp>
#include <app/report/picture.hpp>
#include <app/report/report.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <app/run/options.hpp>
#include <app/solve/solve.hpp>
#include <io/matrix_reader.hpp>
#include <io/output_file.hpp>
#include <io/types.hpp>
#include <tessera/solve/control.hpp>

/// Shared by solver commands.
namespace tessera::app {

void require_solvable(SolveOptions const& options);

/// With --check or --checkpoint, A is read again: it must be a regular file.
[[nodiscard]] io::MatrixReader open_solved(SolveOptions const& options, std::string const& path);

/// @param converts accept the other type without --type
[[nodiscard]] VectorOfFile read_right_side(SolveOptions const& options,
                                           io::MatrixReader const& reader, std::string const& path,
                                           bool converts = false, Blocks blocks = Blocks::refused);

/// @param vectors, steps see choose_place
/// @param copies further bytes if the matrix is in memory
[[nodiscard]] SolvePlace begin_solve(SolveOptions const& options, io::MatrixReader const& reader,
                                     std::uint64_t vectors, std::uint64_t copies,
                                     std::int64_t steps);

/// Opened before computing.
class HistoryFile {
 public:
  explicit HistoryFile(std::string const& path);
  /// @param objective its name; empty: none
  void write(std::vector<solve::Step> const& steps, std::string const& objective);
  [[nodiscard]] io::OutputFile* file() { return file_ ? &*file_ : nullptr; }

 private:
  std::optional<io::OutputFile> file_;
};

/// The file of --plot, opened before computing.
class PlotFile {
 public:
  /// @throws Failure usage unless the name is an SVG file's, io::FileError
  explicit PlotFile(std::string const& path);
  void write(std::string const& title, std::vector<Chart> const& charts);
  /// For put_in_place(); null before write().
  [[nodiscard]] io::OutputFile* file() { return is_written_ ? &*file_ : nullptr; }

 private:
  std::optional<io::OutputFile> file_;
  bool is_written_ = false;
};

struct SolveSubject {
  SolveOptions const& options;
  io::MatrixReader const& reader;
  io::ScalarType type;
  SolvePlace const& place;
  SolveRun const& run;
  std::string method;
};

/// One line of logarithmic heights. Empty for fewer than two different residuals.
[[nodiscard]] std::string picture_of(std::vector<solve::Step> const& history);
[[nodiscard]] std::string matrix_line(SolveSubject const& subject);
[[nodiscard]] std::string run_lines(SolveSubject const& subject);
[[nodiscard]] std::string time_line(SolveSubject const& subject);

[[nodiscard]] Json json_numbers(std::vector<double> const& values);
[[nodiscard]] Json to_object(SolveSubject const& subject);

/// Removes the checkpoint if the run converged, else prints why not.
/// @param report called when all notices exist
/// @param missing what is not written if a number is not finite
[[nodiscard]] ExitStatus end_solve(SolveSubject const& subject, RunFiles& files,
                                   CheckpointPlace const& checkpoint,
                                   std::function<std::string()> const& report,
                                   std::string const& missing, bool is_checked_well);

[[nodiscard]] io::HostVector vector_of(std::vector<double> const& values, io::ScalarType type);

}  // namespace tessera::app
