// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <mutex>

#include <app/base/notices.hpp>
#include <app/base/text.hpp>

namespace tessera::app {
namespace {

struct Notices {
  std::mutex mutex;
  std::vector<std::string> all;
  std::size_t said = 0;  ///< printed or reported
  bool are_released = false;

  void say_rest() {
    for (; said < all.size(); ++said) say(all[said]);
  }
};

Notices& of_process() {
  static Notices notices;
  return notices;
}

}  // namespace

void notice(std::string const& sentence) {
  Notices& its = of_process();
  std::lock_guard const lock(its.mutex);
  its.all.push_back(sentence);
  if (its.are_released) its.say_rest();
}

void release_notices() {
  Notices& its = of_process();
  std::lock_guard const lock(its.mutex);
  its.are_released = true;
  its.say_rest();
}

std::vector<std::string> report_notices() {
  Notices& its = of_process();
  std::lock_guard const lock(its.mutex);
  its.said = its.all.size();
  return its.all;
}

}  // namespace tessera::app
