// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/platform/pages.hpp>
#include <tessera/stream/detail/readers.hpp>
#include <tessera/stream/detail/reading.hpp>
#include <tessera/stream/detail/work.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/source.hpp>

/// Threads read blocks; the caller's thread sends them to the device and starts the work.
namespace tessera::stream::detail {

/// Two, so that the next begins as soon as one ends.
inline constexpr int copies_at_once = 2;
/// Slots in host memory. Hosts: one block is read, one ready, one used. GPUs: some transfers are
/// sent while others are read.
template <class Exec>
inline constexpr int host_slots = backends::Backend<Exec>::is_gpu ? copies_at_once + 5 : 3;
/// Transfers may belong to two blocks; one block is used, and the previous one may still be.
inline constexpr int device_slots = copies_at_once + 2;
/// Or one line. Small, as the first transfer waits for pinned memory; large enough that a copy
/// hides the start of the next.
inline constexpr std::size_t transfer_bytes = std::size_t{4} << 20U;
inline constexpr std::size_t slice_bytes = std::size_t{512} << 10U;

template <class Exec, class T>
class HostSlot {
 public:
  explicit HostSlot(std::size_t elements) : memory_(elements * sizeof(T)) {}
  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.data()); }

 private:
  backends::Pages memory_;
};
template <class Exec, class T>
  requires(backends::Backend<Exec>::is_gpu)
class HostSlot<Exec, T> {
 public:
  explicit HostSlot(std::size_t elements) : memory_(elements * sizeof(T)) {}
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  [[nodiscard]] auto pinned(Exec const& exec, std::size_t elements) {
    memory_.pin(exec);
    using Space = typename backends::Backend<Exec>::PinnedSpace;
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    return Kokkos::View<T const*, Space, Unmanaged>(data(), elements);
  }

 private:
  typename backends::Backend<Exec>::PinnedBuffer memory_;
};

/// On a host, blocks stay in cache until used, with some panels per thread; on a GPU they hide
/// launches.
template <class Exec>
std::size_t target_bytes(Exec const& exec) {
  constexpr std::size_t of_thread = std::size_t{4} << 20U;
  if (backends::Backend<Exec>::is_gpu) return std::size_t{8} << 20U;
  return of_thread * static_cast<std::size_t>(std::max(2, exec.concurrency()));
}

/// Idle threads; for a GPU, a few. With more threads than processors, worker threads are preempted
/// and all others wait.
template <class Exec>
int default_readers(Exec const& exec, int fewest) {
  auto const processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return backends::Backend<Exec>::is_gpu ? std::clamp(processors - 1, 1, 12)
                                         : std::clamp(processors - exec.concurrency(), fewest, 8);
}

template <bool RowMajor>
Block block_of(Index line, Index lines, Index element, Index elements) {
  return RowMajor ? Block{line, lines, element, elements} : Block{element, elements, line, lines};
}

template <class T, class Layout>
Extents extents_of(AnySource<T, Layout> const& source) {
  constexpr bool row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;
  return {.count = row_major ? source.rows() : source.cols(),
          .length = row_major ? source.cols() : source.rows(),
          .panel_of_whole = source.panel_of_whole()};
}

struct Vectors {
  std::string operation;
  std::size_t copied = 0;  ///< bytes of contiguous copies
  Index output = 0;        ///< entries of an output that grows by blocks; 0: none
  bool is_strided = false;
  Index count = 1;
  Index width = 1;  ///< sums of `count` columns each
};

template <class Exec, class T, class Layout, template <class, class, bool, class> class Work,
          class Set>
class Run {
 public:
  using Source = AnySource<T, Layout>;
  static constexpr bool row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;
  static constexpr bool is_gpu = backends::Backend<Exec>::is_gpu;
  using WorkOf = Work<Exec, T, row_major, Set>;
  static constexpr bool cuts_lines = WorkOf::cut != Cut::tiles;
  static constexpr bool can_read_lines =
      !is_gpu && requires(Exec const& exec, Extents const& e, Blocks const& blocks) {
        WorkOf::bytes_to_read(exec, e, blocks, Method::automatic);
      };

  Run(Exec const& exec, std::string operation, Source const& source, Vectors vectors,
      Options<T> const& options)
      : exec_(exec),
        operation_(std::move(operation)),
        source_(source),
        vectors_(std::move(vectors)),
        options_(options),
        extents_(extents_of(source)),
        readers_(reader_count()),
        plan_(plan()) {}

  [[nodiscard]] Extents const& extents() const { return extents_; }
  [[nodiscard]] Blocks const& blocks() const { return plan_.blocks; }

  Report operator()(WorkOf& work) {
    using Slot = HostSlot<Exec, T>;
    using OnDevice = Kokkos::View<T*, typename Exec::memory_space>;
    Blocks const& blocks = plan_.blocks;
    auto const elements = static_cast<std::size_t>(blocks.size() * across());
    std::deque<Slot> slots;
    for (int k = 0; k < plan_.slots; ++k) slots.emplace_back(plan_.transfers.bytes / sizeof(T));
    std::vector<OnDevice> on_device;
    on_device.reserve(device_slots);
    for (int k = 0; is_gpu && k < device_slots; ++k) {
      on_device.emplace_back(
          Kokkos::view_alloc(std::string("tessera::stream::block"), Kokkos::WithoutInitializing),
          elements);
    }
    Index const first = resume(work);
    exec_.fence("tessera::stream: arguments are there");

    report_.blocks = blocks.count();
    report_.kernels = kernels();
    report_.block_bytes = elements * sizeof(T);
    report_.host_bytes = plan_.host_bytes;
    report_.device_bytes = plan_.device_bytes;
    if (readers_ > 0) {
      Index const per_block = plan_.transfers.per_block;
      Readers readers(operation_, first * per_block, blocks.count() * per_block, plan_.slots,
                      readers_, slices(), [&](Index transfer, int slot, int slice, int of) {
                        read(transfer, slots[static_cast<std::size_t>(slot)].data(), slice, of);
                      });
      auto const next = [&](Index transfer) -> Slot& {
        int const slot = timed(report_.seconds_waiting_for_data,
                               [&] { return readers.wait(transfer, options_.while_waiting); });
        return slots[static_cast<std::size_t>(slot)];
      };
      if constexpr (is_gpu) {
        Copies const copies(exec_);
        auto const target = [&](Index block) -> OnDevice const& {
          return on_device[static_cast<std::size_t>(block % device_slots)];
        };
        Index const end = blocks.count() * per_block;
        Index done = first * per_block;
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
          // The target is free: the work on its last block was waited for when the work on the next
          // began.
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
        for (Index block = first; block < blocks.count(); ++block) {
          take(work, block, next(block).data(), false);
          readers.release(block);
          tell(work, block);
        }
      }
    } else if constexpr (!is_gpu) {
      for (Index block = first; block < blocks.count(); ++block) {
        if (plan_.bytes_of_reader > 0) {
          take_reading(work, block);
        } else {
          timed(report_.seconds_waiting_for_data, [&] { read_block(block, slots[0].data()); });
          take(work, block, slots[0].data(), false);
        }
        tell(work, block);
      }
    }
    work.finish();
    exec_.fence("tessera::stream: result is there");
    return report_;
  }

 private:
  using Entries =
      Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// Waits at the end, also on exceptions, because the memory of copies is freed next.
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

  struct Transfers {
    Index lines;  ///< fewer at the end of a block
    Index per_block;
    std::size_t bytes;
  };

  struct Plan {
    Blocks blocks;
    Transfers transfers;
    int slots = 0;
    std::size_t bytes_of_reader = 0;  ///< of a thread that reads its lines; 0: none does
    std::size_t host_bytes = 0;
    std::size_t device_bytes = 0;
  };

  [[nodiscard]] Kernels kernels() const {
    if constexpr (requires { WorkOf::kernels(exec_, extents_, plan_.blocks, options_.method); }) {
      return WorkOf::kernels(exec_, extents_, plan_.blocks, options_.method);
    } else {
      return Set::kind;
    }
  }

  /// @throws LimitError, std::invalid_argument for the state of another operation
  [[nodiscard]] Plan plan() const {
    require_own_state();
    std::size_t const limit = options_.memory_limit;
    if (auto found = plan_within(limit)) return *found;
    constexpr std::size_t most = std::size_t{1} << 62U;
    std::size_t enough = std::max(limit, std::size_t{1});
    do {
      if (enough >= most) checks::fail(operation_, "the matrix is too large");
      enough *= 2;
    } while (!plan_within(enough));
    std::size_t too_small = limit;
    while (enough - too_small > 1) {
      std::size_t const middle = too_small + (enough - too_small) / 2;
      (plan_within(middle) ? enough : too_small) = middle;
    }
    throw LimitError(operation_, enough, limit);
  }

  [[nodiscard]] std::optional<Blocks> blocks_of_state() const {
    if (options_.resume == nullptr) return std::nullopt;
    return Blocks::of_size<T>(extents_, WorkOf::cut, options_.resume->block_lines);
  }
  void require_own_state() const {
    if (options_.resume == nullptr) return;
    State<T> const& state = *options_.resume;
    if (state.of != identity()) {
      checks::fail(operation_, "expected a state of " + to_string(identity()) +
                                   " to resume from, found one of " + to_string(state.of));
    }
    if (!blocks_of_state()) {
      checks::fail(operation_,
                   "expected a state whose blocks are parts of the order of summation, "
                   "found blocks of " +
                       std::to_string(state.block_lines) +
                       (cuts_lines ? " lines" : " elements of all lines"));
    }
  }

  [[nodiscard]] std::optional<Plan> plan_within(std::size_t limit) const {
    if (auto const blocks = blocks_of_state()) return plan_of(*blocks, limit);
    std::size_t const target =
        std::max(target_bytes(exec_) * (threads_may_read() ? 4 : 1), source_.bytes_at_once());
    // First guess: the work takes one block.
    constexpr std::size_t slots = is_gpu ? device_slots : host_slots<Exec>;
    for (std::size_t most = limit / (slots + 1); most > 0;) {
      auto const blocks = Blocks::of<T>(extents_, WorkOf::cut, target, most);
      if (!blocks) break;
      if (auto const found = plan_of(*blocks, limit)) return found;
      std::size_t const beside = bytes_beside(*blocks);
      std::size_t const left = beside < limit ? (limit - beside) / slots : most / 2;
      // The work's memory can grow faster than the block: try half.
      most = std::min(std::max(left, most / 2), most - most / 8 - 1);
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<Plan> plan_of(Blocks const& blocks, std::size_t limit) const {
    Plan plan{.blocks = blocks, .transfers = transfers(blocks, limit)};
    std::size_t const beside = bytes_beside(blocks);
    if (is_gpu) {
      std::size_t const block = static_cast<std::size_t>(blocks.size() * across()) * sizeof(T);
      plan.device_bytes = device_slots * block + beside;
      // Fewer slots if one line exceeds its share of the limit.
      std::size_t const room = limit - std::min(limit, state_bytes(blocks));
      std::size_t const fitting = room / plan.transfers.bytes;
      plan.slots = static_cast<int>(
          std::clamp(fitting, std::size_t{copies_at_once + 1}, std::size_t{host_slots<Exec>}));
      plan.host_bytes =
          static_cast<std::size_t>(plan.slots) * plan.transfers.bytes + state_bytes(blocks);
    } else {
      plan.bytes_of_reader = bytes_that_threads_read(plan);
      plan.slots = plan.bytes_of_reader > 0 ? 0 : readers_ > 0 ? host_slots<Exec> : 1;
      plan.host_bytes = static_cast<std::size_t>(plan.slots) * plan.transfers.bytes +
                        plan.bytes_of_reader * static_cast<std::size_t>(exec_.concurrency()) +
                        beside;
    }
    bool const fits = plan.host_bytes <= limit && plan.device_bytes <= limit;
    return fits ? std::optional(plan) : std::nullopt;
  }
  [[nodiscard]] std::size_t bytes_beside(Blocks const& blocks) const {
    std::size_t const copied_output = !is_gpu                                 ? state_bytes(blocks)
                                      : takes_states() && vectors_.is_strided ? output_bytes()
                                                                              : 0;
    std::size_t const beside = vectors_.copied + copied_output;
    std::size_t bytes = beside;
    if constexpr (requires { WorkOf::bytes(extents_, blocks, vectors_); }) {
      bytes += WorkOf::bytes(extents_, blocks, vectors_);
    } else if constexpr (requires { WorkOf::bytes(extents_, blocks, vectors_.count); }) {
      bytes += WorkOf::bytes(extents_, blocks, vectors_.count);
    } else {
      bytes += WorkOf::bytes(extents_, blocks);
    }
    if constexpr (requires { WorkOf::kernel_bytes(exec_, extents_, blocks, options_.method); }) {
      bytes += WorkOf::kernel_bytes(exec_, extents_, blocks, options_.method);
    }
    return bytes;
  }
  [[nodiscard]] std::size_t output_bytes() const {
    return static_cast<std::size_t>(vectors_.output) * sizeof(T);
  }
  [[nodiscard]] bool takes_states() const {
    return options_.resume != nullptr || (options_.on_state && options_.wants_state);
  }
  [[nodiscard]] std::size_t state_bytes(Blocks const& blocks) const {
    if constexpr (requires { WorkOf::bytes(extents_, blocks); }) {
      return takes_states() ? WorkOf::bytes(extents_, blocks) + output_bytes() : 0;
    } else {
      return 0;
    }
  }
  [[nodiscard]] Transfers transfers(Blocks const& blocks, std::size_t limit) const {
    Index const lines = cuts_lines ? blocks.size() : extents_.count;
    Index const length = cuts_lines ? extents_.length : blocks.size();
    std::size_t const line_bytes = static_cast<std::size_t>(length) * sizeof(T);
    std::size_t const wanted = std::min(transfer_bytes, limit / host_slots<Exec>);
    Index const taken = is_gpu && !reads_whole_blocks()
                            ? std::clamp(static_cast<Index>(wanted / line_bytes), Index{1}, lines)
                            : lines;
    return {taken, ceil_div(lines, taken), static_cast<std::size_t>(taken) * line_bytes};
  }
  /// Matrix elements per line, or per element of all lines.
  [[nodiscard]] Index across() const { return cuts_lines ? extents_.length : extents_.count; }
  [[nodiscard]] Index line_count(Index block) const {
    return cuts_lines ? plan_.blocks.part(block).count : extents_.count;
  }
  [[nodiscard]] Index line_length(Index block) const {
    return cuts_lines ? extents_.length : plan_.blocks.part(block).count;
  }
  [[nodiscard]] std::size_t bytes_of(Index block) const {
    return static_cast<std::size_t>(plan_.blocks.part(block).count * across()) * sizeof(T);
  }
  [[nodiscard]] Part lines_of(Index transfer) const {
    Index const lines = line_count(transfer / plan_.transfers.per_block);
    Index const first =
        std::min(transfer % plan_.transfers.per_block * plan_.transfers.lines, lines);
    return {first, std::min(plan_.transfers.lines, lines - first)};
  }
  [[nodiscard]] int slices() const {
    if (!is_gpu) return readers_;
    auto const most = static_cast<int>(
        ceil_div(static_cast<Index>(plan_.transfers.bytes), static_cast<Index>(slice_bytes)));
    return std::clamp(most, 1, readers_);
  }
  [[nodiscard]] int reader_count() const {
    int const wanted = options_.readers;
    if (wanted < -1 || wanted > most_readers) {
      checks::fail(operation_, "readers must be -1, or between 0 and " +
                                   std::to_string(most_readers) + ", found " +
                                   std::to_string(wanted));
    }
    if (wanted < 0 && !is_gpu) return 0;
    if (reads_whole_blocks()) return 1;
    return wanted > 0 ? wanted : default_readers(exec_, may_read() ? 0 : 1);
  }

  /// True if parts cost as much as whole blocks.
  [[nodiscard]] bool reads_whole_blocks() const { return source_.bytes_at_once() > 0; }

  [[nodiscard]] bool may_read() const {
    return !is_gpu && source_.reads_in_kernels() && !reads_whole_blocks();
  }

  /// `ahead`: waits for the previous block first, else for this one.
  void take(WorkOf& work, Index block, T const* data, bool ahead) {
    timed(report_.seconds_waiting_for_work, [&] {
      if (ahead) exec_.fence("tessera::stream: block before is used");
      work.take(block, data);
      if (!ahead) exec_.fence("tessera::stream: block is used");
    });
    report_.bytes_read += bytes_of(block);
  }

  /// Blocks may then be larger: they need not stay in cache, and uneven threads wait less.
  [[nodiscard]] bool threads_may_read() const {
    return can_read_lines && may_read() && readers_ == 0 && options_.method != Method::two_stage &&
           LinesToRead<T>::lines_for(extents_.count, extents_.length) > 0;
  }
  /// 0 if all threads take more than slots would: no thread reads.
  [[nodiscard]] std::size_t bytes_that_threads_read([[maybe_unused]] Plan const& plan) const {
    if constexpr (can_read_lines) {
      if (readers_ > 0 || !may_read()) return 0;
      std::size_t const bytes =
          WorkOf::bytes_to_read(exec_, extents_, plan.blocks, options_.method);
      auto const threads = static_cast<std::size_t>(exec_.concurrency());
      if (bytes * threads <= host_slots<Exec> * plan.transfers.bytes) return bytes;
    }
    return 0;
  }
  void take_reading([[maybe_unused]] WorkOf& work, [[maybe_unused]] Index block) {
    if constexpr (can_read_lines) {
      FirstError error;
      Index const begin = plan_.blocks.part(block).first;
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

  void read_block(Index block, T* to) const
    requires(!is_gpu)
  {
    if (may_read()) {
      read_in_kernel(block, to);
    } else {
      read(block, to, 0, 1);
    }
  }
  void read_in_kernel(Index block, T* to) const
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
    Index const block = transfer / plan_.transfers.per_block;
    Part const all = lines_of(transfer);
    Index const begin = all.count * slice / slices;
    Index const count = all.count * (slice + 1) / slices - begin;
    if (count == 0) return;
    Part const part = plan_.blocks.part(block);
    T* const first = to + begin * line_length(block);
    if constexpr (cuts_lines) {
      source_.read(block_of<row_major>(part.first + all.first + begin, count, 0, extents_.length),
                   first);
    } else {
      source_.read(block_of<row_major>(all.first + begin, count, part.first, part.count), first);
    }
  }

  [[nodiscard]] StateOf identity() const {
    return {.operation = vectors_.operation,
            .scalar = sizeof(T) == sizeof(float) ? "float" : "double",
            .layout = row_major ? "rows" : "columns",
            .order = order_version,
            .rows = source_.rows(),
            .cols = source_.cols()};
  }
  Index resume(WorkOf& work) const {
    State<T> const* const state = options_.resume;
    if (state == nullptr) return 0;
    Index const done = state->blocks_done;
    auto const out = work.output();
    bool const is_whole =
        done >= 0 && done <= blocks().count() &&
        static_cast<Index>(state->output.size()) == (out.data == nullptr ? 0 : entries(done)) &&
        work.restore(*state);
    if (!is_whole) {
      checks::fail(operation_,
                   "expected a state with the sums and the output that its blocks "
                   "leave, found others");
    }
    if (!state->output.empty()) restore_output(state->output, out);
    return done;
  }
  /// Fences.
  void restore_output(std::vector<T> const& from, OutputVector<T> const& out) const {
    auto const count = static_cast<Index>(from.size());
    if constexpr (is_gpu) {
      if (out.stride == 1) return from_host(from, Entries(out.data, from.size()));
      Kokkos::View<T*, typename Exec::memory_space> const copy(
          Kokkos::view_alloc(exec_, std::string("tessera::stream::output"),
                             Kokkos::WithoutInitializing),
          from.size());
      from_host(from, copy);
      copy_vector<T>(exec_, "tessera::stream::copy", count, copy.data(), 1, out);
    } else {
      copy_vector<T>(exec_, "tessera::stream::copy", count, from.data(), 1, out);
    }
    exec_.fence("tessera::stream: output is restored");
  }
  /// Fences.
  [[nodiscard]] std::vector<T> saved_output(OutputVector<T> const& out, Index count) const {
    auto const size = static_cast<std::size_t>(count);
    if constexpr (is_gpu) {
      exec_.fence("tessera::stream: output is there");
      if (out.stride == 1) return to_host<T>(Entries(out.data, size));
      Kokkos::View<T*, typename Exec::memory_space> const copy(
          Kokkos::view_alloc(exec_, std::string("tessera::stream::output"),
                             Kokkos::WithoutInitializing),
          size);
      copy_vector<T>(exec_, "tessera::stream::copy", count, out.data, out.stride, {copy.data(), 1});
      exec_.fence("tessera::stream: output is copied");
      return to_host<T>(copy);
    } else {
      std::vector<T> saved(size);
      copy_vector<T>(exec_, "tessera::stream::copy", count, out.data, out.stride,
                     {saved.data(), 1});
      exec_.fence("tessera::stream: output is copied");
      return saved;
    }
  }

  [[nodiscard]] Index entries(Index done) const {
    if (done == 0) return 0;
    Part const part = plan_.blocks.part(done - 1);
    return part.first + part.count;
  }

  void tell(WorkOf const& work, Index block) const {
    auto const bytes = [&](Index count) { return static_cast<std::size_t>(count) * sizeof(T); };
    Progress const progress{block + 1, plan_.blocks.count(), bytes(entries(block + 1) * across()),
                            bytes(extents_.count * extents_.length)};
    if (options_.on_state && options_.wants_state && options_.wants_state(progress)) {
      options_.on_state(state_after(work, block));
    }
    if (options_.on_progress) options_.on_progress(progress);
  }
  [[nodiscard]] State<T> state_after(WorkOf const& work, Index block) const {
    State<T> state;
    state.of = identity();
    state.blocks_done = block + 1;
    state.block_lines = blocks().size();
    work.save(state, block);
    auto const out = work.output();
    if (out.data != nullptr) state.output = saved_output(out, entries(block + 1));
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
  Source source_;
  Vectors vectors_;
  Options<T> const& options_;
  Extents extents_;
  int readers_;
  Plan plan_;
  Report report_;
};

}  // namespace tessera::stream::detail
