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

/// A file per device in the cache folder. Tunings never change bits; a faulty file causes at most a
/// warning.
namespace tessera::app {

struct TuningRecord {
  std::string operation;
  io::ScalarType type = io::ScalarType::f32;
  io::Layout layout = io::Layout::right;
  bench::Shape shape;
  bench::Launch launch;
  double seconds = 0;          ///< per call
  double backend_seconds = 0;  ///< with the launch that the backend chooses
};

/// $XDG_CACHE_HOME/tessera, else $HOME/.cache/tessera; empty unless absolute.
[[nodiscard]] std::optional<std::filesystem::path> cache_folder();

class TuningCache {
 public:
  TuningCache(std::filesystem::path const& folder, BackendFacts const& backend);

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  /// Empty without a file. `warning`: why a file is ignored.
  [[nodiscard]] std::vector<TuningRecord> load(std::string& warning) const;

  void require_writable() const;

  /// Adds a record or replaces that of the same job, under lock_tunings(), by renaming a temporary
  /// file. Replaces a file that load() ignores, with a warning.
  void store(TuningRecord const& record, std::string& warning) const;

 private:
  std::filesystem::path path_;
  std::string backend_;
  std::string device_;
};

/// For the same job, rows and columns within a factor of two; null: none.
[[nodiscard]] TuningRecord const* nearest(std::vector<TuningRecord> const& records,
                                          std::string const& operation, io::ScalarType type,
                                          io::Layout layout, bench::Shape const& shape);

struct TuningInUse {
  TuningRecord record;
  std::string file;
};

/// Warns of an ignored file.
[[nodiscard]] std::optional<TuningInUse> find_tuning(BackendFacts const& backend,
                                                     std::string const& operation,
                                                     io::ScalarType type, io::Layout layout,
                                                     bench::Shape const& shape);

void warn_not_used(TuningInUse const& use, std::string const& why);

/// The library rejects a launch before it runs.
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

/// Waits for other processes up to a limit; the descriptor holds the lock. `warning`: the file
/// system has no locks.
[[nodiscard]] io::Descriptor lock_tunings(std::filesystem::path const& folder,
                                          std::string& warning);

/// Sorted.
[[nodiscard]] std::vector<std::filesystem::path> tuning_files(std::filesystem::path const& folder);

/// Or the reason why it is unusable.
[[nodiscard]] std::string describe_tunings(std::filesystem::path const& file);

}  // namespace tessera::app
