// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include <tessera/stream/detail/blocks.hpp>
#include <tessera/stream/detail/plan.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/state.hpp>
#include <tessera/summation.hpp>

#include "support/refusal.hpp"

/// Plans of streams, without a backend.
namespace tessera::test {
namespace {

using stream::detail::Blocks;
using stream::detail::Cut;
using stream::detail::Extents;
using stream::detail::Machine;
using stream::detail::make_plan;
using stream::detail::Plan;
using stream::detail::PlanInput;
using stream::detail::WorkBytes;
using summation::Index;
using testing::ThrowsMessage;

constexpr std::size_t MiB = std::size_t{1} << 20U;
constexpr Machine host{.is_gpu = false, .threads = 4, .processors = 6};
constexpr Machine gpu{.is_gpu = true, .threads = 100000, .processors = 6};
constexpr auto name = "stream::test";

PlanInput input_of(Machine const& machine, Extents const& extents, Cut cut,
                   WorkBytes const& bytes = {}) {
  PlanInput input;
  input.extents = extents;
  input.cut = cut;
  input.machine = machine;
  input.bytes_of_work = [=](Blocks const&) { return bytes; };
  return input;
}
Plan plan_of(PlanInput const& input, stream::Options<float> const& options) {
  return make_plan<float>(name, input, options);
}
std::size_t limit_needed(PlanInput const& input, stream::Options<float> const& options) {
  try {
    plan_of(input, options);
  } catch (stream::LimitError const& error) {
    return error.needed();
  }
  return 0;
}

/// The blocks cover the matrix, and the transfers their blocks.
void expect_covers(Plan const& plan, std::string const& where) {
  Index transfer = 0;
  Index elements = 0;
  for (Index block = 0; block < plan.blocks.count(); ++block) {
    Index lines = 0;
    for (Index k = 0; k < plan.transfers.per_block; ++k, ++transfer) {
      auto const part = plan.lines_of(transfer);
      EXPECT_TRUE(part.count == 0 || part.first == lines) << where << ", transfer " << transfer;
      lines += part.count;
      EXPECT_LE(
          static_cast<std::size_t>(part.count * plan.blocks.line_length(block)) * sizeof(float),
          plan.transfers.bytes)
          << where;
    }
    EXPECT_EQ(lines, plan.blocks.line_count(block)) << where << ", block " << block;
    elements += plan.blocks.elements(block);
  }
  EXPECT_EQ(elements, plan.blocks.elements()) << where;
}

TEST(StreamPlan, CoversTheMatrixWithinTheLimit) {
  for (Machine const& machine : {host, gpu}) {
    for (Extents const& extents :
         {Extents{1, 1}, Extents{1, 200000}, Extents{200000, 1}, Extents{37, 20011},
          Extents{3000, 700}, Extents{1500, 301}, Extents{20, 40000, 5}}) {
      for (Cut const cut : {Cut::lines, Cut::panels, Cut::tiles}) {
        for (std::size_t const limit : {3 * MiB, 40 * MiB, 4096 * MiB}) {
          std::string const where = std::to_string(extents.count) + " x " +
                                    std::to_string(extents.length) + ", cut " +
                                    std::to_string(static_cast<int>(cut)) + ", limit " +
                                    std::to_string(limit) + (machine.is_gpu ? ", GPU" : "");
          auto const input = input_of(machine, extents, cut, {.kept = 5000, .per_block = 300});
          std::size_t const needed = limit_needed(input, {.memory_limit = limit});
          Plan const plan = plan_of(input, {.memory_limit = needed > 0 ? needed : limit});
          EXPECT_LE(plan.host_bytes, std::max(needed, limit)) << where;
          EXPECT_LE(plan.device_bytes, std::max(needed, limit)) << where;
          EXPECT_EQ(plan.device_bytes > 0, machine.is_gpu) << where;
          EXPECT_EQ(plan.blocks.elements(), extents.count * extents.length) << where;
          expect_covers(plan, where);
        }
      }
    }
  }
}

TEST(StreamPlan, ErrorNamesTheSmallestSufficientLimit) {
  Extents const extents{100, 1000};  // lines of 4000 bytes
  struct Trial {
    Machine machine;
    std::size_t kept;
    std::size_t needed;
  };
  // A line in each slot and one for the work, or a slot and what the work keeps.
  for (Trial const& t : {Trial{host, 0, 16000}, Trial{host, 20000, 24000}, Trial{gpu, 0, 20000},
                         Trial{gpu, 20000, 36000}}) {
    auto const input = input_of(t.machine, extents, Cut::lines, {.kept = t.kept});
    EXPECT_THAT(([&] { plan_of(input, {.memory_limit = 1000, .readers = -1}); }),
                ThrowsMessage<stream::LimitError>("tessera::stream::test: expected a limit of at "
                                                  "least " +
                                                  std::to_string(t.needed) + " bytes, found 1000"));
    EXPECT_EQ(limit_needed(input, {.memory_limit = t.needed - 1, .readers = -1}), t.needed);
    EXPECT_EQ(limit_needed(input, {.memory_limit = t.needed, .readers = -1}), 0U);
  }
  auto const input = input_of(host, extents, Cut::lines, {.kept = std::size_t{1} << 62U});
  EXPECT_THAT(([&] { plan_of(input, {}); }), refuses("the matrix is too large"));
}

TEST(StreamPlan, CountsReaders) {
  auto input = input_of(host, {1000, 1000}, Cut::lines);
  auto const readers = [&](int wanted) { return plan_of(input, {.readers = wanted}).readers; };
  EXPECT_EQ(readers(0), 2);  // idle processors
  EXPECT_EQ(readers(-1), 0);
  EXPECT_EQ(readers(5), 5);
  input.machine.threads = 6;
  EXPECT_EQ(readers(0), 1);
  input.kernels_may_read = true;
  EXPECT_EQ(readers(0), 0);
  input.bytes_at_once = 1;
  EXPECT_EQ(readers(5), 1);
  EXPECT_EQ(readers(-1), 0);
  input.machine = gpu;
  EXPECT_EQ(readers(-1), 1);
  input.bytes_at_once = 0;
  EXPECT_EQ(readers(-1), 5);
  for (int const wrong : {-2, stream::most_readers + 1}) {
    EXPECT_THAT(
        [&] { readers(wrong); },
        refuses("readers must be -1, or between 0 and 256, found " + std::to_string(wrong)));
  }
}

TEST(StreamPlan, HasASlotPerBlockOnAHost) {
  auto input = input_of(host, {1000, 1000}, Cut::lines, {.kept = 700, .per_block = 11});
  input.vectors.copied = 40;
  for (int const readers : {-1, 2}) {
    Plan const plan = plan_of(input, {.memory_limit = MiB, .readers = readers});
    EXPECT_EQ(plan.slots, readers > 0 ? 3 : 1);
    EXPECT_EQ(plan.slices, readers > 0 ? 2 : 0);
    EXPECT_EQ(plan.transfers.per_block, 1);
    EXPECT_EQ(plan.transfers.lines, plan.blocks.size());
    EXPECT_EQ(plan.host_bytes,
              static_cast<std::size_t>(plan.slots) * plan.transfers.bytes + 700 + 11 + 40);
    EXPECT_EQ(plan.device_bytes, 0U);
  }
}

TEST(StreamPlan, LetsThreadsReadTheirLinesIfTheyTakeLessThanSlots) {
  auto input = input_of(host, {100000, 1000}, Cut::panels, {.to_read = 500000});
  stream::Options<float> const options{.memory_limit = 512 * MiB, .readers = -1};
  EXPECT_EQ(plan_of(input, options).bytes_of_reader, 0U);
  EXPECT_FALSE(plan_of(input, options).workers_may_read);
  input.kernels_may_read = true;
  Plan const plan = plan_of(input, options);
  EXPECT_TRUE(plan.workers_may_read);
  EXPECT_EQ(plan.bytes_of_reader, 500000U);
  EXPECT_EQ(plan.slots, 0);
  EXPECT_EQ(plan.host_bytes, 4 * 500000U);
  input.work_reads_lines = true;
  EXPECT_GT(plan_of(input, options).blocks.size(), plan.blocks.size());
  EXPECT_EQ(plan_of(input, {.memory_limit = 512 * MiB, .readers = 2}).bytes_of_reader, 0U);
  input.machine.threads = 10000;
  EXPECT_EQ(plan_of(input, options).bytes_of_reader, 0U);
  EXPECT_EQ(plan_of(input, options).slots, 1);
}

TEST(StreamPlan, SendsBlocksToAGpuInTransfers) {
  // Lines of 4 MiB: fewer slots if they exceed their share of the limit.
  auto input = input_of(gpu, {1000, 1 << 20}, Cut::lines, {.kept = 100, .per_block = 20});
  for (auto const& [limit, slots] : {std::pair{21 * MiB, 5}, std::pair{64 * MiB, 7}}) {
    Plan const plan = plan_of(input, {.memory_limit = limit});
    EXPECT_EQ(plan.transfers.bytes, 4 * MiB);
    EXPECT_EQ(plan.transfers.per_block, plan.blocks.size());
    EXPECT_EQ(plan.slots, slots);
    EXPECT_EQ(plan.slices, 5);
    EXPECT_EQ(plan.host_bytes, static_cast<std::size_t>(slots) * 4 * MiB);
    EXPECT_EQ(plan.device_bytes, static_cast<std::size_t>(plan.blocks.size()) * 16 * MiB + 120);
  }
  input.bytes_at_once = 16 * MiB;
  Plan const whole = plan_of(input, {.memory_limit = 512 * MiB});
  EXPECT_EQ(whole.transfers.per_block, 1);
  EXPECT_EQ(whole.transfers.bytes, 16 * MiB);
}

TEST(StreamPlan, CountsStates) {
  auto const grown_by_states = [](Machine const& machine, bool is_strided) {
    auto input = input_of(machine, {1000, 1000}, Cut::lines, {.kept = 700});
    input.vectors.output = 1000;
    input.vectors.is_strided = is_strided;
    stream::Options<float> options{.memory_limit = 64 * MiB, .readers = 2};
    Plan const without = plan_of(input, options);
    options.wants_state = [](stream::Progress const&) { return true; };
    EXPECT_EQ(plan_of(input, options).host_bytes, without.host_bytes);
    options.on_state = [](stream::State<float> const&) {};
    Plan const with = plan_of(input, options);
    return std::pair{with.host_bytes - without.host_bytes,
                     with.device_bytes - without.device_bytes};
  };
  using Bytes = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(grown_by_states(host, true), (Bytes{4700, 0}));
  EXPECT_EQ(grown_by_states(gpu, false), (Bytes{4700, 0}));
  EXPECT_EQ(grown_by_states(gpu, true), (Bytes{4700, 4000}));  // a contiguous copy of the output
}

TEST(StreamPlan, ResumesWithTheBlocksOfTheState) {
  auto input = input_of(host, {1000, 1000}, Cut::lines);
  input.state = {.operation = "multiply",
                 .scalar = "float",
                 .layout = "rows",
                 .order = 1,
                 .rows = 1000,
                 .cols = 1000};
  stream::State<float> state;
  state.of = input.state;
  state.block_lines = 123;
  stream::Options<float> const options{.memory_limit = 16 * MiB, .resume = &state};
  EXPECT_EQ(plan_of(input, options).blocks.size(), 123);
  EXPECT_EQ(limit_needed(input, {.memory_limit = 1000, .readers = -1, .resume = &state}),
            123U * 4000);
  for (auto const& [cut, unit] :
       {std::pair{Cut::lines, " lines"}, std::pair{Cut::tiles, " elements of all lines"}}) {
    input.cut = cut;
    state.block_lines = 1001;
    EXPECT_THAT([&] { plan_of(input, options); },
                refuses("expected a state whose blocks are parts of the order of summation, "
                        "found blocks of 1001" +
                        std::string(unit)));
  }
  state.of.rows = 999;
  EXPECT_THAT([&] { plan_of(input, options); },
              refuses("expected a state of multiply of 1000 x 1000 float, rows contiguous, "
                      "order of summation 1 to resume from, found one of multiply of 999"));
}

}  // namespace
}  // namespace tessera::test
