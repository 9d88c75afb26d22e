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

/// Distribution of generated values. Every value is computed from (seed, index) with integers and
/// single correctly rounded operations, so a seed gives the same bytes on every machine.
enum class Distribution {
  ex3,  ///< 1 in 9 is 1, the others (0..1023)/10000; 1 in 3 negated; 1 in 16 times 0 (also -0.0)
  uniform,  ///< [-1, 1), multiples of 2^-23 (f32) or 2^-52 (f64)
  normal,   ///< mean 0, variance 1: the sum of twelve uniform numbers (Irwin-Hall), so |x| <= 6
  integer,  ///< -4 … 4, all equally likely: sums and products stay exact
};

/// Which of the independent sequences of one seed.
enum class Sequence : std::uint64_t { matrix = 0, vector = 1 };

/// Writes values number first, first + 1, … of a sequence to `to`. Element (i, j) of a generated
/// matrix is number i * cols + j, whatever the layout of the file.
void generate_values(Distribution distribution, std::uint64_t seed, Sequence sequence,
                     std::uint64_t first, std::span<float> to);
/// @copydoc generate_values
void generate_values(Distribution distribution, std::uint64_t seed, Sequence sequence,
                     std::uint64_t first, std::span<double> to);

/// The output of generate().
struct GenerateRequest {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  ScalarType type = ScalarType::f32;
  Layout layout = Layout::right;  ///< left: .npy in Fortran order
  Distribution distribution = Distribution::uniform;
  std::uint64_t seed = 0;
  std::string output = {};  ///< .npy: A; .ex3 or no extension: A and V in one (f32, right)
  std::optional<Format> format = std::nullopt;  ///< of the output; empty: by its extension
  std::string vector_output = {};  ///< .npy or .bin for V; empty: none. It may be another dataset
                                   ///< of the HDF5 file of A.
  bool add_dataset = false;        ///< to an existing HDF5 file; without it such a file is refused
};

/// Generates A and V (cols entries) into files, block by block, with a few MiB of memory.
/// @throws FileError bad_output, also for a request that the format cannot hold
void generate(GenerateRequest const& request, Progress const& progress = {});

}  // namespace tessera::io
