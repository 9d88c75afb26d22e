// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include <io/errors.hpp>
#include <io/output_file.hpp>
#include <io/types.hpp>

namespace tessera::io {

// Writers fill an OutputFile; the caller commits it. All files are little-endian. An open
// descriptor such as /dev/stdout, whose name has no extension, is written as .npy.

/// Checks that the extension of `path` is a format for a single vector (.npy or .bin). Call it
/// before computing. @throws FileError bad_output
void check_vector_format(std::string const& path);

/// Checks that the extension of `path` is a format for a matrix alone (such as .npy or .h5). Call
/// it before computing. @throws FileError bad_output
void check_matrix_format(std::string const& path);

/// Writes a vector in the format of the extension of out.path(): .npy (shape (n,)) or .bin (only
/// the elements). @throws FileError bad_output
void write_vector(OutputFile& out, ElementSpan elements);

/// Writes a matrix in the format of the extension of out.path(): .npy or an HDF5 dataset.
/// @throws FileError bad_output, also if the format holds no matrix, or not in this order
void write_matrix(OutputFile& out, HostMatrix const& A);

/// Writes a .npy file, version 1.0, of shape (rows, cols), in the order of the View.
/// @throws FileError bad_output
void write_npy_matrix(OutputFile& out, HostMatrix const& A);
/// Writes a .npy file, version 1.0, of shape (n,). @throws FileError bad_output
void write_npy_vector(OutputFile& out, ElementSpan elements);
/// Writes only the elements. @throws FileError bad_output
void write_raw(OutputFile& out, ElementSpan elements);
/// Writes an ex3 test file: 16 bytes of header, A, V. V has as many entries as A has columns.
/// @throws FileError bad_output if a dimension does not fit into 32 bits
void write_ex3(OutputFile& out, MatrixView<float, Kokkos::LayoutRight> const& A,
               std::span<float const> V);

}  // namespace tessera::io
