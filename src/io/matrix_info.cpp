// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <io/matrix_info.hpp>

namespace tessera::io {

std::string_view to_string(ScalarType type) {
  return type == ScalarType::f32 ? "f32" : "f64";
}

std::string_view to_string(Layout layout) {
  return layout == Layout::right ? "right" : "left";
}

std::string_view to_string(Format format) {
  switch (format) {
    case Format::ex3:
      return "ex3";
    case Format::npy:
      return "npy";
    case Format::raw:
      return "raw";
    case Format::hdf5:
      return "hdf5";
  }
  return "";
}

}  // namespace tessera::io
