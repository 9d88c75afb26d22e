// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <hdf5.h>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

#include <io/errors.hpp>
#include <io/format_functions.hpp>
#include <io/hdf5_handle.hpp>
#include <io/run_apart.hpp>
#include <io/shell_word.hpp>

namespace tessera::io {
namespace {

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

[[noreturn]] void fail_to_write(std::string const& path, std::string const& found) {
  throw FileError(ErrorKind::bad_output, path,
                  "cannot be written: expected HDF5's library to do it, found: " + found);
}

void check_output(herr_t status, std::string const& path) {
  if (status < 0) fail_to_write(path, hdf5_error());
}

Hdf5Handle checked_output(hid_t id, herr_t (*close)(hid_t), std::string const& path) {
  if (id < 0) fail_to_write(path, hdf5_error());
  return {id, close};
}

Hdf5Handle open_for_writing(Hdf5Handle const& access, std::string const& place,
                            std::string const& path) {
  check_output(H5Pset_fapl_sec2(access.get()), path);
  return checked_output(H5Fopen(place.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose, path);
}

class Creation {
 public:
  Creation(std::string const& path, std::string const& place, std::string const& dataset)
      : path_(path), place_(place), dataset_(dataset) {}

  std::uint64_t create(MatrixInfo const& info, Hdf5Chunks const* chunks) {
    Hdf5Handle file = open_file();
    // See ~Hdf5File(): objects that have failed are never closed.
    hid_t const file_id = file.release();
    Hdf5Handle const access = checked(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    check(H5Pset_elink_cb(access.get(), refuse_link, &led_out_));
    require_new(file_id, access.get());
    Hdf5Handle const links = checked(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    check(H5Pset_create_intermediate_group(links.get(), 1));
    Hdf5Handle const creation = creation_of(info, chunks);
    std::array<hsize_t, 2> const extents{info.rows, info.cols};
    Hdf5Handle const space =
        checked(H5Screate_simple(info.dimensions, extents.data(), nullptr), H5Sclose);
    hid_t const type = info.type == ScalarType::f32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    hid_t const dataset = H5Dcreate2(file_id, dataset_.c_str(), type, space.get(), links.get(),
                                     creation.get(), access.get());
    check_inside();
    if (dataset < 0) fail(hdf5_error());
    std::uint64_t const offset = chunks == nullptr ? offset_of(dataset) : 0;
    check(H5Fflush(file_id, H5F_SCOPE_LOCAL));
    check(H5Dclose(dataset));
    check(H5Fclose(file_id));
    return offset;
  }

 private:
  [[noreturn]] void fail(std::string const& found) const { fail_to_write(path_, found); }
  void check(herr_t status) const { check_output(status, path_); }
  Hdf5Handle checked(hid_t id, herr_t (*close)(hid_t)) const {
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

  Hdf5Handle open_file() const {
    Hdf5Handle const access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    if (!is_empty()) return open_for_writing(access, place_, path_);
    check(H5Pset_fapl_sec2(access.get()));
    Hdf5Handle const root = checked(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
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
      if (found < 0) fail(hdf5_error());
      if (found == 0) return;
    }
    throw FileError(ErrorKind::bad_output, path_,
                    "cannot be added: expected a new name in the file, found an existing one");
  }

  Hdf5Handle creation_of(MatrixInfo const& info, Hdf5Chunks const* chunks) const {
    Hdf5Handle creation = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
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
    if (offset == HADDR_UNDEF) fail(hdf5_error());
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

std::string hdf5_error() {
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

bool hdf5_error_says(std::string_view words) {
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

void Hdf5Reading::fail(std::string const& sentence) const {
  throw FileError(ErrorKind::bad_input, path_, sentence);
}

void Hdf5Reading::fail_in_library() const {
  fail("cannot be read: expected a whole HDF5 file, found: " + hdf5_error());
}

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
      [&] { return examine_here({path, name, file_bytes}); },
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
      [&] { return list_here({path, name, file_bytes}); },
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
  Hdf5Handle const access = checked_output(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path_);
  Hdf5Handle file = open_for_writing(access, place, path_);
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
  if (H5Fclose(std::exchange(file_, -1)) < 0 || !closed) fail_to_write(path_, hdf5_error());
}

}  // namespace tessera::io
