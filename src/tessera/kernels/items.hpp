// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/panels.hpp>
#include <tessera/kernels/trees.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/narrow.hpp>
#include <tessera/order/static_for.hpp>
#include <tessera/summation.hpp>

/// Items of lines: `chain_steps` words, one per step of their lanes' chains, `lanes` elements
/// apart.
namespace tessera::kernels {

using detail::column_of;
using detail::StaticInt;
using summation::chain_steps;
using summation::lanes;
using summation::segment;

template <int Width, int Kept, int Lines, int MaxThreads, int Columns = 1, bool OnWords = true>
struct Shape {
  static constexpr int width = Width;  ///< scalars per word
  /// Words of lines, vectors and sums are whole and aligned; else kept ones move by elements.
  static constexpr bool on_words = OnWords;
  static constexpr int kept = Kept;    ///< items per line in a thread's registers; 0: reads cache
  static constexpr int lines = Lines;  ///< per step
  static constexpr int max_threads = MaxThreads;
  static constexpr int columns = Columns;       ///< vectors per read
  static constexpr int sums = Lines * Columns;  ///< dot products per step
};

template <class Shape>
using ColumnsOf = std::conditional_t<Shape::columns == 1, detail::OneColumn, detail::SomeColumns>;
template <class T, class Shape>
using BlockIn = detail::InputOf<T, ColumnsOf<Shape>>;
template <class T, class Shape>
using BlockOut = detail::OutputOf<T, ColumnsOf<Shape>>;

template <class Shape, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_columns(int columns, Body const& body) {
  static_for<Shape::columns>([&](auto c) {
    if (Shape::columns == 1 || c() < columns) body(c);
  });
}

template <class T, class Shape>
inline constexpr int items_of_segment = lanes<T> / Shape::width;

template <class T, class Shape>
struct Items {
  int rank;
  int threads;
  int count;  ///< in `length` elements

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Items(Team const& team, Index length)
      : rank(team.team_rank()), threads(team.team_size()), count(of(length)) {}

  KOKKOS_FORCEINLINE_FUNCTION static int of(Index length) {
    return static_cast<int>(summation::segments<T>(length)) * items_of_segment<T, Shape>;
  }
  /// Calls body(slot, item) for this thread's items; kept ones may be past `count`.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Body const& body) const {
    if constexpr (Shape::kept > 0) {
      static_for<Shape::kept>([&](auto k) { body(k, rank + k() * threads); });
    } else {
      for (int item = rank; item < count; item += threads) body(StaticInt<0>{}, item);
    }
  }
  /// The item's first element.
  KOKKOS_FORCEINLINE_FUNCTION static Index place(int item) {
    constexpr int of_segment = items_of_segment<T, Shape>;
    return Index{item / of_segment} * segment<T> + item % of_segment * Shape::width;
  }
};

/// The same item of several lines. It starts at `data` in the first.
template <class Data>
struct ItemOfLines {
  Data data;
  Index leading;  ///< elements between lines
  int lines;
  Index left;  ///< to the end of the line, which may be within the item

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION ItemOfLines(detail::Lines<T, Data> const& all, Index first, int count,
                                          Index j)
      : data(all.line(first) + j), leading(all.leading), lines(count), left(all.length - j) {}
};

template <class T, int Width>
struct alignas(Width == 1 ? sizeof(T) : 16) Word {
  T element[static_cast<std::size_t>(Width)];
};

template <class Element, int Width>
struct alignas(sizeof(Element) * Width) Stored {
  Element element[static_cast<std::size_t>(Width)];
};

/// Items in registers, with the sums of their panel.
template <class T, class Shape>
class KeptLines {
 public:
  KOKKOS_FORCEINLINE_FUNCTION KeptLines() {}  // NOLINT: nothing is held yet
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION KeptLines(Team const& team, int columns, auto const& x,
                                        Index length) {
    if constexpr (keeps_x) {
      for_columns<Shape>(columns, [&](auto c) {
        Items<T, Shape>(team, length).for_each([&](auto k, int item) {
          Index const j = Items<T, Shape>::place(item);
          load_item(x(c()) + j, length - j, x_[c()][k()]);
        });
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void load(auto k, auto r, auto const& line, Index left) {
    load_item(line, left, lines_[r()][k()]);
  }
  KOKKOS_FORCEINLINE_FUNCTION T multiply(auto k, auto r, auto c, auto const& /*line*/, T const* x,
                                         Index left) const {
    if constexpr (keeps_x) {
      return dot(lines_[r()][k()], x_[c()][k()]);
    } else {
      Item factor;
      load_item(x, left, factor);
      return dot(lines_[r()][k()], factor);
    }
  }
  /// Sums of column c += factor[r] · line r of the step: a chain, from 0 if `fresh`.
  template <class Data>
  KOKKOS_FORCEINLINE_FUNCTION void add(auto k, auto c, ItemOfLines<Data> const& from,
                                       T const* factor, bool fresh, T* /*sums*/) {
    if (fresh) sums_[c()][k()] = Item{};
    static_for<Shape::lines>([&](auto r) {
      if (r() >= from.lines) return;
      static_for<chain_steps>([&](auto s) {
        static_for<Shape::width>([&](auto e) {
          T& sum = sums_[c()][k()].word[s()].element[e()];
          sum = Kokkos::fma(factor[r()], lines_[r()][k()].word[s()].element[e()], sum);
        });
      });
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(auto k, auto c, Joined<T> const& to, T* /*sums*/,
                                        Index left) {
    static_for<chain_steps>([&](auto s) {
      constexpr int j = s() * lanes<T>;
      if (j >= left) return;
      Word sum = sums_[c()][k()].word[s()];
      for (int i = 0; i < to.waiting; ++i) {
        Word const older = load_word(to.subtree(i) + j, left - j);
        static_for<Shape::width>([&](auto e) { sum.element[e()] += older.element[e()]; });
      }
      store_word(to.oldest + j, left - j, sum);
    });
  }

 private:
  using Word = kernels::Word<T, Shape::width>;
  struct Item {
    Word word[chain_steps];
  };
  /// Bytes of registers.
  static constexpr int most_kept = 320;
  static constexpr bool keeps_x =
      Shape::columns > 1 ||
      (Shape::lines + 2) * Shape::kept* static_cast<int>(sizeof(Item)) <= most_kept;

  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION static auto* word_at(U* place) {
    return reinterpret_cast<std::conditional_t<std::is_const_v<U>, Word const, Word>*>(place);
  }
  /// `left` > 0
  KOKKOS_FORCEINLINE_FUNCTION static Word load_word(T const* from, Index left) {
    if constexpr (Shape::on_words) {
      return *word_at(from);
    } else {
      Word word;
      static_for<Shape::width>([&](auto e) { word.element[e()] = e() < left ? from[e()] : T(0); });
      return word;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void store_word(T* to, Index left, Word const& word) {
    if constexpr (Shape::on_words) {
      *word_at(to) = word;
    } else {
      static_for<Shape::width>([&](auto e) {
        if (e() < left) to[e()] = word.element[e()];
      });
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void load_item(T const* from, Index left, Item& item) {
    int const end = static_cast<int>(Kokkos::min(left, Index{segment<T>}));
    static_for<chain_steps>([&](auto s) {
      constexpr int j = s() * lanes<T>;
      item.word[s()] = j < end ? load_word(from + j, end - j) : Word{};
    });
  }
  /// All loads come before the first conversion.
  KOKKOS_FORCEINLINE_FUNCTION static void load_item(detail::NarrowData<T> const& from, Index left,
                                                    Item& item) {
    int const end = static_cast<int>(Kokkos::min(left, Index{segment<T>}));
    detail::with_storage(from.storage, [&](auto stored) {
      using Element = detail::BitsOf<stored()>;
      using Stored = kernels::Stored<Element, Shape::width>;
      Element const* const element = from.template elements<stored()>();
      Stored word[chain_steps];
      static_for<chain_steps>([&](auto s) {
        constexpr int j = s() * lanes<T>;
        if constexpr (Shape::on_words) {
          word[s()] = j < end ? *reinterpret_cast<Stored const*>(element + j) : Stored{};
        } else {
          static_for<Shape::width>([&](auto e) {
            word[s()].element[e()] = j + e() < end ? element[j + e()] : Element{0};
          });
        }
      });
      static_for<chain_steps>([&](auto s) {
        static_for<Shape::width>([&](auto e) {
          item.word[s()].element[e()] =
              static_cast<T>(detail::widened<stored()>(word[s()].element[e()]));
        });
      });
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION static T dot(Item const& line, Item const& x) {
    T chain[Shape::width];
    static_for<Shape::width>([&](auto e) {
      chain[e()] = T(0);
      static_for<chain_steps>([&](auto s) {
        chain[e()] = Kokkos::fma(line.word[s()].element[e()], x.word[s()].element[e()], chain[e()]);
      });
    });
    return tree<Shape::width>(chain);
  }

  Item lines_[Shape::lines][Shape::kept];
  Item sums_[Shape::columns][Shape::kept];
  Item x_[Shape::columns][keeps_x ? Shape::kept : 1];
};

/// Reads lines again from cache; sums are in memory.
template <class T, class Shape>
class CachedLines {
 public:
  CachedLines() = default;
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION CachedLines(Team const& /*team*/, int /*columns*/, auto const& /*x*/,
                                          Index /*length*/) {}
  KOKKOS_FORCEINLINE_FUNCTION void load(auto /*k*/, auto /*r*/, auto const& /*line*/,
                                        Index /*left*/) {}
  KOKKOS_FORCEINLINE_FUNCTION T multiply(auto /*k*/, auto /*r*/, auto /*c*/, T const* line,
                                         T const* x, Index left) const {
    return left >= whole ? dot<lanes<T>>(line, x) : dot<lanes<T>>(line, x, left);
  }
  KOKKOS_FORCEINLINE_FUNCTION T multiply(auto /*k*/, auto /*r*/, auto /*c*/,
                                         detail::NarrowData<T> const& line, T const* x,
                                         Index left) const {
    constexpr int width = Shape::width;
    T own[static_cast<std::size_t>(chain_steps * width)];
    widen_item(line, left, own);
    return left >= whole ? dot<width>(own, x) : dot<width>(own, x, left);
  }
  template <class Data>
  KOKKOS_FORCEINLINE_FUNCTION void add(auto /*k*/, auto /*c*/, ItemOfLines<Data> const& from,
                                       T const* factor, bool fresh, T* sums) {
    if (from.lines == Shape::lines) return add_lines<Shape::lines>(from, 0, factor, fresh, sums);
    for (int r = 0; r < from.lines; ++r) add_lines<1>(from, r, factor, fresh && r == 0, sums);
  }
  KOKKOS_FORCEINLINE_FUNCTION void join(auto /*k*/, auto /*c*/, Joined<T> const& to, T* sums,
                                        Index left) {
    for_words(left, [&](Index j, Index end) {
      for (int i = 0; i < to.waiting; ++i) {
        detail::add_vector(sums + j, to.subtree(i) + j, end - j);
      }
      if (to.oldest == sums) return;
      for (Index i = j; i < end; ++i) to.oldest[i] = sums[i];
    });
  }

 private:
  /// Elements from an item's first to its last.
  static constexpr int whole = (chain_steps - 1) * lanes<T> + Shape::width;

  /// `Pitch` elements between words of the line.
  template <int Pitch>
  KOKKOS_FORCEINLINE_FUNCTION static T dot(T const* line, T const* x) {
    T chain[Shape::width];
    for (int e = 0; e < Shape::width; ++e) {
      T sum = T(0);
      for (int s = 0; s < chain_steps; ++s) {
        sum = Kokkos::fma(line[s * Pitch + e], x[s * lanes<T> + e], sum);
      }
      chain[e] = sum;
    }
    return tree<Shape::width>(chain);
  }
  template <int Pitch>
  KOKKOS_FUNCTION static T dot(T const* line, T const* x, Index left) {
    T chain[Shape::width];
    for (int e = 0; e < Shape::width; ++e) {
      T sum = T(0);
      for (int j = e, i = e; j < Kokkos::min(Index{whole}, left); j += lanes<T>, i += Pitch) {
        sum = Kokkos::fma(line[i], x[j], sum);
      }
      chain[e] = sum;
    }
    return tree<Shape::width>(chain);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void for_words(Index left, auto const& body) {
    for (Index j = 0; j < Kokkos::min(left, Index{segment<T>}); j += lanes<T>) {
      body(j, Kokkos::min(left, j + Shape::width));
    }
  }
  /// Words adjacent in `to`.
  KOKKOS_FORCEINLINE_FUNCTION static void widen_item(detail::NarrowData<T> const& from, Index left,
                                                     T* to) {
    detail::with_storage(from.storage, [&](auto stored) {
      auto const* const element = from.template elements<stored()>();
      for (int s = 0; s < chain_steps; ++s) {
        Index const begin = Index{s} * lanes<T>;
        auto const end = static_cast<int>(Kokkos::min(Index{Shape::width}, left - begin));
        for (int e = 0; e < end; ++e) {
          to[s * Shape::width + e] = static_cast<T>(detail::widened<stored()>(element[begin + e]));
        }
      }
    });
  }
  template <int Count, class Data>
  KOKKOS_FORCEINLINE_FUNCTION static void add_lines(ItemOfLines<Data> const& from, int first,
                                                    T const* factor, bool fresh, T* sums) {
    Data const line = from.data + first * from.leading;
    for_words(from.left, [&](Index j, Index end) {
      if constexpr (detail::is_narrow<Data>) {
        T own[static_cast<std::size_t>(Count * Shape::width)];
        for (int r = 0; r < Count; ++r) {
          (line + (r * from.leading + j)).widen(end - j, own + r * Shape::width);
        }
        add_word<Count>(own, Shape::width, factor + first, fresh, sums + j, end - j);
      } else {
        add_word<Count>(line + j, from.leading, factor + first, fresh, sums + j, end - j);
      }
    });
  }
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void add_word(T const* line, Index leading, T const* factor,
                                                   bool fresh, T* KOKKOS_RESTRICT sums,
                                                   Index width) {
    for (Index j = 0; j < width; ++j) {
      T sum = fresh ? T(0) : sums[j];
      for (int r = 0; r < Count; ++r) sum = Kokkos::fma(factor[r], line[r * leading + j], sum);
      sums[j] = sum;
    }
  }
};

template <class T, class Shape>
using HeldLines = std::conditional_t<(Shape::kept > 0), KeptLines<T, Shape>, CachedLines<T, Shape>>;

}  // namespace tessera::kernels
