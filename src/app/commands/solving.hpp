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
#include <app/report/report.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <app/run/options.hpp>
#include <app/solve/solve.hpp>
#include <io/matrix_reader.hpp>
#include <io/output_file.hpp>
#include <io/types.hpp>
#include <tessera/solve/control.hpp>

/// Shared parts of the solver commands: start, report, end.
namespace tessera::app {

/// Refuses backends, devices and checkpoint names that cannot be used. @throws Failure
void require_solvable(SolveOptions const& options);

/// Opens A. With --check or --checkpoint it must be a regular file, because it is read again.
/// @throws io::FileError
[[nodiscard]] io::MatrixReader open_solved(SolveOptions const& options, std::string const& path);

/// Reads a vector with an entry for each row of A.
/// @param converts accept a file of the other type without --type
/// @param blocks   taken: the columns of a matrix are several vectors
/// @throws io::FileError
[[nodiscard]] VectorOfFile read_right_side(SolveOptions const& options,
                                           io::MatrixReader const& reader, std::string const& path,
                                           bool converts = false, Blocks blocks = Blocks::refused);

/// Chooses where a solver runs. Prints on stderr that A is streamed, unless the report is text.
/// @param vectors bytes that the solver keeps in addition to the matrix
/// @param copies  further bytes if the matrix is in memory
/// @param steps   estimated number of iterations
/// @throws Failure, io::FileError
[[nodiscard]] SolvePlace begin_solve(SolveOptions const& options, io::MatrixReader const& reader,
                                     std::uint64_t vectors, std::uint64_t copies,
                                     std::int64_t steps);

/// The file of --history, opened before anything is computed.
class HistoryFile {
 public:
  /// @throws io::FileError
  explicit HistoryFile(std::string const& path);
  /// @param objective name of the objective per iteration; empty: none
  /// @throws io::FileError
  void write(std::vector<solve::Step> const& steps, std::string const& objective);
  /// The file, for put_in_place(); null without --history.
  [[nodiscard]] io::OutputFile* file() { return file_ ? &*file_ : nullptr; }

 private:
  std::optional<io::OutputFile> file_;
};

/// The run that a solver's report describes.
struct SolveSubject {
  SolveOptions const& options;
  std::string const& command;
  io::MatrixReader const& reader;
  io::ScalarType type;
  SolvePlace const& place;
  SolveRun const& run;
  std::string method;
};

/// A one-line plot of the residuals: the height of each column is their logarithm. Empty if there
/// are fewer than two different residuals.
[[nodiscard]] std::string picture_of(std::vector<solve::Step> const& history);
/// The line of the matrix.
[[nodiscard]] std::string matrix_line(SolveSubject const& subject);
/// The lines of backend, method, steps, and why it stopped.
[[nodiscard]] std::string run_lines(SolveSubject const& subject);
/// The line of the time, with the times of each rank if there are several.
[[nodiscard]] std::string time_line(SolveSubject const& subject);

/// json_number of each value.
[[nodiscard]] Json json_numbers(std::vector<double> const& values);
/// The object with the fields that all reports share.
[[nodiscard]] Json to_object(SolveSubject const& subject);

/// Prints the report. Removes the checkpoint if the run has converged, else prints why it has not.
/// @param report  makes the report; called when all notices exist
/// @param missing what is not written if a number is not finite
[[nodiscard]] ExitStatus end_solve(SolveSubject const& subject, RunFiles& files,
                                   CheckpointPlace const& checkpoint,
                                   std::function<std::string()> const& report,
                                   std::string const& missing, bool is_checked_well);

/// Numbers as a vector of a type.
[[nodiscard]] io::HostVector vector_of(std::vector<double> const& values, io::ScalarType type);

}  // namespace tessera::app
