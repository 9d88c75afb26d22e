// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <utility>

namespace tessera::backends {

/// Keeps up to `most` recently used values; destroys the oldest. Not thread-safe.
template <class Key, class Value>
class MostRecent {
 public:
  explicit MostRecent(std::size_t most) : most_(most) {}

  /// Calls make() for a new key. The reference is valid until `most` other keys were used.
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

/// More than programs use at a time.
inline constexpr std::size_t most_streams = 64;

}  // namespace tessera::backends
