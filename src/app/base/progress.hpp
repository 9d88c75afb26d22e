// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace tessera::app {

/// A bar on stderr for work that takes more than a second; it is drawn by a thread of its own, from
/// one second after the start until the end, and wiped away then. Without a terminal on stderr, or
/// with TERM=dumb, it does nothing at all.
class ProgressBar {
 public:
  /// @param title what is going on, e.g. "reading A"
  explicit ProgressBar(std::string title);
  ~ProgressBar();
  ProgressBar(ProgressBar const&) = delete;
  ProgressBar& operator=(ProgressBar const&) = delete;

  /// Sets the state; any unit. Any thread may call it.
  void set(std::uint64_t done, std::uint64_t total) noexcept {
    total_.store(total, std::memory_order_relaxed);
    done_.store(done, std::memory_order_relaxed);
  }
  /// Adds to what is done. Any thread may call it.
  void advance(std::uint64_t amount) noexcept {
    done_.fetch_add(amount, std::memory_order_relaxed);
  }

 private:
  void draw_until_stopped();
  void draw() const;

  std::string title_;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<std::uint64_t> total_ = 0;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread painter_;
};

}  // namespace tessera::app
