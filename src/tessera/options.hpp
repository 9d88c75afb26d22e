// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <Kokkos_Core.hpp>

#include <tessera/maps.hpp>
#include <tessera/tuning.hpp>
#include <tessera/workspace.hpp>

namespace tessera {

/// How `atax` reads the matrix, with the same bits.
enum class Method {
  automatic,  ///< as the tuning prefers
  fused,
  two_stage,  ///< `multiply`, then `multiply_transposed`
};

/// Which kernels compute, with the same bits.
enum class Kernels {
  automatic,  ///< accelerated if possible
  portable,   ///< on every backend
  /// An error if the backend has none. For lines that no accelerated kernel fuses, `Method::fused`
  /// uses the portable one.
  accelerated,
};

/// Options of `atax`.
template <class Exec, class T>
struct AtaxOptions {
  using memory_space = typename Exec::memory_space;

  Method method = Method::automatic;
  Workspace<Exec>* workspace = nullptr;
  std::optional<Tuning> tuning = std::nullopt;
  Kernels kernels = Kernels::automatic;
  RowMap<T, memory_space> map{};
  T alpha = T(1);
  T beta = T(0);                  ///< 0: z is not read
  VectorIn<T, memory_space> z{};  ///< n entries, any stride; must not overlap B or C
  bool keep_product = false;      ///< B is A·v, not f(A·v)
};

template <class Exec>
struct Options {
  /// Null: each call allocates, and its release may fence.
  Workspace<Exec>* workspace = nullptr;
  /// Replaces the backend's choice. Changes no bit.
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
  Workspace<Exec>* workspace = nullptr;
  std::optional<GemmTuning> tuning = std::nullopt;
  Kernels kernels = Kernels::automatic;
};

}  // namespace tessera
