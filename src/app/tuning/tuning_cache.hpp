// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bench/contender.hpp>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <app/backend/backends.hpp>
#include <io/descriptor.hpp>
#include <io/types.hpp>

/// The tunings that `tessera tune` has found, in one file per device in the user's cache folder.
/// They never change a bit of a result. A faulty file causes a warning at most.
namespace tessera::app {

/// The fastest launch for one operation, type, layout and shape.
struct TuningRecord {
  std::string operation;  ///< its name in src/bench
  io::ScalarType type = io::ScalarType::f32;
  io::Layout layout = io::Layout::right;
  bench::Shape shape;
  bench::Launch launch;
  double seconds = 0;          ///< per call
  double backend_seconds = 0;  ///< per call, with the launch that the backend would choose
};

/// $XDG_CACHE_HOME/tessera, else $HOME/.cache/tessera; empty if neither is an absolute path.
[[nodiscard]] std::optional<std::filesystem::path> cache_folder();

/// The file of one device.
class TuningCache {
 public:
  /// @param backend the backend whose device the file belongs to
  TuningCache(std::filesystem::path const& folder, BackendFacts const& backend);

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  /// The records of the file; empty if the file does not exist. A file that is damaged, unreadable
  /// or of another version or device is ignored, with the reason in `warning`.
  [[nodiscard]] std::vector<TuningRecord> load(std::string& warning) const;

  /// Creates the folder and checks that the file can be written.
  /// @throws Failure file or io::FileError if it cannot
  void require_writable() const;

  /// Adds a record, or replaces the one of the same operation, type, layout and shape. Writes a
  /// temporary file and renames it. A file that load() ignores is replaced, with a warning in
  /// `warning`. The caller holds lock_tunings(), so no other process changes the file.
  /// @throws Failure file or io::FileError
  void store(TuningRecord const& record, std::string& warning) const;

 private:
  std::filesystem::path path_;
  std::string backend_;
  std::string device_;
};

/// The nearest record of the same operation, type and layout whose rows and columns are within a
/// factor of two; null if there is no such record.
[[nodiscard]] TuningRecord const* nearest(std::vector<TuningRecord> const& records,
                                          std::string const& operation, io::ScalarType type,
                                          io::Layout layout, bench::Shape const& shape);

/// A tuning that a run uses.
struct TuningInUse {
  TuningRecord record;
  std::string file;
};

/// The cached tuning for a job on a backend's device. Warns on stderr about a file that is ignored.
[[nodiscard]] std::optional<TuningInUse> find_tuning(BackendFacts const& backend,
                                                     std::string const& operation,
                                                     io::ScalarType type, io::Layout layout,
                                                     bench::Shape const& shape);

/// Warns on stderr that a tuning cannot be used for a job.
void warn_not_used(TuningInUse const& use, std::string const& why);

/// Calls run(launch) with the launch of the tuning, if there is one. If the library rejects that
/// launch, which it does before running anything, the tuning is dropped with a warning.
template <class Run>
auto run_tuned(std::optional<TuningInUse>& tuning, Run const& run) {
  if (tuning) {
    try {
      return run(tuning->record.launch);
    } catch (std::logic_error const& error) {
      warn_not_used(*tuning, error.what());
      tuning.reset();
    }
  }
  return run(bench::Launch{});
}

/// "measured for 8192 x 8192, FILE".
[[nodiscard]] std::string to_text(TuningInUse const& use);

/// Locks the tuning files of a folder against other processes until the descriptor is closed or
/// this process ends. Waits for other holders, up to a limit. If the file system has no locks,
/// `warning` reports it.
/// @throws Failure file
[[nodiscard]] io::Descriptor lock_tunings(std::filesystem::path const& folder,
                                          std::string& warning);

/// All files of tunings in a folder, sorted.
[[nodiscard]] std::vector<std::filesystem::path> tuning_files(std::filesystem::path const& folder);

/// Describes one of these files as text; if the file is unusable, a sentence with the reason.
[[nodiscard]] std::string describe_tunings(std::filesystem::path const& file);

}  // namespace tessera::app
