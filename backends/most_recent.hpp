// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

namespace tessera::backends {

/// The values of the keys that were asked for last. A new key beyond `most` of them destroys the
/// value that was not used for the longest time. Not for several threads at a time.
template <class Key, class Value>
class MostRecent {
 public:
  explicit MostRecent(std::size_t most) : most_(most) {}

  /// The value of a key, make() if there is none. It is there until `most` other keys were asked
  /// for.
  template <class Make>
  Value& get(Key const& key, Make const& make) {
    auto const place = std::ranges::find(values_, key, &std::pair<Key, Value>::first);
    if (place != values_.end()) {
      values_.splice(values_.begin(), values_, place);
    } else {
      if (values_.size() >= most_) values_.pop_back();
      values_.emplace_front(key, make());
    }
    return values_.front().second;
  }
  void clear() { values_.clear(); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

 private:
  std::size_t most_;
  std::list<std::pair<Key, Value>> values_;
};

/// Streams of GPUs for which an instance and a workspace are kept: more than programs use at a
/// time, and few enough for programs that make new ones all the time.
inline constexpr std::size_t most_streams = 64;

}  // namespace tessera::backends
