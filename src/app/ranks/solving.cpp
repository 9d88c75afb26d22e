// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <functional>
#include <type_traits>

#include <app/ranks/mpi.hpp>
#include <app/ranks/rows.hpp>
#include <app/run/run_typed.hpp>
#include <app/run/stored_typed.hpp>
#include <app/solve/solve.hpp>
#include <app/stream/stream_typed.hpp>
#include <tessera/backends/backends.hpp>
#include <tessera/distributed.hpp>
#include <tessera/distributed/operator.hpp>

namespace tessera::app {

Reading with_operator_on_ranks(SolveRequest const& r,
                               std::function<void(AnyOperator const& op)> const& work) {
  auto const& info = r.reader.info();
  Shape const shape = shape_of(info, r.type);
  Reading reading{.is_narrowed = info.type == io::ScalarType::f64 && r.type == io::ScalarType::f32};
  with_types(shape, r.place.backend.choice, [&]<class Exec, class T, class Layout>() {
    Exec const exec;
    Distributed<Exec> const world(communicator(), exec);
    if (r.place.stream) {
      with_stream<T, Layout>(
          r.reader, r.place.stream->memory_limit, r.vectors, r.place.kernels,
          [](auto const& /*source*/) { return std::size_t{0}; },  // ranks agree on it later
          [&](auto const& source, stream::Options<T> const& options) {
            solve::DistributedStreamOperator<Exec, FileSource<T, Layout>> const op(world, source,
                                                                                   options);
            reading.exchange = "mpi from host memory";
            work(&op);
          });
      return;
    }
    using namespace distributed::detail;
    auto const mine =
        r.in_segments ? even_rows({shape.rows, summation::segment<T>}, world.rank(), world.size())
                      : world.template rows_of<T, Layout>(shape.rows, shape.cols);
    RankFacts facts;
    auto const solve_with = [&](auto const& A) {
      reading.seconds = facts.read_seconds;
      solve::detail::OperatorOnRanks const op(world, A,
                                              AtaxOptions<Exec, T>{.kernels = r.place.kernels});
      reading.ranks = communicator()->gather(facts);
      reading.exchange = world.exchange();
      work(&op);
    };
    if constexpr (std::is_same_v<T, float> && !backends::Backend<Exec>::is_gpu) {
      if (r.place.holds_stored) {
        return with_narrow_type(info.stored, [&]<class S>(S) {
          auto const A = read_stored_rows<S, Layout>(r.reader, mine, facts);
          solve_with(tessera::detail::narrow_in<T>(A));
        });
      }
    }
    auto const A = read_rows<Exec, T, Layout>(exec, r.reader, mine, facts);
    solve_with(tessera::detail::matrix_in(A));
  });
  return reading;
}

}  // namespace tessera::app
