// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <python/runtime.hpp>
#include <python/turn.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/backends/environment.hpp>
#include <tessera/backends/host/tuning.hpp>
#include <tessera/backends/instances.hpp>
#include <tessera/backends/threads.hpp>

namespace tessera::python {
namespace {

struct State {
  std::mutex mutex;                 ///< of the members up to `spare`
  std::condition_variable changed;  ///< a turn ends or a Function begins
  bool is_taken = false;            ///< the first lane is in use
  int functions = 0;
  int calls = 0;
  std::vector<std::unique_ptr<Lane>> spare;

  std::atomic<bool> was_forked = false;  ///< the child lacks the parent's threads
  std::atomic<bool> has_ended = false;
  std::atomic<bool> has_started = false;
  std::atomic<int> threads = 1;
  void (*while_waiting)() = nullptr;
  // Of the holder of the first lane:
  bool is_ours = false;  ///< this module initialised Kokkos
  int most_threads = 1;
  int default_threads = 1;
  Lane first;
};

State& state() {
  static State* const state = new State;  // outlives all objects
  return *state;
}

void release() {
  state().first = {};
  state().spare.clear();
}

/// finish(): a daemon thread may never return from the caller's function.
constexpr std::chrono::seconds patience{5};
/// Between calls of while_waiting.
constexpr std::chrono::milliseconds look_every{50};

thread_local bool in_function = false;

void require_usable() {
  if (in_function) {
    throw std::runtime_error("tessera: a callback of a call cannot call tessera itself");
  }
  if (state().was_forked) {
    throw std::runtime_error(
        "tessera: this process was forked after tessera's first call, and has none of its threads; "
        "start it with multiprocessing's \"spawn\" or \"forkserver\", or fork before "
        "the first call");
  }
  if (state().has_ended) throw std::runtime_error("tessera: Kokkos has ended in this process");
}

Host instance_of(int threads) {
  if constexpr (std::is_constructible_v<Host, int>) {
    return threads == state().most_threads ? Host() : Host(threads);
  } else {
    return Host();
  }
}

void start(int least) {
  State& s = state();
  s.default_threads = backends::default_host_threads();
  int wanted = std::numeric_limits<int>::max();
  if (Kokkos::is_finalized()) {
    s.has_ended = true;
    require_usable();
  }
  if (!Kokkos::is_initialized()) {
    auto const fault = backends::fault_of_kokkos_environment(
        [](char const* name) -> char const* { return std::getenv(name); });
    if (fault) throw std::invalid_argument("tessera: " + *fault);
    char const* const value = std::getenv("KOKKOS_NUM_THREADS");
    wanted = value == nullptr ? s.default_threads : std::atoi(value);
    int const set = backends::host_threads_of_caller();
    int const found = backends::survey_host_threads(std::max(least, wanted)).found;
    Kokkos::initialize(
        Kokkos::InitializationSettings().set_num_threads(found).set_disable_warnings(true));
    // Kokkos::initialize changes it.
    if (set < s.default_threads) backends::set_host_threads_of_caller(set);
    s.is_ours = true;
  }
  ::pthread_atfork(nullptr, nullptr, [] { state().was_forked = true; });
  Kokkos::push_finalize_hook([] {
    release();
    state().has_ended = true;
  });
  s.most_threads = Host().concurrency();
  s.threads = std::min(wanted, s.most_threads);
  s.has_started = true;
}

int threads_of_call() {
  int const wanted = state().threads;
  int const set = backends::host_threads_of_caller();
  return set < state().default_threads ? std::min(set, wanted) : wanted;
}

}  // namespace

Function::Function() : before_(in_function) {
  in_function = true;
  {
    std::lock_guard const lock(state().mutex);
    ++state().functions;
  }
  state().changed.notify_all();
}

Function::~Function() {
  in_function = before_;
  std::lock_guard const lock(state().mutex);
  --state().functions;
}

Turn::Turn(Needs needs, int threads_at_start) {
  State& s = state();
  require_usable();  // the parent may have held the lock
  std::unique_lock lock(s.mutex);
  auto const has_to_wait = [&] {
    return s.is_taken && !s.has_ended && (s.functions == 0 || needs == Needs::first_lane);
  };
  while (has_to_wait()) {
    if (s.changed.wait_for(lock, look_every) == std::cv_status::timeout && s.while_waiting) {
      lock.unlock();
      s.while_waiting();
      lock.lock();
    }
  }
  require_usable();
  if (s.is_taken) {
    auto& free = s.spare;
    auto lane = free.empty() ? std::make_unique<Lane>() : std::move(free.back());
    if (!free.empty()) free.pop_back();
    lane_ = lane.release();
    ++s.calls;
    return;
  }
  s.is_taken = true;
  ++s.calls;
  lane_ = &s.first;
  lock.unlock();
  if (s.has_started) return;
  try {
    start(threads_at_start);
  } catch (...) {
    lock.lock();
    s.is_taken = false;
    --s.calls;
    throw;
  }
}

Turn::~Turn() {
  State& s = state();
  {
    std::lock_guard const lock(s.mutex);
    --s.calls;
    if (lane_ == &s.first) {
      s.is_taken = false;
    } else {
      s.spare.emplace_back(lane_);
    }
  }
  s.changed.notify_all();
}

Host const& Turn::host(std::int64_t bytes) const {
  int threads = lane_ == &state().first ? threads_of_call() : 1;
  if (bytes < backends::host::bytes_of_one_thread(threads)) threads = 1;
  auto& instances = lane_->instances;
  auto const found = instances.find(threads);
  return found != instances.end() ? found->second
                                  : instances.emplace(threads, instance_of(threads)).first->second;
}

int threads(std::optional<int> wanted) {
  if (wanted && *wanted < 1) {
    throw std::invalid_argument("tessera.threads: expected at least 1 thread, found " +
                                std::to_string(*wanted));
  }
  if (!wanted && state().has_started) {
    require_usable();
    return threads_of_call();
  }
  Turn const turn(Turn::Needs::first_lane, wanted.value_or(0));
  if (wanted) {
    if (*wanted > state().most_threads) {
      throw std::invalid_argument("tessera.threads: Kokkos was started with " +
                                  std::to_string(state().most_threads) + " threads, found " +
                                  std::to_string(*wanted) +
                                  "; ask for more before the first call, or set OMP_NUM_THREADS");
    }
    state().threads = *wanted;
  }
  return threads_of_call();
}

void call_while_waiting(void (*function)()) {
  state().while_waiting = function;
}

bool is_running() {
  return state().has_started && !state().has_ended && !state().was_forked;
}

void finish() {
  State& s = state();
  if (s.was_forked || s.has_ended || !s.has_started) return;
  {
    std::unique_lock lock(s.mutex);
    if (!s.changed.wait_for(lock, patience, [&] { return s.calls == 0; })) return;
    s.is_taken = true;  // and never returned
    s.has_ended = true;
  }
  s.changed.notify_all();
  if (s.is_ours) {
    Kokkos::finalize();
  } else {
    release();
  }
}

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

std::string host_backend() {
  return Host::name();
}

bool has_gpu_backend() {
  return backends::has_streams;
}

}  // namespace tessera::python
