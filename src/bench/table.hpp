// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/contender.hpp>
#include <type_traits>

#include <tessera/backends/backends.hpp>

/// Each source of rows has one function, which table.cpp calls unless its library is missing
/// (built_peers.hpp).
namespace tessera::bench {

template <class Exec, class T>
struct On {};

template <class Work>
void for_each_table(Work const& work) {
  backends::for_each_backend([&]<class Exec>(std::type_identity<Exec>) {
    work(On<Exec, float>{});
    work(On<Exec, double>{});
  });
}

std::vector<std::string>& list_of_peers();

void add_streams();             ///< copying, empty launches
void add_host_streams();        ///< reading on hosts
void add_gpu_streams();         ///< reading on GPUs, empty launches of CUDA
void add_atax();                ///< ours
void add_products();            ///< ours: vectors, one and two at a time
void add_transpose();           ///< ours
void add_gemm();                ///< ours
void add_multiply_variants();   ///< published, both products
void add_transpose_variants();  ///< published
void add_gemm_variants();       ///< published
void add_openblas();
void add_cublas();
void add_kokkos_kernels();

}  // namespace tessera::bench
