// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <io/matrix_info.hpp>

// An input is a file; its first bytes have a reader's parameters.
namespace tessera::fuzz {

using Bytes = std::span<std::uint8_t const>;

[[noreturn]] void broken(char const* sentence);

void expect_message(std::string const& path, std::string const& message);

std::string content_of(std::string const& path);

std::string put(std::string const& name, Bytes content);

/// Missing bytes are zeros.
std::uint64_t take(Bytes& bytes, std::size_t count);

void read_matrix(std::string const& path, io::RawFile const& raw = {});

void read_vector(std::string const& path, io::RawFile const& raw = {});

}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
