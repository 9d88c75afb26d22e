// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <sys/stat.h>

#include <io/dataset_name.hpp>
#include <io/format_functions.hpp>
#include <io/formats.hpp>
#include <io/matrix_source.hpp>
#include <io/output_path.hpp>
#include <io/shell_word.hpp>
#include <io/text_file.hpp>
#include <io/zip.hpp>

namespace tessera::io {
namespace {

constexpr std::array<std::string_view, 2> ex3_extensions{"", ".ex3"};
constexpr std::array<std::string_view, 1> npy_extensions{".npy"};
constexpr std::array<std::string_view, 1> npz_extensions{".npz"};
constexpr std::array<std::string_view, 1> raw_extensions{".bin"};
constexpr std::array<std::string_view, 1> bed_extensions{".bed"};
constexpr std::array<std::string_view, 2> hdf5_extensions{".h5", ".hdf5"};
constexpr std::array<std::string_view, 1> matrix_market_extensions{".mtx"};
constexpr std::array<std::string_view, 2> csv_extensions{".csv", ".tsv"};

constexpr std::array<FormatRow, 8> table{{
    {.format = Format::ex3,
     .name = "ex3 test file",
     .extensions = ex3_extensions,
     .open = open_ex3,
     .begin_matrix = begin_ex3_matrix,
     .vector_follows_matrix = true},
    {.format = Format::npy,
     .name = "NumPy array",
     .extensions = npy_extensions,
     .open = open_npy,
     .begin_matrix = begin_npy,
     .begin_vector = begin_npy,
     .holds_columns = true},
    {.format = Format::npz,
     .name = "NumPy archive",
     .extensions = npz_extensions,
     .open = open_npz,
     .names_parts = true},
    {.format = Format::raw,
     .name = "raw elements",
     .extensions = raw_extensions,
     .open = open_raw,
     .begin_vector = begin_raw_vector,
     .holds_columns = true,
     .holds_elements_only = true},
    {.format = Format::bed,
     .name = "PLINK 1 binary file",
     .extensions = bed_extensions,
     .open = open_bed},
    {.format = Format::hdf5,
     .name = "HDF5 dataset",
     .extensions = hdf5_extensions,
     .open = open_hdf5,
     .begin_matrix = begin_hdf5,
     .begin_vector = begin_hdf5,
     .names_parts = true},
    {.format = Format::matrix_market,
     .name = "Matrix Market file",
     .extensions = matrix_market_extensions,
     .open = open_matrix_market,
     .is_text = true},
    {.format = Format::csv,
     .name = "CSV file",
     .extensions = csv_extensions,
     .open = open_csv,
     .is_text = true},
}};

bool begins_with(std::span<std::byte const> bytes, std::string_view mark) {
  return bytes.size() >= mark.size() && std::memcmp(bytes.data(), mark.data(), mark.size()) == 0;
}

/// At the start, or after a user block of 512·2^k bytes.
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

bool has_size_of_ex3(InputFile const& file, std::span<std::byte const> start) {
  constexpr std::uint64_t head_bytes = 16;
  if (file.in_order_only() || start.size() < head_bytes) return false;
  std::array<std::uint32_t, 2> extents{};  // columns first
  std::memcpy(extents.data(), start.data(), sizeof extents);
  std::uint64_t elements = 0;
  std::uint64_t const rows = std::uint64_t{extents[1]} + 1;  // with V
  bool const overflow = __builtin_mul_overflow(rows, std::uint64_t{extents[0]}, &elements);
  return !overflow && elements > 0 && extents[1] > 0 &&
         elements == (file.bytes() - head_bytes) / sizeof(float) &&
         (file.bytes() - head_bytes) % sizeof(float) == 0;
}

/// An ex3 test file with these bytes would have some hundred million rows and columns.
bool begins_with_text(std::span<std::byte const> start) {
  constexpr std::size_t looked_at = 8;
  return start.size() >= looked_at &&
         std::ranges::all_of(start.first(looked_at), [](std::byte byte) {
           auto const character = std::to_integer<unsigned char>(byte);
           return std::isspace(character) != 0 || std::isprint(character) != 0;
         });
}

std::span<std::byte const> without_byte_order_mark(std::span<std::byte const> start) {
  return begins_with(start, byte_order_mark) ? start.subspan(byte_order_mark.size()) : start;
}

void refuse_packed(InputFile const& file, std::span<std::byte const> start) {
  struct Packer {
    std::string_view mark;
    std::string_view name;
    std::string_view bytes;
  };
  for (Packer const& packer : std::initializer_list<Packer>{
           {"\x1f\x8b\x08", "gzip", "1f 8b 08"},
           {"BZh", "bzip2", "42 5a 68"},
           {std::string_view("\xfd\x37zXZ\0", 6), "xz", "fd 37 7a 58 5a 00"},
           {"\x28\xb5\x2f\xfd", "zstd", "28 b5 2f fd"}}) {
    if (!begins_with(start, packer.mark)) continue;
    file.fail("is compressed by " + std::string(packer.name) +
              ": expected an uncompressed file, found the mark " + std::string(packer.bytes) +
              "; decompress it first, for example with `" + std::string(packer.name) + " -d`");
  }
}

bool is_safetensors(InputFile const& file, std::span<std::byte const> start) {
  std::uint64_t header = 0;
  if (file.in_order_only() || start.size() < sizeof header + 2) return false;
  std::memcpy(&header, start.data(), sizeof header);
  return begins_with(start.subspan(sizeof header), "{\"") && header > 1 &&
         header <= file.bytes() - sizeof header;
}

/// A text may begin with the mark, but not end with it.
bool is_parquet(InputFile const& file, std::span<std::byte const> start) {
  constexpr std::string_view mark("PAR1");
  return begins_with(start, mark) && !file.in_order_only() && file.bytes() >= 2 * mark.size() &&
         begins_with(file.peek(file.bytes() - mark.size(), mark.size()), mark);
}

void refuse_files_of_python(InputFile const& file, std::span<std::byte const> start) {
  auto const refuse = [&](std::string const& kind, std::string const& function) {
    file.fail(
        "is a " + kind +
        " file: expected one of NumPy, HDF5, PLINK, Matrix Market or CSV, found one that only the "
        "Python package reads; use tessera." +
        function + " there, or store the matrix with numpy.save");
  };
  if (is_parquet(file, start)) refuse("Parquet", "from_parquet");
  if (begins_with(start, std::string_view("ARROW1\0\0", 8))) refuse("Arrow", "from_arrow");
  if (is_safetensors(file, start)) refuse("safetensors", "from_safetensors");
  if (begins_with(start, "SIMPLE  =")) refuse("FITS", "from_fits");
}

/// ASCII in UTF-16: the zeros are at even (0) or odd (1) places.
bool alternates(std::span<std::byte const> bytes, std::size_t place_of_zeros) {
  constexpr std::size_t looked_at = 8;
  constexpr std::size_t fewest = 4;
  for (std::size_t k = 0; k < std::min(looked_at, bytes.size()); ++k) {
    auto const byte = std::to_integer<unsigned char>(bytes[k]);
    bool const is_ascii = byte != 0 && (std::isprint(byte) != 0 || std::isspace(byte) != 0);
    if (k % 2 == place_of_zeros ? byte != 0 : !is_ascii) return false;
  }
  return bytes.size() >= fewest;
}

/// @param is_text the mark alone is sufficient, because only text is expected
void refuse_utf16(InputFile const& file, std::span<std::byte const> start, bool is_text) {
  bool const is_marked = begins_with(start, "\xff\xfe") || begins_with(start, "\xfe\xff");
  auto const text = start.subspan(is_marked ? 2 : 0);
  if (!alternates(text, 0) && !alternates(text, 1) && !(is_marked && is_text)) return;
  file.fail(
      "is text in UTF-16: expected UTF-8 or ASCII, found two bytes for each character; "
      "`iconv -f UTF-16 -t UTF-8` changes it");
}

std::optional<Format> recognised(InputFile const& file, std::span<std::byte const> start) {
  if (begins_with(start, npy_magic)) return Format::npy;
  if (begins_with(start, "PK\x03\x04") || begins_with(start, "PK\x05\x06")) return Format::npz;
  if (begins_with(without_byte_order_mark(start), matrix_market_mark)) return Format::matrix_market;
  if (is_hdf5(file, start)) return Format::hdf5;
  return std::nullopt;
}

}  // namespace

FormatRow const* find_format(std::string const& path) {
  std::string const extension =
      in_lower_case(std::filesystem::path(split_dataset(path).file).extension().string());
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

std::string extension_of(std::string const& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return "a directory";
  std::string const extension =
      std::filesystem::path(split_dataset(path).file).extension().string();
  return extension.empty() ? "none" : extension;
}

FormatRow const& row_of(Format format) {
  return *std::ranges::find(table, format, &FormatRow::format);
}

FormatRow const& format_of(std::string const& path) {
  require_written_dataset(path);
  auto const is_written = [](FormatRow const& row) {
    return row.begin_matrix != nullptr || row.begin_vector != nullptr;
  };
  if (FormatRow const* const row = find_format(path)) {
    if (is_written(*row)) return *row;
    throw FileError(ErrorKind::bad_output, path,
                    "has a format that is only read: expected " + list_of_extensions(is_written) +
                        ", found a " + std::string(row->name));
  }
  throw FileError(ErrorKind::bad_input, path,
                  "has an unknown extension: expected " + list_of_extensions(is_written) +
                      ", found " + extension_of(path));
}

FormatRow const& format_of_content(InputFile const& file, std::optional<Format> given,
                                   RawFile const& raw) {
  FormatRow const* const named = given ? &row_of(*given) : find_format(file.path());
  // Raw elements may begin with any mark.
  if (named != nullptr && named->format == Format::raw) return *named;
  if (given == Format::ex3) return *named;
  // A pipe is refused without waiting for its content.
  if (named != nullptr && named->names_parts) require_positions(file);
  constexpr std::size_t longest_mark = 20;
  auto const start = file.peek(0, longest_mark);
  bool const text_as_ex3 =
      named != nullptr && named->format == Format::ex3 && begins_with_text(start);
  if (!given) {
    if (auto const format = recognised(file, start)) return row_of(*format);
    if (raw.rows != 0 && (named == nullptr || text_as_ex3)) return row_of(Format::raw);
    bool const may_be_ex3 = named == nullptr || named->format == Format::ex3;
    if (may_be_ex3 && has_size_of_ex3(file, start)) return row_of(Format::ex3);
    // Three bytes are few: other formats come first.
    if (has_bed_mark(start)) return row_of(Format::bed);
  }
  refuse_packed(file, start);
  refuse_files_of_python(file, start);
  refuse_utf16(file, start, named == nullptr || named->is_text);
  if (named != nullptr && !text_as_ex3) return *named;
  constexpr std::size_t shown = 16;
  std::string_view const text(reinterpret_cast<char const*>(start.data()),
                              std::min(shown, start.size()));
  file.fail(
      "is of an unknown kind: expected the content of a .npy, .npz, HDF5, .bed, Matrix Market or "
      "ex3 file, or a known extension (" +
      list_of_extensions([](FormatRow const&) { return true; }) + "), found '" + printable(text) +
      "'");
}

std::optional<std::vector<std::string>> parts_of(std::string const& path) {
  if (!split_dataset(path).dataset.empty()) return std::nullopt;
  InputFile const file(path);
  switch (format_of_content(file, std::nullopt, {}).format) {
    case Format::npz:
      return arrays_of(file);
    case Format::hdf5:
      return datasets_of(file);
    default:
      return std::nullopt;
  }
}

bool has_no_extension_to_say(std::string const& path) {
  if (descriptor_named_by(path)) return true;
  struct stat status{};
  bool const is_pipe =
      ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  return is_pipe && (!std::filesystem::path(path).has_extension() || find_format(path) == nullptr);
}

FormatRow const* find_format_of_result(std::string const& path) {
  require_written_dataset(path);
  return has_no_extension_to_say(path) ? &row_of(Format::npy) : find_format(path);
}

FormatRow const& format_of_result(std::string const& path) {
  return has_no_extension_to_say(path) ? row_of(Format::npy) : format_of(path);
}

}  // namespace tessera::io
