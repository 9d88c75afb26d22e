// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cblas.h>

#include "contenders.hpp"

namespace benchmarks {
namespace {

void gemv(CBLAS_ORDER order, CBLAS_TRANSPOSE transpose, blasint m, blasint n, float const* A,
          blasint leading, float const* x, float* y) {
  cblas_sgemv(order, transpose, m, n, 1.0F, A, leading, x, 1, 0.0F, y, 1);
}
void gemv(CBLAS_ORDER order, CBLAS_TRANSPOSE transpose, blasint m, blasint n, double const* A,
          blasint leading, double const* x, double* y) {
  cblas_dgemv(order, transpose, m, n, 1.0, A, leading, x, 1, 0.0, y, 1);
}

template <class T>
void multiply(Problem<T> const& p, CBLAS_ORDER order) {
  auto const m = static_cast<blasint>(p.A.extent(0));
  auto const n = static_cast<blasint>(p.A.extent(1));
  gemv(order, CblasNoTrans, m, n, p.A.data(), order == CblasRowMajor ? n : m, p.v.data(),
       p.B.data());
}
template <class T>
void multiply_transposed(Problem<T> const& p, CBLAS_ORDER order) {
  auto const m = static_cast<blasint>(p.A.extent(0));
  auto const n = static_cast<blasint>(p.A.extent(1));
  gemv(order, CblasTrans, m, n, p.A.data(), order == CblasRowMajor ? n : m, p.B.data(), p.C.data());
}

template <class T>
void add_rows(std::vector<Contender<T>>& rows, std::string const& name, CBLAS_ORDER order) {
  rows.push_back({"atax", name, 2, [=](Problem<T> const& p) -> std::function<void()> {
                    return [=] {
                      multiply(p, order);
                      multiply_transposed(p, order);
                    };
                  }});
  rows.push_back({"multiply", name, 1, [=](Problem<T> const& p) -> std::function<void()> {
                    return [=] { multiply(p, order); };
                  }});
  rows.push_back(
      {"multiply_transposed", name, 1, [=](Problem<T> const& p) -> std::function<void()> {
         return [=] { multiply_transposed(p, order); };
       }});
}

Registration const registration([](auto& rows) {
  host_blas() = openblas_get_config();
  add_rows(rows, "openblas", CblasRowMajor);
  add_rows(rows, "openblas column-major", CblasColMajor);
});

}  // namespace
}  // namespace benchmarks
