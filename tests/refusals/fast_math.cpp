// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Compiled with -ffast-math.

#include <tessera/summation.hpp>
