// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>
#include <tessera/backends/gpu/block_dot.hpp>
#include <tessera/backends/gpu/combine.hpp>
#include <tessera/backends/gpu/teams.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/order/powers.hpp>
#include <tessera/tuning.hpp>

/// Fused ATAX with a block of vectors, on devices with clusters.
namespace tessera::detail::gpu {

/// A team or cluster computes a group of panels; a warp owns a segment of each line.
template <class Exec, class T>
struct BlockRingPlan {
  static constexpr int most_columns = 8;
  static constexpr int most_warps = 8;
  static constexpr int most_teams = 8;
  static constexpr int rows = 4;
  static constexpr int lag = 1;  ///< steps from a line's dot products to its sum
  static constexpr int most_ahead = 2;
  /// Places for dot products. One is reused after all warps have used it.
  static constexpr int turns = 2 * lag + 2;
  static constexpr int dots = rows * most_columns;
  static constexpr int words = most_columns * segment_words / 2;
  using Stack = WordStack<words, T, true>;

  summation::Panels panels;
  int columns;
  int teams;  ///< teams per cluster
  int warps;
  int places;         ///< steps that scratch holds
  int scratch_parts;  ///< parts of the stacks in scratch
  Index panels_per_group;
  Index groups;

  static Index warps_of(Index length) { return summation::segments<T>(length); }
  static bool takes(Lines<T> const& lines) {
    return WarpOf<Exec>::has_clusters && is_aligned(lines, lines.data) &&
           warps_of(lines.length) <= most_warps * most_teams;
  }

  BlockRingPlan(Exec const& exec, Lines<T> const& lines, Tuning const& tuning, SomeColumns of_block)
      : panels(lines.panels()),
        columns(of_block.count()),
        teams(static_cast<int>(summation::ceil_div(warps_of(lines.length), Index{most_warps}))),
        warps(teams == 1 ? static_cast<int>(warps_of(lines.length)) : most_warps),
        places(lag + most_ahead),
        scratch_parts(0),
        panels_per_group(group_size(tuning.fused_lines.panels_per_team, panels.count)),
        groups(summation::ceil_div(panels.count, panels_per_group)) {
    auto const fits = [&] {
      return teams_with_scratch(exec, scratch_bytes<T>(scratch())) >= most_warps / warps;
    };
    while (places > lag + 1 && !fits()) --places;
    int const most_parts = levels() * Stack::parts_of_level;
    while (scratch_parts < most_parts && fits()) ++scratch_parts;
    if (scratch_parts > 0 && !fits()) --scratch_parts;
  }

  [[nodiscard]] int levels() const { return stack_levels(panels_per_group); }
  [[nodiscard]] static constexpr Index exchanged(Lines<T> const& /*lines*/) { return 0; }
  [[nodiscard]] Index partials(Lines<T> const& lines) const {
    return groups == 1 ? 0 : whole_words<T>(groups * columns * lines.length);
  }
  [[nodiscard]] Index stack_in_memory() const {
    return (Index{levels()} * words - Index{scratch_parts} * Stack::part) * warps * warp_threads;
  }
  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    return partials(lines) + groups * teams * stack_in_memory() * word_width<T>;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int fixed_scratch() const {
    constexpr int arrivals = 64 / static_cast<int>(sizeof(T));
    return arrivals + turns * most_teams * dots + 3 * warps * dots;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int step_size() const {
    return rows * warps * summation::segment<T>;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index scratch() const {
    return fixed_scratch() + Index{places} * step_size() +
           Index{scratch_parts} * Stack::part * warps * warp_threads * word_width<T>;
  }
};

struct StepOfPanel {
  Index panel;
  int step = 0;
};

struct Wheel {
  int count;
  int at = 0;
  unsigned odd = 0;  ///< `at` wrapped an odd number of times

  KOKKOS_FORCEINLINE_FUNCTION void next() {
    if (++at < count) return;
    at = 0;
    odd ^= 1;
  }
};

/// A thread owns two words of a segment in every line (half of each step of the lanes' chains) and
/// the sums of these columns. It copies them to scratch, and loads them for dot products and `lag`
/// steps later for sums. In between, warps add up the dot products.
template <class Exec, class T, bool IsCluster, class Factor>
struct BlockRing {
  using Warp = WarpOf<Exec>;
  using Plan = BlockRingPlan<Exec, T>;
  using Arrival = typename Warp::Arrival;
  static constexpr int columns = Plan::most_columns;
  static constexpr int rows = Plan::rows;
  static constexpr int dots = Plan::dots;
  static constexpr int width = word_width<T> / 2;
  using Own = OwnSums<warp_threads, rows, columns>;
  static_assert(Own::count == 1 && summation::lanes<T> == width * warp_threads);
  struct alignas(width * sizeof(T)) Half {
    PerLine<T, width> e;
  };
  using Halves = PerLine<Half, segment_words>;
  using Vectors = PerLine<Halves, columns>;
  using Sums = PerLine<Word<T>, Plan::words>;

  Lines<T> lines;
  InputVectors<T> x;
  OutputVectors<T> y;
  OutputVectors<T> out;
  T* partials;  ///< (groups, columns, length)
  Word<T>* stacks;
  Plan plan;
  Index stack_in_memory;
  int steps_of_panel;
  Factor factor;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    int team = 0;
    if constexpr (IsCluster) team = member.cluster_rank();
    Index const group = member.league_rank() / plan.teams;
    Index const column =
        Index{team * plan.warps + place.warp} * summation::segment<T> + place.lane * width;
    int const rest = rest_of_line(lines.length, column);
    Scratch const s = scratch_of(member, place);
    if constexpr (IsCluster) meet(member, place, s);

    Index const first = group * plan.panels_per_group * plan.panels.lines;
    Index const last = Kokkos::min(lines.count, first + plan.panels_per_group * plan.panels.lines);
    auto const panels =
        static_cast<int>((last - first + plan.panels.lines - 1) / plan.panels.lines);
    int const steps = panels * steps_of_panel;
    int const ahead = plan.places - Plan::lag;
    StepOfPanel to_copy{first};
    StepOfPanel to_add{first};
    Wheel copied{plan.places};
    for (; copied.at < ahead; copied.next()) {
      copy(to_copy, last, column, rest, s.lines + copied.at * plan.step_size());
    }
    Vectors rX;
    load_vectors(column, rest, place.lane, rX);
    Sums rC{};
    int panel = 0;
    Wheel multiplied{plan.places};
    Wheel added{plan.places};
    Wheel sent{Plan::turns};
    Wheel received{Plan::turns};
    Wheel sender{plan.warps};
    for (int now = 0; now < steps + Plan::lag; ++now) {
      Warp::wait_for_copies(ahead - 1);
      T* const sWarps = s.of_warps + (now & 1) * plan.warps * dots + place.lane;
      if (now < steps) {
        sWarps[place.warp * dots] = dot(s.lines + multiplied.at * plan.step_size(), rX, place.lane);
      }
      member.team_barrier();  // the warps' dot products are complete
      if (now < steps && place.warp == sender.at) send(s, sWarps, place.lane, team, sent.at);
      T* const sStep = s.lines + added.at * plan.step_size();
      if (now >= Plan::lag) {
        T const value = receive(s, place, received);
        share_factors(s, place, to_add, last, value, place.thread < warp_threads && team == 0);
        add(sStep, s.factors, rC);
        if (++to_add.step == steps_of_panel) {
          push(rC, s, member, place, panel++, panels);
          to_add = {to_add.panel + plan.panels.lines};
        }
        added.next();
        received.next();
      }
      copy(to_copy, last, column, rest, s.lines + copied.at * plan.step_size());
      copied.next();
      multiplied.next();
      sent.next();
      sender.next();
    }
    store(rC, group, column, rest);
  }

 private:
  struct Scratch {
    Arrival* ready;  // (turns)
    T* of_teams;     // (turns, most_teams, dots)
    T* of_warps;     // (2, warps, dots)
    T* factors;      // (dots), one per warp, ordered by line
    T* lines;        // (places, step_size), from the thread's first Half
    Word<T>* stack;
  };
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Scratch scratch_of(Team const& member, Place const& place) const {
    T* const begin = team_scratch<T>(member, 0, plan.scratch());
    T* const of_teams = begin + 64 / sizeof(T);
    T* const of_warps = of_teams + Plan::turns * Plan::most_teams * dots;
    T* const all_lines = begin + plan.fixed_scratch();
    return {reinterpret_cast<Arrival*>(begin),
            of_teams,
            of_warps,
            of_warps + (2 * plan.warps + place.warp) * dots,
            all_lines + place.thread * width,
            reinterpret_cast<Word<T>*>(all_lines + plan.places * plan.step_size()) + place.thread};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int bytes_of_step() const {
    return plan.teams * dots * static_cast<int>(sizeof(T));
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void meet(Team const& member, Place const& place,
                                        Scratch const& s) const {
    if (place.thread == 0) {
      Warp::expect_arrivals(s.ready, Plan::turns);
      for (int k = 0; k < Plan::turns; ++k) Warp::expect_bytes(s.ready + k, bytes_of_step());
    }
    member.cluster_barrier();
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int apart() const {
    return plan.warps * warp_threads * width;
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_vectors(Index column, int rest, int lane,
                                                Vectors& rX) const {
    static_for<columns>([&](auto c) {
      int const vector = c() ^ lane % columns;
      bool const there = vector < plan.columns;
      T const* const from = x.data + (there ? vector * x.pitch : 0) + column;
      static_for<segment_words>([&](auto k) {
        static_for<width>([&](auto e) {
          constexpr int at = k() * summation::lanes<T> + e();
          rX[c()][k()].e[e()] = there && at < rest ? Warp::load_constant(from + at) : T(0);
        });
      });
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy(StepOfPanel& step, Index last, Index column, int rest,
                                        T* sStep) const {
    Index const line = step.panel + step.step * rows;
    auto const there = static_cast<int>(Kokkos::min(last, step.panel + plan.panels.lines) - line);
    T const* const from = lines.line(line) + column;
    there >= rows&& rest > (segment_words - 1) * summation::lanes<T>
        ? copy_lines<true>(sStep, from, there, rest)
        : copy_lines<false>(sStep, from, there, rest);
    Warp::end_copies();
    if (++step.step == steps_of_panel) step = {step.panel + plan.panels.lines};
  }
  template <bool AreAllThere>
  KOKKOS_FORCEINLINE_FUNCTION void copy_lines(T* sStep, T const* from, int there, int rest) const {
    static_for<rows>([&](auto r) {
      static_for<segment_words>([&](auto k) {
        constexpr int at = k() * summation::lanes<T>;
        bool const inside = AreAllThere || (r() < there && at < rest);
        T const* const own = from + r() * lines.leading + at;
        Warp::copy_bytes(reinterpret_cast<Half*>(sStep + (r() * segment_words + k()) * apart()),
                         reinterpret_cast<Half const*>(inside ? own : lines.data), inside);
      });
    });
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Half half(T const* sStep, int row, int k) const {
    return *reinterpret_cast<Half const*>(sStep + (row * segment_words + k) * apart());
  }
  KOKKOS_FORCEINLINE_FUNCTION T dot(T const* sStep, Vectors const& rX, int lane) const {
    PerLine<T, rows> sum;
    static_for<rows>([&](auto r) {
      Halves rA;
      static_for<segment_words>([&](auto k) { rA[k()] = half(sStep, r(), k()); });
      PerLine<T, columns> value;
      static_for<columns>([&](auto c) {
        Half chain{};
        static_for<segment_words>([&](auto k) {
          static_for<width>([&](auto e) {
            chain.e[e()] = Kokkos::fma(rA[k()].e[e()], rX[c()][k()].e[e()], chain.e[e()]);
          });
        });
        value[c()] = chain.e[0];
        if constexpr (width == 2) value[c()] += chain.e[1];
      });
      sum[r()] = tree_of_columns<Warp, columns>(value);
    });
    tree_of_lines<Warp, columns, warp_threads, rows>(sum, lane);
    return sum[0];
  }
  KOKKOS_FORCEINLINE_FUNCTION static T tree_over_rows(T const* own, int count) {
    PerLine<T, 8> sum;
    static_for<8>([&](auto w) { sum[w()] = w() < count ? own[w() * dots] : T(0); });
    static_for<3>([&](auto level) {
      constexpr int o = 1 << level();
      static_for<8 / (2 * o)>([&](auto t) { sum[t() * 2 * o] += sum[t() * 2 * o + o]; });
    });
    return sum[0];
  }
  KOKKOS_FORCEINLINE_FUNCTION void send(Scratch const& s, T const* sWarps, int lane, int team,
                                        int turn) const {
    T const value = tree_over_rows(sWarps, plan.warps);
    T* const own = s.of_teams + (turn * Plan::most_teams + team) * dots + lane;
    if constexpr (IsCluster) {
      for (int t = 0; t < plan.teams; ++t) {
        Warp::send(Warp::of_cluster(own, t), value, Warp::of_cluster(s.ready + turn, t));
      }
    } else {
      *own = value;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION T receive(Scratch const& s, Place const& place,
                                        Wheel const& turn) const {
    if constexpr (IsCluster) Warp::wait_for_arrival(s.ready + turn.at, turn.odd);
    T const* const own = s.of_teams + turn.at * Plan::most_teams * dots + place.lane;
    T const value = tree_over_rows(own, plan.teams) + T(0);
    if (IsCluster && place.thread == 0) Warp::expect_bytes(s.ready + turn.at, bytes_of_step());
    return value;
  }
  KOKKOS_FORCEINLINE_FUNCTION void share_factors(Scratch const& s, Place const& place,
                                                 StepOfPanel const& step, Index last, T value,
                                                 bool stores) const {
    Own const own{place.lane};
    Index const line = step.panel + step.step * rows + own.line();
    bool const there =
        line < Kokkos::min(last, step.panel + plan.panels.lines) && own.column() < plan.columns;
    if (there && stores) y.column(own.column()).set(line, value);
    T const result = there ? factor(line, value) : T(0);
    Warp::sync();  // all threads have used the previous factors
    s.factors[own.line() * columns + own.column()] = result;
    Warp::sync();
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(T const* sStep, T const* factors, Sums& rC) const {
    static_for<rows>([&](auto r) {
      Halves rA;
      static_for<segment_words>([&](auto k) { rA[k()] = half(sStep, r(), k()); });
      static_for<columns / word_width<T>>([&](auto q) {
        constexpr int c = q() * word_width<T>;
        auto const f = *reinterpret_cast<Word<T> const*>(factors + r() * columns + c);
        static_for<word_width<T>>([&](auto i) {
          static_for<segment_words>([&](auto k) {
            static_for<width>([&](auto e) {
              constexpr int at = place_of(c + i(), k(), e());
              T& sum = rC[at / word_width<T>].e[at % word_width<T>];
              sum = Kokkos::fma(f.e[i()], rA[k()].e[e()], sum);
            });
          });
        });
      });
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place_of(int vector, int k, int e) {
    return (vector * segment_words + k) * width + e;
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void push(Sums& rC, Scratch const& s, Team const& member,
                                        Place const& place, int panel, int panels) const {
    typename Plan::Stack const stack{stacks + member.league_rank() * stack_in_memory + place.thread,
                                     Index{plan.warps} * warp_threads, s.stack, plan.scratch_parts};
    stack.push(rC, panel, panels);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(Sums const& rC, Index group, Index column,
                                         int rest) const {
    static_for<columns>([&](auto c) {
      if (c() >= plan.columns) return;
      T* const partial = partials + (group * plan.columns + c()) * lines.length + column;
      static_for<segment_words>([&](auto k) {
        static_for<width>([&](auto e) {
          constexpr int at = place_of(c(), k(), e());
          constexpr int offset = k() * summation::lanes<T> + e();
          T const sum = rC[at / word_width<T>].e[at % word_width<T>];
          if (offset >= rest) return;
          if (plan.groups == 1) {
            out.column(c()).set(column + offset, sum + T(0));
          } else {
            partial[offset] = sum;
          }
        });
      });
    });
  }
};

template <class Exec, class T, class Factor>
void block_ring(Exec const& exec, Label const& label, Lines<T> const& lines, InputVectors<T> x,
                OutputVectors<T> y, OutputVectors<T> out, T* workspace,
                BlockRingPlan<Exec, T> const& plan, Factor const& factor) {
  require_countable_lines(plan.panels);
  using Plan = BlockRingPlan<Exec, T>;
  auto* const stacks = reinterpret_cast<Word<T>*>(workspace + plan.partials(lines));
  auto const steps_of_panel =
      static_cast<int>(summation::ceil_div(plan.panels.lines, Index{Plan::rows}));
  auto const run = [&]<bool IsCluster>(std::bool_constant<IsCluster>) {
    for_each_team<Plan::most_warps * warp_threads, 1>(
        exec, label, plan.groups * plan.teams, plan.warps * warp_threads,
        scratch_bytes<T>(plan.scratch()),
        BlockRing<Exec, T, IsCluster, Factor>{lines, x, y, out, workspace, stacks, plan,
                                              plan.stack_in_memory(), steps_of_panel, factor},
        plan.teams);
  };
  if constexpr (WarpOf<Exec>::has_clusters) {
    plan.teams > 1 ? run(std::true_type{}) : run(std::false_type{});
  }
  combine_groups(exec, label, static_cast<T const*>(workspace), plan.groups,
                 plan.columns * lines.length, out);
}

}  // namespace tessera::detail::gpu
