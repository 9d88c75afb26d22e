// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/stream/stream_typed.hpp>

namespace tessera::app {

Measurement stream_multiply_transposed(StreamRequest const& request) {
  return run_streamed(request, OperationId::multiply_transposed, false, true,
                      [](auto const& exec, auto const& source, auto const& b, auto const& out,
                         auto const& options) {
                        return stream::multiply_transposed(exec, source, b, out.cols, options);
                      });
}

}  // namespace tessera::app
