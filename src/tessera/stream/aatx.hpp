// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/order/transposed.hpp>
#include <tessera/stream.hpp>

namespace tessera::stream {
namespace detail {

/// The transpose of a source, which reads the same elements in the same order.
template <MatrixSource Source>
class TransposeOf {
 public:
  using value_type = typename Source::value_type;
  using array_layout = tessera::detail::TransposedLayout<typename Source::array_layout>;
  static constexpr bool reads_in_kernels = may_read_in_kernels<Source>;

  explicit TransposeOf(Source const& source) : source_(source) {}

  [[nodiscard]] Index rows() const { return source_.cols(); }
  [[nodiscard]] Index cols() const { return source_.rows(); }
  [[nodiscard]] std::size_t bytes_at_once() const { return stream::bytes_at_once(source_); }
  void read(Block const& block, value_type* to) const {
    source_.read({block.first_col, block.cols, block.first_row, block.rows}, to);
  }

 private:
  Source const& source_;
};

template <class U, class B, class Place, class Source,
          class Exec = typename PlaceOfStream<Place>::Exec>
concept VectorsOrBlocks = (VectorFor<U, Exec, Source> && OutputVectorFor<B, Exec, Source>) ||
                          (BlockFor<U, Exec, Source> && OutputBlockFor<B, Exec, Source>);

template <class Source, class U, class B>
void require_aatx(Source const& source, U const& u, B const& b) {
  constexpr auto operation = "stream::aatx";
  auto const rows = static_cast<std::size_t>(source.rows());
  if constexpr (U::rank() == 2) {
    require_columns(operation, source, "U", u, rows, "B", b, rows);
  } else {
    require_elements(operation, source);
    checks::require_extent(operation, "u", u, rows);
    checks::require_extent(operation, "B", b, rows);
    checks::require_apart(operation, "B", b, "u", u);
  }
}

/// Whether the products of rows, one after the other, have the bits of `atax` of Aᵀ.
template <class Source>
bool may_read_twice(Source const& source, Options<typename Source::value_type> const& options) {
  return has_rows<Source> && source.rows() > 1 && source.cols() > 1 && !takes_states(options);
}

template <class Place, class Source, class U, class W, class B>
Report aatx_in_two_reads(Place const& place, Source const& source, U const& u, W const& w,
                         B const& b, Options<typename Source::value_type> const& options) {
  Report all = multiply_transposed(place, source, u, w, options);
  add_to(all, multiply(place, source, w, b, options));
  return all;
}

}  // namespace detail

/// B = A·w and w = Aᵀ·u of a streamed matrix: B is `atax` of Aᵀ
///
/// u and B have m entries, w has n; or they are blocks of k vectors. Otherwise as `atax` of Aᵀ,
/// with states of it. Callbacks see w before B.
///
/// Reads A once: whole columns of a column-major matrix, or at least 1 KiB of each row of a
/// row-major one. If the limit is too small for that, reads a row-major matrix twice, without
/// states.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double, Kokkos::LayoutLeft>(30, 1000, ones);
/// Kokkos::View<double*> u("u", 30), w("w", 1000), B("B", 30);
/// tessera::stream::aatx(Kokkos::DefaultExecutionSpace(), source, u, w, B);
/// ```
template <class Place, MatrixSource Source, class U, class W, class B>
  requires detail::VectorsOrBlocks<U, W, Place, Source> &&
           detail::VectorsOrBlocks<U, B, Place, Source>
Report aatx(Place const& place, Source const& source, U const& u, W const& w, B const& b,
            Options<typename Source::value_type> const& options = {}) {
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] { detail::require_aatx(source, u, b); });
  try {
    return atax(place, detail::TransposeOf(source), u, w, b, options);
  } catch (typename At::Limit const&) {
    if (!detail::may_read_twice(source, options)) throw;
  }
  return detail::aatx_in_two_reads(place, source, u, w, b, options);
}

/// B = A·(Aᵀ·u) of a streamed matrix
///
/// As above. Two reads keep w in memory of the execution space, outside the limit.
template <class Place, MatrixSource Source, class U, class B>
  requires detail::VectorsOrBlocks<U, B, Place, Source>
Report aatx(Place const& place, Source const& source, U const& u, B const& b,
            Options<typename Source::value_type> const& options = {}) {
  using At = detail::PlaceOfStream<Place>;
  using Memory = typename At::Exec::memory_space;
  using T = typename Source::value_type;
  At::together(place, [&] { detail::require_aatx(source, u, b); });
  try {
    return atax(place, detail::TransposeOf(source), u, b, options);
  } catch (typename At::Limit const&) {
    if (!detail::may_read_twice(source, options)) throw;
  }
  auto const entries = static_cast<std::size_t>(source.cols());
  std::conditional_t<U::rank() == 2, Kokkos::View<T**, Kokkos::LayoutLeft, Memory>,
                     Kokkos::View<T*, Memory>>
      w;
  At::together(place, [&] {
    auto const made = Kokkos::view_alloc(At::exec(place), std::string("tessera::stream::aatx::w"),
                                         Kokkos::WithoutInitializing);
    if constexpr (U::rank() == 2) {
      w = decltype(w)(made, entries, u.extent(1));
    } else {
      w = decltype(w)(made, entries);
    }
  });
  return detail::aatx_in_two_reads(place, source, u, w, b, options);
}

}  // namespace tessera::stream
