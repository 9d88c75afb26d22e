// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/distributed.hpp>
#include <tessera/distributed/detail/shares.hpp>
#include <tessera/distributed/detail/sum_of_roots.hpp>
#include <tessera/distributed/error.hpp>
#include <tessera/order/vector_stack.hpp>
#include <tessera/stream/detail/blocks.hpp>
#include <tessera/stream/detail/plan.hpp>
#include <tessera/stream/detail/states.hpp>
#include <tessera/stream/detail/tree.hpp>
#include <tessera/stream/options.hpp>

/// Streams with a part per rank.
namespace tessera::distributed::detail {

using stream::detail::Cut;
using stream::detail::Extents;

template <class T>
struct StreamedWork {
  std::string operation;
  Index sum = 0;  ///< length of the sum over all parts; 0: no sum
  /// Each part computes its entries of this output.
  tessera::detail::OutputVector<T> grown{nullptr, 1};
};

/// A binary counter of subtrees, on the host.
template <class T>
class SumsOfSubtrees {
 public:
  using Sum = std::vector<T>;

  void push(Sum sum, int level) {
    backends::host::OrdinaryArithmetic const mode;
    auto l = static_cast<std::size_t>(level);
    for (; l < waiting_.size() && !waiting_[l].empty(); ++l) {
      join(sum, waiting_[l]);
      waiting_[l].clear();
    }
    put(std::move(sum), l);
  }
  void put(Sum sum, std::size_t level) {
    if (waiting_.size() <= level) waiting_.resize(level + 1);
    waiting_[level] = std::move(sum);
  }
  [[nodiscard]] Sum finish() const {
    backends::host::OrdinaryArithmetic const mode;
    Sum sum;
    for (Sum const& older : waiting_) {
      if (older.empty()) continue;
      if (sum.empty()) {
        sum = older;
      } else {
        join(sum, older);
      }
    }
    for (T& entry : sum) entry += T(0);
    return sum;
  }
  [[nodiscard]] std::vector<Sum> save(std::size_t first, std::size_t levels) const {
    std::vector<Sum> saved(levels);
    for (std::size_t l = first; l < waiting_.size(); ++l) saved[l - first] = waiting_[l];
    return saved;
  }

 private:
  static void join(Sum& newer, Sum const& older) {
    tessera::detail::add_vector(newer.data(), older.data(), static_cast<Index>(newer.size()));
  }
  std::vector<Sum> waiting_;
};

/// Ranks stream aligned subtrees (docs/distributed.md). Only sums of type S = T have states.
template <class Exec, class T, class Layout, Cut cut, class S = T>
class StreamOnRanks {
 public:
  using Source = stream::detail::AnySource<T, Layout>;
  static constexpr bool row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;
  static constexpr bool cuts_lines = cut != Cut::tiles;

  StreamOnRanks(Distributed<Exec> const& world, std::string operation, Source const& source,
                StreamedWork<T> work, stream::Options<T> const& options,
                Joining<S> const& joining = {})
      : world_(world),
        operation_(std::move(operation)),
        source_(source),
        work_(std::move(work)),
        options_(options),
        joining_(joining),
        extents_(stream::detail::extents_of(source)),
        total_(cuts_lines ? extents_.count : extents_.length),
        across_(cuts_lines ? extents_.length : extents_.count),
        unit_(cut == Cut::lines    ? 1
              : cut == Cut::panels ? extents_.panel()
                                   : Index{summation::segment<T>}) {}

  /// run(part, first, sum, options) streams and sums lines, or elements of all lines, from number
  /// `first`. `out`: the sum over all parts.
  template <class Run>
  stream::Report operator()(Run const& run, tessera::detail::OutputVector<S> const& out) {
    world_.together([&] { begin(); });
    agree_on_blocks();
    while (done_ < total_) {
      Rows const round{done_, std::min(total_ - done_, lines_of_round())};
      do_round(round, run);
      done_ = round.end();
      tell();
    }
    world_.together([&] {
      if (work_.sum == 0) return;
      Memory const sum = memory(work_.sum);
      stream::detail::from_host(sums_.finish(), sum);
      tessera::detail::copy_vector<S>(world_.exec(), "tessera::distributed::copy", work_.sum,
                                      sum.data(), 1, out);
      world_.exec().fence("tessera::stream: result is there");
    });
    return report_;
  }

 private:
  using Blocks = stream::detail::Blocks;
  using Memory = Kokkos::View<S*, typename Exec::memory_space>;
  using Entries =
      Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  static constexpr bool has_states = std::is_same_v<S, T>;

  [[nodiscard]] bool takes_states() const {
    return has_states && stream::detail::takes_states(options_);
  }

  [[nodiscard]] std::optional<Blocks> blocks() const {
    if (options_.resume != nullptr) {
      return Blocks::of_size<T>(extents_, cut, options_.resume->block_lines);
    }
    auto const machine = stream::detail::Machine::of(world_.exec());
    auto const slots = static_cast<std::size_t>(machine.host_slots());
    return Blocks::of<T>(extents_, cut, machine.target_bytes(),
                         options_.memory_limit / (slots + 1));
  }
  /// Levels of subtrees smaller than a block.
  [[nodiscard]] std::size_t levels_in_block() const {
    Index const units = std::max(Index{1}, summation::ceil_div(blocks_->size(), unit_));
    return static_cast<std::size_t>(summation::tree_levels(units));
  }
  [[nodiscard]] std::size_t levels_of_state() const {
    return static_cast<std::size_t>(summation::tree_levels(blocks_->subtrees())) + 1;
  }

  void begin() {
    if (!takes_states()) return;
    blocks_ = blocks();
    if (options_.resume != nullptr) return go_on_from(*options_.resume);
    // If no line fits the limit, the first part throws.
    if (!blocks_) blocks_ = Blocks::of<T>(extents_, cut, 1, std::numeric_limits<Index>::max());
  }
  /// Takes the smallest blocks of all ranks.
  void agree_on_blocks() {
    if (!blocks_ || options_.resume != nullptr) return;
    std::vector<Index> const sizes = world_.communicator().gather(blocks_->size());
    blocks_ = Blocks::of_size<T>(extents_, cut, std::ranges::min(sizes));
  }
  [[nodiscard]] stream::StateOf identity() const {
    return stream::detail::state_of(work_.operation, source_);
  }
  void go_on_from(stream::State<T> const& state) {
    stream::detail::require_state_of(operation_, identity(), state.of);
    bool fits =
        blocks_.has_value() && state.blocks_done >= 0 && state.blocks_done <= blocks_->count();
    if (fits && !state.chain.empty()) {
      checks::fail(operation_,
                   "expected a state at the end of a panel, found one inside: resume with one "
                   "process");
    }
    Index done = 0;
    if (fits && state.blocks_done > 0) {
      auto const last = blocks_->part(state.blocks_done - 1);
      done = last.first + last.count;
    }
    fits =
        fits && static_cast<Index>(state.output.size()) == (work_.grown.data == nullptr ? 0 : done);
    if (fits && work_.sum > 0) {
      fits = state.waiting.size() == levels_of_state();
      Index const subtrees = done == 0 ? 0 : blocks_->subtree(state.blocks_done - 1) + 1;
      for (std::size_t l = 0; fits && l < state.waiting.size(); ++l) {
        Index const expected = ((subtrees >> l) & 1) != 0 ? work_.sum : 0;
        fits = static_cast<Index>(state.waiting[l].size()) == expected;
      }
    }
    if (!fits || (done % unit_ != 0 && done != total_)) {
      checks::fail(operation_,
                   "expected a state with the sums and the output that its blocks leave, found "
                   "others");
    }
    for (std::size_t l = 0; l < state.waiting.size(); ++l) {
      if constexpr (has_states) {
        if (!state.waiting[l].empty()) sums_.put(state.waiting[l], l + levels_in_block());
      }
    }
    if (!state.output.empty()) {
      stream::detail::from_host(state.output, Entries(work_.grown.data, state.output.size()));
    }
    done_ = done;
  }

  /// An aligned group of units if states are wanted, otherwise all.
  [[nodiscard]] Index lines_of_round() const {
    if (!takes_states()) return total_ - done_;
    using tessera::detail::ceil_power_of_two;
    Index const wanted = ceil_power_of_two(2 * world_.size()) * std::max(blocks_->size(), unit_);
    if (cut == Cut::lines) return wanted;
    Index const most = ceil_power_of_two(summation::ceil_div(wanted, unit_));
    auto const done = static_cast<std::uint64_t>(done_ / unit_);
    Index const aligned = done == 0 ? most : Index{1} << std::countr_zero(done);
    return std::min(most, aligned) * unit_;
  }

  template <class Run>
  void do_round(Rows const& round, Run const& run) {
    Units const units{round.count, unit_};
    auto const rows_by_rank = even_rows_by_rank(units, world_.size());
    if (work_.sum > 0) {
      add_subtrees(units, rows_by_rank, round, run);
    } else {
      Rows const mine = rows_by_rank[static_cast<std::size_t>(world_.rank())];
      together_within_limit([&] {
        if (mine.count == 0) return;
        take({round.first + mine.first, mine.count}, {nullptr, 1}, round, mine.count, run);
      });
    }
    if (work_.grown.data == nullptr) return;
    Entries const entries(work_.grown.data + round.first, static_cast<std::size_t>(round.count));
    world_.share_rows(entries, rows_by_rank);
  }

  template <class Run>
  void add_subtrees(Units const& units, std::vector<Rows> const& rows_by_rank, Rows const& round,
                    Run const& run) {
    std::optional<SumOfRoots<S>> sum;
    Share share;
    world_.together([&] {
      std::vector<std::vector<int>> levels;
      for (Rows const& rows : rows_by_rank) {
        Share const its = share_of(units, rows);
        if (std::ssize(levels) == world_.rank()) share = its;
        auto& of_rank = levels.emplace_back();
        for (auto const& subtree : its.whole) of_rank.push_back(subtree.level);
      }
      std::size_t all = 0;
      for (auto const& its : levels) all += its.size();
      Index const of_ranks = summation::ceil_div(static_cast<Index>(all), world_.size());
      vectors_of_round_ = 2 * static_cast<Index>(share.whole.size()) + of_ranks + 2;
      sum.emplace(world_.communicator(), std::move(levels), work_.sum, joining_);
    });
    together_within_limit([&] {
      Memory const root = memory(share.whole.empty() ? 0 : work_.sum);
      Index lines = 0;
      std::vector<std::size_t> order;
      for (auto const& subtree : share.whole) {
        lines += subtree.rows.count;
        order.push_back(order.size());
      }
      // Largest first, so that a LimitError reports this rank's greatest need.
      std::ranges::stable_sort(order, std::ranges::greater{},
                               [&](std::size_t i) { return share.whole[i].rows.count; });
      for (std::size_t const i : order) {
        Rows const& rows = share.whole[i].rows;
        take({round.first + rows.first, rows.count}, {root.data(), 1}, round, lines, run);
        std::ranges::copy(stream::detail::to_host<S>(root),
                          sum->roots() + static_cast<Index>(i) * work_.sum);
      }
    });
    std::vector<S> const& sums = (*sum)();
    world_.together([&] {
      int const level = summation::tree_levels(units.count());
      sums_.push({sums.begin(), sums.end()}, level);
    });
  }

  /// As Distributed::together; limit errors report the largest need of all ranks.
  template <class Body>
  void together_within_limit(Body const& body) {
    std::size_t needed = 0;
    try {
      world_.together([&] {
        try {
          body();
        } catch (stream::LimitError const& error) {
          needed = error.needed();
          throw;
        }
      });
    } catch (DistributedError const& error) {
      struct Need {
        std::size_t bytes, limit;
      };
      auto const all = world_.communicator().gather(Need{needed, options_.memory_limit});
      if (all[static_cast<std::size_t>(error.rank())].bytes == 0) throw;  // another error was first
      auto const greatest = std::ranges::max_element(all, {}, &Need::bytes);
      throw DistributedLimitError(
          static_cast<int>(greatest - all.begin()),
          stream::LimitError(operation_, greatest->bytes, greatest->limit).what(), greatest->bytes);
    }
  }

  template <class Run>
  void take(Rows const& part, tessera::detail::OutputVector<S> sum, Rows const& round, Index lines,
            Run const& run) {
    stream::Options<T> options = options_;
    options.on_state = {};
    options.wants_state = {};
    options.resume = nullptr;
    std::size_t const beside = bytes_beside();
    options.memory_limit -= std::min(options.memory_limit, beside);
    std::size_t const before = bytes_of_round_;
    if (options_.on_progress) {
      // Assumes equal progress of the other ranks.
      auto const share = static_cast<double>(round.count) / static_cast<double>(lines);
      options.on_progress = [this, before, share, &round](stream::Progress const& p) {
        auto const done = share * static_cast<double>(before + p.bytes_done);
        options_.on_progress({p.blocks_done, p.blocks,
                              std::min(bytes_of(round.end()),
                                       bytes_of(round.first) + static_cast<std::size_t>(done)),
                              bytes_of(total_)});
      };
    }
    try {
      add(run(part_of(part), part.first, sum, options));
    } catch (stream::LimitError const& error) {
      throw stream::LimitError(operation_, error.needed() + beside, options_.memory_limit);
    }
    bytes_of_round_ += bytes_of(part.count);
  }

  [[nodiscard]] Source part_of(Rows const& part) const {
    auto const block =
        cuts_lines ? stream::detail::block_of<row_major>(part.first, part.count, 0, extents_.length)
                   : stream::detail::block_of<row_major>(0, extents_.count, part.first, part.count);
    return source_.part(block, extents_.panel());
  }
  [[nodiscard]] std::size_t bytes_of(Index lines) const {
    return static_cast<std::size_t>(lines * across_) * sizeof(T);
  }
  [[nodiscard]] std::size_t bytes_beside() const {
    Index entries = (vectors_of_round_ + 1) * work_.sum;
    if (takes_states()) {
      entries += 2 * static_cast<Index>(levels_of_state()) * work_.sum;
      if (work_.grown.data != nullptr) entries += total_;
    }
    return static_cast<std::size_t>(entries) * sizeof(S);
  }
  [[nodiscard]] Memory memory(Index entries) const {
    return Memory(Kokkos::view_alloc(world_.exec(), std::string("tessera::distributed::sum"),
                                     Kokkos::WithoutInitializing),
                  static_cast<std::size_t>(entries));
  }

  void add(stream::Report const& part) {
    report_.blocks += part.blocks;
    report_.kernels = part.kernels;
    report_.block_bytes = std::max(report_.block_bytes, part.block_bytes);
    report_.host_bytes = std::max(report_.host_bytes, part.host_bytes + bytes_beside());
    report_.device_bytes = std::max(report_.device_bytes, part.device_bytes);
    report_.bytes_read += part.bytes_read;
    report_.seconds_waiting_for_data += part.seconds_waiting_for_data;
    report_.seconds_waiting_for_work += part.seconds_waiting_for_work;
  }

  /// The first rank decides for all.
  void tell() {
    bytes_of_round_ = 0;
    if (!takes_states() || done_ == total_ || !options_.on_state || !options_.wants_state) return;
    Index const blocks_done = blocks_of(done_);
    stream::Progress const progress{blocks_done, blocks_->count(), bytes_of(done_),
                                    bytes_of(total_)};
    int is_wanted = 0;
    world_.together([&] { is_wanted = options_.wants_state(progress) ? 1 : 0; });
    world_.communicator().broadcast(&is_wanted, 1, 0);
    if (is_wanted == 0) return;
    world_.together([&] {
      stream::State<T> state;
      state.of = identity();
      state.blocks_done = blocks_done;
      state.block_lines = blocks_->size();
      if constexpr (has_states) {
        if (work_.sum > 0) state.waiting = sums_.save(levels_in_block(), levels_of_state());
      }
      if (work_.grown.data != nullptr) {
        Entries const done(work_.grown.data, static_cast<std::size_t>(done_));
        state.output = stream::detail::to_host<T>(done);
      }
      options_.on_state(state);
    });
  }
  /// Blocks of one process.
  [[nodiscard]] Index blocks_of(Index line) const {
    return line / std::max(unit_, blocks_->size()) * blocks_->pieces();
  }

  Distributed<Exec> const& world_;
  std::string operation_;
  Source source_;
  StreamedWork<T> work_;
  stream::Options<T> options_;
  Joining<S> joining_;  ///< without states, of all subtrees
  Extents extents_;
  Index total_;  ///< lines, or elements of all lines
  Index across_;
  Index unit_;  ///< lines or elements per leaf
  std::optional<Blocks> blocks_;
  Index done_ = 0;
  Index vectors_of_round_ = 0;  ///< vectors of the sum's length, to add roots
  std::size_t bytes_of_round_ = 0;
  SumsOfSubtrees<S> sums_;
  stream::Report report_;
};

}  // namespace tessera::distributed::detail
