// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <Kokkos_Core.hpp>

#include <tessera/maps.hpp>
#include <tessera/tuning.hpp>
#include <tessera/workspace.hpp>

namespace tessera {

/// How `atax` reads the matrix; the bits are the same.
enum class Method {
  automatic,  ///< as the backend's tuning prefers
  fused,      ///< the matrix is read once
  two_stage,  ///< `multiply`, then `multiply_transposed`
};

/// The kernels that compute; the bits are the same.
enum class Kernels {
  automatic,  ///< accelerated if the backend has them
  portable,   ///< Kokkos team policies, on every backend
  /// An error if the backend has no accelerated kernels. If fused ATAX is requested by name, lines
  /// that no accelerated kernel fuses use the portable one; the plan shows it.
  accelerated,
};

/// Options of `atax`, which computes C = α·Aᵀ·f(A·v) + β·z.
template <class Exec, class T>
struct AtaxOptions {
  using memory_space = typename Exec::memory_space;

  Method method = Method::automatic;
  Workspace<Exec>* workspace = nullptr;         ///< as in Options
  std::optional<Tuning> tuning = std::nullopt;  ///< as in Options
  Kernels kernels = Kernels::automatic;
  RowMap<T, memory_space> map{};  ///< f; default: the identity
  T alpha = T(1);
  T beta = T(0);                  ///< if it is 0, z is not read
  VectorIn<T, memory_space> z{};  ///< n entries, any stride; must not overlap B or C
  bool keep_product = false;      ///< B is A·v instead of f(A·v)
};

/// Options of every operation.
template <class Exec>
struct Options {
  /// Memory that the caller keeps, for one call at a time. If null, each call allocates its own,
  /// and its release may fence.
  Workspace<Exec>* workspace = nullptr;
  /// Replaces the backend's choice. Changes no bit of the result.
  std::optional<Tuning> tuning = std::nullopt;
  Kernels kernels = Kernels::automatic;

  template <class T>
  operator AtaxOptions<Exec, T>() const {  // NOLINT(google-explicit-constructor)
    return {.workspace = workspace, .tuning = tuning, .kernels = kernels};
  }
};

struct TransposeOptions {
  std::optional<TransposeTuning> tuning = std::nullopt;
  Kernels kernels = Kernels::automatic;
};

struct TransposeInPlaceOptions {
  Kernels kernels = Kernels::automatic;
};

template <class Exec>
struct GemmOptions {
  Workspace<Exec>* workspace = nullptr;             ///< as in Options
  std::optional<GemmTuning> tuning = std::nullopt;  ///< as in Options
  Kernels kernels = Kernels::automatic;
};

}  // namespace tessera
