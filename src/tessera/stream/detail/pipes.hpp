// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/platform/pages.hpp>
#include <tessera/stream/detail/blocks.hpp>
#include <tessera/stream/detail/plan.hpp>
#include <tessera/stream/detail/readers.hpp>
#include <tessera/stream/detail/reading.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/source.hpp>

/// Pipes bring the planned blocks from the source to the work, in order.
namespace tessera::stream::detail {

/// A planned stream.
template <class T, class Layout>
struct Feed {
  static constexpr bool row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;

  std::string operation;
  AnySource<T, Layout> source;
  Extents extents;
  Plan plan;
  std::function<void()> while_waiting;

  /// Reads a slice of a transfer. `to`: the memory of the whole transfer.
  void read(Index transfer, T* to, int slice, int slices) const {
    Index const block = transfer / plan.transfers.per_block;
    Part const all = plan.lines_of(transfer);
    Index const begin = all.count * slice / slices;
    Index const count = all.count * (slice + 1) / slices - begin;
    if (count == 0) return;
    T* const first = to + begin * plan.blocks.line_length(block);
    if (plan.blocks.are_lines()) return read_lines(block, all.first + begin, count, first);
    Part const part = plan.blocks.part(block);
    source.read(block_of<row_major>(all.first + begin, count, part.first, part.count), first);
  }
  /// Reads lines of a block of lines.
  void read_lines(Index block, Index first, Index count, T* to) const {
    Index const begin = plan.blocks.part(block).first;
    source.read(block_of<row_major>(begin + first, count, 0, extents.length), to);
  }
  [[nodiscard]] std::size_t bytes(Index block) const {
    return static_cast<std::size_t>(plan.blocks.elements(block)) * sizeof(T);
  }
};

/// Adds the time of `action` to `seconds`, even if it throws.
template <class Action>
auto timed(double& seconds, Action const& action) {
  using Clock = std::chrono::steady_clock;
  struct Stop {
    Clock::time_point begin = Clock::now();
    double& seconds;
    ~Stop() { seconds += std::chrono::duration<double>(Clock::now() - begin).count(); }
  } const stop{.seconds = seconds};
  return action();
}

/// Slots in host memory, each for a transfer, and the threads that fill them.
template <class T, class Layout, class Memory>
class SlotRing {
 public:
  SlotRing(Feed<T, Layout> const& feed, Report& report) : feed_(feed), report_(report) {
    for (int k = 0; k < feed.plan.slots; ++k) slots_.emplace_back(feed.plan.transfers.bytes);
  }

  [[nodiscard]] Memory& slot(int k) { return slots_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] T* data(int k) { return reinterpret_cast<T*>(slot(k).data()); }

  /// Starts to read ahead, from a block to the last one.
  [[nodiscard]] Readers start(Index block) {
    Plan const& plan = feed_.plan;
    Index const per_block = plan.transfers.per_block;
    return Readers(feed_.operation, block * per_block, plan.blocks.count() * per_block, plan.slots,
                   plan.readers, plan.slices, [this](Index transfer, int k, int slice, int slices) {
                     feed_.read(transfer, data(k), slice, slices);
                   });
  }
  /// The slot of the next transfer, which is there.
  [[nodiscard]] int wait(Readers& readers, Index transfer) {
    return timed(report_.seconds_waiting_for_data,
                 [&] { return readers.wait(transfer, feed_.while_waiting); });
  }

 private:
  Feed<T, Layout> const& feed_;
  Report& report_;
  std::deque<Memory> slots_;
};

/// Uses blocks in the memory that they were read to. Threads read ahead; without such threads, the
/// computing threads read, or the calling one.
template <class Exec, class T, class Layout>
class HostPipe {
 public:
  HostPipe(Exec const& exec, Feed<T, Layout> const& feed, Report& report)
      : exec_(exec), feed_(feed), report_(report), ring_(feed, report) {}

  /// Calls tell(block) after each block.
  template <class Work, class Tell>
  void operator()(Work& work, Index first, Tell const& tell) {
    Index const end = feed_.plan.blocks.count();
    if (feed_.plan.readers > 0) {
      Readers readers = ring_.start(first);
      for (Index block = first; block < end; ++block) {
        take(work, block, ring_.data(ring_.wait(readers, block)));
        readers.release(block);
        tell(block);
      }
      return;
    }
    for (Index block = first; block < end; ++block) {
      if (feed_.plan.bytes_of_reader > 0) {
        take_reading(work, block);
      } else {
        T* const data = ring_.data(0);
        timed(report_.seconds_waiting_for_data, [&] { read(block, data); });
        take(work, block, data);
      }
      tell(block);
    }
  }

 private:
  template <class Work>
  void take(Work& work, Index block, T const* data) {
    timed(report_.seconds_waiting_for_work, [&] {
      work.take(block, data);
      exec_.fence("tessera::stream: block is used");
    });
    report_.bytes_read += feed_.bytes(block);
  }
  /// The threads of the work's kernel read their lines.
  template <class Work>
  void take_reading([[maybe_unused]] Work& work, [[maybe_unused]] Index block) {
    if constexpr (Work::reads_lines) {
      FirstError error;
      typename LinesToRead<T>::Read const lines = [&](Index first, Index count, T* to) {
        feed_.read_lines(block, first, count, to);
      };
      timed(report_.seconds_waiting_for_work, [&] {
        work.take_reading(block, lines, error);
        exec_.fence("tessera::stream: block is used");
      });
      error.rethrow();
      report_.bytes_read += feed_.bytes(block);
    }
  }

  void read(Index block, T* to) const {
    if (!feed_.plan.workers_may_read) return feed_.read(block, to, 0, 1);
    constexpr std::size_t bytes_of_slice = std::size_t{256} << 10U;
    auto const slices = static_cast<int>(
        std::clamp(feed_.bytes(block) / bytes_of_slice, std::size_t{1}, std::size_t{1} << 20U));
    FirstError error;
    Kokkos::parallel_for(
        "tessera::stream::read",
        Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(exec_, 0, slices),
        [&](int const slice) {
          try {
            feed_.read(block, to, slice, slices);
          } catch (...) {
            error.keep();
          }
        });
    exec_.fence("tessera::stream: block is read");
    error.rethrow();
  }

  Exec exec_;
  Feed<T, Layout> const& feed_;
  Report& report_;
  SlotRing<T, Layout, backends::Pages> ring_;
};

/// Instances of Exec for copies. Waits at the end, also on exceptions, because the memory of copies
/// is freed next.
template <class Exec>
class Copies {
 public:
  explicit Copies(Exec const& exec)
      : instances_(
            Kokkos::Experimental::partition_space(exec, std::vector<int>(copies_at_once, 1))) {}
  ~Copies() {
    for (Exec const& instance : instances_) {
      try {
        instance.fence("tessera::stream: copies are done");
      } catch (...) {  // NOLINT(bugprone-empty-catch): it failed, and uses no memory any more
      }
    }
  }
  Copies(Copies const&) = delete;
  Copies& operator=(Copies const&) = delete;

  [[nodiscard]] Exec const& of(Index transfer) const {
    return instances_[static_cast<std::size_t>(transfer % copies_at_once)];
  }

 private:
  std::vector<Exec> instances_;
};

/// Threads read transfers ahead into pinned memory; the calling thread sends them to the device and
/// starts the work on a block when its last transfer is there.
template <class Exec, class T, class Layout>
class GpuPipe {
 public:
  GpuPipe(Exec const& exec, Feed<T, Layout> const& feed, Report& report)
      : exec_(exec), feed_(feed), report_(report), ring_(feed, report) {
    on_device_.reserve(device_slots);
    for (int k = 0; k < device_slots; ++k) {
      on_device_.emplace_back(
          Kokkos::view_alloc(std::string("tessera::stream::block"), Kokkos::WithoutInitializing),
          static_cast<std::size_t>(feed.plan.blocks.size() * feed.plan.blocks.across()));
    }
  }

  /// Calls tell(block) after each block.
  template <class Work, class Tell>
  void operator()(Work& work, Index first, Tell const& tell) {
    Index const per_block = feed_.plan.transfers.per_block;
    Index const end = feed_.plan.blocks.count() * per_block;
    Index done = first * per_block;
    Readers readers = ring_.start(first);
    Copies<Exec> const copies(exec_);
    auto const wait_for_copy = [&] {
      copies.of(done).fence("tessera::stream: transfer is on the device");
    };
    auto const finish = [&] {
      readers.release(done);
      if (++done % per_block != 0) return;
      Index const block = done / per_block - 1;
      take(work, block);
      tell(block);
    };
    for (Index transfer = done; transfer < end; ++transfer) {
      int const slot = ring_.wait(readers, transfer);
      bool const is_full = transfer - done == copies_at_once;
      if (is_full) wait_for_copy();
      // The target is free: the work on its last block was waited for when the work on the next
      // began.
      send(copies.of(transfer), transfer, slot);
      if (is_full) finish();
    }
    while (done < end) {  // NOLINT(bugprone-infinite-loop): finish() counts
      wait_for_copy();
      finish();
    }
  }

 private:
  using Platform = backends::Backend<Exec>;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using OnDevice = Kokkos::View<T*, typename Exec::memory_space>;

  [[nodiscard]] OnDevice const& target(Index block) const {
    return on_device_[static_cast<std::size_t>(block % device_slots)];
  }
  /// Enqueues the copy of a transfer to its place in its block.
  void send(Exec const& copy, Index transfer, int slot) {
    Index const block = transfer / feed_.plan.transfers.per_block;
    Index const length = feed_.plan.blocks.line_length(block);
    Part const lines = feed_.plan.lines_of(transfer);
    auto const size = static_cast<std::size_t>(lines.count * length);
    auto const offset = static_cast<std::size_t>(lines.first * length);
    ring_.slot(slot).pin(exec_);
    Kokkos::deep_copy(
        copy, Kokkos::subview(target(block), Kokkos::make_pair(offset, offset + size)),
        Kokkos::View<T const*, typename Platform::PinnedSpace, Unmanaged>(ring_.data(slot), size));
  }
  template <class Work>
  void take(Work& work, Index block) {
    timed(report_.seconds_waiting_for_work, [&] {
      exec_.fence("tessera::stream: block before is used");
      work.take(block, target(block).data());
    });
    report_.bytes_read += feed_.bytes(block);
  }

  Exec exec_;
  Feed<T, Layout> const& feed_;
  Report& report_;
  SlotRing<T, Layout, typename Platform::PinnedBuffer> ring_;
  std::vector<OnDevice> on_device_;
};

}  // namespace tessera::stream::detail
