// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <io/dataset_name.hpp>
#include <io/matrix_info.hpp>

namespace tessera::io {

// All calls of the HDF5 library.

enum class Hdf5Filter : std::uint32_t { deflate, shuffle, fletcher32 };

struct Hdf5Chunk {
  std::uint64_t number;  ///< row by row in the grid
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t filters_left;  ///< bit i: filter i was not applied
};

/// Trivially copyable between processes.
struct Hdf5Facts {
  enum class Storage : std::uint32_t { contiguous, compact, chunked, unwritten };

  ElementType type;
  bool big_endian;
  bool has_fill_value;
  Storage storage;
  std::uint32_t dimensions;
  std::uint32_t filters;
  std::array<Hdf5Filter, 3> filter;    ///< in order of application
  std::array<std::uint64_t, 2> shape;  ///< (n, 1) if there is one dimension
  std::array<std::uint64_t, 2> chunk_shape;
  std::uint64_t offset;  ///< contiguous: bytes from the start of the file
  std::array<std::byte, 8> fill_value;
};

struct Hdf5Dataset {
  Hdf5Facts facts;
  std::vector<Hdf5Chunk> chunks;  ///< in order of numbers
  std::vector<std::byte> compact;
};

/// In a separate process: see run_apart().
[[nodiscard]] Hdf5Dataset examine_hdf5(std::string const& path, DatasetName const& name,
                                       std::uint64_t file_bytes);

[[nodiscard]] std::vector<std::string> list_hdf5(std::string const& path, DatasetName const& name,
                                                 std::uint64_t file_bytes);

/// In a separate process: a full disk may also crash the library. An existing file keeps its
/// content.
/// @param chunks null: contiguous
/// @return contiguous: offset of the elements, which the caller writes; chunked: 0
[[nodiscard]] std::uint64_t create_hdf5_dataset(std::string const& path, std::string const& place,
                                                std::string const& dataset, MatrixInfo const& info,
                                                Hdf5Chunks const* chunks);

/// Without close(), the library keeps its descriptor and memory until the process ends.
class Hdf5File {
 public:
  Hdf5File(std::string path, std::string const& place, std::string const& dataset);
  ~Hdf5File();
  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File(Hdf5File const&) = delete;
  Hdf5File& operator=(Hdf5File const&) = delete;
  Hdf5File& operator=(Hdf5File&&) = delete;

  /// `bytes` are packed.
  void write_chunk(std::uint64_t row, std::uint64_t col, std::span<std::byte const> bytes);

  void close();

 private:
  std::string path_;
  std::int64_t file_ = -1;
  std::int64_t dataset_ = -1;
};

}  // namespace tessera::io
