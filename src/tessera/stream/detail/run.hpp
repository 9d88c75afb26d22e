// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/stream/detail/readers.hpp>
#include <tessera/stream/detail/work.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/source.hpp>

/// The three stages of a streamed operation: threads read blocks, the caller's thread sends them to
/// the device and starts the work there.
namespace tessera::stream::detail {

/// Blocks that are sent at a time: the next copy begins as soon as one ends.
inline constexpr int copies_at_once = 2;
/// Blocks in host memory: one is read, one is ready, and those that are sent, or the one that is
/// used.
template <class Exec>
inline constexpr int host_slots = 2 + (backends::Backend<Exec>::is_gpu ? copies_at_once : 1);
/// Blocks in a device's memory: those that come, one is used.
inline constexpr int device_slots = copies_at_once + 1;

/// Where blocks are read to.
template <class Exec>
struct HostSpaceOf {
  using Type = typename Exec::memory_space;
};
template <class Exec>
  requires(backends::Backend<Exec>::is_gpu)
struct HostSpaceOf<Exec> {
  using Type = typename backends::Backend<Exec>::PinnedSpace;
};

/// Bytes of blocks worth having: on a host small enough to be in cache still when they are used,
/// and some panels for each thread; on a GPU large enough that starting copies and kernels does not
/// show, and no larger, since memory is pinned at 2 GB/s: reading 8 GiB into an H200 took 0.29 s
/// with blocks of 64 MiB, 0.20 s with 16 MiB (one copy at a time).
template <class Exec>
std::size_t target_bytes(Exec const& exec) {
  constexpr std::size_t of_thread = std::size_t{4} << 20U;
  if (backends::Backend<Exec>::is_gpu) return std::size_t{8} << 20U;
  return of_thread * static_cast<std::size_t>(std::max(2, exec.concurrency()));
}

/// Threads that read ahead: those that the work leaves, none if it needs all. A GPU wants as much
/// as a few threads can copy. More threads than processors would stop the work's own in turn, and
/// all of them wait for the one that was stopped.
template <class Exec>
int default_readers(Exec const& exec) {
  auto const processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return backends::Backend<Exec>::is_gpu ? std::clamp(processors - 1, 1, 12)
                                         : std::clamp(processors - exec.concurrency(), 0, 8);
}

/// A part of a matrix as its source knows it: lines [line, line + lines) of it, elements
/// [element, element + elements) of each.
template <bool RowMajor>
Block block_of(Index line, Index lines, Index element, Index elements) {
  return RowMajor ? Block{line, lines, element, elements} : Block{element, elements, line, lines};
}

/// A matrix of a source as lines.
template <class Source>
Extents extents_of(Source const& source) {
  constexpr bool row_major = std::is_same_v<typename Source::array_layout, Kokkos::LayoutRight>;
  auto const rows = static_cast<Index>(source.rows());
  auto const cols = static_cast<Index>(source.cols());
  return row_major ? Extents{rows, cols} : Extents{cols, rows};
}

/// Runs a kind of work over all blocks of a source.
template <class Exec, class Source, template <class, class, bool> class Work>
class Run {
 public:
  using T = typename Source::value_type;
  static constexpr bool row_major =
      std::is_same_v<typename Source::array_layout, Kokkos::LayoutRight>;
  static constexpr bool is_gpu = backends::Backend<Exec>::is_gpu;
  static constexpr int slot_count = host_slots<Exec>;
  using WorkOf = Work<Exec, T, row_major>;

  Run(Exec const& exec, std::string operation, Source const& source, Options<T> const& options)
      : exec_(exec),
        operation_(std::move(operation)),
        source_(source),
        options_(options),
        extents_(extents_of(source)),
        blocks_(blocks()) {}

  [[nodiscard]] Extents const& extents() const { return extents_; }
  [[nodiscard]] Blocks const& plan() const { return blocks_; }

  Report operator()(WorkOf& work, Workspace<Exec> const& workspace) {
    using Slot = Kokkos::View<T*, typename HostSpaceOf<Exec>::Type>;
    using OnDevice = Kokkos::View<T*, typename Exec::memory_space>;
    auto const elements = static_cast<std::size_t>(elements_of_block());
    std::vector<Slot> slots;
    slots.reserve(slot_count);
    for (int k = 0; k < slot_count; ++k) {
      slots.emplace_back(
          Kokkos::view_alloc(std::string("tessera::stream::slot"), Kokkos::WithoutInitializing),
          elements);
    }
    std::vector<OnDevice> on_device;
    on_device.reserve(device_slots);
    for (int k = 0; is_gpu && k < device_slots; ++k) {
      on_device.emplace_back(
          Kokkos::view_alloc(std::string("tessera::stream::block"), Kokkos::WithoutInitializing),
          elements);
    }
    Index const first = resume(work);
    exec_.fence("tessera::stream: arguments are there");

    report_.blocks = blocks_.count();
    report_.block_bytes = elements * sizeof(T);
    if (int const count = reader_count(); count > 0) {
      Readers readers(first, blocks_.count(), slot_count, count,
                      [&](Index block, int slot, int slice, int slices) {
                        read(block, slots[static_cast<std::size_t>(slot)].data(), slice, slices);
                      });
      auto const next = [&](Index block) -> Slot const& {
        int const slot =
            timed(report_.seconds_waiting_for_data, [&] { return readers.wait(block); });
        return slots[static_cast<std::size_t>(slot)];
      };
      if constexpr (is_gpu) {
        Copies const copies(exec_);
        auto const target = [&](Index block) -> OnDevice const& {
          return on_device[static_cast<std::size_t>(block % device_slots)];
        };
        auto const use = [&](Index block) {
          copies.of(block).fence("tessera::stream: block is on the device");
          readers.release(block);
          take(work, block, target(block).data(), true);
          tell(work, block);
        };
        for (Index block = first; block < blocks_.count(); ++block) {
          auto const& from = next(block);
          auto const all =
              Kokkos::make_pair(std::size_t{0}, static_cast<std::size_t>(elements_of(block)));
          // Nothing uses the target any more: take() of the block before the last has waited for
          // the work before it.
          Kokkos::deep_copy(copies.of(block), Kokkos::subview(target(block), all),
                            Kokkos::subview(from, all));
          if (block > first) use(block - 1);
        }
        if (first < blocks_.count()) use(blocks_.count() - 1);
      } else {
        for (Index block = first; block < blocks_.count(); ++block) {
          take(work, block, next(block).data(), false);
          readers.release(block);
          tell(work, block);
        }
      }
    } else if constexpr (!is_gpu) {
      for (Index block = first; block < blocks_.count(); ++block) {
        timed(report_.seconds_waiting_for_data, [&] { read_by_work(block, slots[0].data()); });
        take(work, block, slots[0].data(), false);
        tell(work, block);
      }
    }
    work.finish();
    exec_.fence("tessera::stream: result is there");
    std::size_t const fixed = WorkOf::bytes(extents_, blocks_) + workspace.bytes();
    report_.host_bytes = slot_count * report_.block_bytes + (is_gpu ? 0 : fixed);
    report_.device_bytes = is_gpu ? device_slots * report_.block_bytes + fixed : 0;
    return report_;
  }

 private:
  /// Instances that copies are enqueued on, in turn. Waits for them at the end, also where
  /// something is thrown: what they read and write is freed then.
  class Copies {
   public:
    explicit Copies(Exec const& exec)
        : instances_(
              Kokkos::Experimental::partition_space(exec, std::vector<int>(copies_at_once, 1))) {}
    ~Copies() {
      for (Exec const& instance : instances_) instance.fence("tessera::stream: copies are done");
    }
    Copies(Copies const&) = delete;
    Copies& operator=(Copies const&) = delete;

    [[nodiscard]] Exec const& of(Index block) const {
      return instances_[static_cast<std::size_t>(block % copies_at_once)];
    }

   private:
    std::vector<Exec> instances_;
  };

  /// Blocks that leave room for the work's own memory, and as much again as a block for kernels.
  [[nodiscard]] Blocks blocks() const {
    Extents const& e = extents_;
    constexpr std::size_t shares =
        (is_gpu ? std::max(slot_count, device_slots + 1) : slot_count + 1);
    std::size_t const limit = options_.memory_limit;
    Index const across = WorkOf::cut == Cut::tiles ? e.count : e.length;
    std::size_t const target = options_.resume == nullptr || options_.resume->block_lines < 1
                                   ? target_bytes(exec_)
                                   : static_cast<std::size_t>(options_.resume->block_lines) *
                                         static_cast<std::size_t>(across) * sizeof(T);
    auto const with = [&](std::size_t most) {
      return Blocks::of<T>(operation_, e, WorkOf::cut, target, most);
    };
    // Smaller blocks need a taller tree: ask again with what the first cut leaves.
    Blocks found = with(limit / shares);
    for (int turn = 0; turn < 4; ++turn) {
      std::size_t const fixed = WorkOf::bytes(e, found);
      found = with(fixed < limit ? (limit - fixed) / shares : 0);
      if (WorkOf::bytes(e, found) <= fixed) break;
    }
    return found;
  }
  [[nodiscard]] Index elements_of_block() const {
    return blocks_.size() * (WorkOf::cut == Cut::tiles ? extents_.count : extents_.length);
  }
  [[nodiscard]] Index elements_of(Index block) const {
    return blocks_.part(block).count *
           (WorkOf::cut == Cut::tiles ? extents_.count : extents_.length);
  }
  [[nodiscard]] int reader_count() const {
    return options_.readers > 0 ? options_.readers : default_readers(exec_);
  }

  /// Enqueues a block's work; waits for that of the block before, or of this one.
  void take(WorkOf& work, Index block, T const* data, bool ahead) {
    timed(report_.seconds_waiting_for_work, [&] {
      if (ahead) exec_.fence("tessera::stream: block before is used");
      work.take(block, data);
      if (!ahead) exec_.fence("tessera::stream: block is used");
    });
    report_.bytes_read += static_cast<std::size_t>(elements_of(block)) * sizeof(T);
  }

  /// Reads a block by the threads that work, of a host.
  void read_by_work(Index block, T* to) const
    requires(!is_gpu)
  {
    constexpr std::size_t slice_bytes = std::size_t{256} << 10U;
    std::size_t const bytes = static_cast<std::size_t>(elements_of(block)) * sizeof(T);
    auto const slices =
        static_cast<int>(std::clamp(bytes / slice_bytes, std::size_t{1}, std::size_t{1} << 20U));
    std::mutex mutex;
    std::exception_ptr error;
    Kokkos::parallel_for(
        "tessera::stream::read",
        Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(exec_, 0, slices),
        [&](int const slice) {
          try {
            read(block, to, slice, slices);
          } catch (...) {
            std::lock_guard const lock(mutex);
            error = std::current_exception();
          }
        });
    exec_.fence("tessera::stream: block is read");
    if (error != nullptr) std::rethrow_exception(error);
  }

  void read(Index block, T* to, int slice, int slices) const {
    Part const part = blocks_.part(block);
    Index const lines = WorkOf::cut == Cut::tiles ? extents_.count : part.count;
    Index const length = WorkOf::cut == Cut::tiles ? part.count : extents_.length;
    Index const first = lines * slice / slices;
    Index const count = lines * (slice + 1) / slices - first;
    if (count == 0) return;
    if constexpr (WorkOf::cut == Cut::tiles) {
      source_.read(block_of<row_major>(first, count, part.first, length), to + first * length);
    } else {
      source_.read(block_of<row_major>(part.first + first, count, 0, length), to + first * length);
    }
  }

  Index resume(WorkOf& work) const {
    State<T> const* const state = options_.resume;
    if (state == nullptr) return 0;
    Index const done = state->blocks_done;
    auto const out = work.output();
    bool const is_ours =
        state->block_lines == blocks_.size() && done >= 0 && done <= blocks_.count() &&
        static_cast<Index>(state->output.size()) == (out.data == nullptr ? 0 : entries(done)) &&
        work.restore(*state);
    if (!is_ours) {
      checks::fail(operation_,
                   "the state to go on from is of another matrix, operation or limit of memory");
    }
    if (!state->output.empty()) {
      Kokkos::View<T*, typename Exec::memory_space> const saved("tessera::stream::saved",
                                                                state->output.size());
      from_host(state->output, saved);
      copy_elements(exec_, entries(done), {saved.data(), 1}, out);
      exec_.fence("tessera::stream: output is restored");
    }
    return done;
  }

  /// Entries of the output that so many blocks make.
  [[nodiscard]] Index entries(Index done) const {
    if (done == 0) return 0;
    Part const part = blocks_.part(done - 1);
    return part.first + part.count;
  }

  void tell(WorkOf const& work, Index block) const {
    auto const bytes = [&](Index count) { return static_cast<std::size_t>(count) * sizeof(T); };
    Index const across = WorkOf::cut == Cut::tiles ? extents_.count : extents_.length;
    Progress const progress{block + 1, blocks_.count(), bytes(entries(block + 1) * across),
                            bytes(extents_.count * extents_.length)};
    if (options_.on_state && options_.wants_state && options_.wants_state(progress)) {
      options_.on_state(state_after(work, block));
    }
    if (options_.on_progress) options_.on_progress(progress);
  }
  [[nodiscard]] State<T> state_after(WorkOf const& work, Index block) const {
    State<T> state;
    state.blocks_done = block + 1;
    state.block_lines = blocks_.size();
    work.save(state, block);
    auto const out = work.output();
    if (out.data != nullptr) {
      Kokkos::View<T*, typename Exec::memory_space> const done(
          Kokkos::view_alloc(exec_, std::string("tessera::stream::done"),
                             Kokkos::WithoutInitializing),
          static_cast<std::size_t>(entries(block + 1)));
      copy_elements(exec_, entries(block + 1), out, {done.data(), 1});
      exec_.fence("tessera::stream: output is copied");
      state.output = to_host<T>(done);
    }
    return state;
  }

  template <class Action>
  static auto timed(double& seconds, Action const& action) {
    using Clock = std::chrono::steady_clock;
    struct Stop {
      Clock::time_point begin = Clock::now();
      double& seconds;
      ~Stop() { seconds += std::chrono::duration<double>(Clock::now() - begin).count(); }
    } const stop{.seconds = seconds};
    return action();
  }

  Exec exec_;
  std::string operation_;
  Source const& source_;
  Options<T> const& options_;
  Extents extents_;
  Blocks blocks_;
  Report report_;
};

}  // namespace tessera::stream::detail
