// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bench/contender.hpp>
#include <bench/machine.hpp>
#include <bench/problem.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

/// A turn is a number of consecutive calls, timed together; on a GPU between two events, so
/// launches count unless hidden. Random order keeps ratios of medians valid while the machine's
/// speed drifts.
namespace tessera::bench {

struct Turn {
  double seconds;
  std::optional<double> host_seconds;
};

template <class Exec, class T>
class Runner {
 public:
  Runner(std::shared_ptr<Problem<Exec, T> const> problem, Contender<Exec, T> contender,
         Launch launch, double seconds)
      : problem_(std::move(problem)),
        contender_(std::move(contender)),
        launch_(launch),
        seconds_(seconds) {}

  [[nodiscard]] Problem<Exec, T> const& problem() const { return *problem_; }
  [[nodiscard]] Contender<Exec, T> const& contender() const { return contender_; }
  [[nodiscard]] int kernels() const { return kernels_; }
  [[nodiscard]] int calls() const { return calls_; }

  Turn take_turn() {
    if (!is_prepared_) prepare();
    if (calls_ > 1) time_calls(1);  // removes effects of the previous contender
    Elapsed const elapsed = time_calls(calls_);
    Turn turn{.seconds = elapsed.seconds / calls_, .host_seconds = std::nullopt};
    if (elapsed.host_seconds) turn.host_seconds = *elapsed.host_seconds / calls_;
    return turn;
  }

  /// Calls outside of turns; waits.
  void call_first() {
    if (!work_) work_ = contender_.prepare(*problem_, launch_);
    work_(0);
    problem_->exec.fence("bench: one call");
  }

 private:
  void prepare() {
    if (!work_) work_ = contender_.prepare(*problem_, launch_);
    kernels_ = count_kernels([this] { call_next(); });  // workspaces grow here
    problem_->exec.fence("bench: warm-up");
    double seconds_of_call = time_calls(1).seconds;
    if (seconds_of_call < seconds_ / 10) seconds_of_call = time_calls(10).seconds / 10;
    double const calls = std::min(std::ceil(seconds_ / std::max(seconds_of_call, 1e-9)),
                                  double(most_calls_under_way<Exec>()));
    calls_ = std::max(1, static_cast<int>(calls));
    is_prepared_ = true;
  }

  void call_next() {
    work_(next_);
    next_ = (next_ + 1) % problem_->copies;
  }

  Elapsed time_calls(int calls) {
    return time(problem_->exec, [&] {
      for (int k = 0; k < calls; ++k) call_next();
    });
  }

  std::shared_ptr<Problem<Exec, T> const> problem_;
  Contender<Exec, T> contender_;
  Launch launch_;
  double seconds_;
  Work work_;
  bool is_prepared_ = false;
  int kernels_ = 0;
  int calls_ = 1;
  int next_ = 0;
};

/// Enough copies that caches evict a matrix before it is read again.
///
/// @param bytes that a call reads and writes
template <class Exec>
int copies_for(std::size_t bytes) {
  std::size_t const rotated = bytes_to_rotate<Exec>();
  bool const one = rotated == 0 || bytes >= 16 * rotated;
  return one ? 1 : static_cast<int>(1 + (rotated + bytes - 1) / bytes);
}

template <class Exec, class T>
std::pair<std::shared_ptr<Problem<Exec, T> const>, std::string> make_problem(Shape const& shape) {
  using P = Problem<Exec, T>;
  constexpr double most = 1e15;  // no overflow
  auto const length = [&](std::int64_t extent) { return double(extent) + double(shape.padding); };
  if (length(shape.rows) * length(shape.cols) > most ||
      double(shape.rows) * double(shape.factor_cols) > most ||
      double(shape.cols) * double(shape.factor_cols) > most) {
    return {nullptr, "needs more memory than there can be"};
  }
  std::size_t elements = P::stored_elements(shape);
  if (shape.is_product()) elements += P::factor_elements(shape) + P::target_elements(shape);
  int const copies = copies_for<Exec>(elements * sizeof(T));
  auto const vectors = static_cast<std::size_t>(2 * (shape.rows + shape.cols));
  std::size_t const needed = (static_cast<std::size_t>(copies) * elements + vectors) * sizeof(T);
  std::size_t const free = free_bytes<Exec>();
  if (needed > free) {
    return {nullptr, "needs " + std::to_string(needed >> 20) + " MiB of memory, " +
                         std::to_string(free >> 20) + " MiB are free"};
  }
  try {
    return {std::make_shared<P const>(shape, copies), ""};
  } catch (std::exception const& error) {
    return {nullptr, error.what()};
  }
}

/// Each round has every k below `count`, in a random order that is equal in every run.
void take_turns(std::size_t count, int turns, std::function<void(std::size_t)> const& turn);

}  // namespace tessera::bench
