// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/maps.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/stream/state.hpp>
#include <tessera/vectors.hpp>

/// Golub and Kahan's bidiagonalisation, and helpers of all solvers.
namespace tessera::solve::detail {

using tessera::detail::for_each_element;

template <class Exec, class T>
Values<Exec, T> make_values(Exec const& exec, Index size) {
  return Values<Exec, T>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::solve::vector")),
      static_cast<std::size_t>(size));
}

template <class Exec, class T>
Rows<Exec, T> make_rows(Exec const& exec, Index count, Index length) {
  return Rows<Exec, T>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::solve::rows")),
      static_cast<std::size_t>(count), static_cast<std::size_t>(length));
}

template <class T>
using HostValues = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::HostSpace,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class Exec, class T>
std::vector<T> to_host(Exec const& exec, ConstValues<Exec, T> const& x) {
  std::vector<T> copy(x.extent(0));
  Kokkos::deep_copy(exec, HostValues<T>(copy.data(), copy.size()), x);
  exec.fence("tessera: a vector comes to the host");
  return copy;
}

template <class Exec, class T>
void from_host(Exec const& exec, std::vector<T> const& from, Values<Exec, T> const& x) {
  Kokkos::deep_copy(
      exec, x,
      Kokkos::View<T const*, Kokkos::LayoutRight, Kokkos::HostSpace,
                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>(from.data(), from.size()));
  exec.fence("tessera: a vector has come from the host");
}

template <class Exec, class T>
Values<Exec, T> on_device(Exec const& exec, std::vector<T> const& x) {
  auto const to = make_values<Exec, T>(exec, static_cast<Index>(x.size()));
  from_host<Exec, T>(exec, x, to);
  return to;
}

/// Scales, so that squares do not over- or underflow; adds sequentially.
template <class T>
double scaled_norm(std::vector<T> const& x) {
  double largest = 0;
  for (T const entry : x) {
    double const size = std::fabs(static_cast<double>(entry));
    if (!(size <= std::numeric_limits<double>::max())) return size;
    largest = std::max(largest, size);
  }
  if (largest == 0) return 0;
  int const exponent = std::ilogb(largest);
  double sum = 0;
  for (T const entry : x) {
    double const scaled = std::scalbn(static_cast<double>(entry), -exponent);
    sum = std::fma(scaled, scaled, sum);
  }
  return std::scalbn(std::sqrt(sum), exponent);
}

/// Sums in a fixed order.
template <class Exec, class T>
class Norms {
 public:
  /// Norms of `places` vectors need only one fence.
  explicit Norms(Exec const& exec, std::size_t places = 1)
      : exec_(exec), sums_("tessera::solve::sums", places) {}

  /// Fences. Not finite if an entry is not.
  double operator()(ConstValues<Exec, T> const& x) {
    begin(x, 0);
    exec_.fence("tessera: a norm is on the host");
    return of(x, 0);
  }

  /// Needs a fence before `of`.
  void begin(ConstValues<Exec, T> const& x, std::size_t place) {
    sum(x, Kokkos::subview(sums_, std::pair(place, place + 1)));
  }
  template <class View>
  void sum(ConstValues<Exec, T> const& x, View const& to) {
    sum_of_squares(exec_, x, to, {.workspace = &workspace_});
  }
  [[nodiscard]] T* at(std::size_t place) const { return sums_.data() + place; }

  /// Whether the sum is accurate. If it is tiny, entries with subnormal squares may matter.
  [[nodiscard]] bool is_root(std::size_t place) const {
    constexpr T smallest = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon() /
                           std::numeric_limits<T>::epsilon();
    T const sum = sums_(place);
    return sum >= smallest && sum <= std::numeric_limits<T>::max();
  }
  double of(ConstValues<Exec, T> const& x, std::size_t place) {
    if (is_root(place)) return std::sqrt(static_cast<double>(sums_(place)));
    return scaled_norm(to_host<Exec, T>(exec_, x));
  }

 private:
  Exec exec_;
  Kokkos::View<T*, Kokkos::SharedHostPinnedSpace> sums_;
  Workspace<Exec> workspace_;
};

template <class Exec, class T>
class Dots {
 public:
  explicit Dots(Exec const& exec) : exec_(exec), product_(make_values<Exec, T>(exec, 1)) {}

  double operator()(ConstValues<Exec, T> const& x, ConstValues<Exec, T> const& y) {
    dot(exec_, x, y, product_, {.workspace = &workspace_});
    return static_cast<double>(to_host<Exec, T>(exec_, product_)[0]);
  }

 private:
  Exec exec_;
  Values<Exec, T> product_;
  Workspace<Exec> workspace_;
};

template <class T>
struct Divide {
  T const* x;
  T a;
  T factor;
  T* y;
  KOKKOS_FUNCTION void operator()(Index i) const { y[i] = factor * (x[i] / a); }
};

/// next = α·2^e·v from c = Aᵀ·b and scale = 2^e. If beta is 0, it is the root of *square, which the
/// first element copies to the host.
template <class T>
struct NextRight {
  T scale;
  T beta;
  T const* square;
  T* told;
  T const* w;
  T const* c;
  T* next;
  KOKKOS_FUNCTION T root() const {
    return beta != T(0) ? beta : static_cast<T>(Kokkos::sqrt(static_cast<double>(*square)));
  }
  KOKKOS_FUNCTION NextRight loaded() const { return {scale, root(), square, told, w, c, next}; }
  KOKKOS_FUNCTION void operator()(Index i) const {
    T const by = root();
    next[i] = Kokkos::fma(-by, w[i], scale * (scale * c[i] / by));
    if (i == 0) *told = *square;
  }
};

/// 2^e·A·V_k = U_(k+1)·B_k from u_1 = r/‖r‖, with α_1 … α_k on the diagonal of B_k and β_2 …
/// β_(k+1) below it. e brings α_1 between 1 and 2, so that products do not over- or underflow
/// because all elements of A are large or small.
///
/// An iteration reads A once: b = A·w - (α/‖b'‖)·b' with w = 2^e·v and b' = β·u of the previous
/// iteration. Aᵀ·b gives the next v.
template <class Exec, class T>
class GolubKahan {
  template <class, class>
  friend class SharedProducts;

 public:
  struct Numbers {
    double norm_of_start = 0;  ///< ‖r‖
    double exponent = 0;       ///< e
    double alpha = 0;
    double beta = 1;
  };

  explicit GolubKahan(NormalOperator<Exec, T> const& op)
      : op_(op),
        norms_(op.exec(), places),
        square_(make_values<Exec, T>(op.exec(), 1)),
        b_(make_values<Exec, T>(op.exec(), op.rows())),
        w_(make_values<Exec, T>(op.exec(), op.cols())),
        c_(make_values<Exec, T>(op.exec(), op.cols())),
        next_(make_values<Exec, T>(op.exec(), op.cols())) {}

  /// r, to set before `start`.
  [[nodiscard]] Values<Exec, T> const& b() const { return b_; }
  /// 2^e·v.
  [[nodiscard]] Values<Exec, T> const& w() const { return w_; }
  /// α·2^e·v, valid until the next iteration.
  [[nodiscard]] Values<Exec, T> const& next() const { return next_; }
  [[nodiscard]] Numbers const& numbers() const { return numbers_; }
  [[nodiscard]] double alpha() const { return numbers_.alpha; }
  [[nodiscard]] double beta() const { return numbers_.beta; }
  [[nodiscard]] double norm(ConstValues<Exec, T> const& x) { return norms_(x); }
  [[nodiscard]] double scaled(double x) const { return std::scalbn(x, exponent()); }
  [[nodiscard]] double unscaled(double x) const { return std::scalbn(x, -exponent()); }

  /// Finds α_1 and w with one read of A, or none if ‖r‖ is 0 or not finite. w is undefined if α_1
  /// is 0 or not finite.
  void start() {
    if (!begin_start()) return;
    op_.multiply_transposed(b_, c_);
    finish_start();
  }

  /// Finds the next β, α and `next` with one read of A. α is 0 if β is. Fences once, unless ‖b‖²
  /// over- or underflows.
  void advance() {
    if (next_b_.extent(0) == 0) next_b_ = make_values<Exec, T>(op_.exec(), op_.rows());
    op_.atax(w_, map(), next_b_, c_);
    begin_norms();
    op_.exec().fence("tessera: the norms of a step are on the host");
    finish_norms();
  }

  /// Returns false and changes nothing if the numbers cannot come from a run.
  [[nodiscard]] bool restore(Numbers const& numbers, std::vector<T> const& b,
                             std::vector<T> const& w) {
    bool const can_be = std::fabs(numbers.exponent) <= most_exponent && numbers.beta > 0 &&
                        numbers.norm_of_start > 0 &&
                        numbers.exponent == std::trunc(numbers.exponent);
    if (!can_be) return false;
    numbers_ = numbers;
    from_host(op_.exec(), b, b_);
    from_host(op_.exec(), w, w_);
    return true;
  }

 private:
  static constexpr int most_exponent = std::numeric_limits<T>::max_exponent - 2;

  enum Place : std::size_t { of_b, of_next, places };

  /// Normalises r. Returns whether the product c = Aᵀ·b must follow.
  bool begin_start() {
    numbers_ = {.norm_of_start = norms_(b_)};
    double const norm = numbers_.norm_of_start;
    if (!(norm > 0 && std::isfinite(norm))) return false;
    for_each_element(op_.exec(), "tessera::solve::divide", op_.rows(),
                     Divide<T>{b_.data(), static_cast<T>(norm), T(1), b_.data()});
    return true;
  }
  void finish_start() {
    double const alpha = norms_(c_);
    numbers_.alpha = alpha;
    if (!(alpha > 0 && std::isfinite(alpha))) return;
    numbers_.exponent = std::clamp(-std::ilogb(alpha), -most_exponent, most_exponent);
    numbers_.alpha = scaled(alpha);
    for_each_element(
        op_.exec(), "tessera::solve::divide", op_.cols(),
        Divide<T>{c_.data(), static_cast<T>(alpha), static_cast<T>(scaled(1)), w_.data()});
  }

  /// The map of an iteration: next_b = map(A·w) and c = Aᵀ·next_b.
  [[nodiscard]] auto map() const {
    return maps::plus(static_cast<T>(-numbers_.alpha / numbers_.beta), b_);
  }
  /// After these products. `finish_norms` needs a fence before it.
  void begin_norms() {
    std::swap(b_, next_b_);
    norms_.sum(b_, square_);
    make_next(T(0));
    norms_.begin(next_, of_next);
  }
  void finish_norms() {
    double const beta = norms_.of(b_, of_b);
    numbers_.beta = beta;
    numbers_.alpha = 0;
    if (!std::isfinite(beta)) return;
    if (beta == 0) {
      Kokkos::deep_copy(op_.exec(), next_, T(0));
      return;
    }
    if (norms_.is_root(of_b)) {
      numbers_.alpha = unscaled(norms_.of(next_, of_next));
    } else {
      make_next(static_cast<T>(beta));
      numbers_.alpha = unscaled(norms_(next_));
    }
  }

  /// Beta as in NextRight.
  void make_next(T beta) {
    for_each_element(op_.exec(), "tessera::solve::next", op_.cols(),
                     NextRight<T>{static_cast<T>(scaled(1)), beta, square_.data(), norms_.at(of_b),
                                  w_.data(), c_.data(), next_.data()});
  }

  [[nodiscard]] int exponent() const { return static_cast<int>(numbers_.exponent); }

  NormalOperator<Exec, T> const& op_;
  Norms<Exec, T> norms_;
  Values<Exec, T> square_;  ///< ‖b‖²
  Values<Exec, T> b_;
  Values<Exec, T> next_b_;
  Values<Exec, T> w_;
  Values<Exec, T> c_;
  Values<Exec, T> next_;
  Numbers numbers_;
};

/// Iterates several processes with shared reads of A and the bits of separate iterations. Their
/// operators read the same matrix. The processes' vectors b become parts of rows of BT_.
template <class Exec, class T>
class SharedProducts {
 public:
  using Process = GolubKahan<Exec, T>;
  using Operator = NormalOperator<Exec, T>;

  /// @param all one operator per process
  explicit SharedProducts(typename Operator::List const& all)
      : exec_(all.front()->exec()),
        VT_(rows(all.size(), all.front()->cols())),
        CT_(rows(all.size(), all.front()->cols())),
        BT_{rows(all.size(), most_rows(all)), rows(all.size(), most_rows(all))} {}

  void start(std::vector<Process*> const& all) {
    std::vector<Process*> active;
    for (Process* const process : all) {
      if (process->begin_start()) active.push_back(process);
    }
    if (active.empty()) return;
    Rows<Exec, T> const BT = first_rows(BT_[0], active.size());
    Rows<Exec, T> const CT = first_rows(CT_, active.size());
    for (std::size_t j = 0; j < active.size(); ++j) {
      auto const b = part_of(BT, j, *active[j]);
      Kokkos::deep_copy(exec_, b, active[j]->b_);
      active[j]->b_ = b;
      active[j]->c_ = row<Exec, T>(CT, static_cast<Index>(j));
    }
    Operator::multiply_transposed_of_each(operators_of(active), BT, CT);
    for (Process* const process : active) process->finish_start();
  }

  /// All must have started.
  void advance(std::vector<Process*> const& all) {
    if (all.size() == 1) return all.front()->advance();
    is_turned_ = !is_turned_;
    Rows<Exec, T> const VT = first_rows(VT_, all.size());
    Rows<Exec, T> const BT = first_rows(BT_[is_turned_ ? 1 : 0], all.size());
    Rows<Exec, T> const CT = first_rows(CT_, all.size());
    std::vector<typename NormalOperator<Exec, T>::Map> maps;
    for (std::size_t j = 0; j < all.size(); ++j) {
      auto const at = static_cast<Index>(j);
      Kokkos::deep_copy(exec_, row<Exec, T>(VT, at), all[j]->w_);
      maps.push_back(all[j]->map());
      all[j]->next_b_ = part_of(BT, j, *all[j]);
      all[j]->c_ = row<Exec, T>(CT, at);
    }
    Operator::atax_of_each(operators_of(all), VT, maps, BT, CT);
    for (Process* const process : all) process->begin_norms();
    exec_.fence("tessera: the norms of a step are on the host");
    for (Process* const process : all) process->finish_norms();
  }

 private:
  [[nodiscard]] Rows<Exec, T> rows(std::size_t count, Index length) const {
    return make_rows<Exec, T>(exec_, static_cast<Index>(count), length);
  }
  static Index most_rows(typename Operator::List const& all) {
    Index most = 0;
    for (Operator const* const op : all) most = std::max(most, op->rows());
    return most;
  }
  static typename Operator::List operators_of(std::vector<Process*> const& all) {
    typename Operator::List operators;
    for (Process const* const process : all) operators.push_back(&process->op_);
    return operators;
  }
  static Values<Exec, T> part_of(Rows<Exec, T> const& BT, std::size_t j, Process const& process) {
    return Values<Exec, T>(BT.data() + j * BT.extent(1),
                           static_cast<std::size_t>(process.op_.rows()));
  }
  static Rows<Exec, T> first_rows(Rows<Exec, T> const& of, std::size_t count) {
    return Rows<Exec, T>(of.data(), count, of.extent(1));
  }

  Exec exec_;
  Rows<Exec, T> VT_;
  Rows<Exec, T> CT_;
  std::array<Rows<Exec, T>, 2> BT_;  ///< the last b in one, the next in the other
  bool is_turned_ = false;
};

template <class T, class Operator>
stream::StateOf state_of(char const* method, Operator const& op) {
  return {.operation = method,
          .scalar = sizeof(T) == sizeof(float) ? "float" : "double",
          .layout = op.layout(),
          .order = stream::order_version,
          .rows = op.rows(),
          .cols = op.cols()};
}
inline void require_state_of(char const* method, stream::StateOf const& found,
                             stream::StateOf const& expected) {
  if (found == expected) return;
  checks::fail(method,
               "expected a state of " + to_string(expected) + ", found one of " + to_string(found));
}
inline bool all_finite(std::vector<double> const& numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

[[noreturn]] inline void fail_of_state(char const* method) {
  checks::fail(method, "the state is damaged, or belongs to other options");
}

inline void require_option(char const* method, char const* option, double found) {
  if (found >= 0) return;
  checks::fail(method, std::string(option) + " must be a number of at least 0, found " +
                           std::to_string(found));
}

/// r = c·a + s·b >= 0 and c·b - s·a = 0. Needs only sqrt.
struct Rotation {
  double c;
  double s;
  double r;

  static Rotation of(double a, double b) {
    if (b == 0) return {a < 0 ? -1.0 : 1.0, 0, std::fabs(a)};
    if (a == 0) return {0, b < 0 ? -1.0 : 1.0, std::fabs(b)};
    if (std::fabs(b) > std::fabs(a)) {
      double const tau = a / b;
      double const s = (b < 0 ? -1.0 : 1.0) / std::sqrt(1 + tau * tau);
      return {s * tau, s, b / s};
    }
    double const tau = b / a;
    double const c = (a < 0 ? -1.0 : 1.0) / std::sqrt(1 + tau * tau);
    return {c, c * tau, a / c};
  }
};

template <class Numbers>
void append(std::vector<double>& to, Numbers const& numbers) {
  constexpr std::size_t count = sizeof(Numbers) / sizeof(double);
  auto const values = std::bit_cast<std::array<double, count>>(numbers);
  to.insert(to.end(), values.begin(), values.end());
}
template <class Numbers, class Iterator>
Numbers take(Iterator& from) {
  constexpr std::size_t count = sizeof(Numbers) / sizeof(double);
  std::array<double, count> values;
  std::copy_n(from, count, values.begin());
  from += static_cast<std::ptrdiff_t>(count);
  return std::bit_cast<Numbers>(values);
}

}  // namespace tessera::solve::detail
