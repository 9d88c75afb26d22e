// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <Kokkos_Core.hpp>

#include <tessera/maps.hpp>
#include <tessera/tuning.hpp>
#include <tessera/workspace.hpp>

namespace tessera {

/// How `atax` reads the matrix. Both give the same bits.
enum class Method {
  automatic,  ///< the preference of the backend's tuning for the shape
  fused,      ///< one pass: the matrix is read from memory once
  two_stage,  ///< `multiply`, then `multiply_transposed`: read twice
};

/// The kernels that compute. All give the same bits.
enum class Kernels {
  automatic,  ///< accelerated if the backend has them, otherwise portable
  portable,   ///< Kokkos team policies, which every backend runs (tessera/kernels)
  /// As automatic, but an error if the backend has no accelerated kernels. If fused ATAX is
  /// requested by name, lines that no accelerated kernel fuses use the portable one; the plan shows
  /// it.
  accelerated,
};

/// Options of `atax`, which computes C = α·Aᵀ·f(A·v) + β·z.
template <class Exec, class T>
struct AtaxOptions {
  using memory_space = typename Exec::memory_space;

  Method method = Method::automatic;            ///< see Method
  Workspace<Exec>* workspace = nullptr;         ///< as in Options
  std::optional<Tuning> tuning = std::nullopt;  ///< as in Options
  Kernels kernels = Kernels::automatic;         ///< see Kernels
  RowMap<T, memory_space> map{};                ///< f (maps.hpp); default: the identity
  T alpha = T(1);                               ///< α
  T beta = T(0);                                ///< β; if it is 0, z is not read
  VectorIn<T, memory_space> z{};  ///< z: n entries, any stride; it must not overlap B or C
  bool keep_product = false;      ///< B, if requested, is A·v instead of f(A·v)
};

/// Options of every operation.
template <class Exec>
struct Options {
  /// Memory for partial results that the caller keeps. If null, each call allocates its own and
  /// releases it at the end, which may fence. One call at a time.
  Workspace<Exec>* workspace = nullptr;
  /// Replaces the backend's choice. Changes no bit of the result.
  std::optional<Tuning> tuning = std::nullopt;
  Kernels kernels = Kernels::automatic;  ///< see Kernels

  /// Converts to options of `atax`.
  template <class T>
  operator AtaxOptions<Exec, T>() const {  // NOLINT(google-explicit-constructor)
    return {.workspace = workspace, .tuning = tuning, .kernels = kernels};
  }
};

/// Options of `transpose`.
struct TransposeOptions {
  std::optional<TransposeTuning> tuning = std::nullopt;  ///< replaces the backend's
  Kernels kernels = Kernels::automatic;                  ///< see Kernels
};

/// Options of `transpose_in_place`.
struct TransposeInPlaceOptions {
  Kernels kernels = Kernels::automatic;  ///< see Kernels
};

/// Options of `gemm`.
template <class Exec>
struct GemmOptions {
  Workspace<Exec>* workspace = nullptr;             ///< as in Options
  std::optional<GemmTuning> tuning = std::nullopt;  ///< as in Options
  Kernels kernels = Kernels::automatic;             ///< see Kernels
};

}  // namespace tessera
