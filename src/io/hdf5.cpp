// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <future>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <io/dataset_name.hpp>
#include <io/errors.hpp>
#include <io/hdf5.hpp>
#include <io/hdf5_chunk.hpp>
#include <io/hdf5_library.hpp>
#include <io/memory.hpp>

namespace tessera::io {
namespace {

/// Chunks that were unpacked lately. Who asks for one that another thread unpacks waits for it.
class ChunkCache {
 public:
  using Chunk = std::shared_ptr<std::vector<std::byte> const>;

  explicit ChunkCache(std::uint64_t most_chunks) : most_(most_chunks) {}

  template <class Unpack>
  Chunk get(std::uint64_t number, Unpack const& unpack) {
    std::promise<Chunk> promise;
    std::shared_future<Chunk> future;
    bool mine = false;
    {
      std::lock_guard const lock(mutex_);
      if (auto const found = places_.find(number); found != places_.end()) {
        recent_.splice(recent_.begin(), recent_, found->second);
        future = found->second->chunk;
      } else {
        mine = true;
        future = promise.get_future().share();
        recent_.push_front({.number = number, .chunk = future});
        places_[number] = recent_.begin();
        if (recent_.size() > most_) {
          places_.erase(recent_.back().number);
          recent_.pop_back();
        }
      }
    }
    if (mine) {
      try {
        promise.set_value(unpack());
      } catch (...) {
        promise.set_exception(std::current_exception());
      }
    }
    return future.get();
  }

 private:
  struct Entry {
    std::uint64_t number;
    std::shared_future<Chunk> chunk;
  };

  std::uint64_t most_;
  std::mutex mutex_;
  std::list<Entry> recent_;
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> places_;
};

/// A dataset in chunks. A chunk that the file does not have is full of the fill value.
class ChunkedSource final : public MatrixSource {
 public:
  ChunkedSource(InputFile file, MatrixInfo info, Hdf5Dataset dataset)
      : MatrixSource(std::move(info)),
        file_(std::move(file)),
        facts_(dataset.facts),
        chunks_(std::move(dataset.chunks)),
        across_((facts_.shape[1] - 1) / facts_.chunk_shape[1] + 1),
        cache_(std::max<std::uint64_t>(1, cache_bytes / chunk_bytes(facts_))) {}

  void read_stored(Part /*part*/, std::uint64_t first, std::span<std::byte> to) const override {
    std::uint64_t const cols = facts_.shape[1];
    std::uint64_t const element = size_of(facts_.type);
    while (!to.empty()) {  // a part of a row, whole rows, a part of a row
      std::uint64_t const left = to.size() / element;
      std::uint64_t const col = first % cols;
      bool const whole = col == 0 && left >= cols;
      Block const block{.row = first / cols,
                        .col = col,
                        .rows = whole ? left / cols : 1,
                        .cols = whole ? cols : std::min(left, cols - col)};
      read_stored_block(block, to.first(block.elements() * element));
      first += block.elements();
      to = to.subspan(block.elements() * element);
    }
  }

  void read_stored_block(Block const& block, std::span<std::byte> to) const override {
    if (to.empty()) return;
    auto const& [height, width] = facts_.chunk_shape;
    for (std::uint64_t i = block.row / height; i <= (block.row + block.rows - 1) / height; ++i) {
      for (std::uint64_t j = block.col / width; j <= (block.col + block.cols - 1) / width; ++j) {
        copy_from_chunk(i, j, block, to);
      }
    }
  }

  void check_unchanged() const override { file_.check_unchanged(); }

 private:
  static constexpr std::uint64_t cache_bytes = 32U << 20U;

  /// Fills what chunk (i, j) has of a block.
  void copy_from_chunk(std::uint64_t i, std::uint64_t j, Block const& block,
                       std::span<std::byte> to) const {
    auto const& [height, width] = facts_.chunk_shape;
    std::uint64_t const element = size_of(facts_.type);
    std::uint64_t const top = std::max(block.row, i * height);
    std::uint64_t const left = std::max(block.col, j * width);
    std::uint64_t const bottom = std::min(block.row + block.rows, i * height + height);
    std::uint64_t const bytes =
        (std::min(block.col + block.cols, j * width + width) - left) * element;
    ChunkCache::Chunk const chunk = chunk_at(i * across_ + j);
    for (std::uint64_t row = top; row < bottom; ++row) {
      std::byte* const start =
          to.data() + ((row - block.row) * block.cols + left - block.col) * element;
      if (chunk) {
        std::memcpy(start,
                    chunk->data() + ((row - i * height) * width + left - j * width) * element,
                    bytes);
      } else {
        for (std::uint64_t k = 0; k < bytes; k += element) {
          std::memcpy(start + k, facts_.fill_value.data(), element);
        }
      }
    }
  }

  /// Null for a chunk that the file does not have.
  ChunkCache::Chunk chunk_at(std::uint64_t number) const {
    auto const found = std::ranges::lower_bound(chunks_, number, {}, &Hdf5Chunk::number);
    if (found != chunks_.end() && found->number == number) {
      return cache_.get(number, [&] { return unpacked(*found); });
    }
    if (!facts_.has_fill_value) {
      file_.fail("has a hole: expected every chunk, since there is no fill value, found chunk " +
                 std::to_string(number) + " missing");
    }
    return nullptr;
  }

  ChunkCache::Chunk unpacked(Hdf5Chunk const& chunk) const {
    if (chunk.address > file_.bytes() || chunk.bytes > file_.bytes() - chunk.address) {
      file_.fail("is truncated: expected a chunk of " + std::to_string(chunk.bytes) +
                 " bytes from byte " + std::to_string(chunk.address) + " on, found " +
                 std::to_string(file_.bytes()) + " bytes");
    }
    std::vector<std::byte> stored(chunk.bytes);
    file_.read_at(chunk.address, stored);
    return std::make_shared<std::vector<std::byte> const>(
        unpack_chunk(std::move(stored), facts_, chunk.filters_left, file_.path()));
  }

  InputFile file_;
  Hdf5Facts facts_;
  std::vector<Hdf5Chunk> chunks_;
  std::uint64_t across_;  // chunks side by side
  mutable ChunkCache cache_;
};

std::string storage_of(Hdf5Facts const& facts) {
  if (facts.storage == Hdf5Facts::Storage::contiguous) return "contiguous";
  if (facts.storage == Hdf5Facts::Storage::compact) return "compact";
  std::string text = "in chunks of " + std::to_string(facts.chunk_shape[0]);
  if (facts.dimensions == 2) text += " x " + std::to_string(facts.chunk_shape[1]);
  for (std::uint32_t i = 0; i < facts.filters; ++i) {
    text += facts.filter[i] == Hdf5Filter::deflate   ? ", deflate"
            : facts.filter[i] == Hdf5Filter::shuffle ? ", shuffle"
                                                     : ", fletcher32";
  }
  return text;
}

MatrixInfo info_of(Hdf5Facts const& facts, std::uint64_t file_bytes) {
  MatrixInfo info;
  info.format = Format::hdf5;
  info.type = scalar_type_of(facts.type);
  info.stored = facts.type;
  info.byte_order = facts.big_endian ? std::endian::big : std::endian::little;
  info.dimensions = static_cast<int>(facts.dimensions);
  info.rows = facts.shape[0];
  info.cols = facts.shape[1];
  info.data_offset = facts.storage == Hdf5Facts::Storage::contiguous ? facts.offset : 0;
  info.file_bytes = file_bytes;
  info.version = storage_of(facts);
  if (facts.storage == Hdf5Facts::Storage::chunked) {
    info.chunk_rows = facts.chunk_shape[0];
    info.chunk_cols = facts.chunk_shape[1];
  }
  return info;
}

/// Checks that all elements of a contiguous dataset are in the file; others may follow.
void check_end(InputFile const& file, MatrixInfo const& info) {
  std::uint64_t const bytes = info.elements() * size_of(info.stored);
  if (info.data_offset > file.bytes() || bytes > file.bytes() - info.data_offset) {
    file.fail("is truncated: expected " + std::to_string(bytes) + " bytes from byte " +
              std::to_string(info.data_offset) + " on, found " + std::to_string(file.bytes()) +
              " bytes");
  }
}

}  // namespace

std::unique_ptr<MatrixSource> open_hdf5(InputFile file, RawFile const& /*raw*/) {
  require_positions(file);
  std::string const path = file.path();
  DatasetName const name = split_dataset(path);
  if (file.bytes() == 0) file.fail("is empty: expected an HDF5 file, found 0 bytes");
  Hdf5Dataset dataset = examine_hdf5(path, name, file.bytes());
  file.check_unchanged();
  MatrixInfo info = info_of(dataset.facts, file.bytes());
  switch (dataset.facts.storage) {
    case Hdf5Facts::Storage::contiguous:
      check_end(file, info);
      return std::make_unique<PlainSource>(std::move(file), std::move(info));
    case Hdf5Facts::Storage::compact:
      return std::make_unique<MemorySource<std::byte>>(std::move(file), std::move(info),
                                            std::move(dataset.compact));
    case Hdf5Facts::Storage::chunked:
      break;
  }
  if (dataset.facts.filters == 0 || !dataset.chunks.empty()) {
    require_memory(chunk_bytes(dataset.facts), path, "a chunk");
  }
  return std::make_unique<ChunkedSource>(std::move(file), std::move(info), std::move(dataset));
}

std::string check_hdf5_output(OutputFile const& out, MatrixInfo const& info) {
  auto const fail = [&](std::string const& sentence) {
    throw FileError(ErrorKind::bad_output, out.path(), sentence);
  };
  DatasetName const name = split_dataset(out.path());
  if (name.dataset.empty() || name.dataset.ends_with('/')) {
    fail("names no dataset: expected " + name.file + ":/path/to/dataset, found " + out.path());
  }
  if (out.in_order_only()) {
    fail("cannot be an HDF5 file: expected a regular file, found one without positions");
  }
  if (info.layout != Layout::right) {
    fail("an HDF5 dataset is stored row by row: expected layout right, found left");
  }
  return name.dataset;
}

void begin_hdf5(OutputFile& out, MatrixInfo const& info) {
  std::string const dataset = check_hdf5_output(out, info);
  out.go_to(create_hdf5_dataset(out.path(), out.temporary(), dataset, info, nullptr));
}

}  // namespace tessera::io
