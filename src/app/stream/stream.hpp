// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <app/run/run.hpp>
#include <io/matrix_reader.hpp>

namespace tessera::app {

/// A matrix that is streamed from its file, and what to do with it.
struct StreamRequest {
  io::MatrixReader const& reader;
  io::HostVector const& x;
  io::ScalarType type;  ///< to compute in, that of x
  Method method = Method::automatic;
  Kernels kernels = Kernels::automatic;
  BackendChoice backend = BackendChoice::automatic;
  bool keep_intermediate = false;
  std::uint64_t memory_limit = 0;  ///< bytes for all that is held at a time
  std::string checkpoint = {};     ///< a file; empty: none
  double checkpoint_seconds = 60;  ///< between two checkpoints
};

/// Streams once over the file.
/// @throws Failure, io::FileError
[[nodiscard]] Measurement stream_atax(StreamRequest const& request);
/// @copydoc stream_atax
[[nodiscard]] Measurement stream_multiply(StreamRequest const& request);
/// @copydoc stream_atax
[[nodiscard]] Measurement stream_multiply_transposed(StreamRequest const& request);

}  // namespace tessera::app
