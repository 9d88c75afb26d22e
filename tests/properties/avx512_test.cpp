// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include <tessera/backends/host/avx512.hpp>

namespace tessera::test {
namespace {

namespace avx512 = backends::host::avx512;

std::vector<std::string> flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
  }
  return {};
}

TEST(Avx512, IsUsedWhereTheProcessorHasItUnlessItIsSwitchedOff) {
  if (!avx512::compiled) GTEST_SKIP() << "THE LOOPS FOR AVX-512 ARE NOT COMPILED, AND NOT TESTED";
  auto const known = flags();
  ASSERT_THAT(known, testing::Not(testing::IsEmpty())) << "/proc/cpuinfo has no flags";
  bool const has_it =
      std::ranges::count(known, "avx512f") > 0 && std::ranges::count(known, "avx512dq") > 0;
  EXPECT_EQ(avx512::supported(), has_it);

  char const* const choice = std::getenv("TESSERA_AVX512");
  bool const is_off = choice != nullptr && std::string_view(choice) == "off";
  EXPECT_EQ(avx512::available(), has_it && !is_off);
  if (!has_it) GTEST_SKIP() << "THIS PROCESSOR HAS NO AVX-512: ITS LOOPS ARE NOT TESTED";
}

}  // namespace
}  // namespace tessera::test
