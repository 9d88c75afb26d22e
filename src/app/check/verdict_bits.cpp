// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <variant>

#include <Kokkos_Core.hpp>

#include <app/base/progress.hpp>
#include <app/base/timing.hpp>
#include <app/check/verdict.hpp>

namespace tessera::app {
namespace {

/// Elements of the square tiles in which both matrices are read.
constexpr std::int64_t tile = 64;

/// Elements of a tile that differ.
template <class View>
std::int64_t differences(View const& A, View const& result, bool transposed, std::int64_t row,
                         std::int64_t col) {
  using T = typename View::non_const_value_type;
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  auto const rows = std::min(row + tile, static_cast<std::int64_t>(result.extent(0)));
  auto const cols = std::min(col + tile, static_cast<std::int64_t>(result.extent(1)));
  std::int64_t count = 0;
  for (auto i = row; i < rows; ++i) {
    for (auto j = col; j < cols; ++j) {
      T const expected = transposed ? A(j, i) : A(i, j);
      T const found = result(i, j);
      count += std::bit_cast<Bits>(found) != std::bit_cast<Bits>(expected) ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

BitVerdict judge_moved(io::HostMatrix const& A, io::HostMatrix const& result, bool transposed) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  Stopwatch const watch;
  ProgressBar bar("checking");
  BitVerdict verdict;
  std::visit(
      [&]<class View>(View const& found) {
        auto const& from = std::get<View>(A);
        auto const tiles = [](std::size_t extent) {
          return (static_cast<std::int64_t>(extent) + tile - 1) / tile;
        };
        auto const across = tiles(found.extent(1));
        auto const all = tiles(found.extent(0)) * across;
        bar.set(0, static_cast<std::uint64_t>(all));
        std::atomic<std::int64_t> failed = 0;
        Kokkos::parallel_for(
            "tessera::app::judge_moved",
            Kokkos::RangePolicy<Host, Kokkos::IndexType<std::int64_t>>(Host(), 0, all),
            [&](std::int64_t const at) {
              failed +=
                  differences(from, found, transposed, at / across * tile, at % across * tile);
              bar.advance(1);
            });
        Host().fence("tessera::app::judge_moved");
        verdict.elements = static_cast<std::int64_t>(found.size());
        verdict.failed = failed;
      },
      result);
  verdict.seconds = watch.seconds();
  return verdict;
}

std::string to_sentence(BitVerdict const& verdict) {
  auto const elements = std::to_string(verdict.elements);
  return verdict.passed() ? "passed: all " + elements + " elements have the right bits"
                          : "FAILED: " + std::to_string(verdict.failed) + " of " + elements +
                                " elements have wrong bits";
}

}  // namespace tessera::app
