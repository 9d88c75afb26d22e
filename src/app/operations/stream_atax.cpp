// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/stream/stream_typed.hpp>

namespace tessera::app {

Measurement stream_atax(StreamRequest const& request) {
  return run_streamed(request, OperationId::atax, request.keep_intermediate, true,
                      [&](auto const& exec, auto const& source, auto const& v, auto const& out,
                          auto const& options) {
                        if (request.keep_intermediate) {
                          return stream::atax(exec, source, v, out.rows, out.cols, options);
                        }
                        return stream::atax(exec, source, v, out.cols, options);
                      });
}

}  // namespace tessera::app
