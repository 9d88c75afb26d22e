// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bench/contender.hpp>
#include <optional>
#include <string>

#include <app/run/run.hpp>

/// Operations that give a matrix: `tessera transpose` and `tessera gemm`.
namespace tessera::app {

/// Matrices in memory and what to do with them.
struct MatrixRequest {
  io::HostMatrix const& A;
  io::HostMatrix const* B = nullptr;  ///< for gemm, of the type of A
  bool in_place = false;              ///< for transpose
  BackendChoice backend = BackendChoice::automatic;
  Kernels kernels = Kernels::automatic;
  int repeat = 1;
  std::string input;  ///< the file, for messages
  VariantChoice variant = {};
  MaybePreference cache_preference = {};
  bench::Launch launch = {};  ///< instead of the backend's choice
};

/// At = Aᵀ, in the order of A, or A of a variant that copies. One warm-up, then timed runs.
[[nodiscard]] Measurement run_transpose(MatrixRequest const& request);
/// The variant of the request. @throws Failure usage for what it does not take
[[nodiscard]] Measurement run_transpose_variant(MatrixRequest const& request);
/// C = A·B, in the order of A.
[[nodiscard]] Measurement run_gemm(MatrixRequest const& request);
/// Bytes of the workspace for a product of rows x depth and depth x cols.
[[nodiscard]] std::uint64_t workspace_of_gemm(std::int64_t rows, std::int64_t cols,
                                              std::int64_t depth, io::ScalarType type);
/// The variant of the request.
/// @throws Failure usage for what it does not take
[[nodiscard]] Measurement run_gemm_variant(MatrixRequest const& request);

}  // namespace tessera::app
