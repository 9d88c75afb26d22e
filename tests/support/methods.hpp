// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <tessera/options.hpp>

namespace tessera::test {

inline constexpr std::array all_methods{Method::automatic, Method::fused, Method::two_stage};

constexpr std::string_view name_of(Method method) {
  switch (method) {
    case Method::automatic:
      return "automatic";
    case Method::fused:
      return "fused";
    case Method::two_stage:
      return "two stages";
  }
  return "unknown method";
}

}  // namespace tessera::test
