// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <python/streamed.hpp>
#include <python/turn.hpp>

#include <Kokkos_Core.hpp>

#include <tessera/stream.hpp>

/// Streamed matrices for the library.
namespace tessera::python {

template <class T, class Layout>
class Source {
 public:
  using value_type = T;
  using array_layout = Layout;

  Source(Reading const& reading, std::atomic<bool> const& is_given_up)
      : reading_(reading), is_given_up_(is_given_up) {}

  [[nodiscard]] std::int64_t rows() const { return reading_.rows; }
  [[nodiscard]] std::int64_t cols() const { return reading_.cols; }
  [[nodiscard]] std::size_t bytes_at_once() const { return reading_.bytes_at_once; }
  void read(stream::Block const& block, T* to) const {
    *reading_.elements_read += static_cast<std::uint64_t>(block.rows * block.cols);
    reading_.read({block.first_row, block.rows, block.first_col, block.cols, to, &is_given_up_});
  }

 private:
  Reading const& reading_;
  std::atomic<bool> const& is_given_up_;
};

/// Checks afterwards that the matrix has not changed.
template <class Body>
void with_source(StreamedMatrix const& a, Body const& body) {
  Turn const turn;
  auto const run = [&]<class T>(T) {
    std::size_t const taken = a.reading.bytes;
    stream::Options<T> options{.memory_limit = a.memory_limit - std::min(a.memory_limit, taken)};
    if (!a.reading.in_order_only.empty()) options.readers = 1;
    std::atomic<bool> is_given_up = false;
    if (a.on_block) {
      options.on_progress = [&](stream::Progress const&) { a.on_block(); };
      options.while_waiting = [&] {
        try {
          a.on_block();
        } catch (...) {
          is_given_up = true;  // readers end before the call does
          throw;
        }
      };
    }
    Host const& host = turn.host(a.reading.rows * a.reading.cols * std::int64_t{sizeof(T)});
    try {
      if (a.reading.by_rows) {
        body(host, Source<T, Kokkos::LayoutRight>(a.reading, is_given_up), options, T());
      } else {
        body(host, Source<T, Kokkos::LayoutLeft>(a.reading, is_given_up), options, T());
      }
    } catch (stream::LimitError const& error) {
      // The error does not count the reader, which takes up to half of any limit.
      std::size_t const enough = taken == 0 ? error.needed() : 2 * error.needed();
      throw stream::LimitError(error.operation(), std::max(enough, error.needed() + taken),
                               a.memory_limit);
    }
  };
  if (a.reading.type.bytes == sizeof(float)) {
    run(float());
  } else {
    run(double());
  }
  if (a.reading.check) a.reading.check();
}

}  // namespace tessera::python
