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

/// What `tessera tune` has found, kept in the user's cache folder: one file for each device.
/// Nothing in it can change a bit of a result, and whatever is wrong with it is a warning at most.
namespace tessera::app {

/// The fastest launch for one operation, type, layout and shape.
struct TuningRecord {
  std::string operation;  ///< its name in src/bench
  io::ScalarType type = io::ScalarType::f32;
  io::Layout layout = io::Layout::right;
  bench::Shape shape;
  bench::Launch launch;
  double seconds = 0;          ///< of a call
  double backend_seconds = 0;  ///< of a call as the backend would launch it
};

/// $XDG_CACHE_HOME/tessera, else $HOME/.cache/tessera; nothing where neither is an absolute path.
[[nodiscard]] std::optional<std::filesystem::path> cache_folder();

/// The file of one device.
class TuningCache {
 public:
  /// @param backend whose file it is
  TuningCache(std::filesystem::path const& folder, BackendFacts const& backend);

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  /// What the file says; nothing where there is none. A file that is damaged, cannot be read, or is
  /// of another version or device is ignored: `warning` then says so.
  [[nodiscard]] std::vector<TuningRecord> load(std::string& warning) const;

  /// Makes the folder, and finds out whether the file can be written.
  /// @throws Failure file or io::FileError when it cannot
  void require_writable() const;

  /// Adds a record, or replaces that of the same operation, type, layout and shape. The file is
  /// written aside and renamed; one that load() ignores is replaced, and `warning` says so. Nobody
  /// else changes it between (lock_tunings()).
  /// @throws Failure file or io::FileError
  void store(TuningRecord const& record, std::string& warning) const;

 private:
  std::filesystem::path path_;
  std::string backend_;
  std::string device_;
};

/// The record whose shape is nearest, of those of the same operation, type and layout that have
/// half to twice the rows and columns; null if there is none.
[[nodiscard]] TuningRecord const* nearest(std::vector<TuningRecord> const& records,
                                          std::string const& operation, io::ScalarType type,
                                          io::Layout layout, bench::Shape const& shape);

/// A tuning that a run uses.
struct TuningInUse {
  TuningRecord record;
  std::string file;
};

/// What the cache of a backend's device has for a job; warns on stderr of a file that is ignored.
[[nodiscard]] std::optional<TuningInUse> find_tuning(BackendFacts const& backend,
                                                     std::string const& operation,
                                                     io::ScalarType type, io::Layout layout,
                                                     bench::Shape const& shape);

/// Says on stderr that a tuning makes no sense for a job.
void warn_not_used(TuningInUse const& use, std::string const& why);

/// What run(launch) gives with the launch of a tuning, if there is one. Should the library refuse
/// it for the job, which it does before anything has run, it is dropped with a warning.
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

/// Keeps other processes from changing the files of tunings in a folder, until it is closed or this
/// process ends. Waits for them, but not for ever. A file system without locks gives none:
/// `warning` then says so.
/// @throws Failure file
[[nodiscard]] io::Descriptor lock_tunings(std::filesystem::path const& folder,
                                          std::string& warning);

/// All files of tunings in a folder, sorted.
[[nodiscard]] std::vector<std::filesystem::path> tuning_files(std::filesystem::path const& folder);

/// What one of these files says, for people; a sentence where it cannot be used.
[[nodiscard]] std::string describe_tunings(std::filesystem::path const& file);

}  // namespace tessera::app
