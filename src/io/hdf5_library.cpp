// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <hdf5.h>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <io/errors.hpp>
#include <io/hdf5.hpp>
#include <io/hdf5_library.hpp>
#include <io/npy_type.hpp>
#include <io/run_apart.hpp>
#include <io/shell_word.hpp>

namespace tessera::io {
namespace {

constexpr std::uint64_t greatest_size = std::uint64_t{1} << 62U;

/// Also held while a process starts that will use the library.
std::mutex library_mutex;

/// The exit handler would try again to write data that could not be written.
void start_library() {
  H5dont_atexit();
  H5open();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLset_loading_state(0);  // no plugins that a file names
}

class InLibrary {
 public:
  InLibrary() : lock_(library_mutex) { start_library(); }

 private:
  std::lock_guard<std::mutex> lock_;
};

class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;
  Handle& operator=(Handle&&) = delete;

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool good() const { return id_ >= 0; }
  hid_t release() { return std::exchange(id_, -1); }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

std::string library_error() {
  std::string words;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned number, H5E_error2_t const* error, void* text) -> herr_t {
        if (number == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
        return 0;
      },
      &words);
  std::string const mark = "error message = '";
  if (auto const start = words.find(mark); start != std::string::npos) {
    words.erase(0, start + mark.size());
    words.resize(std::min(words.size(), words.find('\'')));
  }
  return words.empty() ? "an error of HDF5's library" : printable(words);
}

bool library_says(std::string_view words) {
  struct Search {
    std::string_view words;
    bool found = false;
  } search{.words = words};
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, H5E_error2_t const* error, void* data) -> herr_t {
        auto& wanted = *static_cast<Search*>(data);
        wanted.found = wanted.found ||
                       (error->desc != nullptr &&
                        std::string_view(error->desc).find(wanted.words) != std::string_view::npos);
        return 0;
      },
      &search);
  return search.found;
}

class Examination {
 public:
  Examination(std::string const& path, DatasetName const& name, std::uint64_t file_bytes)
      : path_(path), name_(name), file_bytes_(file_bytes) {}

  Hdf5Dataset examine() {
    Handle const file = open_file();
    if (name_.dataset.empty()) fail_without_dataset(file.get());
    Handle const dataset = open_dataset(file.get());
    Handle const creation = checked(H5Dget_create_plist(dataset.get()), H5Pclose);
    find_storage(creation.get());  // first: a virtual dataset would open other files
    find_shape(dataset.get());
    find_type(dataset.get(), creation.get());
    refuse_packed_values(dataset.get());
    switch (result_.facts.storage) {
      case Hdf5Facts::Storage::contiguous:
        find_offset(dataset.get());
        break;
      case Hdf5Facts::Storage::compact:
        read_compact(dataset.get());
        break;
      case Hdf5Facts::Storage::chunked:
        find_chunk_shape(creation.get());
        find_filters(creation.get());
        find_chunks(dataset.get(), find_base(file.get()));
        break;
      case Hdf5Facts::Storage::unwritten:
        break;
    }
    return std::move(result_);
  }

  /// Sorted. Links out of the file are not followed.
  std::string list() {
    Handle const file = open_file();
    std::string names;
    herr_t const visited = H5Lvisit2(
        file.get(), H5_INDEX_NAME, H5_ITER_INC,
        [](hid_t root, char const* name, H5L_info2_t const* link, void* list) -> herr_t {
          H5O_info2_t object{};
          if (link->type != H5L_TYPE_HARD) return 0;
          if (H5Oget_info_by_name3(root, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0) return -1;
          if (object.type != H5O_TYPE_DATASET) return 0;
          auto& found = *static_cast<std::string*>(list);
          found.append("/").append(name).push_back('\0');
          return 0;
        },
        &names);
    check(visited);
    return names;
  }

 private:
  [[noreturn]] void fail(std::string const& sentence) const {
    throw FileError(ErrorKind::bad_input, path_, sentence);
  }

  [[noreturn]] void fail_in_library() const {
    fail("cannot be read: expected a whole HDF5 file, found: " + library_error());
  }

  void check(herr_t status) const {
    if (status < 0) fail_in_library();
  }

  Handle checked(hid_t id, herr_t (*close)(hid_t)) const {
    if (id < 0) fail_in_library();
    return {id, close};
  }

  Handle open_file() const {
    Handle const access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    check(H5Pset_fapl_sec2(access.get()));  // regardless of HDF5_DRIVER
    check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG));
    check(H5Pset_file_locking(access.get(), true, true));
    hid_t const file = H5Fopen(name_.file.c_str(), H5F_ACC_RDONLY, access.get());
    if (file < 0 && library_says("unable to lock file")) {
      fail(
          "is locked: expected an HDF5 file that no other program is writing, found one that is; "
          "close it there first");
    }
    if (file < 0 && library_says("already open for write")) {
      fail(
          "is marked as open for writing: expected an HDF5 file that was closed, found one that is "
          "being written or whose writer was killed; close it there, or `h5clear -s` removes the "
          "mark");
    }
    return checked(file, H5Fclose);
  }

  [[noreturn]] void fail_without_dataset(hid_t file) const {
    constexpr std::size_t most = 8;
    std::vector<std::string> names;
    H5Literate2(
        file, H5_INDEX_NAME, H5_ITER_INC, nullptr,
        [](hid_t, char const* name, H5L_info2_t const*, void* list) -> herr_t {
          auto& found = *static_cast<std::vector<std::string>*>(list);
          found.push_back("/" + printable(name));
          return found.size() > most ? 1 : 0;
        },
        &names);
    std::string found;
    for (std::size_t i = 0; i < names.size(); ++i) {
      found += (i == 0 ? "" : ", ") + (i < most ? names[i] : "…");
    }
    fail("names no dataset: expected " + name_.file + ":/path/to/dataset, found a file with " +
         (found.empty() ? "nothing in it" : found));
  }

  Handle open_dataset(hid_t file) const {
    Handle const access = checked(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    bool led_out = false;
    check(H5Pset_elink_cb(
        access.get(),
        [](char const*, char const*, char const*, char const*, unsigned*, hid_t,
           void* flag) -> herr_t {
          *static_cast<bool*>(flag) = true;
          return -1;
        },
        &led_out));
    hid_t const dataset = H5Dopen2(file, name_.dataset.c_str(), access.get());
    if (led_out) {
      fail("leads into another file: expected a dataset in " + name_.file +
           ", found an external link");
    }
    if (dataset < 0) {
      std::string const found = library_error();
      refuse_sparse(file);
      fail("cannot be opened: expected a dataset, found: " + found);
    }
    return {dataset, H5Dclose};
  }

  void refuse_sparse(hid_t file) const {
    H5O_info2_t object{};
    char const* const name = name_.dataset.c_str();
    if (H5Oget_info_by_name3(file, name, &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0) return;
    if (object.type != H5O_TYPE_GROUP) return;
    for (char const* const part : {"/data", "/indices", "/indptr"}) {
      if (H5Lexists(file, (name_.dataset + part).c_str(), H5P_DEFAULT) <= 0) return;
    }
    fail(
        "is a sparse matrix: expected a dense dataset, found a group with data, indices and "
        "indptr; "
        "store its .toarray() as a dataset, for example as a layer of an AnnData file, and name "
        "that");
  }

  void find_storage(hid_t creation) {
    int const external = H5Pget_external_count(creation);
    if (external != 0) {
      fail("keeps its elements in another file: expected a dataset in " + name_.file +
           ", found external storage");
    }
    switch (H5Pget_layout(creation)) {
      case H5D_CONTIGUOUS:
        result_.facts.storage = Hdf5Facts::Storage::contiguous;
        return;
      case H5D_COMPACT:
        result_.facts.storage = Hdf5Facts::Storage::compact;
        return;
      case H5D_CHUNKED:
        result_.facts.storage = Hdf5Facts::Storage::chunked;
        return;
      case H5D_VIRTUAL:
        fail(
            "is put together from other datasets: expected one with elements of its own, found a "
            "virtual dataset");
      default:
        fail_in_library();
    }
  }

  void find_shape(hid_t dataset) {
    Handle const space = checked(H5Dget_space(dataset), H5Sclose);
    int const dimensions = H5Sget_simple_extent_ndims(space.get());
    if (dimensions < 0) fail_in_library();
    if (dimensions != 1 && dimensions != 2) {
      fail("has the wrong number of dimensions: expected 1 or 2, found " +
           std::to_string(dimensions));
    }
    std::array<hsize_t, 2> extents{1, 1};
    check(H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr));
    result_.facts.dimensions = static_cast<std::uint32_t>(dimensions);
    result_.facts.shape = {extents[0], extents[1]};
    std::string const found = dimensions == 2 ? std::to_string(extents[0]) + " rows x " +
                                                    std::to_string(extents[1]) + " columns"
                                              : std::to_string(extents[0]) + " entries";
    if (extents[0] == 0 || extents[1] == 0) {
      fail("has a dimension of zero: expected at least 1 in each, found " + found);
    }
    std::uint64_t bytes = 0;
    bool overflow = __builtin_mul_overflow(extents[0], extents[1], &bytes);
    overflow = __builtin_mul_overflow(bytes, sizeof(double), &bytes) || overflow;
    if (overflow || bytes >= greatest_size) {
      fail("has a shape that overflows: expected fewer than 2^62 bytes, found " + found);
    }
  }

  void find_type(hid_t dataset, hid_t creation) {
    Handle const type = checked(H5Dget_type(dataset), H5Tclose);
    Handle const half_little = half(H5T_IEEE_F32LE, 5, 10);
    Handle const half_big = half(H5T_IEEE_F32BE, 5, 10);
    Handle const bfloat_little = half(H5T_IEEE_F32LE, 8, 7);
    Handle const bfloat_big = half(H5T_IEEE_F32BE, 8, 7);
    struct Known {
      ElementType type;
      hid_t little;
      hid_t big;
    };
    for (Known const& known : {Known{ElementType::f16, half_little.get(), half_big.get()},
                               Known{ElementType::bf16, bfloat_little.get(), bfloat_big.get()},
                               Known{ElementType::f32, H5T_IEEE_F32LE, H5T_IEEE_F32BE},
                               Known{ElementType::f64, H5T_IEEE_F64LE, H5T_IEEE_F64BE},
                               Known{ElementType::i8, H5T_STD_I8LE, H5T_STD_I8BE},
                               Known{ElementType::u8, H5T_STD_U8LE, H5T_STD_U8BE},
                               Known{ElementType::i16, H5T_STD_I16LE, H5T_STD_I16BE},
                               Known{ElementType::u16, H5T_STD_U16LE, H5T_STD_U16BE},
                               Known{ElementType::i32, H5T_STD_I32LE, H5T_STD_I32BE},
                               Known{ElementType::u32, H5T_STD_U32LE, H5T_STD_U32BE},
                               Known{ElementType::i64, H5T_STD_I64LE, H5T_STD_I64BE},
                               Known{ElementType::u64, H5T_STD_U64LE, H5T_STD_U64BE}}) {
      bool const little = H5Tequal(type.get(), known.little) > 0;
      if (!little && H5Tequal(type.get(), known.big) <= 0) continue;
      result_.facts.type = known.type;
      result_.facts.big_endian = !little;
      find_fill_value(creation, type.get());
      return;
    }
    fail(
        "has an unsupported element type: expected floating-point numbers of 16, 32 or 64 bits or "
        "integers of 8 to 64, found " +
        std::string(kind_of(H5Tget_class(type.get()))));
  }

  /// Of 16 bits.
  Handle half(hid_t single, std::size_t exponent_bits, std::size_t fraction_bits) const {
    Handle type = checked(H5Tcopy(single), H5Tclose);
    check(H5Tset_fields(type.get(), exponent_bits + fraction_bits, fraction_bits, exponent_bits, 0,
                        fraction_bits));
    check(H5Tset_size(type.get(), 2));
    check(H5Tset_ebias(type.get(), (std::size_t{1} << (exponent_bits - 1)) - 1));
    return type;
  }

  static std::string_view kind_of(H5T_class_t kind) {
    switch (kind) {
      case H5T_INTEGER:
        return "integers of another kind";
      case H5T_FLOAT:
        return "floating-point numbers of another kind";
      case H5T_STRING:
        return "text";
      case H5T_COMPOUND:
        return "compound elements, such as complex numbers";
      case H5T_ENUM:
        return "an enumeration, such as truth values";
      default:
        return "something else than numbers";
    }
  }

  void find_fill_value(hid_t creation, hid_t type) {
    H5D_fill_value_t status = H5D_FILL_VALUE_UNDEFINED;
    check(H5Pfill_value_defined(creation, &status));
    result_.facts.has_fill_value = status != H5D_FILL_VALUE_UNDEFINED;
    if (!result_.facts.has_fill_value) return;
    check(H5Pget_fill_value(creation, type, result_.facts.fill_value.data()));
  }

  /// Readers of netCDF change elements by these attributes.
  void refuse_packed_values(hid_t dataset) const {
    refuse_attribute(dataset, "scale_factor", 1.0);
    refuse_attribute(dataset, "add_offset", 0.0);
    // All readers return NaN for NaN.
    bool const has_nan =
        result_.facts.type == ElementType::f16 || result_.facts.type == ElementType::bf16 ||
        result_.facts.type == ElementType::f32 || result_.facts.type == ElementType::f64;
    for (char const* const name : {"_FillValue", "missing_value"}) {
      refuse_attribute(
          dataset, name,
          has_nan ? std::optional(std::numeric_limits<double>::quiet_NaN()) : std::nullopt);
    }
  }

  /// @param harmless value without effect
  void refuse_attribute(hid_t dataset, char const* name, std::optional<double> harmless) const {
    htri_t const is_there = H5Aexists(dataset, name);
    if (is_there < 0) fail_in_library();
    if (is_there == 0) return;
    std::optional<double> const value = number_in(dataset, name);
    if (value && harmless &&
        (*value == *harmless || (std::isnan(*value) && std::isnan(*harmless)))) {
      return;
    }
    constexpr int digits = 6;
    std::array<char, 32> text{};
    if (value) std::snprintf(text.data(), text.size(), "%.*g", digits, *value);
    fail(
        "has scaled or missing elements: expected elements that are the numbers themselves, found "
        "the attribute " +
        std::string(name) + (value ? " = " + std::string(text.data()) : std::string()) +
        "; unpack the dataset and fill its gaps first, then remove the attribute");
  }

  std::optional<double> number_in(hid_t dataset, char const* name) const {
    Handle const attribute = checked(H5Aopen(dataset, name, H5P_DEFAULT), H5Aclose);
    Handle const space = checked(H5Aget_space(attribute.get()), H5Sclose);
    Handle const type = checked(H5Aget_type(attribute.get()), H5Tclose);
    H5T_class_t const kind = H5Tget_class(type.get());
    double value = 0;
    bool const is_number = (kind == H5T_FLOAT || kind == H5T_INTEGER) &&
                           H5Sget_simple_extent_npoints(space.get()) == 1 &&
                           H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value) >= 0;
    return is_number ? std::optional(value) : std::nullopt;
  }

  void find_offset(hid_t dataset) {
    haddr_t const offset = H5Dget_offset(dataset);
    if (offset != HADDR_UNDEF) {
      result_.facts.offset = offset;
      return;
    }
    // By HDF5's definition all elements have the fill value.
    result_.facts.storage = Hdf5Facts::Storage::unwritten;
    if (!result_.facts.has_fill_value) {
      fail(
          "has no elements: expected a dataset that was written or has a fill value, found one "
          "with neither");
    }
  }

  void read_compact(hid_t dataset) {
    constexpr std::uint64_t most = 1U << 17U;  // of 2^16
    std::uint64_t const bytes =
        result_.facts.shape[0] * result_.facts.shape[1] * size_of(result_.facts.type);
    if (bytes > most) {
      fail("is damaged: expected at most 64 KiB in a compact dataset, found " +
           std::to_string(bytes) + " bytes");
    }
    Handle const type = checked(H5Dget_type(dataset), H5Tclose);
    result_.compact.resize(bytes);
    check(H5Dread(dataset, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, result_.compact.data()));
  }

  /// Until 1.14.4 the library omits the user block from chunk addresses.
  std::uint64_t find_base(hid_t file) const {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    check(H5get_libversion(&major, &minor, &release));
    if (std::array{major, minor, release} >= std::array{1U, 14U, 4U}) return 0;
    Handle const creation = checked(H5Fget_create_plist(file), H5Pclose);
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

  void find_chunks(hid_t dataset, std::uint64_t base) {
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
    if (overflow || bytes == 0 || bytes >= greatest_size) {
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
    if (address > greatest_size) {
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

  std::string const& path_;
  DatasetName const& name_;
  std::uint64_t file_bytes_;
  Hdf5Dataset result_{};
};

[[noreturn]] void fail_to_write(std::string const& path, std::string const& found) {
  throw FileError(ErrorKind::bad_output, path,
                  "cannot be written: expected HDF5's library to do it, found: " + found);
}

void check_output(herr_t status, std::string const& path) {
  if (status < 0) fail_to_write(path, library_error());
}

Handle checked_output(hid_t id, herr_t (*close)(hid_t), std::string const& path) {
  if (id < 0) fail_to_write(path, library_error());
  return {id, close};
}

Handle open_for_writing(Handle const& access, std::string const& place, std::string const& path) {
  check_output(H5Pset_fapl_sec2(access.get()), path);
  return checked_output(H5Fopen(place.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose, path);
}

class Creation {
 public:
  Creation(std::string const& path, std::string const& place, std::string const& dataset)
      : path_(path), place_(place), dataset_(dataset) {}

  std::uint64_t create(MatrixInfo const& info, Hdf5Chunks const* chunks) {
    Handle file = open_file();
    // See ~Hdf5File(): objects that have failed are never closed.
    hid_t const file_id = file.release();
    Handle const access = checked(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    check(H5Pset_elink_cb(access.get(), refuse_link, &led_out_));
    require_new(file_id, access.get());
    Handle const links = checked(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    check(H5Pset_create_intermediate_group(links.get(), 1));
    Handle const creation = creation_of(info, chunks);
    std::array<hsize_t, 2> const extents{info.rows, info.cols};
    Handle const space =
        checked(H5Screate_simple(info.dimensions, extents.data(), nullptr), H5Sclose);
    hid_t const type = info.type == ScalarType::f32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    hid_t const dataset = H5Dcreate2(file_id, dataset_.c_str(), type, space.get(), links.get(),
                                     creation.get(), access.get());
    check_inside();
    if (dataset < 0) fail(library_error());
    std::uint64_t const offset = chunks == nullptr ? offset_of(dataset) : 0;
    check(H5Fflush(file_id, H5F_SCOPE_LOCAL));
    check(H5Dclose(dataset));
    check(H5Fclose(file_id));
    return offset;
  }

 private:
  [[noreturn]] void fail(std::string const& found) const { fail_to_write(path_, found); }
  void check(herr_t status) const { check_output(status, path_); }
  Handle checked(hid_t id, herr_t (*close)(hid_t)) const {
    return checked_output(id, close, path_);
  }

  static herr_t refuse_link(char const*, char const*, char const*, char const*, unsigned*, hid_t,
                            void* flag) {
    *static_cast<bool*>(flag) = true;
    return -1;
  }

  void check_inside() const {
    if (!led_out_) return;
    throw FileError(ErrorKind::bad_output, path_,
                    "leads into another file: expected a place in the file itself, found an "
                    "external link");
  }

  Handle open_file() const {
    Handle const access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    if (!is_empty()) return open_for_writing(access, place_, path_);
    check(H5Pset_fapl_sec2(access.get()));
    Handle const root = checked(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(root.get(), false));  // identical bytes every time
    return checked(H5Fcreate(place_.c_str(), H5F_ACC_TRUNC, root.get(), access.get()), H5Fclose);
  }

  [[nodiscard]] bool is_empty() const {
    std::error_code error;
    return std::filesystem::file_size(place_, error) == 0 && !error;
  }

  void require_new(hid_t file, hid_t access) const {
    std::size_t end = 0;
    while (end != std::string::npos) {
      end = dataset_.find('/', end + 1);
      std::string const part = dataset_.substr(0, end);
      if (part.empty() || part.ends_with('/')) continue;
      htri_t const found = H5Lexists(file, part.c_str(), access);
      check_inside();
      if (found < 0) fail(library_error());
      if (found == 0) return;
    }
    throw FileError(ErrorKind::bad_output, path_,
                    "cannot be added: expected a new name in the file, found an existing one");
  }

  Handle creation_of(MatrixInfo const& info, Hdf5Chunks const* chunks) const {
    Handle creation = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(creation.get(), false));
    check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER));
    if (chunks == nullptr) {
      check(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY));
      return creation;
    }
    std::array<hsize_t, 2> const shape{chunks->rows, chunks->cols};
    check(H5Pset_chunk(creation.get(), info.dimensions, shape.data()));
    if (chunks->deflate != 0) {
      check(H5Pset_shuffle(creation.get()));
      check(H5Pset_deflate(creation.get(), static_cast<unsigned>(chunks->deflate)));
    }
    return creation;
  }

  [[nodiscard]] std::uint64_t offset_of(hid_t dataset) const {
    haddr_t const offset = H5Dget_offset(dataset);
    if (offset == HADDR_UNDEF) fail(library_error());
    return offset;
  }

  std::string const& path_;
  std::string const& place_;
  std::string const& dataset_;
  bool led_out_ = false;
};

// First byte of an answer.
constexpr char answer_good = 'g';
constexpr char answer_bad = 'b';

/// Throws a FileError of the separate process as one of `kind`.
/// @param failure message if the library crashes
template <class Make, class Deliver>
std::vector<std::byte> ask_apart(std::string const& path, ErrorKind kind,
                                 std::string const& failure, Make const& make,
                                 Deliver const& deliver) {
  std::lock_guard const lock(library_mutex);
  ApartResult answer = run_apart([&](Send const& send) {
    start_library();
    try {
      auto const made = make();
      deliver(made, send);
      send(std::as_bytes(std::span(&answer_good, 1)));
    } catch (FileError const& error) {
      send(std::as_bytes(std::span(std::string_view(error.what()).substr(path.size() + 2))));
      send(std::as_bytes(std::span(&answer_bad, 1)));
    }
  });
  if (!answer.started) {
    throw FileError(ErrorKind::out_of_memory, path,
                    "cannot be processed: expected to start a process for HDF5's library, found: " +
                        answer.trouble);
  }
  std::vector<std::byte>& bytes = answer.bytes;
  char const verdict = bytes.empty() ? '\0' : static_cast<char>(bytes.back());
  if (!bytes.empty()) bytes.pop_back();
  if (answer.trouble.empty() && verdict == answer_good) return std::move(bytes);
  if (answer.trouble.empty() && verdict == answer_bad) {
    throw FileError(kind, path,
                    std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size()));
  }
  throw FileError(kind, path,
                  failure + " (" + (answer.trouble.empty() ? "no answer" : answer.trouble) + ")");
}

Hdf5Dataset dataset_of(std::span<std::byte const> bytes) {
  Hdf5Dataset dataset{};
  std::memcpy(&dataset.facts, bytes.data(), sizeof dataset.facts);
  bytes = bytes.subspan(sizeof dataset.facts);
  if (dataset.facts.storage == Hdf5Facts::Storage::chunked) {
    dataset.chunks.resize(bytes.size() / sizeof(Hdf5Chunk));
    if (!dataset.chunks.empty()) {
      std::memcpy(dataset.chunks.data(), bytes.data(), dataset.chunks.size() * sizeof(Hdf5Chunk));
    }
  } else {
    dataset.compact.assign(bytes.begin(), bytes.end());
  }
  return dataset;
}

}  // namespace

std::string hdf5_version() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

Hdf5Dataset examine_hdf5(std::string const& path, DatasetName const& name,
                         std::uint64_t file_bytes) {
  return dataset_of(ask_apart(
      path, ErrorKind::bad_input,
      "cannot be read: expected a whole HDF5 file, found one at which HDF5's library fails",
      [&] { return Examination(path, name, file_bytes).examine(); },
      [](Hdf5Dataset const& found, Send const& send) {
        send(std::as_bytes(std::span(&found.facts, 1)));
        send(std::as_bytes(std::span(found.chunks)));
        send(std::span(found.compact));
      }));
}

std::vector<std::string> list_hdf5(std::string const& path, DatasetName const& name,
                                   std::uint64_t file_bytes) {
  std::vector<std::byte> const bytes = ask_apart(
      path, ErrorKind::bad_input,
      "cannot be read: expected a whole HDF5 file, found one at which HDF5's library fails",
      [&] { return Examination(path, name, file_bytes).list(); },
      [](std::string const& names, Send const& send) { send(std::as_bytes(std::span(names))); });
  std::vector<std::string> names;
  std::string_view left(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  while (!left.empty()) {
    names.emplace_back(left.substr(0, left.find('\0')));
    left.remove_prefix(names.back().size() + 1);
  }
  return names;
}

std::uint64_t create_hdf5_dataset(std::string const& path, std::string const& place,
                                  std::string const& dataset, MatrixInfo const& info,
                                  Hdf5Chunks const* chunks) {
  std::vector<std::byte> const bytes = ask_apart(
      path, ErrorKind::bad_output,
      "cannot be written: expected HDF5's library to do it, found that it fails",
      [&] { return Creation(path, place, dataset).create(info, chunks); },
      [](std::uint64_t offset, Send const& send) { send(std::as_bytes(std::span(&offset, 1))); });
  std::uint64_t offset = 0;
  std::memcpy(&offset, bytes.data(), sizeof offset);
  return offset;
}

Hdf5File::Hdf5File(std::string path, std::string const& place, std::string const& dataset)
    : path_(std::move(path)) {
  InLibrary const in_library;
  Handle const access = checked_output(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path_);
  Handle file = open_for_writing(access, place, path_);
  dataset_ =
      checked_output(H5Dopen2(file.get(), dataset.c_str(), H5P_DEFAULT), H5Dclose, path_).release();
  file_ = file.release();
}

// If a write fails while the library closes the file, the library ends the process. So close()
// flushes first, and a file that is not closed has failed.
Hdf5File::~Hdf5File() = default;

Hdf5File::Hdf5File(Hdf5File&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      dataset_(std::exchange(other.dataset_, -1)) {}

void Hdf5File::write_chunk(std::uint64_t row, std::uint64_t col, std::span<std::byte const> bytes) {
  InLibrary const in_library;
  std::array<hsize_t, 2> const offset{row, col};
  check_output(H5Dwrite_chunk(dataset_, H5P_DEFAULT, 0, offset.data(), bytes.size(), bytes.data()),
               path_);
}

void Hdf5File::close() {
  InLibrary const in_library;
  // See ~Hdf5File().
  check_output(H5Fflush(file_, H5F_SCOPE_LOCAL), path_);
  bool const closed = H5Dclose(std::exchange(dataset_, -1)) >= 0;
  if (H5Fclose(std::exchange(file_, -1)) < 0 || !closed) fail_to_write(path_, library_error());
}

}  // namespace tessera::io
