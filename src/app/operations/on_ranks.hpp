// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <app/run/run.hpp>
#include <app/stream/stream.hpp>

namespace tessera::app {

/// Runs an operation on all ranks, each of which reads its rows; results are whole on each. Neither
/// memory_limit nor checkpoint of the request is looked at.
/// @throws Failure, io::FileError
[[nodiscard]] Measurement run_on_ranks(OperationId id, StreamRequest const& request, int repeat);

/// Streams on all ranks, each of which reads a part of the file, as the operations of one process
/// do; results are whole on each.
/// @throws Failure, io::FileError, DistributedError
[[nodiscard]] Measurement stream_on_ranks(OperationId id, StreamRequest const& request);

}  // namespace tessera::app
