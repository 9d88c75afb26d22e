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

/// The filters of chunks that can be undone.
enum class Hdf5Filter : std::uint32_t { deflate, shuffle, fletcher32 };

/// A chunk that is stored in the file.
struct Hdf5Chunk {
  std::uint64_t number;        ///< row by row in the grid of chunks
  std::uint64_t address;       ///< bytes from the start of the file
  std::uint64_t bytes;         ///< in the file
  std::uint64_t filters_left;  ///< bit i: filter i was not applied
};

/// The library's description of a dataset; trivially copyable between processes.
struct Hdf5Facts {
  enum class Storage : std::uint32_t { contiguous, compact, chunked, unwritten };

  ElementType type;
  bool big_endian;
  bool has_fill_value;
  Storage storage;
  std::uint32_t dimensions;                  ///< 1 or 2
  std::uint32_t filters;                     ///< number of entries of `filter`
  std::array<Hdf5Filter, 3> filter;          ///< in the order in which they were applied
  std::array<std::uint64_t, 2> shape;        ///< the second is 1 if there is one dimension
  std::array<std::uint64_t, 2> chunk_shape;  ///< the same, of a chunk
  std::uint64_t offset;                      ///< contiguous: bytes from the start of the file
  std::array<std::byte, 8> fill_value;       ///< of elements that were never written
};

/// A dataset that the library has examined.
struct Hdf5Dataset {
  Hdf5Facts facts;
  std::vector<Hdf5Chunk> chunks;   ///< chunked: in order of their numbers
  std::vector<std::byte> compact;  ///< compact: the elements
};

/// Examines a dataset in a separate process: a damaged file may crash the library.
/// @param path       for messages
/// @param file_bytes size of the file
/// @throws FileError bad_input
[[nodiscard]] Hdf5Dataset examine_hdf5(std::string const& path, DatasetName const& name,
                                       std::uint64_t file_bytes);

/// The names of all datasets of the file, such as "/group/A", found in a separate process.
/// @param path       for messages
/// @param file_bytes size of the file
/// @throws FileError bad_input
[[nodiscard]] std::vector<std::string> list_hdf5(std::string const& path, DatasetName const& name,
                                                 std::uint64_t file_bytes);

/// Creates a dataset, in a separate process: the library may crash if the file was damaged before,
/// or if the disk is full. An empty file becomes an HDF5 file; another one keeps its content.
/// @param path   for messages
/// @param place  the name of the file
/// @param chunks how the dataset is packed; null: contiguous
/// @return contiguous: bytes from the start of the file to the elements, which the library does not
/// write; chunked: 0
/// @throws FileError bad_output, also if the file already has an object of this name
[[nodiscard]] std::uint64_t create_hdf5_dataset(std::string const& path, std::string const& place,
                                                std::string const& dataset, MatrixInfo const& info,
                                                Hdf5Chunks const* chunks);

/// A dataset in chunks, open for writing. If it is not closed, it is abandoned: the library keeps
/// its descriptor and memory until the process ends.
class Hdf5File {
 public:
  /// Opens a dataset that create_hdf5_dataset() has made.
  /// @param path   for messages
  /// @param place  the name of the file
  /// @throws FileError bad_output
  Hdf5File(std::string path, std::string const& place, std::string const& dataset);
  ~Hdf5File();
  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File(Hdf5File const&) = delete;
  Hdf5File& operator=(Hdf5File const&) = delete;
  Hdf5File& operator=(Hdf5File&&) = delete;

  /// Writes the chunk whose first element is (row, col). `bytes` are already packed.
  /// @throws FileError bad_output
  void write_chunk(std::uint64_t row, std::uint64_t col, std::span<std::byte const> bytes);

  /// Call it once, last. @throws FileError bad_output
  void close();

 private:
  std::string path_;
  std::int64_t file_ = -1;  // identifiers of the library
  std::int64_t dataset_ = -1;
};

}  // namespace tessera::io
