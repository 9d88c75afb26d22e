// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/digests.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>

namespace {

using namespace tessera::test;

TEST(CommittedDigests, AreThoseOfTheReference) {
  for (std::string const file : {"/digests.txt", "/map_digests.txt"}) {
    for (Digest const& digest : read_digests(TESSERA_TEST_DATA_DIR + file)) {
      EXPECT_EQ(reference_sha256(digest), digest.sha256) << digest;
    }
  }
}

class DigestFile : public testing::Test {
 protected:
  std::filesystem::path const file_ = std::filesystem::path(testing::TempDir()) /
                                      ("digests_" + std::to_string(::getpid()) + ".txt");

  void write(std::string const& text) const { std::ofstream(file_) << text; }
  void TearDown() override { std::filesystem::remove(file_); }
};

TEST_F(DigestFile, ThatIsMissingEmptyOrDamagedIsAnError) {
  auto const fails = [&](std::string const& what) {
    EXPECT_THAT([&] { read_digests(file_); },
                testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr(what)));
  };
  fails("cannot read " + file_.string());
  write("# only a comment\n");
  fails(file_.string() + ": no digests");
  write("multiply f32 row-major 7 129 1 abc\n");
  fails(file_.string() + ": damaged line: multiply f32 row-major 7 129 1 abc");
}

TEST(ReferenceSha256, RefusesUnknownWords) {
  auto const refuses = [](Digest const& digest, std::string const& what, std::string const& word) {
    EXPECT_THAT([&] { reference_sha256(digest); },
                testing::ThrowsMessage<std::runtime_error>(
                    testing::AllOf(testing::HasSubstr(what), testing::HasSubstr(word))));
  };
  refuses({"gemm", "f32", "row-major", {1, 1}, 1, ""}, "map", "gemm");
  refuses({"atax", "f16", "row-major", {1, 1}, 1, ""}, "type", "f16");
  refuses({"atax", "f32", "diagonal", {1, 1}, 1, ""}, "order", "diagonal");
}

}  // namespace
