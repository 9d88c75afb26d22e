// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>
#include <tessera/backends/gpu/combine.hpp>
#include <tessera/backends/gpu/gemm_tiles.hpp>
#include <tessera/backends/gpu/teams.hpp>
#include <tessera/checks.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/product.hpp>
#include <tessera/order/tile_order.hpp>
#include <tessera/tuning.hpp>

/// A tile of C is in registers. The next slice of the factors is loaded to scratch meanwhile.
namespace tessera::detail::gpu {

/// A thread's words of a factor's tile; scratch holds the tile as (Depth, pitch).
template <class Exec, class T, int Count, int Depth, int Threads, bool Deep, bool Aligned>
struct FactorTile {
  static constexpr int width = word_width<T>;
  static constexpr int pitch = Count + width;
  static constexpr int words = Count * Depth / width / Threads;
  static constexpr int words_of_line = (Deep ? Depth : Count) / width;
  static constexpr int apart = Threads / words_of_line;
  static_assert(Threads % words_of_line == 0 && words * Threads * width == Count * Depth);
  using Words = PerLine<Word<T>, words>;

  T const* from;
  Index stride;   ///< elements between a thread's words
  Index advance;  ///< elements between slices
  int across;     ///< the thread's first line in the tile
  int deep;       ///< the thread's first element in depth
  int lines;

  KOKKOS_FORCEINLINE_FUNCTION FactorTile(Factor<T> const& f, Index first, Index k, int thread)
      : across(Deep ? thread / words_of_line : thread % words_of_line * width),
        deep(Deep ? thread % words_of_line * width : thread / words_of_line),
        lines(rest_of_line(f.count, first)) {
    Index const line = Deep ? f.across : f.deep;
    stride = apart * line;
    advance = Deep ? Depth : Depth * line;
    from =
        f.data + (Deep ? (first + across) * line + k + deep : (k + deep) * line + first + across);
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(Words& w, int rest) {
    static_for<words>([&](auto i) {
      constexpr int line = i() * apart;
      bool const has_line = Deep ? across + line < lines : deep + line < rest;
      int const left = !has_line ? 0 : Deep ? rest - deep : lines - across;
      T const* const word = from + i() * stride;
      w[i()] = Word<T>{};
      if constexpr (Aligned) {
        if (left > 0) w[i()] = load_whole<WarpOf<Exec>>(word, Constant{});
      } else {
        static_for<width>([&](auto e) {
          if (e() < left) w[i()].e[e()] = load_scalar<WarpOf<Exec>>(word + e(), Constant{});
        });
      }
    });
    from += advance;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(T* scratch, Words const& w) const {
    static_for<words>([&](auto i) {
      constexpr int line = i() * apart;
      if constexpr (Deep) {
        static_for<width>(
            [&](auto e) { scratch[(deep + e()) * pitch + across + line] = w[i()].e[e()]; });
      } else {
        *reinterpret_cast<Word<T>*>(scratch + (deep + line) * pitch + across) = w[i()];
      }
    });
  }
};

/// A team computes a tile of one chain's part of C. A warp's threads form an 8 x 4 grid.
template <class Exec, class T, class Tile, bool DeepA, bool DeepB, bool Aligned>
struct GemmTiles {
  static constexpr int width = word_width<T>;
  static constexpr int depth = Tile::depth;
  using TileA = FactorTile<Exec, T, Tile::rows, depth, Tile::threads, DeepA, Aligned>;
  using TileB = FactorTile<Exec, T, Tile::cols, depth, Tile::threads, DeepB, Aligned>;
  static constexpr int scratch_a = depth * TileA::pitch;
  static constexpr int scratch_b = depth * TileB::pitch;
  static constexpr Index scratch = 2 * (scratch_a + scratch_b);
  static_assert(depth % 2 == 0);

  Product<T> p;
  TileOrder tiles;
  bool words_out;

  /// A thread's (row_words * width, col_words * width) elements of C.
  using Sums = PerLine<PerLine<Word<T>, Tile::col_words>, Tile::row_words * width>;

  struct Factors {
    PerLine<Word<T>, Tile::row_words> a;
    PerLine<Word<T>, Tile::col_words> b;

    KOKKOS_FORCEINLINE_FUNCTION void read(T const* sA, T const* sB) {
      static_for<Tile::row_words>(
          [&](auto i) { a[i()] = *reinterpret_cast<Word<T> const*>(sA + i() * 8 * width); });
      static_for<Tile::col_words>(
          [&](auto j) { b[j()] = *reinterpret_cast<Word<T> const*>(sB + j() * 4 * width); });
    }
    KOKKOS_FORCEINLINE_FUNCTION void multiply(Sums& rC) const {
      static_for<Tile::row_words * width>([&](auto i) {
        static_for<Tile::col_words>(
            [&](auto j) { multiply_add(a[i() / width].e[i() % width], b[j()], rC[i()][j()]); });
      });
    }
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Index const chain = member.league_rank() / tiles.count();
    auto const corner = tiles.corner(member.league_rank() % tiles.count());
    Index const begin = chain * p.chains.length;
    int rest = rest_of_line(Kokkos::min(p.depth, begin + p.chains.length), begin);

    T* const sA = team_scratch<T>(member, 0, scratch);  // (2, depth, pitch)
    T* const sB = sA + 2 * scratch_a;
    int const thread = member.team_rank();
    TileA a(p.a, corner.row, begin, thread);
    TileB b(p.b, corner.col, begin, thread);
    typename TileA::Words rA;
    typename TileB::Words rB;
    a.load(rA, rest);
    b.load(rB, rest);
    a.store(sA, rA);
    b.store(sB, rB);
    member.team_barrier();

    int const warp = thread / warp_threads;
    int const lane = thread % warp_threads;
    int const row = warp / Tile::warp_cols * Tile::rows_of_warp + lane / 4 * width;
    int const col = warp % Tile::warp_cols * Tile::cols_of_warp + lane % 4 * width;
    T const* from_a = sA + row;
    T const* from_b = sB + col;
    int turn = 0;
    PerLine<Factors, 2> rF;
    rF[0].read(from_a, from_b);
    Sums rC{};
    for (bool more = true; more;) {
      rest -= depth;
      more = rest > 0;
      static_for<depth>([&](auto k) {
        if constexpr (k() + 1 < depth) {
          rF[(k() + 1) % 2].read(from_a + (k() + 1) * TileA::pitch,
                                 from_b + (k() + 1) * TileB::pitch);
        } else if (more) {
          turn = 1 - turn;
          a.store(sA + turn * scratch_a, rA);
          b.store(sB + turn * scratch_b, rB);
          member.team_barrier();
          from_a = sA + turn * scratch_a + row;
          from_b = sB + turn * scratch_b + col;
          rF[0].read(from_a, from_b);
        }
        if (k() == 0 && more) {
          a.load(rA, rest);
          b.load(rB, rest);
        }
        rF[k() % 2].multiply(rC);
      });
    }
    store(chain, corner.row + row, corner.col + col, rC);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void store(Index chain, Index row, Index col, Sums& rC) const {
    static_for<Tile::row_words * width>([&](auto i) {
      Index const at = row + i() / width * 8 * width + i() % width;
      if (at >= p.rows()) return;
      T* const to = p.row(chain, at) + col;
      static_for<Tile::col_words>([&](auto j) {
        constexpr int offset = j() * 4 * width;
        Word<T> const word = rC[i()][j()] + Word<T>{};  // + 0: no -0
        if (words_out) {
          if (col + offset < p.cols()) *reinterpret_cast<Word<T>*>(to + offset) = word;
        } else {
          static_for<width>([&](auto e) {
            if (col + offset + e() < p.cols()) to[offset + e()] = word.e[e()];
          });
        }
      });
    });
  }
};

template <class T>
bool is_aligned(Factor<T> const& f, Index depth, bool deep) {
  constexpr Index width = word_width<T>;
  return reinterpret_cast<std::uintptr_t>(f.data) % 16 == 0 &&
         (deep ? depth % width == 0 && (f.across % width == 0 || f.count == 1)
               : f.count % width == 0 && (f.deep % width == 0 || depth == 1));
}

template <bool DeepA, bool DeepB, class Exec, class T>
void gemm(Exec const& exec, Label const& label, Product<T> const& product,
          OutputMatrix<T> const& out, GemmTuning const& tuning) {
  bool const aligned =
      is_aligned(product.a, product.depth, DeepA) && is_aligned(product.b, product.depth, DeepB);
  bool const words_out = reinterpret_cast<std::uintptr_t>(product.data) % 16 == 0 &&
                         product.leading % word_width<T> == 0 &&
                         product.cols() % word_width<T> == 0;
  if (product.chains.length > most_lines_in_turn) {
    checks::fail("gemm", "a GPU takes chains of at most " + std::to_string(most_lines_in_turn) +
                             " products, found " + std::to_string(product.chains.length));
  }
  TileOrder const tiles(product.rows(), product.cols(), tuning.tile_rows, tuning.tile_cols,
                        tuning.band);
  bool const found = with_gemm_tile<T>(tuning, [&]<class Tile>(Tile) {
    with_alignment(aligned, [&]<class Aligned>(Aligned) {
      using Kernel = GemmTiles<Exec, T, Tile, DeepA, DeepB, Aligned::value>;
      for_each_team<Tile::threads, Tile::teams>(exec, label, tiles.count() * product.chains.count,
                                                Tile::threads, scratch_bytes<T>(Kernel::scratch),
                                                Kernel{product, tiles, words_out});
    });
  });
  if (!found) {
    checks::fail("GemmTuning", "there is no kernel for tiles of " +
                                   std::to_string(tuning.tile_rows) + " x " +
                                   std::to_string(tuning.tile_cols) + " and depth " +
                                   std::to_string(tuning.tile_depth));
  }
  combine_groups(exec, label, static_cast<T const*>(product.data), product.chains.count,
                 product.rows() * product.cols(), out);
}

}  // namespace tessera::detail::gpu

namespace tessera::detail {

template <bool DeepA, bool DeepB, class Exec, class T>
  requires(backends::Backend<Exec>::is_gpu)
void accelerated_gemm(Exec const& exec, Label const& label, Product<T> const& product,
                      OutputMatrix<T> const& out, GemmTuning const& tuning) {
  gpu::gemm<DeepA, DeepB>(exec, label, product, out, tuning);
}

}  // namespace tessera::detail
