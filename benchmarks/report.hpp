// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace benchmarks {

/// One report over several runs of Google Benchmark, which would start a new one with each: lines
/// for people, and JSON as Google Benchmark writes it.
class Report final : public ::benchmark::BenchmarkReporter {
 public:
  /// JSON goes to the file `json`, to the standard output for "-" (then the lines for people go to
  /// the standard error), nowhere if empty. Throws std::runtime_error if the file cannot be made.
  explicit Report(std::string const& json);

  bool ReportContext(Context const& context) override;
  void ReportRuns(std::vector<Run> const& runs) override;
  void Finalize() override {}  // a run has ended, the report has not

  /// Ends the report. Throws std::runtime_error if it could not be written.
  void close();

 private:
  std::string path_;
  std::ofstream file_;
  ::benchmark::ConsoleReporter lines_{::benchmark::ConsoleReporter::OO_Tabular};
  ::benchmark::JSONReporter json_;
  bool begun_ = false;
};

}  // namespace benchmarks
