// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <check/terms.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include <app/run/options.hpp>
#include <io/matrix_info.hpp>
#include <io/types.hpp>
#include <tessera/maps.hpp>

namespace tessera::app {

using check::Terms;

/// The word of the command line for a map.
[[nodiscard]] std::string word_of(maps::Kind map);

/// Refuses combinations of options that mean nothing.
/// @throws Failure usage
void check_terms(TermOptions const& options);

/// Reads the vectors of the terms, of which A's file says the lengths.
/// @param type to compute in; a vector of another type is refused unless `convert`
/// @throws io::FileError, Failure usage for a number that the type does not hold
[[nodiscard]] Terms read_terms(TermOptions const& options, io::MatrixInfo const& info,
                               io::ScalarType type, bool convert, std::string const& path_a);

}  // namespace tessera::app
