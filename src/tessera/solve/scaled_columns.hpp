// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/maps.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/values.hpp>

/// Scales columns to similar norms, without a copy of A.
namespace tessera::solve::detail {

template <class T>
struct ScaleBy {
  T const* x;
  T const* unit;
  bool is_squared;
  T* to;
  KOKKOS_FUNCTION void operator()(Index j) const {
    to[j] = (is_squared ? unit[j] * unit[j] : unit[j]) * x[j];
  }
};

/// One read. Overwrites `unit` and `work`.
template <class Exec, class T>
std::vector<double> squares_in(NormalOperator<Exec, T> const& op, std::vector<T> const& units,
                               Values<Exec, T> const& mean, Values<Exec, T> const& unit,
                               Values<Exec, T> const& work) {
  from_host<Exec, T>(op.exec(), units, unit);
  op.sums_of_squares(mean, unit, work);
  std::vector<T> const squares = to_host<Exec, T>(op.exec(), work);
  return {squares.begin(), squares.end()};
}

/// Returns true if squares over- or underflow.
template <class T>
bool bring_in_range(std::vector<double> const& squares, std::vector<T>& units) {
  constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  constexpr int far = std::numeric_limits<T>::max_exponent * 3 / 4;
  constexpr double smallest = static_cast<double>(std::numeric_limits<T>::min()) / (eps * eps);
  bool is_changed = false;
  for (std::size_t j = 0; j < squares.size(); ++j) {
    if (squares[j] >= smallest && std::isfinite(squares[j])) continue;
    units[j] = static_cast<T>(std::scalbn(1.0, squares[j] < smallest ? far : -far));
    is_changed = true;
  }
  return is_changed;
}

/// One read; two if squares over- or underflow, or are 0.
template <class Exec, class T>
std::vector<double> column_norms(NormalOperator<Exec, T> const& op) {
  auto const mean = make_values<Exec, T>(op.exec(), op.cols());
  auto const unit = make_values<Exec, T>(op.exec(), op.cols());
  auto const work = make_values<Exec, T>(op.exec(), op.cols());
  Kokkos::deep_copy(op.exec(), mean, T(0));
  std::vector<T> units(static_cast<std::size_t>(op.cols()), T(1));
  auto norms = squares_in<Exec, T>(op, units, mean, unit, work);
  if (bring_in_range(norms, units)) norms = squares_in<Exec, T>(op, units, mean, unit, work);
  for (std::size_t j = 0; j < norms.size(); ++j) {
    norms[j] = std::sqrt(norms[j]) / static_cast<double>(units[j]);
  }
  return norms;
}

/// Powers of two that scale columns, with damp·I below, to norms from 1 to 2. Empty if norms differ
/// by at most a factor of ten or are not finite.
template <class T>
std::vector<T> uneven_units(std::vector<double> const& norms, double damp) {
  constexpr int most = std::numeric_limits<T>::max_exponent - 2;
  double least = std::numeric_limits<double>::infinity();
  double largest = 0;
  std::vector<T> units;
  for (double const norm : norms) {
    double const size = std::hypot(norm, damp);
    if (!std::isfinite(size)) return {};
    if (norm > 0) {
      least = std::min(least, size);
      largest = std::max(largest, size);
    }
    int const exponent = size > 0 ? std::clamp(-std::ilogb(size), -most, most) : 0;
    units.push_back(static_cast<T>(std::scalbn(1.0, exponent)));
  }
  return largest > 10 * least ? units : std::vector<T>{};
}

template <class T>
struct RowsBelow {
  T const* scaled;  ///< D·v
  T const* unit;    ///< diagonal of D
  T damp;
  maps::Function<T> map;
  bool keeps_product;
  T* b;  ///< or null
  T* c;
  KOKKOS_FUNCTION void operator()(Index j) const {
    T const product = damp * scaled[j];
    T const mapped = map.kind == maps::Kind::identity ? product : map(j, product);
    if (b != nullptr) b[j] = keeps_product ? product : mapped;
    c[j] = unit[j] * Kokkos::fma(damp, mapped, c[j]);
  }
};
template <class T>
struct Multiple {
  T const* x;
  T factor;
  T* to;
  KOKKOS_FUNCTION void operator()(Index j) const { to[j] = factor * x[j]; }
};
template <class T>
struct AddBelow {
  T const* u;
  T const* unit;
  T damp;
  T* c;
  KOKKOS_FUNCTION void operator()(Index j) const { c[j] = unit[j] * Kokkos::fma(damp, u[j], c[j]); }
};

/// Of products with several vectors.
template <class Exec, class T>
struct ScaledBuffers {
  Rows<Exec, T> scaled;
  Rows<Exec, T> products;
};

/// A·D with damp·D below it, D a diagonal of powers of two. With b above damp·x0 on the right-hand
/// side, z minimises ‖A·x - b‖² + damp²·‖x - x0‖² for x = D·z.
template <class Exec, class T>
class ScaledOperator final : public NormalOperator<Exec, T> {
 public:
  using Base = NormalOperator<Exec, T>;
  using Map = typename Base::Map;
  using List = typename Base::List;

  using Buffers = ScaledBuffers<Exec, T>;

  /// @param buffers shared by operators that multiply together
  ScaledOperator(Base const& op, std::vector<T> const& units, double damp,
                 std::shared_ptr<Buffers> buffers)
      : Base(op.exec(), op.rows() + (damp > 0 ? op.cols() : 0), op.cols(),
             std::string_view(op.layout()) == "rows"),
        op_(op),
        damp_(static_cast<T>(damp)),
        is_damped_(damp > 0),
        units_(make_values<Exec, T>(op.exec(), op.cols())),
        scaled_(make_values<Exec, T>(op.exec(), op.cols())),
        buffers_(std::move(buffers)) {
    from_host<Exec, T>(op.exec(), units, units_);
  }

  void scale(ConstValues<Exec, T> const& z, Values<Exec, T> const& to) const {
    for_each(ScaleBy<T>{z.data(), units_.data(), false, to.data()});
  }
  /// b above damp·x0, which may be empty.
  [[nodiscard]] ConstValues<Exec, T> right_side(ConstValues<Exec, T> const& b,
                                                ConstValues<Exec, T> const& x0) const {
    if (!is_damped_) return b;
    auto const all = make_values<Exec, T>(op_.exec(), this->rows());
    Kokkos::deep_copy(op_.exec(), all, T(0));
    Kokkos::deep_copy(op_.exec(), above(all), b);
    if (x0.extent(0) > 0) for_each(Multiple<T>{x0.data(), damp_, below(all)});
    return all;
  }

 private:
  [[nodiscard]] Values<Exec, T> above(Values<Exec, T> const& b) const {
    return b.extent(0) == 0 ? b : Values<Exec, T>(b.data(), rows_of_matrix());
  }
  [[nodiscard]] T* below(Values<Exec, T> const& b) const {
    return b.extent(0) == 0 ? nullptr : b.data() + op_.rows();
  }
  /// @param scaled D·v
  void add_below(ConstValues<Exec, T> const& scaled, Map const& map, Values<Exec, T> const& b,
                 Values<Exec, T> const& c, bool keep_product) const {
    if (!is_damped_) return scale(c, c);
    for_each(
        RowsBelow<T>{scaled.data(), units_.data(), damp_,
                     map.is_identity() ? map.function() : maps::shifted(map.function(), op_.rows()),
                     keep_product, below(b), c.data()});
  }
  void add_below(ConstValues<Exec, T> const& u, Values<Exec, T> const& c) const {
    if (!is_damped_) return scale(c, c);
    for_each(AddBelow<T>{u.data() + op_.rows(), units_.data(), damp_, c.data()});
  }
  [[nodiscard]] Map above(Map const& map) const {
    if (!is_damped_ || map.is_identity()) return map;
    auto const& f = map.function();
    Kokkos::View<T const*, Kokkos::LayoutStride, typename Exec::memory_space,
                 Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
        x(f.x, Kokkos::LayoutStride(static_cast<std::size_t>(op_.rows()),
                                    static_cast<std::size_t>(f.stride)));
    return {f.kind, x, f.gamma};
  }
  [[nodiscard]] std::size_t rows_of_matrix() const { return static_cast<std::size_t>(op_.rows()); }
  [[nodiscard]] static ScaledOperator const& of(List const& all, Index i) {
    return static_cast<ScaledOperator const&>(*all[static_cast<std::size_t>(i)]);
  }
  /// BT, or a buffer if A·V has shorter rows.
  [[nodiscard]] Rows<Exec, T> rows_above(Rows<Exec, T> const& BT) const {
    if (BT.extent(1) == rows_of_matrix()) return BT;
    return buffer(buffers_->products, BT.extent(0), rows_of_matrix());
  }
  [[nodiscard]] Rows<Exec, T> buffer(Rows<Exec, T>& kept, std::size_t count,
                                     std::size_t length) const {
    if (kept.extent(0) < count) {
      op_.exec().fence("tessera: the smaller buffer is no longer used");
      kept = make_rows<Exec, T>(op_.exec(), static_cast<Index>(count), static_cast<Index>(length));
    }
    return Rows<Exec, T>(kept.data(), count, length);
  }
  template <class Body>
  void for_each(Body const& body) const {
    static std::string const label("tessera::solve::units");
    for_each_element(op_.exec(), label, op_.cols(), body);
  }

  void do_agree(std::string const& method,
                std::function<std::uint64_t()> const& call) const override {
    op_.agree(method, call);
  }
  void do_atax(ConstValues<Exec, T> const& v, Map const& map, Values<Exec, T> const& b,
               Values<Exec, T> const& c, bool keep_product) const override {
    scale(v, scaled_);
    op_.atax(scaled_, above(map), above(b), c, keep_product);
    add_below(scaled_, map, b, c, keep_product);
  }
  void do_multiply(ConstValues<Exec, T> const& v, Values<Exec, T> const& b) const override {
    scale(v, scaled_);
    op_.multiply(scaled_, above(b));
    if (is_damped_) for_each(Multiple<T>{scaled_.data(), damp_, below(b)});
  }
  void do_multiply_transposed(ConstValues<Exec, T> const& u,
                              Values<Exec, T> const& c) const override {
    op_.multiply_transposed(ConstValues<Exec, T>(u.data(), rows_of_matrix()), c);
    add_below(u, c);
  }
  Index do_atax_of_each(ConstRows<Exec, T> const& VT, std::vector<Map> const& maps,
                        Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const override {
    return do_atax_of_list(List(VT.extent(0), this), VT, maps, BT, CT);
  }
  Index do_multiply_transposed_of_each(ConstRows<Exec, T> const& UT,
                                       Rows<Exec, T> const& CT) const override {
    return do_multiply_transposed_of_list(List(UT.extent(0), this), UT, CT);
  }
  Index do_atax_of_list(List const& all, ConstRows<Exec, T> const& VT, std::vector<Map> const& maps,
                        Rows<Exec, T> const& BT, Rows<Exec, T> const& CT) const override {
    auto const count = static_cast<Index>(all.size());
    Rows<Exec, T> const scaled = buffer(buffers_->scaled, VT.extent(0), VT.extent(1));
    std::vector<Map> above_maps;
    for (Index i = 0; i < count; ++i) {
      ScaledOperator const& op = of(all, i);
      op.scale(row<Exec, T const>(VT, i), row<Exec, T>(scaled, i));
      if (!maps.empty()) above_maps.push_back(op.above(maps[static_cast<std::size_t>(i)]));
    }
    Rows<Exec, T> const products = rows_above(BT);
    Index const reads_before = op_.reads();
    op_.atax_of_each(scaled, above_maps, products, CT);
    for (Index i = 0; i < count; ++i) {
      auto const b = row<Exec, T>(BT, i);
      if (products.data() != BT.data()) {
        Kokkos::deep_copy(op_.exec(), above(b), row<Exec, T>(products, i));
      }
      of(all, i).add_below(row<Exec, T>(scaled, i),
                           maps.empty() ? Map() : maps[static_cast<std::size_t>(i)], b,
                           row<Exec, T>(CT, i), false);
    }
    return op_.reads() - reads_before;
  }
  Index do_multiply_transposed_of_list(List const& all, ConstRows<Exec, T> const& UT,
                                       Rows<Exec, T> const& CT) const override {
    auto const count = static_cast<Index>(all.size());
    ConstRows<Exec, T> above_each = UT;
    if (static_cast<Index>(UT.extent(1)) != op_.rows()) {
      Rows<Exec, T> const copies = buffer(buffers_->products, UT.extent(0), rows_of_matrix());
      for (Index i = 0; i < count; ++i) {
        Kokkos::deep_copy(op_.exec(), row<Exec, T>(copies, i),
                          ConstValues<Exec, T>(row<Exec, T const>(UT, i).data(), rows_of_matrix()));
      }
      above_each = copies;
    }
    Index const reads_before = op_.reads();
    op_.multiply_transposed_of_each(above_each, CT);
    for (Index i = 0; i < count; ++i) {
      of(all, i).add_below(row<Exec, T const>(UT, i), row<Exec, T>(CT, i));
    }
    return op_.reads() - reads_before;
  }
  void do_sums_of_squares(ConstValues<Exec, T> const& /*mean*/,
                          ConstValues<Exec, T> const& /*units*/,
                          Values<Exec, T> const& /*c*/) const override {
    checks::fail("ScaledOperator", "its sums of squares are those of the matrix itself");
  }

  Base const& op_;
  T damp_;
  bool is_damped_;
  Values<Exec, T> units_;
  Values<Exec, T> scaled_;
  std::shared_ptr<Buffers> buffers_;
};

}  // namespace tessera::solve::detail
