// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <tessera/tessera.hpp>

#include "contenders.hpp"

namespace benchmarks {
namespace {

using Workspace = tessera::Workspace<Exec>;

template <class T>
void add_rows(std::vector<Contender<T>>& rows) {
  auto const atax = [&](std::string const& name, tessera::Method method, bool column_major) {
    rows.push_back({"atax", name, method == tessera::Method::two_stage ? 2 : 1,
                    [=](Problem<T> const& p) -> std::function<void()> {
                      auto const workspace = std::make_shared<Workspace>();
                      return [=] {
                        tessera::AtaxOptions<Exec> const options{.method = method,
                                                                 .workspace = workspace.get()};
                        if (column_major) {
                          tessera::atax(Exec(), p.column_major(), p.v, p.C, options);
                        } else {
                          tessera::atax(Exec(), p.A, p.v, p.C, options);
                        }
                      };
                    }});
  };
  auto const single = [&](std::string const& operation, std::string const& name, auto run) {
    rows.push_back({operation, name, 1, [=](Problem<T> const& p) -> std::function<void()> {
                      auto const workspace = std::make_shared<Workspace>();
                      return [=] { run(p, tessera::Options<Exec>{.workspace = workspace.get()}); };
                    }});
  };
  atax("tessera fused", tessera::Method::fused, false);
  atax("tessera two-stage", tessera::Method::two_stage, false);
  atax("tessera auto", tessera::Method::automatic, false);
  atax("tessera auto column-major", tessera::Method::automatic, true);
  atax("tessera fused column-major", tessera::Method::fused, true);
  atax("tessera two-stage column-major", tessera::Method::two_stage, true);
  single("multiply", "tessera", [](auto const& p, auto const& options) {
    tessera::multiply(Exec(), p.A, p.v, p.B, options);
  });
  single("multiply_transposed", "tessera", [](auto const& p, auto const& options) {
    tessera::multiply_transposed(Exec(), p.A, p.B, p.C, options);
  });
  single("multiply", "tessera column-major", [](auto const& p, auto const& options) {
    tessera::multiply(Exec(), p.column_major(), p.v, p.B, options);
  });
  single("multiply_transposed", "tessera column-major", [](auto const& p, auto const& options) {
    tessera::multiply_transposed(Exec(), p.column_major(), p.B, p.C, options);
  });
}

/// What reading A once costs: a plain Kokkos loop over blocks with many independent sums.
template <class T>
void add_read_stream(std::vector<Contender<T>>& rows) {
  rows.push_back({"read", "read stream", 1, [](Problem<T> const& p) -> std::function<void()> {
                    return [p] {
                      constexpr std::int64_t block = 4096;
                      constexpr int sums = 64;
                      auto const* const data = p.A.data();
                      auto const blocks = static_cast<std::int64_t>(p.A.size()) / block;
                      T total = 0;
                      Kokkos::parallel_reduce(
                          "benchmark::read",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, blocks),
                          KOKKOS_LAMBDA(std::int64_t const b, T& sum) {
                            T part[sums] = {};
                            for (std::int64_t j = b * block; j < (b + 1) * block; j += sums) {
                              for (int l = 0; l < sums; ++l) part[l] += data[j + l];
                            }
                            for (T const x : part) sum += x;
                          },
                          total);
                    };
                  }});
}

Registration const registration([](auto& rows) {
  add_read_stream(rows);
  add_rows(rows);
});

}  // namespace
}  // namespace benchmarks
