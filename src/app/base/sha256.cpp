// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstddef>
#include <span>
#include <variant>

// The functions of OpenSSL 3 instead of these would link all its algorithms into a wheel.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <app/base/sha256.hpp>

namespace tessera::app {
namespace {

SHA256_CTX* of(void* context) {
  return static_cast<SHA256_CTX*>(context);
}

}  // namespace

void Sha256::Free::operator()(void* context) const {
  delete of(context);
}

Sha256::Sha256() : context_(new SHA256_CTX) {
  SHA256_Init(of(context_.get()));
}

void Sha256::add(std::span<std::byte const> bytes) {
  SHA256_Update(of(context_.get()), bytes.data(), bytes.size());
}

std::string Sha256::text() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), of(context_.get()));
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char const byte : digest) {
    text.push_back(digits[byte >> 4]);
    text.push_back(digits[byte & 15]);
  }
  return text;
}

// types.hpp refuses big-endian machines.
std::string sha256(io::ElementSpan elements) {
  return sha256(std::visit([](auto span) { return std::as_bytes(span); }, elements));
}

std::string sha256(std::span<std::byte const> bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.text();
}

}  // namespace tessera::app
