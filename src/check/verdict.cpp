// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <check/precise.hpp>
#include <check/precise_terms.hpp>
#include <check/verdict.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include <Kokkos_Core.hpp>

#include <io/memory.hpp>
#include <tessera/narrow.hpp>
#include <tessera/summation.hpp>

namespace tessera::check {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr double unit_roundoff(int digits) {
  return 1 / static_cast<double>(std::uint64_t{1} << digits);
}

/// γ_k (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). Infinite if γ_k >= 1:
/// zeros would pass.
double gamma(std::int64_t k, double unit) {
  double const ku = static_cast<double>(k) * unit;
  return ku < 0.5 ? ku / (1 - ku) : infinity;
}

/// Error of sums in double for float, and of compensated sums for double (Ogita, Rump, Oishi,
/// Accurate Sum and Dot Product, proposition 5.5).
template <class T>
double reference_error(std::int64_t chain) {
  double const g = gamma(chain + 2, unit_roundoff(53));
  return std::is_same_v<T, float> ? g : 2 * g * g + unit_roundoff(62) * unit_roundoff(40);
}

/// A term has `depth` roundings in the result and `chain` in the reference (docs/accuracy.md). The
/// rounding of the bound, computed in double, is added.
template <class T>
ErrorModel errors_of(std::int64_t depth, std::int64_t chain, std::int64_t terms) {
  using Limits = std::numeric_limits<T>;
  return {.relative = gamma(depth, unit_roundoff(Limits::digits)) + reference_error<T>(chain),
          .of_bound = 1 + gamma(terms + 8, unit_roundoff(53)),
          .underflow = 2 * static_cast<double>(terms) * static_cast<double>(Limits::denorm_min())};
}

/// Of floats or doubles T, or of elements that are widened to T.
template <class T>
class Reference {
 public:
  template <class S, class Layout>
  Reference(io::MatrixView<S, Layout> const& A, Advance const& advance,
            std::optional<Storage> stored = std::nullopt)
      : extents_{A.extent(0), A.extent(1)}, advance_(advance) {
    auto const m = static_cast<std::int64_t>(A.extent(0));
    auto const n = static_cast<std::int64_t>(A.extent(1));
    by_rows_ = summation::lines_are_rows(std::is_same_v<Layout, Kokkos::LayoutRight>, m, n);
    lines_ = {
        .data = A.data(), .count = by_rows_ ? m : n, .length = by_rows_ ? n : m, .stored = stored};
  }

  [[nodiscard]] std::size_t extent(std::size_t i) const { return extents_[i]; }
  [[nodiscard]] std::uint64_t bytes() const { return extents_[0] * extents_[1] * sizeof(T); }

  /// Replaces x by its product. Empty depth: of the canonical order.
  void multiply(bool transposed, PreciseVector& x,
                std::optional<std::int64_t> depth = std::nullopt) const {
    auto const [data, count, length, stored] = lines_;
    if (transposed != by_rows_) {  // along the lines
      auto const model = errors_of<T>(depth.value_or(summation::dot_depth<T>(length)),
                                      longest_chain_of_dot(length), length);
      x = dot_lines(lines_, x, model, advance_);
    } else {
      auto const model = errors_of<T>(depth.value_or(summation::sum_depth(count, length)),
                                      longest_chain_of_sum(count, length), count);
      x = sum_lines(lines_, x, model, advance_);
    }
  }

  [[nodiscard]] std::uint64_t memory_needed() const {
    return precise_bytes(lines_.count, lines_.length);
  }

 private:
  std::array<std::size_t, 2> extents_;
  bool by_rows_;
  Lines<T> lines_;
  Advance const& advance_;
};

template <class T>
double ulp(double value) {
  int const least = std::numeric_limits<T>::min_exponent;
  int const exponent = value == 0 ? least : std::max(std::ilogb(value) + 1, least);
  return std::ldexp(1.0, exponent - std::numeric_limits<T>::digits);
}

constexpr char const* by_order =
    "rounding and the order of summation decide whether it is a number, an infinity or NaN";
constexpr char const* without_bound = "no bound holds after so many roundings";

bool is_possible(double value, Outcomes const& outcomes) {
  if (std::isnan(value)) return outcomes.nan;
  if (std::isinf(value)) return value > 0 ? outcomes.plus : outcomes.minus;
  return outcomes.number;
}

void add_not_judged(Verdict& verdict, std::int64_t index, char const* why) {
  ++verdict.not_judged;
  auto& runs = verdict.which_not_judged;
  if (!runs.empty() && runs.back().last + 1 == index && runs.back().why == why) {
    runs.back().last = index;
  } else if (runs.size() < Verdict::most_listed) {
    runs.push_back({.first = index, .last = index, .why = why});
  }
}

template <class T, class ValueOf, class IndexOf>
void compare(PreciseVector const& reference, ValueOf const& value_of, IndexOf const& index_of,
             Verdict& verdict) {
  verdict.elements += static_cast<std::int64_t>(reference.size());
  for (std::size_t i = 0; i < reference.size(); ++i) {
    double const value = static_cast<double>(value_of(i));
    PreciseEntry const& entry = reference[i];
    double in_bounds = infinity, in_ulp = infinity;
    if (is_possible(value, entry.outcomes)) {
      if (!std::isfinite(value)) {
        if (entry.outcomes.count() > 1) {
          add_not_judged(verdict, index_of(i), by_order);
          continue;
        }
        in_bounds = in_ulp = 0;
      } else if (!std::isfinite(entry.error)) {
        add_not_judged(verdict, index_of(i), without_bound);
        continue;
      } else {
        double const error = std::fabs((value - entry.high) - entry.low);
        in_bounds = error > 0 ? error / entry.error : 0;
        in_ulp = error / ulp<T>(entry.high);
      }
    }
    verdict.failed += in_bounds > 1 ? 1 : 0;
    if (in_bounds > verdict.worst_in_bounds) {
      verdict.worst = index_of(i);
      verdict.worst_in_bounds = in_bounds;
      verdict.worst_value = value;
      verdict.worst_reference = entry.high;
      verdict.worst_bound = entry.error;
    }
    if (in_ulp > verdict.greatest_ulp) {
      verdict.ulp_index = index_of(i);
      verdict.greatest_ulp = in_ulp;
    }
  }
}

template <class ValueOf>
PreciseVector precise(std::size_t size, ValueOf const& value_of) {
  PreciseVector vector(size);
  for (std::size_t i = 0; i < size; ++i) {
    vector[i].high = static_cast<double>(value_of(i));
    vector[i].outcomes = outcomes_of(vector[i].high);
  }
  return vector;
}

void begin(Progress const& progress, std::uint64_t bytes) {
  if (progress.begin) progress.begin(bytes);
}

Verdict finished(Verdict verdict, Kokkos::Timer const& watch) {
  verdict.worst_in_bounds = std::max(verdict.worst_in_bounds, 0.0);
  verdict.seconds = watch.seconds();
  return verdict;
}

template <class T>
Verdict judge_typed(Operation operation, Reference<T> const& reference, io::VectorView<T> const& x,
                    io::VectorView<T> const& result, std::string const& input, Summation order,
                    Terms const& terms, Progress const& progress) {
  Kokkos::Timer const watch;
  io::require_memory(reference.memory_needed(), input, "the reference of the check");
  auto const [is_transposed, passes] = chain_of(operation);
  std::size_t const length = reference.extent(is_transposed ? 0 : 1);
  std::size_t const columns = x.size() / length;
  std::size_t const result_length = result.size() / columns;
  begin(progress, static_cast<std::uint64_t>(passes) * columns * reference.bytes());

  // In any order, a product is rounded once, and at most once by each addition.
  auto const depth = [&](unsigned extent) {
    return order == Summation::any
               ? std::optional(static_cast<std::int64_t>(reference.extent(extent)))
               : std::nullopt;
  };
  Verdict verdict{.worst_in_bounds = -1};
  for (std::size_t j = 0; j < columns; ++j) {
    PreciseVector value = precise(length, [&](std::size_t i) { return x(j * length + i); });
    reference.multiply(is_transposed, value, depth(is_transposed ? 0 : 1));
    if (terms.has_map()) apply_map(terms.map, std::get<io::VectorView<T>>(terms.of_map), value);
    if (passes == 2) reference.multiply(!is_transposed, value, depth(is_transposed ? 1 : 0));
    if (terms.scales()) {
      auto const* const z = std::get_if<io::VectorView<T>>(&terms.z);
      scale_and_add(static_cast<T>(terms.alpha), static_cast<T>(terms.beta),
                    terms.adds() ? *z : io::VectorView<T>(), value);
    }
    compare<T>(
        value, [&](std::size_t i) { return result(j * result_length + i); },
        [&](std::size_t i) { return static_cast<std::int64_t>(i * columns + j); }, verdict);
  }
  return finished(verdict, watch);
}

template <class T, class LayoutA, class MatrixB, class MatrixC>
Verdict judge_product_typed(io::MatrixView<T, LayoutA> const& A, MatrixB const& B, MatrixC const& C,
                            std::string const& input, Summation order, Progress const& progress) {
  Kokkos::Timer const watch;
  Reference<T> const reference(A, progress.advance);
  io::require_memory(reference.memory_needed(), input, "the reference of the check");
  std::size_t const columns = C.extent(1);
  auto const terms = static_cast<std::int64_t>(A.extent(1));
  auto const depth = order == Summation::any
                         ? terms
                         : summation::product_depth(static_cast<std::int64_t>(C.extent(0)),
                                                    static_cast<std::int64_t>(C.extent(1)), terms);
  begin(progress, columns * reference.bytes());
  Verdict verdict{.worst_in_bounds = -1};
  for (std::size_t j = 0; j < columns; ++j) {
    PreciseVector value = precise(B.extent(0), [&](std::size_t k) { return B(k, j); });
    reference.multiply(false, value, depth);
    compare<T>(
        value, [&](std::size_t i) { return C(i, j); },
        [&](std::size_t i) { return static_cast<std::int64_t>(i * columns + j); }, verdict);
  }
  return finished(verdict, watch);
}

Storage storage_of(io::ElementType stored) {
  switch (stored) {
    case io::ElementType::f16:
      return Storage::float16;
    case io::ElementType::bf16:
      return Storage::bfloat16;
    case io::ElementType::i8:
      return Storage::int8;
    case io::ElementType::u8:
      return Storage::uint8;
    case io::ElementType::i16:
      return Storage::int16;
    case io::ElementType::u16:
      return Storage::uint16;
    default:
      throw std::logic_error("check::judge: expected elements of 8 or 16 bits");
  }
}

/// In elements.
constexpr std::int64_t tile = 64;

template <class View>
std::int64_t differences(View const& A, View const& result, bool transposed, std::int64_t row,
                         std::int64_t col) {
  using T = typename View::non_const_value_type;
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  auto const rows = std::min(row + tile, static_cast<std::int64_t>(result.extent(0)));
  auto const cols = std::min(col + tile, static_cast<std::int64_t>(result.extent(1)));
  std::int64_t count = 0;
  for (auto i = row; i < rows; ++i) {
    for (auto j = col; j < cols; ++j) {
      T const expected = transposed ? A(j, i) : A(i, j);
      T const found = result(i, j);
      count += std::bit_cast<Bits>(found) != std::bit_cast<Bits>(expected) ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

Verdict judge(Operation operation, io::HostMatrix const& A, io::HostVector const& x,
              io::HostVector const& result, std::string const& input, Summation order,
              Terms const& terms, Progress const& progress) {
  return std::visit(
      [&]<class T, class Layout>(io::MatrixView<T, Layout> const& matrix) {
        return judge_typed(operation, Reference<T>(matrix, progress.advance),
                           std::get<io::VectorView<T>>(x), std::get<io::VectorView<T>>(result),
                           input, order, terms, progress);
      },
      A);
}

Verdict judge(Operation operation, io::StoredMatrix const& A, io::ElementType stored,
              io::HostVector const& x, io::HostVector const& result, std::string const& input,
              Summation order, Terms const& terms, Progress const& progress) {
  return std::visit(
      [&](auto const& matrix) {
        return judge_typed(operation,
                           Reference<float>(matrix, progress.advance, storage_of(stored)),
                           std::get<io::VectorView<float>>(x),
                           std::get<io::VectorView<float>>(result), input, order, terms, progress);
      },
      A);
}

Verdict judge_both(io::HostMatrix const& A, io::HostVector const& x, io::HostVector const& y,
                   io::HostVector const& u, io::HostVector const& w, std::string const& input,
                   Progress const& progress) {
  Verdict all = judge(Operation::multiply, A, x, y, input, Summation::canonical, {}, progress);
  Verdict const second =
      judge(Operation::multiply_transposed, A, u, w, input, Summation::canonical, {}, progress);
  std::int64_t const before = all.elements;
  all.elements += second.elements;
  all.failed += second.failed;
  all.not_judged += second.not_judged;
  for (auto run : second.which_not_judged) {
    if (all.which_not_judged.size() == Verdict::most_listed) break;
    run.first += before;
    run.last += before;
    all.which_not_judged.push_back(run);
  }
  if (second.worst_in_bounds > all.worst_in_bounds) {
    all.worst = before + second.worst;
    all.worst_in_bounds = second.worst_in_bounds;
    all.worst_value = second.worst_value;
    all.worst_reference = second.worst_reference;
    all.worst_bound = second.worst_bound;
  }
  if (second.greatest_ulp > all.greatest_ulp) {
    all.greatest_ulp = second.greatest_ulp;
    all.ulp_index = before + second.ulp_index;
  }
  all.seconds += second.seconds;
  return all;
}

Verdict judge_product(io::HostMatrix const& A, io::HostMatrix const& B, io::HostMatrix const& C,
                      std::string const& input, Summation order, Progress const& progress) {
  return std::visit(
      [&]<class T, class LayoutA, class U, class LayoutB, class W, class LayoutC>(
          io::MatrixView<T, LayoutA> const& a, io::MatrixView<U, LayoutB> const& b,
          io::MatrixView<W, LayoutC> const& c) -> Verdict {
        if constexpr (std::is_same_v<T, U> && std::is_same_v<T, W>) {
          return judge_product_typed(a, b, c, input, order, progress);
        } else {
          throw std::logic_error("judge_product: matrices of several types");
        }
      },
      A, B, C);
}

char const* to_string(Judgement judgement) {
  switch (judgement) {
    case Judgement::passed:
      return "passed";
    case Judgement::failed:
      return "failed";
    case Judgement::not_judged:
      break;
  }
  return "not judged";
}

std::string to_sentence(Verdict const& verdict) {
  std::string sentence = verdict.passed()     ? "passed: "
                         : verdict.failed > 0 ? "FAILED: "
                                              : "NOT JUDGED: ";
  if (verdict.judged() > 0) {
    char text[256];
    std::snprintf(text, sizeof text,
                  "greatest error %.3g of the bound at element %lld, %.3g ulp at element %lld; "
                  "%lld of %lld fail",
                  verdict.worst_in_bounds, static_cast<long long>(verdict.worst),
                  verdict.greatest_ulp, static_cast<long long>(verdict.ulp_index),
                  static_cast<long long>(verdict.failed), static_cast<long long>(verdict.elements));
    sentence += text;
  }
  if (verdict.not_judged > 0) {
    auto const& first = verdict.which_not_judged.front();
    sentence += (verdict.judged() > 0 ? "; " : "") + std::to_string(verdict.not_judged) + " of " +
                std::to_string(verdict.elements) + " not judged, element " +
                std::to_string(first.first) + " the first: " + first.why;
  }
  return sentence;
}

BitVerdict judge_moved(io::HostMatrix const& A, io::HostMatrix const& result, bool transposed,
                       Progress const& progress) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::Timer const watch;
  BitVerdict verdict;
  std::visit(
      [&]<class View>(View const& found) {
        auto const& from = std::get<View>(A);
        auto const tiles = [](std::size_t extent) {
          return (static_cast<std::int64_t>(extent) + tile - 1) / tile;
        };
        auto const across = tiles(found.extent(1));
        auto const all = tiles(found.extent(0)) * across;
        constexpr std::uint64_t bytes = tile * tile * sizeof(typename View::value_type);
        begin(progress, static_cast<std::uint64_t>(all) * bytes);
        std::atomic<std::int64_t> failed = 0;
        Kokkos::parallel_for(
            "tessera::check::judge_moved",
            Kokkos::RangePolicy<Host, Kokkos::IndexType<std::int64_t>>(Host(), 0, all),
            [&](std::int64_t const at) {
              failed +=
                  differences(from, found, transposed, at / across * tile, at % across * tile);
              if (progress.advance) progress.advance(bytes);
            });
        Host().fence("tessera::check::judge_moved");
        verdict.elements = static_cast<std::int64_t>(found.size());
        verdict.failed = failed;
      },
      result);
  verdict.seconds = watch.seconds();
  return verdict;
}

std::string to_sentence(BitVerdict const& verdict) {
  auto const elements = std::to_string(verdict.elements);
  return verdict.passed() ? "passed: all " + elements + " elements have the right bits"
                          : "FAILED: " + std::to_string(verdict.failed) + " of " + elements +
                                " elements have wrong bits";
}

}  // namespace tessera::check
