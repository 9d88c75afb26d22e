// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tessera::detail {

/// FNV-1a of 64 bits over words, not cryptographic. Ranks compare it instead of data.
class Digest {
 public:
  template <class... Numbers>
    requires(std::is_arithmetic_v<Numbers> && ...)
  Digest& add(Numbers... numbers) {
    (add_word(std::bit_cast<std::uint64_t>(static_cast<double>(numbers))), ...);
    return *this;
  }
  template <class T>
  Digest& add(std::vector<T> const& values) {
    using Word = std::conditional_t<sizeof(T) == sizeof(float), std::uint32_t, std::uint64_t>;
    add(values.size());
    for (T const value : values) add_word(std::bit_cast<Word>(value));
    return *this;
  }
  Digest& add(std::string_view text) {
    for (char const c : text) add(c);
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void add_word(std::uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3U; }

  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace tessera::detail
