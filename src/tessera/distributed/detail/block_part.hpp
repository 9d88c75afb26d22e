// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/distributed/rows.hpp>
#include <tessera/solve/blocks.hpp>

namespace tessera::solve::detail {

/// Some rows of the vectors, copied to be contiguous.
template <class Exec, class T>
class BlockPart {
 public:
  BlockPart(Exec const& exec, BlockProducts<Exec, T> const& whole, distributed::Rows const& rows,
            T* sum)
      : exec_(exec), whole_(whole), range_(rows.first, rows.end()) {
    products_.VT = whole.VT;
    products_.CT = Rows<Exec, T>(sum, whole.CT.extent(0), whole.CT.extent(1));
    if (whole.UT.extent(0) > 0) {
      auto const some = memory(whole.UT.extent(0));
      Kokkos::deep_copy(exec, some, Kokkos::subview(whole.UT, Kokkos::ALL, range_));
      products_.UT = some;
    }
    if (whole.BT.extent(0) > 0) products_.BT = memory(whole.BT.extent(0));
  }
  [[nodiscard]] BlockProducts<Exec, T> const& products() const { return products_; }
  void finish() const {
    if (products_.BT.extent(0) == 0) return;
    Kokkos::deep_copy(exec_, Kokkos::subview(whole_.BT, Kokkos::ALL, range_), products_.BT);
    exec_.fence("tessera::solve: B has the entries of some rows");
  }

 private:
  [[nodiscard]] Rows<Exec, T> memory(std::size_t vectors) const {
    return Rows<Exec, T>(
        Kokkos::view_alloc(exec_, Kokkos::WithoutInitializing, std::string("tessera::solve::part")),
        vectors, static_cast<std::size_t>(range_.second - range_.first));
  }

  Exec exec_;
  BlockProducts<Exec, T> whole_;
  Kokkos::pair<Index, Index> range_;
  BlockProducts<Exec, T> products_;
};

}  // namespace tessera::solve::detail
