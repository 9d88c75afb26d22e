// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include <io/errors.hpp>

namespace tessera::io::test {

/// The message begins with `path`, and has what was expected and found, and all `parts`.
void expect_error(ErrorKind kind, std::string const& path,
                  std::initializer_list<std::string_view> parts,
                  std::function<void()> const& action);

void expect_bad_matrix(std::string const& path, std::initializer_list<std::string_view> parts);

}  // namespace tessera::io::test
