// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

/// Notices: sentences about a run that are no errors, such as that the vector defaults to ones.
/// They are printed on stderr and included in reports for programs. If such a report itself goes to
/// stderr, only the report contains them, so that a program can parse it.
namespace tessera::app {

/// Adds a notice. It is printed when notices are released. Any thread may call it.
void notice(std::string const& sentence);

/// Prints the notices that were neither printed nor reported. Later ones are printed at once.
void release_notices();

/// All notices of the run, for a report. Notices not printed yet are no longer printed.
[[nodiscard]] std::vector<std::string> report_notices();

}  // namespace tessera::app
