// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <app/checkpoint/checkpoint.hpp>
#include <tessera/stream/options.hpp>

namespace tessera::app {

/// A state of a job as a checkpoint, which has the state's elements.
template <class T>
Checkpoint to_checkpoint(stream::State<T> const& state, CheckpointJob const& job) {
  Checkpoint c{.job = job,
               .blocks_done = state.blocks_done,
               .block_lines = state.block_lines,
               .waiting = {},
               .chain = std::as_bytes(std::span(state.chain)),
               .output = std::as_bytes(std::span(state.output))};
  for (auto const& sum : state.waiting) c.waiting.push_back(std::as_bytes(std::span(sum)));
  return c;
}

/// The state in a checkpoint, which is read to its end.
/// @throws io::FileError bad_input when it is damaged, or not one of elements of T
template <class T>
stream::State<T> read_state(CheckpointFile& file) {
  std::vector<std::vector<T>> vectors;
  for (std::uint64_t const size : file.sizes()) {
    if (size % sizeof(T) != 0) file.fail("a part of an element is left over");
    file.read(std::as_writable_bytes(std::span(vectors.emplace_back(size / sizeof(T)))));
  }
  file.finish();
  stream::State<T> state;
  state.of = file.job().state;
  state.blocks_done = file.blocks_done();
  state.block_lines = file.block_lines();
  state.output = std::move(vectors.back());
  vectors.pop_back();
  state.chain = std::move(vectors.back());
  vectors.pop_back();
  state.waiting = std::move(vectors);
  return state;
}

}  // namespace tessera::app
