// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include <tessera/stream/detail/products.hpp>
#include <tessera/stream/options.hpp>

namespace tessera::stream::detail {

template <class T, class Terms>
std::vector<double> numbers_of(Terms const& terms, std::size_t columns = 1) {
  auto const& map = terms.map.function();
  return {static_cast<double>(map.kind), static_cast<double>(map.gamma),
          static_cast<double>(terms.alpha), static_cast<double>(terms.beta),
          static_cast<double>(columns)};
}

/// Computes a stream: an execution space, or all ranks by a specialisation.
template <class Place>
struct PlaceOfStream {
  using Exec = Place;
  using Limit = LimitError;
  static Exec exec(Place const& place) { return place; }
  template <class Body>
  static void together(Place const& /*place*/, Body const& body) {
    body();
  }
  /// Refuses calls that differ between ranks.
  template <class Source, class Options>
  static void agree(Place const& /*place*/, char const* /*operation*/, Source const& /*source*/,
                    Options const& /*options*/, std::vector<double> const& /*numbers*/) {}
  template <class... Arguments>
  static Report atax(Place const& place, Arguments const&... arguments) {
    return call_atax(place, arguments...);
  }
  template <bool IsSum, class... Arguments>
  static Report product(Place const& place, Arguments const&... arguments) {
    return run_product<IsSum>(place, arguments...);
  }
  template <class... Arguments>
  static Report atax_of_columns(Place const& place, Arguments const&... arguments) {
    return call_atax_of_columns(place, arguments...);
  }
  template <bool IsSum, class... Arguments>
  static Report product_of_columns(Place const& place, Arguments const&... arguments) {
    return run_product_of_columns<IsSum>(place, arguments...);
  }
};
template <class Place>
using ExecOf = typename PlaceOfStream<Place>::Exec;

}  // namespace tessera::stream::detail
