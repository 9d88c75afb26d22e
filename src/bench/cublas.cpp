// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/contender.hpp>
#include <bench/peers.hpp>
#include <bench/table.hpp>
#include <cublas_v2.h>
#include <limits>
#include <stdexcept>

namespace tessera::bench {
namespace {

using Exec = Kokkos::Cuda;

void check(cublasStatus_t result, char const* call) {
  if (result != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(result));
  }
}

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

int int_of(std::int64_t size) {
  if (size > std::numeric_limits<int>::max()) {
    throw std::length_error("cuBLAS takes no size of " + std::to_string(size));
  }
  return static_cast<int>(size);
}

/// Column-major only: a row-major matrix is passed as its transpose.
template <class T, Layout layout>
class GemvOfCublas {
 public:
  explicit GemvOfCublas(Problem<Exec, T> const& problem)
      : problem_(&problem),
        handle_(handle_for(problem.exec)),
        m_(int_of(column_major ? problem.shape.rows : problem.shape.cols)),
        n_(int_of(column_major ? problem.shape.cols : problem.shape.rows)),
        leading_(int_of(m_ + problem.shape.padding)) {}

  void multiply(int call, auto const& x) const {
    gemv(handle_, column_major ? CUBLAS_OP_N : CUBLAS_OP_T, m_, n_, problem_->elements(call),
         leading_, x.data(), problem_->B.data());
  }
  void multiply_transposed(int call, auto const& x) const {
    gemv(handle_, column_major ? CUBLAS_OP_T : CUBLAS_OP_N, m_, n_, problem_->elements(call),
         leading_, x.data(), problem_->C.data());
  }

 private:
  static constexpr bool column_major = layout == Layout::column_major;
  Problem<Exec, T> const* problem_;
  cublasHandle_t handle_;
  int m_;
  int n_;
  int leading_;
};

/// At(n x m) = A(m x n)^T, both row-major.
void geam(cublasHandle_t handle, int m, int n, float const* A, int leading, float* At, int ldat) {
  float const one = 1;
  float const zero = 0;
  check(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, A, leading, &zero, At, ldat, At,
                    ldat),
        "cublasSgeam");
}
void geam(cublasHandle_t handle, int m, int n, double const* A, int leading, double* At, int ldat) {
  double const one = 1;
  double const zero = 0;
  check(cublasDgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, A, leading, &zero, At, ldat, At,
                    ldat),
        "cublasDgeam");
}

template <class T>
void add_geam() {
  rows<Exec, T>().push_back({.operation = "transpose",
                             .name = "cublas",
                             .kind = Kind::peer,
                             .matrix_reads = 2,
                             .has_our_bits = true,
                             .prepare = [](Problem<Exec, T> const& p, Launch const&) -> Work {
                               p.need_target();
                               cublasHandle_t const handle = handle_for(p.exec);
                               int const m = int_of(p.shape.rows);
                               int const n = int_of(p.shape.cols);
                               int const leading = int_of(p.shape.cols + p.shape.padding);
                               int const ldat = int_of(p.target_leading());
                               return [=, &p](int call) {
                                 geam(handle, m, n, p.elements(call), leading, p.target_of(call),
                                      ldat);
                               };
                             }});
}

struct Transposed {
  cublasOperation_t a = CUBLAS_OP_N;
  cublasOperation_t b = CUBLAS_OP_N;
};

void gemm(cublasHandle_t handle, int m, int n, int k, float const* A, int lda, float const* B,
          int ldb, float* C, int ldc, Transposed const& of = {}) {
  float const one = 1;
  float const zero = 0;
  check(cublasSgemm(handle, of.a, of.b, m, n, k, &one, A, lda, B, ldb, &zero, C, ldc),
        "cublasSgemm");
}
void gemm(cublasHandle_t handle, int m, int n, int k, double const* A, int lda, double const* B,
          int ldb, double* C, int ldc, Transposed const& of = {}) {
  double const one = 1;
  double const zero = 0;
  check(cublasDgemm(handle, of.a, of.b, m, n, k, &one, A, lda, B, ldb, &zero, C, ldc),
        "cublasDgemm");
}

/// A row-major product is the column-major one of the factors in reverse order.
template <class T, Layout layout>
void add_gemm_row(std::string const& name, cublasMath_t mode) {
  using L = KokkosLayout<layout>;
  auto const prepare = [=](Problem<Exec, T> const& p, Launch const&) -> Work {
    cublasHandle_t const handle = handle_for(p.exec);
    int const m = int_of(p.shape.rows);
    int const n = int_of(p.shape.factor_cols);
    int const k = int_of(p.shape.cols);
    return [=, &p](int call) {
      T const* const A = p.elements(call);
      T const* const B = p.template factor<L>(call).data();
      check(cublasSetMathMode(handle, mode), "cublasSetMathMode");
      if (layout == Layout::row_major) {
        gemm(handle, n, m, k, B, n, A, k, p.target_of(call), n);
      } else {
        gemm(handle, m, n, k, A, m, B, k, p.target_of(call), m);
      }
      check(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
    };
  };
  add_peer<Exec, T>("gemm", name, layout, 1, prepare);
}

template <class T, Layout layout>
void add_block_row() {
  using L = KokkosLayout<layout>;
  auto const prepare = [](Problem<Exec, T> const& p, Launch const&) -> Work {
    cublasHandle_t const handle = handle_for(p.exec);
    int const m = int_of(p.shape.rows);
    int const n = int_of(p.shape.cols);
    int const k = int_of(p.shape.factor_cols);
    auto const B = p.between_stages();
    return [=, &p](int call) {
      T const* const A = p.elements(call);
      T const* const V = p.template factor<L>(call).data();
      T* const C = p.target_of(call);
      if (layout == Layout::row_major) {
        gemm(handle, k, m, n, V, k, A, n, B.data(), k);
        gemm(handle, k, n, m, B.data(), k, A, n, C, k, {.b = CUBLAS_OP_T});
      } else {
        gemm(handle, m, k, n, A, m, V, n, B.data(), m);
        gemm(handle, n, k, m, A, m, B.data(), m, C, n, {.a = CUBLAS_OP_T});
      }
    };
  };
  add_peer<Exec, T>("atax_block", "cublas", layout, 2, prepare);
}

template <class T, Layout layout>
void add_rows() {
  add_products_of<Exec, T>("cublas", layout,
                           [](auto const& p) { return GemvOfCublas<T, layout>(p); });
  if constexpr (layout == Layout::row_major) add_geam<T>();
  add_gemm_row<T, layout>("cublas", CUBLAS_DEFAULT_MATH);
  add_gemm_row<T, layout>("cublas pedantic", CUBLAS_PEDANTIC_MATH);
  add_block_row<T, layout>();
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

}  // namespace

void add_cublas() {
  list_of_peers().push_back("cuBLAS " + version());
  add_rows<float, Layout::row_major>();
  add_rows<float, Layout::column_major>();
  add_rows<double, Layout::row_major>();
  add_rows<double, Layout::column_major>();
}

}  // namespace tessera::bench
