// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>
#include <limits>
#include <stdexcept>

#include "contenders.hpp"
#include "target.hpp"

namespace benchmarks {
namespace {

void check(cublasStatus_t result, char const* call) {
  if (result != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(result));
  }
}

/// The one handle of the process, which works on the stream of `exec`.
cublasHandle_t handle_for(Exec const& exec) {
  static cublasHandle_t handle = nullptr;
  if (handle == nullptr) {
    check(cublasCreate(&handle), "cublasCreate");
    Kokkos::push_finalize_hook([] { cublasDestroy(handle); });
  }
  check(cublasSetStream(handle, exec.cuda_stream()), "cublasSetStream");
  return handle;
}

void gemv(cublasHandle_t handle, cublasOperation_t operation, int m, int n, float const* A,
          int leading, float const* x, float* y) {
  float const one = 1;
  float const zero = 0;
  check(cublasSgemv(handle, operation, m, n, &one, A, leading, x, 1, &zero, y, 1), "cublasSgemv");
}
void gemv(cublasHandle_t handle, cublasOperation_t operation, int m, int n, double const* A,
          int leading, double const* x, double* y) {
  double const one = 1;
  double const zero = 0;
  check(cublasDgemv(handle, operation, m, n, &one, A, leading, x, 1, &zero, y, 1), "cublasDgemv");
}

/// cuBLAS counts in int.
int int_of(std::int64_t size) {
  if (size > std::numeric_limits<int>::max()) {
    throw std::length_error("cuBLAS takes no size of " + std::to_string(size));
  }
  return static_cast<int>(size);
}

/// Both products of a problem by cuBLAS, which knows column-major matrices only: a row-major matrix
/// is the transpose of one.
template <class T>
class Gemv {
 public:
  Gemv(Problem<T> const& problem, bool column_major)
      : problem_(&problem),
        column_major_(column_major),
        handle_(handle_for(problem.exec)),
        m_(int_of(column_major ? problem.shape.rows : problem.shape.cols)),
        n_(int_of(column_major ? problem.shape.cols : problem.shape.rows)),
        leading_(int_of(m_ + problem.shape.padding)) {}

  void multiply(int call) const {
    gemv(handle_, column_major_ ? CUBLAS_OP_N : CUBLAS_OP_T, m_, n_, matrix(call), leading_,
         problem_->v.data(), problem_->B.data());
  }
  void multiply_transposed(int call) const {
    gemv(handle_, column_major_ ? CUBLAS_OP_T : CUBLAS_OP_N, m_, n_, matrix(call), leading_,
         problem_->B.data(), problem_->C.data());
  }

 private:
  /// Both layouts lie in the same memory.
  [[nodiscard]] T const* matrix(int call) const { return problem_->row_major_of(call).data(); }

  Problem<T> const* problem_;
  bool column_major_;
  cublasHandle_t handle_;
  int m_;
  int n_;
  int leading_;
};

template <class T>
void add_rows(std::vector<Contender<T>>& rows, std::string const& name, bool column_major) {
  rows.push_back({"atax", name, 2, [=](Problem<T> const& p) -> Work {
                    return [products = Gemv<T>(p, column_major)](int call) {
                      products.multiply(call);
                      products.multiply_transposed(call);
                    };
                  }});
  rows.push_back({"multiply", name, 1, [=](Problem<T> const& p) -> Work {
                    return [products = Gemv<T>(p, column_major)](int call) {
                      products.multiply(call);
                    };
                  }});
  rows.push_back({"multiply_transposed", name, 1, [=](Problem<T> const& p) -> Work {
                    return [products = Gemv<T>(p, column_major)](int call) {
                      products.multiply_transposed(call);
                    };
                  }});
}

/// At(n x m, leading) = A(m x n, leading)^T of row-major matrices, which are transposes to cuBLAS.
void geam(cublasHandle_t handle, int m, int n, float const* A, int leading, float* At,
          int At_leading) {
  float const one = 1;
  float const zero = 0;
  check(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, A, leading, &zero, At, At_leading,
                    At, At_leading),
        "cublasSgeam");
}
void geam(cublasHandle_t handle, int m, int n, double const* A, int leading, double* At,
          int At_leading) {
  double const one = 1;
  double const zero = 0;
  check(cublasDgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, A, leading, &zero, At, At_leading,
                    At, At_leading),
        "cublasDgeam");
}

template <class T>
void add_transpose(std::vector<Contender<T>>& rows) {
  rows.push_back({"transpose", "cublas", 2, [](Problem<T> const& p) -> Work {
                    need_target(p);
                    cublasHandle_t const handle = handle_for(p.exec);
                    int const m = int_of(p.shape.rows);
                    int const n = int_of(p.shape.cols);
                    int const leading = int_of(p.shape.cols + p.shape.padding);
                    int const At_leading = int_of(target_leading(p));
                    return [=, &p](int call) {
                      geam(handle, m, n, p.row_major_of(call).data(), leading, target_of(p, call),
                           At_leading);
                    };
                  }});
}

std::string version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  check(cublasGetProperty(MAJOR_VERSION, &major), "cublasGetProperty");
  check(cublasGetProperty(MINOR_VERSION, &minor), "cublasGetProperty");
  check(cublasGetProperty(PATCH_LEVEL, &patch), "cublasGetProperty");
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

bool const named = (peers().push_back("cuBLAS " + version()), true);
Registration const registration([](auto& rows) {
  add_rows(rows, "cublas", false);
  add_rows(rows, "cublas column-major", true);
  add_transpose(rows);
});

}  // namespace
}  // namespace benchmarks
