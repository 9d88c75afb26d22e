// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <future>
#include <list>
#include <mutex>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <io/dataset_name.hpp>
#include <io/errors.hpp>
#include <io/format_functions.hpp>
#include <io/hdf5_chunk.hpp>
#include <io/hdf5_library.hpp>
#include <io/memory.hpp>
#include <io/shell_word.hpp>

namespace tessera::io {
namespace {

/// Recently unpacked chunks. A thread waits for a chunk in progress, and for memory; it releases a
/// chunk before it requests the next.
class ChunkCache {
  class Share {
   public:
    Share(ChunkCache& cache, std::uint64_t bytes) : cache_(&cache), bytes_(bytes) {}
    Share(Share&& other) noexcept
        : cache_(std::exchange(other.cache_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&&) = delete;
    ~Share() {
      if (cache_ != nullptr) cache_->give_back(bytes_);
    }
    void shrink_to(std::uint64_t bytes) {
      if (bytes >= bytes_) return;
      cache_->give_back(bytes_ - bytes);
      bytes_ = bytes;
    }

   private:
    ChunkCache* cache_;
    std::uint64_t bytes_;
  };

 public:
  struct Unpacked {
    std::vector<std::byte> bytes;
    Share share;
  };
  using Chunk = std::shared_ptr<Unpacked const>;
  static constexpr std::uint64_t of_each = 256;

  /// @param most bytes for chunks and their unpacking
  ChunkCache(std::uint64_t most, std::uint64_t unpacking) : most_(most), unpacking_(unpacking) {}

  template <class Unpack>
  Chunk get(std::uint64_t number, Unpack const& unpack) {
    std::promise<Chunk> promise;
    if (auto const found = find_or_begin(number, promise); found.valid()) return found.get();
    try {
      Share share(*this, unpacking_);
      std::vector<std::byte> bytes = unpack();
      share.shrink_to(bytes.size() + of_each);
      auto chunk = std::make_shared<Unpacked const>(std::move(bytes), std::move(share));
      promise.set_value(chunk);
      give_back(0);  // frees nothing yet, but the chunk can be dropped now
      return chunk;
    } catch (...) {
      promise.set_exception(std::current_exception());
      give_back(0);
      throw;
    }
  }

 private:
  struct Entry {
    std::uint64_t number;
    std::shared_future<Chunk> chunk;
  };

  /// Returns an invalid future if the caller must unpack the chunk, whose memory is then reserved,
  /// and fulfil the promise.
  std::shared_future<Chunk> find_or_begin(std::uint64_t number, std::promise<Chunk>& promise) {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (auto const found = places_.find(number); found != places_.end()) {
        recent_.splice(recent_.begin(), recent_, found->second);
        return found->second->chunk;
      }
      if (used_ + unpacking_ <= most_) break;
      std::shared_future<Chunk> dropped = take_oldest();
      if (dropped.valid()) {
        lock.unlock();
        dropped = {};
        lock.lock();
      } else {
        changed_.wait(lock);
      }
    }
    used_ += unpacking_;
    recent_.push_front({.number = number, .chunk = promise.get_future().share()});
    places_[number] = recent_.begin();
    return {};
  }
  /// mutex_ is locked.
  std::shared_future<Chunk> take_oldest() {
    for (auto entry = recent_.rbegin(); entry != recent_.rend(); ++entry) {
      if (entry->chunk.wait_for(std::chrono::seconds(0)) != std::future_status::ready) continue;
      std::shared_future<Chunk> taken = std::move(entry->chunk);
      places_.erase(entry->number);
      recent_.erase(std::next(entry).base());
      return taken;
    }
    return {};
  }
  void give_back(std::uint64_t bytes) {
    {
      std::lock_guard const lock(mutex_);
      used_ -= bytes;
    }
    changed_.notify_all();
  }

  std::uint64_t most_;
  std::uint64_t unpacking_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t used_ = 0;
  std::list<Entry> recent_;  // after the members that chunks use when they are destroyed
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> places_;
};

/// Packed bytes, and input and output of each filter.
std::uint64_t unpacking_bytes(Hdf5Facts const& facts, std::vector<Hdf5Chunk> const& chunks,
                              std::uint64_t file_bytes) {
  constexpr std::uint64_t checksum = 4;
  std::uint64_t const whole = chunk_bytes(facts) + checksum;
  std::uint64_t stored = 0;
  for (Hdf5Chunk const& chunk : chunks) stored = std::max(stored, chunk.bytes);
  stored = std::min(stored, file_bytes);
  return whole + (facts.filters > 0 ? std::max(stored, whole) : 0) + ChunkCache::of_each;
}

std::uint64_t cache_bytes_of(Hdf5Facts const& facts, std::vector<Hdf5Chunk> const& chunks,
                             std::uint64_t file_bytes) {
  constexpr std::uint64_t some = std::uint64_t{16} << 20U;
  return std::max(some, unpacking_bytes(facts, chunks, file_bytes));
}

/// Chunks that the file does not store contain the fill value.
class ChunkedSource final : public MatrixSource {
 public:
  ChunkedSource(InputFile file, MatrixInfo info, Hdf5Dataset dataset)
      : MatrixSource(std::move(info)),
        file_(std::move(file)),
        facts_(dataset.facts),
        chunks_(std::move(dataset.chunks)),
        across_((facts_.shape[1] - 1) / facts_.chunk_shape[1] + 1),
        cache_(cache_bytes_of(facts_, chunks_, file_.bytes()),
               unpacking_bytes(facts_, chunks_, file_.bytes())) {}

  void read_stored(Part /*part*/, std::uint64_t first, std::span<std::byte> to) const override {
    std::uint64_t const cols = facts_.shape[1];
    std::uint64_t const element = size_of(facts_.type);
    while (!to.empty()) {  // a part of a row, whole rows, a part
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
  [[nodiscard]] InputFile const& file() const override { return file_; }

 private:
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
                    chunk->bytes.data() + ((row - i * height) * width + left - j * width) * element,
                    bytes);
      } else {
        for (std::uint64_t k = 0; k < bytes; k += element) {
          std::memcpy(start + k, facts_.fill_value.data(), element);
        }
      }
    }
  }

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

  std::vector<std::byte> unpacked(Hdf5Chunk const& chunk) const {
    if (chunk.address > file_.bytes() || chunk.bytes > file_.bytes() - chunk.address) {
      file_.fail("is truncated: expected a chunk of " + std::to_string(chunk.bytes) +
                 " bytes from byte " + std::to_string(chunk.address) + " on, found " +
                 std::to_string(file_.bytes()) + " bytes");
    }
    std::vector<std::byte> stored(chunk.bytes);
    file_.read_at(chunk.address, stored);
    return unpack_chunk(std::move(stored), facts_, chunk.filters_left, file_.path());
  }

  InputFile file_;
  Hdf5Facts facts_;
  std::vector<Hdf5Chunk> chunks_;
  std::uint64_t across_;
  mutable ChunkCache cache_;
};

class UnwrittenSource final : public MatrixSource {
 public:
  UnwrittenSource(InputFile file, MatrixInfo info, std::array<std::byte, 8> const& fill_value)
      : MatrixSource(std::move(info)), file_(std::move(file)), fill_value_(fill_value) {}

  void read_stored(Part /*part*/, std::uint64_t /*first*/, std::span<std::byte> to) const override {
    std::uint64_t const element = size_of(info().stored);
    for (std::uint64_t k = 0; k < to.size(); k += element) {
      std::memcpy(to.data() + k, fill_value_.data(), element);
    }
  }

  void check_unchanged() const override { file_.check_unchanged(); }
  [[nodiscard]] InputFile const& file() const override { return file_; }

 private:
  InputFile file_;
  std::array<std::byte, 8> fill_value_;
};

std::string storage_of(Hdf5Facts const& facts) {
  if (facts.storage == Hdf5Facts::Storage::unwritten) return "never written";
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
    case Hdf5Facts::Storage::unwritten:
      return std::make_unique<UnwrittenSource>(std::move(file), std::move(info),
                                               dataset.facts.fill_value);
    case Hdf5Facts::Storage::chunked:
      break;
  }
  if (dataset.facts.filters == 0 || !dataset.chunks.empty()) {
    require_memory(chunk_bytes(dataset.facts), path, "a chunk");
  }
  info.reader_bytes = cache_bytes_of(dataset.facts, dataset.chunks, file.bytes()) +
                      dataset.chunks.size() * sizeof(Hdf5Chunk);
  return std::make_unique<ChunkedSource>(std::move(file), std::move(info), std::move(dataset));
}

std::vector<std::string> datasets_of(InputFile const& file) {
  std::string const& path = file.path();
  if (file.bytes() == 0) file.fail("is empty: expected an HDF5 file, found 0 bytes");
  return list_hdf5(path, split_dataset(path), file.bytes());
}

std::string check_hdf5_output(OutputFile& out, MatrixInfo const& info) {
  auto const fail = [&](std::string const& sentence) {
    throw FileError(ErrorKind::bad_output, out.path(), sentence);
  };
  DatasetName const name = split_dataset(out.path());
  if (name.dataset.empty() || name.dataset.ends_with('/')) {
    fail("names no dataset: expected " + name.file + ":/path/to/dataset, found " + out.path());
  }
  if (("/" + name.dataset + "/").find("/../") != std::string::npos) {
    // HDF5 would create this group.
    fail("names a group '..': expected the path of the dataset from the root, found " +
         printable(name.dataset));
  }
  if (out.in_order_only()) {
    fail("cannot be an HDF5 file: expected a regular file, found one that is written sequentially");
  }
  if (info.layout != Layout::right) {
    fail("an HDF5 dataset is row-major: expected a row-major matrix, found a column-major one");
  }
  // The library ends its process silently if the disk cannot store the start of a file.
  std::error_code error;
  if (std::filesystem::file_size(out.temporary(), error) == 0 && !error) {
    constexpr std::size_t start = 4096;
    out.write_at(0, std::vector<std::byte>(start));
    std::filesystem::resize_file(out.temporary(), 0, error);
  }
  return name.dataset;
}

void begin_hdf5(OutputFile& out, MatrixInfo const& info) {
  std::string const dataset = check_hdf5_output(out, info);
  out.go_to(create_hdf5_dataset(out.path(), out.temporary(), dataset, info, nullptr));
}

}  // namespace tessera::io
