// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include <app/checkpoint.hpp>
#include <tessera/stream/options.hpp>

namespace tessera::app {

/// The bytes of some elements.
template <class T>
std::vector<std::byte> bytes_of(std::vector<T> const& values) {
  auto const bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}
/// The elements of some bytes.
/// @throws std::invalid_argument for a part of an element
template <class T>
std::vector<T> values_of(std::vector<std::byte> const& bytes) {
  if (bytes.size() % sizeof(T) != 0)
    throw std::invalid_argument("a part of an element is left over");
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// A state of a job as a checkpoint.
template <class T>
Checkpoint to_checkpoint(stream::State<T> const& state, CheckpointJob const& job) {
  Checkpoint c{.job = job,
               .blocks_done = state.blocks_done,
               .block_lines = state.block_lines,
               .waiting = {},
               .chain = bytes_of(state.chain),
               .output = bytes_of(state.output)};
  for (auto const& sum : state.waiting) c.waiting.push_back(bytes_of(sum));
  return c;
}
/// The state in a checkpoint.
/// @throws std::invalid_argument when it is not one of elements of T
template <class T>
stream::State<T> to_state(Checkpoint const& c) {
  stream::State<T> state;
  state.blocks_done = c.blocks_done;
  state.block_lines = c.block_lines;
  state.chain = values_of<T>(c.chain);
  state.output = values_of<T>(c.output);
  for (auto const& sum : c.waiting) state.waiting.push_back(values_of<T>(sum));
  return state;
}

}  // namespace tessera::app
