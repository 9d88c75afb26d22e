// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/data.hpp"
#include "support/reference.hpp"
#include "support/shapes.hpp"

namespace tessera::test {

using reference::Index;
using reference::Order;

struct Margin {
  Index lines = 0;
  Index before = 0;  ///< elements before each line
  Index after = 0;   ///< elements after each line
};

template <class T>
class HostMatrix {
 public:
  HostMatrix(Shape shape, Order order, std::vector<T> elements, Margin margin = {})
      : shape_(shape), order_(order), margin_(margin) {
    if (margin.lines == 0 && leading() == length()) {
      memory_ = std::move(elements);
      return;
    }
    memory_.assign(static_cast<std::size_t>((margin.lines + count()) * leading()), poison<T>());
    for (Index i = 0; i < count(); ++i) {
      auto const line = elements.begin() + i * length();
      std::copy(line, line + length(), memory_.begin() + (first() + i * leading()));
    }
  }

  Shape shape() const { return shape_; }
  Order order() const { return order_; }
  Margin margin() const { return margin_; }
  Index count() const { return order_ == Order::row_major ? shape_.rows : shape_.cols; }
  Index length() const { return order_ == Order::row_major ? shape_.cols : shape_.rows; }
  Index leading() const { return margin_.before + length() + margin_.after; }
  /// (margin().lines + count()) * leading() elements.
  std::vector<T> const& memory() const { return memory_; }
  T const* line(Index i) const { return memory_.data() + first() + i * leading(); }
  reference::Matrix<T> for_reference() const {
    return {line(0), shape_.rows, shape_.cols, leading(), order_};
  }

 private:
  Index first() const { return margin_.lines * leading() + margin_.before; }

  Shape shape_;
  Order order_;
  Margin margin_;
  std::vector<T> memory_;
};

template <class T>
struct Problem {
  HostMatrix<T> A;
  std::vector<T> v;
  std::vector<T> B;
};

template <class T>
Problem<T> real_problem(Shape shape, Order order, std::uint64_t seed, Margin margin = {}) {
  auto const elements = static_cast<std::size_t>(shape.size());
  return {{shape, order, real_numbers<T>(elements, seed), margin},
          real_numbers<T>(static_cast<std::size_t>(shape.cols), vector_seed(seed)),
          real_numbers<T>(static_cast<std::size_t>(shape.rows), vector_seed(seed + 1))};
}

/// Of -1, 0 and 1: all sums are exact in float.
template <class T>
Problem<T> whole_problem(Shape shape, Order order, std::uint64_t seed, Margin margin = {}) {
  auto const elements = static_cast<std::size_t>(shape.size());
  return {{shape, order, whole_numbers<T>(elements, seed, 1), margin},
          whole_numbers<T>(static_cast<std::size_t>(shape.cols), vector_seed(seed), 1),
          whole_numbers<T>(static_cast<std::size_t>(shape.rows), vector_seed(seed + 1), 1)};
}

}  // namespace tessera::test
