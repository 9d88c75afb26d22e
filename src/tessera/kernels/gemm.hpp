// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/combine.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/kernels/launch.hpp>
#include <tessera/kernels/tuning.hpp>
#include <tessera/order/product.hpp>
#include <tessera/order/static_for.hpp>
#include <tessera/order/tile_order.hpp>
#include <tessera/tuning.hpp>

/// Portable matrix products, by tiles of C.
namespace tessera::kernels {

using detail::Factor;
using detail::OutputMatrix;
using detail::Product;
using detail::TileOrder;

template <int Rows, int Cols, int MaxThreads>
struct BlockShape {
  static constexpr int rows = Rows;
  static constexpr int cols = Cols;
  static constexpr int max_threads = MaxThreads;
};

template <class T, class Shape>
class Block {
 public:
  static constexpr int rows = Shape::rows;
  static constexpr int cols = Shape::cols;

  /// Starts from +0 if `fresh`, else from the `down` x `across` elements in memory.
  KOKKOS_FORCEINLINE_FUNCTION Block(T const* from, Index leading, bool fresh, int down,
                                    int across) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) {
        bool const is_there = !fresh && i < down && j < across;
        sum_[i][j] = is_there ? from[i * leading + j] : T(0);
      }
    }
  }
  /// Factors: (depth, pitch_a), (depth, pitch_b).
  KOKKOS_FORCEINLINE_FUNCTION void add(T const* a, Index pitch_a, T const* b, Index pitch_b,
                                       Index depth) {
    for (Index k = 0; k < depth; ++k, a += pitch_a, b += pitch_b) {
      static_for<rows>([&](auto i) {
        for (int j = 0; j < cols; ++j) sum_[i()][j] = Kokkos::fma(a[i()], b[j], sum_[i()][j]);
      });
    }
  }
  /// Adds 0 if `last`.
  KOKKOS_FORCEINLINE_FUNCTION void store(T* to, Index leading, bool last, int down,
                                         int across) const {
    for (int i = 0; i < rows && i < down; ++i) {
      for (int j = 0; j < cols && j < across; ++j) {
        to[i * leading + j] = last ? sum_[i][j] + T(0) : sum_[i][j];
      }
    }
  }

 private:
  T sum_[Shape::rows][Shape::cols];
};

/// A tile of C, or of a chain's part. Stages `tile_depth` of both factors in scratch.
template <class T, class Shape>
struct ProductTile {
  Product<T> p;
  TileOrder tiles;  ///< tiles of multiples of a block
  Index tile_depth;

  [[nodiscard]] Index scratch() const { return tile_depth * (tiles.tile_rows + tiles.tile_cols); }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, T* scratch) const {
    Index const chain = team.league_rank() / tiles.count();
    auto const corner = tiles.corner(team.league_rank() % tiles.count());
    Index const rows = Kokkos::min(tiles.tile_rows, p.rows() - corner.row);
    Index const cols = Kokkos::min(tiles.tile_cols, p.cols() - corner.col);
    T* const sA = scratch;
    T* const sB = sA + tile_depth * tiles.tile_rows;
    Index const across = summation::ceil_div(cols, Shape::cols);
    Index const blocks = summation::ceil_div(rows, Shape::rows) * across;

    Index const begin = chain * p.chains.length;
    Index const end = Kokkos::min(p.depth, begin + p.chains.length);
    for (Index k = begin; k < end; k += tile_depth) {
      Index const depth = Kokkos::min(tile_depth, end - k);
      load(team, sA, tiles.tile_rows, p.a, corner.row, rows, k, depth);
      load(team, sB, tiles.tile_cols, p.b, corner.col, cols, k, depth);
      team.team_barrier();
      bool const last = k + depth == end && p.chains.count == 1;
      for (Index number = team.team_rank(); number < blocks; number += team.team_size()) {
        Index const i = number / across * Shape::rows;
        Index const j = number % across * Shape::cols;
        auto const down = static_cast<int>(Kokkos::min(rows - i, Index{Shape::rows}));
        auto const side = static_cast<int>(Kokkos::min(cols - j, Index{Shape::cols}));
        T* const c = p.row(chain, corner.row + i) + corner.col + j;
        Block<T, Shape> block(c, p.leading, k == begin, down, side);
        block.add(sA + i, tiles.tile_rows, sB + j, tiles.tile_cols, depth);
        block.store(c, p.leading, last, down, side);
      }
      team.team_barrier();
    }
  }

 private:
  /// (depth, pitch), +0 past the last line. Adjacent threads read adjacent memory.
  template <class Team>
  KOKKOS_FUNCTION static void load(Team const& team, T* to, Index pitch, Factor<T> const& f,
                                   Index first, Index lines, Index k, Index depth) {
    T const* const from = f.data + first * f.across + k * f.deep;
    bool const is_deep = f.deep == 1;
    Index const inner = is_deep ? depth : pitch;
    for (Index number = team.team_rank(); number < depth * pitch; number += team.team_size()) {
      Index const q = is_deep ? number % inner : number / inner;
      Index const l = is_deep ? number / inner : number % inner;
      to[q * pitch + l] = l < lines ? from[l * f.across + q * f.deep] : T(0);
    }
  }
};

template <class Exec, class T>
void gemm(Exec const& exec, detail::Label const& label, Product<T> const& product,
          OutputMatrix<T> const& out, GemmTuning const& tuning) {
  using Shape = std::conditional_t<teams_of_one<Exec>, BlockShape<4, 64 / sizeof(T), 1>,
                                   BlockShape<4, 4, 256>>;
  auto const whole = [](Index count, Index of) { return summation::ceil_div(count, of) * of; };
  TileOrder const tiles(product.rows(), product.cols(), whole(tuning.tile_rows, Shape::rows),
                        whole(tuning.tile_cols, Shape::cols), tuning.band);
  ProductTile<T, Shape> const kernel{product, tiles,
                                     Kokkos::min(Index{tuning.tile_depth}, product.chains.length)};
  run_teams<T, Shape::max_threads>(exec, label, tiles.count() * product.chains.count,
                                   Shape::max_threads, kernel);
  if (product.chains.count > 1) {
    combine(exec, label.combine, Stacks<T>{product.data, 1, product.rows() * product.cols()},
            product.chains.count, out);
  }
}

}  // namespace tessera::kernels
