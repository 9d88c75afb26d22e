// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <vector>

#include <io/errors.hpp>
#include <io/matrix_reader.hpp>

namespace tessera::fuzz {
namespace {

constexpr std::uint64_t most_elements = 1U << 16U;

class Folder {
 public:
  Folder() {
    char const* const base = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    path_ = std::string(base) + "/tessera-fuzz-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) broken("no folder for inputs");
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  [[nodiscard]] std::string const& path() const { return path_; }

 private:
  std::string path_;
};

template <class Action>
void expect_file_error_at_most(Action const& action) {
  try {
    action();
  } catch (io::FileError const& error) {
    std::string const sentence = error.what();
    if (!sentence.starts_with(error.path() + ": ")) broken("an error without its file");
    if (sentence.find(", found") == std::string::npos) broken("an error that says nothing");
  }
}

template <class T>
void expect_same(std::vector<T> const& a, std::vector<T> const& b) {
  if (std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) != 0) broken("readings differ");
}

void expect_sensible(io::MatrixInfo const& info) {
  if (info.rows == 0 || info.cols == 0) broken("an empty matrix");
  if (info.dimensions != 1 && info.dimensions != 2) broken("odd dimensions");
  if (info.dimensions == 1 && info.cols != 1) broken("a vector with columns");
}

template <class T>
void read_part(io::MatrixReader const& reader, io::Part part, std::uint64_t count) {
  std::uint64_t const some = std::min(count, most_elements);
  std::vector<T> start(some);
  std::vector<T> again(some);
  reader.read(part, 0, std::span(start));
  std::uint64_t const half = some / 2;
  reader.read(part, 0, std::span(again).first(half));
  reader.read(part, half, std::span(again).subspan(half));
  expect_same(start, again);
  reader.read(part, count - some, std::span(again));
}

template <class T>
void read_corner(io::MatrixReader const& reader) {
  io::MatrixInfo const& info = reader.info();
  constexpr std::uint64_t side = 16;
  io::Block const block{
      .row = 0, .col = 0, .rows = std::min(side, info.rows), .cols = std::min(side, info.cols)};
  std::vector<T> corner(block.elements());
  reader.read_block(block, std::span(corner));
  std::vector<T> expected(block.elements());
  bool const right = info.layout == io::Layout::right;
  for (std::uint64_t i = 0; i < block.rows; ++i) {
    for (std::uint64_t j = 0; j < block.cols; ++j) {
      std::uint64_t const place = right ? i * block.cols + j : i + j * block.rows;
      reader.read(io::Part::matrix, right ? i * info.cols + j : i + j * info.rows,
                  std::span(expected).subspan(place, 1));
    }
  }
  expect_same(corner, expected);
}

}  // namespace

void broken(char const* sentence) {
  std::fprintf(stderr, "%s\n", sentence);
  std::abort();
}

void expect_message(std::string const& path, std::string const& message) {
  constexpr std::size_t longest = 600;
  if (!message.starts_with(path + ": ")) broken("a message without its file");
  if (message.size() > path.size() + longest) broken("a message that is too long");
  for (char const c : message) {
    if (c < ' ' || c > '~') broken("a message that is not printable");
  }
}

std::string content_of(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string put(std::string const& name, Bytes content) {
  static Folder const folder;
  std::string path = folder.path() + "/" + name;
  int const file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  bool const written = file >= 0 && ::write(file, content.data(), content.size()) ==
                                        static_cast<ssize_t>(content.size());
  if (!written) broken("cannot write an input");
  ::close(file);
  return path;
}

std::uint64_t take(Bytes& bytes, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < std::min(count, bytes.size()); ++i) {
    number |= std::uint64_t{bytes[i]} << (8 * i);
  }
  bytes = bytes.subspan(std::min(count, bytes.size()));
  return number;
}

void read_matrix(std::string const& path, io::RawFile const& raw) {
  expect_file_error_at_most([&] {
    io::MatrixReader const reader(path, raw, io::Reading::anywhere, std::nullopt, io::Text::taken);
    expect_sensible(reader.info());
    std::uint64_t const elements = reader.info().elements();
    read_part<float>(reader, io::Part::matrix, elements);
    read_part<double>(reader, io::Part::matrix, elements);
    read_corner<float>(reader);
    read_corner<double>(reader);
    if (reader.info().has_vector) read_part<float>(reader, io::Part::vector, reader.info().cols);
    reader.check_unchanged();
  });
}

void read_vector(std::string const& path, io::RawFile const& raw) {
  expect_file_error_at_most([&] {
    io::MatrixReader const reader(path, raw);
    io::Part const part = reader.vector_part(std::nullopt);
    std::uint64_t const length =
        part == io::Part::vector ? reader.info().cols : reader.info().elements();
    static_cast<void>(reader.vector_part(length));
    read_part<float>(reader, part, length);
    read_part<double>(reader, part, length);
    reader.check_unchanged();
  });
}

}  // namespace tessera::fuzz
