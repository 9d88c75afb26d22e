// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bench/contender.hpp>
#include <bench/operation.hpp>
#include <bench/shapes.hpp>
#include <string>
#include <vector>

#include <app/backend/backends.hpp>
#include <app/base/failure.hpp>
#include <io/types.hpp>

/// What `bench` and `tune` share: the command line's words as src/bench knows them.
namespace tessera::app {

/// The backend that is measured; `automatic` is the GPU where there is one, else the best host.
/// @param options of `bench` or `tune`
/// @throws Failure resources when it is not in this build, usage for options that it does not heed
template <class Measured>
[[nodiscard]] BackendFacts measured_backend(Measured const& options) {
  require_backend(options.backend);
  require_device_in_use(options.device, options.backend);
  for (auto const& backend : enabled_backends()) {
    if (options.backend == BackendChoice::automatic || backend.choice == options.backend) {
      require_threads(options.threads, backend);
      return backend;
    }
  }
  throw Failure(ExitStatus::resources, "this program has no backend");
}

[[nodiscard]] inline bench::Layout layout_of(io::Layout layout) {
  return layout == io::Layout::right ? bench::Layout::row_major : bench::Layout::column_major;
}

/// Transposes are measured row-major: a column-major one is the row-major one of the other shape.
/// @throws Failure usage
inline void require_layout(std::string const& operation, io::Layout layout) {
  if (operation == "transpose" && layout == io::Layout::left) {
    throw Failure(
        ExitStatus::usage,
        "--layout: a transpose is measured row-major; that of a column-major MxN matrix is "
        "the same work as that of a row-major NxM one");
  }
}

/// The shapes of an option; empty text: what is measured unless one is told.
/// @throws Failure usage
[[nodiscard]] inline std::vector<bench::Shape> parse_shapes(std::string const& option,
                                                            std::string const& text,
                                                            std::string const& operation) {
  auto const kind = bench::operation_named(operation).shapes;
  try {
    return bench::parse_shapes(!text.empty()                      ? text
                               : kind == bench::ShapeKind::matrix ? "4096x4096"
                                                                  : "1024",
                               kind);
  } catch (std::invalid_argument const& error) {
    throw Failure(ExitStatus::usage, option + ": " + error.what());
  }
}

}  // namespace tessera::app
