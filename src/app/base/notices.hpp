// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

/// Notices: sentences about a run that is no error, such as that a vector of ones was taken. They
/// go to stderr, and into reports for programs. Where such a report itself goes to stderr, it alone
/// has them, so that a program can read it.
namespace tessera::app {

/// Adds a notice. It is printed when notices are released. Any thread may call it.
void notice(std::string const& sentence);

/// Prints the notices that were neither printed nor reported, and from now on each at once.
void release_notices();

/// All notices of the run, for a report that has them: what was not printed need not be any more.
[[nodiscard]] std::vector<std::string> report_notices();

}  // namespace tessera::app
