// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>

#include <tessera/backends/host/avx512.hpp>
#include <tessera/backends/host/panels.hpp>
#include <tessera/backends/host/segment.hpp>

#include "support/data.hpp"
#include "support/reference.hpp"
#include "support/same_bits.hpp"

/// With parameters that no public argument sets.
namespace tessera::detail {
namespace {

/// Ends at the last byte that this process may read.
class MemoryBeforeAPage {
 public:
  explicit MemoryBeforeAPage(std::size_t bytes)
      : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))),
        bytes_((bytes + page_ - 1) / page_ * page_),
        mapped_(::mmap(nullptr, bytes_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                       -1, 0)) {
    if (mapped_ == MAP_FAILED) throw std::runtime_error("mmap failed");
    if (::mprotect(begin() + bytes_, page_, PROT_NONE) != 0) {
      throw std::runtime_error("mprotect failed");
    }
  }
  ~MemoryBeforeAPage() { ::munmap(mapped_, bytes_ + page_); }
  MemoryBeforeAPage(MemoryBeforeAPage const&) = delete;
  MemoryBeforeAPage& operator=(MemoryBeforeAPage const&) = delete;

  template <class T>
  [[nodiscard]] T* last(Index count) const {
    return reinterpret_cast<T*>(begin() + bytes_) - count;
  }

 private:
  [[nodiscard]] std::byte* begin() const { return static_cast<std::byte*>(mapped_); }
  std::size_t page_;
  std::size_t bytes_;
  void* mapped_;
};

template <class T>
class LinesOfHosts : public testing::Test {
 protected:
  static constexpr Index count = 8;
  static constexpr Index longest = 9000;
  static constexpr Index widest = 70;

  LinesOfHosts() : matrix_(bytes(count * (longest + widest))), x_(bytes(longest)) {}

  Lines<T> lines(Index length, Index leading, Index some = count) const {
    return {numbers(matrix_, 1, (some - 1) * leading + length), some, length, leading};
  }
  T* x(Index length) const { return numbers(x_, 2, length); }

  /// Avx512.IsUsedWhereTheProcessorHasItUnlessItIsSwitchedOff reports a lack of AVX-512.
  static std::vector<Walk> walks() {
    std::vector<Walk> all = {Walk{}, Walk{.in_cache = true}};
    if (backends::host::avx512::available()) {
      all.push_back(Walk{.avx512 = true});
      all.push_back(Walk{.in_cache = true, .avx512 = true});
    }
    return all;
  }

  static std::vector<T> expected(Lines<T> const& lines, T const* x) {
    return reference::dot<T>({lines.data, lines.count, lines.length, lines.leading},
                             std::vector<T>(x, x + lines.length));
  }
  template <int Count>
  static std::vector<T> found(Lines<T> const& lines, T const* x, Walk const& walk) {
    std::vector<T> result(static_cast<std::size_t>(lines.count));
    for (Index i = 0; i < lines.count; i += Count) {
      dot_lines<Count>(lines, i, x, 0, lines.length, walk, {result.data() + i, 1});
    }
    return result;
  }

 private:
  static T* numbers(MemoryBeforeAPage const& memory, std::uint64_t seed, Index size) {
    T* const data = memory.template last<T>(size);
    for (Index i = 0; i < size; ++i) {
      data[i] = test::real_number<T>(seed, static_cast<std::uint64_t>(i));
    }
    return data;
  }
  static std::size_t bytes(Index scalars) { return static_cast<std::size_t>(scalars) * sizeof(T); }
  MemoryBeforeAPage matrix_;
  MemoryBeforeAPage x_;
};

using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(LinesOfHosts, Scalars);

TYPED_TEST(LinesOfHosts, DotsReadNothingBehindTheLastElement) {
  using T = TypeParam;
  for (Index length = 1; length <= 2 * summation::segment<T> + 1; ++length) {
    Lines<T> const lines = this->lines(length, length);
    T const* const x = this->x(length);
    std::vector<T> const expected = this->expected(lines, x);
    EXPECT_THAT(this->template found<1>(lines, x, {}), test::same_bits_as(expected)) << length;
    for (Walk const& walk : this->walks()) {
      EXPECT_THAT(this->template found<8>(lines, x, walk), test::same_bits_as(expected)) << length;
    }
  }
}

TYPED_TEST(LinesOfHosts, DotsAddAnyNumberOfSegmentsInTheCanonicalOrder) {
  using T = TypeParam;
  constexpr Index segment = summation::segment<T>;
  for (Index segments = 0; (segments + 1) * segment <= this->longest; ++segments) {
    for (Index const rest : {Index{0}, Index{1}, segment / 2 + 3, segment - 1}) {
      Index const length = segments * segment + rest;
      if (length == 0) continue;
      Lines<T> const lines = this->lines(length, length + 5);
      T const* const x = this->x(length);
      std::vector<T> const expected = this->expected(lines, x);
      EXPECT_THAT(this->template found<1>(lines, x, {}), test::same_bits_as(expected)) << length;
      EXPECT_THAT(this->template found<2>(lines, x, {}), test::same_bits_as(expected)) << length;
      for (Walk const& walk : this->walks()) {
        EXPECT_THAT(this->template found<4>(lines, x, walk), test::same_bits_as(expected))
            << length;
        EXPECT_THAT(this->template found<8>(lines, x, walk), test::same_bits_as(expected))
            << length;
      }
    }
  }
}

TYPED_TEST(LinesOfHosts, DotsAtOnceAreOfWholeFoursAndAnyStride) {
  using T = TypeParam;
  namespace avx512 = backends::host::avx512;
  constexpr Index segment = summation::segment<T>;
  constexpr Index stride = 3;
  for (bool const in_cache : {false, true}) {
    Walk const walk{.in_cache = in_cache, .avx512 = avx512::available()};
    for (Index const length :
         {Index{1}, Index{summation::lanes<T> + 1}, segment - 1, segment, segment + 1, 3 * segment,
          7 * segment + 5, avx512::most_segments * segment, avx512::most_segments * segment + 1}) {
      SCOPED_TRACE(testing::Message() << length << (in_cache ? " in cache" : ""));
      Lines<T> const lines = this->lines(length, length + 1);
      T const* const x = this->x(length);
      std::vector<T> const expected = this->expected(lines, x);
      bool const can = walk.avx512 && (in_cache || length > segment) &&
                       length <= avx512::most_segments * segment;
      for (Index last = 1; last <= lines.count; ++last) {
        Index const whole = can ? last / avx512::lines_of_dot * avx512::lines_of_dot : 0;
        std::vector<T> result(static_cast<std::size_t>(lines.count * stride), T(-1));
        EXPECT_EQ(dot_at_once<T>(lines, 0, last, x, 0, length, walk, {result.data(), stride}),
                  whole);
        std::vector<T> wanted(result.size(), T(-1));
        for (Index i = 0; i < whole; ++i) {
          wanted[static_cast<std::size_t>(i * stride)] = expected[static_cast<std::size_t>(i)];
        }
        EXPECT_THAT(result, test::same_bits_as(wanted)) << last;
      }
      EXPECT_EQ(dot_at_once<T>(lines, 0, lines.count, x, 0, length, walk, {nullptr, 1}), 0);
    }
  }
}

TYPED_TEST(LinesOfHosts, PrefetchingChangesNoBitOfDots) {
  using T = TypeParam;
  for (Index const length : {Index{1}, Index{63}, Index{64}, Index{255}, Index{256}, Index{257},
                             Index{1000}, Index{2048}, Index{2049}, this->longest}) {
    for (Index const padding : {Index{0}, Index{1}, Index{16}, this->widest}) {
      Lines<T> const lines = this->lines(length, length + padding);
      T const* const x = this->x(length);
      std::vector<T> const expected = this->expected(lines, x);
      for (Index const ahead : {0, 1, 16, 256, 1000, 2048, 100000}) {
        SCOPED_TRACE(testing::Message() << length << " + " << padding << ", ahead " << ahead);
        EXPECT_THAT(this->template found<1>(lines, x, {.ahead = ahead}),
                    test::same_bits_as(expected));
        EXPECT_THAT(this->template found<2>(lines, x, {.ahead = ahead}),
                    test::same_bits_as(expected));
        EXPECT_THAT(this->template found<4>(lines, x, {.ahead = ahead}),
                    test::same_bits_as(expected));
        EXPECT_THAT(this->template found<8>(lines, x, {.ahead = ahead}),
                    test::same_bits_as(expected));
      }
    }
  }
}

/// Prefetches `asked_for` elements of each next line.
template <int Count, class T>
std::vector<T> sum_of_two_panels(Lines<T> const& lines, T const* y, Index asked_for) {
  auto const length = static_cast<std::size_t>(lines.length);
  std::vector<T> result(length, T(-1));
  std::vector<T> above(length, T(-1));
  VectorStack<T> const stack{result.data(), above.data(), lines.length};
  Index const half = lines.count / 2;
  for (Index i = 0; i < lines.count; i += Count) {
    Index const first = i / half * half;
    add_to_panel<Count>(NextStep<T>{lines, i + Count, asked_for}, lines, i, first, first + half,
                        y + i, stack, i / half, 0, lines.length);
  }
  stack.finish(2, 0, lines.length);
  return result;
}

TYPED_TEST(LinesOfHosts, PrefetchingChangesNoBitOfSums) {
  using T = TypeParam;
  constexpr Index chunk = 1024 / static_cast<Index>(sizeof(T));
  for (Index const length : {Index{1}, Index{63}, chunk - 1, chunk, chunk + 1, 3 * chunk,
                             4 * chunk + 7, this->longest}) {
    for (Index const padding : {Index{0}, Index{1}, this->widest}) {
      SCOPED_TRACE(testing::Message() << length << " + " << padding);
      Lines<T> const lines = this->lines(length, length + padding);
      T const* const y = this->x(lines.count);
      std::vector<T> const expected = sum_of_two_panels<1>(lines, y, 0);
      EXPECT_THAT(sum_of_two_panels<1>(lines, y, length), test::same_bits_as(expected));
      EXPECT_THAT(sum_of_two_panels<2>(lines, y, length), test::same_bits_as(expected));
      EXPECT_THAT(sum_of_two_panels<4>(lines, y, length), test::same_bits_as(expected));
      EXPECT_THAT(sum_of_two_panels<4>(lines, y, 2 * chunk), test::same_bits_as(expected));
      EXPECT_THAT(sum_of_two_panels<4>(lines, y, 0), test::same_bits_as(expected));
    }
  }
}

template <class T>
void expect_sums_of_reference(Lines<T> const& lines, T const* y) {
  auto const size = static_cast<std::size_t>(lines.length);
  std::vector<T> const expected = reference::sum<T>(
      {lines.data, lines.count, lines.length, lines.leading}, std::vector<T>(y, y + lines.count));
  auto const compare = [&](PanelWalk const& walk) {
    std::vector<T> result(size, T(-1));
    std::vector<T> above(8 * size, T(-1));
    add_panels(lines, summation::min_panel_lines, y, walk,
               VectorStack<T>{result.data(), above.data(), lines.length});
    for (T& sum : result) sum += T(0);
    EXPECT_THAT(result, test::same_bits_as(expected)) << walk.lines_per_step << ", " << walk.pairs;
  };
  for (int const step : {1, 2, 4, 8}) {
    compare({step});
    if (backends::host::avx512::available()) compare({step, true});
  }
}

TYPED_TEST(LinesOfHosts, SumsReadNothingBehindTheLastElement) {
  using T = TypeParam;
  constexpr Index panel = summation::min_panel_lines;
  constexpr Index word = 64 / static_cast<Index>(sizeof(T));  // a register of AVX-512
  for (Index const count : {Index{1}, panel - 1, panel, 4 * panel - 1, 4 * panel, 4 * panel + 1,
                            9 * panel, 16 * panel + 3}) {
    for (Index const length : {Index{1}, word - 1, word, word + 1, 3 * word, 4 * word, 4 * word + 1,
                               7 * word - 1, 16 * word, 17 * word, 19 * word + 5}) {
      for (Index const padding : {Index{0}, Index{3}}) {
        SCOPED_TRACE(testing::Message() << count << " x " << length << " + " << padding);
        expect_sums_of_reference(this->lines(length, length + padding, count), this->x(count));
      }
    }
  }
}

TYPED_TEST(LinesOfHosts, SumsOfLongLinesMergeByPartsOfThem) {
  using T = TypeParam;
  constexpr Index count = 8 * summation::min_panel_lines + 5;
  for (Index const length : {columns_of_merge, columns_of_merge + 1, 2 * columns_of_merge + 77}) {
    SCOPED_TRACE(length);
    // Overlapping, to save memory.
    Lines<T> const lines = this->lines(length, 7, count);
    expect_sums_of_reference(lines, this->x(count));
  }
}

}  // namespace
}  // namespace tessera::detail
