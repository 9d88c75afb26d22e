// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <kernels/compiled.hpp>
#include <tessera/stream.hpp>

#include "support/cases.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/reference.hpp"
#include "support/same_bits.hpp"

/// Streamed operations give the bits of the reference, however the matrix is cut into blocks, and
/// go on from any state as if they had never stopped.
namespace tessera::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::StartsWith;
using testing::ThrowsMessage;

/// A source that hands out a matrix in memory, counts what it hands out, and can fail.
template <class T, class LayoutT>
class MemorySource {
 public:
  using value_type = T;
  using array_layout = LayoutT;

  explicit MemorySource(HostMatrix<T> const& matrix) : matrix_(matrix) {}

  [[nodiscard]] Index rows() const { return matrix_.shape().rows; }
  [[nodiscard]] Index cols() const { return matrix_.shape().cols; }
  void read(stream::Block const& block, T* to) const {
    constexpr bool row_major = std::is_same_v<LayoutT, Kokkos::LayoutRight>;
    Index const first = row_major ? block.first_row : block.first_col;
    Index const lines = row_major ? block.rows : block.cols;
    Index const element = row_major ? block.first_col : block.first_row;
    Index const elements = row_major ? block.cols : block.rows;
    if (state_->fails_from <= first + lines && state_->fails_from < matrix_.count()) {
      throw std::runtime_error("the disk is gone");
    }
    for (Index i = 0; i < lines; ++i) {
      std::memcpy(to + i * elements, matrix_.line(first + i) + element,
                  static_cast<std::size_t>(elements) * sizeof(T));
    }
    state_->elements += lines * elements;
  }

  /// Elements handed out so far.
  [[nodiscard]] Index elements() const { return state_->elements; }
  /// Fails where a block reaches this line or one behind it.
  void fail_from(Index line) { state_->fails_from = line; }

 private:
  struct State {
    std::atomic<Index> elements = 0;
    Index fails_from = std::numeric_limits<Index>::max();
  };
  HostMatrix<T> const& matrix_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

template <class C>
class Stream : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Source = MemorySource<T, typename C::Layout>;
  using Vectors = std::vector<std::vector<T>>;

  enum class Operation { atax, atax_with_b, multiply, multiply_transposed };
  static constexpr std::array<Operation, 4> operations = {
      Operation::atax, Operation::atax_with_b, Operation::multiply, Operation::multiply_transposed};

  /// What an operation of the library writes.
  static Vectors run(Operation operation, Source const& source, Problem<T> const& p,
                     stream::Options<T> const& options, Index stride = 1,
                     stream::Report* report = nullptr) {
    GuardedVector<C> const v(p.v, stride);
    GuardedVector<C> const in(p.B, stride);
    GuardedVector<C> const b(static_cast<Index>(p.B.size()), stride);
    GuardedVector<C> const c(static_cast<Index>(p.v.size()), stride);
    stream::Report done;
    Vectors results;
    Exec const exec;
    switch (operation) {
      case Operation::atax:
        done = stream::atax(exec, source, v.strided(), c.strided(), options);
        results = {c.to_host()};
        break;
      case Operation::atax_with_b:
        done = stream::atax(exec, source, v.strided(), b.strided(), c.strided(), options);
        results = {c.to_host(), b.to_host()};
        break;
      case Operation::multiply:
        done = stream::multiply(exec, source, v.strided(), b.strided(), options);
        results = {b.to_host()};
        break;
      case Operation::multiply_transposed:
        done = stream::multiply_transposed(exec, source, in.strided(), c.strided(), options);
        results = {c.to_host()};
        break;
    }
    if (report != nullptr) *report = done;
    return results;
  }
  /// The same by the reference.
  static Vectors expected(Operation operation, Problem<T> const& p) {
    auto const A = p.A.for_reference();
    switch (operation) {
      case Operation::atax:
        return {reference::atax(A, p.v)};
      case Operation::atax_with_b:
        return {reference::atax(A, p.v), reference::multiply(A, p.v)};
      case Operation::multiply:
        return {reference::multiply(A, p.v)};
      case Operation::multiply_transposed:
        return {reference::multiply_transposed(A, p.B)};
    }
    return {};
  }
  static void expect_same(Vectors const& found, Vectors const& wanted, std::string const& where) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_THAT(found[k], same_bits_as(wanted[k])) << where << ", output " << k;
    }
  }
};
TYPED_TEST_SUITE(Stream, Cases, CaseName);

constexpr std::size_t KiB = 1024;

TYPED_TEST(Stream, HasTheBitsOfTheReferenceForEveryLimit) {
  using T = typename TypeParam::Scalar;
  using Source = typename TestFixture::Source;
  struct Trial {
    Index rows;
    Index cols;
    std::size_t limit;
  };
  // One block; groups of panels; parts of panels; tiles of one segment and of several.
  for (Trial const& t : {Trial{1, 1, 64 * KiB}, Trial{70, 33, 64 * KiB}, Trial{3000, 40, 128 * KiB},
                         Trial{5001, 129, 4096 * KiB}, Trial{40, 5003, 2048 * KiB},
                         Trial{130, 20011, 4096 * KiB}, Trial{9000, 520, 4096 * KiB},
                         Trial{100, 70000, 9216 * KiB}, Trial{2000, 2000, 65536 * KiB}}) {
    Shape const shape = Shape{t.rows, t.cols};
    auto const p = real_problem<T>(shape, TypeParam::order, 31);
    Source const source(p.A);
    for (auto const operation : TestFixture::operations) {
      auto const wanted = this->expected(operation, p);
      for (auto const& [scale, readers] :
           {std::pair{std::size_t{1}, 3}, std::pair{std::size_t{32}, 3},
            std::pair{std::size_t{1}, -1}, std::pair{std::size_t{32}, -1}}) {
        stream::Options<T> const options{.memory_limit = t.limit * scale, .readers = readers};
        std::string const where = testing::PrintToString(shape) + ", limit " +
                                  std::to_string(options.memory_limit) + ", operation " +
                                  std::to_string(static_cast<int>(operation)) + ", readers " +
                                  std::to_string(readers);
        try {
          this->expect_same(this->run(operation, source, p, options, 1), wanted, where);
        } catch (std::invalid_argument const& refused) {
          // Segments of all columns need more; the next limit is enough.
          EXPECT_THAT(refused.what(), HasSubstr("a block of the matrix has at least")) << where;
          EXPECT_EQ(scale, 1) << where;
        }
      }
    }
  }
}

TYPED_TEST(Stream, TakesVectorsOfAnyStrideAndAnyNumberOfReaders) {
  using T = typename TypeParam::Scalar;
  auto const p = real_problem<T>(Shape{700, 300}, TypeParam::order, 32);
  typename TestFixture::Source const source(p.A);
  for (auto const operation : TestFixture::operations) {
    for (int const readers : {-1, 0, 1, 7}) {
      this->expect_same(
          this->run(operation, source, p, {.memory_limit = 2048 * KiB, .readers = readers}, 3),
          this->expected(operation, p), std::to_string(readers) + " readers");
    }
  }
}

TYPED_TEST(Stream, HasTheSameBitsByEveryMethod) {
  using T = typename TypeParam::Scalar;
  auto const p = real_problem<T>(Shape{3000, 400}, TypeParam::order, 33);
  typename TestFixture::Source const source(p.A);
  auto const wanted = this->expected(TestFixture::Operation::atax_with_b, p);
  for (Method const method : {Method::fused, Method::two_stage}) {
    this->expect_same(this->run(TestFixture::Operation::atax_with_b, source, p,
                                {.memory_limit = 4096 * KiB, .method = method}),
                      wanted, "method " + std::to_string(static_cast<int>(method)));
  }
}

TYPED_TEST(Stream, ReadsTheMatrixOnceAndStaysBelowItsLimit) {
  using T = typename TypeParam::Scalar;
  Shape const shape = Shape{6000, 1000};
  auto const p = real_problem<T>(shape, TypeParam::order, 34);
  for (auto const operation : TestFixture::operations) {
    typename TestFixture::Source const source(p.A);
    std::size_t const limit = std::size_t{8192} * KiB;
    stream::Report report;
    this->run(operation, source, p, {.memory_limit = limit}, 1, &report);
    EXPECT_EQ(source.elements(), shape.size());
    EXPECT_EQ(report.bytes_read, static_cast<std::size_t>(shape.size()) * sizeof(T));
    EXPECT_GT(report.blocks, 2);
    EXPECT_THAT((std::vector<std::size_t>{report.host_bytes, report.device_bytes}),
                Each(Le(limit)));
  }
}

TYPED_TEST(Stream, GoesOnFromEveryStateWithTheSameBits) {
  using T = typename TypeParam::Scalar;
  struct Trial {
    Index rows;
    Index cols;
    std::size_t limit;
  };
  // Of the second, row-major, blocks are parts of panels; column-major it has two or three.
  constexpr bool row_major = TypeParam::order == Order::row_major;
  for (Trial const& t :
       {Trial{1500, 300, 2048 * KiB},
        row_major ? Trial{37, 20011, 2048 * KiB} : Trial{1500, 2000, 32768 * KiB}}) {
    auto const p = real_problem<T>(Shape{t.rows, t.cols}, TypeParam::order, 35);
    typename TestFixture::Source const source(p.A);
    for (auto const operation : TestFixture::operations) {
      auto const wanted = this->expected(operation, p);
      std::vector<stream::State<T>> states;
      stream::Options<T> options{
          .memory_limit = t.limit,
          .wants_state = [](stream::Progress const&) { return true; },
          .on_state = [&](stream::State<T> const& state) { states.push_back(state); }};
      this->expect_same(this->run(operation, source, p, options), wanted, "undisturbed");
      ASSERT_GT(states.size(), 1U);
      std::size_t const step = 1 + states.size() / 12;
      for (std::size_t k = 0; k < states.size(); k += step) {
        stream::Report report;
        this->expect_same(this->run(operation, source, p,
                                    {.memory_limit = t.limit, .resume = &states[k]}, 2, &report),
                          wanted, "after block " + std::to_string(states[k].blocks_done));
        EXPECT_EQ(report.blocks, static_cast<Index>(states.size()));
      }
    }
  }
}

TYPED_TEST(Stream, RefusesAStateOfSomethingElse) {
  using T = typename TypeParam::Scalar;
  auto const p = real_problem<T>(Shape{1500, 300}, TypeParam::order, 36);
  auto const other = real_problem<T>(Shape{1500, 301}, TypeParam::order, 36);
  std::optional<stream::State<T>> state;
  using Operation = typename TestFixture::Operation;
  this->run(Operation::atax, typename TestFixture::Source(p.A), p,
            {.memory_limit = 2048 * KiB,
             .wants_state = [&](stream::Progress const& at) { return at.blocks_done == 2; },
             .on_state = [&](stream::State<T> const& found) { state = found; }});
  ASSERT_TRUE(state);
  auto const refuses = ThrowsMessage<std::invalid_argument>(
      HasSubstr("the state to go on from is of another matrix, operation or limit of memory"));
  auto const going_on = [&](Problem<T> const& problem, std::size_t limit, Operation operation) {
    return [=, this, &problem, &state] {
      this->run(operation, typename TestFixture::Source(problem.A), problem,
                {.memory_limit = limit, .resume = &*state});
    };
  };
  EXPECT_THAT(going_on(other, 2048 * KiB, Operation::atax), refuses);
  EXPECT_THAT(going_on(p, 2048 * KiB, Operation::atax_with_b), refuses);
  EXPECT_ANY_THROW(going_on(p, 64 * KiB, Operation::atax)()) << "its blocks do not fit";
  this->expect_same(this->run(Operation::atax, typename TestFixture::Source(p.A), p,
                              {.memory_limit = 8192 * KiB, .resume = &*state}),
                    this->expected(Operation::atax, p), "with a larger limit");
}

TYPED_TEST(Stream, RefusesAStateWithoutTheSumsThatItsBlocksLeave) {
  using T = typename TypeParam::Scalar;
  auto const p = real_problem<T>(Shape{1500, 300}, TypeParam::order, 38);
  typename TestFixture::Source const source(p.A);
  std::optional<stream::State<T>> state;
  using Operation = typename TestFixture::Operation;
  this->run(Operation::atax, source, p,
            {.memory_limit = 2048 * KiB,
             .wants_state = [&](stream::Progress const& at) { return at.blocks_done == 1; },
             .on_state = [&](stream::State<T> const& found) { state = found; }});
  ASSERT_TRUE(state);
  ASSERT_FALSE(state->waiting.empty());
  for (std::size_t level = 0; level < state->waiting.size(); ++level) {
    auto damaged = *state;
    auto& sum = damaged.waiting[level];
    sum = std::vector<T>(sum.empty() ? p.v.size() : 0);  // one too few, or one too many
    EXPECT_THROW(
        this->run(Operation::atax, source, p, {.memory_limit = 2048 * KiB, .resume = &damaged}),
        std::invalid_argument)
        << "level " << level;
  }
}

TYPED_TEST(Stream, HandsOnWhatTheSourceThrows) {
  using T = typename TypeParam::Scalar;
  auto const p = real_problem<T>(Shape{1500, 300}, TypeParam::order, 37);
  for (Index const line : {Index{1}, p.A.count() / 2, p.A.count() - 1}) {
    typename TestFixture::Source source(p.A);
    source.fail_from(line);
    for (auto const operation : TestFixture::operations) {
      for (int const readers : {-1, 2}) {
        EXPECT_THAT(([&] {
                      this->run(operation, source, p,
                                {.memory_limit = 2048 * KiB, .readers = readers});
                    }),
                    ThrowsMessage<std::runtime_error>("the disk is gone"));
      }
    }
  }
}

TYPED_TEST(Stream, EndsWhenACallbackThrows) {
  using T = typename TypeParam::Scalar;
  auto const p = real_problem<T>(Shape{1500, 300}, TypeParam::order, 38);
  typename TestFixture::Source const source(p.A);
  EXPECT_THAT(([&] {
                this->run(TestFixture::Operation::atax, source, p,
                          {.memory_limit = 2048 * KiB, .on_progress = [](auto const& progress) {
                             if (progress.blocks_done == 2) throw std::runtime_error("enough");
                           }});
              }),
              ThrowsMessage<std::runtime_error>("enough"));
}

TYPED_TEST(Stream, TellsHowFarItIs) {
  using T = typename TypeParam::Scalar;
  Shape const shape = Shape{1500, 300};
  auto const p = real_problem<T>(shape, TypeParam::order, 39);
  typename TestFixture::Source const source(p.A);
  Index blocks = 0;
  std::size_t bytes = 0;
  this->run(TestFixture::Operation::multiply, source, p,
            {.memory_limit = 2048 * KiB, .on_progress = [&](stream::Progress const& progress) {
               EXPECT_EQ(progress.blocks_done, ++blocks);
               EXPECT_GT(progress.bytes_done, bytes);
               bytes = progress.bytes_done;
               EXPECT_EQ(progress.bytes, static_cast<std::size_t>(shape.size()) * sizeof(T));
             }});
  EXPECT_EQ(bytes, static_cast<std::size_t>(shape.size()) * sizeof(T));
}

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<float*, Exec>;

auto ones(Index rows, Index cols) {
  return stream::make_source<float>(rows, cols, [](stream::Block const& block, float* to) {
    for (Index i = 0; i < block.rows * block.cols; ++i) to[i] = 1;
  });
}

TEST(StreamOfAFunction, MultipliesAMatrixThatIsNowhere) {
  Vector const v(Kokkos::view_alloc("v", Kokkos::WithoutInitializing), 1000);
  auto const on_host = Kokkos::create_mirror_view(v);
  for (std::size_t j = 0; j < 1000; ++j) on_host(j) = 1;
  Kokkos::deep_copy(v, on_host);
  Vector const c("c", 1000);
  stream::atax(Exec(), ones(20000, 1000), v, c, {.memory_limit = 4096 * KiB});
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
  for (std::size_t j = 0; j < 1000; ++j) ASSERT_EQ(found(j), 2e7F);
}

TEST(StreamErrors, RefuseVectorsThatDoNotFitAndLimitsThatAreTooSmall) {
  Vector const v("v", 100);
  Vector const b("b", 50);
  Vector const c("c", 100);
  auto const refuses = [](std::string const& operation, std::string const& what) {
    return ThrowsMessage<std::invalid_argument>(
        AllOf(StartsWith("tessera::stream::" + operation + ": "), HasSubstr(what)));
  };
  EXPECT_THAT([&] { stream::atax(Exec(), ones(50, 100), b, c); },
              refuses("atax", "v must have 100 entries, found 50"));
  EXPECT_THAT([&] { stream::atax(Exec(), ones(50, 100), v, b); },
              refuses("atax", "C must have 100 entries, found 50"));
  EXPECT_THAT([&] { stream::atax(Exec(), ones(50, 100), v, c, c); },
              refuses("atax", "B must have 50 entries, found 100"));
  EXPECT_THAT([&] { stream::multiply(Exec(), ones(50, 100), v, c); },
              refuses("multiply", "B must have 50 entries, found 100"));
  EXPECT_THAT([&] { stream::multiply_transposed(Exec(), ones(50, 100), v, c); },
              refuses("multiply_transposed", "B must have 50 entries, found 100"));
  EXPECT_THAT([&] { stream::atax(Exec(), ones(50, 100), v, v); },
              refuses("atax", "C must not overlap v"));
  EXPECT_THAT([&] { stream::atax(Exec(), ones(0, 100), v, c); },
              refuses("atax", "at least one row and one column"));
  EXPECT_THAT(([&] { stream::atax(Exec(), ones(50, 100), v, c, {.memory_limit = 1200}); }),
              refuses("atax", "a block of the matrix has at least 400 bytes"));
}

}  // namespace
}  // namespace tessera::test
