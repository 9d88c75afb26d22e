// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bench/operation.hpp>
#include <bench/runner.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

/// Whether contenders compute what our operation computes.
///
/// On whole numbers, whose sums are exact in any order, all results must be equal. On real numbers,
/// results documented to have our bits must have them; others must be within a bound. With the unit
/// roundoff u, k roundings per element and g = k·u / (1 - k·u), two results differ by at most 2g·S,
/// where S is the operation on magnitudes. The computed S is at least (1-g)·S. If k is too large,
/// whole numbers alone decide.
///
/// Exponentials of the logistic gradient have errors below 2 ulp. Its S is Σ |a|·(1 + (|A|·|v|)_i),
/// because the slope of σ is at most 1/4 and |σ(b) - y| at most 2.
namespace tessera::bench {

/// Rounding errors in two computed σ(b) - y.
inline constexpr std::int64_t roundings_of_logistic = 16;

template <class T>
struct Cells {
  T const* data;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t row_stride;
  std::int64_t col_stride;

  [[nodiscard]] std::int64_t size() const { return rows * cols; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int64_t place(std::int64_t number) const {
    return number / cols * row_stride + number % cols * col_stride;
  }
};

struct Difference {
  std::int64_t count = 0;
  std::int64_t elements = 0;
  std::int64_t first = 0;
  double found = 0;
  double expected = 0;
};

std::string to_string(Difference const& difference);

template <class T>
struct Comparison {
  Cells<T> found;
  Cells<T> expected;
  T const* magnitudes;  ///< ordered as `expected`; null: bits are compared
  double factor;

  KOKKOS_INLINE_FUNCTION bool differs(std::int64_t number) const {
    T const a = found.data[found.place(number)];
    std::int64_t const place = expected.place(number);
    T const e = expected.data[place];
    if (magnitudes == nullptr) {
      using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      return Kokkos::bit_cast<Bits>(a) != Kokkos::bit_cast<Bits>(e);
    }
    double const distance = static_cast<double>(a) - static_cast<double>(e);
    auto const magnitude = static_cast<double>(magnitudes[place]);
    double const bound = magnitude == 0 ? 0 : factor * magnitude;  // zeros have no error
    return !((distance < 0 ? -distance : distance) <= bound);      // a NaN differs
  }
};

template <class T>
struct CountDifferences {
  Comparison<T> comparison;

  KOKKOS_FUNCTION void operator()(std::int64_t number, std::int64_t& sum) const {
    if (comparison.differs(number)) ++sum;
  }
};

template <class Exec, class T>
std::int64_t count_differences(Exec const& exec, Comparison<T> const& comparison) {
  std::int64_t count = 0;
  Kokkos::parallel_reduce(
      "bench::compare",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, comparison.found.size()),
      CountDifferences<T>{comparison}, count);
  return count;
}

template <class T>
struct FirstDifference {
  Comparison<T> comparison;

  KOKKOS_FUNCTION void operator()(std::int64_t number, std::int64_t& least) const {
    if (number < least && comparison.differs(number)) least = number;
  }
};

template <class Exec, class T>
std::int64_t first_difference(Exec const& exec, Comparison<T> const& comparison) {
  std::int64_t first = 0;
  Kokkos::parallel_reduce(
      "bench::first_difference",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, comparison.found.size()),
      FirstDifference<T>{comparison}, Kokkos::Min<std::int64_t>(first));
  return first;
}

template <class T>
struct SetAll {
  T* data;
  T value;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { data[i] = value; }
};

template <class Exec, class T>
void set_all(Exec const& exec, T* data, std::size_t size, T value) {
  Kokkos::parallel_for("bench::set",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, size),
                       SetAll<T>{data, value});
}

template <class Exec, class T>
double element_at(Exec const& exec, T const* place) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::View<T, Kokkos::HostSpace> const copy("bench::element");
  Kokkos::deep_copy(exec, copy,
                    Kokkos::View<T const, typename Exec::memory_space, Unmanaged>(place));
  exec.fence("bench: element is there");
  return static_cast<double>(copy());
}

template <class Exec, class T>
Difference compare(Exec const& exec, Comparison<T> const& comparison) {
  Difference difference{.count = count_differences(exec, comparison),
                        .elements = comparison.found.size()};
  if (difference.count == 0) return difference;
  auto const first = first_difference(exec, comparison);
  difference.first = first;
  difference.found = element_at(exec, comparison.found.data + comparison.found.place(first));
  difference.expected =
      element_at(exec, comparison.expected.data + comparison.expected.place(first));
  return difference;
}

template <class T>
struct Result {
  T* data;
  std::size_t size;
};

template <class Exec, class T>
std::vector<Result<T>> results_of(Problem<Exec, T> const& p, std::string_view operation) {
  Shape const& shape = p.shape;
  auto const whole = [](std::int64_t size) { return static_cast<std::size_t>(size); };
  Operation const& its = operation_named(operation);
  if (its.vector_name.empty()) {
    std::int64_t const size = shape.is_product()
                                  ? (its.is_chained ? shape.cols : shape.rows) * shape.factor_cols
                                  : shape.rows * shape.cols;
    return {{p.target_of(0), whole(size)}};
  }
  std::vector<Result<T>> results;
  if (its.gives_rows_vector) results.push_back({p.B.data(), whole(shape.rows)});
  if (!its.gives_rows_vector || its.gives_two_vectors) {
    results.push_back({p.C.data(), whole(shape.cols)});
  }
  return results;
}

struct Verdict {
  /// "equal bits", "in bounds", "equal on whole numbers alone" or "WRONG: …".
  std::string text{};
  bool wrong = false;
  std::string why_not{};  ///< empty if it could run
};

template <class Exec, class T>
std::vector<Runner<Exec, T>*> pointers_to(std::vector<Runner<Exec, T>>& runners) {
  std::vector<Runner<Exec, T>*> pointers;
  pointers.reserve(runners.size());
  for (auto& runner : runners) pointers.push_back(&runner);
  return pointers;
}

template <class Exec, class T>
class Checker {
 public:
  using P = Problem<Exec, T>;
  using Runners = std::vector<Runner<Exec, T>*>;

  Checker(std::shared_ptr<P const> problem, Contender<Exec, T> const& ours)
      : problem_(std::move(problem)),
        operation_(ours.operation),
        reference_(problem_, ours, Launch{}, 1),
        bound_(problem_, bound_of(ours), Launch{}, 1) {}

  std::vector<Verdict> check(Runners const& runners) {
    std::vector<Verdict> verdicts(runners.size());
    if (operation_ == "transpose") {
      problem_->need_target();
      check_with(Data::real, runners, verdicts);
      return verdicts;
    }
    problem_->fill_first(Data::magnitudes);
    magnitudes_ = computed(bound_);
    for (Data const data : {Data::whole, Data::real}) {
      if (data == Data::whole && !operation_named(operation_).is_exact) continue;
      problem_->fill_first(data);
      expected_ = computed(reference_);
      check_with(data, runners, verdicts);
    }
    return verdicts;
  }

 private:
  using Vector = Kokkos::View<T*, Exec>;

  void check_with(Data data, Runners const& runners, std::vector<Verdict>& verdicts) {
    for (std::size_t k = 0; k < runners.size(); ++k) {
      Verdict& verdict = verdicts[k];
      if (!verdict.why_not.empty() || verdict.wrong) continue;
      try {
        clear();
        runners[k]->call_first();
        judge(data, runners[k]->contender(), verdict);
      } catch (std::exception const& error) {
        verdict = {.why_not = error.what()};
      }
    }
  }

  void judge(Data data, Contender<Exec, T> const& contender, Verdict& verdict) const {
    bool const bits = data == Data::real && contender.has_our_bits;
    Difference difference;
    std::size_t before = 0;
    for (auto const& result : results_of(*problem_, operation_)) {
      Comparison<T> comparison = comparison_with(contender, result, before);
      if (!bits) {
        comparison.magnitudes = magnitudes_.data() + before;
        comparison.factor = data == Data::whole ? 0 : factor();
      }
      auto const its = compare(problem_->exec, comparison);
      if (difference.count == 0) {
        difference = its;
        difference.first += static_cast<std::int64_t>(before);
      } else {
        difference.count += its.count;
      }
      before += result.size;
    }
    difference.elements = static_cast<std::int64_t>(before);
    bool const has_bound = data == Data::real && std::isfinite(factor());
    verdict.wrong = difference.count > 0;
    verdict.text = bits ? "equal bits" : has_bound ? "in bounds" : "equal on whole numbers alone";
    if (verdict.wrong) {
      verdict.text = std::string("WRONG: ") + (data == Data::whole ? "whole numbers: " : "") +
                     to_string(difference);
    }
  }

  [[nodiscard]] double factor() const {
    auto const& shape = problem_->shape;
    bool const is_logistic = operation_ == "logistic";
    std::int64_t const maps = is_logistic ? roundings_of_logistic : operation_ == "weights" ? 1 : 0;
    Operation const& its = operation_named(operation_);
    std::int64_t const k = its.is_chained          ? shape.rows + shape.cols + maps
                           : its.gives_two_vectors ? std::max(shape.rows, shape.cols)
                           : its.takes_rows_vector ? shape.rows
                                                   : shape.cols;
    double const ku = static_cast<double>(k) * 0.5 * double(std::numeric_limits<T>::epsilon());
    if (ku >= 0.5) return std::numeric_limits<double>::infinity();
    double const g = ku / (1 - ku);
    return (is_logistic ? 2 : 1) * 2 * g / (1 - g);
  }

  [[nodiscard]] Comparison<T> comparison_with(Contender<Exec, T> const& contender,
                                              Result<T> const& result, std::size_t before) const {
    auto const& p = *problem_;
    auto const& shape = p.shape;
    auto const lines = [](T const* data, std::int64_t rows, std::int64_t cols,
                          std::int64_t leading) { return Cells<T>{data, rows, cols, leading, 1}; };
    if (operation_ == "transpose") {
      auto A = lines(p.elements(0), shape.rows, shape.cols, shape.cols + shape.padding);
      if (contender.is_copy) {
        return {lines(p.target_of(0), shape.rows, shape.cols, shape.cols + shape.padding), A,
                nullptr, 0};
      }
      std::swap(A.rows, A.cols);
      std::swap(A.row_stride, A.col_stride);
      return {lines(p.target_of(0), shape.cols, shape.rows, p.target_leading()), A, nullptr, 0};
    }
    auto const size = static_cast<std::int64_t>(result.size);
    return {lines(result.data, 1, size, size), lines(expected_.data() + before, 1, size, size),
            nullptr, 0};
  }

  static Contender<Exec, T> bound_of(Contender<Exec, T> ours) {
    if (ours.prepare_bound) ours.prepare = ours.prepare_bound;
    return ours;
  }

  Vector computed(Runner<Exec, T>& of) {
    of.call_first();
    auto const results = results_of(*problem_, operation_);
    std::size_t size = 0;
    for (auto const& result : results) size += result.size;
    Vector const copy(Kokkos::view_alloc(Kokkos::WithoutInitializing, "bench::expected"), size);
    using Unmanaged = Kokkos::View<T*, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    T* to = copy.data();
    for (auto const& result : results) {
      Kokkos::deep_copy(problem_->exec, Unmanaged(to, result.size),
                        Unmanaged(result.data, result.size));
      to += result.size;
    }
    problem_->exec.fence("bench: expected results are there");
    return copy;
  }

  void clear() const {
    auto const& p = *problem_;
    auto const nan = std::numeric_limits<T>::quiet_NaN();
    if (operation_ == "transpose") {
      return set_all(p.exec, p.target_of(0), p.target_elements(p.shape), nan);
    }
    for (auto const& result : results_of(p, operation_)) {
      set_all(p.exec, result.data, result.size, nan);
    }
  }

  std::shared_ptr<P const> problem_;
  std::string operation_;
  Runner<Exec, T> reference_;
  Runner<Exec, T> bound_;
  Vector magnitudes_;
  Vector expected_;
};

/// Leaves real data in the problem.
/// @throws std::invalid_argument without a row of ours
template <class Exec, class T>
std::vector<Verdict> check(std::shared_ptr<Problem<Exec, T> const> const& problem,
                           std::string_view operation, Layout layout,
                           std::vector<Runner<Exec, T>*> const& runners) {
  auto const& all = contenders<Exec, T>();
  auto const ours = std::ranges::find_if(all, [&](auto const& contender) {
    return contender.kind == Kind::ours && contender.operation == operation &&
           contender.layout == layout;
  });
  if (ours == all.end()) {
    throw std::invalid_argument("nothing of ours computes " + std::string(operation) +
                                " in this layout: there is nothing to compare with");
  }
  return Checker<Exec, T>(problem, *ours).check(runners);
}

}  // namespace tessera::bench
