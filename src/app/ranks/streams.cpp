// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/ranks/mpi.hpp>
#include <app/run/run_typed.hpp>
#include <app/stream/stream.hpp>
#include <app/stream/stream_typed.hpp>
#include <tessera/distributed.hpp>
#include <tessera/distributed/stream.hpp>

namespace tessera::app {

Measurement stream_on_ranks(OperationId id, StreamRequest const& request) {
  auto const all = []<class Exec>(Exec const& exec) {
    return Distributed<Exec>(communicator(), exec);
  };
  Measurement measurement = stream_at(id, request, all);
  RankFacts const facts{.streams = true,
                        .bytes_read = measurement.stream->bytes_read,
                        .seconds = measurement.seconds.median};
  communicator()->together([] {});
  measurement.ranks = communicator()->gather(facts);
  measurement.exchange = "mpi from host memory";
  measurement.bytes = 0;
  for (RankFacts const& rank : measurement.ranks) measurement.bytes += rank.bytes_read;
  return measurement;
}

}  // namespace tessera::app
