// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera::test {

/// Allocations by `operator new` so far, of all threads of a program that links
/// tessera_counted_allocations.
int allocations();

}  // namespace tessera::test
