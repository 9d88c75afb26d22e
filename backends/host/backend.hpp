// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tessera/backends/backend.hpp>
#include <tessera/backends/host/together.hpp>
#include <tessera/backends/host/tuning.hpp>

namespace tessera::backends {

template <class Exec>
struct HostBackend {
  static constexpr bool is_accelerated = true;
  static constexpr bool is_gpu = false;

  template <class Body>
  static Index teams_together(Exec const& /*exec*/, int /*threads*/) {
    return 1;
  }
  template <class Body>
  static void run_together(Exec const& exec, std::string const& label, int threads, Index /*teams*/,
                           Body const& body) {
    host::run_together(exec, label, threads, body);
  }

  template <class T>
  static Tuning row_major_tuning(Exec const& exec, Index rows, Index cols) {
    Tuning result = host::tuning<T>(rows, cols, exec.concurrency());
    result.prefer_fused = host::fuse_lines<T>(rows, cols, exec.concurrency());
    return result;
  }
  template <class T>
  static Tuning column_major_tuning(Exec const& exec, Index rows, Index cols) {
    Tuning result = host::tuning<T>(cols, rows, exec.concurrency());
    result.prefer_fused = host::fuse_tiles<T>(cols, rows, exec.concurrency());
    return result;
  }
  template <class T>
  static Tuning tuning_of_blocks(Exec const& /*exec*/, Index /*count*/, Index /*length*/,
                                 int vectors, Tuning const& result) {
    return host::tuning_of_blocks<T>(vectors, result);
  }
  static TransposeTuning transpose_tuning(Exec const&, TransposeShape const& shape) {
    return host::transpose_tuning(shape);
  }
  template <class T>
  static GemmTuning gemm_tuning(Exec const& exec, Index rows, Index cols,
                                summation::Chains const& chains) {
    return host::gemm_tuning(sizeof(T), rows, cols, chains.count, exec.concurrency());
  }
};

}  // namespace tessera::backends
