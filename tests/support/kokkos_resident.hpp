// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_transposed.hpp>
#include <tessera/workspace.hpp>

#include "support/device_data.hpp"
#include "support/instance.hpp"
#include "support/resident.hpp"

namespace tessera::test::detail {

template <class T>
struct FillWithNumbers {
  T* to;
  std::uint64_t seed;

  KOKKOS_FUNCTION void operator()(Index i) const {
    constexpr int digits = sizeof(T) == sizeof(float) ? 24 : 53;
    constexpr T unit = T(1) / static_cast<T>(std::int64_t{1} << (digits - 1));
    std::uint64_t x = seed * 0xd1342543de82ef95ULL + static_cast<std::uint64_t>(i);
    x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 29)) * 0xd6e8feb86659fd93ULL;
    x ^= x >> 32;
    auto const significand = static_cast<T>(static_cast<std::int64_t>(x) >> (64 - digits));
    to[i] = significand * unit * static_cast<T>(1U << (x & 7U));
  }
};

template <class T>
struct CompareAndPoison {
  T* found;
  T const* expected;
  BitsOf<T> poison;  ///< a kernel's argument may lose bits of a NaN
  int* differences;

  KOKKOS_FUNCTION void operator()(Index i) const {
    if (Kokkos::bit_cast<BitsOf<T>>(found[i]) != Kokkos::bit_cast<BitsOf<T>>(expected[i])) {
      Kokkos::atomic_inc(differences);
    }
    found[i] = Kokkos::bit_cast<T>(poison);
  }
};

}  // namespace tessera::test::detail

namespace tessera::test {

/// Compiles the kernels: include in few sources.
template <class C>
class KokkosResident final : public Resident<typename C::Scalar> {
 public:
  using T = typename C::Scalar;
  using Exec = typename C::Exec;

  explicit KokkosResident(Instance instance) {
    if (instance == Instance::own) {
      instance_ = instance_of_its_own<Exec>();
    }
    Kokkos::deep_copy(counter_, host_counter_);
  }

  void fill(Index matrix_numbers, Index input_numbers, std::uint64_t seed) override {
    matrix_ = input_ = {};
    matrix_ = filled(matrix_numbers, seed);
    input_ = filled(input_numbers, vector_seed(seed));
    instance_.fence("tessera test: numbers are there");
  }
  std::vector<T> matrix_numbers(Index first, Index count) const override {
    return to_host(matrix_, first, count);
  }
  std::vector<T> input_numbers(Index first, Index count) const override {
    return to_host(input_, first, count);
  }

  BothResults<T> run(ResidentCall const& call) override {
    // Later comparisons check only what surrounds the results.
    expect({std::vector<T>(wants_b(call) ? rows(call) : 0, poison<T>()),
            std::vector<T>(wants_c(call) ? cols(call) : 0, poison<T>())});
    start(call);
    BothResults<T> const results{to_host(b_.memory, guard, b_.size),
                                 to_host(c_.memory, guard, c_.size)};
    Index touched = 0;
    for (Output const* output : {&b_, &c_}) {
      auto const all = to_host(output->memory, 0, output->extent());
      for (Index i = 0; i < output->extent(); ++i) {
        bool const inside = i >= guard && i < guard + output->size;
        if (!inside && !is_poison(all[static_cast<std::size_t>(i)])) ++touched;
      }
    }
    EXPECT_EQ(touched, 0) << "elements around an output vector were written";
    return results;
  }

  void expect(BothResults<T> const& expected) override {
    expect(b_, expected.B);
    expect(c_, expected.C);
  }

  void enqueue(ResidentCall const& call) override {
    start(call);
    if (wants_b(call)) compare(b_);
    if (wants_c(call)) compare(c_);
  }

  Index differences() override {
    Kokkos::deep_copy(instance_, host_counter_, counter_);
    instance_.fence("tessera test: comparisons are wanted");
    int const before = counted_;
    counted_ = host_counter_(0);
    return counted_ - before;
  }

 private:
  using Memory = DeviceVector<C>;
  using Counter = Kokkos::View<int[1], typename Exec::memory_space>;
  static constexpr Index guard = 33;  // odd: results are not aligned

  struct Output {
    Memory memory{};
    Memory expected{};
    Index size = 0;
    [[nodiscard]] Index extent() const { return size == 0 ? 0 : size + 2 * guard; }
  };

  static bool is_poison(T x) {
    return std::bit_cast<BitsOf<T>>(x) == std::bit_cast<BitsOf<T>>(poison<T>());
  }
  static bool wants_b(ResidentCall const& call) {
    return call.operation == Operation::multiply ||
           call.operation == Operation::atax_with_intermediate;
  }
  static bool wants_c(ResidentCall const& call) { return call.operation != Operation::multiply; }
  static std::size_t rows(ResidentCall const& call) {
    return static_cast<std::size_t>(call.A.shape.rows);
  }
  static std::size_t cols(ResidentCall const& call) {
    return static_cast<std::size_t>(call.A.shape.cols);
  }

  Memory filled(Index count, std::uint64_t seed) const {
    Memory const memory(Kokkos::view_alloc("numbers", Kokkos::WithoutInitializing),
                        static_cast<std::size_t>(count));
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
    Kokkos::parallel_for("tessera test: fill", Policy(instance_, 0, count),
                         detail::FillWithNumbers<T>{memory.data(), seed});
    return memory;
  }

  std::vector<T> to_host(Memory const& from, Index first, Index count) const {
    std::vector<T> values(static_cast<std::size_t>(count));
    if (count == 0) return values;
    Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const to(
        values.data(), values.size());
    Kokkos::deep_copy(instance_, to,
                      Kokkos::subview(from, Kokkos::make_pair(first, first + count)));
    instance_.fence("tessera test: values are wanted");
    return values;
  }

  void expect(Output& output, std::vector<T> const& expected) const {
    output.size = static_cast<Index>(expected.size());
    if (expected.empty()) return;
    auto const extent = static_cast<std::size_t>(output.extent());
    if (extent > output.memory.extent(0)) {
      output.memory = output.expected = {};
      output.memory = Memory(Kokkos::view_alloc("found", Kokkos::WithoutInitializing), extent);
      output.expected = Memory(Kokkos::view_alloc("expected", Kokkos::WithoutInitializing), extent);
    }
    std::vector<T> values(extent, poison<T>());
    copy_to(output.memory, values);
    std::ranges::copy(expected, values.begin() + guard);
    copy_to(output.expected, values);
  }
  void copy_to(Memory const& to, std::vector<T> const& values) const {
    Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const from(
        values.data(), values.size());
    Kokkos::deep_copy(instance_,
                      Kokkos::subview(to, Kokkos::make_pair(std::size_t{0}, values.size())), from);
    instance_.fence("tessera test: values are there");
  }

  void compare(Output const& output) const {
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
    Kokkos::parallel_for(
        "tessera test: compare", Policy(instance_, 0, output.extent()),
        detail::CompareAndPoison<T>{output.memory.data(), output.expected.data(),
                                    std::bit_cast<BitsOf<T>>(poison<T>()), counter_.data()});
  }

  Memory result(Output const& output) const {
    return Kokkos::subview(output.memory, Kokkos::make_pair(guard, guard + output.size));
  }

  DeviceMatrix<C> matrix(Part const& part) const {
    constexpr bool row_major = C::order == Order::row_major;
    Index const lines = row_major ? part.shape.rows : part.shape.cols;
    DeviceMatrix<C> const whole(matrix_.data() + part.first,
                                static_cast<std::size_t>(row_major ? lines : part.leading),
                                static_cast<std::size_t>(row_major ? part.leading : lines));
    return Kokkos::subview(whole, Kokkos::make_pair(Index{0}, part.shape.rows),
                           Kokkos::make_pair(Index{0}, part.shape.cols));
  }

  void start(ResidentCall const& call) {
    Exec const exec = instance_for(call);
    auto const A = matrix(call.A);
    bool const transposed = call.operation == Operation::multiply_transposed;
    Index const size = transposed ? call.A.shape.rows : call.A.shape.cols;
    Memory const x =
        Kokkos::subview(input_, Kokkos::make_pair(call.first_input, call.first_input + size));
    Options<Exec> const options{.workspace = &workspace_, .tuning = call.tuning};
    AtaxOptions<Exec, T> const atax_options{
        .method = call.method, .workspace = &workspace_, .tuning = call.tuning};
    switch (call.operation) {
      case Operation::multiply:
        return multiply(exec, A, x, result(b_), options);
      case Operation::multiply_transposed:
        return multiply_transposed(exec, A, x, result(c_), options);
      case Operation::atax:
        return atax(exec, A, x, result(c_), atax_options);
      case Operation::atax_with_intermediate:
        return atax(exec, A, x, result(b_), result(c_), atax_options);
    }
  }

  Exec instance_for(ResidentCall const& call) const {
    if constexpr (std::constructible_from<Exec, int>) {
      if (call.threads > 0) return Exec(call.threads);
    }
    return instance_;
  }

  Exec instance_{};
  Memory matrix_{};
  Memory input_{};
  Output b_{};
  Output c_{};
  Workspace<Exec> workspace_{};
  Counter counter_{"differences"};
  Kokkos::View<int[1], Kokkos::HostSpace> host_counter_{"differences on the host"};
  int counted_ = 0;
};

}  // namespace tessera::test
