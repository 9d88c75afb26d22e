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

/// Drawn on stderr after one second by another thread, then wiped. Nothing if stderr is no terminal
/// or TERM is dumb.
class ProgressBar {
 public:
  explicit ProgressBar(std::string title);
  ~ProgressBar();
  ProgressBar(ProgressBar const&) = delete;
  ProgressBar& operator=(ProgressBar const&) = delete;

  /// In any unit. Thread-safe, as note() and advance().
  void set(std::uint64_t done, std::uint64_t total) noexcept {
    total_.store(total, std::memory_order_relaxed);
    done_.store(done, std::memory_order_relaxed);
  }
  void note(std::string text) {
    std::lock_guard const lock(mutex_);
    note_ = std::move(text);
  }
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

/// Sets the bar to what is done of a total.
[[nodiscard]] inline auto setter_of(ProgressBar& bar) {
  return [&bar](std::uint64_t done, std::uint64_t total) { bar.set(done, total); };
}

[[nodiscard]] inline check::Progress progress_of(ProgressBar& bar) {
  return {.begin = [&bar](std::uint64_t bytes) { bar.set(0, bytes); },
          .advance = [&bar](std::uint64_t bytes) { bar.advance(bytes); }};
}

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

/// In seconds.
struct TimeSummary {
  double min = 0;
  double median = 0;
  double max = 0;
  int repeats = 0;
};

struct StageTime {
  std::string name;
  double seconds = 0;
};

[[nodiscard]] inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  auto const half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

[[nodiscard]] inline TimeSummary summarise(std::vector<double> const& seconds) {
  if (seconds.empty()) return {};
  auto const [min, max] = std::ranges::minmax(seconds);
  return {.min = min,
          .median = median(seconds),
          .max = max,
          .repeats = static_cast<int>(seconds.size())};
}

}  // namespace tessera::app
