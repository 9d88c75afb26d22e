// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cfloat>

#include <io/generate.hpp>

static_assert(FLT_EVAL_METHOD == 0, "each operation must be rounded on its own");

namespace tessera::io {
namespace {

/// SplitMix64's finaliser (Steele, Lea and Flood, OOPSLA 2014), a bijection.
constexpr std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31U);
}

/// word(k) depends on (seed, sequence, k) only.
class Words {
 public:
  constexpr Words(std::uint64_t seed, Sequence sequence)
      : key_(mix(mix(seed + golden) ^ (static_cast<std::uint64_t>(sequence) * golden))) {}
  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t number) const {
    return mix(key_ + (number + 1) * golden);
  }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;  // 2^64 / golden ratio, odd
  std::uint64_t key_;
};

/// The bias is below choices / 2^16.
constexpr std::uint32_t choose(std::uint64_t word, unsigned shift, std::uint32_t choices) {
  return (static_cast<std::uint32_t>((word >> shift) & 0xffffU) * choices) >> 16U;
}

template <class T>
T ex3_value(std::uint64_t word) {
  T value = choose(word, 0, 9) == 0 ? T(1) : static_cast<T>(choose(word, 16, 1024)) / T(10000);
  if (choose(word, 32, 3) == 0) value = -value;
  if (choose(word, 48, 16) == 0) value *= T(0);
  return value;
}

template <class T>
T uniform_value(std::uint64_t word) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return static_cast<float>(static_cast<std::int32_t>(word >> 40U) - (1 << 23)) * 0x1p-23F;
  } else {
    return static_cast<double>(static_cast<std::int64_t>(word >> 11U) - (std::int64_t{1} << 52)) *
           0x1p-52;
  }
}

/// Mean 6 and variance 1, because each value is at the centre of its step.
template <class T>
T normal_value(Words const& words, std::uint64_t number) {
  std::int64_t sum = 6 - 6 * (std::int64_t{1} << 32);
  for (std::uint64_t k = 0; k < 6; ++k) {
    std::uint64_t const word = words(6 * number + k);
    sum += static_cast<std::int64_t>(word & 0xffffffffU) + static_cast<std::int64_t>(word >> 32U);
  }
  return static_cast<T>(static_cast<double>(sum) * 0x1p-32);  // exact: below 2^36
}

template <class T>
T integer_value(std::uint64_t word) {
  return static_cast<T>(static_cast<std::int32_t>(((word >> 32U) * 9U) >> 32U) - 4);
}

template <class T>
void fill(Distribution distribution, Words const& words, std::uint64_t first, std::span<T> to) {
  auto const fill_with = [&](auto const& value) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = value(first + i);
  };
  switch (distribution) {
    case Distribution::ex3:
      return fill_with([&](std::uint64_t number) { return ex3_value<T>(words(number)); });
    case Distribution::uniform:
      return fill_with([&](std::uint64_t number) { return uniform_value<T>(words(number)); });
    case Distribution::normal:
      return fill_with([&](std::uint64_t number) { return normal_value<T>(words, number); });
    case Distribution::integer:
      return fill_with([&](std::uint64_t number) { return integer_value<T>(words(number)); });
  }
}

}  // namespace

void generate_values(Distribution distribution, std::uint64_t seed, Sequence sequence,
                     std::uint64_t first, std::span<float> to) {
  fill(distribution, Words(seed, sequence), first, to);
}

void generate_values(Distribution distribution, std::uint64_t seed, Sequence sequence,
                     std::uint64_t first, std::span<double> to) {
  fill(distribution, Words(seed, sequence), first, to);
}

}  // namespace tessera::io
