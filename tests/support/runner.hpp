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

/// Called when an operation begins and ends, without the copies around it.
class Observer {
 public:
  Observer() = default;
  Observer(Observer const&) = delete;
  Observer& operator=(Observer const&) = delete;
  virtual ~Observer() = default;

  /// `device` is the identity of the execution space instance for Kokkos Tools.
  virtual void begin(std::uint32_t device) = 0;
  virtual void end() = 0;
};

/// The kernels set by TESSERA_TEST_KERNELS in the environment, automatic or portable; default:
/// automatic. ctest runs some programs with both.
Kernels kernels_under_test();

/// How to run an operation.
struct Call {
  Method method = Method::automatic;
  std::optional<Tuning> tuning = std::nullopt;
  /// Stride of the vectors in memory; above 1 they are views with LayoutStride.
  Index vector_stride = 1;
  /// Use one workspace for all such calls of the runner, else a new one each time.
  bool kept_workspace = false;
  /// Use an execution space instance other than the default one.
  bool own_instance = false;
  Observer* observer = nullptr;
  Kernels kernels = kernels_under_test();
};

/// B = A v and C = A^T B of one ATAX.
template <class T>
struct BothResults {
  std::vector<T> B;
  std::vector<T> C;
};

/// Runs the library's operations on host data: copies to the device, runs, copies back. Outputs are
/// inside larger views that are NaN before the run. A write outside the output is a test failure.
/// Tests use this interface so that the kernels are compiled once, not for every test.
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
  /// Bytes that the kept workspace holds.
  virtual std::size_t workspace_bytes() const = 0;
};

/// The runner of the case with this name and scalar type. Throws std::out_of_range for an unknown
/// name.
template <std::floating_point T>
std::unique_ptr<Runner<T>> make_runner(std::string const& name);

/// The runner of a case.
template <class C>
std::unique_ptr<Runner<typename C::Scalar>> make_runner_of() {
  return make_runner<typename C::Scalar>(case_name<C>());
}

}  // namespace tessera::test
