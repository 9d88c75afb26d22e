// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include <tessera/distributed/communicator.hpp>

namespace tessera::app {

/// The ranks of the session.
[[nodiscard]] std::shared_ptr<distributed::Communicator const> const& communicator();

}  // namespace tessera::app
