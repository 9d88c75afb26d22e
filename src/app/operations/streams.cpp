// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/stream/calls.hpp>

namespace tessera::app {

Measurement stream_alone(OperationId id, StreamRequest const& request) {
  return stream_at(id, request, alone);
}

}  // namespace tessera::app
