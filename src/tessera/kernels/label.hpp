// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/summation.hpp>

/// Names in Kokkos' tools.
namespace tessera::detail {

using summation::Index;

/// Made once per operation: calls allocate no strings.
struct Label {
  std::string kernel;
  std::string pack;     ///< copies an input vector
  std::string combine;  ///< upper levels of a tree
  std::string clear;    ///< resets what teams leave behind
  std::string zero;     ///< sets empty sums to 0

  explicit Label(std::string name)
      : kernel(std::move(name)),
        pack(kernel + "::pack"),
        combine(kernel + "::combine"),
        clear(kernel + "::clear"),
        zero(kernel + "::zero") {}

  operator std::string const&() const { return kernel; }  // NOLINT(google-explicit-constructor)
};

struct AtaxLabels {
  Label fused;
  Label multiply;
  Label multiply_transposed;
  std::string pack;
  std::string unpack;
  std::string zero;
  std::string factors;

  explicit AtaxLabels(std::string const& operation)
      : fused(operation + "::fused"),
        multiply(operation + "::multiply"),
        multiply_transposed(operation + "::multiply_transposed"),
        pack(operation + "::pack"),
        unpack(operation + "::unpack"),
        zero(operation + "::zero"),
        factors(operation + "::factors") {}
};

/// Kokkos copies the name for each launch, so pass it only to a tool.
template <class Policy, class Kernel>
void launch(std::string const& label, Policy const& policy, Kernel const& kernel) {
  static std::string const none;
  Kokkos::parallel_for(Kokkos::Tools::profileLibraryLoaded() ? label : none, policy, kernel);
}

/// A region such as "tessera::multiply 1000 x 300", if a tool is loaded.
class Region {
 public:
  Region(char const* operation, Index rows, Index cols) {
    if (Kokkos::Tools::profileLibraryLoaded()) push(name(operation, rows, cols));
  }
  Region(char const* operation, Index rows, Index depth, Index cols) {
    if (Kokkos::Tools::profileLibraryLoaded()) {
      push(name(operation, rows, depth) + " x " + std::to_string(cols));
    }
  }
  Region(Region const&) = delete;
  Region& operator=(Region const&) = delete;
  ~Region() {
    if (is_open_) Kokkos::Tools::popRegion();
  }

 private:
  static std::string name(char const* operation, Index rows, Index cols) {
    return "tessera::" + std::string(operation) + " " + std::to_string(rows) + " x " +
           std::to_string(cols);
  }
  void push(std::string const& name) {
    Kokkos::Tools::pushRegion(name);
    is_open_ = true;
  }

  bool is_open_ = false;
};

template <class Matrix>
Region region_of(char const* operation, Matrix const& a) {
  return {operation, static_cast<Index>(a.extent(0)), static_cast<Index>(a.extent(1))};
}

}  // namespace tessera::detail
