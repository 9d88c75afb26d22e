// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include <io/dataset_name.hpp>
#include <io/ex3.hpp>
#include <io/formats.hpp>
#include <io/hdf5.hpp>
#include <io/npy.hpp>
#include <io/raw.hpp>

namespace tessera::io {
namespace {

constexpr std::array<std::string_view, 2> ex3_extensions{"", ".ex3"};
constexpr std::array<std::string_view, 1> npy_extensions{".npy"};
constexpr std::array<std::string_view, 1> raw_extensions{".bin"};
constexpr std::array<std::string_view, 2> hdf5_extensions{".h5", ".hdf5"};

constexpr std::array<FormatRow, 4> table{{
    {.format = Format::ex3,
     .name = "ex3 test file",
     .extensions = ex3_extensions,
     .open = open_ex3,
     .begin_matrix = begin_ex3_matrix,
     .begin_vector = nullptr,
     .vector_follows_matrix = true,
     .holds_columns = false,
     .holds_elements_only = false},
    {.format = Format::npy,
     .name = "NumPy array",
     .extensions = npy_extensions,
     .open = open_npy,
     .begin_matrix = begin_npy,
     .begin_vector = begin_npy,
     .vector_follows_matrix = false,
     .holds_columns = true,
     .holds_elements_only = false},
    {.format = Format::raw,
     .name = "raw elements",
     .extensions = raw_extensions,
     .open = open_raw,
     .begin_matrix = nullptr,
     .begin_vector = begin_raw_vector,
     .vector_follows_matrix = false,
     .holds_columns = true,
     .holds_elements_only = true},
    {.format = Format::hdf5,
     .name = "HDF5 dataset",
     .extensions = hdf5_extensions,
     .open = open_hdf5,
     .begin_matrix = begin_hdf5,
     .begin_vector = begin_hdf5,
     .vector_follows_matrix = false,
     .holds_columns = false,
     .holds_elements_only = false},
}};

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
  if (FormatRow const* const row = find_format(path)) return *row;
  throw FileError(ErrorKind::bad_input, path,
                  "has an unknown extension: expected " +
                      list_of_extensions([](FormatRow const&) { return true; }) + ", found " +
                      std::filesystem::path(path).extension().string());
}

}  // namespace tessera::io
