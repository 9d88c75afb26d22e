// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <vector>
#include <zlib.h>

#include <io/errors.hpp>
#include <io/format_functions.hpp>
#include <io/hdf5_chunk.hpp>
#include <io/hdf5_library.hpp>
#include <io/memory.hpp>
#include <io/parallel_blocks.hpp>

namespace tessera::io {
namespace {

constexpr std::size_t checksum_bytes = 4;

[[noreturn]] void fail(std::string const& path, std::string const& sentence) {
  throw FileError(ErrorKind::bad_input, path, "has a damaged chunk: " + sentence);
}

std::vector<std::byte> inflated(std::span<std::byte const> from, std::uint64_t size,
                                std::string const& path) {
  constexpr std::uint64_t greatest_ratio = 1032;  // of deflate
  if (size / greatest_ratio > from.size() + 64) {
    fail(path, "expected " + std::to_string(size) + " bytes, found " + std::to_string(from.size()) +
                   " that cannot hold so many");
  }
  std::vector<std::byte> to(size);
  z_stream stream{};
  if (::inflateInit(&stream) != Z_OK) fail(path, "expected zlib to start, found no memory for it");
  std::size_t taken = 0;
  std::size_t made = 0;
  int status = Z_OK;
  while (status == Z_OK) {  // zlib counts in 32 bits
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data())) + taken;
    stream.avail_in = static_cast<uInt>(std::min(most, from.size() - taken));
    stream.next_out = reinterpret_cast<Bytef*>(to.data()) + made;
    stream.avail_out = static_cast<uInt>(std::min(most, to.size() - made));
    uInt const in = stream.avail_in;
    uInt const out = stream.avail_out;
    status = ::inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += out - stream.avail_out;
  }
  ::inflateEnd(&stream);
  if (status != Z_STREAM_END) {
    fail(path, "expected deflated data of at most " + std::to_string(size) +
                   " bytes, found others after " + std::to_string(made));
  }
  to.resize(made);
  return to;
}

/// 16-bit words, high byte first, and a last odd byte.
std::uint32_t fletcher32(std::span<std::byte const> bytes) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  auto const add = [&](std::uint64_t word) {
    low = (low + word) % 65535;
    high = (high + low) % 65535;
  };
  std::size_t i = 0;
  for (; i + 1 < bytes.size(); i += 2) {
    add(std::to_integer<std::uint64_t>(bytes[i]) << 8U |
        std::to_integer<std::uint64_t>(bytes[i + 1]));
  }
  if (i < bytes.size()) add(std::to_integer<std::uint64_t>(bytes[i]) << 8U);
  return static_cast<std::uint32_t>(high << 16U | low);
}

/// HDF5 may store 65535 or 0.
bool same_checksum(std::uint32_t a, std::uint32_t b) {
  return (a & 0xffffU) % 65535 == (b & 0xffffU) % 65535 && (a >> 16U) % 65535 == (b >> 16U) % 65535;
}

void check_and_strip(std::vector<std::byte>& bytes, std::string const& path) {
  if (bytes.size() < checksum_bytes) {
    fail(path, "expected a checksum of 4 bytes, found " + std::to_string(bytes.size()) + " bytes");
  }
  std::size_t const size = bytes.size() - checksum_bytes;
  std::uint32_t stored = 0;
  for (std::size_t i = 0; i < checksum_bytes; ++i) {
    stored |= std::to_integer<std::uint32_t>(bytes[size + i]) << (8 * i);
  }
  bytes.resize(size);
  if (!same_checksum(stored, fletcher32(bytes))) {
    fail(path, "expected the checksum of its bytes, found another");
  }
}

/// All first bytes, then all second bytes, …; a remainder is copied.
std::vector<std::byte> unshuffled(std::span<std::byte const> from, std::size_t element) {
  std::vector<std::byte> to(from.begin(), from.end());
  std::size_t const count = from.size() / element;
  for (std::size_t byte = 0; byte < element; ++byte) {
    for (std::size_t i = 0; i < count; ++i) to[i * element + byte] = from[byte * count + i];
  }
  return to;
}

std::vector<std::byte> shuffled(std::span<std::byte const> from, std::size_t element) {
  std::vector<std::byte> to(from.begin(), from.end());
  std::size_t const count = from.size() / element;
  for (std::size_t byte = 0; byte < element; ++byte) {
    for (std::size_t i = 0; i < count; ++i) to[byte * count + i] = from[i * element + byte];
  }
  return to;
}

}  // namespace

std::vector<std::byte> pack_chunk(std::span<std::byte const> chunk, std::size_t element, int level,
                                  std::string const& path) {
  std::vector<std::byte> const from = shuffled(chunk, element);
  uLongf size = ::compressBound(from.size());
  std::vector<std::byte> to(size);
  int const status = ::compress2(reinterpret_cast<Bytef*>(to.data()), &size,
                                 reinterpret_cast<Bytef const*>(from.data()), from.size(), level);
  if (status != Z_OK) {
    throw FileError(ErrorKind::bad_output, path,
                    "cannot be packed: expected zlib to deflate a chunk, found its error " +
                        std::to_string(status));
  }
  to.resize(size);
  return to;
}

std::vector<std::byte> unpack_chunk(std::vector<std::byte> stored, Hdf5Facts const& facts,
                                    std::uint64_t filters_left, std::string const& path) {
  std::uint64_t const expected = chunk_bytes(facts);
  for (std::uint32_t i = facts.filters; i-- > 0;) {
    if ((filters_left >> i & 1U) != 0) continue;
    switch (facts.filter[i]) {
      case Hdf5Filter::deflate:
        stored = inflated(stored, expected + checksum_bytes, path);
        break;
      case Hdf5Filter::shuffle:
        stored = unshuffled(stored, size_of(facts.type));
        break;
      case Hdf5Filter::fletcher32:
        check_and_strip(stored, path);
        break;
    }
  }
  if (stored.size() != expected) {
    fail(path,
         "expected " + std::to_string(expected) + " bytes, found " + std::to_string(stored.size()));
  }
  return stored;
}

struct Hdf5ChunkWriter::State {
  std::string path;
  MatrixInfo info;
  Hdf5Chunks chunks;
  Hdf5File file;
  std::mutex mutex;
};

Hdf5ChunkWriter::Hdf5ChunkWriter(OutputFile& out, MatrixInfo const& info,
                                 Hdf5Chunks const& chunks) {
  auto const refuse = [&](std::string const& expected) {
    throw FileError(ErrorKind::bad_output, out.path(),
                    "cannot be stored in such chunks: expected " + expected + ", found " +
                        std::to_string(chunks.rows) + " x " + std::to_string(chunks.cols) + " of " +
                        std::string(to_string(info.type)));
  };
  std::uint64_t bytes = 0;
  bool overflow = __builtin_mul_overflow(chunks.rows, chunks.cols, &bytes);
  overflow = __builtin_mul_overflow(bytes, size_of(info.type), &bytes) || overflow;
  if (overflow || bytes == 0 || bytes > Hdf5Chunks::most_bytes) refuse("1 element to 16 MiB");
  if (chunks.rows > info.rows || chunks.cols > info.cols) {
    refuse("at most the " + std::to_string(info.rows) + " x " + std::to_string(info.cols) +
           " of the matrix");
  }
  std::string const dataset = check_hdf5_output(out, info);
  static_cast<void>(create_hdf5_dataset(out.path(), out.temporary(), dataset, info, &chunks));
  state_.reset(new State{.path = out.path(),
                         .info = info,
                         .chunks = chunks,
                         .file = Hdf5File(out.path(), out.temporary(), dataset),
                         .mutex = {}});
}

Hdf5ChunkWriter::~Hdf5ChunkWriter() = default;

void Hdf5ChunkWriter::write(Block const& block, std::span<std::byte const> elements) {
  std::uint64_t const rows = state_->chunks.rows;
  std::uint64_t const cols = state_->chunks.cols;
  int const deflate = state_->chunks.deflate;
  std::uint64_t const element = size_of(state_->info.type);
  std::uint64_t const across = (block.cols - 1) / cols + 1;
  std::uint64_t const count = across * ((block.rows - 1) / rows + 1);
  parallel_blocks(count, 1,
                  [&](std::uint64_t number, std::uint64_t) {
                    std::uint64_t const row = number / across * rows;
                    std::uint64_t const col = number % across * cols;
                    std::uint64_t const height = std::min(rows, block.rows - row);
                    std::uint64_t const bytes = std::min(cols, block.cols - col) * element;
                    std::vector<std::byte> chunk(rows * cols * element);  // zeros beyond the edge
                    for (std::uint64_t i = 0; i < height; ++i) {
                      std::memcpy(chunk.data() + i * cols * element,
                                  elements.data() + ((row + i) * block.cols + col) * element,
                                  bytes);
                    }
                    if (deflate != 0) chunk = pack_chunk(chunk, element, deflate, state_->path);
                    std::lock_guard const lock(state_->mutex);
                    state_->file.write_chunk(block.row + row, block.col + col, chunk);
                  },
                  {});
}

void Hdf5ChunkWriter::close() {
  state_->file.close();
}

}  // namespace tessera::io
