// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <app/base/sha256.hpp>

#include "support/sha256.hpp"

/// SHA-256 of the program, next to OpenSSL's.
namespace tessera::app {
namespace {

std::vector<std::byte> bytes(std::size_t count) {
  std::vector<std::byte> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::byte>(i * 7 + i / 251);
  return values;
}

std::string in_pieces(std::span<std::byte const> all, std::size_t piece, Sha256::Code code) {
  Sha256 sum(code);
  for (; !all.empty(); all = all.subspan(std::min(piece, all.size()))) sum.add(all.first(std::min(piece, all.size())));
  return sum.text();
}

class Sha256Test : public testing::TestWithParam<Sha256::Code> {};

TEST_P(Sha256Test, IsThatOfTheStandard) {
  constexpr char message[] = "abc";
  EXPECT_EQ(in_pieces(std::as_bytes(std::span(message).first(3)), 3, GetParam()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_P(Sha256Test, IsOpenSslsForEveryLengthOfTheLastBlock) {
  for (std::size_t count = 0; count <= 200; ++count) {
    auto const all = bytes(count);
    EXPECT_EQ(in_pieces(all, 1000, GetParam()), test::sha256(all)) << count << " bytes";
  }
}

TEST_P(Sha256Test, DoesNotDependOnThePieces) {
  auto const all = bytes(1000);
  for (std::size_t const piece : std::initializer_list<std::size_t>{1, 3, 63, 64, 65, 128, 999}) {
    EXPECT_EQ(in_pieces(all, piece, GetParam()), test::sha256(all)) << "pieces of " << piece;
  }
}

INSTANTIATE_TEST_SUITE_P(Codes, Sha256Test, testing::Values(Sha256::Code::fastest, Sha256::Code::portable));

}  // namespace
}  // namespace tessera::app
