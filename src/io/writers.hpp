// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include <io/errors.hpp>
#include <io/output_file.hpp>
#include <io/types.hpp>

namespace tessera::io {

// Writers fill an OutputFile; the caller commits it.

/// Call it before computing.
/// @throws FileError if the extension has no format for a vector
void check_vector_format(std::string const& path);

void check_matrix_format(std::string const& path);

void write_vector(OutputFile& out, ElementSpan elements);

/// @throws FileError also if the format does not hold this matrix
void write_matrix(OutputFile& out, HostMatrix const& A);

}  // namespace tessera::io
