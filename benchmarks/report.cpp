// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <iostream>
#include <stdexcept>

namespace benchmarks {

Report::Report(std::string const& json) : path_(json) {
  bool const to_standard_output = path_ == "-";
  if (!path_.empty() && !to_standard_output) {
    file_.open(path_);
    if (!file_) throw std::runtime_error(path_ + ": cannot be written");
  }
  lines_.SetOutputStream(to_standard_output ? &std::cerr : &std::cout);
  lines_.SetErrorStream(&std::cerr);
  json_.SetOutputStream(to_standard_output ? &std::cout : &file_);
  json_.SetErrorStream(&std::cerr);
}

bool Report::ReportContext(Context const& context) {
  if (begun_) return true;
  begun_ = true;
  return lines_.ReportContext(context) && (path_.empty() || json_.ReportContext(context));
}

void Report::ReportRuns(std::vector<Run> const& runs) {
  lines_.ReportRuns(runs);
  if (!path_.empty()) json_.ReportRuns(runs);
}

void Report::close() {
  if (path_.empty() || !begun_) return;
  json_.Finalize();
  std::ostream& out = json_.GetOutputStream();
  if (!out.flush()) throw std::runtime_error(path_ + ": could not be written");
}

}  // namespace benchmarks
