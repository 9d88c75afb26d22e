// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include <app/report/report.hpp>
#include <app/run/run.hpp>

namespace tessera::app {

/// In 10^9 per second of the median run.
inline double rate_of(Measurement const& run, double work) {
  return run.seconds.median > 0 ? work / run.seconds.median * 1e-9 : 0;
}

[[nodiscard]] std::string to_csv(Report const& r);
[[nodiscard]] std::string to_csv(CheckReport const& r);
[[nodiscard]] std::string to_json(Report const& r);
[[nodiscard]] std::string to_json(CheckReport const& r);
[[nodiscard]] std::string to_json(MatrixReport const& r);

}  // namespace tessera::app
