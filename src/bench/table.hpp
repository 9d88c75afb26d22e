// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/contender.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

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

template <Layout layout>
struct In {};

template <class Work>
void for_each_layout(Work const& work) {
  for_each_table([&]<class Exec, class T>(On<Exec, T> on) {
    work(on, In<Layout::row_major>{});
    work(on, In<Layout::column_major>{});
  });
}

/// @throws std::invalid_argument for a backend or scalar that is not in this build
template <class Work>
void with_table(std::string const& backend, std::string const& scalar, Work const& work) {
  bool found = false;
  for_each_table([&]<class Exec, class T>(On<Exec, T>) {
    char const* const name = std::is_same_v<T, float> ? "f32" : "f64";
    if (backends::Backend<Exec>::name != backend || name != scalar) return;
    found = true;
    work(On<Exec, T>{});
  });
  if (!found) throw std::invalid_argument("there is no " + scalar + " on " + backend);
}

/// A row of Tessera with the bits of the operation.
template <class Exec, class T, class Prepare>
Contender<Exec, T>& add_ours(std::string const& operation, std::string const& name, Layout layout,
                             int matrix_reads, Prepare const& prepare) {
  return rows<Exec, T>().emplace_back(Contender<Exec, T>{.operation = operation,
                                                         .name = name,
                                                         .kind = Kind::ours,
                                                         .layout = layout,
                                                         .matrix_reads = matrix_reads,
                                                         .has_our_bits = true,
                                                         .repeats = Repeats::always,
                                                         .prepare = prepare});
}

template <class Exec, class T, class Prepare>
void add_peer(std::string const& operation, std::string const& name, Layout layout,
              int matrix_reads, Prepare const& prepare) {
  rows<Exec, T>().push_back({.operation = operation,
                             .name = name,
                             .kind = Kind::peer,
                             .layout = layout,
                             .matrix_reads = matrix_reads,
                             .prepare = prepare});
}

template <class Exec, class T, class Prepare>
void add_stream(std::string const& operation, std::string const& name, int matrix_reads,
                Prepare const& prepare) {
  rows<Exec, T>().push_back({.operation = operation,
                             .name = name,
                             .kind = Kind::stream,
                             .matrix_reads = matrix_reads,
                             .prepare = prepare});
}

inline Repeats repeats_of(published::Reproducible reproducible) {
  switch (reproducible) {
    case published::Reproducible::always:
      return Repeats::always;
    case published::Reproducible::with_equal_launch:
      return Repeats::with_equal_launch;
    case published::Reproducible::no:
      break;
  }
  return Repeats::no;
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
