// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace benchmarks {

/// Combines several runs of Google Benchmark into one report, instead of one report per run. Writes
/// text lines, and JSON in Google Benchmark's format.
class Report final : public ::benchmark::BenchmarkReporter {
 public:
  /// Writes JSON to the file `json`. "-" means standard output, and moves the text to standard
  /// error. Empty: no JSON. Throws std::runtime_error if the file cannot be created.
  explicit Report(std::string const& json);

  bool ReportContext(Context const& context) override;
  void ReportRuns(std::vector<Run> const& runs) override;
  void Finalize() override {}  // ends a run, not the report

  /// Ends the report. Throws std::runtime_error if writing failed.
  void close();

 private:
  std::string path_;
  std::ofstream file_;
  ::benchmark::ConsoleReporter lines_{::benchmark::ConsoleReporter::OO_Tabular};
  ::benchmark::JSONReporter json_;
  bool begun_ = false;
};

}  // namespace benchmarks
