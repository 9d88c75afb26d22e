// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/digests.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

namespace {

using namespace tessera::test;

TEST(CommittedDigests, AreThoseOfTheReference) {
  for (Digest const& digest : read_digests(TESSERA_TEST_DATA_DIR "/digests.txt")) {
    EXPECT_EQ(reference_sha256(digest), digest.sha256) << digest;
  }
}

class DigestFile : public testing::Test {
 protected:
  std::filesystem::path const file_ = std::filesystem::path(testing::TempDir()) / "digests.txt";

  void write(std::string const& text) const { std::ofstream(file_) << text; }
  void TearDown() override { std::filesystem::remove(file_); }
};

TEST_F(DigestFile, ThatIsMissingEmptyOrDamagedIsAnError) {
  EXPECT_THROW(read_digests(file_), std::runtime_error);
  write("# only a comment\n");
  EXPECT_THROW(read_digests(file_), std::runtime_error);
  write("multiply f32 row-major 7 129 1 abc\n");
  EXPECT_THROW(read_digests(file_), std::runtime_error);
}

TEST(ReferenceSha256, RefusesUnknownWords) {
  EXPECT_THROW(reference_sha256({"gemm", "f32", "row-major", {1, 1}, 1, ""}), std::runtime_error);
  EXPECT_THROW(reference_sha256({"atax", "f16", "row-major", {1, 1}, 1, ""}), std::runtime_error);
  EXPECT_THROW(reference_sha256({"atax", "f32", "diagonal", {1, 1}, 1, ""}), std::runtime_error);
}

}  // namespace
