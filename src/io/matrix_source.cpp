// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

#include <io/format_functions.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {
namespace {

[[noreturn]] void refuse_widening() {
  throw std::logic_error("tessera::io: only genotypes are widened by their source");
}

}  // namespace

void MatrixSource::read_widened(std::uint64_t /*first*/, std::span<float> /*to*/) const {
  refuse_widening();
}
void MatrixSource::read_widened(std::uint64_t /*first*/, std::span<double> /*to*/) const {
  refuse_widening();
}
void MatrixSource::read_widened(Block const& /*block*/, std::span<float> /*to*/) const {
  refuse_widening();
}
void MatrixSource::read_widened(Block const& /*block*/, std::span<double> /*to*/) const {
  refuse_widening();
}

void MatrixSource::read_stored_block(Block const& block, std::span<std::byte> to) const {
  bool const right = info_.layout == Layout::right;
  std::uint64_t const length = right ? info_.cols : info_.rows;
  std::uint64_t const first_line = right ? block.row : block.col;
  std::uint64_t const lines = right ? block.rows : block.cols;
  std::uint64_t const first = right ? block.col : block.row;
  std::uint64_t const count = right ? block.cols : block.rows;
  if (to.empty()) return;
  if (count == length) return read_stored(Part::matrix, first_line * length, to);
  std::uint64_t const element = size_of(info_.stored);
  std::uint64_t const bytes = count * element;
  // Short lines share pages of the file.
  constexpr std::uint64_t short_line = 4096;
  constexpr std::uint64_t buffer_bytes = 256U << 10U;
  if (std::uint64_t const line_bytes = length * element; line_bytes <= short_line) {
    std::uint64_t const at_once = std::min(lines, buffer_bytes / line_bytes);
    std::vector<std::byte> buffer(at_once * line_bytes);
    for (std::uint64_t line = 0; line < lines; line += at_once) {
      std::uint64_t const some = std::min(at_once, lines - line);
      read_stored(Part::matrix, (first_line + line) * length,
                  std::span(buffer).first(some * line_bytes));
      for (std::uint64_t k = 0; k < some; ++k) {
        std::memcpy(to.data() + (line + k) * bytes,
                    buffer.data() + k * line_bytes + first * element, bytes);
      }
    }
    return;
  }
  for (std::uint64_t line = 0; line < lines; ++line) {
    read_stored(Part::matrix, (first_line + line) * length + first,
                to.subspan(line * bytes, bytes));
  }
}

void PlainSource::check_unchanged() const {
  if (info().format == Format::npy) refuse_more_arrays(file_, info().file_bytes);
  file_.check_unchanged(info().file_bytes);
}

void require_positions(InputFile const& file) {
  if (!file.is_pipe()) return;
  file.fail(
      "is not a regular file: expected a file that can be read at any position, found a pipe");
}

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
