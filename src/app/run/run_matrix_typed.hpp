// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <variant>

#include <app/run/run_matrix.hpp>
#include <app/run/run_typed.hpp>

namespace tessera::app {

/// A matrix in the memory of Exec.
template <class Exec, class T, class Layout>
using DeviceMatrix = Kokkos::View<T**, Layout, typename Exec::memory_space>;

/// A matrix of the host where Exec computes: itself, or a copy, which is timed as a stage.
template <class Exec, class T, class Layout>
DeviceMatrix<Exec, T, Layout> bring(Exec const& exec, io::MatrixView<T, Layout> const& host,
                                    std::string const& input, Measurement& to) {
  if constexpr (backends::Backend<Exec>::is_gpu) {
    auto const A = allocate<DeviceMatrix<Exec, T, Layout>, Exec>(input, "the matrix",
                                                                 host.extent(0), host.extent(1));
    Stopwatch const watch;
    copy_to_device(exec, host.data(), A.data(), host.span() * sizeof(T));
    add_time(to, "copy to device", watch.seconds());
    return A;
  } else {
    return host;
  }
}

/// A result in the memory of Exec.
template <class Exec, class T, class Layout>
DeviceMatrix<Exec, T, Layout> make_matrix(std::string const& input, std::size_t rows,
                                          std::size_t cols) {
  return allocate<DeviceMatrix<Exec, T, Layout>, Exec>(input, "the result", rows, cols);
}

/// A result as a matrix of the host; where it has to be copied, that is timed as a stage.
template <class T, class Layout, class View>
io::MatrixView<T, Layout> take_matrix(View const& matrix, std::string const& input,
                                      Measurement& to) {
  using Exec = typename View::execution_space;
  if constexpr (backends::Backend<Exec>::is_gpu) {
    auto const result = allocate<io::MatrixView<T, Layout>, Kokkos::DefaultHostExecutionSpace>(
        input, "the result", matrix.extent(0), matrix.extent(1));
    Stopwatch const watch;
    Kokkos::deep_copy(result, matrix);
    add_time(to, "copy to host", watch.seconds());
    return result;
  } else {
    return matrix;
  }
}

/// Calls work(exec, host_A) with an instance of the request's execution space.
template <class Work>
void run_on_matrix(MatrixRequest const& request, Measurement& to, Work const& work) {
  with_backend(request.backend, [&]<class Exec>() {
    Exec const exec;
    prefer_caches(exec, request.cache_preference, to);
    std::visit([&](auto const& A) { work(exec, A); }, request.A);
  });
}

/// The least that C = A·B moves, and its operations.
template <class A, class B>
void take_product_facts(A const& a, B const& b, Measurement& to) {
  auto const [m, k, n] = std::tuple(a.extent(0), a.extent(1), b.extent(1));
  to.bytes = (m * k + k * n + m * n) * sizeof(typename A::value_type);
  to.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

/// Calls work(exec, host_A, host_B), of one type.
template <class Work>
void run_on_matrices(MatrixRequest const& request, Measurement& to, Work const& work) {
  run_on_matrix(request, to, [&]<class Exec, class A>(Exec const& exec, A const& a) {
    std::visit(
        [&]<class B>(B const& b) {
          if constexpr (std::is_same_v<typename A::value_type, typename B::value_type>) {
            work(exec, a, b);
          }
        },
        *request.B);
  });
}

}  // namespace tessera::app
