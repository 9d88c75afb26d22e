// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <nanobind/nanobind.h>

namespace tessera::python {

/// StreamedMatrix, and what creates it.
void add_streams(nanobind::module_& m);

}  // namespace tessera::python
