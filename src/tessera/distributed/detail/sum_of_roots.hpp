// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/joins.hpp>
#include <tessera/order/vector_stack.hpp>

namespace tessera::distributed::detail {

/// How the sums of two subtrees become one.
template <class T>
struct Joining {
  Index unit = 1;  ///< elements that are joined together; the length of a sum is a multiple
  /// Replaces the sum of earlier rows.
  void (*join)(T* earlier, T const* later, Index length) = &tessera::detail::add_vector<T>;
};

/// The tree over all ranks' subtrees, whose sums have `length` elements (docs/distributed.md). All
/// memory is allocated first.
template <class T>
class SumOfRoots {
 public:
  SumOfRoots(Communicator const& comm, std::vector<std::vector<int>> levels, Index length,
             Joining<T> const& joining = {})
      : comm_(comm),
        joining_(joining),
        levels_(std::move(levels)),
        joins_(joins_of(levels_)),
        length_(length),
        own_(static_cast<Index>(levels_[me()].size())),
        all_(0),
        sent_(levels_.size()),
        got_(levels_.size()),
        slices_(levels_.size()) {
    for (auto const& its : levels_) all_ += static_cast<Index>(its.size());
    Index const unit = joining_.unit;
    width_ = std::min(length_, unit * std::max(Index{1}, most_elements / all_ / unit));
    roots_.resize(static_cast<std::size_t>(own_ * length_));
    packed_.resize(static_cast<std::size_t>(own_ * width_));
    parts_.resize(static_cast<std::size_t>(all_ * most_of_slice(width_)));
    sums_.resize(static_cast<std::size_t>(length_));
  }

  [[nodiscard]] T* roots() { return roots_.data(); }

  std::vector<T> const& operator()() {
    for (Index begin = 0; begin < length_; begin += width_) {
      add_columns(begin, std::min(width_, length_ - begin));
    }
    return sums_;
  }

 private:
  [[nodiscard]] std::size_t me() const { return static_cast<std::size_t>(comm_.rank()); }

  [[nodiscard]] Index most_of_slice(Index width) const {
    return joining_.unit * summation::ceil_div(width / joining_.unit, Index{comm_.size()});
  }

  void add_columns(Index begin, Index width) {
    auto const slice_begin = [&](std::size_t owner) {
      return width / joining_.unit * static_cast<Index>(owner) / comm_.size() * joining_.unit;
    };
    auto const slice_width = [&](std::size_t owner) {
      return slice_begin(owner + 1) - slice_begin(owner);
    };
    T* to = packed_.data();
    for (std::size_t r = 0; r < levels_.size(); ++r) {
      sent_.set(r, own_ * slice_width(r));
      got_.set(r, static_cast<Index>(levels_[r].size()) * slice_width(me()));
      slices_.set(r, slice_width(r));
      for (Index root = 0; root < own_; ++root) {
        to = std::copy_n(roots_.data() + root * length_ + begin + slice_begin(r), slice_width(r),
                         to);
      }
    }
    comm_.all_to_all(packed_.data(), sent_, parts_.data(), got_);
    comm_.all_gather(add_parts(slice_width(me())), sums_.data() + begin, slices_);
  }

  T const* add_parts(Index width) {
    backends::host::OrdinaryArithmetic const mode;
    T* const sum = parts_.data();
    for (auto const [to, from] : joins_) {
      joining_.join(sum + to * width, sum + from * width, width);
    }
    for (Index j = 0; j < width; ++j) sum[j] += T(0);
    return sum;
  }

  Communicator const& comm_;
  Joining<T> joining_;
  std::vector<std::vector<int>> levels_;
  std::vector<Join> joins_;
  Index length_;
  Index own_;    ///< roots of this rank
  Index all_;    ///< roots of all ranks
  Index width_;  ///< elements per exchange
  Counts sent_, got_, slices_;
  std::vector<T> roots_;   // (own, length)
  std::vector<T> packed_;  // (ranks, own, slice)
  std::vector<T> parts_;   // (all, slice)
  std::vector<T> sums_;    // (length)
};

}  // namespace tessera::distributed::detail
