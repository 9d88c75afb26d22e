// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

#include <app/ranks/mpi.hpp>
#include <app/ranks/rows.hpp>
#include <app/run/run_typed.hpp>
#include <app/run/stored_typed.hpp>
#include <app/stream/stream.hpp>
#include <app/stream/stream_typed.hpp>
#include <io/matrix_reader.hpp>
#include <tessera/backends/backends.hpp>
#include <tessera/distributed.hpp>

namespace tessera::app {

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
    std::string const& path = r.reader.path();
    auto const x = bring_vector<Exec, T>(exec, r.x, path, "the vector", to);
    TermsOnDevice<Exec, T> terms(exec, r.terms, path, to);
    terms.of_map = some_of(terms.of_map, mine);
    OperationRow const& row = row_of(id);
    bool const is_both = row.gives_two_vectors;
    bool const wants_rows = row.gives_rows_vector || r.keep_intermediate;
    bool const wants_cols = !row.gives_rows_vector || is_both || row.is_of_transpose();
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
    auto const product = [&](auto const& A, auto const& its_x, auto const& all_b,
                             auto const& its_c) {
      auto const its_b = some_of(all_b, mine);
      if (id == OperationId::multiply) {
        world.multiply(A, its_x, its_b, plain);
      } else if (id == OperationId::multiply_transposed) {
        world.multiply_transposed(A, some_of(its_x, mine), its_c, plain);
      } else if (is_both) {
        world.atax(A, its_x, its_b, its_c, both);
      } else if (wants_rows) {
        world.atax(A, its_x, its_b, its_c, options);
      } else {
        world.atax(A, its_x, its_c, options);
      }
    };
    auto const products_of = [&](auto const& A) {
      if (id != OperationId::aatx) {
        if (r.columns == 1) return product(A, x, B, C);
        return product(A, block_of(x, r.columns), block_of(B, r.columns), block_of(C, r.columns));
      }
      for (std::int64_t j = 0; j < r.columns; ++j) {
        world.aatx(A, some_of(column(x, j, r.columns), mine), column(C, j, r.columns),
                   some_of(column(B, j, r.columns), mine), plain);
      }
    };
    std::function<void()> products;
    std::uint64_t element = sizeof(T);
    if constexpr (std::is_same_v<T, float> && !backends::Backend<Exec>::is_gpu) {
      if (r.holds_stored) {
        element = io::size_of(info.stored);
        with_narrow_type(info.stored, [&]<class S>(S) {
          auto const A = read_stored_rows<S, Layout>(r.reader, mine, facts);
          products = [&products_of, A] { products_of(A); };
        });
      }
    }
    if (!products) {
      auto const A = read_rows<Exec, T, Layout>(exec, r.reader, mine, facts);
      products = [&products_of, A] { products_of(A); };
    }
    measure(exec, repeat, to, Stage{"distributed", products});
    for (std::int64_t j = 0; wants_rows && j < r.columns; ++j) {
      world.share_rows(column(B, j, r.columns), mine);
    }
    facts.seconds = to.seconds.median;
    to.ranks = communicator()->gather(facts);
    to.exchange = world.exchange();
    to.kernels = kernels_used<Exec>(r.kernels);
    std::int64_t const at_once =
        id == OperationId::aatx
            ? 1
            : static_cast<std::int64_t>(tessera::detail::columns_at_once<Exec, T>(r.kernels));
    to.bytes =
        one_product.of_block(r.columns, at_once).bytes(shape.rows, shape.cols, element, sizeof(T));
    to.result = take_result<Exec, T>(row.gives_rows_vector ? B : C, to);
    if (r.keep_intermediate || is_both) {
      to.intermediate = take_result<Exec, T>(row.gives_rows_vector ? C : B, to);
    }
  });
  return to;
}

}  // namespace tessera::app
