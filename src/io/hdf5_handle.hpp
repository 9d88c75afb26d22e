// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <hdf5.h>
#include <string>
#include <string_view>
#include <utility>

#include <io/dataset_name.hpp>
#include <io/hdf5_library.hpp>

// What the sources that call the HDF5 library share.
namespace tessera::io {

/// Larger sizes and addresses are damage.
inline constexpr std::uint64_t hdf5_greatest_size = std::uint64_t{1} << 62U;

class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle(Hdf5Handle const&) = delete;
  Hdf5Handle& operator=(Hdf5Handle const&) = delete;
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool good() const { return id_ >= 0; }
  hid_t release() { return std::exchange(id_, -1); }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The library's last error, for a message.
[[nodiscard]] std::string hdf5_error();

[[nodiscard]] bool hdf5_error_says(std::string_view words);

/// A file that is read: failures of the library become errors of the file.
class Hdf5Reading {
 public:
  Hdf5Reading(std::string const& path, DatasetName const& name, std::uint64_t file_bytes)
      : path_(path), name_(name), file_bytes_(file_bytes) {}

 protected:
  [[noreturn]] void fail(std::string const& sentence) const;
  [[noreturn]] void fail_in_library() const;
  void check(herr_t status) const {
    if (status < 0) fail_in_library();
  }
  [[nodiscard]] Hdf5Handle checked(hid_t id, herr_t (*close)(hid_t)) const {
    if (id < 0) fail_in_library();
    return {id, close};
  }

  std::string const& path_;
  DatasetName const& name_;
  std::uint64_t file_bytes_;
};

/// As examine_hdf5() and list_hdf5() (names end with a zero), in this process.
[[nodiscard]] Hdf5Dataset examine_here(Hdf5Reading const& reading);
[[nodiscard]] std::string list_here(Hdf5Reading const& reading);

/// Fills in filters and chunks of `result`.
void find_chunks(Hdf5Reading const& reading, hid_t file, hid_t dataset, hid_t creation,
                 Hdf5Dataset& result);

}  // namespace tessera::io
