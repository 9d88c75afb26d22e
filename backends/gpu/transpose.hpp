// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>
#include <tessera/backends/gpu/teams.hpp>
#include <tessera/checks.hpp>
#include <tessera/kernels/teams.hpp>
#include <tessera/order/static_for.hpp>
#include <tessera/order/transpose_plan.hpp>
#include <tessera/tuning.hpp>

/// A tile moves through registers, scratch and registers. Adjacent threads access adjacent elements
/// on both sides; many loads start before the first wait.
namespace tessera::detail::gpu {

template <std::size_t Size, std::size_t Alignment>
struct Piece;
template <std::size_t Size>
struct Piece<Size, 1> {
  using Type = std::uint8_t;
};
template <std::size_t Size>
struct Piece<Size, 2> {
  using Type = std::uint16_t;
};
template <std::size_t Size>
struct Piece<Size, 4> {
  using Type = std::uint32_t;
};
template <std::size_t Size>
struct Piece<Size, 8> {
  using Type = std::uint64_t;
};
template <std::size_t Size>
struct Piece<Size, 16> {
  using Type = std::uint64_t;
};
template <std::size_t Size, std::size_t Alignment>
struct alignas(Alignment) Cell {
  using Part = typename Piece<Size, Alignment>::Type;
  Part part[Size / sizeof(Part)];
};

template <class T>
using CellOf = Cell<sizeof(T), alignof(T)>;

/// Edge of the blocks that a thread transposes in registers if lines are contiguous and aligned.
template <class E>
inline constexpr int block_width = sizeof(E) == 16  ? 1
                                   : sizeof(E) == 8 ? 2
                                                    : 4;

template <class E>
struct alignas(sizeof(E) * block_width<E>) CellWord {
  PerLine<E, block_width<E>> e;
};

template <class Pointer>
struct TileView {
  Pointer data;
  int rows;
  int cols;
  Index row;
  Index col;
};

/// Moves whole, aligned words on both sides. In scratch, columns are lines of words, (Tile, words),
/// permuted: no bank conflicts on either side.
template <class Warp, class E, int Tile, int Threads>
struct WordMover {
  static constexpr int width = block_width<E>;
  static constexpr int words = Tile / width;
  static constexpr int blocks = words * words / Threads;
  static constexpr int rows_apart = Threads / words;
  static constexpr Index scratch = Index{Tile} * Tile;
  static_assert(Threads % words == 0);
  using Word = CellWord<E>;

  KOKKOS_FORCEINLINE_FUNCTION static int place(int line, int w) {
    return line * words + (w ^ (line / width % words));
  }

  KOKKOS_FORCEINLINE_FUNCTION static void load(int thread, E* scratch_tile,
                                               TileView<E const*> const& from) {
    int const r = thread / words;
    int const c = thread % words;
    E const* const first = from.data + r * width * from.row + c * width;
    PerLine<PerLine<Word, width>, blocks> rA;
    static_for<blocks>([&](auto b) {
      constexpr int down = b() * rows_apart * width;
      if (r * width + down >= from.rows || c * width >= from.cols) return;
      static_for<width>([&](auto k) {
        rA[b()][k()] = Warp::load_bytes_once_in_block(
            reinterpret_cast<Word const*>(first + (down + k()) * from.row));
      });
    });
    auto* const sA = reinterpret_cast<Word*>(scratch_tile);
    static_for<blocks>([&](auto b) {
      static_for<width>([&](auto k) {
        Word turned;
        static_for<width>([&](auto i) { turned.e[i()] = rA[b()][i()].e[k()]; });
        sA[place(c * width + k(), r + b() * rows_apart)] = turned;
      });
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION static void store(int thread, E const* scratch_tile,
                                                TileView<E*> const& to) {
    auto const* const sA = reinterpret_cast<Word const*>(scratch_tile);
    int const line = thread / words;
    int const w = thread % words;
    E* const first = to.data + line * to.row + w * width;
    static_for<blocks * width>([&](auto k) {
      constexpr int down = k() * rows_apart;
      if (line + down < to.rows && w * width < to.cols) {
        Warp::store_bytes_once(reinterpret_cast<Word*>(first + down * to.row),
                               sA + place(line + down, w));
      }
    });
  }
};

/// Copies element by element. Lines in scratch are padded, (Tile, pitch): no bank conflicts.
template <class E, int Tile, int Threads, bool Contiguous>
struct CellMover {
  static constexpr int pitch = Tile + (sizeof(E) < 4 ? 4 / static_cast<int>(sizeof(E)) : 1);
  static constexpr int cells = Tile * Tile / Threads;
  static constexpr int in_flight = cells < 16 ? cells : 16;
  static constexpr int rows_apart = Threads / Tile;
  static constexpr Index scratch = Index{Tile} * pitch;
  static_assert(Threads % Tile == 0);

  KOKKOS_FORCEINLINE_FUNCTION static void load(int thread, E* sA, TileView<E const*> const& from) {
    int const i = thread / Tile;
    int const j = thread % Tile;
    E const* const first = from.data + i * from.row + (Contiguous ? j : j * from.col);
    for (int step = 0; step < cells; step += in_flight) {
      PerLine<E, in_flight> rA;
      static_for<in_flight>([&](auto k) {
        int const down = (step + k()) * rows_apart;
        if (i + down < from.rows && j < from.cols) rA[k()] = first[down * from.row];
      });
      static_for<in_flight>(
          [&](auto k) { sA[(i + (step + k()) * rows_apart) * pitch + j] = rA[k()]; });
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void store(int thread, E const* sA, TileView<E*> const& to) {
    int const j = thread / Tile;
    int const i = thread % Tile;
    E* const first = to.data + j * to.row + (Contiguous ? i : i * to.col);
    for (int step = 0; step < cells; step += in_flight) {
      static_for<in_flight>([&](auto k) {
        int const down = (step + k()) * rows_apart;
        if (j + down < to.rows && i < to.cols) first[down * to.row] = sA[i * pitch + j + down];
      });
    }
  }
};

template <int Tile>
KOKKOS_FORCEINLINE_FUNCTION int extent_of(Index left) {
  return static_cast<int>(Kokkos::min(Index{Tile}, left));
}

/// Rows and columns by which the first tiles start outside the matrix, for alignment to 256 bytes.
struct TilesOff {
  int rows;
  int cols;
};
/// A separate type: arithmetic with TilesOff is slow for lines that do not start on words.
struct NoneOff {};

template <class Exec, class E, class Mover, int Tile, class Off>
struct TransposeTile {
  Elements<E> e;
  TileOrder tiles;
  Off off;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    auto [row, col] = tiles.corner(member.league_rank());
    int rows = extent_of<Tile>(e.rows - row);
    int cols = extent_of<Tile>(e.cols - col);
    if constexpr (std::is_same_v<Off, TilesOff>) {
      Index const last_row = Kokkos::min(e.rows, row - off.rows + Tile);
      Index const last_col = Kokkos::min(e.cols, col - off.cols + Tile);
      row = Kokkos::max(Index{0}, row - off.rows);
      col = Kokkos::max(Index{0}, col - off.cols);
      rows = static_cast<int>(last_row - row);
      cols = static_cast<int>(last_col - col);
    }
    E* const sA = team_scratch<E>(member, 0, Mover::scratch);
    Mover::load(member.team_rank(), sA,
                {e.from + row * e.from_row + col * e.from_col, rows, cols, e.from_row, e.from_col});
    member.team_barrier();
    Mover::store(member.team_rank(), sA,
                 {e.to + row * e.to_row + col * e.to_col, cols, rows, e.to_col, e.to_row});
  }
};

template <class Exec, class E, class Mover, int Tile>
struct SwapTiles {
  E* data;
  Index size;
  Index row;
  Index col;
  TilePairs pairs;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    auto const corner = pairs.corner(member.league_rank());
    if (corner.row > corner.col) return;
    int const rows = extent_of<Tile>(size - corner.row);
    int const cols = extent_of<Tile>(size - corner.col);
    E* const upper = data + corner.row * row + corner.col * col;
    E* const lower = data + corner.col * row + corner.row * col;
    E* const sUpper = team_scratch<E>(member, 0, Mover::scratch);
    E* const sLower = team_scratch<E>(member, 0, Mover::scratch);
    bool const is_pair = corner.row != corner.col;
    Mover::load(member.team_rank(), sUpper, {upper, rows, cols, row, col});
    if (is_pair) Mover::load(member.team_rank(), sLower, {lower, cols, rows, row, col});
    member.team_barrier();
    Mover::store(member.team_rank(), sUpper, {lower, cols, rows, row, col});
    if (is_pair) Mover::store(member.team_rank(), sLower, {upper, rows, cols, row, col});
  }
};

template <class Exec, class E, int Threads, bool Contiguous>
struct CopyPiece {
  static constexpr int cells = 8;
  Elements<E> e;
  TileOrder pieces;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    auto const [row, col] = pieces.corner(member.league_rank());
    Index const left = e.cols - col - member.team_rank();
    Index const from_col = Contiguous ? 1 : e.from_col;
    Index const to_col = Contiguous ? 1 : e.to_col;
    E const* const from = e.from + row * e.from_row + (col + member.team_rank()) * from_col;
    E* const to = e.to + row * e.to_row + (col + member.team_rank()) * to_col;
    PerLine<E, cells> rA;
    static_for<cells>([&](auto k) {
      if (k() * Threads < left) rA[k()] = from[k() * Threads * from_col];
    });
    static_for<cells>([&](auto k) {
      if (k() * Threads < left) to[k() * Threads * to_col] = rA[k()];
    });
  }
};

template <class E>
constexpr bool has_transpose_tile(int tile, int threads) {
  int const words = tile / block_width<E>;
  int const bytes = tile * tile * static_cast<int>(sizeof(E));
  return words * words >= threads && bytes <= 32 * 1024 && bytes <= 128 * threads;
}

template <class E, class Body>
void for_each_transpose_tile(Body const& body) {
  auto const with_threads = [&](auto tile) {
    auto const with_both = [&](auto threads) {
      if constexpr (has_transpose_tile<E>(tile(), threads())) body(tile, threads);
    };
    with_both(StaticInt<128>{});
    with_both(StaticInt<256>{});
    with_both(StaticInt<512>{});
  };
  with_threads(StaticInt<32>{});
  with_threads(StaticInt<64>{});
  with_threads(StaticInt<128>{});
}

template <class E>
[[noreturn]] void refuse_transpose_tile(TransposeTuning const& tuning) {
  std::string known;
  for_each_transpose_tile<E>([&](auto tile, auto threads) {
    known += (known.empty() ? "" : ", ") + std::to_string(tile()) + " x " + std::to_string(tile()) +
             " by " + std::to_string(threads());
  });
  checks::fail("TransposeTuning",
               "for elements of " + std::to_string(sizeof(E)) + " bytes a GPU has tiles of " +
                   known + " threads, not " + std::to_string(tuning.tile_rows) + " x " +
                   std::to_string(tuning.tile_cols) + " by " + std::to_string(tuning.team_size));
}

template <class E>
bool moves_words(Elements<E> const& e) {
  constexpr Index word = sizeof(CellWord<E>);
  constexpr Index width = block_width<E>;
  return e.is_contiguous() && e.rows % width == 0 && e.cols % width == 0 &&
         on_words(e.from, e.from_row, word) && on_words(e.to, e.to_col, word);
}

/// Teams per multiprocessor; limits registers to what a thread's part of a tile needs.
template <class E, int Tile, int Threads>
inline constexpr int teams_side_by_side =
    std::max(1, (Tile * Tile * static_cast<int>(sizeof(E)) / Threads <= 64 ? 1024 : 512) / Threads);

/// Elements from the previous 256-byte boundary to `data`, if equal for all lines; 0 if lines have
/// so few tiles that one more costs more than alignment saves.
template <int Tile, class E>
int elements_off(E const* data, Index line, Index length) {
  constexpr auto size = static_cast<Index>(sizeof(E));
  constexpr Index bytes = 256;
  constexpr Index fewest_tiles = 16;
  auto const off = static_cast<Index>(reinterpret_cast<std::uintptr_t>(data) % bytes);
  bool const is_shared = line * size % bytes == 0 && off % size == 0;
  return is_shared && length >= fewest_tiles * Tile ? static_cast<int>(off / size) : 0;
}

template <int Tile, int Threads, class Exec, class E>
void transpose_tiles(Exec const& exec, std::string const& label, Elements<E> const& e, Index band) {
  auto const run = [&]<class Mover, class Off>(std::type_identity<Mover>, Off const& off,
                                               TileOrder const& tiles) {
    for_each_team<Threads, teams_side_by_side<E, Tile, Threads>>(
        exec, label, tiles.count(), Threads, scratch_bytes<E>(Mover::scratch),
        TransposeTile<Exec, E, Mover, Tile, Off>{e, tiles, off});
  };
  TileOrder const whole(e.rows, e.cols, Tile, Tile, band);
  if (moves_words(e)) {
    TilesOff const off{elements_off<Tile>(e.to, e.to_col, e.rows),
                       elements_off<Tile>(e.from, e.from_row, e.cols)};
    // A band of all tiles includes the additional tile.
    Index const band_of_all = band >= whole.rows ? e.rows + off.rows : band;
    run(std::type_identity<WordMover<WarpOf<Exec>, E, Tile, Threads>>{}, off,
        TileOrder(e.rows + off.rows, e.cols + off.cols, Tile, Tile, band_of_all));
  } else if (e.is_contiguous()) {
    run(std::type_identity<CellMover<E, Tile, Threads, true>>{}, NoneOff{}, whole);
  } else {
    run(std::type_identity<CellMover<E, Tile, Threads, false>>{}, NoneOff{}, whole);
  }
}

template <class Exec, class E>
void copy_lines(Exec const& exec, std::string const& label, Elements<E> const& e) {
  constexpr int threads = 256;
  auto const run = [&](auto contiguous) {
    using Kernel = CopyPiece<Exec, E, threads, contiguous()>;
    TileOrder const pieces(e.rows, e.cols, 1, threads * Kernel::cells, 1);
    for_each_team<threads, 4>(exec, label, pieces.count(), threads, 0, Kernel{e, pieces});
  };
  with_alignment(e.is_contiguous(), run);
}

template <class Exec, class T>
void transpose_elements(Exec const& exec, std::string const& label, Elements<T> const& elements,
                        TransposeTuning const& tuning) {
  using E = CellOf<T>;
  Elements<E> const e{reinterpret_cast<E const*>(elements.from),
                      reinterpret_cast<E*>(elements.to),
                      elements.rows,
                      elements.cols,
                      elements.from_row,
                      elements.from_col,
                      elements.to_row,
                      elements.to_col};
  bool known = false;
  for_each_transpose_tile<E>([&](auto tile, auto threads) {
    if (tuning.tile_rows != tile() || tuning.tile_cols != tile() || tuning.team_size != threads()) {
      return;
    }
    known = true;
    if (e.is_copy()) return;
    transpose_tiles<tile(), threads()>(exec, label, e, tuning.band);
  });
  if (!known) refuse_transpose_tile<E>(tuning);
  if (e.is_copy()) copy_lines(exec, label, e);
}

/// Two tiles fit any device's scratch.
template <class E>
inline constexpr int swap_tile = sizeof(E) == 1   ? 128
                                 : sizeof(E) <= 4 ? 64
                                                  : 32;

template <class Exec, class T>
void transpose_square(Exec const& exec, std::string const& label, T* elements, Index size,
                      Index row, Index col) {
  using E = CellOf<T>;
  constexpr int tile = swap_tile<E>;
  constexpr int threads = 256;
  auto* const data = reinterpret_cast<E*>(elements);
  TilePairs const pairs(size, tile);
  auto const run = [&]<class Mover>(std::type_identity<Mover>) {
    for_each_team<threads, 2>(exec, label, pairs.count(), threads,
                              2 * scratch_bytes<E>(Mover::scratch),
                              SwapTiles<Exec, E, Mover, tile>{data, size, row, col, pairs});
  };
  if (col == 1 && size % block_width<E> == 0 && on_words(data, row, sizeof(CellWord<E>))) {
    run(std::type_identity<WordMover<WarpOf<Exec>, E, tile, threads>>{});
  } else if (col == 1) {
    run(std::type_identity<CellMover<E, tile, threads, true>>{});
  } else {
    run(std::type_identity<CellMover<E, tile, threads, false>>{});
  }
}

}  // namespace tessera::detail::gpu

namespace tessera::detail {

template <class Exec, class T>
  requires(backends::Backend<Exec>::is_gpu)
void accelerated_transpose(Exec const& exec, std::string const& label, Elements<T> const& e,
                           TransposeTuning const& tuning) {
  gpu::transpose_elements(exec, label, e, tuning);
}
template <class Exec, class T>
  requires(backends::Backend<Exec>::is_gpu)
void accelerated_transpose(Exec const& exec, std::string const& label, Square<T> const& a) {
  gpu::transpose_square(exec, label, a.data, a.size, a.row, a.col);
}

}  // namespace tessera::detail
