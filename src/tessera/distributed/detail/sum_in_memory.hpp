// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/exchange.hpp>
#include <tessera/distributed/detail/joins.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/order/lines.hpp>

namespace tessera::distributed::detail {

/// Packs one owner's slice after the other.
template <class T>
struct PackRoots {
  T const* roots;  // (own, length), from the first exchanged column
  Index own, length, width, ranks;
  T* packed;  // (ranks, own, slice)

  KOKKOS_FUNCTION void operator()(Index i) const {
    Index const root = i / width;
    Index const col = i % width;
    Index const owner = ((col + 1) * ranks + width - 1) / width - 1;
    Index const begin = width * owner / ranks;
    Index const slice = width * (owner + 1) / ranks - begin;
    packed[own * begin + root * slice + col - begin] = roots[root * length + col];
  }
};

template <class T>
struct AddInOrder {
  T* parts;  // (all, width)
  Index width;
  Join const* joins;
  int count;
  tessera::detail::OutputVector<T> sums;

  KOKKOS_FUNCTION void operator()(Index j) const {
    for (int i = 0; i < count; ++i) {
      parts[joins[i].to * width + j] += parts[joins[i].from * width + j];
    }
    sums.set(j, parts[j] + T(0));
  }
};

/// SumOfRoots in memory of Exec; only what MPI cannot send from there goes through the host.
template <class Exec, class T>
class SumInMemory {
 public:
  using Output = tessera::detail::OutputVector<T>;

  /// levels[r]: rank r's subtrees, in the order of rows.
  SumInMemory(Exec exec, Communicator const& comm, Exchanges<Exec>& exchanges, SendBy by,
              std::vector<std::vector<int>> levels, Index length)
      : exec_(std::move(exec)),
        comm_(comm),
        exchanges_(exchanges),
        by_(by),
        length_(length),
        own_(static_cast<Index>(levels[static_cast<std::size_t>(comm.rank())].size())),
        sent_(levels.size()),
        got_(levels.size()),
        slices_(levels.size()) {
    for (auto const& its : levels) own_of_.push_back(static_cast<Index>(its.size()));
    Index all = 0;
    for (Index const its : own_of_) all += its;
    width_ = std::min(length_, std::max(Index{1}, most_elements / all));
    are_few_ = all <= few_roots && width_ == length_;
    Index const of_parts =
        all * (are_few_ ? length_ : summation::ceil_div(width_, Index{comm.size()}));
    Index const of_sums = are_few_ ? 0 : length_;
    Index const of_packed = is_packed() ? 0 : own_ * width_;
    roots_ =
        exchanges_.elements.template get<T>(exec_, own_ * length_ + of_packed + of_parts + of_sums);
    packed_ = roots_ + own_ * length_;
    parts_ = packed_ + of_packed;
    sums_ = parts_ + of_parts;
    if (by_ == SendBy::host_mpi) {
      Index const most = std::max(own_ * width_ + of_parts, 2 * width_);
      on_host_ = exchanges_.on_host.template get<T>(exec_, most);
    }
    exchanges_.set_joins(exec_, std::move(levels));
  }

  [[nodiscard]] T* roots() const { return roots_; }

  void operator()(Output sums) {
    if (are_few_) return add_all(sums);
    for (Index begin = 0; begin < length_; begin += width_) {
      add_columns(begin, std::min(width_, length_ - begin));
    }
    tessera::detail::copy_vector<T>(exec_, "tessera::distributed::copy", length_, sums_, 1, sums);
  }

 private:
  /// Roots up to which each rank receives at most twice the data of an all-reduce.
  static constexpr Index few_roots = 4;

  [[nodiscard]] bool is_packed() const { return are_few_ || own_ == 1; }
  template <class Body>
  void exchange(Body const& body) const {
    with_exchange(exec_, comm_, exchanges_, by_, on_host_, body);
  }
  void add(Index width, Output sums) const {
    static std::string const label("tessera::distributed::add");
    auto const& joins = exchanges_.joins;
    tessera::detail::for_each_element(
        exec_, label, width,
        AddInOrder<T>{parts_, width, joins.data(), static_cast<int>(joins.extent(0)), sums});
  }

  void add_all(Output sums) {
    for (std::size_t r = 0; r < own_of_.size(); ++r) got_.set(r, own_of_[r] * length_);
    exchange([&](auto const& by) { by.all_gather(roots_, parts_, got_); });
    add(length_, sums);
  }

  void add_columns(Index begin, Index width) {
    static std::string const pack("tessera::distributed::pack");
    Index const ranks = comm_.size();
    auto const slice = [&](Index r) { return width * (r + 1) / ranks - width * r / ranks; };
    Index const mine = slice(comm_.rank());
    for (std::size_t r = 0; r < own_of_.size(); ++r) {
      Index const its = slice(static_cast<Index>(r));
      sent_.set(r, own_ * its);
      got_.set(r, own_of_[r] * mine);
      slices_.set(r, its);
    }
    T* const from = is_packed() ? roots_ + begin : packed_;
    if (!is_packed()) {
      tessera::detail::for_each_element(
          exec_, pack, own_ * width,
          PackRoots<T>{roots_ + begin, own_, length_, width, ranks, packed_});
    }
    exchange([&](auto const& by) { by.all_to_all(from, sent_, parts_, got_); });
    add(mine, {parts_, 1});
    exchange([&](auto const& by) { by.all_gather(parts_, sums_ + begin, slices_); });
  }

  Exec exec_;
  Communicator const& comm_;
  Exchanges<Exec>& exchanges_;
  SendBy by_;
  Index length_;
  Index own_;                  ///< roots of this rank
  std::vector<Index> own_of_;  ///< roots of each rank
  Index width_ = 0;            ///< elements per exchange: MPI counts in an int
  bool are_few_ = false;       ///< roots go to all ranks
  Counts sent_, got_, slices_;
  T* roots_ = nullptr;   // (own, length)
  T* packed_ = nullptr;  // (ranks, own, slice)
  T* parts_ = nullptr;   // (all, slice), or (all, length)
  T* sums_ = nullptr;    // (length)
  T* on_host_ = nullptr;
};

}  // namespace tessera::distributed::detail
