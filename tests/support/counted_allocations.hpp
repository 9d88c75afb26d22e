// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera::test {

/// By `operator new`, in all threads.
int allocations();

}  // namespace tessera::test
