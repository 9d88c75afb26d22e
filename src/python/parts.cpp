// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <python/parts.hpp>
#include <python/ranks.hpp>
#include <python/turn.hpp>
#include <python/views.hpp>
#include <type_traits>

#include <tessera/atax.hpp>
#include <tessera/backends/instances.hpp>
#include <tessera/distributed/detail/parts.hpp>
#include <tessera/distributed/detail/shares.hpp>

namespace tessera::python {
namespace {

namespace parts = distributed::detail;

parts::Units units_of(RowsOfMatrix const& matrix, std::int64_t cols, std::size_t bytes_of_scalar) {
  return bytes_of_scalar == sizeof(float)
             ? parts::units_of<float>(matrix.by_rows, matrix.all_rows, cols)
             : parts::units_of<double>(matrix.by_rows, matrix.all_rows, cols);
}

/// body(exec, the kernels, whether rows are contiguous, T()) where the work on an array is done.
template <class Body>
void with_kernels_for(RowsOfMatrix const& matrix, Array const& a, Body const& body) {
  Turn const turn;
  auto const run = [&]<class Exec>(Exec const& exec) {
    with_type(a, [&](auto scalar) {
      with_kernels<Exec>(matrix.by_rows,
                         [&](auto set, auto by_rows) { body(exec, set, by_rows, scalar); });
    });
    exec.fence("tessera: the result of a part is there");
  };
  if (a.place.is_gpu) {
    backends::with_stream(a.place.device, a.place.stream, run);
  } else {
    run(turn.host());
  }
}

template <class Exec, class T>
tessera::detail::MatrixArgument<T const> matrix_in(Array const& a) {
  return tessera::detail::matrix_in(matrix<Exec, T>(a));
}
template <class Exec, class T>
tessera::detail::VectorArgument<T const> vector_in(Array const& x) {
  return tessera::detail::vector_in(vector<Exec, T>(x));
}
template <class Exec, class T>
tessera::detail::OutputVector<T> output(Array const& x) {
  return tessera::detail::output(vector<Exec, T>(x));
}

}  // namespace

PartOfRows rows_of_rank(RowsOfMatrix const& matrix, std::int64_t cols, std::size_t bytes_of_scalar,
                        bool in_segments, int rank, int size) {
  if (matrix.all_rows == 0 || cols == 0) {
    return {rank == 0 ? 0 : matrix.all_rows, rank == 0 ? matrix.all_rows : 0, 0};
  }
  auto const units =
      units_of({matrix.all_rows, matrix.by_rows && !in_segments}, cols, bytes_of_scalar);
  auto const rows = parts::even_rows(units, rank, size);
  return {rows.first, rows.count, 0};
}

std::vector<PartOfRows> parts_of_rows(RowsOfMatrix const& matrix, std::int64_t cols,
                                      std::size_t bytes_of_scalar, std::int64_t first,
                                      std::int64_t count) {
  if (count == 0) return {};
  std::vector<PartOfRows> all;
  for (auto const& subtree :
       subtrees_of(units_of(matrix, cols, bytes_of_scalar), {first, count}, "World.rows_of")) {
    all.push_back({subtree.rows.first - first, subtree.rows.count, subtree.level});
  }
  return all;
}

void atax_of_part(RowsOfMatrix const& matrix, AtaxCall const& call) {
  with_kernels_for(
      matrix, call.a,
      [&]<class Exec, class Set, class ByRows, class T>(Exec const& exec, Set, ByRows by_rows, T) {
        AtaxOptions<Exec, T> options;
        options.map = map_of<Exec, T>(call);
        auto const b =
            call.b ? output<Exec, T>(*call.b) : tessera::detail::OutputVector<T>{nullptr, 1};
        auto const c = output<Exec, T>(call.c);
        std::int64_t const rows = call.a.extents[0];
        tessera::detail::with_map(options.map, [&]<class Factor>(Factor const& factor) {
          auto const a = matrix_in<Exec, T>(call.a);
          auto const v = vector_in<Exec, T>(call.v);
          parts::AtaxJob<Exec, T, Factor> const job{exec,           a, v, b, options, factor,
                                                    matrix.all_rows};
          job.template add_units<Set, by_rows()>({0, rows}, c);
          tessera::detail::finish_atax(exec, rows, b, call.a.extents[1], c,
                                       tessera::detail::TermsOfAtax<T>(options), factor);
        });
      });
}

void multiply_part(RowsOfMatrix const& matrix, Array const& a, Array const& v, Array const& b) {
  if (a.extents[0] == 0 || a.extents[1] == 0) return multiply(a, v, b);  // there is no order
  with_kernels_for(
      matrix, a,
      [&]<class Exec, class Set, class ByRows, class T>(Exec const& exec, Set, ByRows by_rows, T) {
        auto const lines = parts::lines_of_rows<by_rows()>(matrix_in<Exec, T>(a), {0, a.extents[0]},
                                                           matrix.all_rows);
        parts::multiply_rows<Set, by_rows()>(exec, lines, vector_in<Exec, T>(v), output<Exec, T>(b),
                                             Options<Exec>{});
      });
}

void multiply_transposed_part(RowsOfMatrix const& matrix, Array const& a, Array const& u,
                              Array const& c) {
  with_kernels_for(
      matrix, a,
      [&]<class Exec, class Set, class ByRows, class T>(Exec const& exec, Set, ByRows by_rows, T) {
        auto const in_a = matrix_in<Exec, T>(a);
        auto const in_u = vector_in<Exec, T>(u);
        Options<Exec> const options;
        parts::TransposedJob<Exec, T> const job{exec, in_a, in_u, options, matrix.all_rows};
        job.template add_units<Set, by_rows()>({0, a.extents[0]}, output<Exec, T>(c));
      });
}

}  // namespace tessera::python
