// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bench/shapes.hpp>
#include <cstddef>
#include <string>
#include <vector>

/// The words that the reports of `bench` and `tune` share.
namespace tessera::app {

/// The word of the command line for an operation of src/bench: "gemv" for "multiply".
[[nodiscard]] std::string command_of(std::string const& operation);

/// "4 rows x 5 columns", "4 x 5 times 5 x 6".
[[nodiscard]] std::string matrix_text(bench::Shape const& shape);

/// Lines with columns side by side; the first line is the head. The first column is for words, the
/// others are aligned at their right unless they are in `words`.
[[nodiscard]] std::string aligned(std::vector<std::vector<std::string>> const& lines,
                                  std::vector<std::size_t> const& words);

}  // namespace tessera::app
