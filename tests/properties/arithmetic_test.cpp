// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cfenv>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/gemm.hpp>
#include <tessera/multiply_both.hpp>
#include <tessera/vectors.hpp>

#include "support/case_test.hpp"
#include "support/device_data.hpp"
#include "support/methods.hpp"
#include "support/runner.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/// Rounding modes and subnormal modes change no bit, whichever thread sets them.
namespace tessera::test {
namespace {

struct Mode {
  std::string name;
  int rounding = FE_TONEAREST;
  unsigned control = 0;
};

std::vector<Mode> modes() {
  std::vector<Mode> all{{.name = "upward", .rounding = FE_UPWARD},
                        {.name = "toward zero", .rounding = FE_TOWARDZERO}};
#if defined(__x86_64__)
  all.push_back({.name = "flush to zero", .control = 0x8000});
  all.push_back({.name = "subnormal operands are zeros", .control = 0x0040});
  all.push_back({.name = "all of them", .rounding = FE_UPWARD, .control = 0x8040});
#endif
  return all;
}

struct SetMode {
  int rounding;
  unsigned control;

  KOKKOS_FUNCTION void operator()(int /*thread*/) const { KOKKOS_IF_ON_HOST((set();)) }
  void set() const {
    ASSERT_EQ(std::fesetround(rounding), 0);
#if defined(__x86_64__)
    _mm_setcsr((_mm_getcsr() & ~0x8040U) | control);
#endif
  }
  [[nodiscard]] bool is_set() const {
    bool found = std::fegetround() == rounding;
#if defined(__x86_64__)
    found = found && (_mm_getcsr() & 0x8040U) == control;
#endif
    return found;
  }
};

template <class Exec>
class InMode {
 public:
  InMode(Mode const& mode, bool all_threads)
      : mode_{mode.rounding, mode.control}, all_threads_(all_threads) {
    set(mode_);
  }
  ~InMode() {
    EXPECT_TRUE(mode_.is_set()) << "a call changed its caller's mode";
    set({FE_TONEAREST, 0});
  }
  InMode(InMode const&) = delete;
  InMode& operator=(InMode const&) = delete;

 private:
  void set(SetMode const& mode) const {
    if (all_threads_) {
      using Policy = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>>;
      Kokkos::parallel_for("set mode", Policy(0, Exec().concurrency()), mode);
    }
    mode.set();
  }
  SetMode mode_;
  bool all_threads_;
};

template <class C>
class Arithmetic : public CaseTest<C> {
 protected:
  using T = typename C::Scalar;
  using Exec = typename C::Exec;
  static constexpr bool is_gpu = backends::Backend<Exec>::is_gpu;

  static std::vector<T> numbers(Index size, std::uint64_t seed, bool small) {
    auto result = real_numbers<T>(static_cast<std::size_t>(size), seed);
    T const unit = small ? std::numeric_limits<T>::min() : T(1);
    for (T& number : result) number *= unit;
    return result;
  }
  template <class Call>
  static void expect_in_all_modes(std::vector<T> const& expected, Call const& call,
                                  std::string const& what) {
    for (Mode const& mode : modes()) {
      for (bool const all_threads : {false, true}) {
        std::vector<T> found;
        {
          InMode<Exec> const in_mode(mode, all_threads);
          found = call();
        }
        EXPECT_THAT(found, same_bits_as(expected))
            << what << ", " << mode.name << (all_threads ? " in all threads" : "");
      }
    }
  }
};
TYPED_TEST_SUITE(Arithmetic, Cases, CaseName);

TYPED_TEST(Arithmetic, IsTheSameInEveryModeOfThreads) {
  using T = typename TypeParam::Scalar;
  if (TestFixture::is_gpu) GTEST_SKIP() << "a GPU's threads have no such modes";
  auto& runner = this->runner();
  // One team; several whose results the last adds; a separate kernel that adds.
  for (Shape const& shape : {Shape{3, 20}, Shape{300, 200}, Shape{3000, 70}, Shape{5, 40000}}) {
    for (bool const small : {false, true}) {
      HostMatrix<T> const A{shape, TypeParam::order, this->numbers(shape.size(), 5, small)};
      auto const v = this->numbers(shape.cols, 6, false);
      auto const b = this->numbers(shape.rows, 7, false);
      std::string const what = testing::PrintToString(shape) + (small ? ", small" : "");
      this->expect_in_all_modes(
          reference::multiply(A.for_reference(), v), [&] { return runner.multiply(A, v); },
          "multiply, " + what);
      this->expect_in_all_modes(
          reference::multiply_transposed(A.for_reference(), b),
          [&] { return runner.multiply_transposed(A, b); }, "multiply_transposed, " + what);
      for (Method const method : {Method::fused, Method::two_stage}) {
        this->expect_in_all_modes(
            reference::atax(A.for_reference(), v),
            [&] { return runner.atax(A, v, {.method = method}); },
            "atax, " + std::string(name_of(method)) + ", " + what);
      }
    }
  }
}

TYPED_TEST(Arithmetic, OfMapsAndVectorsIsTheSameInEveryModeOfThreads) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  using Vector = Kokkos::View<T*, Kokkos::HostSpace>;
  if constexpr (TestFixture::is_gpu) {
    GTEST_SKIP() << "a GPU's threads have no such modes";
  } else {
    for (Shape const& shape : {Shape{3, 20}, Shape{300, 200}, Shape{5, 40000}}) {
      HostMatrix<T> const A{shape, TypeParam::order, this->numbers(shape.size(), 10, true)};
      auto v = this->numbers(shape.cols, 11, false);
      auto z = this->numbers(shape.cols, 12, true);
      auto u = this->numbers(shape.rows, 13, false);
      auto const view = [](std::vector<T>& x) { return Vector(x.data(), x.size()); };
      auto const matrix = matrix_on_device<TypeParam>(A);
      auto const outputs = [&](auto const& call) {
        std::vector<T> b(u.size()), c(v.size());
        call(view(b), view(c));
        Exec().fence("test: outputs are there");
        b.insert(b.end(), c.begin(), c.end());
        return b;
      };
      auto const same = [&](auto const& call, char const* what) {
        auto const run = [&] { return outputs(call); };
        this->expect_in_all_modes(run(), run, what);
      };
      T const least = std::numeric_limits<T>::denorm_min();
      for (Kernels const kernels : {Kernels::automatic, Kernels::portable}) {
        for (auto const& map :
             {maps::weights(view(u)), maps::logistic(view(u)), maps::poisson_weights(view(u))}) {
          same(
              [&](Vector const& B, Vector const& C) {
                atax(
                    Exec(), matrix, view(v), B, C,
                    {.kernels = kernels, .map = map, .alpha = T(0.3), .beta = least, .z = view(z)});
              },
              "atax with terms");
        }
        same(
            [&](Vector const& B, Vector const& C) {
              multiply_both(Exec(), matrix, view(v), view(u), B, C, {.kernels = kernels});
            },
            "multiply_both");
        same(
            [&](Vector const& B, Vector const&) {
              dot(Exec(), view(v), view(z), Kokkos::subview(B, std::pair(0, 1)),
                  {.kernels = kernels});
            },
            "dot");
      }
      same(
          [&](Vector const& B, Vector const& C) {
            Kokkos::deep_copy(C, T(1) / std::numeric_limits<T>::min());
            axpby(Exec(), T(0.1), view(z), least, C);
            Kokkos::deep_copy(B, T(1));
            scale(Exec(), least, B);
          },
          "axpby and scale");
    }
  }
}

TYPED_TEST(Arithmetic, OfMatrixProductsIsTheSameInEveryModeOfThreads) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  using Matrix = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  if constexpr (TestFixture::is_gpu) {
    GTEST_SKIP() << "a GPU's threads have no such modes";
  } else {
    for (auto const& [rows, cols, depth] : {std::array<Index, 3>{70, 50, 40}, {5, 6, 3000}}) {
      auto a = this->numbers(rows * depth, 8, true);
      auto b = this->numbers(depth * cols, 9, false);
      auto const size = [](Index n) { return static_cast<std::size_t>(n); };
      Matrix const A(a.data(), size(rows), size(depth));
      Matrix const B(b.data(), size(depth), size(cols));
      this->expect_in_all_modes(
          reference::gemm(a, b, rows, cols, depth),
          [&] {
            std::vector<T> c(size(rows * cols));
            gemm(Exec(), A, B, Matrix(c.data(), size(rows), size(cols)),
                 {.kernels = kernels_under_test()});
            return c;
          },
          "gemm of depth " + std::to_string(depth));
    }
  }
}

}  // namespace
}  // namespace tessera::test
