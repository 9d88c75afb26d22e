// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

/// Pictures of results for --plot.
namespace tessera::app {

/// Points of a chart. Points with an infinity or a NaN are left out.
struct Series {
  enum class Mark { line, dashes, bars, dots };
  std::string name;  ///< in the legend; empty: none
  Mark mark = Mark::line;
  std::vector<double> x{};
  std::vector<double> y{};
};

struct Chart {
  std::string title;
  std::string across;           ///< what x is
  std::string up;               ///< what y is
  bool is_logarithmic = false;  ///< in y; points with y of at most 0 are left out
  std::vector<Series> series{};
};

/// An SVG document with charts next to each other. It needs no other files, and the same charts
/// give the same bytes.
/// @param title for screen readers
[[nodiscard]] std::string svg_of(std::string const& title, std::vector<Chart> const& charts);

}  // namespace tessera::app
