// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include <io/errors.hpp>

namespace tessera::io::test {

/// Expects that `action` throws a FileError of this kind about `path`. Its message must begin with
/// the path, state what was expected and what was found, and contain every one of `parts`.
void expect_error(ErrorKind kind, std::string const& path,
                  std::initializer_list<std::string_view> parts,
                  std::function<void()> const& action);

/// The same for bad input, with read_matrix(path) as the action.
void expect_bad_matrix(std::string const& path, std::initializer_list<std::string_view> parts);

}  // namespace tessera::io::test
