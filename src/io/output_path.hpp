// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

namespace tessera::io {

/// Follows symbolic links of the last part, also to a target that does not exist.
/// @throws FileError if the links form a cycle
[[nodiscard]] std::string follow_links(std::string const& path);

/// "." if the path has none.
[[nodiscard]] std::string folder_of(std::string const& path);

/// Datasets of one HDF5 file; the files need not exist.
[[nodiscard]] bool in_same_file(std::string const& a, std::string const& b);

[[nodiscard]] std::string temporary_name(std::string const& target);

/// N of /dev/fd/N and /proc/self/fd/N; 0, 1, 2 of /dev/stdin, /dev/stdout, /dev/stderr.
[[nodiscard]] std::optional<int> descriptor_named_by(std::string const& path);

}  // namespace tessera::io
