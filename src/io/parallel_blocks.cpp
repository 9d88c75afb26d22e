// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <io/parallel_blocks.hpp>

namespace tessera::io {

void parallel_blocks(std::uint64_t total, std::uint64_t block,
                     std::function<void(std::uint64_t, std::uint64_t)> const& work,
                     std::function<void(std::uint64_t)> const& report, std::uint64_t most_threads) {
  std::uint64_t const blocks = total / block + (total % block != 0 ? 1 : 0);
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> done{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;

  auto const run = [&](bool reports) {
    try {
      for (std::uint64_t index = next++; index < blocks; index = next++) {
        std::uint64_t const first = index * block;
        std::uint64_t const count = std::min(block, total - first);
        work(first, count);
        std::uint64_t const done_now = done += count;
        if (reports && report) report(done_now);
      }
    } catch (...) {
      next = blocks;
      std::lock_guard const lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };

  std::uint64_t const wanted = std::min<std::uint64_t>(
      {blocks, most_threads, std::max(1U, std::thread::hardware_concurrency())});
  std::vector<std::thread> helpers;  // jthread needs a newer runtime than wheels may require
  helpers.reserve(wanted);
  auto const start_helper = [&] {
    try {
      helpers.emplace_back(run, false);
      return true;
    } catch (std::system_error const&) {
      return false;
    }
  };
  bool more = true;
  while (more && helpers.size() + 1 < wanted) more = start_helper();
  run(true);
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
  if (report) report(total);
}

}  // namespace tessera::io
