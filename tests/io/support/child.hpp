// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <utility>

namespace tessera::io::test {

/// Runs `action` in a forked process, which may change its user, limits or mounts without harm, and
/// returns the text that it returns (or, for an exception, "exception: …"; "died" if it died).
[[nodiscard]] std::string in_child(std::function<std::string()> const& action);

/// In a child: signals end it, whatever the test's parent has made of them, and so does the end of
/// the test.
void end_with_parent();

/// In a child: keeps `value` as long as it lives. Kokkos waits for all devices before it frees a
/// View, and a forked process has lost its GPU.
template <class T>
T const& kept(T value) {
  return *new T(std::move(value));
}

/// In a child: mounts a tmpfs of `bytes` on `folder`, seen by this process alone. Returns an empty
/// text, or why it could not.
[[nodiscard]] std::string mount_small_disk(std::string const& folder, unsigned bytes);

/// In a child: gives up root. Returns an empty text, or why it could not.
[[nodiscard]] std::string become_nobody();

}  // namespace tessera::io::test
