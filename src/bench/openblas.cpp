// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/built_peers.hpp>
#include <bench/contender.hpp>
#include <bench/peers.hpp>
#include <bench/table.hpp>
#include <cblas.h>
#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace tessera::bench {
namespace {

/// Loaded when first measured: it allocates much memory at its start, and ends the program if that
/// fails.
struct Library {
  decltype(&::openblas_get_config) get_config;
  decltype(&::openblas_set_num_threads) set_num_threads;
  decltype(&::cblas_sgemv) sgemv;
  decltype(&::cblas_dgemv) dgemv;
  decltype(&::cblas_somatcopy) somatcopy;
  decltype(&::cblas_domatcopy) domatcopy;
  decltype(&::cblas_sgemm) sgemm;
  decltype(&::cblas_dgemm) dgemm;
};

template <class Function>
void find(void* library, char const* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(::dlerror());
}

Library load() {
  void* handle = ::dlopen(built::openblas_name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) handle = ::dlopen(built::openblas_path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(::dlerror());
  Library found{};
  find(handle, "openblas_get_config", found.get_config);
  find(handle, "openblas_set_num_threads", found.set_num_threads);
  find(handle, "cblas_sgemv", found.sgemv);
  find(handle, "cblas_dgemv", found.dgemv);
  find(handle, "cblas_somatcopy", found.somatcopy);
  find(handle, "cblas_domatcopy", found.domatcopy);
  find(handle, "cblas_sgemm", found.sgemm);
  find(handle, "cblas_dgemm", found.dgemm);
  return found;
}

Library const& blas() {
  static Library const loaded = load();
  return loaded;
}

void gemv(CBLAS_ORDER order, CBLAS_TRANSPOSE transpose, blasint m, blasint n, float const* A,
          blasint leading, float const* x, float* y) {
  blas().sgemv(order, transpose, m, n, 1.0F, A, leading, x, 1, 0.0F, y, 1);
}
void gemv(CBLAS_ORDER order, CBLAS_TRANSPOSE transpose, blasint m, blasint n, double const* A,
          blasint leading, double const* x, double* y) {
  blas().dgemv(order, transpose, m, n, 1.0, A, leading, x, 1, 0.0, y, 1);
}

void transpose(blasint m, blasint n, float const* A, blasint leading, float* At, blasint ldat) {
  blas().somatcopy(CblasRowMajor, CblasTrans, m, n, 1.0F, A, leading, At, ldat);
}
void transpose(blasint m, blasint n, double const* A, blasint leading, double* At, blasint ldat) {
  blas().domatcopy(CblasRowMajor, CblasTrans, m, n, 1.0, A, leading, At, ldat);
}

template <class Exec, class T, Layout layout>
struct Gemv {
  static constexpr bool by_rows = layout == Layout::row_major;
  Problem<Exec, T> const* p;

  explicit Gemv(Problem<Exec, T> const& problem) : p(&problem) {
    blas().set_num_threads(problem.exec.concurrency());
  }

  void multiply(int call, auto const& x) const { run(call, CblasNoTrans, x.data(), p->B.data()); }
  void multiply_transposed(int call, auto const& x) const {
    run(call, CblasTrans, x.data(), p->C.data());
  }

 private:
  void run(int call, CBLAS_TRANSPOSE transpose, T const* x, T* y) const {
    auto const& [rows, cols, padding, factor_cols] = p->shape;
    gemv(by_rows ? CblasRowMajor : CblasColMajor, transpose, static_cast<blasint>(rows),
         static_cast<blasint>(cols), p->elements(call),
         static_cast<blasint>((by_rows ? cols : rows) + padding), x, y);
  }
};

template <class Exec, class T>
void add_omatcopy() {
  rows<Exec, T>().push_back({.operation = "transpose",
                             .name = "openblas",
                             .kind = Kind::peer,
                             .matrix_reads = 2,
                             .has_our_bits = true,
                             .prepare = [](Problem<Exec, T> const& p, Launch const&) -> Work {
                               p.need_target();
                               blas().set_num_threads(p.exec.concurrency());
                               return [&p](int call) {
                                 auto const leading = p.shape.cols + p.shape.padding;
                                 transpose(static_cast<blasint>(p.shape.rows),
                                           static_cast<blasint>(p.shape.cols), p.elements(call),
                                           static_cast<blasint>(leading), p.target_of(call),
                                           static_cast<blasint>(p.target_leading()));
                               };
                             }});
}

void gemm(CBLAS_ORDER order, CBLAS_TRANSPOSE of_a, blasint m, blasint n, blasint k, float const* A,
          blasint lda, float const* B, blasint ldb, float* C, blasint ldc) {
  blas().sgemm(order, of_a, CblasNoTrans, m, n, k, 1.0F, A, lda, B, ldb, 0.0F, C, ldc);
}
void gemm(CBLAS_ORDER order, CBLAS_TRANSPOSE of_a, blasint m, blasint n, blasint k, double const* A,
          blasint lda, double const* B, blasint ldb, double* C, blasint ldc) {
  blas().dgemm(order, of_a, CblasNoTrans, m, n, k, 1.0, A, lda, B, ldb, 0.0, C, ldc);
}

template <class Exec, class T, Layout layout>
void add_gemm_row() {
  using L = KokkosLayout<layout>;
  auto const prepare = [](Problem<Exec, T> const& p, Launch const&) -> Work {
    blas().set_num_threads(p.exec.concurrency());
    return [&p](int call) {
      constexpr bool by_rows = layout == Layout::row_major;
      auto const m = static_cast<blasint>(p.shape.rows);
      auto const n = static_cast<blasint>(p.shape.factor_cols);
      auto const k = static_cast<blasint>(p.shape.cols);
      gemm(by_rows ? CblasRowMajor : CblasColMajor, CblasNoTrans, m, n, k, p.elements(call),
           by_rows ? k : m, p.template factor<L>(call).data(), by_rows ? n : k, p.target_of(call),
           by_rows ? n : m);
    };
  };
  add_peer<Exec, T>("gemm", "openblas", layout, 1, prepare);
}

template <class Exec, class T, Layout layout>
void add_block_row() {
  using L = KokkosLayout<layout>;
  auto const prepare = [](Problem<Exec, T> const& p, Launch const&) -> Work {
    blas().set_num_threads(p.exec.concurrency());
    auto const B = p.between_stages();
    return [&p, B](int call) {
      constexpr bool by_rows = layout == Layout::row_major;
      auto const order = by_rows ? CblasRowMajor : CblasColMajor;
      auto const m = static_cast<blasint>(p.shape.rows);
      auto const n = static_cast<blasint>(p.shape.cols);
      auto const k = static_cast<blasint>(p.shape.factor_cols);
      blasint const of_a = by_rows ? n : m;
      T const* const V = p.template factor<L>(call).data();
      gemm(order, CblasNoTrans, m, k, n, p.elements(call), of_a, V, by_rows ? k : n, B.data(),
           by_rows ? k : m);
      gemm(order, CblasTrans, n, k, m, p.elements(call), of_a, B.data(), by_rows ? k : m,
           p.target_of(call), by_rows ? k : n);
    };
  };
  add_peer<Exec, T>("atax_block", "openblas", layout, 2, prepare);
}

}  // namespace

void add_openblas() {
  try {
    list_of_peers().emplace_back(blas().get_config());
  } catch (std::runtime_error const& error) {
    list_of_peers().emplace_back(std::string("no OpenBLAS (") + error.what() + ")");
    return;
  }
  for_each_layout([]<class Exec, class T, Layout layout>(On<Exec, T>, In<layout>) {
    if constexpr (!is_gpu<Exec>) {
      add_products_of<Exec, T>("openblas", layout,
                               [](auto const& p) { return Gemv<Exec, T, layout>(p); });
      if constexpr (layout == Layout::row_major) add_omatcopy<Exec, T>();
      add_gemm_row<Exec, T, layout>();
      add_block_row<Exec, T, layout>();
    }
  });
}

}  // namespace tessera::bench
