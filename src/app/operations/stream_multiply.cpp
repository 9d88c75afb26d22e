// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/stream/stream_typed.hpp>

namespace tessera::app {

Measurement stream_multiply(StreamRequest const& request) {
  return run_streamed(
      request, OperationId::multiply, true, false,
      [](auto const& exec, auto const& source, auto const& v, auto const& out,
         auto const& options) { return stream::multiply(exec, source, v, out.rows, options); });
}

}  // namespace tessera::app
