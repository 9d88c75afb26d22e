// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bench/published/gemm/table.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include "support/cases.hpp"
#include "support/data.hpp"
#include "support/double_double.hpp"
#include "support/guarded_matrix.hpp"
#include "support/instance.hpp"
#include "support/kernel_log.hpp"

/// Against three plain loops, in every mix of layouts and for every team; also messages.
namespace tessera::published::gemm {
namespace {

using test::DoubleDouble;
using test::GuardedMatrix;
using test::KernelLog;
using test::MatrixLayout;
using test::Stored;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing::ThrowsMessage;

struct Sizes {
  Index m;
  Index n;
  Index k;

  friend std::ostream& operator<<(std::ostream& out, Sizes const& sizes) {
    return out << sizes.m << " x " << sizes.k << " times " << sizes.k << " x " << sizes.n;
  }
};

template <class T>
using Values = T (*)(std::uint64_t seed, std::uint64_t index);

/// In -4 … 4: sums of 2^18 products are exact in float.
template <class T>
T whole(std::uint64_t seed, std::uint64_t index) {
  return test::whole_number<T>(seed, index, 4);
}
template <class T>
T real(std::uint64_t seed, std::uint64_t index) {
  return test::real_number<T>(seed, index);
}

template <class Exec, class T>
class Problem {
 public:
  Problem(Sizes const& sizes, Values<T> values, Stored a, Stored b, Stored c)
      : sizes_(sizes),
        values_(values),
        A_({sizes.m, sizes.k}, a),
        B_({sizes.k, sizes.n}, b),
        C_({sizes.m, sizes.n}, c) {
    A_.fill_with([&](Index i, Index k) { return a_of(i, k); });
    B_.fill_with([&](Index k, Index j) { return b_of(k, j); });
  }

  T a_of(Index i, Index k) const {
    return values_(5, static_cast<std::uint64_t>(i * sizes_.k + k));
  }
  T b_of(Index k, Index j) const {
    return values_(6, static_cast<std::uint64_t>(k * sizes_.n + j));
  }
  /// One chain of fma in order of k.
  T chain(Index i, Index j) const {
    T sum = 0;
    for (Index k = 0; k < sizes_.k; ++k) sum = std::fma(a_of(i, k), b_of(k, j), sum);
    return sum + T(0);
  }
  T exact(Index i, Index j) const {
    std::int64_t sum = 0;
    for (Index k = 0; k < sizes_.k; ++k) {
      sum += static_cast<std::int64_t>(a_of(i, k)) * static_cast<std::int64_t>(b_of(k, j));
    }
    return static_cast<T>(sum);
  }

  /// run(options, exec, log) records kernels in the log.
  template <class Visitor>
  void for_each_variant(Visitor const& visitor) const {
    visit_scalars(A_, [&](auto const& a) {
      visit_scalars(B_, [&](auto const& b) {
        visit_scalars(C_, [&](auto const& c) {
          for (auto const& variant :
               table<Exec, std::decay_t<decltype(a)>, std::decay_t<decltype(b)>,
                     std::decay_t<decltype(c)>>()) {
            SCOPED_TRACE(testing::Message() << variant.name << ", " << sizes_);
            visitor(variant, [&](Options const& options, Exec const& exec = Exec(),
                                 KernelLog* log = nullptr) {
              C_.fill_with_guards();
              Kokkos::fence("tessera test: data are there");
              if (log != nullptr) log->begin(Kokkos::Tools::Experimental::device_id(exec));
              variant.run(exec, a, b, c, options);
              if (log != nullptr) log->end();
              exec.fence("tessera test: result is wanted");
            });
          }
        });
      });
    });
  }
  GuardedMatrix<Exec, T> const& C() const { return C_; }
  Sizes const& sizes() const { return sizes_; }

 private:
  template <class Visitor>
  static void visit_scalars(GuardedMatrix<Exec, T> const& matrix, Visitor const& visitor) {
    matrix.visit([&]<class View>(View const& view) {
      if constexpr (!std::same_as<typename View::array_layout, Kokkos::LayoutStride>) visitor(view);
    });
  }

  Sizes sizes_;
  Values<T> values_;
  GuardedMatrix<Exec, T> A_;
  GuardedMatrix<Exec, T> B_;
  GuardedMatrix<Exec, T> C_;
};

constexpr Stored right{MatrixLayout::right};
constexpr Stored left{MatrixLayout::left};

template <class C>
class GemmVariants : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  static constexpr bool is_gpu = backends::Backend<Exec>::is_gpu;

  static Problem<Exec, T> problem(Sizes const& sizes, Values<T> values, Stored a = right,
                                  Stored b = right, Stored c = right) {
    return {sizes, values, a, b, c};
  }
};
TYPED_TEST_SUITE(GemmVariants, test::RowMajorCases, test::CaseName);

/// Some are no power of two.
std::vector<TeamShape> teams() {
  return {{32, 32},  {16, 16},  {8, 8},   {1, 1},   {1, 32}, {32, 1}, {8, 1},
          {2, 256},  {256, 2},  {8, 32},  {32, 16}, {7, 5},  {3, 33}, {33, 3},
          {1, 1024}, {1024, 1}, {31, 33}, {1, 7},   {4, 64}};
}

TYPED_TEST(GemmVariants, TableHasEveryVariantThatTheExecutionSpaceCanRun) {
  std::vector<std::string> names;
  this->problem({1, 1, 1}, &whole).for_each_variant([&](auto const& variant, auto const&) {
    names.push_back(std::string(variant.name));
    EXPECT_EQ(variant.reproducible, Reproducible::always);
    EXPECT_EQ(variant.has_tile, variant.name == "tiled");
    EXPECT_EQ(variant.has_team(), variant.name == "tiled" || variant.name == "naive");
  });
  if (this->is_gpu) {
    EXPECT_THAT(names, ElementsAre("threads", "naive", "tiled"));
  } else {
    EXPECT_THAT(names, ElementsAre("serial", "threads", "naive", "tiled"));
  }
}

TYPED_TEST(GemmVariants, AreExactOnWholeNumbersOfEveryShape) {
  auto const expect_exact = [&](Sizes const& sizes) {
    auto const problem = this->problem(sizes, &whole);
    problem.for_each_variant([&](auto const&, auto const& run) {
      run({});
      EXPECT_EQ(problem.C().differences([&](Index i, Index j) { return problem.exact(i, j); }), 0);
    });
  };
  for (Index const m : {1, 2, 31, 33, 64}) {
    for (Index const n : {1, 3, 32, 65}) {
      for (Index const k : {1, 2, 31, 32, 33, 100}) expect_exact({m, n, k});
    }
  }
  for (Sizes const& sizes : {Sizes{1, 1, 100003}, {3, 5003, 2}, {5003, 2, 3}, {127, 129, 257}}) {
    expect_exact(sizes);
  }
}

using Paddings = std::array<Index, 3>;

TYPED_TEST(GemmVariants, TakeEveryMixOfLayoutsAndLeadingDimensions) {
  for (Sizes const& sizes : {Sizes{1, 1, 1}, {37, 67, 41}, {64, 32, 96}}) {
    for (MatrixLayout const a : {MatrixLayout::right, MatrixLayout::left}) {
      for (MatrixLayout const b : {MatrixLayout::right, MatrixLayout::left}) {
        for (MatrixLayout const c : {MatrixLayout::right, MatrixLayout::left}) {
          for (auto const& [of_a, of_b, of_c] :
               {Paddings{0, 0, 0}, Paddings{3, 6, 15}, Paddings{3, 0, 0}, Paddings{0, 3, 0},
                Paddings{0, 0, 3}}) {
            auto const problem =
                this->problem(sizes, &whole, {a, of_a, of_a}, {b, of_b, of_b}, {c, of_c, of_c});
            problem.for_each_variant([&](auto const&, auto const& run) {
              run({});
              EXPECT_EQ(
                  problem.C().differences([&](Index i, Index j) { return problem.exact(i, j); }), 0)
                  << "paddings " << of_a << ", " << of_b << ", " << of_c;
            });
          }
        }
      }
    }
  }
}

TYPED_TEST(GemmVariants, AreExactForEveryTeamAndTile) {
  for (Stored const& stored : {right, left}) {
    for (Sizes const& sizes : {Sizes{1, 1, 1}, {67, 131, 45}, {256, 64, 7}, {5, 1030, 33}}) {
      auto const problem = this->problem(sizes, &whole, right, stored, stored);
      problem.for_each_variant([&](auto const& variant, auto const& run) {
        if (!variant.has_team()) return;
        for (TeamShape const team : teams()) {
          EXPECT_TRUE(variant.takes(team));
          for (Index const tile : {0, 1, 3, 16}) {
            if (tile != 0 && (!variant.has_tile || team.rows + team.cols > 100)) continue;
            run({.team = team, .tile = tile});
            EXPECT_EQ(
                problem.C().differences([&](Index i, Index j) { return problem.exact(i, j); }), 0)
                << team.rows << " x " << team.cols << ", tile " << tile;
          }
        }
      });
    }
  }
}

TYPED_TEST(GemmVariants, HaveTheBitsOfOneChainWhateverTheTeam) {
  for (Sizes const& sizes : {Sizes{9, 11, 1000}, {40, 33, 65}, {1, 1, 1}, {1, 70, 300}}) {
    for (Stored const& c : {right, left}) {
      auto const problem = this->problem(sizes, &real, left, right, c);
      problem.for_each_variant([&](auto const& variant, auto const& run) {
        auto const expect_chain = [&](Options const& options) {
          run(options);
          EXPECT_EQ(problem.C().differences([&](Index i, Index j) { return problem.chain(i, j); }),
                    0)
              << options.team.rows << " x " << options.team.cols << ", tile " << options.tile;
        };
        expect_chain({});
        if (!variant.has_team()) return;
        for (TeamShape const team : teams()) expect_chain({.team = team});
        if (variant.has_tile) expect_chain({.team = {16, 8}, .tile = 5});
      });
    }
  }
}

TYPED_TEST(GemmVariants, NeverGiveNegativeZero) {
  using T = typename TestFixture::T;
  Values<T> const tiny = [](std::uint64_t seed, std::uint64_t) {
    T const least = std::numeric_limits<T>::denorm_min();
    return seed == 5 ? -least : least;
  };
  auto const problem = this->problem({3, 4, 5}, tiny);
  ASSERT_TRUE(std::signbit(std::fma(problem.a_of(0, 0), problem.b_of(0, 0), T(0))));
  problem.for_each_variant([&](auto const&, auto const& run) {
    run({});
    EXPECT_EQ(problem.C().differences([](Index, Index) { return T(0); }), 0);
  });
}

TYPED_TEST(GemmVariants, AreWithinTheBoundOfAChain) {
  using T = typename TestFixture::T;
  double const unit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  for (Sizes const& sizes : {Sizes{7, 9, 1}, {7, 9, 2}, {31, 5, 1000}, {2, 3, 20011}}) {
    auto const problem = this->problem(sizes, &real);
    // At most k roundings, one per fma. The reference has an error below 2^-80.
    double const ku = static_cast<double>(sizes.k) * unit;
    double const factor = ku / (1 - ku) + std::ldexp(1.0, -80);
    problem.for_each_variant([&](auto const&, auto const& run) {
      run({});
      problem.C().for_each_element([&](Index i, Index j, T found) {
        DoubleDouble truth;
        double magnitude = 0;
        for (Index l = 0; l < sizes.k; ++l) {
          auto const a = static_cast<double>(problem.a_of(i, l));
          auto const b = static_cast<double>(problem.b_of(l, j));
          truth.add_product(a, b);
          magnitude += std::abs(a * b);
        }
        EXPECT_LE(std::abs(truth.error_of(static_cast<double>(found))), factor * magnitude)
            << i << ", " << j;
      });
    });
  }
}

TYPED_TEST(GemmVariants, EnqueueOneKernelAndNeitherFenceNorAllocate) {
  using Exec = typename TypeParam::Exec;
  Exec const own = test::instance_of_its_own<Exec>();
  auto const problem = this->problem({70, 50, 90}, &whole);
  problem.for_each_variant([&](auto const& variant, auto const& run) {
    run({}, own);  // grows Kokkos' team scratch
    KernelLog log;
    run({}, own, &log);
    EXPECT_THAT(log.parallel_for,
                ElementsAre(AllOf(Field(&KernelLog::Kernel::label,
                                        "tessera::published::gemm::" + std::string(variant.name)),
                                  Field(&KernelLog::Kernel::device, log.device()))));
    EXPECT_THAT(log.fences, IsEmpty());
    EXPECT_THAT(log.deep_copies, IsEmpty());
    EXPECT_THAT(log.own_allocations(backends::Backend<Exec>::is_gpu), IsEmpty());
    EXPECT_THAT(log.reductions_and_scans, IsEmpty());
    EXPECT_EQ(problem.C().differences([&](Index i, Index j) { return problem.exact(i, j); }), 0);
  });
}

auto refuses(std::string_view variant, std::string const& what) {
  return ThrowsMessage<std::invalid_argument>(AllOf(
      StartsWith("tessera::published::gemm::" + std::string(variant) + ": "), HasSubstr(what)));
}

TYPED_TEST(GemmVariants, RefuseTeamsAndTilesThatTheyCannotTake) {
  auto const problem = this->problem({5, 6, 7}, &whole);
  problem.for_each_variant([&](auto const& variant, auto const& run) {
    auto const expect_refusal = [&](Options const& options, std::string const& what) {
      EXPECT_THAT([&] { run(options); }, refuses(variant.name, what));
    };
    for (TeamShape const team :
         {TeamShape{0, 1}, TeamShape{1, 0}, TeamShape{-1, -1}, TeamShape{-2, 4}, TeamShape{1025, 1},
          TeamShape{64, 32}, TeamShape{1 << 20, 1 << 20}}) {
      EXPECT_FALSE(variant.takes(team));
    }
    if (!variant.has_team()) {
      EXPECT_FALSE(variant.takes({1, 1}));
      expect_refusal({.team = {1, 1}}, "neither a team nor a tile");
      expect_refusal({.tile = 1}, "neither a team nor a tile");
      return;
    }
    expect_refusal({.team = {0, 1}}, "at least one row and one column of threads, found 0 x 1");
    expect_refusal({.team = {-2, 4}}, "at least one row and one column of threads, found -2 x 4");
    expect_refusal({.team = {1025, 1}}, "at most 1024 threads, found 1025 x 1");
    expect_refusal({.team = {1 << 20, 1 << 20}}, "at most 1024 threads");
    if (!variant.has_tile) {
      expect_refusal({.tile = 8}, "has no tile");
      return;
    }
    expect_refusal({.tile = -1}, "a tile must have 0 to");
    expect_refusal({.tile = Index{1} << 40}, "a tile must have 0 to");
    expect_refusal({.tile = 1 << 20}, "bytes of scratch, and a team has");
  });
}

TYPED_TEST(GemmVariants, RefuseMatricesThatDoNotFit) {
  using Exec = typename TestFixture::Exec;
  using Memory =
      Kokkos::View<typename TestFixture::T**, Kokkos::LayoutRight, typename Exec::memory_space>;
  Memory const A("A", 4, 3), B("B", 3, 5), C("C", 4, 5), square("square", 4, 4);
  for (auto const& variant : table<Exec, Memory, Memory, Memory>()) {
    auto const expect_refusal = [&](Memory const& a, Memory const& b, Memory const& c,
                                    std::string const& what) {
      EXPECT_THAT([&] { variant.run(Exec(), a, b, c, {}); }, refuses(variant.name, what));
    };
    EXPECT_NO_THROW(variant.run(Exec(), A, B, C, {}));
    Exec().fence("tessera test: kernel is done");
    expect_refusal(A, square, C, "B must have 3 rows, found 4 x 4");
    expect_refusal(A, B, square, "C must be 4 x 5, found 4 x 4");
    expect_refusal(Memory("none", 0, 3), B, C, "A must have at least one row and one column");
    expect_refusal(Memory("none", 4, 0), B, C, "A must have at least one row and one column");
    expect_refusal(A, Memory("none", 3, 0), C,
                   "B must have at least one row and one column, found 3 x 0");
    expect_refusal(square, Memory("B", 4, 4), square, "C must not overlap A");
    expect_refusal(Memory("A", 4, 4), square, square, "C must not overlap B");
  }
}

}  // namespace
}  // namespace tessera::published::gemm
