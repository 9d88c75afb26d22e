// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <tessera/tessera.hpp>

#include "contenders.hpp"
#include "target.hpp"

namespace benchmarks {
namespace {

using Workspace = tessera::Workspace<Exec>;

template <class T>
void add_rows(std::vector<Contender<T>>& rows) {
  auto const atax = [&](std::string const& name, tessera::Method method, bool column_major) {
    rows.push_back({"atax", name, method == tessera::Method::two_stage ? 2 : 1,
                    [=](Problem<T> const& p) -> Work {
                      auto const workspace = std::make_shared<Workspace>();
                      return [=, &p](int call) {
                        tessera::AtaxOptions<Exec> const options{.method = method,
                                                                 .workspace = workspace.get()};
                        if (column_major) {
                          tessera::atax(p.exec, p.column_major_of(call), p.v, p.C, options);
                        } else {
                          tessera::atax(p.exec, p.row_major_of(call), p.v, p.C, options);
                        }
                      };
                    }});
  };
  auto const single = [&](std::string const& operation, std::string const& name, auto run) {
    rows.push_back({operation, name, 1, [=](Problem<T> const& p) -> Work {
                      auto const workspace = std::make_shared<Workspace>();
                      return [=, &p](int call) {
                        run(p, call, tessera::Options<Exec>{.workspace = workspace.get()});
                      };
                    }});
  };
  atax("tessera fused", tessera::Method::fused, false);
  atax("tessera two-stage", tessera::Method::two_stage, false);
  atax("tessera auto", tessera::Method::automatic, false);
  atax("tessera auto column-major", tessera::Method::automatic, true);
  atax("tessera fused column-major", tessera::Method::fused, true);
  atax("tessera two-stage column-major", tessera::Method::two_stage, true);
  single("multiply", "tessera", [](auto const& p, int call, auto const& options) {
    tessera::multiply(p.exec, p.row_major_of(call), p.v, p.B, options);
  });
  single("multiply_transposed", "tessera", [](auto const& p, int call, auto const& options) {
    tessera::multiply_transposed(p.exec, p.row_major_of(call), p.B, p.C, options);
  });
  single("multiply", "tessera column-major", [](auto const& p, int call, auto const& options) {
    tessera::multiply(p.exec, p.column_major_of(call), p.v, p.B, options);
  });
  single("multiply_transposed", "tessera column-major",
         [](auto const& p, int call, auto const& options) {
           tessera::multiply_transposed(p.exec, p.column_major_of(call), p.B, p.C, options);
         });
  rows.push_back({"transpose", "tessera", 2, [](Problem<T> const& p) -> Work {
                    need_target(p);
                    return [&p](int call) {
                      auto const n = static_cast<std::size_t>(p.shape.cols);
                      auto const m = static_cast<std::size_t>(p.shape.rows);
                      MatrixView<T, Kokkos::LayoutRight> const whole(
                          target_of(p, call), n, static_cast<std::size_t>(target_leading(p)));
                      auto const At =
                          Kokkos::subview(whole, Kokkos::ALL, Kokkos::make_pair(std::size_t{0}, m));
                      tessera::transpose(p.exec, p.row_major_of(call), At);
                    };
                  }});
}

Registration const registration([](auto& rows) { add_rows(rows); });

}  // namespace
}  // namespace benchmarks
