// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include <app/base/progress.hpp>
#include <app/base/ranks.hpp>
#include <app/run/run_typed.hpp>
#include <app/stream/stream_typed.hpp>
#include <io/matrix_reader.hpp>

namespace tessera::app {

/// Rows [first, first + count) of a matrix file where Exec computes, and what reading them took.
template <class Exec, class T, class Layout>
DeviceMatrix<Exec, T, Layout> read_rows(Exec const& exec, io::MatrixReader const& reader,
                                        std::int64_t first, std::int64_t count, RankFacts& facts) {
  Stopwatch const watch;
  auto const cols = static_cast<std::int64_t>(reader.info().cols);
  auto const rows = allocate<io::MatrixView<T, Layout>, Kokkos::DefaultHostExecutionSpace>(
      reader.path(), "the rows of a rank", count, cols);
  if (count > 0) FileSource<T, Layout>(reader).read({first, count, 0, cols}, rows.data());
  reader.check_unchanged();
  Measurement copying;
  auto const on_device = bring<Exec, T, Layout>(exec, rows, reader.path(), copying);
  facts = {.first_row = first, .rows = count, .read_seconds = watch.seconds()};
  return on_device;
}

}  // namespace tessera::app
