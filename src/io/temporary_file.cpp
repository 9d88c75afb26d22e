// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <signal.h>
#include <unistd.h>
#include <utility>

#include <io/run_apart.hpp>
#include <io/temporary_file.hpp>

namespace tessera::io {

struct TemporaryFile::Place {
  std::atomic<char*> name{nullptr};  // whoever takes it removes the file
  Place* next = nullptr;
};

namespace {

using Place = TemporaryFile::Place;

std::atomic<Place*> first_place{nullptr};
std::atomic<pid_t> process{0};  // a forked process inherits the list, not the files

static_assert(std::atomic<char*>::is_always_lock_free && std::atomic<Place*>::is_always_lock_free,
              "a handler of signals reads the list");

Place* place_for(char* name) {
  for (Place* place = first_place; place != nullptr; place = place->next) {
    char* nothing = nullptr;
    if (place->name.compare_exchange_strong(nothing, name)) return place;
  }
  auto* const place = new Place;
  place->name = name;
  place->next = first_place;
  while (!first_place.compare_exchange_weak(place->next, place)) {
  }
  return place;
}

/// sigaction() refuses SIGKILL and the two numbers below SIGRTMIN that the C library reserves.
bool ends_by_default(int number) {
  constexpr std::array<int, 9> others{SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU,
                                      SIGCONT, SIGCHLD, SIGURG,  SIGWINCH};
  return std::ranges::find(others, number) == others.end();
}

extern "C" void remove_temporaries_and_end(int number) {
  int const error_number = errno;
  remove_temporaries();
  errno = error_number;
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

TemporaryFile::TemporaryFile(std::string name) : name_(std::move(name)) {
  process = ::getpid();
  char* const copy = ::strdup(name_.c_str());
  if (copy == nullptr) throw std::bad_alloc();
  place_ = place_for(copy);
}

TemporaryFile::~TemporaryFile() {
  if (place_ == nullptr) return;
  char* const name = place_->name.exchange(nullptr);
  if (name != nullptr) ::unlink(name);
  std::free(name);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : name_(std::exchange(other.name_, {})), place_(std::exchange(other.place_, nullptr)) {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(place_, other.place_);
  return *this;
}

void TemporaryFile::forget() noexcept {
  if (place_ != nullptr) std::free(place_->name.exchange(nullptr));
  place_ = nullptr;
  name_.clear();
}

void remove_temporaries() noexcept {
  if (process != ::getpid()) return;
  end_apart();  // it may be about to create one
  for (Place* place = first_place; place != nullptr; place = place->next) {
    char const* const name = place->name.exchange(nullptr);  // not freed: the process ends
    if (name != nullptr) ::unlink(name);
  }
}

void remove_temporaries_at_signals() {
  struct sigaction action{};
  action.sa_handler = remove_temporaries_and_end;
  sigfillset(&action.sa_mask);
  for (int number = 1; number <= SIGRTMAX; ++number) {
    if (!ends_by_default(number)) continue;
    struct sigaction now{};
    bool const ends = ::sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
                      now.sa_handler == SIG_DFL;
    if (ends) ::sigaction(number, &action, nullptr);
  }
}

}  // namespace tessera::io
