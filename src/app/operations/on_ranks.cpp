// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <app/base/ranks.hpp>
#include <app/operations/on_ranks.hpp>
#include <app/ranks/communicator.hpp>
#include <app/run/run_typed.hpp>
#include <app/stream/calls.hpp>
#include <app/stream/stream_typed.hpp>
#include <tessera/distributed.hpp>
#include <tessera/distributed/stream.hpp>

namespace tessera::app {
namespace {

/// This rank's rows of a vector as long as a column; all of one without entries.
template <class Vector>
Vector some_of(Vector const& x, distributed::Rows const& rows) {
  if (x.size() == 0) return x;
  return Vector(x.data() + rows.first, static_cast<std::size_t>(rows.count));
}

}  // namespace

Measurement run_on_ranks(OperationId id, StreamRequest const& r, int repeat) {
  Measurement to;
  to.method = "distributed";
  auto const& info = r.reader.info();
  Shape const shape = shape_of(info, r.type);
  with_types(shape, r.backend, [&]<class Exec, class T, class Layout>() {
    Exec const exec;
    Distributed<Exec> const world(communicator(), exec);
    auto const mine = world.template rows_of<T, Layout>(shape.rows, shape.cols);
    RankFacts facts;
    auto const A = read_rows<Exec, T, Layout>(exec, r.reader, mine.first, mine.count, facts);
    std::string const& path = r.reader.path();
    auto const x = bring_vector<Exec, T>(exec, r.x, path, "the vector", to);
    TermsOnDevice<Exec, T> terms(exec, r.terms, path, to);
    terms.of_map = some_of(terms.of_map, mine);
    bool const is_both = id == OperationId::multiply_both;
    bool const wants_rows = id == OperationId::multiply || is_both || r.keep_intermediate;
    bool const wants_cols = id != OperationId::multiply;
    auto const make = [&](char const* what, std::int64_t length) {
      return allocate<DeviceVector<Exec, T>, Exec>(path, what, length * r.columns);
    };
    auto const B = make("vector B", wants_rows ? shape.rows : 0);
    auto const C = make("vector C", wants_cols ? shape.cols : 0);
    Workspace<Exec> workspace;
    AtaxOptions<Exec, T> const options{.method = r.method,
                                       .workspace = &workspace,
                                       .kernels = r.kernels,
                                       .map = terms.map(),
                                       .alpha = terms.alpha,
                                       .beta = terms.beta,
                                       .z = terms.z};
    RowMap<T, typename Exec::memory_space> const replace(maps::Kind::replace, terms.of_map);
    AtaxOptions<Exec, T> const both{
        .workspace = &workspace, .kernels = r.kernels, .map = replace, .keep_product = true};
    tessera::Options<Exec> const plain{.workspace = &workspace, .kernels = r.kernels};
    measure(exec, repeat, to, Stage{"distributed", [&] {
                                      for (std::int64_t j = 0; j < r.columns; ++j) {
                                        auto const its_x = column(x, j, r.columns);
                                        auto const its_b = some_of(column(B, j, r.columns), mine);
                                        auto const its_c = column(C, j, r.columns);
                                        if (id == OperationId::multiply) {
                                          world.multiply(A, its_x, its_b, plain);
                                        } else if (id == OperationId::multiply_transposed) {
                                          world.multiply_transposed(A, some_of(its_x, mine), its_c,
                                                                    plain);
                                        } else if (is_both) {
                                          world.atax(A, its_x, its_b, its_c, both);
                                        } else if (wants_rows) {
                                          world.atax(A, its_x, its_b, its_c, options);
                                        } else {
                                          world.atax(A, its_x, its_c, options);
                                        }
                                      }
                                    }});
    for (std::int64_t j = 0; wants_rows && j < r.columns; ++j) {
      world.share_rows(column(B, j, r.columns), mine);
    }
    facts.seconds = to.seconds.median;
    to.ranks = communicator()->gather(facts);
    to.exchange = world.exchange();
    to.kernels = kernels_used<Exec>(r.kernels);
    to.bytes = static_cast<std::uint64_t>(r.columns) *
               one_product.bytes(shape.rows, shape.cols, sizeof(T));
    if (wants_cols) to.result = take_result<Exec, T>(C, to);
    if (wants_rows && wants_cols) to.intermediate = take_result<Exec, T>(B, to);
    if (!wants_cols) to.result = take_result<Exec, T>(B, to);
    if (is_both) std::swap(to.result, *to.intermediate);  // Y is the first
  });
  return to;
}

Measurement stream_on_ranks(OperationId id, StreamRequest const& request) {
  auto const all = []<class Exec>(Exec const& exec) {
    return Distributed<Exec>(communicator(), exec);
  };
  Measurement measurement = stream_at(id, request, all);
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
