// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All solvers. Bits depend only on A, its layout, the inputs and the options. Iterative methods
/// read A once per iteration.

#include <tessera/solve/blocks.hpp>
#include <tessera/solve/cgls.hpp>
#include <tessera/solve/column_statistics.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/limited_memory.hpp>
#include <tessera/solve/lsmr.hpp>
#include <tessera/solve/lsqr.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/pca.hpp>
#include <tessera/solve/randomized_svd.hpp>
#include <tessera/solve/regression.hpp>
#include <tessera/solve/ridge.hpp>
#include <tessera/solve/small_svd.hpp>
#include <tessera/solve/spectrum.hpp>
#include <tessera/solve/svd.hpp>
