// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/backends/cuda/tuning.hpp>
#include <tessera/backends/gpu/products.hpp>
#include <tessera/checks.hpp>
#include <tessera/plan.hpp>

#include "support/cases.hpp"
#include "support/methods.hpp"
#include "support/refusal.hpp"
#include "support/shapes.hpp"
#include "support/tunings.hpp"

/// Plans stay within the scratch of every architecture; needs no device.
namespace tessera::test {

struct Limit {
  std::size_t bytes;
  std::size_t bytes_per_thread = 0;
};
/// On Turing, for teams of any size: Kokkos leaves 49152 - 8216 of the 48 KiB.
constexpr Limit turing_scratch{40936};
/// Elsewhere: the 48 KiB less what Kokkos reserves in a launch.
constexpr Limit cuda_scratch{49152 - 2 * sizeof(double), sizeof(double)};

template <bool HasLargeScratch>
struct PlannedCuda {
  using execution_space = PlannedCuda;
  using memory_space = Kokkos::HostSpace;
  static constexpr bool has_large_scratch = HasLargeScratch;
  static constexpr Limit limit = HasLargeScratch ? cuda_scratch : turing_scratch;
  /// Hopper, Turing.
  static constexpr std::size_t most_scratch = (HasLargeScratch ? 227 : 64) * 1024;
  Index multiprocessors;
  [[nodiscard]] int concurrency() const {
    return static_cast<int>(multiprocessors) * (HasLargeScratch ? 2048 : 1024);
  }
};

}  // namespace tessera::test

namespace tessera::backends {

template <bool HasLargeScratch>
struct Backend<test::PlannedCuda<HasLargeScratch>> {
  using Exec = test::PlannedCuda<HasLargeScratch>;
  static constexpr char const* name = "planned";
  static constexpr bool is_accelerated = true;
  static constexpr bool is_gpu = true;
  using PinnedBuffer = PageableBuffer;
  using PinnedSpace = Kokkos::HostSpace;
  struct Warp {
    static constexpr bool has_large_scratch = HasLargeScratch;
    static constexpr bool has_clusters = HasLargeScratch;
    static constexpr bool has_copies = HasLargeScratch;
  };

  static Index teams_that_meet(Exec const& exec) { return cuda::teams_that_meet(exec); }
  static std::size_t most_scratch(Exec const&) { return Exec::most_scratch; }
  static constexpr Index most_slices_of_group = cuda::most_slices_of_group;
  static bool fetches_blocks(Exec const&) { return cuda::fetches_blocks(5120); }
  static Index multiprocessors(Exec const& exec) { return exec.multiprocessors; }
  static CachePreference set_cache_preference(Exec const&, CachePreference wanted) {
    return wanted;
  }
  static TransposeTuning transpose_tuning(Exec const&, TransposeShape const&) { return {}; }
  template <class T>
  static GemmTuning gemm_tuning(Exec const&, Index, Index, summation::Chains const&) {
    return {};
  }

  template <class T>
  static cuda::Ring ring(summation::Panels const& panels, Index length, bool on_words,
                         int columns = 1, int element_bytes = sizeof(T)) {
    if (!Warp::has_clusters) return {};
    return cuda::ring_of<T>(panels, length, on_words, columns, element_bytes);
  }
  template <class T>
  static Tuning row_major_tuning(Exec const& exec, Index rows, Index cols) {
    return tuning_of_lines<T>(exec, rows, cols);
  }
  template <class T>
  static Tuning column_major_tuning(Exec const& exec, Index rows, Index cols) {
    return tuning_of_lines<T>(exec, cols, rows);
  }
  template <class T>
  static Tuning tuning_of_blocks(Exec const&, Index, Index, int, Tuning const& result) {
    return result;
  }

 private:
  template <class T>
  static Tuning tuning_of_lines(Exec const& exec, Index count, Index length) {
    return cuda::tuning<T>(count, length, exec.multiprocessors,
                           ring<T>(summation::panels(count, length), length, true));
  }
};

}  // namespace tessera::backends

namespace tessera::test {
namespace {

/// Multiprocessors of a small card, Titan RTX, H100 or H200, a future card.
constexpr std::array<Index, 4> cards{14, 72, 132, 300};

std::vector<Shape> shapes_of_all_sizes() {
  std::vector<Index> extents;
  for (int power = 0; power <= 32; ++power) {
    Index const extent = Index{1} << power;
    for (Index const near : {extent - 1, extent, extent + 1}) {
      if (near >= 1 && (extents.empty() || near > extents.back())) extents.push_back(near);
    }
  }
  std::vector<Shape> shapes;
  for (Index const rows : extents) {
    for (Index const cols : extents) {
      if (rows <= (Index{1} << 40) / cols) shapes.push_back({rows, cols});
    }
  }
  return shapes;
}

template <class T, class Layout, class Exec, class Visitor>
void for_each_plan(Exec const& exec, Shape const& s, std::optional<Tuning> const& tuning,
                   Visitor const& visit) {
  visit(plan_multiply<T, Layout>(exec, s.rows, s.cols, {.tuning = tuning}));
  visit(plan_multiply_transposed<T, Layout>(exec, s.rows, s.cols, {.tuning = tuning}));
  for (Method const method : all_methods) {
    visit(plan_atax<T, Layout>(exec, s.rows, s.cols, {.method = method, .tuning = tuning}));
  }
}

/// 0 if the fused kernel keeps no lines beyond Kokkos' limit.
template <class T, class Layout, class Exec>
std::size_t scratch_for_lines(Exec const& exec, Shape const& s,
                              std::optional<Tuning> const& tuning) {
  if constexpr (backends::Backend<Exec>::is_gpu) {
    constexpr bool row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;
    using Plan = tessera::detail::FusedOf<Exec, T, row_major>;
    auto const lines = tessera::detail::lines_of_shape<T, Layout>(s.rows, s.cols);
    Tuning const used = tessera::detail::tuning_for<T, row_major>(exec, s.rows, s.cols, tuning);
    if (!backends::AcceleratedProducts<Exec>::template fuses<row_major>(exec, lines, used))
      return 0;
    Plan const plan(exec, lines, used);
    bool keeps_lines = false;
    if constexpr (row_major) {
      keeps_lines = plan.way == Plan::Way::ring;
    } else {
      keeps_lines = plan.slices.fits();
    }
    if (keeps_lines) return backends::Backend<Exec>::most_scratch(exec);
  }
  return 0;
}

template <class Exec>
class Fitting {
 public:
  Fitting(Exec const& exec, Limit limit) : exec_(exec), limit_(limit) {}

  template <class T, class Layout>
  void look_at(Shape const& shape, std::optional<Tuning> const& tuning = std::nullopt) {
    std::size_t const own = scratch_for_lines<T, Layout>(exec_, shape, tuning);
    if (own > 0) ++(std::is_same_v<Layout, Kokkos::LayoutRight> ? rings_ : slices_);
    for_each_plan<T, Layout>(exec_, shape, tuning, [&](Plan const& plan) {
      if (plan.kernels == tessera::Kernels::portable) return;  // Kokkos' own limit
      for (StagePlan const& stage : plan.stages) {
        if (stage.scratch_bytes > 0) with_scratch_.insert(stage.name);
        std::size_t const most = stage.name == "fused" && own > 0
                                     ? own
                                     : limit_.bytes - limit_.bytes_per_thread *
                                                          static_cast<std::size_t>(stage.team_size);
        if (stage.scratch_bytes <= most) continue;
        if (++failures_ > 5) continue;
        ADD_FAILURE() << stage.name << " of " << shape << " asks for " << stage.scratch_bytes
                      << " bytes of scratch, " << most << " are there; scalars of " << sizeof(T)
                      << " bytes, tuning " << testing::PrintToString(tuning);
      }
    });
  }
  template <class Layout>
  void look_at_both(Shape const& shape, std::optional<Tuning> const& tuning = std::nullopt) {
    look_at<float, Layout>(shape, tuning);
    look_at<double, Layout>(shape, tuning);
  }
  void look_at_all(Shape const& shape, std::optional<Tuning> const& tuning = std::nullopt) {
    look_at_both<Kokkos::LayoutRight>(shape, tuning);
    look_at_both<Kokkos::LayoutLeft>(shape, tuning);
  }
  std::set<std::string> const& with_scratch() const { return with_scratch_; }
  int rings() const { return rings_; }
  int slices() const { return slices_; }

 private:
  Exec exec_;
  Limit limit_;
  int failures_ = 0;
  int rings_ = 0;
  int slices_ = 0;
  std::set<std::string> with_scratch_;
};

std::vector<Tuning> callers_tunings() {
  std::vector<Tuning> tunings = odd_tunings();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) tunings.push_back(random_tuning(seed));
  return tunings;
}

template <class Kind>
using ScratchOfCuda = testing::Test;
using Kinds = testing::Types<PlannedCuda<false>, PlannedCuda<true>>;
TYPED_TEST_SUITE(ScratchOfCuda, Kinds);

TYPED_TEST(ScratchOfCuda, FitsAMultiprocessorForEveryTuning) {
  for (Index const card : cards) {
    Fitting<TypeParam> fitting({card}, TypeParam::limit);
    for (Shape const& shape : shapes_of_all_sizes()) fitting.look_at_all(shape);
    EXPECT_THAT(fitting.with_scratch(),
                testing::IsSupersetOf({"fused", "multiply", "multiply_transposed"}));
    EXPECT_EQ(fitting.rings() > 0, TypeParam::has_large_scratch) << fitting.rings();
    EXPECT_EQ(fitting.slices() > 0, TypeParam::has_large_scratch) << fitting.slices();
  }
}

TYPED_TEST(ScratchOfCuda, FitsAMultiprocessorForACallersTuning) {
  Fitting<TypeParam> fitting({72}, TypeParam::limit);
  for (Tuning const& tuning : callers_tunings()) {
    for (Shape const& shape : all_shapes()) fitting.look_at_all(shape, tuning);
    for (Shape const& shape : large_shapes()) fitting.look_at_all(shape, tuning);
  }
}

template <class T, class Exec>
void expect_room_for_blocks(Exec const& exec, Index count, Index length, int vectors,
                            Tuning const& tuning) {
  namespace gpu = tessera::detail::gpu;
  tessera::detail::Lines<T> const lines{nullptr, count, length, length};
  gpu::BlockDotPlan<Exec, T> const dot(exec, lines, tuning, {vectors});
  gpu::BlockSumPlan<Exec, T> const sum(exec, lines, tuning, {vectors});
  SCOPED_TRACE(testing::Message() << count << " lines of " << length << ", " << vectors);
  EXPECT_LE(tessera::detail::scratch_bytes<T>(dot.scratch()), Exec::most_scratch);
  EXPECT_GE(dot.places, 2);
  int const threads = dot.is_short ? gpu::segment_threads : gpu::warp_threads;
  int const sharing = std::min(dot.rows, threads / dot.kept);
  Index const sums = Index{gpu::warp_threads} * dot.warps() * dot.rows / sharing;
  EXPECT_GE(dot.scratch(), Index{dot.places} * dot.step_size() + 2 * sums);
  EXPECT_LE(dot.warps(), dot.most_warps);
  EXPECT_GE(dot.groups * dot.kept, vectors);
  EXPECT_GE(dot.runs * dot.spans * gpu::span<T>, length);
  EXPECT_GE(dot.line_blocks * dot.lines_per_team, count);
  std::size_t const side_by_side = sum.parts_in_scratch > 0 ? sum.teams_at_once : 1;
  EXPECT_LE((tessera::detail::scratch_bytes<T>(sum.scratch()) + 1024) * side_by_side,
            Exec::most_scratch + 1024);
  EXPECT_GE(sum.shares * sum.kept, vectors);
  EXPECT_GE(sum.groups * sum.steps * sum.side_by_side(), sum.panels.count);
  EXPECT_LE(sum.kept, sum.most_kept);
  using Pair = gpu::FusedLinesPlan<Exec, T>;
  if (vectors == 2 && Exec::has_large_scratch &&
      backends::cuda::fuse_pairs<T>(lines.panels(), length)) {
    Pair const pair(exec, lines, tuning, vectors);
    EXPECT_TRUE(pair.way == Pair::Way::ring);
    EXPECT_LE(tessera::detail::scratch_bytes<T>(pair.scratch(lines)), Exec::most_scratch);
    EXPECT_LE(pair.ring.warps * gpu::warp_threads, pair.ring_team);
    EXPECT_GE(pair.ring.teams * pair.ring.warps * gpu::span<T>, length);
  }
  using Ring = gpu::BlockRingPlan<Exec, T>;
  EXPECT_TRUE(Exec::has_large_scratch || !Ring::takes(lines));
  if (vectors > Ring::most_columns || !Ring::takes(lines)) return;
  Ring const ring(exec, lines, tuning, {vectors});
  EXPECT_LE(tessera::detail::scratch_bytes<T>(ring.scratch()), Exec::most_scratch);
  EXPECT_GT(ring.places, ring.lag);
  EXPECT_LE(ring.teams, ring.most_teams);
  EXPECT_LE(ring.warps, ring.most_warps);
  EXPECT_GE(ring.teams * ring.warps * summation::segment<T>, length);
  EXPECT_GE(ring.groups * ring.panels_per_group, ring.panels.count);
}

TYPED_TEST(ScratchOfCuda, HoldsWhatBlocksOfVectorsNeed) {
  auto const expect_room = [](Shape const& shape, Tuning const& tuning) {
    for (int const vectors : {2, 4, 5, 8, 9, 16, 17, 25, 32}) {
      expect_room_for_blocks<float>(TypeParam{72}, shape.rows, shape.cols, vectors, tuning);
      expect_room_for_blocks<double>(TypeParam{72}, shape.rows, shape.cols, vectors, tuning);
    }
  };
  for (Tuning const& tuning : callers_tunings()) {
    for (Shape const& shape : all_shapes()) expect_room(shape, tuning);
  }
  namespace cuda = backends::cuda;
  for (Shape const& shape : shapes_of_all_sizes()) {
    for (int const vectors : {2, 8, 16, 24, 32}) {
      Tuning const tuning{
          .dot = cuda::dot_tuning_of_blocks<float>(shape.rows, shape.cols, vectors, 72),
          .sum = cuda::sum_tuning_of_blocks<float>(shape.rows, shape.cols, vectors, 72),
          .fused_lines = {.panels_per_team =
                              cuda::panels_of_block_ring<float>(shape.rows, shape.cols, 72)}};
      EXPECT_NO_THROW(checks::require_valid(tuning)) << shape;
      expect_room_for_blocks<float>(TypeParam{72}, shape.rows, shape.cols, vectors, tuning);
    }
  }
}

template <class T>
bool slices_fit(PlannedCuda<true> const& exec, Index count) {
  for (Index const length : {Index{1}, Index{1000}, Index{1} << 18, Index{1} << 24}) {
    tessera::detail::Lines<T> const lines{nullptr, count, length, length};
    for (Index const tiles : {1, 8, 1024}) {
      tessera::detail::gpu::SlicesPlan<PlannedCuda<true>, T> const plan(exec, lines, {1, tiles, 8});
      if (!plan.fits()) return false;
    }
  }
  return true;
}

TEST(Scratch, HoldsTheSlicesThatAreChosen) {
  PlannedCuda<true> const exec{132};
  Index most = 0;
  while (backends::cuda::fuse_slices(most + 1, exec.most_scratch)) ++most;
  EXPECT_GE(most, 256);
  for (Index count = 1; count <= most; ++count) {
    EXPECT_TRUE(slices_fit<float>(exec, count)) << count;
    EXPECT_TRUE(slices_fit<double>(exec, count)) << count;
  }
  EXPECT_FALSE(slices_fit<float>(exec, 2 * most));
}

template <class T>
auto plan_of_lines(Index count, Index length, Index leading,
                   std::optional<Tuning> const& tuning = std::nullopt) {
  using Exec = PlannedCuda<true>;
  Exec const exec{132};
  return tessera::detail::FusedOf<Exec, T, true>(
      exec, tessera::detail::Lines<T>{nullptr, count, length, leading},
      tessera::detail::tuning_for<T, true>(exec, count, length, tuning));
}

TEST(Rings, LeaveAsManyMultiprocessorsBusyWhereLinesAreOffWords) {
  for (Index const length : {3072, 4096, 8192, 10240, 12288, 14336, 16384, 20480, 32768, 65536}) {
    auto const on_words = plan_of_lines<float>(length, length, length);
    auto const off_words = plan_of_lines<float>(length, length, length + 3);
    using Way = decltype(on_words)::Way;
    EXPECT_EQ(on_words.way, Way::ring) << length;
    EXPECT_EQ(off_words.way, length <= 32768 ? Way::ring : Way::parts) << length;
    EXPECT_TRUE(on_words.on_words);
    EXPECT_FALSE(off_words.on_words);
    EXPECT_GE(off_words.teams(), on_words.teams()) << length;
    EXPECT_LE(on_words.ring.slots, on_words.ring_most_slots(4)) << length;
    EXPECT_LE(off_words.ring.slots, off_words.ring_most_slots(4)) << length;
    EXPECT_GE(on_words.teams(), 64) << length;
  }
  // One team of eight warps per multiprocessor, and two.
  EXPECT_EQ(plan_of_lines<float>(16384, 16384, 16384).teams(), 128);
  EXPECT_EQ(plan_of_lines<float>(16384, 16384, 16387).teams(), 256);
}

TEST(Rings, GiveATeamAllPanelsHoweverManyACallerAsksFor) {
  for (Index const length : {3072, 8192, 16384, 32768, 65536}) {
    for (Index const offset : {0, 3}) {
      // 2^62 times the rings of a multiprocessor would overflow.
      for (int power = 20; power <= 62; ++power) {
        Tuning const tuning{.fused_lines = {.panels_per_team = Index{1} << power}};
        auto const plan = plan_of_lines<float>(length, length, length + offset, tuning);
        EXPECT_EQ(plan.groups, 1) << length << " + " << offset << ", 2^" << power;
      }
    }
  }
}

template <class T>
class Capacities : public testing::Test {
 protected:
  using Exec = PlannedCuda<true>;
  using Warp = backends::Backend<Exec>::Warp;
  static constexpr Index span = tessera::detail::gpu::span<T>;

  static auto fused(Index count, Index length, Tuning const& tuning = {}) {
    return tessera::detail::FusedOf<Exec, T, true>(
        Exec{132}, tessera::detail::Lines<T>{nullptr, count, length, length}, tuning);
  }
  static auto dot(Index length, Index segments_per_run) {
    return tessera::detail::DotOf<Exec, T>(Exec{132},
                                           tessera::detail::Lines<T>{nullptr, 2, length, length},
                                           Tuning{.dot = {.segments_per_run = segments_per_run}});
  }
  /// Next to powers of two, and one whose results differed.
  static std::vector<Index> lengths(Index longest) {
    std::vector<Index> result{300000000};
    for (Index power = 512; power <= longest; power *= 2) {
      result.insert(result.end(), {power - 1, power, power + 1});
    }
    result.pop_back();
    return result;
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Capacities, Scalars);

TYPED_TEST(Capacities, OfTreesHoldWhatAWarpHasOfARunAndOfRuns) {
  using T = TypeParam;
  using Tree = tessera::detail::gpu::WarpTree<typename TestFixture::Warp, T>;
  constexpr Index longest = (Index{1} << 46) / sizeof(T);
  for (Index const segments : {Index{0}, Index{1}, Index{2}, Index{1} << 20, Index{1} << 62}) {
    for (Index const length : this->lengths(longest)) {
      auto const plan = this->dot(length, segments);
      EXPECT_LE(plan.spans_per_run, Tree::max_values) << length << ", " << segments;
      EXPECT_LE(plan.runs, 32 * Tree::max_values) << length << ", " << segments;
      EXPECT_GE(plan.runs * plan.spans_per_run * TestFixture::span, length);
    }
    EXPECT_THAT([&] { this->dot(longest + 1, segments); },
                refuses("a GPU takes lines of at most 2^46 bytes, found " +
                        std::to_string((longest + 1) * Index{sizeof(T)})));
  }
}

TYPED_TEST(Capacities, OfCountersHoldTheLinesThatAWorkerAdds) {
  namespace gpu = tessera::detail::gpu;
  Tuning const all_panels{.fused_lines = {.panels_per_team = Index{1} << 62}};
  for (Index const length : {1, 300, 1024, 3072, 16384, 40000, 100000}) {
    for (Index count = 1; count <= (Index{1} << 45) / length; count *= 2) {
      auto const plan = this->fused(count, length, all_panels);
      EXPECT_LE(plan.panels_per_worker * plan.panels.lines, gpu::most_lines_in_turn)
          << count << " x " << length;
      EXPECT_GE(plan.groups * plan.panels_per_team, plan.panels.count);
      EXPECT_NO_THROW(gpu::require_countable_lines(plan.panels));
    }
  }
  EXPECT_THAT([] { gpu::require_countable_lines({.lines = (Index{1} << 30) + 1, .count = 2}); },
              refuses("panels have at most 1073741824 lines, found 1073741825"));
}

TYPED_TEST(Capacities, OfCountersAreOneForEachTileOfColumns) {
  using T = TypeParam;
  using Exec = PlannedCuda<true>;
  for (Index const length : {1, 1000, 100000, 10000000}) {
    for (Index const columns : {1, 32, 1024}) {
      tessera::detail::SumOf<Exec, T> const plan(
          Exec{5000}, tessera::detail::Lines<T>{nullptr, 16384, length, length},
          Tuning{.sum = {.columns_per_team = columns, .panels_per_team = 1024}});
      EXPECT_TRUE(!plan.last_team_combines || plan.column_tiles <= backends::counters<Exec>)
          << length << ", " << columns;
    }
  }
}

template <class Exec>
void expect_valid_tunings() {
  for (Index const card : cards) {
    for (Shape const& shape : shapes_of_all_sizes()) {
      using Backend = backends::Backend<Exec>;
      Exec const exec{card};
      EXPECT_NO_THROW(checks::require_valid(
          Backend::template row_major_tuning<float>(exec, shape.rows, shape.cols)))
          << shape;
      EXPECT_NO_THROW(checks::require_valid(
          Backend::template row_major_tuning<double>(exec, shape.rows, shape.cols)))
          << shape;
    }
  }
}

template <class T>
void expect_room_for_panels(Index columns, Index panels) {
  namespace gpu = tessera::detail::gpu;
  gpu::PanelSteps<T> const team(columns, panels);
  SCOPED_TRACE(testing::Message() << columns << " columns, " << panels << " panels");
  EXPECT_EQ(team.threads_per_line * team.side_by_side, gpu::PanelSteps<T>::team_size);
  EXPECT_GE(team.panels(), panels);
  // At most the next power of two, or one step.
  EXPECT_TRUE(team.panels() < 2 * panels || team.count == 1);
  EXPECT_EQ(team.levels_in_scratch + team.levels_in_memory, gpu::stack_levels(team.count));
  EXPECT_GE(team.levels_in_memory, 0);
  // Three teams share Turing's scratch.
  EXPECT_LE(3 * tessera::detail::scratch_bytes<T>(team.scratch()), 64 * 1024);
}

TEST(Sums, HaveRoomForAllPanelsThatWait) {
  for (Index columns = 1; columns <= 5000; columns = columns * 3 + 1) {
    for (Index panels = 1; panels <= Index{1} << 40; panels = panels * 5 + 2) {
      expect_room_for_panels<float>(columns, panels);
      expect_room_for_panels<double>(columns, panels);
    }
  }
}

TEST(Scratch, NeedsTuningsThatAreValid) {
  expect_valid_tunings<PlannedCuda<false>>();
  expect_valid_tunings<PlannedCuda<true>>();
}

template <class C>
using ScratchOn = testing::Test;
TYPED_TEST_SUITE(ScratchOn, Cases, CaseName);

TYPED_TEST(ScratchOn, SizeMatchesKokkos) {
  using Exec = typename TypeParam::Exec;
  Fitting<Exec> fitting(
      Exec(), backends::Backend<Exec>::is_gpu
                  ? cuda_scratch
                  : Limit{static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(1))});
  using Layout = typename TypeParam::Layout;
  using T = typename TypeParam::Scalar;
  for (Shape const& shape : shapes_of_all_sizes()) fitting.template look_at<T, Layout>(shape);
  for (Tuning const& tuning : callers_tunings()) {
    for (Shape const& shape : few_shapes()) fitting.template look_at<T, Layout>(shape, tuning);
  }
  EXPECT_THAT(fitting.with_scratch(), testing::Contains("fused"));
}

}  // namespace
}  // namespace tessera::test
