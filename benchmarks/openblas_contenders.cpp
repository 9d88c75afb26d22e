// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cblas.h>

#include "contenders.hpp"
#include "target.hpp"

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

/// Distance of the lines of a problem's matrix in memory.
template <class T>
blasint leading(Problem<T> const& p, CBLAS_ORDER order) {
  std::int64_t const length = order == CblasRowMajor ? p.shape.cols : p.shape.rows;
  return static_cast<blasint>(length + p.shape.padding);
}

// Both layouts lie in the same memory.
template <class T>
void multiply(Problem<T> const& p, int call, CBLAS_ORDER order) {
  gemv(order, CblasNoTrans, static_cast<blasint>(p.shape.rows), static_cast<blasint>(p.shape.cols),
       p.row_major_of(call).data(), leading(p, order), p.v.data(), p.B.data());
}
template <class T>
void multiply_transposed(Problem<T> const& p, int call, CBLAS_ORDER order) {
  gemv(order, CblasTrans, static_cast<blasint>(p.shape.rows), static_cast<blasint>(p.shape.cols),
       p.row_major_of(call).data(), leading(p, order), p.B.data(), p.C.data());
}

void transpose(blasint m, blasint n, float const* A, blasint leading, float* At,
               blasint At_leading) {
  cblas_somatcopy(CblasRowMajor, CblasTrans, m, n, 1.0F, A, leading, At, At_leading);
}
void transpose(blasint m, blasint n, double const* A, blasint leading, double* At,
               blasint At_leading) {
  cblas_domatcopy(CblasRowMajor, CblasTrans, m, n, 1.0, A, leading, At, At_leading);
}

/// The extension of BLAS that copies a matrix, here transposed.
template <class T>
void add_omatcopy(std::vector<Contender<T>>& rows) {
  rows.push_back({"transpose", "openblas", 2, [](Problem<T> const& p) -> Work {
                    need_target(p);
                    return [&p](int call) {
                      transpose(static_cast<blasint>(p.shape.rows),
                                static_cast<blasint>(p.shape.cols), p.row_major_of(call).data(),
                                leading(p, CblasRowMajor), target_of(p, call),
                                static_cast<blasint>(target_leading(p)));
                    };
                  }});
}

template <class T>
void add_rows(std::vector<Contender<T>>& rows, std::string const& name, CBLAS_ORDER order) {
  rows.push_back({"atax", name, 2, [=](Problem<T> const& p) -> Work {
                    return [=, &p](int call) {
                      multiply(p, call, order);
                      multiply_transposed(p, call, order);
                    };
                  }});
  rows.push_back({"multiply", name, 1, [=](Problem<T> const& p) -> Work {
                    return [=, &p](int call) { multiply(p, call, order); };
                  }});
  rows.push_back({"multiply_transposed", name, 1, [=](Problem<T> const& p) -> Work {
                    return [=, &p](int call) { multiply_transposed(p, call, order); };
                  }});
}

bool const named = (peers().emplace_back(openblas_get_config()), true);
Registration const registration([](auto& rows) {
  add_rows(rows, "openblas", CblasRowMajor);
  add_rows(rows, "openblas column-major", CblasColMajor);
  add_omatcopy(rows);
});

}  // namespace
}  // namespace benchmarks
