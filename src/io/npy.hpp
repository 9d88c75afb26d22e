// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string_view>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>
#include <io/output_file.hpp>

namespace tessera::io {

// .npy: "\x93NUMPY", major and minor version, the header's length (2 bytes in version 1.0, else 4),
// the header (npy_header.hpp), the elements.

[[nodiscard]] std::unique_ptr<MatrixSource> open_npy(InputFile file, RawFile const& raw);

[[nodiscard]] MatrixInfo read_npy_header(InputFile const& file);

/// Refuses a file with another array at byte `end`: numpy.save() was called again.
void refuse_more_arrays(InputFile const& file, std::uint64_t end);

inline constexpr std::string_view npy_magic{"\x93NUMPY", 6};

/// Version 1.0; elements begin at a multiple of 64 bytes.
void begin_npy(OutputFile& out, MatrixInfo const& info);

}  // namespace tessera::io
