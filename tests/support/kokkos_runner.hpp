// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include <tessera/atax.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_transposed.hpp>
#include <tessera/workspace.hpp>

#include "support/device_data.hpp"
#include "support/instance.hpp"
#include "support/runner.hpp"

namespace tessera::test {

/// Compiles the kernels: include in few sources.
template <class C>
class KokkosRunner final : public Runner<typename C::Scalar> {
 public:
  using T = typename C::Scalar;
  using Exec = typename C::Exec;

  std::vector<T> multiply(HostMatrix<T> const& A, std::vector<T> const& v,
                          Call const& call) override {
    GuardedVector<C> const result(A.shape().rows, call.vector_stride);
    auto const operation = [&](auto const&... arguments) {
      tessera::multiply(arguments..., options(call));
    };
    run(A, v, call, operation, result);
    return result.to_host();
  }

  std::vector<T> multiply_transposed(HostMatrix<T> const& A, std::vector<T> const& B,
                                     Call const& call) override {
    GuardedVector<C> const result(A.shape().cols, call.vector_stride);
    auto const operation = [&](auto const&... arguments) {
      tessera::multiply_transposed(arguments..., options(call));
    };
    run(A, B, call, operation, result);
    return result.to_host();
  }

  std::vector<T> atax(HostMatrix<T> const& A, std::vector<T> const& v, Call const& call) override {
    GuardedVector<C> const result(A.shape().cols, call.vector_stride);
    auto const operation = [&](auto const&... arguments) {
      tessera::atax(arguments..., atax_options(call));
    };
    run(A, v, call, operation, result);
    return result.to_host();
  }

  BothResults<T> atax_with_intermediate(HostMatrix<T> const& A, std::vector<T> const& v,
                                        Call const& call) override {
    GuardedVector<C> const B(A.shape().rows, call.vector_stride);
    GuardedVector<C> const result(A.shape().cols, call.vector_stride);
    auto const operation = [&](auto const&... arguments) {
      tessera::atax(arguments..., atax_options(call));
    };
    run(A, v, call, operation, B, result);
    return {B.to_host(), result.to_host()};
  }

  std::size_t workspace_bytes() const override { return workspace_.bytes(); }

 private:
  template <class Operation, class... Outputs>
  void run(HostMatrix<T> const& host_matrix, std::vector<T> const& host_input, Call const& call,
           Operation const& operation, Outputs const&... outputs) {
    auto const A = matrix_on_device<C>(host_matrix);
    GuardedVector<C> const input(host_input, call.vector_stride);
    Exec const exec = call.own_instance ? own_instance_ : Exec();
    Kokkos::fence("tessera test: data is there");

    if (call.observer != nullptr) {
      call.observer->begin(Kokkos::Tools::Experimental::device_id(exec));
    }
    if (call.vector_stride == 1) {
      operation(exec, A, input.contiguous(), outputs.contiguous()...);
    } else {
      operation(exec, A, input.strided(), outputs.strided()...);
    }
    if (call.observer != nullptr) call.observer->end();
    exec.fence("tessera test: result is wanted");
  }

  Options<Exec> options(Call const& call) {
    return {.workspace = workspace(call), .tuning = call.tuning, .kernels = call.kernels};
  }
  AtaxOptions<Exec, T> atax_options(Call const& call) {
    return {.method = call.method,
            .workspace = workspace(call),
            .tuning = call.tuning,
            .kernels = call.kernels};
  }
  Workspace<Exec>* workspace(Call const& call) {
    return call.kept_workspace ? &workspace_ : nullptr;
  }

  Exec const own_instance_ = instance_of_its_own<Exec>();
  Workspace<Exec> workspace_{};
};

}  // namespace tessera::test
