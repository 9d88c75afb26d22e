// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <app/base/text.hpp>
#include <app/report/picture.hpp>

namespace tessera::app {
namespace {

// Of a chart, in pixels.
constexpr double width = 420;
constexpr double height = 340;
constexpr double left = 64;
constexpr double right = 16;
constexpr double top = 34;
constexpr double bottom = 48;

constexpr char const* colours[]{"#1f5fa8", "#b5492a", "#3b7d3a", "#6b4a9e"};

std::string escaped(std::string_view text) {
  std::string result;
  for (char const c : without_controls(text)) {
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return result;
}

struct Axis {
  double least;
  double most;
  double begin;  ///< pixel of `least`
  double end;
  bool is_logarithmic = false;
  std::vector<double> ticks{};

  [[nodiscard]] double place(double value) const {
    double const at = is_logarithmic ? std::log10(value) : value;
    return begin + (end - begin) * ((at - least) / (most - least));
  }
};

/// The smallest of 1, 2 and 5 times a power of ten that is at least `size`.
double rounded_up(double size) {
  double const unit = std::pow(10.0, std::floor(std::log10(size)));
  for (double const factor : {1.0, 2.0, 5.0}) {
    if (factor * unit >= size) return factor * unit;
  }
  return 10 * unit;
}

/// With ticks at round numbers.
Axis axis_of(std::vector<double> const& values, double begin, double end, bool is_logarithmic,
             bool from_zero) {
  constexpr double most_ticks = 6;
  double least = 0;
  double most = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double const value = is_logarithmic ? std::log10(values[i]) : values[i];
    least = i == 0 && !from_zero ? value : std::min(least, value);
    most = i == 0 && !from_zero ? value : std::max(most, value);
  }
  if (is_logarithmic) {
    least = std::floor(least);
    most = std::max(std::ceil(most), least + 1);
  }
  if (!(most > least)) {
    double const more = least == 0 ? 1 : std::fabs(least) / 2;
    least = from_zero && least >= 0 ? least : least - more;
    most += more;
  }
  Axis axis{.least = least, .most = most, .begin = begin, .end = end};
  axis.is_logarithmic = is_logarithmic;
  double step = rounded_up((most - least) / most_ticks);
  if (is_logarithmic) step = std::max(step, 1.0);
  for (double k = std::ceil(least / step - 1e-9); k * step <= most + 1e-9 * step; ++k) {
    double const at = k == 0 ? 0 : k * step;  // not -0
    axis.ticks.push_back(is_logarithmic ? std::pow(10.0, at) : at);
  }
  return axis;
}

std::string number(double pixels) {
  return fixed(pixels, 1);
}

std::string line_of(double x1, double y1, double x2, double y2, std::string const& style) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
         "\" y2=\"" + number(y2) + "\" " + style + "/>\n";
}
std::string text_of(double x, double y, std::string const& style, std::string_view text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + style + ">" + escaped(text) +
         "</text>\n";
}

struct Point {
  double x;
  double y;
};

std::vector<Point> points_of(Series const& series, bool is_logarithmic) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    Point const point{series.x[i], series.y[i]};
    bool const is_drawn =
        std::isfinite(point.x) && std::isfinite(point.y) && (!is_logarithmic || point.y > 0);
    if (is_drawn) points.push_back(point);
  }
  return points;
}

std::string marks_of(Series const& series, std::vector<Point> const& points, Axis const& x,
                     Axis const& y, std::string const& colour) {
  std::string svg;
  if (series.mark == Series::Mark::bars) {
    double const half = 0.4 * std::fabs(x.place(1) - x.place(0));
    double const foot = y.is_logarithmic ? y.begin : y.place(0);
    for (Point const& p : points) {
      double const head = y.place(p.y);
      svg += "<rect x=\"" + number(x.place(p.x) - half) + "\" y=\"" + number(std::min(head, foot)) +
             "\" width=\"" + number(2 * half) + "\" height=\"" + number(std::fabs(foot - head)) +
             "\" fill=\"" + colour + "\" fill-opacity=\"0.6\"/>\n";
    }
    return svg;
  }
  bool const is_line = series.mark != Series::Mark::dots;
  if (is_line) {
    svg += "<polyline fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.5\"" +
           (series.mark == Series::Mark::dashes ? " stroke-dasharray=\"5 4\"" : "") + " points=\"";
    for (Point const& p : points) svg += number(x.place(p.x)) + "," + number(y.place(p.y)) + " ";
    svg += "\"/>\n";
  }
  // Points of a long line would hide it.
  constexpr std::size_t most_marked = 40;
  if (series.mark == Series::Mark::dashes || (is_line && points.size() > most_marked)) return svg;
  for (Point const& p : points) {
    svg += "<circle cx=\"" + number(x.place(p.x)) + "\" cy=\"" + number(y.place(p.y)) +
           "\" r=\"2\" fill=\"" + colour + "\"/>\n";
  }
  return svg;
}

std::string frame_of(Chart const& chart, Axis const& x, Axis const& y) {
  std::string svg;
  std::string const thin = "stroke=\"#d5d5d5\"";
  for (double const tick : x.ticks) {
    svg += line_of(x.place(tick), top, x.place(tick), height - bottom, thin);
    svg += text_of(x.place(tick), height - bottom + 16, "text-anchor=\"middle\"", general(tick, 6));
  }
  for (double const tick : y.ticks) {
    svg += line_of(left, y.place(tick), width - right, y.place(tick), thin);
    svg += text_of(left - 6, y.place(tick) + 4, "text-anchor=\"end\"", general(tick, 6));
  }
  std::string const middle = number((top + height - bottom) / 2);
  svg += text_of((left + width - right) / 2, height - 12, "text-anchor=\"middle\"", chart.across);
  svg += "<text transform=\"rotate(-90 14 " + middle + ")\" x=\"14\" y=\"" + middle +
         "\" text-anchor=\"middle\">" + escaped(chart.up) + "</text>\n";
  return svg;
}

std::string drawing_of(Chart const& chart) {
  std::string svg = text_of((left + width - right) / 2, 20,
                            "text-anchor=\"middle\" font-size=\"13\"", chart.title);
  std::vector<double> across;
  std::vector<double> up;
  std::vector<std::vector<Point>> drawn;
  bool has_bars = false;
  for (Series const& series : chart.series) {
    drawn.push_back(points_of(series, chart.is_logarithmic));
    bool const is_bars = series.mark == Series::Mark::bars;
    has_bars = has_bars || is_bars;
    for (Point const& p : drawn.back()) {
      across.insert(across.end(), {is_bars ? p.x - 0.5 : p.x, is_bars ? p.x + 0.5 : p.x});
      up.push_back(p.y);
    }
  }
  std::string const box = "<rect x=\"" + number(left) + "\" y=\"" + number(top) + "\" width=\"" +
                          number(width - left - right) + "\" height=\"" +
                          number(height - top - bottom) + "\" fill=\"none\" stroke=\"#444\"/>\n";
  if (up.empty()) {
    return svg + box +
           text_of((left + width - right) / 2, height / 2, "text-anchor=\"middle\"",
                   "no values to draw");
  }
  Axis const x = axis_of(across, left, width - right, false, false);
  Axis const y = axis_of(up, height - bottom, top, chart.is_logarithmic, has_bars);
  svg += frame_of(chart, x, y) + box;
  double legend = top + 16;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    std::string const colour = colours[i % std::size(colours)];
    svg += marks_of(chart.series[i], drawn[i], x, y, colour);
    if (chart.series[i].name.empty()) continue;
    // Sums over bars rise to the right.
    svg += text_of(
        has_bars ? left + 8 : width - right - 8, legend,
        std::string("text-anchor=\"") + (has_bars ? "start" : "end") + "\" fill=\"" + colour + "\"",
        chart.series[i].name);
    legend += 16;
  }
  return svg;
}

}  // namespace

std::string svg_of(std::string const& title, std::vector<Chart> const& charts) {
  std::string const whole = number(width * static_cast<double>(charts.size()));
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + whole + "\" height=\"" +
                    number(height) + "\" viewBox=\"0 0 " + whole + " " + number(height) +
                    "\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#222\">\n<title>" +
                    escaped(title) +
                    "</title>\n<rect width=\"100%\" height=\"100%\" "
                    "fill=\"#fff\"/>\n";
  for (std::size_t i = 0; i < charts.size(); ++i) {
    svg += "<g transform=\"translate(" + number(width * static_cast<double>(i)) + " 0)\">\n" +
           drawing_of(charts[i]) + "</g>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace tessera::app
