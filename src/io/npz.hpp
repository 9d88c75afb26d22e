// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {

// NumPy's .npz: a zip archive with a .npy file for each array, "FILE.npz:NAME".

/// Opens an array of an .npz file. A stored array is read at any position, as a .npy file is. An
/// array packed by deflate is read sequentially (info().in_order_only).
/// @throws FileError bad_input
[[nodiscard]] std::unique_ptr<MatrixSource> open_npz(InputFile file, RawFile const& raw);

}  // namespace tessera::io
