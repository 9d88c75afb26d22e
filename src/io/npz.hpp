// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {

// A zip archive with a .npy file per array, "FILE.npz:NAME".

/// A deflated array is read sequentially (info().in_order_only).
[[nodiscard]] std::unique_ptr<MatrixSource> open_npz(InputFile file, RawFile const& raw);

}  // namespace tessera::io
