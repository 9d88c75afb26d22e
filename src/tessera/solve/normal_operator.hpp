// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/maps.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/blocks.hpp>
#include <tessera/solve/column_squares.hpp>
#include <tessera/solve/gram.hpp>
#include <tessera/solve/moments.hpp>
#include <tessera/solve/row_sums.hpp>

/// What solvers call of a matrix.
namespace tessera::solve {

using summation::Index;

template <class Exec, class T>
using Values = Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::memory_space>;
template <class Exec, class T>
using ConstValues = Kokkos::View<T const*, Kokkos::LayoutRight, typename Exec::memory_space>;

namespace detail {

template <class Exec, class T>
Values<Exec, T> row(Rows<Exec, T> const& of, Index i) {
  return Values<Exec, T>(of.data() + i * static_cast<Index>(of.extent(1)), of.extent(1));
}
template <class Exec, class T>
auto as_columns(Rows<Exec, T> const& rows) {
  return Kokkos::View<T**, Kokkos::LayoutLeft, typename Exec::memory_space>(
      rows.data(), rows.extent(1), rows.extent(0));
}
/// b - *shift for each row.
template <class Exec, class T>
RowMap<T, typename Exec::memory_space> shift_by(T const* shift, Index rows) {
  Kokkos::View<T const*, Kokkos::LayoutStride, typename Exec::memory_space> const x(
      shift, Kokkos::LayoutStride(static_cast<std::size_t>(rows), 0));
  return maps::minus(x);
}

}  // namespace detail

/// An m x n matrix A for solvers.
template <ExecutionSpace Exec, Scalar T>
class NormalOperator {
 public:
  using execution_space = Exec;
  using value_type = T;
  using Map = RowMap<T, typename Exec::memory_space>;

  NormalOperator(NormalOperator const&) = delete;
  NormalOperator& operator=(NormalOperator const&) = delete;
  NormalOperator(NormalOperator&&) = delete;
  NormalOperator& operator=(NormalOperator&&) = delete;
  virtual ~NormalOperator() = default;

  [[nodiscard]] Exec const& exec() const { return exec_; }
  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  /// What sums run over, on which bits depend: "rows" or "columns".
  [[nodiscard]] char const* layout() const { return layout_; }
  [[nodiscard]] Index reads() const { return reads_; }

  /// Throws on all processes that share the operator if they make different calls, which could
  /// deadlock.
  ///
  /// @param method the solver
  /// @param call digests options and vectors
  void agree(std::string const& method, std::function<std::uint64_t()> const& call) const {
    do_agree(method, call);
  }

  /// b = f(A·v), or A·v if `keep_product`, and c = Aᵀ·f(A·v), one read. b may be empty.
  void atax(ConstValues<Exec, T> const& v, Map const& map, Values<Exec, T> const& b,
            Values<Exec, T> const& c, bool keep_product = false) const {
    ++reads_;
    do_atax(v, map, b, c, keep_product);
  }
  /// b = A·v.
  void multiply(ConstValues<Exec, T> const& v, Values<Exec, T> const& b) const {
    ++reads_;
    do_multiply(v, b);
  }
  /// c = Aᵀ·u.
  void multiply_transposed(ConstValues<Exec, T> const& u, Values<Exec, T> const& c) const {
    ++reads_;
    do_multiply_transposed(u, c);
  }
  /// B_j = f_j(A·V_j) and C = Aᵀ·B, with the bits of separate calls. VT and CT are k x n, BT is
  /// k x m; `maps` has one for each vector, or none.
  void atax_of_each(ConstRows<Exec, T> const& VT, std::vector<Map> const& maps,
                    Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const {
    reads_ += do_atax_of_each(VT, maps, BT, CT);
  }
  /// C = Aᵀ·U, with the bits of separate calls. UT is k x m, CT is k x n.
  void multiply_transposed_of_each(ConstRows<Exec, T> const& UT, Rows<Exec, T> const& CT) const {
    reads_ += do_multiply_transposed_of_each(UT, CT);
  }
  using List = std::vector<NormalOperator const*>;
  /// As above, with all[j] for vector j. All read the same matrix; equal ones are adjacent. The
  /// rows of BT have room for the largest number of rows.
  static void atax_of_each(List const& all, ConstRows<Exec, T> const& VT,
                           std::vector<Map> const& maps, Rows<Exec, T> const& BT,
                           Rows<Exec, T> const& CT) {
    count(all, all.front()->do_atax_of_list(all, VT, maps, BT, CT));
  }
  static void multiply_transposed_of_each(List const& all, ConstRows<Exec, T> const& UT,
                                          Rows<Exec, T> const& CT) {
    count(all, all.front()->do_multiply_transposed_of_list(all, UT, CT));
  }
  /// c_j = Σ_i (units_j·(a_ij - mean_j))², each operation rounded; units are powers of two.
  void sums_of_squares(ConstValues<Exec, T> const& mean, ConstValues<Exec, T> const& units,
                       Values<Exec, T> const& c) const {
    ++reads_;
    do_sums_of_squares(mean, units, c);
  }
  [[nodiscard]] virtual bool can_sum_rows() const { return false; }
  /// sums.length() sums over the rows in double, in memory of Exec, with one read. Fences.
  void sum_rows(detail::RowSums<Exec, T>& sums, double* out) const {
    ++reads_;
    do_sum_rows(sums, out);
  }

 protected:
  NormalOperator(Exec exec, Index rows, Index cols, bool has_rows)
      : exec_(std::move(exec)),
        rows_(rows),
        cols_(cols),
        layout_(summation::lines_are_rows(has_rows, rows, cols) ? "rows" : "columns") {}
  void count_read() const { ++reads_; }
  virtual void do_agree(std::string const& /*method*/,
                        std::function<std::uint64_t()> const& /*call*/) const {}

 private:
  virtual void do_atax(ConstValues<Exec, T> const& v, Map const& map, Values<Exec, T> const& b,
                       Values<Exec, T> const& c, bool keep_product) const = 0;
  virtual void do_multiply(ConstValues<Exec, T> const& v, Values<Exec, T> const& b) const = 0;
  virtual void do_multiply_transposed(ConstValues<Exec, T> const& u,
                                      Values<Exec, T> const& c) const = 0;
  virtual void do_sums_of_squares(ConstValues<Exec, T> const& mean,
                                  ConstValues<Exec, T> const& units,
                                  Values<Exec, T> const& c) const = 0;
  virtual void do_sum_rows(detail::RowSums<Exec, T>& /*sums*/, double* /*out*/) const {
    checks::fail("solve", "this operator has no sums over rows");
  }

 protected:
  // Both return the number of reads of A.
  virtual Index do_atax_of_each(ConstRows<Exec, T> const& VT, std::vector<Map> const& maps,
                                Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const {
    auto const count = static_cast<Index>(VT.extent(0));
    for (Index i = 0; i < count; ++i) {
      do_atax(detail::row<Exec, T const>(VT, i),
              maps.empty() ? Map() : maps[static_cast<std::size_t>(i)], detail::row<Exec, T>(BT, i),
              detail::row<Exec, T>(CT, i), false);
    }
    return count;
  }
  virtual Index do_multiply_transposed_of_each(ConstRows<Exec, T> const& UT,
                                               Rows<Exec, T> const& CT) const {
    auto const count = static_cast<Index>(UT.extent(0));
    for (Index i = 0; i < count; ++i) {
      do_multiply_transposed(detail::row<Exec, T const>(UT, i), detail::row<Exec, T>(CT, i));
    }
    return count;
  }
  virtual Index do_atax_of_list(List const& /*all*/, ConstRows<Exec, T> const& VT,
                                std::vector<Map> const& maps, Rows<Exec, T> const& BT,
                                Rows<Exec, T> const& CT) const {
    return do_atax_of_each(VT, maps, BT, CT);
  }
  virtual Index do_multiply_transposed_of_list(List const& /*all*/, ConstRows<Exec, T> const& UT,
                                               Rows<Exec, T> const& CT) const {
    return do_multiply_transposed_of_each(UT, CT);
  }

 private:
  static void count(List const& all, Index reads) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (j == 0 || all[j] != all[j - 1]) all[j]->reads_ += reads;
    }
  }

  Exec exec_;
  Index rows_;
  Index cols_;
  char const* layout_;
  mutable Index reads_ = 0;
};

/// Also multiplies with k vectors at once.
template <ExecutionSpace Exec, Scalar T>
class BlockOperator : public NormalOperator<Exec, T> {
 public:
  /// B = A·V and C = Aᵀ·B, one read. VT and CT are k x n; BT is k x m, or empty. Fences, as below.
  void atax_block(ConstRows<Exec, T> const& VT, Rows<Exec, T> const& BT,
                  Rows<Exec, T> const& CT) const {
    this->count_read();
    do_multiply_block({.VT = VT, .UT = {}, .BT = BT, .CT = CT});
  }
  /// B = A·V - U and C = Aᵀ·B, one read.
  void residual_block(ConstRows<Exec, T> const& VT, ConstRows<Exec, T> const& UT,
                      Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const {
    this->count_read();
    do_multiply_block({.VT = VT, .UT = UT, .BT = BT, .CT = CT});
  }
  /// C = Aᵀ·U, one read.
  void multiply_transposed_block(ConstRows<Exec, T> const& UT, Rows<Exec, T> const& CT) const {
    this->count_read();
    do_multiply_block({.VT = {}, .UT = UT, .BT = {}, .CT = CT});
  }
  [[nodiscard]] virtual bool has_gram() const { return false; }
  /// G = MᵀM in double (gram.hpp), one read.
  void gram(detail::GramProducts<Exec, T> const& products) const {
    this->count_read();
    do_gram(products);
  }
  /// Moments of the columns in double (moments.hpp), one read.
  void moments(detail::MomentProducts<Exec, T> const& products) const {
    this->count_read();
    do_moments(products);
  }

 protected:
  using NormalOperator<Exec, T>::NormalOperator;

 private:
  virtual void do_gram(detail::GramProducts<Exec, T> const& /*products*/) const {
    checks::fail("gram", "expected an operator with Gram matrices, found one without");
  }
  virtual void do_moments(detail::MomentProducts<Exec, T> const& /*products*/) const {
    checks::fail("column_statistics", "expected an operator with moments, found one without");
  }
  virtual void do_multiply_block(detail::BlockProducts<Exec, T> const& products) const = 0;
};

}  // namespace tessera::solve
