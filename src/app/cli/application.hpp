// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace tessera::app {

/// The whole program: parses, runs one subcommand, reports errors on stderr.
/// @return the exit status of the process
int run_application(int argc, char const* const* argv);

}  // namespace tessera::app
