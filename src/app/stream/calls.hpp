// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

#include <app/stream/stream_typed.hpp>
#include <tessera/stream.hpp>

/// The streamed operations, at a place: an execution space of one process, or all ranks, whose
/// functions are found by their arguments.
namespace tessera::app {

template <class PlaceOf>
Measurement stream_atax_at(StreamRequest const& request, PlaceOf const& place_of) {
  auto const call = [&]<class Place, class Source, class Vector, class Out, class T, class Exec>(
                        Place const& place, Source const& source, Vector const& v, Out const& out,
                        stream::Options<T> const& options, TermsOnDevice<Exec, T> const& given) {
    stream::AtaxTerms<Exec, T> const terms{
        .map = given.map(), .alpha = given.alpha, .beta = given.beta, .z = given.z};
    using stream::atax;
    if (request.keep_intermediate) {
      return atax(place, source, v, out.rows, out.cols, options, terms);
    }
    return atax(place, source, v, out.cols, options, terms);
  };
  return run_streamed(request, OperationId::atax, request.keep_intermediate, true, call, place_of);
}

template <class PlaceOf>
Measurement stream_multiply_at(StreamRequest const& request, PlaceOf const& place_of) {
  auto const call = [](auto const& place, auto const& source, auto const& v, auto const& out,
                       auto const& options, auto const& /*terms*/) {
    using stream::multiply;
    return multiply(place, source, v, out.rows, options);
  };
  return run_streamed(request, OperationId::multiply, true, false, call, place_of);
}

template <class PlaceOf>
Measurement stream_multiply_transposed_at(StreamRequest const& request, PlaceOf const& place_of) {
  auto const call = [](auto const& place, auto const& source, auto const& u, auto const& out,
                       auto const& options, auto const& /*terms*/) {
    using stream::multiply_transposed;
    return multiply_transposed(place, source, u, out.cols, options);
  };
  return run_streamed(request, OperationId::multiply_transposed, false, true, call, place_of);
}

template <class PlaceOf>
Measurement stream_multiply_both_at(StreamRequest const& request, PlaceOf const& place_of) {
  auto const call = [](auto const& place, auto const& source, auto const& x, auto const& out,
                       auto const& options, auto const& terms) {
    using stream::multiply_both;
    return multiply_both(place, source, x, terms.of_map, out.rows, out.cols, options);
  };
  Measurement measurement =
      run_streamed<false>(request, OperationId::multiply_both, true, true, call, place_of);
  std::swap(measurement.result, *measurement.intermediate);  // Y is the first
  return measurement;
}

/// The streamed operation of a row.
template <class PlaceOf>
Measurement stream_at(OperationId id, StreamRequest const& request, PlaceOf const& place_of) {
  switch (id) {
    case OperationId::multiply:
      return stream_multiply_at(request, place_of);
    case OperationId::multiply_transposed:
      return stream_multiply_transposed_at(request, place_of);
    case OperationId::multiply_both:
      return stream_multiply_both_at(request, place_of);
    case OperationId::atax:
      break;
  }
  return stream_atax_at(request, place_of);
}

}  // namespace tessera::app
