// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/golub_kahan.hpp>
#include <tessera/solve/least_squares_tests.hpp>
#include <tessera/solve/least_squares_types.hpp>
#include <tessera/solve/values.hpp>

/// Common code of `lsmr` and `lsqr`.
namespace tessera::solve::detail {

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

template <class Body, class T, std::size_t Vectors>
struct UpdateStep {
  Body body;
  T alpha;
  T const* next;
  T* w;
  T* x;
  Kokkos::Array<T*, Vectors> vectors;
  KOKKOS_FUNCTION void operator()(Index i) const {
    w[i] = alpha == T(0) ? T(0) : next[i] / alpha;
    body(i, w[i], x, vectors);
  }
};

/// Several damps share the reads of A, and each has the bits of a separate run. A Method has a
/// name, a number of vectors in addition to x, a struct Numbers of doubles, and
///
/// - default_limit(rows, cols),
/// - begin(α_1): Numbers, from β_1 = 1,
/// - advance(numbers, β, α, damp): returns the update of the vectors,
/// - finish(numbers, norm): with the norm of x if measures_x, otherwise of the first vector,
/// - numbers.now: Estimates.
template <class Method, class Exec, class T>
class LeastSquaresRun {
 public:
  using Options = LeastSquaresOptions<Exec, T>;

  LeastSquaresRun(NormalOperator<Exec, T> const& op, ConstValues<Exec, T> const& b,
                  Options const& options, Control<T> const& control,
                  std::vector<double> const& damps)
      : op_(op),
        b_(b),
        options_(options),
        control_(control),
        reads_before_(op.reads()),
        norms_(op.exec(), damps.size()) {
    options_.atol = options.atol.value_or(1e-6);
    options_.btol = options.btol.value_or(1e-6);
    options_.conlim = options.conlim.value_or(1e8);
    check(damps);
    limit_ = options.maxiter.value_or(Method::default_limit(op.rows(), op.cols()));
    process_.emplace(op);
    for (double const damp : damps) {
      Track& track = tracks_.emplace_back();
      track.damp = damp;
      track.x = make_values<Exec, T>(op.exec(), op.cols());
      for (auto& vector : track.vectors) vector = make_values<Exec, T>(op.exec(), op.cols());
    }
  }

  std::vector<LeastSquares<Exec, T>> operator()() {
    backends::host::OrdinaryArithmetic const mode;
    if (prepare()) {
      process_->start();
      begin_iterations();
    }
    while (goes_on()) {
      process_->advance();
      step();
    }
    return results();
  }

  // Parts of operator(), for runs that share reads of A.

  [[nodiscard]] GolubKahan<Exec, T>& process() { return *process_; }
  /// Returns whether process().start() must follow.
  [[nodiscard]] bool prepare() {
    op_.agree(name, [&] {
      auto digest =
          digest_of(control_).add(*options_.atol, *options_.btol, *options_.conlim, limit_);
      for (Track const& track : tracks_) digest.add(track.damp);
      Exec const& exec = op_.exec();
      digest.add(to_host<Exec, T>(exec, b_)).add(to_host<Exec, T>(exec, options_.x0));
      return digest.value();
    });
    if (control_.resume != nullptr) {
      restore(*control_.resume);
      apply_limits();
      return false;
    }
    return begin();
  }
  [[nodiscard]] bool goes_on() const {
    return std::ranges::any_of(tracks_, [](Track const& track) { return !track.stop; });
  }
  /// After process().start().
  void begin_iterations() {
    Exec const& exec = op_.exec();
    auto const& process = *process_;
    double const norm = process.numbers().norm_of_start;
    if (!std::isfinite(norm) || !std::isfinite(process.alpha())) return stop_all(Stop::not_finite);
    // If b = 0, r is compared with r_0.
    own_.norm_of_b = own_.norm_of_b == 0 ? 1 : own_.norm_of_b / norm;
    for (Track& track : tracks_) track.method = Method::begin(process.alpha());
    if (norm == 0 || process.alpha() == 0) {
      return stop_all(!has_start() ? Stop::zero_solution
                      : norm == 0  ? Stop::solved
                                   : Stop::least_squares);
    }
    for (Track& track : tracks_) {
      for (auto const& vector : track.vectors) Kokkos::deep_copy(exec, vector, T(0));
      Kokkos::deep_copy(exec, track.vectors[0], process.w());
    }
    if (limit_ == 0) stop_all(Stop::iteration_limit);
  }
  /// After process().advance().
  void step() {
    auto& process = *process_;
    if (!std::isfinite(process.alpha()) || !std::isfinite(process.beta())) {
      return stop_all(Stop::not_finite);
    }
    std::optional<Step> told;
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      if (tracks_[i].stop) continue;
      std::optional<Step> const step = advance(i);
      if (!told) told = step;
    }
    if (!told) return;
    bool const may_go_on = !control_.on_step || control_.on_step(*told);
    auto const make = [&] { return state(); };
    if (goes_on()) {
      offer_state(control_, *told, make, !may_go_on);
    } else if (is_limited()) {
      offer_last_state(control_, make);
    }
    if (!may_go_on) stop_all(Stop::cancelled);
  }
  void cancel() { stop_all(Stop::cancelled); }
  [[nodiscard]] std::vector<LeastSquares<Exec, T>> results() {
    std::vector<LeastSquares<Exec, T>> results;
    results.reserve(tracks_.size());
    for (Track& track : tracks_) results.push_back(result_of(track));
    op_.exec().fence("tessera: x is there");
    return results;
  }

 private:
  static constexpr auto name = Method::name;
  static constexpr double running = -1;

  struct Track {
    double damp = 0;
    typename Method::Numbers method;
    Values<Exec, T> x;
    std::array<Values<Exec, T>, Method::vectors> vectors;
    bool has_begun_norm = false;
    std::optional<Stop> stop;
    Index iterations = 0;
    std::vector<Step> history;
  };
  struct Numbers {
    double norm_of_b = 0;  ///< in units of ‖r_0‖
  };
  struct TrackNumbers {
    double damp = 0;
    double stop = running;
    double iterations = 0;
  };

  void check(std::vector<double> const& damps) const {
    checks::require_extent(name, "b", b_, static_cast<std::size_t>(op_.rows()));
    if (has_start()) {
      checks::require_extent(name, "x0", options_.x0, static_cast<std::size_t>(op_.cols()));
    }
    for (double const damp : damps) require_option(name, "damp", damp);
    require_option(name, "atol", *options_.atol);
    require_option(name, "btol", *options_.btol);
    require_option(name, "conlim", *options_.conlim);
    require_option(name, "maxiter", static_cast<double>(options_.maxiter.value_or(0)));
  }

  [[nodiscard]] bool has_start() const { return options_.x0.extent(0) != 0; }

  void stop_all(Stop stop) {
    for (Track& track : tracks_) {
      if (!track.stop) track.stop = stop;
    }
  }
  [[nodiscard]] bool is_limited() const {
    bool const is_finite = std::ranges::none_of(
        tracks_, [](Track const& track) { return track.stop == Stop::not_finite; });
    return is_finite && std::ranges::any_of(tracks_, [](Track const& track) {
             return track.stop == Stop::iteration_limit || track.stop == Stop::condition_limit;
           });
  }
  /// The run that wrote the state may have had other limits.
  void apply_limits() {
    for (Track& track : tracks_) {
      bool const is_below =
          *options_.conlim == 0 || 1 / track.method.now.conda > 1 / *options_.conlim;
      if (track.stop == Stop::condition_limit && is_below) track.stop.reset();
      if (track.stop == Stop::iteration_limit) track.stop.reset();
      if (!track.stop && track.iterations >= limit_) track.stop = Stop::iteration_limit;
    }
  }

  /// Puts r_0 into the process. Returns false if nothing is left to do.
  bool begin() {
    Exec const& exec = op_.exec();
    auto& process = *process_;
    double const norm_of_b = process.norm(b_);
    // Without a penalty, x = 0 solves A·x = 0. With one, x should be near x0.
    auto const is_moved = [&](Track const& track) {
      return has_start() && (norm_of_b != 0 || track.damp != 0);
    };
    bool const from_x0 = std::ranges::any_of(tracks_, is_moved);
    for (Track& track : tracks_) {
      if (is_moved(track)) {
        Kokkos::deep_copy(exec, track.x, options_.x0);
      } else {
        Kokkos::deep_copy(exec, track.x, T(0));
      }
    }
    if (!std::isfinite(norm_of_b)) stop_all(Stop::not_finite);
    for (Track& track : tracks_) {
      if (norm_of_b == 0 && !is_moved(track)) track.stop = Stop::zero_solution;
    }
    if (!goes_on()) return false;
    own_.norm_of_b = norm_of_b;
    if (from_x0) {
      op_.multiply(options_.x0, process.b());
      axpby(exec, T(1), b_, T(-1), process.b());
    } else {
      Kokkos::deep_copy(exec, process.b(), b_);
    }
    return true;
  }

  [[nodiscard]] static Values<Exec, T> const& measured(Track const& track) {
    return Method::measures_x ? track.x : track.vectors[0];
  }
  void finish(std::size_t i) {
    Track& track = tracks_[i];
    if (!track.has_begun_norm) return;
    track.has_begun_norm = false;
    double const norm = norms_.of(measured(track), i);
    Method::finish(track.method,
                   process_->unscaled(Method::measures_x ? norm / norm_of_start() : norm));
    if (!track.stop) stop_unless_finite(track);
  }
  static void stop_unless_finite(Track& track) {
    if (track.method.now.are_finite()) return;
    track.method = {};
    track.has_begun_norm = false;
    track.stop = Stop::not_finite;
  }
  [[nodiscard]] double norm_of_start() const { return process_->numbers().norm_of_start; }

  /// Returns nothing if not finite. Tests use the previous ‖x‖, so that the host waits for no norm.
  std::optional<Step> advance(std::size_t i) {
    Track& track = tracks_[i];
    auto& process = *process_;
    finish(i);
    if (track.stop) return std::nullopt;
    double const start = norm_of_start();
    auto const body =
        Method::advance(track.method, process.beta(), process.alpha(), process.scaled(track.damp))
            .template as<T>(start);
    for_each_element(op_.exec(), label(), op_.cols(),
                     UpdateStep<std::remove_const_t<decltype(body)>, T, Method::vectors>{
                         body, static_cast<T>(process.alpha()), process.next().data(),
                         process.w().data(), track.x.data(), pointers(track)});
    norms_.begin(measured(track), i);
    track.has_begun_norm = true;
    ++track.iterations;
    stop_unless_finite(track);
    if (track.stop) return std::nullopt;
    Tests const tests(track.method.now, own_.norm_of_b, options_);
    auto const [ratio, below] = tests.nearer();
    Step const step{.iteration = track.iterations,
                    .reads = op_.reads() - reads_before_,
                    .residual = ratio,
                    .tolerance = below,
                    .objective = start * track.method.now.normr};
    if (options_.history) track.history.push_back(step);
    track.stop = tests.template reason<T>(options_);
    if (!track.stop && track.iterations >= limit_) track.stop = Stop::iteration_limit;
    return step;
  }

  static Kokkos::Array<T*, Method::vectors> pointers(Track const& track) {
    Kokkos::Array<T*, Method::vectors> pointers;
    for (std::size_t i = 0; i < track.vectors.size(); ++i) pointers[i] = track.vectors[i].data();
    return pointers;
  }

  static std::string const& label() {
    static std::string const label = std::string("tessera::") + name + "::update";
    return label;
  }

  State<T> state() {
    Exec const& exec = op_.exec();
    exec.fence("tessera: the norms of a state are on the host");
    for (std::size_t i = 0; i < tracks_.size(); ++i) finish(i);
    State<T> state{.of = state_of<T>(name, op_)};
    append(state.numbers, own_);
    append(state.numbers, process_->numbers());
    state.vectors.push_back(to_host<Exec, T>(exec, process_->b()));
    state.vectors.push_back(to_host<Exec, T>(exec, process_->w()));
    for (Track const& track : tracks_) {
      state.iteration = std::max(state.iteration, track.iterations);
      append(state.numbers,
             TrackNumbers{.damp = track.damp,
                          .stop = track.stop ? static_cast<double>(*track.stop) : running,
                          .iterations = static_cast<double>(track.iterations)});
      append(state.numbers, track.method);
      state.vectors.push_back(to_host<Exec, T>(exec, track.x));
      for (auto const& vector : track.vectors) {
        state.vectors.push_back(to_host<Exec, T>(exec, vector));
      }
      state.history.insert(state.history.end(), track.history.begin(), track.history.end());
    }
    return state;
  }

  void restore(State<T> const& state) {
    require_state_of(name, state.of, state_of<T>(name, op_));
    if (!try_restore(state)) fail_of_state(name);
  }

  bool try_restore(State<T> const& state) {
    using Process = typename GolubKahan<Exec, T>::Numbers;
    constexpr std::size_t of_run = (sizeof(Numbers) + sizeof(Process)) / sizeof(double);
    constexpr std::size_t of_track =
        (sizeof(TrackNumbers) + sizeof(typename Method::Numbers)) / sizeof(double);
    constexpr std::size_t vectors = 1 + Method::vectors;
    if (state.numbers.size() != of_run + of_track * tracks_.size() ||
        state.vectors.size() != 2 + vectors * tracks_.size() || !all_finite(state.numbers)) {
      return false;
    }
    for (std::size_t i = 0; i < state.vectors.size(); ++i) {
      auto const size = static_cast<std::size_t>(i == 0 ? op_.rows() : op_.cols());
      if (state.vectors[i].size() != size) return false;
    }
    auto from = state.numbers.begin();
    own_ = take<Numbers>(from);
    auto const process = take<Process>(from);
    if (!process_->restore(process, state.vectors[0], state.vectors[1])) return false;
    auto vector = state.vectors.begin() + 2;
    auto step = state.history.begin();
    for (Track& track : tracks_) {
      auto const numbers = take<TrackNumbers>(from);
      track.method = take<typename Method::Numbers>(from);
      bool const can_be = numbers.damp == track.damp && numbers.iterations >= 1 &&
                          numbers.iterations <= static_cast<double>(state.iteration) &&
                          numbers.stop >= running &&
                          numbers.stop <= static_cast<double>(Stop::not_finite);
      if (!can_be) return false;
      track.iterations = static_cast<Index>(numbers.iterations);
      if (numbers.stop != running) track.stop = static_cast<Stop>(static_cast<int>(numbers.stop));
      from_host(op_.exec(), *vector++, track.x);
      for (auto const& to : track.vectors) from_host(op_.exec(), *vector++, to);
      if (options_.history) {
        if (state.history.end() - step < track.iterations) return false;
        track.history.assign(step, step + track.iterations);
        step += track.iterations;
      }
    }
    return true;
  }

  LeastSquares<Exec, T> result_of(Track& track) {
    LeastSquares<Exec, T> result;
    result.x = track.x;
    result.stop = *track.stop;
    result.iterations = track.iterations;
    result.reads = op_.reads() - reads_before_;
    result.history = std::move(track.history);
    result.normx = process_->norm(track.x);
    if (!std::isfinite(result.normx)) result.stop = Stop::not_finite;
    double const start = norm_of_start();
    double const known =
        result.stop == Stop::not_finite ? std::numeric_limits<double>::quiet_NaN() : 1;
    Estimates const& now = track.method.now;
    result.normr = known * (start * now.normr);
    result.normar = known * process_->unscaled(start * now.normar);
    result.norma = known * process_->unscaled(now.norma);
    result.conda = known * now.conda;
    return result;
  }

  NormalOperator<Exec, T> const& op_;
  ConstValues<Exec, T> b_;
  Options options_;
  Control<T> const& control_;
  Index reads_before_;
  Index limit_ = 0;
  Norms<Exec, T> norms_;
  std::optional<GolubKahan<Exec, T>> process_;
  Numbers own_;
  std::vector<Track> tracks_;
};

}  // namespace tessera::solve::detail
