// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/stream.hpp>
#include <tessera/tessera.hpp>

#include "support/cases.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/reference.hpp"
#include "support/same_bits.hpp"
#include "support/shapes.hpp"

/// Summed as row-major, for every layout and stride, in memory and streamed.
namespace tessera::test {
namespace {

template <class C>
class OneLine : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Space = typename Exec::memory_space;
  using Strided = Kokkos::View<T**, Kokkos::LayoutStride, Space>;
  using Block = Kokkos::View<T**, Kokkos::LayoutRight, Space>;
  static constexpr Index k = 3;

  struct Problem {
    Shape shape;
    std::vector<T> elements, v, u, V, U;
    std::vector<T> Av, ATu, ATAv, mapped, AV, ATU, ATAV;
  };
  static std::vector<T> numbers(Index size, std::uint64_t seed) {
    return real_numbers<T>(static_cast<std::size_t>(size), seed);
  }
  static std::vector<T> column(std::vector<T> const& block, Index entries, Index j) {
    std::vector<T> result;
    for (Index i = 0; i < entries; ++i) {
      result.push_back(block[static_cast<std::size_t>(i * k + j)]);
    }
    return result;
  }
  static Problem problem(Shape const& shape) {
    auto const [m, n] = shape;
    Problem p;
    p.shape = shape;
    p.elements = numbers(m * n, 1);
    p.v = numbers(n, 2);
    p.u = numbers(m, 3);
    p.V = numbers(n * k, 4);
    p.U = numbers(m * k, 5);
    reference::Matrix<T> const A{p.elements.data(), m, n, n, reference::Order::row_major};
    p.Av = reference::multiply(A, p.v);
    p.ATu = reference::multiply_transposed(A, p.u);
    p.ATAv = reference::atax(A, p.v);
    p.mapped = reference::multiply_transposed(A, reference::map<T>("minus", p.Av, p.u));
    auto const each = [&](std::vector<T> const& in, Index entries, Index result_entries,
                          auto const& compute) {
      std::vector<T> all(static_cast<std::size_t>(result_entries * k));
      for (Index j = 0; j < k; ++j) {
        auto const one = compute(column(in, entries, j));
        for (Index i = 0; i < result_entries; ++i) {
          all[static_cast<std::size_t>(i * k + j)] = one[static_cast<std::size_t>(i)];
        }
      }
      return all;
    };
    p.AV = each(p.V, n, m, [&](auto const& x) { return reference::multiply(A, x); });
    p.ATU = each(p.U, m, n, [&](auto const& x) { return reference::multiply_transposed(A, x); });
    p.ATAV = each(p.V, n, n, [&](auto const& x) { return reference::atax(A, x); });
    return p;
  }

  static std::vector<T> host(Block const& block) {
    auto const copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), block);
    return {copy.data(), copy.data() + copy.size()};
  }
  static Block block_of(std::vector<T> const& values) {
    Block const block("block", values.size() / k, k);
    Kokkos::deep_copy(block, Kokkos::View<T const**, Kokkos::LayoutRight, Kokkos::HostSpace>(
                                 values.data(), values.size() / k, k));
    return block;
  }
  static Block nothing(Index entries) {
    Block const block("result", static_cast<std::size_t>(entries), k);
    Kokkos::deep_copy(block, poison<T>());
    return block;
  }

  template <class A>
  static void expect_products(Problem const& p, A const& a, std::string const& how) {
    auto const [m, n] = p.shape;
    Exec const exec;
    Workspace<Exec> workspace;
    SCOPED_TRACE(how);
    for (Index const stride : {1, 2}) {
      GuardedVector<C> const v(p.v, stride), u(p.u, stride), b(m, stride), c(n, stride);
      auto const expect = [&](std::vector<T> const& of_b, std::vector<T> const& of_c) {
        Kokkos::fence();
        if (!of_b.empty()) {
          EXPECT_THAT(b.to_host(), same_bits_as(of_b)) << p.shape;
        }
        if (!of_c.empty()) {
          EXPECT_THAT(c.to_host(), same_bits_as(of_c)) << p.shape;
        }
      };
      for (Kernels const kernels : {Kernels::automatic, Kernels::portable}) {
        Options<Exec> const options{.workspace = &workspace, .kernels = kernels};
        multiply(exec, a, v.strided(), b.strided(), options);
        multiply_transposed(exec, a, u.strided(), c.strided(), options);
        expect(p.Av, p.ATu);
        multiply_both(exec, a, v.strided(), u.strided(), b.strided(), c.strided(), options);
        expect(p.Av, p.ATu);
        for (Method const method : {Method::fused, Method::two_stage}) {
          AtaxOptions<Exec, T> its{.method = method, .workspace = &workspace, .kernels = kernels};
          atax(exec, a, v.strided(), c.strided(), its);
          expect({}, p.ATAv);
          atax(exec, a, v.strided(), b.strided(), c.strided(), its);
          expect(p.Av, p.ATAv);
          its.map = maps::minus(u.strided());
          atax(exec, a, v.strided(), c.strided(), its);
          expect({}, p.mapped);
        }
      }
    }
    auto const V = block_of(p.V);
    auto const AV = nothing(m);
    auto const ATU = nothing(n);
    multiply(exec, a, V, AV);
    multiply_transposed(exec, a, block_of(p.U), ATU);
    Kokkos::fence();
    EXPECT_THAT(host(AV), same_bits_as(p.AV)) << p.shape;
    EXPECT_THAT(host(ATU), same_bits_as(p.ATU)) << p.shape;
    for (Method const method : {Method::fused, Method::two_stage}) {
      auto const ATAV = nothing(n);
      atax(exec, a, V, ATAV, {.method = method});
      Kokkos::fence();
      EXPECT_THAT(host(ATAV), same_bits_as(p.ATAV)) << p.shape;
    }
  }

  static Strided strided(Problem const& p, Index down, Index across) {
    auto const [m, n] = p.shape;
    auto const size = static_cast<std::size_t>((m - 1) * down + (n - 1) * across + 1);
    Kokkos::View<T*, Kokkos::HostSpace> const on_host("memory", size);
    Kokkos::deep_copy(on_host, poison<T>());
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        on_host(static_cast<std::size_t>(i * down + j * across)) =
            p.elements[static_cast<std::size_t>(i * n + j)];
      }
    }
    Kokkos::View<T*, Space> const memory("memory", size);
    Kokkos::deep_copy(memory, on_host);
    held_ = memory;
    auto const of = [](Index x) { return static_cast<std::size_t>(x); };
    return Strided(memory.data(), Kokkos::LayoutStride(of(m), of(down), of(n), of(across)));
  }
  template <class Layout>
  static auto part(Problem const& p, Index gap) {
    auto const [m, n] = p.shape;
    using A = Kokkos::View<T**, Layout, Space>;
    A const whole("whole", static_cast<std::size_t>(m + gap), static_cast<std::size_t>(n + gap));
    Kokkos::deep_copy(whole, poison<T>());
    auto const it = Kokkos::subview(whole, Kokkos::pair(Index{0}, m), Kokkos::pair(Index{0}, n));
    auto const on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) on_host(i, j) = p.elements[static_cast<std::size_t>(i * n + j)];
    }
    Kokkos::deep_copy(whole, on_host);
    return it;
  }

  static std::vector<Shape> shapes() {
    return {{1, 1}, {2, 1}, {1, 2}, {7, 1}, {1, 7}, {300, 1}, {1, 300}, {4999, 1}, {1, 4999}};
  }

  inline static Kokkos::View<T*, Space> held_;
  void TearDown() override { held_ = {}; }
};
TYPED_TEST_SUITE(OneLine, RowMajorCases, CaseName);

TYPED_TEST(OneLine, HasTheSumsOfARowMajorMatrixInEveryLayoutAndStride) {
  for (Shape const& shape : this->shapes()) {
    auto const p = this->problem(shape);
    for (Index const gap : {0, 1, 5}) {
      this->expect_products(p, this->template part<Kokkos::LayoutRight>(p, gap), "LayoutRight");
      this->expect_products(p, this->template part<Kokkos::LayoutLeft>(p, gap), "LayoutLeft");
    }
    auto const [m, n] = shape;
    for (auto const& [down, across] : {std::pair{n, Index{1}},
                                       {Index{1}, m},
                                       {n + 3, Index{1}},
                                       {Index{1}, m + 3},
                                       {Index{1}, Index{1}},
                                       {n * 2, Index{2}},
                                       {Index{3}, 3 * m}}) {
      this->expect_products(
          p, this->strided(p, down, across),
          "strides of " + std::to_string(down) + " and " + std::to_string(across));
    }
  }
}

TYPED_TEST(OneLine, StreamedSumsMatchRowMajor) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  for (Shape const& shape : this->shapes()) {
    auto const p = this->problem(shape);
    auto const [m, n] = shape;
    auto const expect_streams = [&]<class Layout>(Layout) {
      auto const source =
          stream::make_source<T, Layout>(m, n, [&](stream::Block const& block, T* to) {
            for (Index i = 0; i < block.rows * block.cols; ++i) {
              to[i] = p.elements[static_cast<std::size_t>(block.first_row + block.first_col + i)];
            }
          });
      Exec const exec;
      GuardedVector<TypeParam> const v(p.v, 1), u(p.u, 1), b(m, 1), c(n, 1);
      auto const expect = [&](std::vector<T> const& of_b, std::vector<T> const& of_c) {
        if (!of_b.empty()) {
          EXPECT_THAT(b.to_host(), same_bits_as(of_b)) << shape;
        }
        if (!of_c.empty()) {
          EXPECT_THAT(c.to_host(), same_bits_as(of_c)) << shape;
        }
      };
      auto const run = [&](stream::Options<T> const& options) {
        stream::multiply(exec, source, v.contiguous(), b.contiguous(), options);
        expect(p.Av, {});
        stream::multiply_transposed(exec, source, u.contiguous(), c.contiguous(), options);
        expect({}, p.ATu);
        stream::atax(exec, source, v.contiguous(), c.contiguous(), options);
        expect({}, p.ATAv);
        stream::atax(exec, source, v.contiguous(), b.contiguous(), c.contiguous(), options);
        expect(p.Av, p.ATAv);
        stream::multiply_both(exec, source, v.contiguous(), u.contiguous(), b.contiguous(),
                              c.contiguous(), options);
        expect(p.Av, p.ATu);
        auto const V = this->block_of(p.V);
        auto const AV = this->nothing(m);
        auto const ATU = this->nothing(n);
        auto const ATAV = this->nothing(n);
        stream::multiply(exec, source, V, AV, options);
        stream::multiply_transposed(exec, source, this->block_of(p.U), ATU, options);
        stream::atax(exec, source, V, ATAV, options);
        EXPECT_THAT(this->host(AV), same_bits_as(p.AV)) << shape;
        EXPECT_THAT(this->host(ATU), same_bits_as(p.ATU)) << shape;
        EXPECT_THAT(this->host(ATAV), same_bits_as(p.ATAV)) << shape;
      };
      run({});
      stream::Options<T> few{.memory_limit = 1};
      for (bool enough = false; !enough;) {
        try {
          run(few);
          enough = true;
        } catch (stream::LimitError const& error) {
          ASSERT_GT(error.needed(), few.memory_limit);
          few.memory_limit = error.needed();
        }
      }
    };
    expect_streams(Kokkos::LayoutRight());
    expect_streams(Kokkos::LayoutLeft());
  }
}

TYPED_TEST(OneLine, IsPlannedAsARowMajorMatrix) {
  using T = typename TypeParam::Scalar;
  using Left = Kokkos::LayoutLeft;
  using Right = Kokkos::LayoutRight;
  typename TypeParam::Exec const exec;
  auto const expect_same = [](Plan const& left, Plan const& right) {
    EXPECT_EQ(left.method, right.method);
    EXPECT_EQ(left.workspace_bytes, right.workspace_bytes);
    ASSERT_EQ(left.stages.size(), right.stages.size());
    for (std::size_t i = 0; i < left.stages.size(); ++i) {
      EXPECT_EQ(left.stages[i].name, right.stages[i].name);
      EXPECT_EQ(left.stages[i].panels, right.stages[i].panels);
      EXPECT_EQ(left.stages[i].teams, right.stages[i].teams);
    }
  };
  for (Shape const& shape : this->shapes()) {
    auto const [m, n] = shape;
    expect_same(plan_multiply<T, Left>(exec, m, n), plan_multiply<T, Right>(exec, m, n));
    expect_same(plan_multiply_transposed<T, Left>(exec, m, n),
                plan_multiply_transposed<T, Right>(exec, m, n));
    expect_same(plan_multiply_both<T, Left>(exec, m, n), plan_multiply_both<T, Right>(exec, m, n));
    for (Method const method : {Method::automatic, Method::fused, Method::two_stage}) {
      expect_same(plan_atax<T, Left>(exec, m, n, {.method = method}),
                  plan_atax<T, Right>(exec, m, n, {.method = method}));
    }
    for (Index const vectors : {2, 8, 9}) {
      EXPECT_EQ((method_of_blocks<T, Left>(exec, m, n, vectors)),
                (method_of_blocks<T, Right>(exec, m, n, vectors)));
    }
  }
}

}  // namespace
}  // namespace tessera::test
