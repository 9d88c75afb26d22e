// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string_view>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>
#include <io/output_file.hpp>

namespace tessera::io {

// NumPy's .npy: "\x93NUMPY", major and minor version, the length of the header (2 bytes in version
// 1.0, 4 bytes from 2.0 on), the header (npy_header.hpp), the elements.

/// Opens a .npy file, version 1.0, 2.0 or 3.0, of one or two dimensions, of any element type that
/// npy_type.hpp knows. @throws FileError bad_input
[[nodiscard]] std::unique_ptr<MatrixSource> open_npy(InputFile file, RawFile const& raw);

/// Reads the header of a .npy file and checks it against the size of the file.
/// @throws FileError bad_input
[[nodiscard]] MatrixInfo read_npy_header(InputFile const& file);

/// Refuses a file in which another array follows the first, which ends at byte `end`: numpy.save()
/// was called more than once. @throws FileError bad_input
void refuse_more_arrays(InputFile const& file, std::uint64_t end);

/// The first bytes of a .npy file.
inline constexpr std::string_view npy_magic{"\x93NUMPY", 6};

/// Writes everything before the elements, version 1.0; the elements begin at a multiple of 64
/// bytes.
void begin_npy(OutputFile& out, MatrixInfo const& info);

}  // namespace tessera::io
