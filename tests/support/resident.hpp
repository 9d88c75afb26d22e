// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tessera/options.hpp>
#include <tessera/tuning.hpp>

#include "support/host_matrix.hpp"
#include "support/runner.hpp"

namespace tessera::test {

/// The operations of a resident.
enum class Operation { multiply, multiply_transposed, atax, atax_with_intermediate };

/// A matrix within the numbers of a resident.
struct Part {
  Shape shape;
  Index first;    ///< index of its first element
  Index leading;  ///< distance between lines
};

/// How a resident runs an operation.
struct ResidentCall {
  Operation operation;
  Part A;
  Index first_input = 0;              ///< index of the input vector's first number
  Method method = Method::automatic;  ///< of ATAX
  std::optional<Tuning> tuning = std::nullopt;
  int threads = 0;  ///< 0: the instance's; only if an instance can be created with a number
};

/// The execution space instance of a resident.
enum class Instance {
  standard,  ///< the default one
  own,       ///< a second one
};

/// Runs operations on data that stay on the device, for matrices too large to copy for every call,
/// and for calls without a wait in between. The numbers of the matrix and the input are functions
/// of a seed and their index alone, so every device has the same. Results are compared on the
/// device.
template <std::floating_point T>
class Resident {
 public:
  Resident() = default;
  Resident(Resident const&) = delete;
  Resident& operator=(Resident const&) = delete;
  virtual ~Resident() = default;

  /// Creates numbers for matrices and for input vectors. Throws Kokkos' exception when memory runs
  /// out.
  virtual void fill(Index matrix_numbers, Index input_numbers, std::uint64_t seed) = 0;
  /// Copies of the numbers first … first + count - 1.
  virtual std::vector<T> matrix_numbers(Index first, Index count) const = 0;
  virtual std::vector<T> input_numbers(Index first, Index count) const = 0;

  /// Runs the operation and waits; results that it does not compute are empty. A write around an
  /// output is a test failure.
  virtual BothResults<T> run(ResidentCall const& call) = 0;
  /// Sets the expected results of later calls; an empty vector is not compared.
  virtual void expect(BothResults<T> const& expected) = 0;
  /// Enqueues the operation and the comparison of its results; does not wait.
  virtual void enqueue(ResidentCall const& call) = 0;
  /// Waits. Returns the number of unexpected elements, in and around the outputs of all calls since
  /// the last time.
  virtual Index differences() = 0;
};

/// The resident of the case with this name and scalar type.
template <std::floating_point T>
std::unique_ptr<Resident<T>> make_resident(std::string const& name, Instance instance);

/// The resident of a case.
template <class C>
std::unique_ptr<Resident<typename C::Scalar>> make_resident_of(Instance instance) {
  return make_resident<typename C::Scalar>(case_name<C>(), instance);
}

}  // namespace tessera::test
