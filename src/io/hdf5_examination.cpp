// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <io/hdf5_handle.hpp>
#include <io/shell_word.hpp>

namespace tessera::io {
namespace {

class Examination : Hdf5Reading {
 public:
  explicit Examination(Hdf5Reading const& reading) : Hdf5Reading(reading) {}

  Hdf5Dataset examine() {
    Hdf5Handle const file = open_file();
    if (name_.dataset.empty()) fail_without_dataset(file.get());
    Hdf5Handle const dataset = open_dataset(file.get());
    Hdf5Handle const creation = checked(H5Dget_create_plist(dataset.get()), H5Pclose);
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
        find_chunks(*this, file.get(), dataset.get(), creation.get(), result_);
        break;
      case Hdf5Facts::Storage::unwritten:
        break;
    }
    return std::move(result_);
  }

  /// Sorted. Links out of the file are not followed.
  std::string list() {
    Hdf5Handle const file = open_file();
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
  Hdf5Handle open_file() const {
    Hdf5Handle const access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    check(H5Pset_fapl_sec2(access.get()));  // regardless of HDF5_DRIVER
    check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG));
    check(H5Pset_file_locking(access.get(), true, true));
    hid_t const file = H5Fopen(name_.file.c_str(), H5F_ACC_RDONLY, access.get());
    if (file < 0 && hdf5_error_says("unable to lock file")) {
      fail(
          "is locked: expected an HDF5 file that no other program is writing, found one that is; "
          "close it there first");
    }
    if (file < 0 && hdf5_error_says("already open for write")) {
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

  Hdf5Handle open_dataset(hid_t file) const {
    Hdf5Handle const access = checked(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
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
      std::string const found = hdf5_error();
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
    Hdf5Handle const space = checked(H5Dget_space(dataset), H5Sclose);
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
    if (overflow || bytes >= hdf5_greatest_size) {
      fail("has a shape that overflows: expected fewer than 2^62 bytes, found " + found);
    }
  }

  void find_type(hid_t dataset, hid_t creation) {
    Hdf5Handle const type = checked(H5Dget_type(dataset), H5Tclose);
    Hdf5Handle const half_little = half(H5T_IEEE_F32LE, 5, 10);
    Hdf5Handle const half_big = half(H5T_IEEE_F32BE, 5, 10);
    Hdf5Handle const bfloat_little = half(H5T_IEEE_F32LE, 8, 7);
    Hdf5Handle const bfloat_big = half(H5T_IEEE_F32BE, 8, 7);
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
  Hdf5Handle half(hid_t single, std::size_t exponent_bits, std::size_t fraction_bits) const {
    Hdf5Handle type = checked(H5Tcopy(single), H5Tclose);
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
    Hdf5Handle const attribute = checked(H5Aopen(dataset, name, H5P_DEFAULT), H5Aclose);
    Hdf5Handle const space = checked(H5Aget_space(attribute.get()), H5Sclose);
    Hdf5Handle const type = checked(H5Aget_type(attribute.get()), H5Tclose);
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
    Hdf5Handle const type = checked(H5Dget_type(dataset), H5Tclose);
    result_.compact.resize(bytes);
    check(H5Dread(dataset, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, result_.compact.data()));
  }

  Hdf5Dataset result_{};
};

}  // namespace

Hdf5Dataset examine_here(Hdf5Reading const& reading) {
  return Examination(reading).examine();
}

std::string list_here(Hdf5Reading const& reading) {
  return Examination(reading).list();
}

}  // namespace tessera::io
