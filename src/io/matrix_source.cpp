// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <io/matrix_source.hpp>
#include <io/npy.hpp>

namespace tessera::io {

void MatrixSource::read_stored_block(Block const& block, std::span<std::byte> to) const {
  bool const right = info_.layout == Layout::right;
  std::uint64_t const length = right ? info_.cols : info_.rows;  // of a line of A
  std::uint64_t const first_line = right ? block.row : block.col;
  std::uint64_t const lines = right ? block.rows : block.cols;
  std::uint64_t const first = right ? block.col : block.row;
  std::uint64_t const count = right ? block.cols : block.rows;  // elements of each line
  if (to.empty()) return;
  if (count == length) return read_stored(Part::matrix, first_line * length, to);
  std::uint64_t const bytes = count * size_of(info_.stored);
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

}  // namespace tessera::io
