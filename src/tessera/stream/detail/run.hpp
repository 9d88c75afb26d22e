// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/stream/detail/readers.hpp>
#include <tessera/stream/detail/reading.hpp>
#include <tessera/stream/detail/work.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/source.hpp>

/// The three stages of a streamed operation: threads read blocks, the caller's thread sends them to
/// the device and starts the work there.
namespace tessera::stream::detail {

/// Transfers to a GPU that are under way at a time: the next one begins as soon as one ends.
inline constexpr int copies_at_once = 2;
/// Transfers in host memory, at most. On a host a transfer is a block: one is read, one is ready,
/// one is used. For a GPU: those that are sent, and those that are read meanwhile.
template <class Exec>
inline constexpr int host_slots = backends::Backend<Exec>::is_gpu ? copies_at_once + 5 : 3;
/// Blocks in a device's memory: the transfers under way may be of two, one is used, and the one
/// before it may be in use still when the next transfer begins.
inline constexpr int device_slots = copies_at_once + 2;
/// Bytes of a transfer to a GPU, unless a line has more; several threads read one. The first one
/// begins when its memory has been found and pinned, so that slots should be small, and a copy
/// takes long enough to hide how the next one is started.
inline constexpr std::size_t transfer_bytes = std::size_t{4} << 20U;
/// Slices of a transfer that threads read.
inline constexpr std::size_t slice_bytes = std::size_t{512} << 10U;

/// Memory of the host that transfers are read to.
template <class Exec, class T>
class HostSlot {
 public:
  explicit HostSlot(std::size_t elements)
      : memory_(
            Kokkos::view_alloc(std::string("tessera::stream::slot"), Kokkos::WithoutInitializing),
            elements) {}
  [[nodiscard]] T* data() const { return memory_.data(); }

 private:
  Kokkos::View<T*, typename Exec::memory_space> memory_;
};
template <class Exec, class T>
  requires(backends::Backend<Exec>::is_gpu)
class HostSlot<Exec, T> {
 public:
  explicit HostSlot(std::size_t elements) : memory_(elements * sizeof(T)) {}
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  /// The first elements for a GPU to copy: they have been read.
  [[nodiscard]] auto pinned(Exec const& exec, std::size_t elements) {
    memory_.pin(exec);
    using Space = typename backends::Backend<Exec>::PinnedSpace;
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    return Kokkos::View<T const*, Space, Unmanaged>(data(), elements);
  }

 private:
  typename backends::Backend<Exec>::PinnedBuffer memory_;
};

/// Bytes of blocks worth having: on a host small enough to be in cache still when they are used,
/// and some panels for each thread; on a GPU large enough that starting kernels does not show.
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
  using WorkOf = Work<Exec, T, row_major>;
  /// Whether blocks are whole lines; else they are runs of elements of all lines.
  static constexpr bool cuts_lines = WorkOf::cut != Cut::tiles;
  /// Whether there is a way for the work's threads to read the lines they use.
  static constexpr bool can_read_lines =
      !is_gpu && requires(WorkOf const& work) { work.bytes_to_read(); };

  Run(Exec const& exec, std::string operation, Source const& source, Options<T> const& options)
      : exec_(exec),
        operation_(std::move(operation)),
        source_(source),
        options_(options),
        extents_(extents_of(source)),
        blocks_(blocks()),
        transfers_(transfers()) {}

  [[nodiscard]] Extents const& extents() const { return extents_; }
  [[nodiscard]] Blocks const& plan() const { return blocks_; }

  Report operator()(WorkOf& work, Workspace<Exec> const& workspace) {
    using Slot = HostSlot<Exec, T>;
    using OnDevice = Kokkos::View<T*, typename Exec::memory_space>;
    auto const elements = static_cast<std::size_t>(blocks_.size() * across());
    int const readers_wanted = reader_count();
    std::size_t const bytes_to_read = readers_wanted > 0 ? 0 : bytes_that_threads_read(work);
    int const slot_count = bytes_to_read > 0 ? 0 : readers_wanted > 0 ? slots_within_limit() : 1;
    std::deque<Slot> slots;
    for (int k = 0; k < slot_count; ++k) slots.emplace_back(transfers_.bytes / sizeof(T));
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
    if (int const count = readers_wanted; count > 0) {
      Index const per_block = transfers_.per_block;
      Readers readers(first * per_block, blocks_.count() * per_block, slot_count, count,
                      slices(count), [&](Index transfer, int slot, int slice, int of) {
                        read(transfer, slots[static_cast<std::size_t>(slot)].data(), slice, of);
                      });
      auto const next = [&](Index transfer) -> Slot& {
        int const slot =
            timed(report_.seconds_waiting_for_data, [&] { return readers.wait(transfer); });
        return slots[static_cast<std::size_t>(slot)];
      };
      if constexpr (is_gpu) {
        Copies const copies(exec_);
        auto const target = [&](Index block) -> OnDevice const& {
          return on_device[static_cast<std::size_t>(block % device_slots)];
        };
        Index const end = blocks_.count() * per_block;
        Index done = first * per_block;  // transfers that the device has
        auto const finish = [&] {
          readers.release(done);
          if (++done % per_block != 0) return;
          Index const block = done / per_block - 1;
          take(work, block, target(block).data(), true);
          tell(work, block);
        };
        for (Index transfer = done; transfer < end; ++transfer) {
          Slot& from = next(transfer);
          bool const is_full = transfer - done == copies_at_once;
          if (is_full) copies.of(done).fence("tessera::stream: transfer is on the device");
          // Nothing uses the target any more: the work on its last block was waited for when that
          // on the block after it began.
          Index const block = transfer / per_block;
          Part const lines = lines_of(transfer);
          auto const size = static_cast<std::size_t>(lines.count * line_length(block));
          auto const offset = static_cast<std::size_t>(lines.first * line_length(block));
          Kokkos::deep_copy(
              copies.of(transfer),
              Kokkos::subview(target(block), Kokkos::make_pair(offset, offset + size)),
              from.pinned(exec_, size));
          if (is_full) finish();
        }
        while (done < end) {
          copies.of(done).fence("tessera::stream: transfer is on the device");
          finish();
        }
      } else {
        for (Index block = first; block < blocks_.count(); ++block) {
          take(work, block, next(block).data(), false);
          readers.release(block);
          tell(work, block);
        }
      }
    } else if constexpr (!is_gpu) {
      for (Index block = first; block < blocks_.count(); ++block) {
        if (bytes_to_read > 0) {
          take_reading(work, block);
        } else {
          timed(report_.seconds_waiting_for_data, [&] { read_by_work(block, slots[0].data()); });
          take(work, block, slots[0].data(), false);
        }
        tell(work, block);
      }
    }
    work.finish();
    exec_.fence("tessera::stream: result is there");
    std::size_t const fixed = WorkOf::bytes(extents_, blocks_) + workspace.bytes();
    report_.host_bytes =
        slots.size() * transfers_.bytes + (is_gpu ? 0 : fixed) + bytes_to_read * threads();
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

    [[nodiscard]] Exec const& of(Index transfer) const {
      return instances_[static_cast<std::size_t>(transfer % copies_at_once)];
    }

   private:
    std::vector<Exec> instances_;
  };

  /// How blocks are cut into what is read, and sent to a GPU, at a time.
  struct Transfers {
    Index lines;  ///< of each but the last of a block
    Index per_block;
    std::size_t bytes;  ///< at most
  };

  /// Blocks that leave room for the work's own memory, and as much again as a block for kernels.
  [[nodiscard]] Blocks blocks() const {
    Extents const& e = extents_;
    constexpr int slots = is_gpu ? device_slots : host_slots<Exec>;
    constexpr std::size_t shares = slots + 1;
    std::size_t const limit = options_.memory_limit;
    std::size_t const target = options_.resume == nullptr || options_.resume->block_lines < 1
                                   ? target_bytes(exec_) * (threads_may_read() ? 4 : 1)
                                   : static_cast<std::size_t>(options_.resume->block_lines) *
                                         static_cast<std::size_t>(across()) * sizeof(T);
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
  [[nodiscard]] Transfers transfers() const {
    Index const lines = cuts_lines ? blocks_.size() : extents_.count;
    Index const length = cuts_lines ? extents_.length : blocks_.size();
    std::size_t const line_bytes = static_cast<std::size_t>(length) * sizeof(T);
    std::size_t const wanted = std::min(transfer_bytes, options_.memory_limit / host_slots<Exec>);
    Index const taken =
        is_gpu ? std::clamp(static_cast<Index>(wanted / line_bytes), Index{1}, lines) : lines;
    return {taken, ceil_div(lines, taken), static_cast<std::size_t>(taken) * line_bytes};
  }
  /// Elements of the matrix for each line, or element of a line, that blocks are counted in.
  [[nodiscard]] Index across() const { return cuts_lines ? extents_.length : extents_.count; }
  /// Lines of a block in its memory, and their length.
  [[nodiscard]] Index line_count(Index block) const {
    return cuts_lines ? blocks_.part(block).count : extents_.count;
  }
  [[nodiscard]] Index line_length(Index block) const {
    return cuts_lines ? extents_.length : blocks_.part(block).count;
  }
  [[nodiscard]] std::size_t bytes_of(Index block) const {
    return static_cast<std::size_t>(blocks_.part(block).count * across()) * sizeof(T);
  }
  /// Fewer where a line has more bytes than its share of the limit; blocks leave room for some.
  [[nodiscard]] int slots_within_limit() const {
    if (!is_gpu) return host_slots<Exec>;
    std::size_t const most = options_.memory_limit / transfers_.bytes;
    return std::clamp(static_cast<int>(std::min(most, std::size_t{host_slots<Exec>})),
                      copies_at_once + 1, host_slots<Exec>);
  }
  /// Lines of its block that a transfer has; none at the end of a short block.
  [[nodiscard]] Part lines_of(Index transfer) const {
    Index const lines = line_count(transfer / transfers_.per_block);
    Index const first = std::min(transfer % transfers_.per_block * transfers_.lines, lines);
    return {first, std::min(transfers_.lines, lines - first)};
  }
  [[nodiscard]] int slices(int threads) const {
    if (!is_gpu) return threads;
    auto const most = static_cast<int>(
        ceil_div(static_cast<Index>(transfers_.bytes), static_cast<Index>(slice_bytes)));
    return std::clamp(most, 1, threads);
  }
  [[nodiscard]] int reader_count() const {
    if (options_.readers > 0) return options_.readers;
    return options_.readers < 0 && !is_gpu ? 0 : default_readers(exec_);
  }

  /// Enqueues a block's work; waits for that of the block before, or of this one.
  void take(WorkOf& work, Index block, T const* data, bool ahead) {
    timed(report_.seconds_waiting_for_work, [&] {
      if (ahead) exec_.fence("tessera::stream: block before is used");
      work.take(block, data);
      if (!ahead) exec_.fence("tessera::stream: block is used");
    });
    report_.bytes_read += bytes_of(block);
  }

  /// Whether threads are likely to read the lines they use. Blocks may be larger then, since they
  /// do not wait in a cache, and threads of uneven speed wait for each other less: 4 blocks as one
  /// are a tenth faster.
  [[nodiscard]] bool threads_may_read() const {
    return can_read_lines && reader_count() == 0 && options_.method != Method::two_stage &&
           LinesToRead<T>::lines_for(extents_.count, extents_.length) > 0;
  }
  [[nodiscard]] std::size_t threads() const {
    return static_cast<std::size_t>(exec_.concurrency());
  }
  /// Bytes of each thread that reads the lines it uses, if together they take no more than slots
  /// would; 0: none does.
  [[nodiscard]] std::size_t bytes_that_threads_read([[maybe_unused]] WorkOf const& work) const {
    if constexpr (can_read_lines) {
      std::size_t const bytes = work.bytes_to_read();
      if (bytes * threads() <= host_slots<Exec> * transfers_.bytes) return bytes;
    }
    return 0;
  }
  void take_reading([[maybe_unused]] WorkOf& work, [[maybe_unused]] Index block) {
    if constexpr (can_read_lines) {
      FirstError error;
      Index const begin = blocks_.part(block).first;
      typename LinesToRead<T>::Read const lines = [&](Index first, Index count, T* to) {
        source_.read(block_of<row_major>(begin + first, count, 0, extents_.length), to);
      };
      timed(report_.seconds_waiting_for_work, [&] {
        work.take_reading(block, lines, error);
        exec_.fence("tessera::stream: block is used");
      });
      error.rethrow();
      report_.bytes_read += bytes_of(block);
    }
  }

  /// Reads a block by the threads that work, of a host.
  void read_by_work(Index block, T* to) const
    requires(!is_gpu)
  {
    constexpr std::size_t bytes_of_slice = std::size_t{256} << 10U;
    std::size_t const bytes = bytes_of(block);
    auto const slices =
        static_cast<int>(std::clamp(bytes / bytes_of_slice, std::size_t{1}, std::size_t{1} << 20U));
    FirstError error;
    Kokkos::parallel_for(
        "tessera::stream::read",
        Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>(exec_, 0, slices),
        [&](int const slice) {
          try {
            read(block, to, slice, slices);
          } catch (...) {
            error.keep();
          }
        });
    exec_.fence("tessera::stream: block is read");
    error.rethrow();
  }

  void read(Index transfer, T* to, int slice, int slices) const {
    Index const block = transfer / transfers_.per_block;
    Part const all = lines_of(transfer);
    Index const begin = all.count * slice / slices;
    Index const count = all.count * (slice + 1) / slices - begin;
    if (count == 0) return;
    Part const part = blocks_.part(block);
    T* const first = to + begin * line_length(block);
    if constexpr (cuts_lines) {
      source_.read(block_of<row_major>(part.first + all.first + begin, count, 0, extents_.length),
                   first);
    } else {
      source_.read(block_of<row_major>(all.first + begin, count, part.first, part.count), first);
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
      copy_vector<T>(exec_, "tessera::stream::copy", entries(done), saved.data(), 1, out);
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
    Progress const progress{block + 1, blocks_.count(), bytes(entries(block + 1) * across()),
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
      copy_vector<T>(exec_, "tessera::stream::copy", entries(block + 1), out.data, out.stride,
                     {done.data(), 1});
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
  Transfers transfers_;
  Report report_;
};

}  // namespace tessera::stream::detail
