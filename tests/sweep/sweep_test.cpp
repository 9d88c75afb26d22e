// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "settings.hpp"
#include "support/case_test.hpp"
#include "support/resident.hpp"
#include "support/tunings.hpp"

/// Random and giant matrices against the host's two stages, with many tunings, on a busy device.
namespace tessera::test {
namespace {

constexpr Index largest_extent = 5000;
/// Last but three: rings use one warp for floats, two for doubles. Last: lines exceed 1 GiB.
constexpr std::array giants{Shape{1, 1 << 27},   Shape{1 << 27, 1},  Shape{4194304, 64},
                            Shape{64, 4194304},  Shape{61441, 1024}, Shape{46341, 46341},
                            Shape{2, 300000000}, Shape{300000000, 2}};
constexpr int enough_failures = 5;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : seed_(seed) {}
  Index below(Index limit) {
    return static_cast<Index>(random_bits(seed_, drawn_++) % static_cast<std::uint64_t>(limit));
  }
  Index extent() {
    if (below(2) == 0) return 1 + below(largest_extent);
    for (;;) {
      Index const octave = Index{1} << below(13);
      Index const extent = octave + below(octave);
      if (extent <= largest_extent) return extent;
    }
  }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

struct Sample {
  Part A;
  Index first_input;
};

Sample random_sample(std::uint64_t seed, Order order) {
  Draw draw(seed);
  Shape const shape{draw.extent(), draw.extent()};
  Index const length = order == Order::row_major ? shape.cols : shape.rows;
  if (draw.below(2) == 0) {
    Index const leading = (length + 3) / 4 * 4 + 4 * draw.below(3);
    return {{shape, 32 * draw.below(3), leading}, 4 * draw.below(3)};
  }
  return {{shape, draw.below(64), length + draw.below(8)}, draw.below(8)};
}
constexpr Index most_matrix_numbers = largest_extent * (largest_extent + 16) + 128;
constexpr Index most_input_numbers = largest_extent + 16;

struct Trial {
  char const* name;
  Operation operation;
  Method method;
};
std::array<Trial, 4> trials(bool with_b) {
  Operation const pair = with_b ? Operation::atax_with_intermediate : Operation::atax;
  return {Trial{"multiply", Operation::multiply, Method::automatic},
          Trial{"multiply_transposed", Operation::multiply_transposed, Method::automatic},
          Trial{with_b ? "fused atax with B" : "fused atax", pair, Method::fused},
          Trial{with_b ? "two-stage atax with B" : "two-stage atax", pair, Method::two_stage}};
}

template <class T>
struct Expected {
  std::vector<T> product;
  std::vector<T> transposed_product;
  std::vector<T> pair;

  BothResults<T> of(Operation operation) const {
    switch (operation) {
      case Operation::multiply:
        return {product, {}};
      case Operation::multiply_transposed:
        return {{}, transposed_product};
      case Operation::atax:
        return {{}, pair};
      case Operation::atax_with_intermediate:
        return {product, pair};
    }
    return {};
  }
};

template <class C>
class Load {
 public:
  using T = typename C::Scalar;

  Load() {
    resident_->fill(shape.size() + 1, std::max(shape.rows, shape.cols), 7);
    resident_->expect(resident_->run(call()));
    thread_ = std::thread([this] {
      while (!stop_) {
        for (int i = 0; i < 16; ++i) resident_->enqueue(call(i % 2 == 0));
        differences_ += resident_->differences();
        calls_ += 16;
      }
    });
  }
  Load(Load const&) = delete;
  Load& operator=(Load const&) = delete;
  ~Load() {
    stop_ = true;
    thread_.join();
    EXPECT_EQ(differences_, 0) << "results of the load were changed";
    EXPECT_GT(calls_, 0);
  }

 private:
  static constexpr Shape shape{700, 1100};
  ResidentCall call(bool fused = true) const {
    Index const length = C::order == Order::row_major ? shape.cols : shape.rows;
    return {.operation = Operation::atax_with_intermediate,
            .A = {shape, 0, length},
            .method = fused ? Method::fused : Method::two_stage};
  }

  std::unique_ptr<Resident<T>> resident_ = make_resident_of<C>(Instance::own);
  std::atomic<bool> stop_ = false;
  std::int64_t calls_ = 0;
  std::int64_t differences_ = 0;
  std::thread thread_;
};
struct NoLoad {};

template <class C>
class Sweep : public testing::Test {
 protected:
  using T = typename C::Scalar;
  using Exec = typename C::Exec;
  static constexpr Order order = C::order;
  using HostCase = Case<Kokkos::DefaultHostExecutionSpace, typename C::Layout, typename C::Scalar>;
  static constexpr bool is_gpu = backends::Backend<Exec>::is_gpu;
  static constexpr int copies_on_host = is_gpu || std::same_as<C, HostCase> ? 1 : 2;
  using LoadOf = std::conditional_t<is_gpu, Load<C>, NoLoad>;

  SweepSettings const settings = SweepSettings::from_environment();

  /// Two stages, the backend's tuning, all threads.
  Expected<T> expected_of(Sample const& sample) {
    ResidentCall call{.operation = Operation::multiply,
                      .A = sample.A,
                      .first_input = sample.first_input,
                      .method = Method::two_stage};
    Expected<T> expected;
    expected.product = host_->run(call).B;
    call.operation = Operation::multiply_transposed;
    expected.transposed_product = host_->run(call).C;
    call.operation = Operation::atax_with_intermediate;
    auto const both = host_->run(call);
    expected.pair = both.C;
    EXPECT_THAT(both.B, same_bits_as(expected.product)) << "on the host";
    return expected;
  }

  void expect_reference(Sample const& sample, Expected<T> const& expected) {
    Part const& A = sample.A;
    bool const row_major = C::order == Order::row_major;
    Index const count = row_major ? A.shape.rows : A.shape.cols;
    auto const elements = host_->matrix_numbers(A.first, count * A.leading);
    reference::Matrix<T> const matrix{elements.data(), A.shape.rows, A.shape.cols, A.leading,
                                      C::order};
    auto const input = [&](Index size) { return host_->input_numbers(sample.first_input, size); };
    auto const v = input(A.shape.cols);
    EXPECT_THAT(expected.product, same_bits_as(reference::multiply(matrix, v)));
    EXPECT_THAT(expected.transposed_product,
                same_bits_as(reference::multiply_transposed(matrix, input(A.shape.rows))));
    EXPECT_THAT(expected.pair, same_bits_as(reference::atax(matrix, v)));
  }

  void fill(Index matrix_numbers, Index input_numbers) {
    host_->fill(matrix_numbers, input_numbers, settings.seed);
    if (&device() != host_.get()) device().fill(matrix_numbers, input_numbers, settings.seed);
  }

  /// Repeats for `seconds`, at least once. `what` states how to repeat it.
  /// @return calls
  int try_out(ResidentCall call, BothResults<T> const& expected, int repetitions, double seconds,
              std::string const& what) {
    using Clock = std::chrono::steady_clock;
    device().expect(expected);
    auto const begin = Clock::now();
    int done = 0;
    Index differences = 0;
    auto const repeat = [&](int times) {
      for (int i = 0; i < times; ++i) {
        if constexpr (!is_gpu) call.threads = done % 4;
        device().enqueue(call);
        ++done;
      }
      differences += device().differences();
    };
    repeat(1);
    double const once = std::chrono::duration<double>(Clock::now() - begin).count();
    repeat(std::clamp(static_cast<int>(seconds / once), 1, repetitions) - 1);
    EXPECT_EQ(differences, 0) << "elements differ in " << done << " repetitions: " << what;
    return done;
  }

  Resident<T>& device() { return own_ ? *own_ : *host_; }
  static bool failed_enough() {
    return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count() >=
           enough_failures;
  }

  std::string repeat_with(std::string const& environment) const {
    auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
    return "repeat with TESSERA_SWEEP_SEED=" + std::to_string(settings.seed) + ' ' + environment +
           " sweep_test --gtest_filter=" + test->test_suite_name() + '.' + test->name();
  }

 private:
  std::unique_ptr<Resident<T>> const host_ = make_resident_of<HostCase>(Instance::standard);
  std::unique_ptr<Resident<T>> const own_ =
      std::same_as<C, HostCase> ? nullptr : make_resident_of<C>(Instance::own);
};
TYPED_TEST_SUITE(Sweep, Cases, CaseName);

TYPED_TEST(Sweep, OfRandomShapesHasTheBitsOfTheHost) {
  auto const& settings = this->settings;
  std::uint64_t const shapes = settings.shapes.value_or(TestFixture::is_gpu ? 500 : 24);
  int const repetitions =
      static_cast<int>(settings.repetitions.value_or(TestFixture::is_gpu ? 20 : 4));
  this->fill(most_matrix_numbers, most_input_numbers);
  [[maybe_unused]] typename TestFixture::LoadOf const load;
  auto const odd = odd_tunings();

  std::int64_t calls = 0;
  std::int64_t compared_with_reference = 0;
  for (std::uint64_t number = settings.first; number < settings.first + shapes; ++number) {
    std::uint64_t const seed = random_bits(settings.seed, number);
    Sample const sample = random_sample(seed, TestFixture::order);
    auto const expected = this->expected_of(sample);
    std::ostringstream what;
    what << sample.A.shape << " at " << sample.A.first << ", lines " << sample.A.leading
         << " apart, input at " << sample.first_input;
    if (sample.A.shape.size() <= 50000) {
      SCOPED_TRACE(what.str());
      this->expect_reference(sample, expected);
      ++compared_with_reference;
    }
    std::uint64_t kind = number;
    for (Trial const& trial : trials(number % 2 == 0)) {
      std::optional<Tuning> tuning;
      if (kind % 3 == 1) tuning = random_tuning(seed + kind);
      if (kind % 3 == 2) tuning = odd[kind / 3 % odd.size()];
      ++kind;
      calls += this->try_out({.operation = trial.operation,
                              .A = sample.A,
                              .first_input = sample.first_input,
                              .method = trial.method,
                              .tuning = tuning},
                             expected.of(trial.operation), repetitions, 60,
                             what.str() + ", " + trial.name + ", tuning " +
                                 testing::PrintToString(tuning) + "; " +
                                 this->repeat_with("TESSERA_SWEEP_SHAPES=1 TESSERA_SWEEP_FIRST=" +
                                                   std::to_string(number)));
    }
    if (TestFixture::failed_enough()) FAIL() << "stopped after " << enough_failures << " failures";
  }
  this->RecordProperty("shapes", std::to_string(shapes));
  this->RecordProperty("calls", std::to_string(calls));
  this->RecordProperty("compared_with_reference", std::to_string(compared_with_reference));
  std::cout << shapes << " shapes, " << calls << " calls compared with the host's, "
            << compared_with_reference << " shapes with the reference\n";
}

TYPED_TEST(Sweep, OfGiantsHasTheBitsOfTheHost) {
  using T = typename TypeParam::Scalar;
  if (!this->settings.giants.value_or(TestFixture::is_gpu)) {
    GTEST_SKIP() << "NOT TESTED: matrices of up to " << giants.back()
                 << " elements; TESSERA_SWEEP_GIANTS=1 tests them";
  }
  int const repetitions = static_cast<int>(this->settings.repetitions.value_or(20));
  std::string left_out;
  for (Shape const& shape : giants) {
    Index const input = std::max(shape.rows, shape.cols);
    auto const bytes = static_cast<std::uint64_t>(shape.size() + 8 * input) * sizeof(T);
    auto const on_host = bytes * TestFixture::copies_on_host;
    auto const available = available_host_memory();
    std::ostringstream name;
    name << shape;
    if (available && *available < on_host + on_host / 8) {
      left_out += name.str() + " (needs " + std::to_string(on_host >> 20) + " MiB, the host has " +
                  std::to_string(*available >> 20) + "); ";
      continue;
    }
    try {
      this->fill(shape.size(), input);
    } catch (std::bad_alloc const& error) {
      left_out += name.str() + " (" + error.what() + "); ";
      continue;
    } catch (std::runtime_error const& error) {
      left_out += name.str() + " (" + error.what() + "); ";
      continue;
    }
    [[maybe_unused]] typename TestFixture::LoadOf const load;
    Index const length = TestFixture::order == Order::row_major ? shape.cols : shape.rows;
    Sample const sample{{shape, 0, length}, 0};
    auto const expected = this->expected_of(sample);
    for (Trial const& trial : trials(true)) {
      for (bool const random : {false, true}) {
        std::optional<Tuning> tuning;
        if (random) tuning = random_tuning(this->settings.seed);
        auto const begin = std::chrono::steady_clock::now();
        std::string const what =
            name.str() + ", " + trial.name + ", tuning " + testing::PrintToString(tuning);
        int const done = this->try_out(
            {.operation = trial.operation, .A = sample.A, .method = trial.method, .tuning = tuning},
            expected.of(trial.operation), repetitions, 2,
            what + "; " + this->repeat_with("TESSERA_SWEEP_GIANTS=1"));
        std::chrono::duration<double> const time = std::chrono::steady_clock::now() - begin;
        if (done < repetitions) {
          std::cout << "REPEATED " << done << " TIMES ONLY, in " << time.count() << " s: " << what
                    << '\n';
        }
        if (time.count() > 4) break;  // one slow kernel is enough
      }
    }
    if (TestFixture::failed_enough()) FAIL() << "stopped after " << enough_failures << " failures";
  }
  if (!left_out.empty()) GTEST_SKIP() << "NOT TESTED, too little memory: " << left_out;
}

}  // namespace
}  // namespace tessera::test
