// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/sha256.hpp"

#include <array>
#include <stdexcept>

#include <openssl/evp.h>

namespace tessera::test {

std::string sha256(std::span<std::byte const> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("sha256: EVP_Digest failed");
  }
  constexpr char const* hexadecimal = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += hexadecimal[digest[i] >> 4];
    text += hexadecimal[digest[i] & 15];
  }
  return text;
}

}  // namespace tessera::test
