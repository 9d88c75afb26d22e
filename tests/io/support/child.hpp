// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <utility>

namespace tessera::io::test {

/// Runs `action` in a fork. Returns its text, "exception: …" or "died".
[[nodiscard]] std::string in_child(std::function<std::string()> const& action);

/// In a child: restores signal handling, and ends with the test.
void end_with_parent();

/// In a child: never freed, because a View waits for devices and a fork has lost its GPU.
template <class T>
T const& kept(T value) {
  return *new T(std::move(value));
}

/// In a child: mounts a tmpfs. Returns why it failed.
[[nodiscard]] std::string mount_small_disk(std::string const& folder, unsigned bytes);

/// In a child. Returns why it failed.
[[nodiscard]] std::string become_nobody();

}  // namespace tessera::io::test
