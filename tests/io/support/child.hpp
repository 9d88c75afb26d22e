// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <utility>

namespace tessera::io::test {

/// Runs `action` in a forked process, which may change its user, limits or mounts safely. Returns
/// its text; for an exception "exception: …"; "died" if it died.
[[nodiscard]] std::string in_child(std::function<std::string()> const& action);

/// In a child: restores default signal handling, and ends the child when the test ends.
void end_with_parent();

/// In a child: keeps `value` until the process ends. Kokkos waits for all devices before it frees a
/// View, but a forked process has lost its GPU.
template <class T>
T const& kept(T value) {
  return *new T(std::move(value));
}

/// In a child: mounts a tmpfs of `bytes` on `folder`, visible to this process only. Returns an
/// empty text, or the reason of the failure.
[[nodiscard]] std::string mount_small_disk(std::string const& folder, unsigned bytes);

/// In a child: gives up root. Returns an empty text, or the reason of the failure.
[[nodiscard]] std::string become_nobody();

}  // namespace tessera::io::test
