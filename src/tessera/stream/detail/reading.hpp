// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/ahead.hpp>
#include <tessera/order/lines.hpp>

/// Reading inside host kernels.
namespace tessera::stream::detail {

using summation::Index;
using tessera::detail::Lines;
using tessera::detail::Walk;

/// The first exception of a kernel's threads, which must not leave the kernel.
class FirstError {
 public:
  void keep() {
    std::lock_guard const lock(mutex_);
    if (error_ == nullptr) error_ = std::current_exception();
  }
  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

/// As LinesInMemory, but a thread reads its lines just before use, into its cache.
template <class T>
struct LinesToRead {
  using Read = std::function<void(Index first, Index count, T* to)>;

  /// Half of a processor's L2 cache. Smaller sizes, and whole blocks, are slower.
  static constexpr std::size_t most_bytes = std::size_t{512} << 10U;
  /// Fewer lines would be added one by one.
  static constexpr Index fewest_lines = 8;

  Read const* read;
  FirstError* error;
  Index lines;
  Index length;

  /// Lines per read; 0: too few fit.
  static Index lines_for(Index panel_lines, Index length) {
    Index const fit = static_cast<Index>(most_bytes / sizeof(T)) / length;
    return std::min(panel_lines, fit / fewest_lines * fewest_lines);
  }
  LinesToRead(Read const& source, FirstError& first_error, Index panel_lines, Index line_length)
      : read(&source),
        error(&first_error),
        lines(lines_for(panel_lines, line_length)),
        length(line_length) {}

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index scratch() const { return lines * length; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index at_a_time(Index /*panel_lines*/) const {
    return lines;
  }
  static Walk walk_of(Lines<T> const& /*lines*/) { return {.in_cache = true}; }
  KOKKOS_INLINE_FUNCTION Lines<T> operator()(Lines<T> const& /*all*/, Index first, Index last,
                                             T* sLines) const {
    KOKKOS_IF_ON_HOST((fetch(first, last - first, sLines);))
    return {sLines, last - first, length, length};
  }

 private:
  void fetch(Index first, Index count, T* to) const {
    try {
      (*read)(first, count, to);
    } catch (...) {
      error->keep();
      std::fill_n(to, count * length, T(0));
    }
  }
};

}  // namespace tessera::stream::detail
