// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include <app/checkpoint/checkpoint.hpp>
#include <app/run/operations.hpp>
#include <app/stream/stream.hpp>

namespace tessera::app {

/// What a checkpoint of this run says of its job. @throws io::FileError bad_input
[[nodiscard]] CheckpointJob checkpoint_job(StreamRequest const& request, OperationId id,
                                           bool with_b);

}  // namespace tessera::app
