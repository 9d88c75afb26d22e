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

enum class Operation { multiply, multiply_transposed, atax, atax_with_intermediate };

struct Part {
  Shape shape;
  Index first;
  Index leading;
};

struct ResidentCall {
  Operation operation;
  Part A;
  Index first_input = 0;
  Method method = Method::automatic;
  std::optional<Tuning> tuning = std::nullopt;
  int threads = 0;  ///< 0: the instance's
};

enum class Instance {
  standard,
  own,
};

/// Data stay on the device; equal numbers on every device.
template <std::floating_point T>
class Resident {
 public:
  Resident() = default;
  Resident(Resident const&) = delete;
  Resident& operator=(Resident const&) = delete;
  virtual ~Resident() = default;

  virtual void fill(Index matrix_numbers, Index input_numbers, std::uint64_t seed) = 0;
  virtual std::vector<T> matrix_numbers(Index first, Index count) const = 0;
  virtual std::vector<T> input_numbers(Index first, Index count) const = 0;

  /// Waits. Results not computed are empty.
  virtual BothResults<T> run(ResidentCall const& call) = 0;
  /// Does not compare empty vectors.
  virtual void expect(BothResults<T> const& expected) = 0;
  /// Enqueues the comparison, too.
  virtual void enqueue(ResidentCall const& call) = 0;
  /// Waits. Counts unexpected elements in and around outputs since the last call.
  virtual Index differences() = 0;
};

template <std::floating_point T>
std::unique_ptr<Resident<T>> make_resident(std::string const& name, Instance instance);

template <class C>
std::unique_ptr<Resident<typename C::Scalar>> make_resident_of(Instance instance) {
  return make_resident<typename C::Scalar>(case_name<C>(), instance);
}

}  // namespace tessera::test
