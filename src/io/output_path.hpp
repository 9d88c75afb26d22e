// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

namespace tessera::io {

/// `path` with the symbolic links of its last part followed, even if their target does not exist
/// yet.
/// @throws FileError bad_output if the links form a cycle
[[nodiscard]] std::string follow_links(std::string const& path);

/// The folder of a path; "." if the path has no folder.
[[nodiscard]] std::string folder_of(std::string const& path);

/// Whether two paths name datasets of one HDF5 file, which need not exist yet.
[[nodiscard]] bool in_same_file(std::string const& a, std::string const& b);

/// A new name in the folder of `target`: ".NAME.tessera-XXXXXXXX" with random digits.
[[nodiscard]] std::string temporary_name(std::string const& target);

/// N for /dev/fd/N and /proc/self/fd/N; 0, 1 and 2 for /dev/stdin, /dev/stdout and /dev/stderr;
/// otherwise empty.
[[nodiscard]] std::optional<int> descriptor_named_by(std::string const& path);

}  // namespace tessera::io
