// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

/// Notices go to stderr and into reports for programs. If such a report is on stderr, only it has
/// them, so that it can be parsed.
namespace tessera::app {

/// Printed when notices are released. Thread-safe.
void notice(std::string const& sentence);

/// Later notices are printed at once.
void release_notices();

/// Notices not printed yet are no longer printed.
[[nodiscard]] std::vector<std::string> report_notices();

}  // namespace tessera::app
