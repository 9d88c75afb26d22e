// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <python/runtime.hpp>
#include <python/turn.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <tessera/backends/instances.hpp>
#include <tessera/backends/threads.hpp>

namespace tessera::python {
namespace {

/// What a process has of Kokkos.
struct State {
  std::timed_mutex turn;
  std::atomic<bool> was_forked = false;  ///< a child, whose parent's threads are not there
  bool is_ours = false;                  ///< this module started Kokkos
  bool has_ended = false;
  int most_threads = 1;
  std::optional<Host> host;
  std::unique_ptr<Workspace<Host>> workspace;
};

State& state() {
  static State* const state = new State;  // outlives all that ends with the process
  return *state;
}

/// Lets go of all that Kokkos has allocated for this module.
void release() {
  state().workspace.reset();
  state().host.reset();
}

/// How long the end of the process waits for a call of a daemon thread, which may wait for ever in
/// a function of the caller's.
constexpr std::chrono::seconds patience{5};

thread_local bool in_function = false;

void require_usable() {
  if (in_function) {
    throw std::runtime_error("tessera: a function that a call runs cannot call tessera itself");
  }
  if (state().was_forked) {
    throw std::runtime_error(
        "tessera: this process was forked after tessera had started its threads, which only the "
        "parent has; start it with multiprocessing's \"spawn\" or \"forkserver\", or fork before "
        "the first call");
  }
  if (state().has_ended) throw std::runtime_error("tessera: Kokkos has ended in this process");
}

/// An instance of Host that works with so many threads.
Host instance_of(int threads) {
  if constexpr (std::is_constructible_v<Host, int>) {
    return threads == state().most_threads ? Host() : Host(threads);
  } else {
    return Host();
  }
}

void start(int wanted) {
  if (Kokkos::is_finalized()) {
    state().has_ended = true;
    require_usable();
  }
  if (!Kokkos::is_initialized()) {
    int const found = backends::survey_host_threads(wanted).found;
    Kokkos::initialize(
        Kokkos::InitializationSettings().set_num_threads(found).set_disable_warnings(true));
    state().is_ours = true;
  }
  ::pthread_atfork(nullptr, nullptr, [] { state().was_forked = true; });
  Kokkos::push_finalize_hook([] {
    release();
    state().has_ended = true;
  });
  state().host.emplace();
  state().most_threads = state().host->concurrency();
  state().workspace = std::make_unique<Workspace<Host>>();
}

}  // namespace

Turn::Function::Function() {
  in_function = true;
}

Turn::Function::~Function() {
  in_function = false;
}

Turn::Turn(int threads_at_start) {
  require_usable();  // the lock may be one that the parent held
  lock_ = std::unique_lock(state().turn);
  require_usable();
  if (!state().host) start(threads_at_start);
}

Host const& Turn::host() const {
  return *state().host;
}

Workspace<Host>& Turn::workspace() const {
  return *state().workspace;
}

int threads(std::optional<int> wanted) {
  if (wanted && *wanted < 1) {
    throw std::invalid_argument("tessera.threads: expected at least 1 thread, found " +
                                std::to_string(*wanted));
  }
  Turn const turn(wanted.value_or(0));
  if (wanted) {
    if (*wanted > state().most_threads) {
      throw std::invalid_argument("tessera.threads: Kokkos was started with " +
                                  std::to_string(state().most_threads) + " threads, found " +
                                  std::to_string(*wanted) +
                                  "; ask for more before the first call, or set OMP_NUM_THREADS");
    }
    state().host = instance_of(*wanted);
  }
  return state().host->concurrency();
}

bool is_running() {
  return state().host.has_value() && !state().was_forked;
}

void finish() {
  if (state().was_forked || state().has_ended || !state().host) return;
  std::unique_lock const lock(state().turn, patience);
  if (!lock) return;
  if (state().is_ours) {
    Kokkos::finalize();  // calls the hook
  } else {
    release();
    state().has_ended = true;
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
