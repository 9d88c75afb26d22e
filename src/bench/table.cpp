// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/built_peers.hpp>
#include <bench/table.hpp>

namespace tessera::bench {
namespace {

void add_all() {
  add_atax();
  add_products();
  add_transpose();
  add_gemm();
  add_multiply_variants();
  add_transpose_variants();
  add_gemm_variants();
  if constexpr (built::openblas) add_openblas();
  if constexpr (built::cublas) add_cublas();
  if constexpr (built::kokkos_kernels) add_kokkos_kernels();
  add_streams();
  add_host_streams();
  if constexpr (built::cuda) add_gpu_streams();
}

}  // namespace

void fill_table() {
  [[maybe_unused]] static bool const filled = (add_all(), true);
}

std::vector<std::string>& list_of_peers() {
  static std::vector<std::string> names;
  return names;
}

std::vector<std::string> const& peers() {
  fill_table();
  return list_of_peers();
}

std::string to_string(Repeats repeats) {
  switch (repeats) {
    case Repeats::always:
      return "yes";
    case Repeats::with_equal_launch:
      return "with equal launch";
    case Repeats::no:
      return "no";
    case Repeats::not_stated:
      break;
  }
  return "not stated";
}

std::string to_string(Kind kind) {
  switch (kind) {
    case Kind::ours:
      return "ours";
    case Kind::variant:
      return "variant";
    case Kind::peer:
      return "peer";
    case Kind::stream:
      break;
  }
  return "stream";
}

}  // namespace tessera::bench
