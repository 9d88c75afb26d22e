// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/host/avx512.hpp>
#include <tessera/backends/host/combine.hpp>
#include <tessera/backends/host/launch.hpp>
#include <tessera/backends/host/simd.hpp>
#include <tessera/kernels/gemm_long.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/product.hpp>
#include <tessera/order/static_for.hpp>
#include <tessera/order/tile_order.hpp>
#include <tessera/tuning.hpp>

/// Matrix products by teams of one thread.
namespace tessera::detail {

template <class T>
struct BlockOfPacks {
  static constexpr int width = backends::host::pack_width<T>;
  static constexpr int packs = 2;
  static constexpr int rows = 6;
  static constexpr int cols = packs * width;

  /// `fresh`: starts from +0. `last`: adds 0 at the end. Factors: (depth, rows), (depth, cols).
  KOKKOS_FORCEINLINE_FUNCTION static void add(T const* a, T const* b, Index depth, T* c,
                                              Index leading, bool fresh, bool last) {
    using Pack = backends::host::Pack<T>;
    PerLine<PerLine<Pack, packs>, rows> rC;
    static_for<rows>([&](auto i) {
      static_for<packs>([&](auto j) {
        rC[i()][j()] = fresh ? backends::host::zero_pack<T>()
                             : backends::host::load_pack(c + i() * leading + j() * width);
      });
    });
    for (Index k = 0; k < depth; ++k, a += rows, b += cols) {
      PerLine<Pack, packs> rB;
      static_for<packs>([&](auto j) { rB[j()] = backends::host::load_pack(b + j() * width); });
      static_for<rows>([&](auto i) {
        Pack const rA = backends::host::all_of(a[i()]);
        static_for<packs>(
            [&](auto j) { rC[i()][j()] = backends::host::fma<T>(rA, rB[j()], rC[i()][j()]); });
      });
    }
    static_for<rows>([&](auto i) {
      static_for<packs>([&](auto j) {
        T* const to = c + i() * leading + j() * width;
        backends::host::store_pack(
            to, last ? rC[i()][j()] + backends::host::zero_pack<T>() : rC[i()][j()]);
      });
    });
  }
};

template <class T>
struct BlockOfRegisters {
  static constexpr int rows = backends::host::avx512::block_rows;
  static constexpr int cols =
      backends::host::avx512::block_registers * backends::host::avx512::register_width<T>;

  static void add(T const* a, T const* b, Index depth, T* c, Index leading, bool fresh, bool last) {
    backends::host::avx512::add_block(a, b, depth, c, leading, fresh, last);
  }
};

/// Packs factors to scratch in strips, a slice of the depth at a time.
template <class T, class Block, bool DeepA, bool DeepB>
struct GemmTile {
  static constexpr int strip_rows = Block::rows;
  static constexpr int strip_cols = Block::cols;

  Product<T> p;
  TileOrder tiles;
  Index tile_depth;

  static Index scratch(Index rows, Index cols, Index depth) {
    return depth * (whole(rows, strip_rows) + whole(cols, strip_cols));
  }

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    Index const chain = team.league_rank / tiles.count();
    auto const corner = tiles.corner(team.league_rank % tiles.count());
    Index const rows = Kokkos::min(tiles.tile_rows, p.rows() - corner.row);
    Index const cols = Kokkos::min(tiles.tile_cols, p.cols() - corner.col);
    T* const sA = team.scratch;
    T* const sB = sA + tile_depth * whole(tiles.tile_rows, strip_rows);

    Index const begin = chain * p.chains.length;
    Index const end = Kokkos::min(p.depth, begin + p.chains.length);
    for (Index k = begin; k < end; k += tile_depth) {
      Index const depth = Kokkos::min(tile_depth, end - k);
      pack<strip_rows, DeepA>(sA, p.a, corner.row, rows, k, depth);
      pack<strip_cols, DeepB>(sB, p.b, corner.col, cols, k, depth);
      bool const last = k + depth == end && p.chains.count == 1;
      for (Index j = 0; j < cols; j += strip_cols) {
        for (Index i = 0; i < rows; i += strip_rows) {
          T* const c = p.row(chain, corner.row + i) + corner.col + j;
          T const* const a = sA + i * depth;
          T const* const b = sB + j * depth;
          if (i + strip_rows <= rows && j + strip_cols <= cols) {
            Block::add(a, b, depth, c, p.leading, k == begin, last);
          } else {
            add_edge(a, b, depth, c, Kokkos::min(Index{strip_rows}, rows - i),
                     Kokkos::min(Index{strip_cols}, cols - j), k == begin, last);
          }
        }
      }
    }
  }

 private:
  KOKKOS_FUNCTION static constexpr Index whole(Index count, Index strip) {
    return summation::ceil_div(count, strip) * strip;
  }

  /// Packs (strips, depth, Lines), +0 beyond the last line.
  template <int Lines, bool Deep>
  KOKKOS_FUNCTION static void pack(T* to, Factor<T> const& f, Index first, Index count, Index k,
                                   Index depth) {
    for (Index i = 0; i < count; i += Lines, to += depth * Lines) {
      T const* const from = f.data + (first + i) * f.across + k * f.deep;
      Index const lines = Kokkos::min(Index{Lines}, count - i);
      for (Index l = lines; l < Lines; ++l) {
        for (Index q = 0; q < depth; ++q) to[q * Lines + l] = T(0);
      }
      if (Deep && lines == Lines) {
        for (Index q = 0; q < depth; ++q) {
          static_for<Lines>([&](auto l) { to[q * Lines + l()] = from[l() * f.across + q]; });
        }
      } else if (!Deep && lines == Lines) {
        for (Index q = 0; q < depth; ++q) {
          static_for<Lines>([&](auto l) { to[q * Lines + l()] = from[q * f.deep + l()]; });
        }
      } else {
        for (Index q = 0; q < depth; ++q) {
          for (Index l = 0; l < lines; ++l) to[q * Lines + l] = from[l * f.across + q * f.deep];
        }
      }
    }
  }

  KOKKOS_FUNCTION void add_edge(T const* a, T const* b, Index depth, T* c, Index rows, Index cols,
                                bool fresh, bool last) const {
    PerLine<T, strip_rows * strip_cols> block;
    for (Index i = 0; i < strip_rows; ++i) {
      for (Index j = 0; j < strip_cols; ++j) {
        bool const is_there = !fresh && i < rows && j < cols;
        block[i * strip_cols + j] = is_there ? c[i * p.leading + j] : T(0);
      }
    }
    Block::add(a, b, depth, block, strip_cols, fresh, last);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) c[i * p.leading + j] = block[i * strip_cols + j];
    }
  }
};

template <class Block, bool DeepA, bool DeepB, class Exec, class T>
void gemm_tiles(Exec const& exec, std::string const& label, Product<T> const& product,
                GemmTuning const& tuning) {
  using Kernel = GemmTile<T, Block, DeepA, DeepB>;
  TileOrder const tiles(product.rows(), product.cols(), tuning.tile_rows, tuning.tile_cols,
                        tuning.band);
  Index const depth = std::min(Index{tuning.tile_depth}, product.chains.length);
  for_each_team<T>(exec, label, tiles.count() * product.chains.count,
                   Kernel::scratch(tiles.tile_rows, tiles.tile_cols, depth),
                   Kernel{product, tiles, depth});
}

template <bool DeepA, bool DeepB, class Exec, class T>
void gemm(Exec const& exec, Label const& label, Product<T> const& product,
          OutputMatrix<T> const& out, GemmTuning const& tuning) {
  auto const run = [&]<class Block>(Block) {
    gemm_tiles<Block, DeepA, DeepB>(exec, label, product, tuning);
  };
  if constexpr (backends::host::avx512::compiled) {
    backends::host::avx512::available() ? run(BlockOfRegisters<T>{}) : run(BlockOfPacks<T>{});
  } else {
    run(BlockOfPacks<T>{});
  }
  if (product.chains.count > 1) {
    combine_vectors(
        exec, label.combine,
        PartialVectors<T, OutputMatrix<T>>{product.data, product.chains.count,
                                           product.rows() * product.cols(), out, nullptr});
  }
}

struct TurnInRegisters {
  template <class T, int Lines, int Elements>
  KOKKOS_FORCEINLINE_FUNCTION static void run(T const* from, Index from_line, T* to,
                                              Index to_line) {
    constexpr int size = sizeof(T);
    static_assert(Lines * size == 64 && Elements * size == 32);
    backends::host::transpose_block<size, false>(
        reinterpret_cast<unsigned char const*>(from), from_line * size,
        reinterpret_cast<unsigned char*>(to), to_line * size);
  }
};

template <class Exec, class T>
void gemm_long(Exec const& exec, Label const& label, Product<T> const& product,
               OutputMatrix<T> const& out) {
  kernels::gemm_long<TurnInRegisters>(exec, label, product, out);
}

template <bool DeepA, bool DeepB, class Exec, class T>
  requires(!backends::Backend<Exec>::is_gpu)
void accelerated_gemm(Exec const& exec, Label const& label, Product<T> const& product,
                      OutputMatrix<T> const& out, GemmTuning const& tuning) {
  gemm<DeepA, DeepB>(exec, label, product, out, tuning);
}

}  // namespace tessera::detail
