// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>

#include <io/csv.hpp>
#include <io/dataset_name.hpp>
#include <io/ex3.hpp>
#include <io/formats.hpp>
#include <io/hdf5.hpp>
#include <io/matrix_market.hpp>
#include <io/matrix_source.hpp>
#include <io/npy.hpp>
#include <io/npy_type.hpp>
#include <io/npz.hpp>
#include <io/output_path.hpp>
#include <io/raw.hpp>

namespace tessera::io {
namespace {

constexpr std::array<std::string_view, 2> ex3_extensions{"", ".ex3"};
constexpr std::array<std::string_view, 1> npy_extensions{".npy"};
constexpr std::array<std::string_view, 1> npz_extensions{".npz"};
constexpr std::array<std::string_view, 1> raw_extensions{".bin"};
constexpr std::array<std::string_view, 2> hdf5_extensions{".h5", ".hdf5"};
constexpr std::array<std::string_view, 1> matrix_market_extensions{".mtx"};
constexpr std::array<std::string_view, 2> csv_extensions{".csv", ".tsv"};

constexpr std::array<FormatRow, 7> table{{
    {.format = Format::ex3,
     .name = "ex3 test file",
     .extensions = ex3_extensions,
     .open = open_ex3,
     .begin_matrix = begin_ex3_matrix,
     .begin_vector = nullptr,
     .vector_follows_matrix = true,
     .holds_columns = false,
     .holds_elements_only = false,
     .names_parts = false,
     .is_text = false},
    {.format = Format::npy,
     .name = "NumPy array",
     .extensions = npy_extensions,
     .open = open_npy,
     .begin_matrix = begin_npy,
     .begin_vector = begin_npy,
     .vector_follows_matrix = false,
     .holds_columns = true,
     .holds_elements_only = false,
     .names_parts = false,
     .is_text = false},
    {.format = Format::npz,
     .name = "NumPy archive",
     .extensions = npz_extensions,
     .open = open_npz,
     .begin_matrix = nullptr,
     .begin_vector = nullptr,
     .vector_follows_matrix = false,
     .holds_columns = false,
     .holds_elements_only = false,
     .names_parts = true,
     .is_text = false},
    {.format = Format::raw,
     .name = "raw elements",
     .extensions = raw_extensions,
     .open = open_raw,
     .begin_matrix = nullptr,
     .begin_vector = begin_raw_vector,
     .vector_follows_matrix = false,
     .holds_columns = true,
     .holds_elements_only = true,
     .names_parts = false,
     .is_text = false},
    {.format = Format::hdf5,
     .name = "HDF5 dataset",
     .extensions = hdf5_extensions,
     .open = open_hdf5,
     .begin_matrix = begin_hdf5,
     .begin_vector = begin_hdf5,
     .vector_follows_matrix = false,
     .holds_columns = false,
     .holds_elements_only = false,
     .names_parts = true,
     .is_text = false},
    {.format = Format::matrix_market,
     .name = "Matrix Market file",
     .extensions = matrix_market_extensions,
     .open = open_matrix_market,
     .begin_matrix = nullptr,
     .begin_vector = nullptr,
     .vector_follows_matrix = false,
     .holds_columns = false,
     .holds_elements_only = false,
     .names_parts = false,
     .is_text = true},
    {.format = Format::csv,
     .name = "CSV file",
     .extensions = csv_extensions,
     .open = open_csv,
     .begin_matrix = nullptr,
     .begin_vector = nullptr,
     .vector_follows_matrix = false,
     .holds_columns = false,
     .holds_elements_only = false,
     .names_parts = false,
     .is_text = true},
}};

bool begins_with(std::span<std::byte const> bytes, std::string_view mark) {
  return bytes.size() >= mark.size() && std::memcmp(bytes.data(), mark.data(), mark.size()) == 0;
}

/// HDF5's mark is at the start, or behind a user block of 512 bytes or a power of two times as
/// many.
bool is_hdf5(InputFile const& file, std::span<std::byte const> start) {
  constexpr std::string_view mark("\x89HDF\r\n\x1a\n", 8);
  if (begins_with(start, mark)) return true;
  if (file.in_order_only()) return false;
  constexpr std::uint64_t smallest_block = 512;
  for (std::uint64_t block = smallest_block; block < file.bytes(); block *= 2) {
    if (begins_with(file.peek(block, mark.size()), mark)) return true;
  }
  return false;
}

/// Whether columns and rows at its start make an ex3 test file of just this size.
bool has_size_of_ex3(InputFile const& file, std::span<std::byte const> start) {
  constexpr std::uint64_t head_bytes = 16;
  if (file.in_order_only() || start.size() < head_bytes) return false;
  std::array<std::uint32_t, 2> extents{};  // columns come first
  std::memcpy(extents.data(), start.data(), sizeof extents);
  std::uint64_t elements = 0;
  std::uint64_t const rows = std::uint64_t{extents[1]} + 1;  // with V
  bool const overflow = __builtin_mul_overflow(rows, std::uint64_t{extents[0]}, &elements);
  return !overflow && elements > 0 && extents[1] > 0 &&
         elements == (file.bytes() - head_bytes) / sizeof(float) &&
         (file.bytes() - head_bytes) % sizeof(float) == 0;
}

/// Whether a file begins with eight characters of text, which as an ex3 test file would have some
/// hundred million rows and columns.
bool begins_with_text(std::span<std::byte const> start) {
  constexpr std::size_t looked_at = 8;
  return start.size() >= looked_at &&
         std::ranges::all_of(start.first(looked_at), [](std::byte byte) {
           auto const character = std::to_integer<unsigned char>(byte);
           return std::isspace(character) != 0 || std::isprint(character) != 0;
         });
}

/// What the first bytes say; empty where they say nothing.
std::optional<Format> recognised(InputFile const& file, std::span<std::byte const> start) {
  if (begins_with(start, npy_magic)) return Format::npy;
  if (begins_with(start, "PK\x03\x04") || begins_with(start, "PK\x05\x06")) return Format::npz;
  if (begins_with(start, matrix_market_mark)) return Format::matrix_market;
  if (is_hdf5(file, start)) return Format::hdf5;
  return std::nullopt;
}

}  // namespace

std::span<FormatRow const> table_of_formats() {
  return table;
}

FormatRow const* find_format(std::string const& path) {
  std::string extension = std::filesystem::path(split_dataset(path).file).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char character) {
    return static_cast<char>(std::tolower(character));
  });
  for (FormatRow const& row : table) {
    if (std::ranges::find(row.extensions, extension) != row.extensions.end()) return &row;
  }
  return nullptr;
}

std::string list_of_extensions(std::function<bool(FormatRow const&)> const& wanted) {
  std::string list;
  for (FormatRow const& row : table) {
    if (!wanted(row)) continue;
    for (std::string_view const extension : row.extensions) {
      list += list.empty() ? "" : ", ";
      list += extension.empty() ? "no extension" : extension;
    }
  }
  return list;
}

FormatRow const& row_of(Format format) {
  return *std::ranges::find(table, format, &FormatRow::format);
}

FormatRow const& format_of(std::string const& path) {
  auto const is_written = [](FormatRow const& row) {
    return row.begin_matrix != nullptr || row.begin_vector != nullptr;
  };
  if (FormatRow const* const row = find_format(path)) {
    if (is_written(*row)) return *row;
    throw FileError(ErrorKind::bad_output, path,
                    "is not written: expected one of " + list_of_extensions(is_written) +
                        ", found a " + std::string(row->name));
  }
  throw FileError(ErrorKind::bad_input, path,
                  "has an unknown extension: expected " + list_of_extensions(is_written) +
                      ", found " + std::filesystem::path(path).extension().string());
}

FormatRow const& format_of_content(InputFile const& file, std::optional<Format> given,
                                   RawFile const& raw) {
  if (given) return row_of(*given);
  FormatRow const* const named = find_format(file.path());
  if (named != nullptr && named->format == Format::raw) return *named;
  // Where all is said by the name, a pipe is refused without waiting for what comes out of it.
  if (named != nullptr && named->names_parts) require_positions(file);
  constexpr std::size_t longest_mark = 16;
  auto const start = file.peek(0, longest_mark);
  if (auto const format = recognised(file, start)) return row_of(*format);
  bool const text_as_ex3 =
      named != nullptr && named->format == Format::ex3 && begins_with_text(start);
  if (named != nullptr && !text_as_ex3) return *named;
  if (raw.rows != 0) return row_of(Format::raw);
  if (has_size_of_ex3(file, start)) return row_of(Format::ex3);
  std::string_view const text(reinterpret_cast<char const*>(start.data()), start.size());
  file.fail(
      "is of an unknown kind: expected the content of a .npy, .npz, HDF5, Matrix Market or ex3 "
      "file, or one of the extensions " +
      list_of_extensions([](FormatRow const&) { return true; }) + ", found '" + printable(text) +
      "'");
}

FormatRow const* find_format_of_result(std::string const& path) {
  return descriptor_named_by(path) ? &row_of(Format::npy) : find_format(path);
}

FormatRow const& format_of_result(std::string const& path) {
  return descriptor_named_by(path) ? row_of(Format::npy) : format_of(path);
}

}  // namespace tessera::io
