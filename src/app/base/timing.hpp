// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace tessera::app {

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
