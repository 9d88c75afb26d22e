// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/machine.hpp>
#include <string>

namespace tessera::bench {

Facts facts_of(std::string const& backend);

}  // namespace tessera::bench
