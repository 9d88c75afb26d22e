// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/kernels/combine.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/kernels/launch.hpp>
#include <tessera/kernels/trees.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/product.hpp>
#include <tessera/order/static_for.hpp>

/// Long sums with a tiny result on host threads.
namespace tessera::kernels {

using detail::Factor;
using detail::OutputMatrix;
using detail::PerLine;
using detail::Product;

template <class T>
bool is_gram(Product<T> const& p) {
  return p.a.data == p.b.data && p.a.count == p.b.count && p.a.across == p.b.across &&
         p.a.deep == p.b.deep;
}

/// If so, tiles would be nearly empty.
template <class T>
bool has_long_sums(Product<T> const& p) {
  Index const most_lines = is_gram(p) ? 32 : 16;
  constexpr Index fewest_chains = 128 / Index{sizeof(T)};
  return p.rows() <= most_lines && p.cols() <= most_lines && p.chains.count >= fewest_chains;
}

/// to(t, l) = from(l, t).
struct TurnByElements {
  template <class T, int Lines, int Elements>
  KOKKOS_FORCEINLINE_FUNCTION static void run(T const* from, Index from_line, T* to,
                                              Index to_line) {
    for (int l = 0; l < Lines; ++l) {
      for (int t = 0; t < Elements; ++t) to[t * to_line + l] = from[l * from_line + t];
    }
  }
};

/// Each SIMD lane is a chain (summation::lanes are others). Stages `tile_depth` of both factors in
/// scratch, (depth, lines, lanes), or of one if they are the same.
template <class T, class Turn>
struct LongSums {
  static constexpr int lanes = 64 / static_cast<int>(sizeof(T));
  static constexpr int piece = lanes / 2;  ///< elements per `Turn`
  static constexpr int block = 2;          ///< lines of each factor in registers

  Product<T> p;
  bool is_one;
  Index tile_depth;

  explicit LongSums(Product<T> const& product) : p(product), is_one(is_gram(product)) {
    constexpr Index values = Index{32768} / Index{sizeof(T)};  // fits a first-level cache
    Index const lines = p.rows() + (is_one ? 0 : p.cols());
    tile_depth = Kokkos::clamp(values / (lines * lanes * 16) * 16, Index{16}, Index{256});
  }

  [[nodiscard]] Index groups() const { return summation::ceil_div(p.chains.count, Index{lanes}); }
  [[nodiscard]] Index scratch() const {
    return lanes * (p.rows() * p.cols() + tile_depth * (p.rows() + (is_one ? 0 : p.cols())));
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, T* sums) const {
    T* const sA = sums + lanes * p.rows() * p.cols();
    T* const sB = is_one ? sA : sA + lanes * tile_depth * p.rows();
    Index const first = team.league_rank() * lanes * p.chains.length;
    for (Index q = 0; q < lanes * p.rows() * p.cols(); ++q) sums[q] = T(0);
    for (Index k = 0; k < p.chains.length; k += tile_depth) {
      Index const depth = Kokkos::min(tile_depth, p.chains.length - k);
      load(sA, p.a, first + k, depth);
      if (!is_one) load(sB, p.b, first + k, depth);
      for (Index i = 0; i < p.rows(); i += block) {
        for (Index j = is_one ? i : 0; j < p.cols(); j += block) add(sums, sA, sB, i, j, depth);
      }
    }
    for (Index i = 0; i < p.rows(); ++i) {
      T* const out = p.row(team.league_rank(), i);
      for (Index j = 0; j < p.cols(); ++j) {
        bool const is_mirrored = is_one && j < i;
        out[j] = tree<lanes>(sums + (is_mirrored ? j * p.cols() + i : i * p.cols() + j) * lanes);
      }
    }
  }

 private:
  /// `depth` elements of each chain, from `first` of the first; +0 past the last.
  KOKKOS_FUNCTION void load(T* to, Factor<T> const& f, Index first, Index depth) const {
    if (first + (lanes - 1) * p.chains.length + depth > p.depth) {
      for (Index q = 0; q < depth * f.count; ++q) {
        for (int l = 0; l < lanes; ++l) {
          Index const k = first + l * p.chains.length + q / f.count;
          to[q * lanes + l] = k < p.depth ? f.data[k * f.deep + q % f.count * f.across] : T(0);
        }
      }
      return;
    }
    T const* const from = f.data + first * f.deep;
    Index const apart = p.chains.length * f.deep;
    if (f.deep == 1) {
      for (Index i = 0; i < f.count; ++i) {
        load_run(to + i * lanes, f.count * lanes, from + i * f.across, apart, depth);
      }
    } else if (f.deep == f.count) {
      load_run(to, lanes, from, apart, depth * f.count);
    } else {
      for (Index k = 0; k < depth; ++k) {
        load_run(to + k * f.count * lanes, lanes, from + k * f.deep, apart, f.count);
      }
    }
  }
  /// Lanes are `apart` elements apart.
  KOKKOS_FUNCTION static void load_run(T* to, Index to_element, T const* from, Index apart,
                                       Index length) {
    Index t = 0;
    for (; t + piece <= length; t += piece) {
      Turn::template run<T, lanes, piece>(from + t, apart, to + t * to_element, to_element);
    }
    for (; t < length; ++t) {
      for (int l = 0; l < lanes; ++l) to[t * to_element + l] = from[l * apart + t];
    }
  }

  /// Adds up to block x block elements; the last are repeated at C's edge.
  KOKKOS_FUNCTION void add(T* sums, T const* a, T const* b, Index i, Index j, Index depth) const {
    PerLine<PerLine<PerLine<T, lanes>, block>, block> sum;
    T* at[block][block];
    T const* lines_a[block];
    T const* lines_b[block];
    for (int u = 0; u < block; ++u) {
      Index const row = Kokkos::min(i + u, p.rows() - 1);
      lines_a[u] = a + row * lanes;
      lines_b[u] = b + Kokkos::min(j + u, p.cols() - 1) * lanes;
      for (int v = 0; v < block; ++v) {
        at[u][v] = sums + (row * p.cols() + Kokkos::min(j + v, p.cols() - 1)) * lanes;
        for (int l = 0; l < lanes; ++l) sum[u][v][l] = at[u][v][l];
      }
    }
    for (Index k = 0; k < depth; ++k) {
      detail::static_for<block>([&](auto u) {
        T const* const x = lines_a[u()] + k * p.rows() * lanes;
        detail::static_for<block>([&](auto v) {
          T const* const y = lines_b[v()] + k * p.cols() * lanes;
          for (int l = 0; l < lanes; ++l) {
            sum[u()][v()][l] = Kokkos::fma(x[l], y[l], sum[u()][v()][l]);
          }
        });
      });
    }
    for (int u = 0; u < block; ++u) {
      for (int v = 0; v < block; ++v) {
        for (int l = 0; l < lanes; ++l) at[u][v][l] = sum[u][v][l];
      }
    }
  }
};

template <class Turn = TurnByElements, class Exec, class T>
void gemm_long(Exec const& exec, detail::Label const& label, Product<T> const& p,
               OutputMatrix<T> const& out) {
  LongSums<T, Turn> const kernel(p);
  run_teams<T, 1>(exec, label, kernel.groups(), 1, kernel);
  combine(exec, label.combine, Stacks<T>{p.data, 1, p.rows() * p.cols()}, kernel.groups(), out);
}

}  // namespace tessera::kernels
