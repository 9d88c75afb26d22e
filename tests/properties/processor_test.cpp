// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include <tessera/backends/host/processor.hpp>

namespace tessera::test {
namespace {

using backends::host::profile_name;

TEST(Processor, IsFoundByItsFamilyAndModel) {
  EXPECT_STREQ(profile_name(true, false, 0x19, 0x01), "zen3");
  EXPECT_STREQ(profile_name(true, false, 0x19, 0x21), "zen3");
  EXPECT_STREQ(profile_name(true, false, 0x19, 0x11), "zen4");
  EXPECT_STREQ(profile_name(true, false, 0x19, 0x61), "zen4");
  EXPECT_STREQ(profile_name(true, false, 0x19, 0xa0), "zen4");
  EXPECT_STREQ(profile_name(true, false, 0x1a, 0x02), "zen5");
  EXPECT_STREQ(profile_name(false, true, 6, 0x8f), "golden-cove");
  EXPECT_STREQ(profile_name(false, true, 6, 0xcf), "golden-cove");
  EXPECT_STREQ(profile_name(false, true, 6, 0x55), "generic");
  EXPECT_STREQ(profile_name(true, false, 0x17, 0x31), "generic");
  EXPECT_STREQ(profile_name(false, false, 0x19, 0x01), "generic");
}

std::string field(std::string const& name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + "\t")) return line.substr(line.find(": ") + 2);
  }
  return {};
}

TEST(Processor, IsTheOneThatTheSystemNames) {
  std::string const vendor = field("vendor_id");
  if (vendor.empty()) GTEST_SKIP() << "/proc/cpuinfo NAMES NO VENDOR: NOT COMPARED";
  EXPECT_STREQ(backends::host::profile().name,
               profile_name(vendor == "AuthenticAMD", vendor == "GenuineIntel",
                            std::stoi(field("cpu family")), std::stoi(field("model"))));
}

}  // namespace
}  // namespace tessera::test
