// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <app/base/progress.hpp>
#include <app/ranks/mpi.hpp>
#include <app/run/run_typed.hpp>
#include <app/stream/stream_typed.hpp>
#include <io/chunked_read.hpp>
#include <io/matrix_reader.hpp>

/// A rank's rows of a file.
namespace tessera::app {

/// As scalars of the computation.
template <class Exec, class T, class Layout>
DeviceMatrix<Exec, T, Layout> read_rows(Exec const& exec, io::MatrixReader const& reader,
                                        distributed::Rows const& mine, RankFacts& facts) {
  Stopwatch const watch;
  auto const cols = static_cast<std::int64_t>(reader.info().cols);
  auto const rows = allocate<io::MatrixView<T, Layout>, Kokkos::DefaultHostExecutionSpace>(
      reader.path(), "the rows of a rank", mine.count, cols);
  if (mine.count > 0) {
    FileSource<T, Layout>(reader).read({mine.first, mine.count, 0, cols}, rows.data());
  }
  reader.check_unchanged();
  Measurement copying;
  auto const on_device = bring<Exec, T, Layout>(exec, rows, reader.path(), copying);
  facts = {.first_row = mine.first, .rows = mine.count, .read_seconds = watch.seconds()};
  return on_device;
}

/// With elements of 8 or 16 bits as in the file.
template <class S, class Layout>
Kokkos::View<S**, Layout, Kokkos::HostSpace> read_stored_rows(io::MatrixReader const& reader,
                                                              distributed::Rows const& rows,
                                                              RankFacts& facts) {
  using Bits = std::conditional_t<sizeof(S) == 1, std::uint8_t, std::uint16_t>;
  Stopwatch const watch;
  std::uint64_t const cols = reader.info().cols;
  auto const A =
      allocate<Kokkos::View<S**, Layout, Kokkos::HostSpace>, Kokkos::DefaultHostExecutionSpace>(
          reader.path(), "the rows of a rank", rows.count, static_cast<std::int64_t>(cols));
  if (rows.count > 0) {
    io::Block const mine{.row = static_cast<std::uint64_t>(rows.first),
                         .col = 0,
                         .rows = static_cast<std::uint64_t>(rows.count),
                         .cols = cols};
    io::read_whole_block(reader, mine,
                         std::span(reinterpret_cast<Bits*>(A.data()), mine.elements()));
  }
  reader.check_unchanged();
  facts = {.first_row = rows.first, .rows = rows.count, .read_seconds = watch.seconds()};
  return A;
}

}  // namespace tessera::app
