// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {

// NumPy's .npz: a zip archive with a .npy file for each array, "FILE.npz:NAME".

/// Opens an array of an .npz file: as .npy files are, at any position where it is stored, from its
/// start to its end where it is packed by deflate (info().in_order_only).
/// @throws FileError bad_input
[[nodiscard]] std::unique_ptr<MatrixSource> open_npz(InputFile file, RawFile const& raw);

}  // namespace tessera::io
