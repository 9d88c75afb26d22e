// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <io/matrix_info.hpp>

// Shared by the fuzz targets. An input is the content of a file. If a reader needs parameters, the
// first bytes contain them.
namespace tessera::fuzz {

using Bytes = std::span<std::uint8_t const>;

/// Prints what is wrong and ends the program.
[[noreturn]] void broken(char const* sentence);

/// Expects one printable line of moderate length that begins with the path.
void expect_message(std::string const& path, std::string const& message);

std::string content_of(std::string const& path);

/// Writes bytes to a file of this name, in a folder in memory that exists as long as the program.
std::string put(std::string const& name, Bytes content);

/// Removes a number of `count` bytes from the front; missing bytes are zeros.
std::uint64_t take(Bytes& bytes, std::size_t count);

/// Opens a matrix file and reads it in several ways, which must agree. A FileError is also valid;
/// anything else ends the program.
void read_matrix(std::string const& path, io::RawFile const& raw = {});

/// The same for a file's vector.
void read_vector(std::string const& path, io::RawFile const& raw = {});

}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
