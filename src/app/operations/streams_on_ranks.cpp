// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/operations/on_ranks.hpp>
#include <app/ranks/communicator.hpp>
#include <app/stream/calls.hpp>
#include <tessera/distributed/stream.hpp>

namespace tessera::app {

Measurement stream_on_ranks(OperationId id, StreamRequest const& request) {
  auto const all = []<class Exec>(Exec const& exec) {
    return Distributed<Exec>(communicator(), exec);
  };
  Measurement measurement = [&] {
    switch (id) {
      case OperationId::multiply:
        return stream_multiply_at(request, all);
      case OperationId::multiply_transposed:
        return stream_multiply_transposed_at(request, all);
      case OperationId::multiply_both:
        return stream_multiply_both_at(request, all);
      default:
        return stream_atax_at(request, all);
    }
  }();
  RankFacts const facts{.streams = true,
                        .bytes_read = measurement.stream->bytes_read,
                        .seconds = measurement.seconds.median};
  communicator()->together([] {});  // who has failed meets the others here
  measurement.ranks = communicator()->gather(facts);
  measurement.exchange = "mpi from host memory";
  measurement.bytes = 0;
  for (RankFacts const& rank : measurement.ranks) measurement.bytes += rank.bytes_read;
  return measurement;
}

}  // namespace tessera::app
