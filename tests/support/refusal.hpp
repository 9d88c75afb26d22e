// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

namespace tessera::test {

/// Matches calls that throw std::invalid_argument with this text.
inline auto refuses(std::string const& what) {
  return testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr(what));
}
inline auto refuses(std::string const& operation, std::string const& what) {
  return testing::ThrowsMessage<std::invalid_argument>(testing::AllOf(
      testing::StartsWith("tessera::" + operation + ": "), testing::HasSubstr(what)));
}

template <class Call>
void expect_refused(Call const& call, std::string const& what) {
  EXPECT_THAT(call, refuses(what));
}

}  // namespace tessera::test
