// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tessera/options.hpp>
#include <tessera/tuning.hpp>

#include "support/cases.hpp"
#include "support/host_matrix.hpp"

namespace tessera::test {

/// Observes an operation without the copies around it.
class Observer {
 public:
  Observer() = default;
  Observer(Observer const&) = delete;
  Observer& operator=(Observer const&) = delete;
  virtual ~Observer() = default;

  /// `device` identifies the execution space instance for Kokkos Tools.
  virtual void begin(std::uint32_t device) = 0;
  virtual void end() = 0;
};

/// From TESSERA_TEST_KERNELS: automatic (default) or portable.
Kernels kernels_under_test();

struct Call {
  Method method = Method::automatic;
  std::optional<Tuning> tuning = std::nullopt;
  Index vector_stride = 1;
  bool kept_workspace = false;
  bool own_instance = false;
  Observer* observer = nullptr;
  Kernels kernels = kernels_under_test();
};

template <class T>
struct BothResults {
  std::vector<T> B;
  std::vector<T> C;
};

/// Copies to the device, runs, copies back. Outputs are inside NaNs, which must stay.
template <std::floating_point T>
class Runner {
 public:
  Runner() = default;
  Runner(Runner const&) = delete;
  Runner& operator=(Runner const&) = delete;
  virtual ~Runner() = default;

  virtual std::vector<T> multiply(HostMatrix<T> const& A, std::vector<T> const& v,
                                  Call const& call = {}) = 0;
  virtual std::vector<T> multiply_transposed(HostMatrix<T> const& A, std::vector<T> const& B,
                                             Call const& call = {}) = 0;
  virtual std::vector<T> atax(HostMatrix<T> const& A, std::vector<T> const& v,
                              Call const& call = {}) = 0;
  virtual BothResults<T> atax_with_intermediate(HostMatrix<T> const& A, std::vector<T> const& v,
                                                Call const& call = {}) = 0;
  virtual std::size_t workspace_bytes() const = 0;
};

template <std::floating_point T>
std::unique_ptr<Runner<T>> make_runner(std::string const& name);

template <class C>
std::unique_ptr<Runner<typename C::Scalar>> make_runner_of() {
  return make_runner<typename C::Scalar>(case_name<C>());
}

}  // namespace tessera::test
