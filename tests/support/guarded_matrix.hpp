// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <Kokkos_Core.hpp>

#include "support/data.hpp"
#include "support/shapes.hpp"

/// For operations that move bits.
namespace tessera::test {

using Index = std::int64_t;

enum class MatrixLayout { right, left, strided };

struct Stored {
  MatrixLayout layout;
  Index padding = 0;  ///< elements after each line
  Index before = 0;   ///< elements before the first line
};

inline std::string name_of(Stored const& stored) {
  constexpr char const* names[] = {"right", "left", "strided"};
  return std::string(names[static_cast<int>(stored.layout)]) + "+" +
         std::to_string(stored.padding) + "@" + std::to_string(stored.before);
}

inline std::string to_string(Shape const& shape) {
  return std::to_string(shape.rows) + " x " + std::to_string(shape.cols);
}

template <class Exec, class T>
class GuardedMatrix {
 public:
  GuardedMatrix(Shape const& shape, Stored const& stored)
      : shape_(shape), stored_(stored), memory_(allocate()) {}

  void fill(Index seed) const {
    seed_ = seed;
    fill_with([this](Index i, Index j) { return expected(i, j); });
  }
  template <class Value>
  void fill_with(Value const& value) const {
    auto const mirror = filled_with_guards();
    for (Index i = 0; i < shape_.rows; ++i) {
      for (Index j = 0; j < shape_.cols; ++j) mirror(place(i, j)) = value(i, j);
    }
    Kokkos::deep_copy(memory_, mirror);
  }
  void fill_with_guards() const { Kokkos::deep_copy(memory_, filled_with_guards()); }

  [[nodiscard]] T expected(Index i, Index j) const {
    return element(static_cast<std::uint64_t>(seed_),
                   static_cast<std::uint64_t>(i * shape_.cols + j));
  }

  template <class Value>
  [[nodiscard]] Index differences(Value const& value) const {
    auto const expected = filled_with_guards();
    for (Index i = 0; i < shape_.rows; ++i) {
      for (Index j = 0; j < shape_.cols; ++j) expected(place(i, j)) = value(i, j);
    }
    auto const found = to_host();
    Index count = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (std::memcmp(&found(k), &expected(k), sizeof(T)) != 0) ++count;
    }
    return count;
  }

  template <class Visitor>
  void for_each_element(Visitor const& visitor) const {
    auto const found = to_host();
    for (Index i = 0; i < shape_.rows; ++i) {
      for (Index j = 0; j < shape_.cols; ++j) visitor(i, j, found(place(i, j)));
    }
  }

  template <class Visitor>
  void visit(Visitor const& visitor) const {
    if (stored_.layout != MatrixLayout::strided) return visit_lines(visitor);
    visitor(Unmanaged<Kokkos::LayoutStride>(
        first(), Kokkos::LayoutStride(static_cast<std::size_t>(shape_.rows), step * line(),
                                      static_cast<std::size_t>(shape_.cols), step)));
  }
  template <class Visitor>
  void visit_lines(Visitor const& visitor) const {
    if (!is_left()) return visit_rows(visitor);
    Unmanaged<Kokkos::LayoutLeft> const whole(first(), line(),
                                              static_cast<std::size_t>(shape_.cols));
    visitor(Kokkos::subview(
        whole, Kokkos::make_pair(std::size_t{0}, static_cast<std::size_t>(shape_.rows)),
        Kokkos::ALL));
  }
  template <class Visitor>
  void visit_rows(Visitor const& visitor) const {
    Unmanaged<Kokkos::LayoutRight> const whole(first(), static_cast<std::size_t>(shape_.rows),
                                               line());
    visitor(Unmanaged<Kokkos::LayoutRight>(
        Kokkos::subview(whole, Kokkos::ALL,
                        Kokkos::make_pair(std::size_t{0}, static_cast<std::size_t>(shape_.cols)))));
  }

 private:
  using Memory = Kokkos::View<T*, typename Exec::memory_space>;
  template <class Layout>
  using Unmanaged = Kokkos::View<T**, Layout, typename Exec::memory_space,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  static constexpr Index guard = 64;  ///< a matrix may be aligned
  static constexpr std::size_t step = 3;

  [[nodiscard]] T* first() const { return memory_.data() + guard + stored_.before; }
  [[nodiscard]] std::size_t line() const {
    return static_cast<std::size_t>(line_length() + stored_.padding);
  }
  [[nodiscard]] bool is_left() const { return stored_.layout == MatrixLayout::left; }
  [[nodiscard]] Index line_length() const { return is_left() ? shape_.rows : shape_.cols; }
  [[nodiscard]] Index stride() const {
    return stored_.layout == MatrixLayout::strided ? Index{step} : 1;
  }
  [[nodiscard]] Memory allocate() const {
    Index const lines = is_left() ? shape_.cols : shape_.rows;
    Index const size =
        2 * guard + stored_.before + lines * (line_length() + stored_.padding) * stride();
    return Memory(Kokkos::view_alloc("guarded matrix", Kokkos::WithoutInitializing),
                  static_cast<std::size_t>(size));
  }
  [[nodiscard]] std::size_t place(Index i, Index j) const {
    Index const line = is_left() ? j : i;
    Index const at = is_left() ? i : j;
    return static_cast<std::size_t>(guard + stored_.before +
                                    (line * (line_length() + stored_.padding) + at) * stride());
  }
  [[nodiscard]] auto to_host() const {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory_);
  }
  static T element(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t const bits[2] = {random_bits(seed, 2 * index), random_bits(seed, 2 * index + 1)};
    T value;
    std::memcpy(static_cast<void*>(&value), bits, sizeof(T));
    return value;
  }
  [[nodiscard]] auto filled_with_guards() const {
    typename Memory::host_mirror_type const mirror(
        Kokkos::view_alloc("guards", Kokkos::WithoutInitializing), memory_.extent(0));
    std::memset(static_cast<void*>(mirror.data()), 0xa5, mirror.size() * sizeof(T));
    return mirror;
  }

  Shape shape_;
  Stored stored_;
  Memory memory_;
  mutable Index seed_ = 0;
};

}  // namespace tessera::test
