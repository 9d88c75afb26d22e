// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace benchmarks {

/// Several runs of Google Benchmark in one report: text, and JSON in its format.
class Report final : public ::benchmark::BenchmarkReporter {
 public:
  /// JSON to the file `json`; "-": standard output, and text to standard error; empty: none.
  explicit Report(std::string const& json);

  bool ReportContext(Context const& context) override;
  void ReportRuns(std::vector<Run> const& runs) override;
  void Finalize() override {}  // of a run

  /// Both throw std::runtime_error if writing fails.
  void close();

 private:
  std::string path_;
  std::ofstream file_;
  ::benchmark::ConsoleReporter lines_{::benchmark::ConsoleReporter::OO_Tabular};
  ::benchmark::JSONReporter json_;
  bool begun_ = false;
};

}  // namespace benchmarks
