// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <atomic>
#include <check/progress.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::app {

/// A progress bar on stderr for work that takes more than a second. A separate thread draws it,
/// from one second after the start until the end, then wipes it. It does nothing if stderr is no
/// terminal or TERM is dumb.
class ProgressBar {
 public:
  /// @param title what the program does, e.g. "reading A"
  explicit ProgressBar(std::string title);
  ~ProgressBar();
  ProgressBar(ProgressBar const&) = delete;
  ProgressBar& operator=(ProgressBar const&) = delete;

  /// Sets the progress, in any unit. Any thread may call it.
  void set(std::uint64_t done, std::uint64_t total) noexcept {
    total_.store(total, std::memory_order_relaxed);
    done_.store(done, std::memory_order_relaxed);
  }
  /// Sets the text after the title. Any thread may call it.
  void note(std::string text) {
    std::lock_guard const lock(mutex_);
    note_ = std::move(text);
  }
  /// Adds to the progress. Any thread may call it.
  void advance(std::uint64_t amount) noexcept {
    done_.fetch_add(amount, std::memory_order_relaxed);
  }

 private:
  void draw_until_stopped();
  void draw() const;

  std::string title_;
  std::string note_;  // under mutex_
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<std::uint64_t> total_ = 0;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread painter_;
};

/// Reports the progress of a check to a bar.
[[nodiscard]] inline check::Progress progress_of(ProgressBar& bar) {
  return {.begin = [&bar](std::uint64_t bytes) { bar.set(0, bytes); },
          .advance = [&bar](std::uint64_t bytes) { bar.advance(bytes); }};
}

/// Seconds since its construction or the last restart, on the monotonic clock.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }
  void restart() { start_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Times of repeated runs, in seconds.
struct TimeSummary {
  double min = 0;
  double median = 0;
  double max = 0;
  int repeats = 0;
};

/// One part of an operation and its median time in seconds.
struct StageTime {
  std::string name;
  double seconds = 0;
};

/// The middle value, or the mean of the two middle values; 0 for no values.
[[nodiscard]] inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  auto const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Summary of the times of repeated runs.
[[nodiscard]] inline TimeSummary summarise(std::vector<double> const& seconds) {
  if (seconds.empty()) return {};
  auto const [min, max] = std::ranges::minmax(seconds);
  return {.min = min,
          .median = median(seconds),
          .max = max,
          .repeats = static_cast<int>(seconds.size())};
}

}  // namespace tessera::app
