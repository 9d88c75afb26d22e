// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <variant>

#include <openssl/evp.h>

#include <app/failure.hpp>
#include <app/sha256.hpp>

namespace tessera::app {

// types.hpp refuses big-endian machines, so the bytes in memory are the little-endian ones.
std::string sha256(io::ElementSpan elements) {
  return sha256(std::visit([](auto span) { return std::as_bytes(span); }, elements));
}

std::string sha256(std::span<std::byte const> bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw Failure(ExitStatus::resources, "OpenSSL cannot compute SHA-256 on this machine");
  }
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text.push_back(digits[digest[i] >> 4]);
    text.push_back(digits[digest[i] & 15]);
  }
  return text;
}

}  // namespace tessera::app
