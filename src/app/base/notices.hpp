// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

/// Sentences that are no errors, for stderr and reports for programs. A report on stderr contains
/// them instead, so that it can be parsed.
namespace tessera::app {

/// Printed when notices are released. Thread-safe.
void notice(std::string const& sentence);

/// Later notices are printed at once.
void release_notices();

/// Notices not printed yet are no longer printed.
[[nodiscard]] std::vector<std::string> report_notices();

}  // namespace tessera::app
