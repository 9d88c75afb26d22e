// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <type_traits>

#include <app/run/overflow.hpp>
#include <io/matrix_info.hpp>

namespace tessera::app {
namespace {

std::uint64_t size_of(io::ElementSpan elements) {
  return std::visit([](auto span) { return static_cast<std::uint64_t>(span.size()); }, elements);
}

std::string type_of(io::ElementSpan elements) {
  return std::visit(
      []<class T>(std::span<T const>) { return std::string(io::to_string(io::scalar_type<T>)); },
      elements);
}

}  // namespace

std::uint64_t count_not_finite(io::ElementSpan elements) {
  return std::visit(
      [](auto span) {
        return static_cast<std::uint64_t>(
            std::ranges::count_if(span, [](auto value) { return !std::isfinite(value); }));
      },
      elements);
}

std::string overflow_warning(io::ElementSpan result, Operands const& operands) {
  auto const bad = count_not_finite(result);
  if (bad == 0) return {};
  std::string const type = type_of(result);
  std::string const start = std::to_string(bad) + " of " + std::to_string(size_of(result)) +
                            " elements of the result are infinite or NaN";
  bool const all_finite = std::ranges::all_of(
      operands.all, [](auto const& each) { return count_not_finite(each) == 0; });
  if (all_finite && operands.is_complete) {
    return start + ", though all of " + operands.names + " are finite: sums overflow " + type +
           (type == "f32" ? "; --type f64 has a wider range" : "");
  }
  if (operands.is_narrowed) {
    return start + ": there are such elements in " + operands.names + ", or they overflow " + type +
           "; --type f64 has a wider range";
  }
  if (all_finite) {
    return start + ": sums overflow " + type + ", or there are such elements in " + operands.names;
  }
  return {};
}

void warn_of_overflow(io::ElementSpan result, Operands const& operands) {
  std::string const warning = overflow_warning(result, operands);
  if (!warning.empty()) std::fprintf(stderr, "tessera: %s\n", warning.c_str());
}

}  // namespace tessera::app
