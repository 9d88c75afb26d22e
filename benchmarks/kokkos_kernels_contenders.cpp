// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <KokkosBlas2_gemv.hpp>

#include "contenders.hpp"

namespace benchmarks {
namespace {

template <class T, class MatrixOf>
void add_rows(std::vector<Contender<T>>& rows, std::string const& name, MatrixOf const& matrix) {
  auto const multiply = [=](Problem<T> const& p, int call) {
    KokkosBlas::gemv(p.exec, "N", T(1), matrix(p, call), p.v, T(0), p.B);
  };
  auto const multiply_transposed = [=](Problem<T> const& p, int call) {
    KokkosBlas::gemv(p.exec, "T", T(1), matrix(p, call), p.B, T(0), p.C);
  };
  rows.push_back({"atax", name, 2, [=](Problem<T> const& p) -> Work {
                    return [=, &p](int call) {
                      multiply(p, call);
                      multiply_transposed(p, call);
                    };
                  }});
  rows.push_back({"multiply", name, 1, [=](Problem<T> const& p) -> Work {
                    return [=, &p](int call) { multiply(p, call); };
                  }});
  rows.push_back({"multiply_transposed", name, 1, [=](Problem<T> const& p) -> Work {
                    return [=, &p](int call) { multiply_transposed(p, call); };
                  }});
}

bool const named = (peers().emplace_back("Kokkos Kernels"), true);
Registration const registration([](auto& rows) {
  add_rows(rows, "kokkos-kernels", [](auto const& p, int call) { return p.row_major_of(call); });
  add_rows(rows, "kokkos-kernels column-major",
           [](auto const& p, int call) { return p.column_major_of(call); });
});

}  // namespace
}  // namespace benchmarks
