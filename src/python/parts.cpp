// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <numeric>
#include <python/parts.hpp>
#include <python/ranks.hpp>
#include <python/turn.hpp>
#include <python/views.hpp>

#include <tessera/atax.hpp>
#include <tessera/backends/instances.hpp>
#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/distributed/detail/block_jobs.hpp>
#include <tessera/distributed/detail/joins.hpp>
#include <tessera/distributed/detail/parts.hpp>
#include <tessera/distributed/detail/shares.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/order/vector_stack.hpp>
#include <tessera/solve/direct.hpp>
#include <tessera/solve/moments.hpp>

namespace tessera::python {
namespace {

namespace parts = distributed::detail;

parts::Units units_of(RowsOfMatrix const& matrix, std::int64_t cols, std::size_t bytes_of_scalar) {
  return bytes_of_scalar == sizeof(float)
             ? parts::units_of<float>(matrix.by_rows, matrix.all_rows, cols)
             : parts::units_of<double>(matrix.by_rows, matrix.all_rows, cols);
}

/// Calls body(exec, set, by_rows, T(), a), where `a` is an argument that is read as T.
template <class Body>
void with_kernels_for(RowsOfMatrix const& matrix, Array const& a, Body const& body) {
  Turn const turn(a.place.is_gpu ? Turn::Needs::first_lane : Turn::Needs::lane);
  auto const run = [&]<class Exec>(Exec const& exec) {
    with_type(a, [&]<class T>(T scalar) {
      with_matrix<Exec, T>(a, [&](auto const& view) {
        auto const in = tessera::detail::stored_in<T>(view);
        parts::with_set<Exec, T>(
            "distributed.World", in, Kernels::automatic, matrix.by_rows,
            [&](auto set, auto by_rows) { body(exec, set, by_rows, scalar, in); });
      });
    });
    exec.fence("tessera: the result of a part is there");
  };
  if (a.place.is_gpu) {
    backends::with_stream(a.place.device, a.place.stream, run);
  } else {
    run(turn.host(a.extents[0] * a.extents[1] * static_cast<std::int64_t>(a.type.bytes)));
  }
}

template <class Exec, class T>
tessera::detail::MatrixArgument<T const> matrix_in(Array const& a) {
  return tessera::detail::matrix_in(matrix<Exec, T>(a));
}
template <class Exec, class T>
tessera::detail::MatrixArgument<T> matrix_out(Array const& a) {
  return tessera::detail::matrix_out(matrix<Exec, T>(a));
}
template <class Exec, class T>
tessera::detail::VectorArgument<T const> vector_in(Array const& x) {
  return tessera::detail::vector_in(vector<Exec, T>(x));
}
/// A block, or a vector as a block of one.
template <class Exec, class T>
tessera::detail::MatrixArgument<T const> block_in(Array const& x) {
  return x.dimensions == 2 ? matrix_in<Exec, T>(x) : parts::block_of(vector_in<Exec, T>(x));
}
template <class Exec, class T>
tessera::detail::MatrixArgument<T> block_out(Array const& x) {
  return x.dimensions == 2 ? matrix_out<Exec, T>(x)
                           : parts::block_of(tessera::detail::vector_out(vector<Exec, T>(x)));
}
/// Contiguous rows.
template <class T>
tessera::detail::OutputVector<T> rows_of(Array const& c) {
  return {static_cast<T*>(c.data), 1};
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
  auto units = units_of({matrix.all_rows, matrix.by_rows && !in_segments}, cols, bytes_of_scalar);
  auto const segment =
      bytes_of_scalar == sizeof(float) ? summation::segment<float> : summation::segment<double>;
  // Solvers of few columns also add segments: a unit for both, if rows suffice.
  std::int64_t const both = std::lcm(units.unit, std::int64_t{segment});
  if (cols <= solve::direct_columns && matrix.all_rows / both >= 16 * std::int64_t{size}) {
    units.unit = both;
  }
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

void atax_of_part(RowsOfMatrix const& matrix, SomeRows const& some, AtaxCall const& call) {
  if (call.a.extents[0] == 0 || call.a.extents[1] == 0) return atax(call);
  with_kernels_for(
      matrix, call.a,
      [&]<class Exec, class Set, class ByRows, class T, class A>(Exec const& exec, Set,
                                                                 ByRows by_rows, T, A const& in_a) {
        AtaxOptions<Exec, T> options;
        options.map = map_of<Exec, T>(call);
        auto const v = block_in<Exec, T>(call.v);
        std::optional<tessera::detail::MatrixArgument<T>> b;
        if (call.b) b = block_out<Exec, T>(*call.b);
        tessera::detail::with_map(options.map, [&]<class Factor>(Factor const& factor) {
          parts::AtaxBlockJob<Exec, T, Factor, A> const job{
              exec, in_a, v, b ? &*b : nullptr, options, factor, matrix.all_rows};
          job.template add_units<Set, by_rows()>({some.first, some.count}, rows_of<T>(call.c));
          for (Index j = 0; j < job.columns(); ++j) {
            tessera::detail::finish_atax(exec, some.count, job.b_of(j).from(some.first), 0, {},
                                         tessera::detail::TermsOfAtax<T>(options),
                                         shifted(factor, some.first));
          }
        });
      });
}

void multiply_part(RowsOfMatrix const& matrix, Array const& a, Array const& v, Array const& b) {
  if (a.extents[0] == 0 || a.extents[1] == 0) return product(a, Product::plain, v, b);
  with_kernels_for(matrix, a,
                   [&]<class Exec, class Set, class ByRows, class T, class A>(
                       Exec const& exec, Set, ByRows by_rows, T, A const& in_a) {
                     auto const lines =
                         parts::lines_of_rows<by_rows()>(in_a, {0, a.extents[0]}, matrix.all_rows);
                     if (v.dimensions == 2) {
                       return parts::multiply_rows_by_block<Set, by_rows()>(
                           exec, lines, matrix_in<Exec, T>(v), matrix_out<Exec, T>(b),
                           Options<Exec>{});
                     }
                     parts::multiply_rows<Set, by_rows()>(exec, lines, vector_in<Exec, T>(v),
                                                          output<Exec, T>(b), Options<Exec>{});
                   });
}

void multiply_transposed_part(RowsOfMatrix const& matrix, SomeRows const& some, Array const& a,
                              Array const& u, Array const& c) {
  if (a.extents[0] == 0 || a.extents[1] == 0) return product(a, Product::transposed, u, c);
  with_kernels_for(
      matrix, a,
      [&]<class Exec, class Set, class ByRows, class T, class A>(Exec const& exec, Set,
                                                                 ByRows by_rows, T, A const& in_a) {
        Options<Exec> const options;
        if (u.dimensions == 2) {
          auto const block = matrix_in<Exec, T>(u);
          parts::TransposedBlockJob<Exec, T, A> const job{exec, in_a, block, options,
                                                          matrix.all_rows};
          return job.template add_units<Set, by_rows()>({some.first, some.count}, rows_of<T>(c));
        }
        auto const in_u = vector_in<Exec, T>(u);
        parts::TransposedJob<Exec, T, A> const job{exec, in_a, in_u, options, matrix.all_rows};
        job.template add_units<Set, by_rows()>({some.first, some.count}, output<Exec, T>(c));
      });
}

void add_roots(Array const& roots, std::vector<int> const& levels, Array const& sums,
               std::int64_t fields) {
  backends::host::OrdinaryArithmetic const mode;
  with_type(roots, [&]<class T>(T) {
    std::int64_t const length = roots.extents[1];
    auto* const vectors = static_cast<T*>(roots.data);
    for (auto const& join : parts::joins_of({levels})) {
      T* const to = vectors + join.to * length;
      T const* const from = vectors + join.from * length;
      if constexpr (std::is_same_v<T, double>) {
        if (fields > 1) {
          solve::detail::join_moments(to, from, length);
          continue;
        }
      }
      tessera::detail::add_vector(to, from, length);
    }
    auto* const to = static_cast<T*>(sums.data);
    for (std::int64_t j = 0; j < length; ++j) to[j] = vectors[j] + T(0);
  });
}

void scale(double alpha, Array const& x) {
  backends::host::OrdinaryArithmetic const mode;
  with_type(x, [&]<class T>(T) {
    auto* const entries = static_cast<T*>(x.data);
    for (std::int64_t j = 0; j < x.extents[0]; ++j) entries[j] *= static_cast<T>(alpha);
  });
}

}  // namespace tessera::python
