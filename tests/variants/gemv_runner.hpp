// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/options.hpp>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "support/cases.hpp"
#include "support/host_matrix.hpp"
#include "support/runner.hpp"

namespace tessera::test {

struct GemvVariant {
  std::string name;
  bool transposed;
  bool column_major_only;
  bool one_column_of_threads;
  bool has_tile;
  bool has_tiling;
  published::Reproducible reproducible;
  published::TeamShape default_team;

  friend std::ostream& operator<<(std::ostream& out, GemvVariant const& variant) {
    return out << variant.name << (variant.transposed ? " (transposed)" : "");
  }
};

struct GemvCall {
  published::TeamShape team{};
  Index teams = 0;
  Index tile = 0;
  published::Tiling tiling = published::Tiling::automatic;
  Index vector_stride = 1;
  bool kept_workspace = false;
  bool own_instance = false;
  Observer* observer = nullptr;

  friend std::ostream& operator<<(std::ostream& out, GemvCall const& call) {
    return out << "team " << call.team.rows << " x " << call.team.cols << ", teams " << call.teams
               << ", tile " << call.tile << ", stride " << call.vector_stride;
  }
};

/// Like Runner, for variants of matrix-vector products.
template <std::floating_point T>
class GemvRunner {
 public:
  GemvRunner() = default;
  GemvRunner(GemvRunner const&) = delete;
  GemvRunner& operator=(GemvRunner const&) = delete;
  virtual ~GemvRunner() = default;

  virtual std::vector<GemvVariant> const& table() const = 0;
  virtual std::vector<T> run(std::size_t i, HostMatrix<T> const& A, std::vector<T> const& x,
                             GemvCall const& call) = 0;
  virtual void run_on_zeros(std::size_t i, Shape shape, Index input_size, Index output_size,
                            bool overlapping) = 0;
  virtual bool takes(std::size_t i, published::TeamShape team) const = 0;
  virtual int most_threads() const = 0;
};

template <std::floating_point T>
std::unique_ptr<GemvRunner<T>> make_gemv_runner(std::string const& name);

}  // namespace tessera::test
