// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/distributed/detail/parts.hpp>
#include <tessera/distributed/rows.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/order/lines.hpp>

/// Jobs of several vectors: one read of a rank's complete units, and one exchange. Each column has
/// the sums of a TransposedJob or an AtaxJob; they are stored column after column.
namespace tessera::distributed::detail {

/// Calls body(set, std::bool_constant<by_rows>) with kernels for a vector or a block. GPUs have
/// only portable ones for narrow matrices.
template <class Exec, class T, class A, class Body>
void with_set(char const* operation, A const& a, Kernels kernels, bool by_rows, Body const& body) {
  tessera::detail::with_kernels_for<Exec, T, SomeColumns>(operation, a, kernels, [&](auto set) {
    if (by_rows) {
      body(set, std::true_type{});
    } else {
      body(set, std::false_type{});
    }
  });
}

template <class T>
MatrixArgument<T> strided_block(T* data, Kokkos::LayoutStride const& layout) {
  using View = Kokkos::View<T**, Kokkos::LayoutStride, Kokkos::HostSpace,
                            Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return MatrixArgument<T>(View(data, layout));
}
template <class T>
MatrixArgument<T> block_of(VectorArgument<T> const& x) {
  std::size_t const n = x.extent(0);
  return strided_block(x.data(), Kokkos::LayoutStride(n, x.stride(0), 1, n * x.stride(0)));
}
template <class T>
MatrixArgument<T> some_of(MatrixArgument<T> const& x, Rows const& rows) {
  return strided_block(x.data() + static_cast<std::size_t>(rows.first) * x.stride(0),
                       Kokkos::LayoutStride(static_cast<std::size_t>(rows.count), x.stride(0),
                                            x.extent(1), x.stride(1)));
}

/// pass(first, count) for as many columns as the kernels take at once; of_column(j) for one.
template <class Set, class Exec, class T, class Pass, class OfColumn>
void for_passes(Index columns, Pass const& pass, OfColumn const& of_column) {
  constexpr auto at_once = static_cast<std::size_t>(Set::template Of<Exec, T>::columns_at_once);
  tessera::detail::for_passes(static_cast<std::size_t>(columns), at_once,
                              [&](std::size_t first, std::size_t count) {
                                if (count == 1) return of_column(static_cast<Index>(first));
                                pass(first, count);
                              });
}

template <class T>
OutputVector<T> column_of(MatrixArgument<T> const& x, Index j) {
  return tessera::detail::output(tessera::detail::column(x, static_cast<std::size_t>(j)));
}

/// B = A·V of a rank's rows.
template <class Set, bool RowMajor, class Exec, class T, class Data>
void multiply_rows_by_block(Exec const& exec, Lines<T, Data> const& lines,
                            MatrixArgument<T const> const& v, MatrixArgument<T> const& b,
                            Options<Exec> const& options) {
  for_passes<Set, Exec, T>(
      static_cast<Index>(v.extent(1)),
      [&](std::size_t first, std::size_t count) {
        multiply_rows<Set, RowMajor>(
            exec, lines, tessera::detail::BlockArgument<T const>(v, first, count),
            tessera::detail::output(tessera::detail::BlockArgument<T>(b, first, count)), options,
            SomeColumns{static_cast<int>(count)});
      },
      [&](Index j) {
        multiply_rows<Set, RowMajor>(exec, lines,
                                     tessera::detail::column(v, static_cast<std::size_t>(j)),
                                     column_of(b, j), options);
      });
}

template <class Exec, class T, class A = MatrixArgument<T const>>
struct TransposedBlockJob {
  Exec const& exec;
  A const& a;
  MatrixArgument<T const> const& u;
  Options<Exec> const& options;
  Index all_rows;

  [[nodiscard]] Index columns() const { return static_cast<Index>(u.extent(1)); }

  template <class Set, bool RowMajor>
  void add_units(Rows const& rows, OutputVector<T> sum) const {
    auto const cols = static_cast<Index>(a.extent(1));
    auto const its_u = some_of(u, rows);
    for_passes<Set, Exec, T>(
        columns(),
        [&](std::size_t first, std::size_t count) {
          add_rows<Set, RowMajor>(
              exec, lines_of_rows<RowMajor>(a, rows, all_rows),
              tessera::detail::BlockArgument<T const>(its_u, first, count),
              OutputVectors<T>{sum.data + static_cast<Index>(first) * cols, 1, cols, cols}, options,
              SomeColumns{static_cast<int>(count)});
        },
        [&](Index j) { of_column(j).template add_units<Set, RowMajor>(rows, sum.from(j * cols)); });
  }
  template <class Set, bool RowMajor>
  void make_factors(Rows const& rows, T* y) const {
    for (Index j = 0; j < columns(); ++j) {
      of_column(j).template make_factors<Set, RowMajor>(rows, y + j * rows.count);
    }
  }

 private:
  [[nodiscard]] TransposedJob<Exec, T, A> of_column(Index j) const {
    return {exec, a, tessera::detail::column(u, static_cast<std::size_t>(j)), options, all_rows};
  }
};

template <class Exec, class T, class Factor, class A = MatrixArgument<T const>>
struct AtaxBlockJob {
  Exec const& exec;
  A const& a;
  MatrixArgument<T const> const& v;
  MatrixArgument<T> const* b;  ///< may be null
  AtaxOptions<Exec, T> const& options;
  Factor const& factor;
  Index all_rows;

  [[nodiscard]] Index columns() const { return static_cast<Index>(v.extent(1)); }
  [[nodiscard]] OutputVector<T> b_of(Index j) const {
    return b == nullptr ? OutputVector<T>{nullptr, 1} : column_of(*b, j);
  }

  template <class Set, bool RowMajor>
  void add_units(Rows const& rows, OutputVector<T> sum) const {
    auto const cols = static_cast<Index>(a.extent(1));
    for_passes<Set, Exec, T>(
        columns(),
        [&](std::size_t first, std::size_t count) {
          add_pass<Set, RowMajor>(
              rows, first, count,
              OutputVectors<T>{sum.data + static_cast<Index>(first) * cols, 1, cols, cols});
        },
        [&](Index j) { of_column(j).template add_units<Set, RowMajor>(rows, sum.from(j * cols)); });
  }
  template <class Set, bool RowMajor>
  void make_factors(Rows const& rows, T* y) const {
    for (Index j = 0; j < columns(); ++j) {
      of_column(j).template make_factors<Set, RowMajor>(rows, y + j * rows.count);
    }
  }

 private:
  [[nodiscard]] AtaxJob<Exec, T, Factor, A> of_column(Index j) const {
    return {exec,    a,       tessera::detail::column(v, static_cast<std::size_t>(j)),
            b_of(j), options, factor,
            all_rows};
  }
  template <class Set, bool RowMajor>
  void add_pass(Rows const& rows, std::size_t first, std::size_t count,
                OutputVectors<T> const& sum) const {
    OutputVectors<T> its_b{nullptr, 1, 0, rows.count};
    if (b != nullptr) {
      its_b = tessera::detail::output(
          tessera::detail::BlockArgument<T>(some_of(*b, rows), first, count));
    }
    add_atax<Set, RowMajor>(exec, lines_of_rows<RowMajor>(a, rows, all_rows),
                            tessera::detail::BlockArgument<T const>(v, first, count), its_b, sum,
                            options, shifted(factor, rows.first),
                            SomeColumns{static_cast<int>(count)});
  }
};

}  // namespace tessera::distributed::detail
