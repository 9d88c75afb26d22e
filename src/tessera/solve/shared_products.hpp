// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/solve/golub_kahan.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/values.hpp>

namespace tessera::solve::detail {

/// Iterates several processes with shared reads of A and the bits of separate iterations. Their
/// operators read the same matrix. The processes' vectors b become parts of rows of BT_.
template <class Exec, class T>
class SharedProducts {
 public:
  using Process = GolubKahan<Exec, T>;
  using Operator = NormalOperator<Exec, T>;

  /// @param all one operator per process
  explicit SharedProducts(typename Operator::List const& all)
      : exec_(all.front()->exec()),
        VT_(rows(all.size(), all.front()->cols())),
        CT_(rows(all.size(), all.front()->cols())),
        BT_{rows(all.size(), most_rows(all)), rows(all.size(), most_rows(all))} {}

  void start(std::vector<Process*> const& all) {
    std::vector<Process*> active;
    for (Process* const process : all) {
      if (process->begin_start()) active.push_back(process);
    }
    if (active.empty()) return;
    Rows<Exec, T> const BT = first_rows(BT_[0], active.size());
    Rows<Exec, T> const CT = first_rows(CT_, active.size());
    for (std::size_t j = 0; j < active.size(); ++j) {
      auto const b = part_of(BT, j, *active[j]);
      Kokkos::deep_copy(exec_, b, active[j]->b_);
      active[j]->b_ = b;
      active[j]->c_ = row<Exec, T>(CT, static_cast<Index>(j));
    }
    Operator::multiply_transposed_of_each(operators_of(active), BT, CT);
    for (Process* const process : active) process->finish_start();
  }

  /// All must have started.
  void advance(std::vector<Process*> const& all) {
    if (all.size() == 1) return all.front()->advance();
    is_turned_ = !is_turned_;
    Rows<Exec, T> const VT = first_rows(VT_, all.size());
    Rows<Exec, T> const BT = first_rows(BT_[is_turned_ ? 1 : 0], all.size());
    Rows<Exec, T> const CT = first_rows(CT_, all.size());
    std::vector<typename NormalOperator<Exec, T>::Map> maps;
    for (std::size_t j = 0; j < all.size(); ++j) {
      auto const at = static_cast<Index>(j);
      Kokkos::deep_copy(exec_, row<Exec, T>(VT, at), all[j]->w_);
      maps.push_back(all[j]->map());
      all[j]->next_b_ = part_of(BT, j, *all[j]);
      all[j]->c_ = row<Exec, T>(CT, at);
    }
    Operator::atax_of_each(operators_of(all), VT, maps, BT, CT);
    for (Process* const process : all) process->begin_norms();
    exec_.fence("tessera: the norms of a step are on the host");
    for (Process* const process : all) process->finish_norms();
  }

 private:
  [[nodiscard]] Rows<Exec, T> rows(std::size_t count, Index length) const {
    return make_rows<Exec, T>(exec_, static_cast<Index>(count), length);
  }
  static Index most_rows(typename Operator::List const& all) {
    Index most = 0;
    for (Operator const* const op : all) most = std::max(most, op->rows());
    return most;
  }
  static typename Operator::List operators_of(std::vector<Process*> const& all) {
    typename Operator::List operators;
    for (Process const* const process : all) operators.push_back(&process->op_);
    return operators;
  }
  static Values<Exec, T> part_of(Rows<Exec, T> const& BT, std::size_t j, Process const& process) {
    return Values<Exec, T>(BT.data() + j * BT.extent(1),
                           static_cast<std::size_t>(process.op_.rows()));
  }
  static Rows<Exec, T> first_rows(Rows<Exec, T> const& of, std::size_t count) {
    return Rows<Exec, T>(of.data(), count, of.extent(1));
  }

  Exec exec_;
  Rows<Exec, T> VT_;
  Rows<Exec, T> CT_;
  std::array<Rows<Exec, T>, 2> BT_;  ///< the last b in one, the next in the other
  bool is_turned_ = false;
};

}  // namespace tessera::solve::detail
