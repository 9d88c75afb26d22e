// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>

#include <nlohmann/json_fwd.hpp>

#include <app/tuning/tuning_cache.hpp>

/// Tunings as JSON.
namespace tessera::app {

/// Its message is part of a sentence.
class Unusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[nodiscard]] nlohmann::ordered_json to_object(TuningRecord const& r);

/// @throws Unusable, and the errors of nlohmann::json and of the checks of a tuning
[[nodiscard]] TuningRecord record_from(nlohmann::json const& json);

/// At least 0.
[[nodiscard]] int int_in(nlohmann::json const& object, char const* key);

}  // namespace tessera::app
