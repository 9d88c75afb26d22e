// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/concepts.hpp>
#include <tessera/distributed.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/workspace.hpp>

/// Matrices of many processes as solvers read them.
namespace tessera::solve {

/// A matrix of which each rank has some rows in memory. Every rank runs the solver on vectors that
/// are whole, and so all decide alike; callbacks have to. To make it, and all that is done with it,
/// is collective. The workspace of the options is not used: it keeps its own.
template <ExecutionSpace Exec, MatrixOf<Exec> A>
class DistributedOperator final : public NormalOperator<Exec, typename A::non_const_value_type> {
  using T = typename A::non_const_value_type;
  using Base = NormalOperator<Exec, T>;
  using World = Distributed<Exec>;

 public:
  /// `a` is this rank's rows. `world` has to outlive the operator.
  DistributedOperator(World const& world, A const& a, AtaxOptions<Exec, T> const& options = {})
      : DistributedOperator(world, a, options, world.place_of(a)) {}

 private:
  DistributedOperator(World const& world, A a, AtaxOptions<Exec, T> const& options,
                      typename World::Place const& place)
      : Base(world.exec(), place.all_rows, static_cast<Index>(a.extent(1)), place.by_rows),
        world_(world),
        a_(std::move(a)),
        rows_(place.rows),
        by_rows_(place.by_rows),
        method_(options.method),
        options_{.workspace = &workspace_, .tuning = options.tuning, .kernels = options.kernels} {}

  /// This rank's rows of a vector that is whole.
  template <class Vector>
  [[nodiscard]] Vector mine(Vector const& x) const {
    return Vector(x.data() + rows_.first, static_cast<std::size_t>(rows_.count));
  }
  [[nodiscard]] typename Base::Map mine(typename Base::Map const& map) const {
    if (map.is_identity()) return map;
    auto const& f = map.function();
    using Strided = Kokkos::View<T const*, Kokkos::LayoutStride, typename Exec::memory_space,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Strided const x(f.x + rows_.first * f.stride,
                    Kokkos::LayoutStride(static_cast<std::size_t>(rows_.count),
                                         static_cast<std::size_t>(f.stride)));
    return typename Base::Map(f.kind, x, f.gamma);
  }

  void do_atax(ConstValues<Exec, T> const& v, typename Base::Map const& map,
               Values<Exec, T> const& b, Values<Exec, T> const& c,
               bool keep_product) const override {
    AtaxOptions<Exec, T> options = options_;
    options.method = method_;
    options.map = mine(map);
    options.keep_product = keep_product;
    if (b.extent(0) == 0) return world_.atax(a_, v, c, options);
    world_.atax(a_, v, mine(b), c, options);
    world_.share_rows(b, rows_);
  }
  void do_multiply(ConstValues<Exec, T> const& v, Values<Exec, T> const& b) const override {
    world_.multiply(a_, v, mine(b), options_);
    world_.share_rows(b, rows_);
  }
  void do_multiply_transposed(ConstValues<Exec, T> const& u,
                              Values<Exec, T> const& c) const override {
    world_.multiply_transposed(a_, mine(u), c, options_);
  }
  void do_sums_of_squares(ConstValues<Exec, T> const& mean,
                          Values<Exec, T> const& c) const override {
    if (by_rows_) {
      sums_of_squares_in<Kokkos::LayoutRight>(mean, c);
    } else {
      sums_of_squares_in<Kokkos::LayoutLeft>(mean, c);
    }
  }
  /// By a matrix of the squares.
  template <class Layout>
  void sums_of_squares_in(ConstValues<Exec, T> const& mean, Values<Exec, T> const& c) const {
    using Squares = Kokkos::View<T**, Layout, typename Exec::memory_space>;
    Squares squares;
    Values<Exec, T> ones;
    world_.together([&] {
      squares = Squares(Kokkos::view_alloc(this->exec(), Kokkos::WithoutInitializing,
                                           std::string("tessera::solve::squares")),
                        a_.extent(0), a_.extent(1));
      auto const row_stride = static_cast<Index>(a_.stride(0));
      auto const col_stride = static_cast<Index>(a_.stride(1));
      static std::string const label("tessera::solve::squares");
      tessera::detail::for_each_element(
          this->exec(), label, by_rows_ ? rows_.count : this->cols(),
          detail::SquareDifferences<T>{
              a_.data(), by_rows_ ? row_stride : col_stride, by_rows_ ? col_stride : row_stride,
              by_rows_ ? this->cols() : rows_.count, mean.data(), by_rows_, squares.data()});
      ones = detail::ones<Exec, T>(this->exec(), rows_.count);
    });
    world_.multiply_transposed(squares, ones, c, options_);
  }

  World const& world_;
  A a_;
  distributed::Rows rows_;
  bool by_rows_;
  Method method_;
  mutable Workspace<Exec> workspace_;
  Options<Exec> options_;
};

}  // namespace tessera::solve
