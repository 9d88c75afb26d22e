// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <variant>

#include <openssl/evp.h>

#include <app/base/failure.hpp>
#include <app/base/sha256.hpp>

namespace tessera::app {
namespace {

void require(bool done) {
  if (!done) throw Failure(ExitStatus::resources, "OpenSSL cannot compute SHA-256 on this machine");
}

EVP_MD_CTX* of(void* context) {
  return static_cast<EVP_MD_CTX*>(context);
}

}  // namespace

void Sha256::Free::operator()(void* context) const {
  EVP_MD_CTX_free(of(context));
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ != nullptr && EVP_DigestInit_ex(of(context_.get()), EVP_sha256(), nullptr) == 1);
}

void Sha256::add(std::span<std::byte const> bytes) {
  require(EVP_DigestUpdate(of(context_.get()), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::text() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  require(EVP_DigestFinal_ex(of(context_.get()), digest.data(), &length) == 1);
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text.push_back(digits[digest[i] >> 4]);
    text.push_back(digits[digest[i] & 15]);
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
