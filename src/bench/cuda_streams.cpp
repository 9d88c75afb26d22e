// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bench/table.hpp>
#include <cstdint>

namespace tessera::bench {
namespace {

constexpr int block_threads = 512;

/// A store under a condition that never holds keeps the compiler from removing loads.
template <int in_flight>
__global__ void __launch_bounds__(block_threads)
    read_words(uint4 const* words, std::int64_t count, unsigned* sink) {
  std::int64_t const step = static_cast<std::int64_t>(gridDim.x) * block_threads;
  std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
  unsigned sum = 0;
  for (; at + (in_flight - 1) * step < count; at += in_flight * step) {
    uint4 rWords[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) rWords[k] = __ldcs(words + at + k * step);
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      sum += rWords[k].x + rWords[k].y + rWords[k].z + rWords[k].w;
    }
  }
  for (; at < count; at += step) {
    uint4 const word = __ldcs(words + at);
    sum += word.x + word.y + word.z + word.w;
  }
  if (sum == 0x9e3779b9U) *sink = sum;
}

__global__ void empty() {}

/// No kernel is fastest for every size: the fastest of several measures the memory's limit.
template <int in_flight, class T>
void add_read_stream(int blocks_per_processor) {
  using Exec = Kokkos::Cuda;
  std::string const name = "read stream " + std::to_string(blocks_per_processor) + " blocks " +
                           std::to_string(in_flight) + " words";
  auto const prepare = [=](Problem<Exec, T> const& p, Launch const&) -> Work {
    Kokkos::View<unsigned*, Exec> const sink("sink", 1);
    auto const bytes = std::min(p.stored_elements(p.shape) * sizeof(T),
                                static_cast<std::size_t>(p.matrix_bytes()));
    auto const count = static_cast<std::int64_t>(bytes / sizeof(uint4));
    std::int64_t const wanted =
        std::max<std::int64_t>(1, (count + block_threads - 1) / block_threads);
    auto const blocks = static_cast<unsigned>(
        std::min<std::int64_t>(wanted, static_cast<std::int64_t>(blocks_per_processor) *
                                           p.exec.cuda_device_prop().multiProcessorCount));
    return [=, &p](int call) {
      read_words<in_flight><<<blocks, block_threads, 0, p.exec.cuda_stream()>>>(
          reinterpret_cast<uint4 const*>(p.elements(call)), count, sink.data());
    };
  };
  add_stream<Exec, T>("read", name, 1, prepare);
}

template <class T>
void add_empty_launch() {
  using Exec = Kokkos::Cuda;
  add_stream<Exec, T>("launch", "empty kernel of CUDA", 0,
                      [](Problem<Exec, T> const& p, Launch const&) -> Work {
                        return [&p](int) { empty<<<1, 32, 0, p.exec.cuda_stream()>>>(); };
                      });
}

template <class T>
void add_rows_of_type() {
  add_read_stream<4, T>(8);
  add_read_stream<8, T>(4);
  add_read_stream<2, T>(16);
  add_empty_launch<T>();
}

}  // namespace

void add_gpu_streams() {
  add_rows_of_type<float>();
  add_rows_of_type<double>();
}

}  // namespace tessera::bench
