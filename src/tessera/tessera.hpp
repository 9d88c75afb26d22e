// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations in memory.

#include <tessera/aatx.hpp>
#include <tessera/atax.hpp>
#include <tessera/gemm.hpp>
#include <tessera/maps.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_both.hpp>
#include <tessera/multiply_transposed.hpp>
#include <tessera/narrow.hpp>
#include <tessera/plan.hpp>
#include <tessera/transpose.hpp>
#include <tessera/vectors.hpp>
#include <tessera/version.hpp>
