// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include <tessera/checks.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/finish_atax.hpp>
#include <tessera/options.hpp>
#include <tessera/stream/detail/states.hpp>

/// Checks of arguments of streamed operations.
namespace tessera::stream::detail {

template <class Source>
void require_elements(char const* operation, Source const& source) {
  auto const rows = static_cast<Index>(source.rows());
  auto const cols = static_cast<Index>(source.cols());
  if (rows < 1 || cols < 1) {
    checks::fail(operation, "the matrix must have at least one row and one column, found " +
                                std::to_string(rows) + " x " + std::to_string(cols));
  }
  constexpr auto size = static_cast<Index>(sizeof(typename Source::value_type));
  if (rows > std::numeric_limits<Index>::max() / 4 / size / cols) {
    checks::fail(operation, "the matrix must have fewer than 2^61 bytes, found " +
                                std::to_string(rows) + " x " + std::to_string(cols));
  }
}

template <class Source, class X, class Y>
void require_columns(char const* operation, Source const& source, char const* in, X const& x,
                     std::size_t entries_in, char const* out, Y const& y, std::size_t entries_out) {
  require_elements(operation, source);
  checks::require_rows(operation, in, x, entries_in);
  checks::require_extents(operation, out, y, entries_out, x.extent(1));
  checks::require_memory(operation, in, x);
  checks::require_memory(operation, out, y);
  checks::require_distinct(operation, out, y);
  checks::require_apart(operation, out, y, in, x);
}

template <class T, class Source, class Terms, class... Outputs>
void require_terms(char const* operation, Source const& source, Terms const& terms,
                   Outputs const&... outputs) {
  tessera::detail::TermsOfAtax<T> const given(terms);
  given.require_extents(operation, static_cast<std::size_t>(source.rows()),
                        static_cast<std::size_t>(source.cols()));
  (given.require_apart(operation, "an output", outputs), ...);
}

template <class Options>
void require_no_states(char const* operation, Options const& options) {
  if (takes_states(options)) {
    checks::fail(operation, "a state is one of a product with a vector, found a block of vectors");
  }
}
template <class T, class Source, class V, class C, class Options, class Terms>
void require_atax_of_columns(Source const& source, V const& v, C const& c, Options const& options,
                             Terms const& terms) {
  constexpr auto operation = "stream::atax";
  auto const cols = static_cast<std::size_t>(source.cols());
  require_columns(operation, source, "V", v, cols, "C", c, cols);
  require_no_states(operation, options);
  if (tessera::detail::TermsOfAtax<T>(terms).has_z) {
    checks::fail(operation, "z is added to one vector: expected beta of 0 for a block of them");
  }
}

/// `b` is null if B is not wanted.
template <class T, class Source, class V, class B, class C, class Terms>
void require_atax(Source const& source, V const& v, B const* b, C const& c, Terms const& terms) {
  constexpr auto operation = "stream::atax";
  require_elements(operation, source);
  checks::require_extent(operation, "v", v, static_cast<std::size_t>(source.cols()));
  if (b != nullptr) {
    checks::require_extent(operation, "B", *b, static_cast<std::size_t>(source.rows()));
  }
  checks::require_extent(operation, "C", c, static_cast<std::size_t>(source.cols()));
  if (b != nullptr) checks::require_apart(operation, "B", *b, "v", v);
  checks::require_apart(operation, "C", c, "v", v);
  if (b == nullptr) return require_terms<T>(operation, source, terms, c);
  checks::require_apart(operation, "C", c, "B", *b);
  require_terms<T>(operation, source, terms, *b, c);
}
template <class Source, class V, class B>
void require_multiply(Source const& source, V const& v, B const& b) {
  constexpr auto operation = "stream::multiply";
  require_elements(operation, source);
  checks::require_extent(operation, "v", v, static_cast<std::size_t>(source.cols()));
  checks::require_extent(operation, "B", b, static_cast<std::size_t>(source.rows()));
  checks::require_apart(operation, "B", b, "v", v);
}
template <class Source, class B, class C>
void require_multiply_transposed(Source const& source, B const& b, C const& c) {
  constexpr auto operation = "stream::multiply_transposed";
  require_elements(operation, source);
  checks::require_extent(operation, "B", b, static_cast<std::size_t>(source.rows()));
  checks::require_extent(operation, "C", c, static_cast<std::size_t>(source.cols()));
  checks::require_apart(operation, "C", c, "B", b);
}
template <class Source, class X, class U, class Y, class W>
void require_multiply_both(Source const& source, X const& x, U const& u, Y const& y, W const& w) {
  constexpr auto operation = "stream::multiply_both";
  require_elements(operation, source);
  auto const rows = static_cast<std::size_t>(source.rows());
  auto const cols = static_cast<std::size_t>(source.cols());
  checks::require_extent(operation, "x", x, cols);
  checks::require_extent(operation, "u", u, rows);
  checks::require_extent(operation, "y", y, rows);
  checks::require_extent(operation, "w", w, cols);
  checks::require_apart(operation, "w", w, "y", y);
  auto const require_apart_from_inputs = [&](char const* name, auto const& out) {
    checks::require_apart(operation, name, out, "x", x);
    checks::require_apart(operation, name, out, "u", u);
  };
  require_apart_from_inputs("y", y);
  require_apart_from_inputs("w", w);
}

}  // namespace tessera::stream::detail
