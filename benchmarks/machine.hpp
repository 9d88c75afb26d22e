// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problem.hpp"

/// What differs between measuring a host and a GPU; host_machine.cpp and cuda_machine.cpp each
/// implement it, and a build has one of them.
namespace benchmarks {

/// How long work took.
struct Elapsed {
  double seconds;                      ///< from its start to the end of its last kernel
  std::optional<double> host_seconds;  ///< until the calls had returned, where they do so early
};

/// Times what `enqueue` enqueues on `exec`. Nothing else may be under way there.
Elapsed time(Exec const& exec, std::function<void()> const& enqueue);

/// Calls that may wait for their turn without the next one blocking.
int most_calls_under_way();

/// Bytes that are read between two reads of the same matrix so that no cache holds it; 0 where the
/// benchmark means caches to be used.
std::size_t bytes_to_rotate();

/// Bytes of memory that can be allocated for matrices.
std::size_t free_bytes();

/// Facts about the machine for the report, as (name, value).
std::vector<std::pair<std::string, std::string>> facts();

}  // namespace benchmarks
