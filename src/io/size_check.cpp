// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>
#include <string>

#include <io/size_check.hpp>

namespace tessera::io {
namespace {

std::optional<std::uint64_t> bytes_of_file(MatrixInfo const& info) {
  std::uint64_t total = 0;
  bool overflow = __builtin_mul_overflow(info.rows, info.cols, &total);
  if (info.has_vector) overflow = __builtin_add_overflow(total, info.cols, &total) || overflow;
  overflow = __builtin_mul_overflow(total, size_of(info.stored), &total) || overflow;
  overflow = __builtin_add_overflow(total, info.data_offset, &total) || overflow;
  if (overflow) return std::nullopt;
  return total;
}

std::string shape_of(MatrixInfo const& info) {
  return info.dimensions == 2
             ? std::to_string(info.rows) + " rows x " + std::to_string(info.cols) + " columns"
             : std::to_string(info.rows) + " entries";
}

}  // namespace

std::uint64_t check_shape(InputFile const& file, MatrixInfo const& info) {
  if (info.rows == 0 || info.cols == 0) {
    file.fail("has a dimension of zero: expected at least 1 in each, found " + shape_of(info));
  }
  auto const bytes = bytes_of_file(info);
  if (!bytes) {
    file.fail("has a header whose sizes overflow: expected fewer than 2^64 bytes, found " +
              shape_of(info) + " of " + std::string(to_string(info.stored)));
  }
  return *bytes;
}

std::uint64_t check_sizes(InputFile const& file, MatrixInfo const& info) {
  std::uint64_t const expected = check_shape(file, info);
  if (file.is_pipe()) return expected;
  std::string const content = "for the header and " + shape_of(info) + " of " +
                              std::string(to_string(info.stored)) +
                              (info.has_vector ? " with a vector" : "");
  if (file.bytes() < expected) {
    file.fail("is truncated: expected " + std::to_string(expected) + " bytes " + content +
              ", found " + std::to_string(file.bytes()));
  }
  if (file.bytes() > expected) {
    file.fail("has trailing bytes: expected " + std::to_string(expected) + " bytes " + content +
              ", found " + std::to_string(file.bytes()));
  }
  return expected;
}

}  // namespace tessera::io
