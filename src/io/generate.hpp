// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <io/errors.hpp>
#include <io/matrix_info.hpp>

namespace tessera::io {

/// Every value comes from (seed, index) by integers and single correctly rounded operations: a seed
/// gives the same bytes on every machine.
enum class Distribution {
  ex3,      ///< 1 in 9 is 1, else (0..1023)/10000; 1 in 3 negated; 1 in 16 times 0 (also -0.0)
  uniform,  ///< [-1, 1), multiples of 2^-23 (f32) or 2^-52 (f64)
  normal,   ///< sum of twelve uniform numbers (Irwin-Hall), variance 1, |x| <= 6
  integer,  ///< -4 … 4, equally likely: sums and products stay exact
};

enum class Sequence : std::uint64_t { matrix = 0, vector = 1 };

/// Element (i, j) has number i * cols + j in either layout.
void generate_values(Distribution distribution, std::uint64_t seed, Sequence sequence,
                     std::uint64_t first, std::span<float> to);
void generate_values(Distribution distribution, std::uint64_t seed, Sequence sequence,
                     std::uint64_t first, std::span<double> to);

struct GenerateRequest {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  ScalarType type = ScalarType::f32;
  Layout layout = Layout::right;
  Distribution distribution = Distribution::uniform;
  std::uint64_t seed = 0;
  std::string output = {};  ///< .ex3 and no extension: A and V in one file (f32, right)
  std::optional<Format> format = std::nullopt;
  std::string vector_output = {};  ///< of V; may be another dataset of the HDF5 file of A
  bool add_dataset = false;
};

void generate(GenerateRequest const& request, Progress const& progress = {});

}  // namespace tessera::io
