// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include <io/hdf5_handle.hpp>
#include <io/shell_word.hpp>

namespace tessera::io {
namespace {

class ChunkList : Hdf5Reading {
 public:
  ChunkList(Hdf5Reading const& reading, Hdf5Dataset& result)
      : Hdf5Reading(reading), result_(result) {}

  void find(hid_t file, hid_t dataset, hid_t creation) {
    find_chunk_shape(creation);
    find_filters(creation);
    list(dataset, find_base(file));
  }

 private:
  /// Until 1.14.4 the library omits the user block from chunk addresses.
  std::uint64_t find_base(hid_t file) const {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    check(H5get_libversion(&major, &minor, &release));
    if (std::array{major, minor, release} >= std::array{1U, 14U, 4U}) return 0;
    Hdf5Handle const creation = checked(H5Fget_create_plist(file), H5Pclose);
    hsize_t bytes = 0;
    check(H5Pget_userblock(creation.get(), &bytes));
    return bytes;
  }

  void find_chunk_shape(hid_t creation) {
    auto const dimensions = static_cast<int>(result_.facts.dimensions);
    std::array<hsize_t, 2> shape{1, 1};
    if (H5Pget_chunk(creation, dimensions, shape.data()) != dimensions) fail_in_library();
    unsigned options = 0;
    check(H5Pget_chunk_opts(creation, &options));
    if (options != 0) {
      fail(
          "has chunks of an unsupported kind: expected filters on all of them, found none on "
          "those at the edge");
    }
    result_.facts.chunk_shape = {shape[0], shape[1]};
  }

  void find_filters(hid_t creation) {
    int const filters = H5Pget_nfilters(creation);
    if (filters < 0) fail_in_library();
    for (int i = 0; i < filters; ++i) {
      unsigned flags = 0;
      unsigned configuration = 0;
      std::array<unsigned, 8> values{};
      std::size_t count = values.size();
      auto const id = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &count,
                                     values.data(), 0, nullptr, &configuration);
      if (id < 0) fail_in_library();
      add_filter(id, count > 0 ? values[0] : 0);
    }
  }

  static std::string_view name_of(H5Z_filter_t id) {
    struct Known {
      H5Z_filter_t id;
      std::string_view name;
    };
    for (Known const& known : std::initializer_list<Known>{{H5Z_FILTER_SZIP, "szip"},
                                                           {H5Z_FILTER_NBIT, "nbit"},
                                                           {H5Z_FILTER_SCALEOFFSET, "scaleoffset"},
                                                           {307, "bzip2"},
                                                           {32000, "lzf"},
                                                           {32001, "blosc"},
                                                           {32004, "lz4"},
                                                           {32008, "bitshuffle"},
                                                           {32013, "zfp"},
                                                           {32015, "zstd"},
                                                           {32017, "sz"},
                                                           {32026, "blosc2"}}) {
      if (known.id == id) return known.name;
    }
    return "unknown";
  }

  /// h5py has the plugin for lzf.
  [[nodiscard]] std::string how_to_repack(H5Z_filter_t id) const {
    std::string const repack =
        "`h5repack -f GZIP=6 " + shell_file(name_.file) + " NEW.h5` repacks it";
    if (id < H5Z_FILTER_RESERVED) return repack;
    if (id == 32000) {
      return "`python3 -c " +
             shell_word(
                 "import h5py; h5py.File('NEW.h5', 'w').create_dataset('A', data=h5py.File(" +
                 python_literal(name_.file) + ")[" + python_literal(name_.dataset) +
                 "], compression='gzip')") +
             "` repacks it";
    }
    return repack + " where HDF5_PLUGIN_PATH has its plugin";
  }

  void add_filter(H5Z_filter_t id, unsigned value) {
    auto const filter = id == H5Z_FILTER_DEFLATE      ? std::optional(Hdf5Filter::deflate)
                        : id == H5Z_FILTER_SHUFFLE    ? std::optional(Hdf5Filter::shuffle)
                        : id == H5Z_FILTER_FLETCHER32 ? std::optional(Hdf5Filter::fletcher32)
                                                      : std::nullopt;
    if (!filter) {
      fail(
          "is compressed in an unsupported way: expected deflate, shuffle and fletcher32, found "
          "filter " +
          std::to_string(id) + " (" + std::string(name_of(id)) + "); " + how_to_repack(id));
    }
    auto const used = result_.facts.filter.begin() + result_.facts.filters;
    if (std::find(result_.facts.filter.begin(), used, *filter) != used) {
      fail("has an invalid list of filters: expected each once, found filter " +
           std::to_string(id) + " twice");
    }
    if (filter == Hdf5Filter::shuffle && value != size_of(result_.facts.type)) {
      fail("has an invalid filter: expected to shuffle elements of " +
           std::to_string(size_of(result_.facts.type)) + " bytes, found " + std::to_string(value));
    }
    *used = *filter;
    ++result_.facts.filters;
  }

  void list(hid_t dataset, std::uint64_t base) {
    check_chunk_shape();
    Iteration iteration{.facts = result_.facts,
                        .across = (result_.facts.shape[1] - 1) / result_.facts.chunk_shape[1] + 1,
                        .most = file_bytes_ / 8,
                        .base = base,
                        .chunks = result_.chunks};
    int const status = H5Dchunk_iter(dataset, H5P_DEFAULT, add_chunk, &iteration);
    if (!iteration.damage.empty()) fail("is damaged: " + iteration.damage);
    if (status < 0) fail_in_library();
    auto& chunks = result_.chunks;
    std::ranges::sort(chunks, {}, &Hdf5Chunk::number);
    if (std::ranges::adjacent_find(chunks, {}, &Hdf5Chunk::number) != chunks.end()) {
      fail("is damaged: expected each chunk once, found one twice");
    }
  }

  void check_chunk_shape() const {
    auto const& [rows, cols] = result_.facts.chunk_shape;
    std::uint64_t bytes = 0;
    bool overflow = __builtin_mul_overflow(rows, cols, &bytes);
    overflow = __builtin_mul_overflow(bytes, size_of(result_.facts.type), &bytes) || overflow;
    if (overflow || bytes == 0 || bytes >= hdf5_greatest_size) {
      fail("is damaged: expected chunks of a sensible size, found " + std::to_string(rows) + " x " +
           std::to_string(cols));
    }
  }

  struct Iteration {
    Hdf5Facts const& facts;
    std::uint64_t across;
    std::uint64_t most;
    std::uint64_t base;
    std::vector<Hdf5Chunk>& chunks;
    std::string damage = {};
  };

  static int add_chunk(hsize_t const* offset, unsigned filters_left, haddr_t address, hsize_t bytes,
                       void* data) {
    auto& iteration = *static_cast<Iteration*>(data);
    auto const& facts = iteration.facts;
    if (address == HADDR_UNDEF || bytes == 0) return 0;
    if (address > hdf5_greatest_size) {
      iteration.damage = "expected chunks within the file, found one far behind";
      return -1;
    }
    std::uint64_t const row = offset[0];
    std::uint64_t const col = facts.dimensions == 2 ? offset[1] : 0;
    if (row % facts.chunk_shape[0] != 0 || col % facts.chunk_shape[1] != 0) {
      iteration.damage = "expected chunks side by side, found one between";
      return -1;
    }
    if (row >= facts.shape[0] || col >= facts.shape[1]) return 0;  // from a larger dataset
    if (iteration.chunks.size() >= iteration.most) {
      iteration.damage = "expected no more chunks than the file can hold, found more";
      return -1;
    }
    iteration.chunks.push_back(
        {.number = row / facts.chunk_shape[0] * iteration.across + col / facts.chunk_shape[1],
         .address = address + iteration.base,
         .bytes = bytes,
         .filters_left = filters_left});
    return 0;
  }

  Hdf5Dataset& result_;
};

}  // namespace

void find_chunks(Hdf5Reading const& reading, hid_t file, hid_t dataset, hid_t creation,
                 Hdf5Dataset& result) {
  ChunkList(reading, result).find(file, dataset, creation);
}

}  // namespace tessera::io
