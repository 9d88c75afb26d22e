// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/stream.hpp>

#include "failing_threads.hpp"
#include "support/cases.hpp"
#include "support/device_data.hpp"
#include "support/host_matrix.hpp"
#include "support/reference.hpp"
#include "support/refusal.hpp"
#include "support/runner.hpp"
#include "support/same_bits.hpp"

/// The reference's bits for every division into blocks, and resumed from any state.
namespace tessera::test {
namespace {

namespace tools = Kokkos::Tools::Experimental;

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::StartsWith;
using testing::ThrowsMessage;

template <class T, class LayoutT, bool InKernels = true>
class MemorySource {
 public:
  using value_type = T;
  using array_layout = LayoutT;
  static constexpr bool reads_in_kernels = InKernels;

  explicit MemorySource(HostMatrix<T> const& matrix) : matrix_(matrix) {
    static_assert(stream::may_read_in_kernels<MemorySource> == reads_in_kernels);
  }

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

  [[nodiscard]] Index elements() const { return state_->elements; }
  void fail_from(Index line) { state_->fails_from = line; }

 private:
  struct State {
    std::atomic<Index> elements = 0;
    Index fails_from = std::numeric_limits<Index>::max();
  };
  HostMatrix<T> const& matrix_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// Kokkos' kernels and bytes in its lifetime.
class Watch {
 public:
  Watch() {
    listener = this;
    tools::set_begin_parallel_for_callback([](char const* label, std::uint32_t, std::uint64_t*) {
      std::lock_guard const lock(listener->mutex_);
      listener->kernels_.emplace_back(label);
    });
    tools::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, char const*, void const*, std::uint64_t bytes) {
          std::lock_guard const lock(listener->mutex_);
          listener->bytes_ += static_cast<std::int64_t>(bytes);
          listener->most_ = std::max(listener->most_, listener->bytes_);
        });
    tools::set_deallocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, char const*, void const*, std::uint64_t bytes) {
          std::lock_guard const lock(listener->mutex_);
          listener->bytes_ -= static_cast<std::int64_t>(bytes);
        });
  }
  ~Watch() {
    tools::set_begin_parallel_for_callback(nullptr);
    tools::set_allocate_data_callback(nullptr);
    tools::set_deallocate_data_callback(nullptr);
    listener = nullptr;
  }
  Watch(Watch const&) = delete;
  Watch& operator=(Watch const&) = delete;

  [[nodiscard]] std::vector<std::string> const& kernels() const { return kernels_; }
  [[nodiscard]] std::size_t most_bytes() const { return static_cast<std::size_t>(most_); }

 private:
  static inline Watch* listener = nullptr;
  std::mutex mutex_;
  std::vector<std::string> kernels_;
  std::int64_t bytes_ = 0;
  std::int64_t most_ = 0;
};

template <class C>
class Stream : public testing::Test {
 protected:
  using Exec = typename C::Exec;
  using T = typename C::Scalar;
  using Source = MemorySource<T, typename C::Layout>;
  using SourceOutside = MemorySource<T, typename C::Layout, false>;
  using Vectors = std::vector<std::vector<T>>;

  enum class Operation { atax, atax_with_b, multiply_both, multiply, multiply_transposed };
  static constexpr std::array<Operation, 5> operations = {
      Operation::atax, Operation::atax_with_b, Operation::multiply_both, Operation::multiply,
      Operation::multiply_transposed};

  template <class From>
  static Vectors run(Operation operation, From const& source, Problem<T> const& p,
                     stream::Options<T> options, Index stride = 1,
                     stream::Report* report = nullptr) {
    GuardedVector<C> const v(p.v, stride);
    GuardedVector<C> const in(p.B, stride);
    GuardedVector<C> const b(static_cast<Index>(p.B.size()), stride);
    GuardedVector<C> const c(static_cast<Index>(p.v.size()), stride);
    options.kernels = kernels_under_test();
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
      case Operation::multiply_both:
        done = stream::multiply_both(exec, source, v.strided(), in.strided(), b.strided(),
                                     c.strided(), options);
        results = {c.to_host(), b.to_host()};
        break;
    }
    if (options.method != Method::fused) {  // portable ones may be fused instead
      EXPECT_EQ(done.kernels, kernels_used<Exec>(options.kernels));
    }
    if (report != nullptr) *report = done;
    return results;
  }
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
      case Operation::multiply_both:
        return {reference::multiply_transposed(A, p.B), reference::multiply(A, p.v)};
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
        } catch (stream::LimitError const& refused) {
          EXPECT_GT(refused.needed(), options.memory_limit) << where;
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
      stream::Options<T> const options{.memory_limit = 2048 * KiB, .readers = readers};
      std::string const where = std::to_string(readers) + " readers";
      this->expect_same(this->run(operation, source, p, options, 3), this->expected(operation, p),
                        where);
      this->expect_same(
          this->run(operation, typename TestFixture::SourceOutside(p.A), p, options, 3),
          this->expected(operation, p), where + " outside kernels");
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

template <class CaseT>
class StreamOfBlocks : public Stream<CaseT> {
 protected:
  using Source = typename Stream<CaseT>::Source;
  using Exec = typename CaseT::Exec;
  using T = typename CaseT::Scalar;
  template <class Layout>
  using Block = Kokkos::View<T**, Layout, typename Exec::memory_space>;
  using Columns = std::vector<std::vector<T>>;

  static Columns random_columns(Index entries, Index columns) {
    Columns all;
    for (Index j = 0; j < columns; ++j) {
      all.push_back(
          real_numbers<T>(static_cast<std::size_t>(entries), static_cast<std::uint64_t>(50 + j)));
    }
    return all;
  }
  template <class Layout>
  static Block<Layout> block_of(Columns const& columns) {
    Block<Layout> const block("V", columns.front().size(), columns.size());
    auto const on_host = Kokkos::create_mirror_view(block);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      for (std::size_t i = 0; i < columns[j].size(); ++i) on_host(i, j) = columns[j][i];
    }
    Kokkos::deep_copy(block, on_host);
    return block;
  }
  template <class Layout>
  static Columns columns_of(Block<Layout> const& block) {
    auto const on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), block);
    Columns all(block.extent(1), std::vector<T>(block.extent(0)));
    for (std::size_t j = 0; j < block.extent(1); ++j) {
      for (std::size_t i = 0; i < block.extent(0); ++i) all[j][i] = on_host(i, j);
    }
    return all;
  }
  template <class Product>
  static void expect_columns(Columns const& found, Columns const& from, Product const& product,
                             std::string const& where) {
    ASSERT_EQ(found.size(), from.size());
    for (std::size_t j = 0; j < found.size(); ++j) {
      EXPECT_THAT(found[j], same_bits_as(product(from[j]))) << where << ", column " << j;
    }
  }
  template <class Layout>
  static void expect_products(Problem<T> const& p, Index k, stream::Options<T> options,
                              Index readings) {
    Shape const shape = p.A.shape();
    auto const A = p.A.for_reference();
    auto const v = random_columns(shape.cols, k);
    auto const u = random_columns(shape.rows, k);
    auto const V = block_of<Layout>(v);
    auto const U = block_of<Layout>(u);
    auto const size = [](Index n) { return static_cast<std::size_t>(n); };
    Block<Layout> const B("B", size(shape.rows), size(k));
    Block<Layout> const C("C", size(shape.cols), size(k));
    options.kernels = kernels_under_test();
    Exec const exec;
    std::string const where = testing::PrintToString(shape) + ", " + std::to_string(k) + " columns";
    auto const multiply = [&](auto const& x) { return reference::multiply(A, x); };
    auto const atax = [&](auto const& x) { return reference::atax(A, x); };
    auto const transposed = [&](auto const& x) { return reference::multiply_transposed(A, x); };
    auto const run = [&](auto const& product) {
      Source const source(p.A);
      stream::Report const report = product(source);
      EXPECT_LE(source.elements(), readings * shape.size()) << where;
      EXPECT_EQ(report.bytes_read, size(source.elements()) * sizeof(T)) << where;
      EXPECT_THAT((std::vector<std::size_t>{report.host_bytes, report.device_bytes}),
                  Each(Le(options.memory_limit)))
          << where;
    };
    run([&](auto const& a) { return stream::multiply(exec, a, V, B, options); });
    expect_columns(columns_of(B), v, multiply, where + ", multiply");
    run([&](auto const& a) { return stream::multiply_transposed(exec, a, U, C, options); });
    expect_columns(columns_of(C), u, transposed, where + ", multiply_transposed");
    run([&](auto const& a) { return stream::atax(exec, a, V, C, options); });
    expect_columns(columns_of(C), v, atax, where + ", atax");
    Kokkos::deep_copy(B, T(1));
    Kokkos::deep_copy(C, T(1));
    run([&](auto const& a) { return stream::atax(exec, a, V, B, C, options); });
    expect_columns(columns_of(B), v, multiply, where + ", B of atax");
    expect_columns(columns_of(C), v, atax, where + ", atax with B");
  }
};
TYPED_TEST_SUITE(StreamOfBlocks, Cases, CaseName);

TYPED_TEST(StreamOfBlocks, ReadTheMatrixOnceForAllColumns) {
  using T = typename TypeParam::Scalar;
  struct Trial {
    Index rows;
    Index cols;
    std::size_t limit;
  };
  // Whole panels; parts of panels or tiles of few segments.
  for (Trial const& t :
       {Trial{3000, 40, 4096 * KiB}, Trial{37, 20011, 65536 * KiB}, Trial{1, 1, 64 * KiB}}) {
    auto const p = real_problem<T>(Shape{t.rows, t.cols}, TypeParam::order, 61);
    for (Index const k : {1, 3, 8, 9, 17}) {
      stream::Options<T> const options{.memory_limit = t.limit, .readers = k % 2 == 0 ? 2 : -1};
      this->template expect_products<Kokkos::LayoutLeft>(p, k, options, 1);
      this->template expect_products<Kokkos::LayoutRight>(p, k, options, 1);
    }
  }
}

TYPED_TEST(StreamOfBlocks, NeedNoLargerLimitThanOneVector) {
  using T = typename TypeParam::Scalar;
  auto const p = real_problem<T>(Shape{300, 5000}, TypeParam::order, 62);
  std::size_t enough = 0;
  for (auto const operation : TestFixture::operations) {
    try {
      this->run(operation, typename TestFixture::Source(p.A), p, {.memory_limit = 1});
      FAIL() << "a limit of one byte was taken";
    } catch (stream::LimitError const& error) {
      enough = std::max(enough, error.needed());
    }
  }
  this->template expect_products<Kokkos::LayoutLeft>(p, 5, {.memory_limit = enough}, 5);
}

TYPED_TEST(StreamOfBlocks, RefuseStatesAndWhatIsAdded) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  auto const p = real_problem<T>(Shape{30, 20}, TypeParam::order, 63);
  typename TestFixture::Source const source(p.A);
  auto const V = this->template block_of<Kokkos::LayoutLeft>(this->random_columns(20, 2));
  typename TestFixture::template Block<Kokkos::LayoutLeft> const C("C", 20, 2);
  stream::Options<T> options{.wants_state = [](auto const&) { return true; },
                             .on_state = [](auto const&) {}};
  EXPECT_THAT([&] { stream::atax(Exec(), source, V, C, options); },
              test::refuses("a state is one of a product"));
  auto const z = Kokkos::subview(V, Kokkos::ALL, 0);
  EXPECT_THAT([&] { stream::atax(Exec(), source, V, C, {}, {.beta = T(2), .z = z}); },
              test::refuses("z is added to one vector"));
  EXPECT_EQ(source.elements(), 0);
}

TYPED_TEST(Stream, HoldsNoMoreThanItSaysWithStatesAndStrides) {
  using T = typename TypeParam::Scalar;
  struct Trial {
    Index rows;
    Index cols;
    std::size_t limit;
  };
  // Long outputs; long lines; parts of panels.
  for (Trial const& t : {Trial{60000, 10, 4096 * KiB}, Trial{20, 40000, 8192 * KiB},
                         Trial{3000, 700, 8192 * KiB}, Trial{37, 20011, 4096 * KiB}}) {
    auto const p = real_problem<T>(Shape{t.rows, t.cols}, TypeParam::order, 40);
    typename TestFixture::Source const source(p.A);
    for (auto const operation : TestFixture::operations) {
      for (int const readers : {-1, 2}) {
        std::size_t states = 0;
        stream::Options<T> const options{
            .memory_limit = t.limit,
            .readers = readers,
            .wants_state = [](stream::Progress const& at) { return at.blocks_done % 5 == 2; },
            .on_state =
                [&](stream::State<T> const& state) {
                  std::size_t elements = state.chain.size() + state.output.size();
                  for (auto const& sum : state.waiting) elements += sum.size();
                  states = std::max(states, elements * sizeof(T));
                }};
        std::string const where = testing::PrintToString(Shape{t.rows, t.cols}) + ", operation " +
                                  std::to_string(static_cast<int>(operation)) + ", readers " +
                                  std::to_string(readers);
        std::size_t const callers =
            3 * sizeof(T) * static_cast<std::size_t>(2 * t.rows + 2 * t.cols) + 64 * KiB;
        stream::Report report;
        std::size_t most = 0;
        try {
          Watch const watch;
          this->run(operation, source, p, options, 3, &report);
          most = watch.most_bytes();
        } catch (stream::LimitError const& refused) {
          EXPECT_EQ(TypeParam::order, Order::column_major) << where << refused.what();
          EXPECT_LE(operation, TestFixture::Operation::multiply_both) << where;
          continue;
        }
        EXPECT_LE(most + states, report.host_bytes + report.device_bytes + callers) << where;
        EXPECT_THAT((std::vector<std::size_t>{report.host_bytes, report.device_bytes}),
                    Each(Le(t.limit)))
            << where;
      }
    }
  }
}

TYPED_TEST(Stream, ErrorNamesSmallestSufficientLimit) {
  using T = typename TypeParam::Scalar;
  auto const p = real_problem<T>(Shape{1500, 300}, TypeParam::order, 41);
  typename TestFixture::Source const source(p.A);
  for (auto const operation : TestFixture::operations) {
    std::size_t needed = 0;
    try {
      this->run(operation, source, p, {.memory_limit = 1000, .readers = 1});
      FAIL() << "1000 bytes are enough";
    } catch (stream::LimitError const& refused) {
      needed = refused.needed();
      EXPECT_THAT(refused.what(), HasSubstr(": expected a limit of at least " +
                                            std::to_string(needed) + " bytes, found 1000"));
    }
    this->expect_same(this->run(operation, source, p, {.memory_limit = needed, .readers = 1}),
                      this->expected(operation, p), "the least limit");
    EXPECT_THROW(this->run(operation, source, p, {.memory_limit = needed - 1, .readers = 1}),
                 stream::LimitError);
  }
}

TYPED_TEST(Stream, CallsItsKernelsByItsName) {
  using T = typename TypeParam::Scalar;
  auto const p = real_problem<T>(Shape{1500, 300}, TypeParam::order, 42);
  for (auto const operation : TestFixture::operations) {
    for (Method const method : {Method::fused, Method::two_stage}) {
      GuardedVector<TypeParam> const v(p.v, 1);
      GuardedVector<TypeParam> const in(p.B, 1);
      GuardedVector<TypeParam> const b(static_cast<Index>(p.B.size()), 1);
      GuardedVector<TypeParam> const c(static_cast<Index>(p.v.size()), 1);
      typename TestFixture::Source const source(p.A);
      typename TestFixture::Exec const exec;
      stream::Options<T> const options{.memory_limit = 4096 * KiB, .method = method};
      Watch const watch;
      using Operation = typename TestFixture::Operation;
      std::string name = "tessera::stream::atax";
      if (operation == Operation::atax) {
        stream::atax(exec, source, v.strided(), c.strided(), options);
      } else if (operation == Operation::atax_with_b) {
        stream::atax(exec, source, v.strided(), b.strided(), c.strided(), options);
      } else if (operation == Operation::multiply_both) {  // ATAX with u in its second product
        stream::multiply_both(exec, source, v.strided(), in.strided(), b.strided(), c.strided(),
                              options);
      } else if (operation == Operation::multiply) {
        name = "tessera::stream::multiply";
        stream::multiply(exec, source, v.strided(), b.strided(), options);
      } else {
        name = "tessera::stream::multiply_transposed";
        stream::multiply_transposed(exec, source, in.strided(), c.strided(), options);
      }
      EXPECT_THAT(watch.kernels(), testing::Contains(StartsWith(name)));
      for (std::string const& kernel : watch.kernels()) {
        EXPECT_THAT(kernel,
                    testing::AnyOf(StartsWith("tessera::stream::"),
                                   StartsWith("tessera::workspace::"), StartsWith("Kokkos::")));
      }
    }
  }
}

TYPED_TEST(Stream, GoesOnFromEveryStateWithTheSameBits) {
  using T = typename TypeParam::Scalar;
  struct Trial {
    Index rows;
    Index cols;
    std::size_t limit;
  };
  // Row-major, the second has parts of panels; column-major, two or three blocks.
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
  using Operation = typename TestFixture::Operation;
  auto const p = real_problem<T>(Shape{300, 300}, TypeParam::order, 36);
  auto const other = real_problem<T>(Shape{300, 301}, TypeParam::order, 36);
  std::string const layout = TypeParam::order == Order::row_major ? "rows" : "columns";
  std::string const scalar = sizeof(T) == 4 ? "float" : "double";
  std::array<std::string, 5> const names = {"atax", "atax with B", "multiply_both", "multiply",
                                            "multiply_transposed"};
  auto const name_of = [&](Operation operation, std::string const& shape = "300 x 300") {
    return names[static_cast<std::size_t>(operation)] + " of " + shape + " " + scalar + ", " +
           layout + " contiguous, order of summation 1";
  };
  auto const refusal = [](std::string const& expected, std::string const& found) {
    return test::refuses("expected a state of " + expected + " to resume from, found one of " +
                         found);
  };
  for (Operation const operation : TestFixture::operations) {
    std::optional<stream::State<T>> state;
    this->run(operation, typename TestFixture::Source(p.A), p,
              {.memory_limit = 4096 * KiB,
               .wants_state = [&](stream::Progress const& at) { return at.blocks_done == 1; },
               .on_state = [&](stream::State<T> const& found) { state = found; }});
    ASSERT_TRUE(state);
    auto const going_on = [&](Problem<T> const& problem, Operation wanted,
                              stream::State<T> const& from) {
      return [&, wanted, this] {
        this->run(wanted, typename TestFixture::Source(problem.A), problem,
                  {.memory_limit = 4096 * KiB, .resume = &from});
      };
    };
    for (Operation const wanted : TestFixture::operations) {
      if (wanted == operation) continue;
      EXPECT_THAT(going_on(p, wanted, *state), refusal(name_of(wanted), name_of(operation)));
    }
    EXPECT_THAT(going_on(other, operation, *state),
                refusal(name_of(operation, "300 x 301"), name_of(operation)));
    auto changed = *state;
    changed.of.layout = "diagonals";
    EXPECT_THAT(
        going_on(p, operation, changed),
        refusal(name_of(operation), names[static_cast<std::size_t>(operation)] + " of 300 x 300 " +
                                        scalar + ", diagonals contiguous"));
    changed = *state;
    changed.of.scalar = "half";
    EXPECT_THAT(going_on(p, operation, changed),
                refusal(name_of(operation),
                        names[static_cast<std::size_t>(operation)] + " of 300 x 300 half"));
    changed = *state;
    changed.of.order = 2;
    EXPECT_THROW(going_on(p, operation, changed)(), std::invalid_argument);
  }
}

TYPED_TEST(Stream, GoesOnWithTheBlocksOfItsState) {
  using T = typename TypeParam::Scalar;
  using Operation = typename TestFixture::Operation;
  for (auto const& [rows, cols] :
       {std::pair{Index{37}, Index{20011}}, std::pair{Index{1500}, Index{300}}}) {
    auto const p = real_problem<T>(Shape{rows, cols}, TypeParam::order, 43);
    typename TestFixture::Source const source(p.A);
    for (Operation const operation : {Operation::multiply, Operation::multiply_transposed}) {
      std::optional<stream::State<T>> state;
      this->run(operation, source, p,
                {.memory_limit = 2048 * KiB,
                 .wants_state = [&](stream::Progress const& at) { return at.blocks_done == 2; },
                 .on_state = [&](stream::State<T> const& found) { state = found; }});
      ASSERT_TRUE(state);
      this->expect_same(
          this->run(operation, source, p, {.memory_limit = 65536 * KiB, .resume = &*state}),
          this->expected(operation, p), "with a larger limit");
      EXPECT_THAT(
          ([&] { this->run(operation, source, p, {.memory_limit = 10000, .resume = &*state}); }),
          ThrowsMessage<stream::LimitError>(HasSubstr("expected a limit of at least")));
      auto changed = *state;
      changed.block_lines = rows * cols;
      EXPECT_THAT(([&] {
                    this->run(operation, source, p,
                              {.memory_limit = 2048 * KiB, .resume = &changed});
                  }),
                  test::refuses("expected a state whose blocks are parts of the order of "
                                "summation, found blocks of " +
                                std::to_string(rows * cols) + " lines"));
    }
  }
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
    sum = std::vector<T>(sum.empty() ? p.v.size() : 0);
    EXPECT_THAT(([&] {
                  this->run(Operation::atax, source, p,
                            {.memory_limit = 2048 * KiB, .resume = &damaged});
                }),
                test::refuses("expected a state with the sums and the output that its blocks "
                              "leave, found others"))
        << "level " << level;
  }
}

TYPED_TEST(Stream, PropagatesSourceExceptions) {
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

/// Requires large whole blocks, read in order by one thread.
template <class Inner>
class WholeSource {
 public:
  using value_type = typename Inner::value_type;
  using array_layout = typename Inner::array_layout;
  static constexpr bool reads_in_kernels = true;

  WholeSource(Inner const& inner, std::size_t wanted) : inner_(inner), wanted_(wanted) {}
  [[nodiscard]] Index rows() const { return inner_.rows(); }
  [[nodiscard]] Index cols() const { return inner_.cols(); }
  [[nodiscard]] std::size_t bytes_at_once() const { return wanted_; }
  void read(stream::Block const& block, value_type* to) const {
    EXPECT_EQ(calls_->exchange(1), 0) << "two at a time";
    blocks_->push_back(block);
    inner_.read(block, to);
    *calls_ = 0;
  }
  [[nodiscard]] std::vector<stream::Block> const& blocks() const { return *blocks_; }

 private:
  Inner const& inner_;
  std::size_t wanted_;
  std::shared_ptr<std::atomic<int>> calls_ = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::vector<stream::Block>> blocks_ =
      std::make_shared<std::vector<stream::Block>>();
};

TYPED_TEST(Stream, ReadsWholeBlocksInOrderWhereTheSourceAsksForThem) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  using Operation = typename TestFixture::Operation;
  Shape const shape = Shape{9000, 2200};
  auto const p = real_problem<T>(shape, TypeParam::order, 47);
  typename TestFixture::SourceOutside const matrix(p.A);
  std::size_t const all = static_cast<std::size_t>(shape.size()) * sizeof(T);
  GuardedVector<TypeParam> const v(p.v, 1);
  GuardedVector<TypeParam> const c(static_cast<Index>(p.v.size()), 1);
  for (int const readers : {-1, 0, 3}) {
    std::vector<std::size_t> counts;
    for (std::size_t const wanted : {std::size_t{1}, all}) {
      WholeSource const source(matrix, wanted);
      auto const report = stream::atax(Exec(), source, v.strided(), c.strided(),
                                       {.memory_limit = all, .readers = readers});
      EXPECT_THAT(c.to_host(), same_bits_as(this->expected(Operation::atax, p)[0]));
      ASSERT_EQ(source.blocks().size(), static_cast<std::size_t>(report.blocks));
      Index next_row = 0, next_col = 0;
      for (stream::Block const& block : source.blocks()) {
        EXPECT_TRUE(block.first_row == next_row || block.first_col == next_col);
        next_row = block.first_row + block.rows;
        next_col = block.first_col + block.cols;
      }
      counts.push_back(source.blocks().size());
    }
    EXPECT_GT(counts[0], counts[1]) << "blocks as large as the limit allows";
  }
}

TYPED_TEST(Stream, ReadsInNoKernelUnlessTheSourceSaysThatItMay) {
  using T = typename TypeParam::Scalar;
  using Exec = typename TypeParam::Exec;
  using Host = Kokkos::DefaultHostExecutionSpace;
  Shape const shape = Shape{600, 200};
  auto const p = real_problem<T>(shape, TypeParam::order, 44);
  typename TestFixture::SourceOutside const matrix(p.A);
  // A kernel would deadlock here.
  auto const source = stream::make_source<T, typename TypeParam::Layout>(
      shape.rows, shape.cols, [&](stream::Block const& block, T* to) {
        auto const size = static_cast<std::size_t>(block.rows * block.cols);
        Kokkos::View<T*, Host> const elements("elements", size);
        matrix.read(block, elements.data());
        Kokkos::View<T*, Host, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const target(to, size);
        Kokkos::deep_copy(target, T(0));
        Kokkos::parallel_for(
            "read", Kokkos::RangePolicy<Host>(0, static_cast<int>(size)), [=](int k) {
              target(static_cast<std::size_t>(k)) = elements(static_cast<std::size_t>(k));
            });
        Host().fence();
      });
  static_assert(!stream::may_read_in_kernels<decltype(source)>);
  static_assert(stream::may_read_in_kernels<typename TestFixture::Source>);
  using Operation = typename TestFixture::Operation;
  for (int const readers : {-1, 0, 3}) {
    GuardedVector<TypeParam> const v(p.v, 1);
    GuardedVector<TypeParam> const c(static_cast<Index>(p.v.size()), 1);
    stream::atax(Exec(), source, v.strided(), c.strided(),
                 {.memory_limit = 2048 * KiB, .readers = readers});
    EXPECT_THAT(c.to_host(), same_bits_as(this->expected(Operation::atax, p)[0]));
  }
}

TYPED_TEST(Stream, StartsAllOfItsReadersOrFails) {
  using T = typename TypeParam::Scalar;
  using Operation = typename TestFixture::Operation;
  auto const p = real_problem<T>(Shape{600, 200}, TypeParam::order, 45);
  typename TestFixture::Source const source(p.A);
  auto const run = [&](int readers) {
    return this->run(Operation::multiply, source, p,
                     {.memory_limit = 4096 * KiB, .readers = readers});
  };
  auto const wanted = this->expected(Operation::multiply, p);
  this->expect_same(run(1), wanted, "a first run, which starts Kokkos' threads");
  for (int const more : {0, 1, 3}) {
    FewThreads const few(more);
    EXPECT_THAT(([&] { run(4); }),
                ThrowsMessage<std::system_error>(
                    HasSubstr("tessera::stream::multiply: expected to start 4 threads that read "
                              "ahead, found that the system starts only " +
                              std::to_string(more) + ": Resource temporarily unavailable")));
  }
  this->expect_same(run(4), wanted, "the system has threads again");
  this->expect_same(run(stream::most_readers), wanted, "as many as there may be");
  for (int const readers : {-2, stream::most_readers + 1}) {
    EXPECT_THAT(([&] { run(readers); }),
                test::refuses("readers must be -1, or between 0 and 256, found " +
                              std::to_string(readers)));
  }
}

using Exec = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<float*, Exec>;

auto ones(Index rows, Index cols) {
  return stream::make_source<float>(rows, cols, [](stream::Block const& block, float* to) {
    for (Index i = 0; i < block.rows * block.cols; ++i) to[i] = 1;
  });
}

TEST(StreamOfAFunction, MultipliesGeneratedMatrix) {
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
              refuses("atax", "at least one row and one column, found 0 x 100"));
  EXPECT_THAT([&] { stream::multiply(Exec(), ones(Index{1} << 58, 100), v, b); },
              refuses("multiply", "must have fewer than 2^61 bytes"));
  EXPECT_THAT(([&] { stream::atax(Exec(), ones(50, 100), v, c, {.memory_limit = 1200}); }),
              refuses("atax", "expected a limit of at least "));
}

}  // namespace
}  // namespace tessera::test
