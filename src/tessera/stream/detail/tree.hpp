// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/elements.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/summation.hpp>

namespace tessera::stream::detail {

using summation::Index;
using tessera::detail::OutputVector;

// Named: a host-device lambda in a header crashes if two sources use it (nvcc 13 keeps its copy
// function in each anonymous namespace).

template <class T>
struct AddVectors {
  T const* left;
  T* right;
  KOKKOS_FUNCTION void operator()(Index j) const { right[j] = left[j] + right[j]; }
};

template <class Exec, class T>
void add_vectors(Exec const& exec, Index length, T const* left, T* right) {
  tessera::detail::for_each_element(exec, "tessera::stream::add", length,
                                    AddVectors<T>{left, right});
}

template <class T>
struct SetResult {
  T const* sum;
  OutputVector<T> out;
  KOKKOS_FUNCTION void operator()(Index j) const { out.set(j, sum[j] + T(0)); }
};

template <class Exec, class T>
void set_result(Exec const& exec, Index length, T const* sum, OutputVector<T> const& out) {
  tessera::detail::for_each_element(exec, "tessera::stream::result", length,
                                    SetResult<T>{sum, out});
}

/// Fences.
template <class T, class Vector>
std::vector<T> to_host(Vector const& from) {
  std::vector<T> to(from.extent(0));
  Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        to.data(), to.size()),
                    from);
  return to;
}
template <class T, class Vector>
void from_host(std::vector<T> const& from, Vector const& to) {
  Kokkos::deep_copy(
      to, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
              from.data(), from.size()));
}

/// right = left + right.
struct AddSubtrees {
  template <class Exec, class T>
  static void join(Exec const& exec, Index length, T const* left, T* right) {
    add_vectors(exec, length, left, right);
  }
};

/// The adjacent-pair tree over vectors in memory of Exec: a binary counter of finished subtrees.
template <class Exec, class T, class Join = AddSubtrees>
class VectorTree {
 public:
  using Vector = Kokkos::View<T*, typename Exec::memory_space>;

  VectorTree(Exec const& exec, Index length, Index count)
      : exec_(exec), length_(length), waiting_(levels(count)), next_(allocate()) {}

  static std::size_t bytes(Index length, Index count) {
    return (levels(count) + 1) * static_cast<std::size_t>(length) * sizeof(T);
  }

  [[nodiscard]] Vector const& next() const { return next_; }

  /// Vector `index` is already in next().
  void push(Index index) {
    std::size_t level = 0;
    for (Index rest = index; (rest & 1) != 0; rest >>= 1, ++level) {
      Join::join(exec_, length_, waiting_[level].sum.data(), next_.data());
      waiting_[level].is_there = false;
    }
    is_complete_ = level == waiting_.size();
    if (!is_complete_) put(next_, level);
  }

  void finish(OutputVector<T> const& out) {
    for (Level& level : waiting_) {
      if (!level.is_there) continue;
      if (is_complete_) {
        Join::join(exec_, length_, level.sum.data(), next_.data());
      } else {
        std::swap(level.sum, next_);  // the smallest subtree: missing vectors are +0
        is_complete_ = true;
      }
    }
    set_result(exec_, length_, next_.data(), out);
  }

  /// Returns sums by level, the whole tree last. Fences.
  [[nodiscard]] std::vector<std::vector<T>> save() const {
    exec_.fence("tessera::stream::save");
    auto const copy = [](Vector const& sum, bool is_there) {
      return is_there ? to_host<T>(sum) : std::vector<T>();
    };
    std::vector<std::vector<T>> saved;
    saved.reserve(waiting_.size() + 1);
    for (Level const& level : waiting_) saved.push_back(copy(level.sum, level.is_there));
    saved.push_back(copy(next_, is_complete_));
    return saved;
  }
  /// Restores the tree after `count` vectors, whose binary digits determine the waiting subtrees.
  /// False, without changes, if the vectors do not fit.
  [[nodiscard]] bool restore(std::vector<std::vector<T>> const& saved, Index count) {
    if (saved.size() != waiting_.size() + 1) return false;
    for (std::size_t level = 0; level < saved.size(); ++level) {
      Index const expected = ((count >> level) & 1) != 0 ? length_ : 0;
      if (static_cast<Index>(saved[level].size()) != expected) return false;
    }
    for (std::size_t level = 0; level < waiting_.size(); ++level) {
      if (saved[level].empty()) continue;
      Level& to = waiting_[level];
      if (to.sum.extent(0) == 0) to.sum = allocate();
      from_host(saved[level], to.sum);
      to.is_there = true;
    }
    is_complete_ = !saved.back().empty();
    if (is_complete_) from_host(saved.back(), next_);
    return true;
  }

 private:
  struct Level {
    Vector sum;
    bool is_there = false;
  };

  static std::size_t levels(Index count) {
    return static_cast<std::size_t>(summation::tree_levels(count));
  }
  [[nodiscard]] Vector allocate() const {
    return Vector(Kokkos::view_alloc(exec_, std::string("tessera::stream::tree"),
                                     Kokkos::WithoutInitializing),
                  static_cast<std::size_t>(length_));
  }
  void put(Vector& sum, std::size_t level) {
    if (waiting_[level].sum.extent(0) == 0) waiting_[level].sum = allocate();
    std::swap(waiting_[level].sum, sum);
    waiting_[level].is_there = true;
  }

  Exec exec_;
  Index length_;
  std::vector<Level> waiting_;
  Vector next_;
  bool is_complete_ = false;
};

}  // namespace tessera::stream::detail
