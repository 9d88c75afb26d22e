// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <CLI/CLI.hpp>

#include <app/run/options.hpp>

namespace tessera::app {

/// Add the commands that measure.
CLI::App* add_bench(CLI::App& app, BenchOptions& options);
/// @copydoc add_bench
CLI::App* add_tune(CLI::App& app, TuneOptions& options);

}  // namespace tessera::app
