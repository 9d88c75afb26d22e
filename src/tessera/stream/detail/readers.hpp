// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/stream/detail/blocks.hpp>

namespace tessera::stream::detail {

/// Threads that read transfers (parts of blocks) ahead into slots, in order.
class Readers {
 public:
  using Read = std::function<void(Index transfer, int slot, int slice, int slices)>;

  /// @throws std::system_error if a thread cannot start
  Readers(std::string const& operation, Index first, Index end, int slots, int threads, int slices,
          Read read)
      : read_(std::move(read)),
        end_(end),
        slots_(slots),
        slices_(slices),
        next_(first),
        released_(first),
        left_(static_cast<std::size_t>(slots), slices) {
    threads_.reserve(static_cast<std::size_t>(threads));
    try {
      for (int t = 0; t < threads; ++t) threads_.emplace_back([this] { work(); });
    } catch (std::system_error const& error) {
      stop();
      throw std::system_error(error.code(), "tessera::" + operation + ": expected to start " +
                                                std::to_string(threads) +
                                                " threads that read ahead, found that the system "
                                                "starts only " +
                                                std::to_string(threads_.size()));
    } catch (...) {
      stop();
      throw;
    }
  }
  ~Readers() { stop(); }
  Readers(Readers const&) = delete;
  Readers& operator=(Readers const&) = delete;

  /// Waits for the next transfer; returns its slot. Calls `meanwhile`, if any, periodically.
  /// Rethrows errors of both.
  int wait(Index transfer, std::function<void()> const& meanwhile) {
    constexpr std::chrono::milliseconds call_every{50};
    std::unique_lock lock(mutex_);
    int const slot = slot_of(transfer);
    auto const is_there = [&] { return error_ != nullptr || left(slot) == 0; };
    if (!meanwhile) changed_.wait(lock, is_there);
    while (!changed_.wait_for(lock, call_every, is_there)) {
      lock.unlock();
      meanwhile();
      lock.lock();
    }
    if (error_ != nullptr) std::rethrow_exception(error_);
    return slot;
  }
  void release(Index transfer) {
    {
      std::lock_guard const lock(mutex_);
      left(slot_of(transfer)) = slices_;
      released_ = transfer + 1;
    }
    changed_.notify_all();
  }

 private:
  [[nodiscard]] int slot_of(Index transfer) const { return static_cast<int>(transfer % slots_); }
  int& left(int slot) { return left_[static_cast<std::size_t>(slot)]; }

  void stop() {
    {
      std::lock_guard const lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stop_ || next_ == end_ || next_ < released_ + slots_; });
      if (stop_ || next_ == end_) return;
      Index const transfer = next_;
      int const slice = next_slice_;
      if (++next_slice_ == slices_) {
        next_slice_ = 0;
        ++next_;
      }
      lock.unlock();
      std::exception_ptr error;
      try {
        read_(transfer, slot_of(transfer), slice, slices_);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error != nullptr) {
        if (error_ == nullptr) error_ = error;
        stop_ = true;
        changed_.notify_all();
        return;
      }
      if (--left(slot_of(transfer)) == 0) changed_.notify_all();
    }
  }

  Read read_;
  Index end_;
  int slots_;
  int slices_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Index next_;
  int next_slice_ = 0;
  Index released_;  ///< earlier transfers have been used
  std::vector<int> left_;
  std::exception_ptr error_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tessera::stream::detail
