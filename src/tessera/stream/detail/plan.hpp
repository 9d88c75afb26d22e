// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <tessera/backends/backends.hpp>
#include <tessera/checks.hpp>
#include <tessera/stream/detail/blocks.hpp>
#include <tessera/stream/detail/reading.hpp>
#include <tessera/stream/detail/states.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/state.hpp>

/// Plans a stream: its blocks, transfers, threads and memory. Allocates nothing.
namespace tessera::stream::detail {

/// Two, so that the next begins as soon as one ends.
inline constexpr int copies_at_once = 2;
/// Transfers may belong to two blocks; one block is used, and the previous one may still be.
inline constexpr int device_slots = copies_at_once + 2;

/// The backend that takes the blocks.
struct Machine {
  bool is_gpu = false;
  int threads = 1;  ///< that compute
  int processors = 1;

  template <class Exec>
  static Machine of(Exec const& exec) {
    return {.is_gpu = backends::Backend<Exec>::is_gpu,
            .threads = static_cast<int>(exec.concurrency()),
            .processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))};
  }

  /// Slots in host memory. Hosts: one block is read, one ready, one used. GPUs: some transfers are
  /// sent while others are read.
  [[nodiscard]] int host_slots() const { return is_gpu ? copies_at_once + 5 : 3; }
  /// On a host, blocks stay in cache until used, with some panels per thread; on a GPU they hide
  /// launches.
  [[nodiscard]] std::size_t target_bytes() const {
    constexpr std::size_t of_thread = std::size_t{4} << 20U;
    return is_gpu ? std::size_t{8} << 20U
                  : of_thread * static_cast<std::size_t>(std::max(2, threads));
  }
  /// Idle threads; for a GPU, a few. With more threads than processors, worker threads are
  /// preempted and all others wait.
  [[nodiscard]] int default_readers(int fewest) const {
    return is_gpu ? std::clamp(processors - 1, 1, 12) : std::clamp(processors - threads, fewest, 8);
  }
};

/// The vectors of a streamed operation.
struct Vectors {
  std::string operation;   ///< names the states
  std::size_t copied = 0;  ///< bytes of contiguous copies
  Index output = 0;        ///< entries of an output that grows by blocks; 0: none
  bool is_strided = false;
  Index count = 1;
  Index width = 1;  ///< sums of `count` columns each
};

/// Memory of the work on a stream.
struct WorkBytes {
  std::size_t kept = 0;       ///< for all blocks
  std::size_t per_block = 0;  ///< for the kernels of a block
  std::size_t to_read = 0;    ///< per thread that reads its lines in a kernel; 0: none does
};

/// What a plan depends on in addition to the options.
struct PlanInput {
  Extents extents{};
  Cut cut = Cut::lines;
  Machine machine;
  std::size_t bytes_at_once = 0;  ///< of the source
  bool kernels_may_read = false;  ///< may_read_in_kernels of the source
  bool work_reads_lines = false;  ///< WorkOnBlocks::reads_lines
  Vectors vectors;
  StateOf state;
  std::function<WorkBytes(Blocks const&)> bytes_of_work;

  /// True if parts cost as much as whole blocks.
  [[nodiscard]] bool reads_whole_blocks() const { return bytes_at_once > 0; }
  /// Whether threads that compute may read.
  [[nodiscard]] bool workers_may_read() const {
    return !machine.is_gpu && kernels_may_read && !reads_whole_blocks();
  }
};

/// Parts of blocks, each read into a slot: whole blocks on hosts, groups of lines for GPUs.
struct Transfers {
  Index lines = 0;  ///< fewer at the end of a block
  Index per_block = 1;
  std::size_t bytes = 0;
};

struct Plan {
  Blocks blocks;
  Transfers transfers;
  int readers = 0;  ///< threads that read ahead
  int slices = 0;   ///< per transfer, each read by one thread
  int slots = 0;    ///< in host memory, a transfer each
  bool workers_may_read = false;
  std::size_t bytes_of_reader = 0;  ///< of a thread that reads its lines; 0: none does
  std::size_t host_bytes = 0;
  std::size_t device_bytes = 0;

  /// The lines of a transfer, from the first of its block.
  [[nodiscard]] Part lines_of(Index transfer) const {
    Index const lines = blocks.line_count(transfer / transfers.per_block);
    Index const first = std::min(transfer % transfers.per_block * transfers.lines, lines);
    return {first, std::min(transfers.lines, lines - first)};
  }
};

/// The number of threads that read ahead. `wanted`: as in Options.
/// @throws std::invalid_argument if `wanted` is out of range
inline int reader_count(std::string const& operation, PlanInput const& input, int wanted) {
  if (wanted < -1 || wanted > most_readers) {
    checks::fail(operation, "readers must be -1, or between 0 and " + std::to_string(most_readers) +
                                ", found " + std::to_string(wanted));
  }
  if (wanted < 0 && !input.machine.is_gpu) return 0;
  if (input.reads_whole_blocks()) return 1;
  return wanted > 0 ? wanted : input.machine.default_readers(input.workers_may_read() ? 0 : 1);
}

/// Plans within a limit. See make_plan, which checks the options.
template <class T>
class Planner {
 public:
  /// `blocks`: of the state to resume from, if any.
  Planner(PlanInput input, int readers, std::optional<Blocks> blocks, bool takes_states)
      : input_(std::move(input)), readers_(readers), blocks_(blocks), takes_states_(takes_states) {}

  /// Nothing if no plan fits.
  [[nodiscard]] std::optional<Plan> operator()(std::size_t limit) const {
    if (blocks_) return plan_of(*blocks_, limit);
    std::size_t const target = std::max(
        input_.machine.target_bytes() * (threads_read_lines() ? 4 : 1), input_.bytes_at_once);
    // First guess: the work takes one block.
    std::size_t const slots = is_gpu() ? device_slots : host_slots();
    for (std::size_t most = limit / (slots + 1); most > 0;) {
      auto const blocks = Blocks::of<T>(input_.extents, input_.cut, target, most);
      if (!blocks) break;
      if (auto const found = plan_of(*blocks, limit)) return found;
      std::size_t const beside = bytes_beside(input_.bytes_of_work(*blocks));
      std::size_t const left = beside < limit ? (limit - beside) / slots : most / 2;
      // The work's memory can grow faster than the block: try half.
      most = std::min(std::max(left, most / 2), most - most / 8 - 1);
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool is_gpu() const { return input_.machine.is_gpu; }
  [[nodiscard]] std::size_t host_slots() const {
    return static_cast<std::size_t>(input_.machine.host_slots());
  }
  /// Blocks may then be larger: they need not stay in cache, and uneven threads wait less.
  [[nodiscard]] bool threads_read_lines() const {
    return input_.work_reads_lines && input_.workers_may_read() && readers_ == 0 &&
           LinesToRead<T>::lines_for(input_.extents.count, input_.extents.length) > 0;
  }

  [[nodiscard]] std::optional<Plan> plan_of(Blocks const& blocks, std::size_t limit) const {
    WorkBytes const work = input_.bytes_of_work(blocks);
    Plan plan{.blocks = blocks,
              .transfers = transfers(blocks, limit),
              .readers = readers_,
              .slices = readers_,
              .workers_may_read = input_.workers_may_read()};
    if (is_gpu()) {
      set_memory_of_gpu(plan, work, limit);
    } else {
      set_memory_of_host(plan, work);
    }
    bool const fits = plan.host_bytes <= limit && plan.device_bytes <= limit;
    return fits ? std::optional(plan) : std::nullopt;
  }
  [[nodiscard]] Transfers transfers(Blocks const& blocks, std::size_t limit) const {
    // Or one line. Small, as the first transfer waits for pinned memory; large enough that a copy
    // hides the start of the next.
    constexpr std::size_t bytes = std::size_t{4} << 20U;
    Index const lines = blocks.are_lines() ? blocks.size() : blocks.across();
    Index const length = blocks.are_lines() ? blocks.across() : blocks.size();
    std::size_t const line_bytes = static_cast<std::size_t>(length) * sizeof(T);
    std::size_t const wanted = std::min(bytes, limit / host_slots());
    Index const taken = is_gpu() && !input_.reads_whole_blocks()
                            ? std::clamp(static_cast<Index>(wanted / line_bytes), Index{1}, lines)
                            : lines;
    return {taken, ceil_div(lines, taken), static_cast<std::size_t>(taken) * line_bytes};
  }

  void set_memory_of_gpu(Plan& plan, WorkBytes const& work, std::size_t limit) const {
    constexpr std::size_t slice_bytes = std::size_t{512} << 10U;
    std::size_t const transfer = plan.transfers.bytes;
    plan.slices = std::clamp(
        static_cast<int>(ceil_div(static_cast<Index>(transfer), static_cast<Index>(slice_bytes))),
        1, readers_);
    plan.device_bytes = device_slots *
                            static_cast<std::size_t>(plan.blocks.size() * plan.blocks.across()) *
                            sizeof(T) +
                        bytes_beside(work);
    // Fewer slots if one line exceeds its share of the limit.
    std::size_t const state = state_bytes(work);
    std::size_t const fitting = (limit - std::min(limit, state)) / transfer;
    plan.slots =
        static_cast<int>(std::clamp(fitting, std::size_t{copies_at_once + 1}, host_slots()));
    plan.host_bytes = static_cast<std::size_t>(plan.slots) * transfer + state;
  }
  void set_memory_of_host(Plan& plan, WorkBytes const& work) const {
    std::size_t const in_slots = host_slots() * plan.transfers.bytes;
    std::size_t const in_threads = work.to_read * static_cast<std::size_t>(input_.machine.threads);
    // No thread reads if all together take more than slots would.
    bool const threads_read =
        readers_ == 0 && input_.workers_may_read() && work.to_read > 0 && in_threads <= in_slots;
    if (threads_read) {
      plan.bytes_of_reader = work.to_read;
    } else {
      plan.slots = readers_ > 0 ? input_.machine.host_slots() : 1;
    }
    plan.host_bytes = static_cast<std::size_t>(plan.slots) * plan.transfers.bytes +
                      (threads_read ? in_threads : 0) + bytes_beside(work);
  }

  /// In addition to the memory of blocks.
  [[nodiscard]] std::size_t bytes_beside(WorkBytes const& work) const {
    std::size_t const copied_output = !is_gpu() ? state_bytes(work)
                                      : takes_states_ && input_.vectors.is_strided ? output_bytes()
                                                                                   : 0;
    return input_.vectors.copied + copied_output + work.kept + work.per_block;
  }
  /// On the host.
  [[nodiscard]] std::size_t state_bytes(WorkBytes const& work) const {
    return takes_states_ ? work.kept + output_bytes() : 0;
  }
  [[nodiscard]] std::size_t output_bytes() const {
    return static_cast<std::size_t>(input_.vectors.output) * sizeof(T);
  }

  PlanInput input_;
  int readers_;
  std::optional<Blocks> blocks_;
  bool takes_states_;
};

/// The smallest limit that `plan_within` fits, at least `limit`.
template <class T>
std::size_t sufficient_limit(std::string const& operation, Planner<T> const& plan_within,
                             std::size_t limit) {
  constexpr std::size_t most = std::size_t{1} << 62U;
  std::size_t enough = std::max(limit, std::size_t{1});
  do {
    if (enough >= most) checks::fail(operation, "the matrix is too large");
    enough *= 2;
  } while (!plan_within(enough));
  std::size_t too_small = limit;
  while (enough - too_small > 1) {
    std::size_t const middle = too_small + (enough - too_small) / 2;
    (plan_within(middle) ? enough : too_small) = middle;
  }
  return enough;
}

/// Plans a stream of elements of type T within the limit of the options.
/// @throws LimitError if the limit is too small; it names the smallest sufficient one
/// @throws std::invalid_argument for a wrong number of readers and a state of another stream
template <class T>
Plan make_plan(std::string const& operation, PlanInput const& input, Options<T> const& options) {
  int const readers = reader_count(operation, input, options.readers);
  std::optional<Blocks> blocks;
  if (options.resume != nullptr) {
    require_state_of(operation, input.state, options.resume->of);
    blocks = Blocks::of_size<T>(input.extents, input.cut, options.resume->block_lines);
    if (!blocks) {
      checks::fail(operation,
                   "expected a state whose blocks are parts of the order of summation, "
                   "found blocks of " +
                       std::to_string(options.resume->block_lines) +
                       (input.cut != Cut::tiles ? " lines" : " elements of all lines"));
    }
  }
  Planner<T> const plan_within(input, readers, blocks, takes_states(options));
  std::size_t const limit = options.memory_limit;
  if (auto const plan = plan_within(limit)) return *plan;
  throw LimitError(operation, sufficient_limit(operation, plan_within, limit), limit);
}

}  // namespace tessera::stream::detail
