// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string>

#include <app/base/exit_status.hpp>

namespace tessera::app {

/// An error that ends the program with a sentence on stderr and an exit status.
class Failure : public std::runtime_error {
 public:
  Failure(ExitStatus status, std::string const& sentence)
      : std::runtime_error(sentence), status_(status) {}

  [[nodiscard]] ExitStatus status() const noexcept { return status_; }

 private:
  ExitStatus status_;
};

}  // namespace tessera::app
