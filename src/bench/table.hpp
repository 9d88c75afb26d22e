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

void add_streams();
void add_host_streams();
void add_gpu_streams();
void add_atax();
void add_products();
void add_transpose();
void add_gemm();
void add_multiply_variants();
void add_transpose_variants();
void add_gemm_variants();
void add_openblas();
void add_cublas();
void add_kokkos_kernels();

}  // namespace tessera::bench
