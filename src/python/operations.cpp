// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <map>
#include <python/operations.hpp>
#include <python/products.hpp>
#include <python/turn.hpp>
#include <python/views.hpp>
#include <utility>

#include <tessera/atax.hpp>
#include <tessera/backends/backends.hpp>
#include <tessera/backends/instances.hpp>
#include <tessera/backends/most_recent.hpp>
#include <tessera/gemm.hpp>
#include <tessera/multiply_both.hpp>
#include <tessera/transpose.hpp>
#include <tessera/vectors.hpp>

namespace tessera::python {
namespace {

template <class Exec>
struct Workspaces {
  backends::MostRecent<std::uintptr_t, Workspace<Exec>> of_streams{backends::most_streams};
  std::map<unsigned long long, Workspace<Exec>> of_captures;  ///< until Kokkos is finalised
};

/// A graph may run in any stream at any time: its capture takes the workspace of the stream away.
template <class Exec>
Workspace<Exec>& workspace_of(Exec const& exec, std::uintptr_t stream) {
  static auto* const kept = [] {
    auto* const made = new Workspaces<Exec>();
    Kokkos::push_finalize_hook([made] { *made = {}; });
    return made;
  }();
  Workspace<Exec>& of_stream = kept->of_streams.get(stream, [] { return Workspace<Exec>(); });
  auto const capture = backends::Backend<Exec>::capture_of(exec);
  if (capture == 0) return of_stream;
  auto const [place, is_first] = kept->of_captures.try_emplace(capture);
  if (is_first) place->second = std::move(of_stream);
  return place->second;
}

/// Bytes that a product reads, or as many as take as long: per thread two products take as long as
/// a byte.
std::int64_t work_of(Array const& a, std::int64_t vectors) {
  std::int64_t const elements = a.extents[0] * a.extents[1];
  return elements * std::max(static_cast<std::int64_t>(a.type.bytes), vectors / 2);
}

template <class Body>
void with_instance(Place const& place, std::int64_t bytes, Body const& body) {
  Turn const turn(place.is_gpu ? Turn::Needs::first_lane : Turn::Needs::lane);
  if (place.is_gpu) {
    backends::with_stream(place.device, place.stream, [&]<class Exec>(Exec const& exec) {
      body(exec, workspace_of(exec, place.stream));
    });
    return;
  }
  Host const& host = turn.host(bytes);
  body(host, turn.workspace());
  host.fence("tessera: the result goes to Python");
}

template <class Body>
void with_types(Array const& a, std::int64_t bytes, Body const& body) {
  with_instance(a.place, bytes, [&](auto const& exec, auto& workspace) {
    with_type(a, [&](auto scalar) { body(exec, workspace, scalar); });
  });
}

}  // namespace

void atax(AtaxCall const& call) {
  with_types(call.a, work_of(call.a, call.v.extents[1]),
             [&]<class Exec, class T>(Exec const& exec, Workspace<Exec>& workspace, T) {
               AtaxOptions<Exec, T> options{.workspace = &workspace,
                                            .alpha = static_cast<T>(call.alpha),
                                            .beta = static_cast<T>(call.beta)};
               options.map = map_of<Exec, T>(call);
               if (call.z) options.z = vector<Exec, T>(*call.z);
               with_views<Exec, T>(call.v, [&](auto const& view) {
                 with_matrix<Exec, T>(call.a, [&](auto const& a) {
                   if (call.b) {
                     tessera::atax(exec, a, view(call.v), view(*call.b), view(call.c), options);
                   } else {
                     tessera::atax(exec, a, view(call.v), view(call.c), options);
                   }
                 });
               });
             });
}

void product(Array const& a, Product product, Array const& x, Array const& y) {
  with_types(a, work_of(a, x.extents[1]),
             [&]<class Exec, class T>(Exec const& exec, Workspace<Exec>& workspace, T) {
               Options<Exec> const options{.workspace = &workspace};
               with_views<Exec, T>(x, [&](auto const& view) {
                 with_matrix<Exec, T>(a, [&](auto const& A) {
                   compute(product, exec, A, view(x), view(y), options);
                 });
               });
             });
}

void multiply_both(Array const& a, Array const& x, Array const& u, Array const& y, Array const& w) {
  with_types(
      a, work_of(a, 2), [&]<class Exec, class T>(Exec const& exec, Workspace<Exec>& workspace, T) {
        tessera::multiply_both(exec, matrix<Exec, T>(a), vector<Exec, T>(x), vector<Exec, T>(u),
                               vector<Exec, T>(y), vector<Exec, T>(w), {.workspace = &workspace});
      });
}

void gemm(Array const& a, Array const& b, Array const& c) {
  auto const bytes = std::max(work_of(a, b.extents[1]), work_of(b, 1));
  with_types(a, bytes, [&]<class Exec, class T>(Exec const& exec, Workspace<Exec>& workspace, T) {
    tessera::gemm(exec, matrix<Exec, T>(a), matrix<Exec, T>(b), matrix<Exec, T>(c),
                  {.workspace = &workspace});
  });
}

void transpose(Array const& a, Array const& at) {
  with_types(a, work_of(a, 1), [&]<class Exec, class T>(Exec const& exec, Workspace<Exec>&, T) {
    tessera::transpose(exec, matrix<Exec, T>(a), matrix<Exec, T>(at));
  });
}

double dot(Array const& x, Array const& y) {
  double result = 0;
  with_types(x, 2 * work_of(x, 1),
             [&]<class Exec, class T>(Exec const& exec, Workspace<Exec>& workspace, T) {
               result = static_cast<double>(tessera::dot(
                   exec, vector<Exec, T>(x), vector<Exec, T>(y), {.workspace = &workspace}));
             });
  return result;
}

void axpby(double a, Array const& x, double b, Array const& y) {
  with_types(x, 2 * work_of(x, 1), [&]<class Exec, class T>(Exec const& exec, Workspace<Exec>&, T) {
    tessera::axpby(exec, static_cast<T>(a), vector<Exec, T>(x), static_cast<T>(b),
                   vector<Exec, T>(y));
  });
}

}  // namespace tessera::python
