// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/checks.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/stream/detail/blocks.hpp>
#include <tessera/stream/detail/tree.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/source.hpp>
#include <tessera/stream/state.hpp>

/// States of streams: what they belong to, saving and restoring.
namespace tessera::stream::detail {

/// Identifies the states of an operation on this matrix.
template <class T, class Layout>
StateOf state_of(std::string const& operation, AnySource<T, Layout> const& source) {
  return {.operation = operation,
          .scalar = sizeof(T) == sizeof(float) ? "float" : "double",
          .layout = std::is_same_v<Layout, Kokkos::LayoutRight> ? "rows" : "columns",
          .order = order_version,
          .rows = source.rows(),
          .cols = source.cols()};
}

/// @throws std::invalid_argument for a state of another operation or matrix
inline void require_state_of(std::string const& operation, StateOf const& expected,
                             StateOf const& found) {
  if (found == expected) return;
  checks::fail(operation, "expected a state of " + to_string(expected) +
                              " to resume from, found one of " + to_string(found));
}

template <class T>
bool takes_states(Options<T> const& options) {
  return options.resume != nullptr || (options.on_state && options.wants_state);
}

/// Restores a state before the first block, and reports progress and states after each block.
template <class Exec, class T>
class StateKeeper {
 public:
  StateKeeper(Exec const& exec, std::string operation, StateOf of, Blocks const& blocks,
              Options<T> const& options)
      : exec_(exec),
        operation_(std::move(operation)),
        of_(std::move(of)),
        blocks_(blocks),
        options_(options) {}

  /// Restores the state to resume from, if any. Returns the first block to compute.
  /// @throws std::invalid_argument for a state that `work` refuses
  template <class Work>
  [[nodiscard]] Index resume(Work& work) const {
    State<T> const* const state = options_.resume;
    if (state == nullptr) return 0;
    Index const done = state->blocks_done;
    auto const out = work.output();
    bool const is_whole =
        done >= 0 && done <= blocks_.count() &&
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

  /// Calls the callbacks of the options.
  template <class Work>
  void tell(Work const& work, Index block) const {
    auto const bytes = [](Index elements) {
      return static_cast<std::size_t>(elements) * sizeof(T);
    };
    Progress const progress{block + 1, blocks_.count(),
                            bytes(entries(block + 1) * blocks_.across()),
                            bytes(blocks_.elements())};
    if (options_.on_state && options_.wants_state && options_.wants_state(progress)) {
      options_.on_state(state_after(work, block));
    }
    if (options_.on_progress) options_.on_progress(progress);
  }

 private:
  using Memory = Kokkos::View<T*, typename Exec::memory_space>;
  using Entries =
      Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  static constexpr bool is_gpu = backends::Backend<Exec>::is_gpu;

  /// Of the output, complete after `done` blocks.
  [[nodiscard]] Index entries(Index done) const {
    if (done == 0) return 0;
    Part const part = blocks_.part(done - 1);
    return part.first + part.count;
  }

  template <class Work>
  [[nodiscard]] State<T> state_after(Work const& work, Index block) const {
    State<T> state;
    state.of = of_;
    state.blocks_done = block + 1;
    state.block_lines = blocks_.size();
    work.save(state, block);
    auto const out = work.output();
    if (out.data != nullptr) state.output = saved_output(out, entries(block + 1));
    return state;
  }

  /// Fences.
  void restore_output(std::vector<T> const& from, OutputVector<T> const& out) const {
    auto const count = static_cast<Index>(from.size());
    if constexpr (is_gpu) {
      if (out.stride == 1) return from_host(from, Entries(out.data, from.size()));
      Memory const copy = memory(from.size());
      from_host(from, copy);
      tessera::detail::copy_vector<T>(exec_, "tessera::stream::copy", count, copy.data(), 1, out);
    } else {
      tessera::detail::copy_vector<T>(exec_, "tessera::stream::copy", count, from.data(), 1, out);
    }
    exec_.fence("tessera::stream: output is restored");
  }
  /// Fences.
  [[nodiscard]] std::vector<T> saved_output(OutputVector<T> const& out, Index count) const {
    auto const size = static_cast<std::size_t>(count);
    auto const copy_to = [&](T* to) {
      tessera::detail::copy_vector<T>(exec_, "tessera::stream::copy", count, out.data, out.stride,
                                      {to, 1});
      exec_.fence("tessera::stream: output is copied");
    };
    if constexpr (is_gpu) {
      exec_.fence("tessera::stream: output is there");
      if (out.stride == 1) return to_host<T>(Entries(out.data, size));
      Memory const copy = memory(size);
      copy_to(copy.data());
      return to_host<T>(copy);
    } else {
      std::vector<T> saved(size);
      copy_to(saved.data());
      return saved;
    }
  }
  [[nodiscard]] Memory memory(std::size_t entries) const {
    return Memory(Kokkos::view_alloc(exec_, std::string("tessera::stream::output"),
                                     Kokkos::WithoutInitializing),
                  entries);
  }

  Exec exec_;
  std::string operation_;
  StateOf of_;
  Blocks blocks_;
  Options<T> options_;
};

}  // namespace tessera::stream::detail
