// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include <app/base/sha256.hpp>
#include <tessera/backends/host/sha256.hpp>

// FIPS 180-4, with its names. Written here because a cryptographic library would be a fifth of a
// Python wheel.
namespace tessera::app {
namespace {

std::uint32_t load_big_endian(std::byte const* from) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | std::to_integer<std::uint32_t>(from[i]);
  return word;
}

void compress_portably(std::array<std::uint32_t, 8>& H, std::byte const* block) {
  std::array<std::uint32_t, 64> W;
  for (std::size_t t = 0; t < 16; ++t) W[t] = load_big_endian(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    std::uint32_t const s0 = std::rotr(W[t - 15], 7) ^ std::rotr(W[t - 15], 18) ^ W[t - 15] >> 3;
    std::uint32_t const s1 = std::rotr(W[t - 2], 17) ^ std::rotr(W[t - 2], 19) ^ W[t - 2] >> 10;
    W[t] = s1 + W[t - 7] + s0 + W[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = H;
  for (std::size_t t = 0; t < 64; ++t) {
    std::uint32_t const sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    std::uint32_t const sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    std::uint32_t const first =
        h + sum1 + ((e & f) ^ (~e & g)) + backends::host::sha256_constants[t] + W[t];
    std::uint32_t const second = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  H[0] += a, H[1] += b, H[2] += c, H[3] += d;
  H[4] += e, H[5] += f, H[6] += g, H[7] += h;
}

}  // namespace

Sha256::Sha256(Code code)
    : compress_(code == Code::fastest ? backends::host::sha256_instructions() : nullptr) {
  if (compress_ == nullptr) compress_ = compress_portably;
}

void Sha256::add(std::span<std::byte const> bytes) {
  std::size_t used = static_cast<std::size_t>(length_ % block_.size());
  length_ += bytes.size();
  if (used > 0) {
    std::size_t const count = std::min(bytes.size(), block_.size() - used);
    std::ranges::copy(bytes.first(count), block_.begin() + static_cast<std::ptrdiff_t>(used));
    bytes = bytes.subspan(count);
    used += count;
    if (used < block_.size()) return;
    compress_(hash_, block_.data());
  }
  for (; bytes.size() >= block_.size(); bytes = bytes.subspan(block_.size()))
    compress_(hash_, bytes.data());
  std::ranges::copy(bytes, block_.begin());
}

std::string Sha256::text() {
  std::uint64_t const bits = 8 * length_;
  std::array<std::byte, 72> end{std::byte{0x80}};
  // A one, zeros up to the last 8 bytes of a block, and the number of bits.
  std::size_t const zeros = static_cast<std::size_t>((119 - length_ % 64) % 64);
  for (std::size_t i = 0; i < 8; ++i)
    end[1 + zeros + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  add(std::span(end).first(1 + zeros + 8));

  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::uint32_t const word : hash_) {
    for (int shift = 28; shift >= 0; shift -= 4) text.push_back(digits[word >> shift & 15]);
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
