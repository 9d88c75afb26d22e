// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <io/matrix_file.hpp>

#include "io/support/bytes.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

struct SmallFile {
  std::string label;
  std::string name;
  Bytes content;
};

void PrintTo(SmallFile const& file, std::ostream* out) {
  *out << file.label;
}

std::vector<SmallFile> small_files() {
  Bytes const f4 = bytes_of<float>({1, 2, 3, 4, 5, 6});
  Bytes const f8 = bytes_of<double>({1, 2, 3, 4, 5, 6}, true);
  return {
      {"ex3", "1", ex3_bytes(2, 3, {1, 2, 3, 4, 5, 6}, {7, 8})},
      {"npy_1", "A.npy", npy_bytes(npy_header("<f4", "(2, 3)"), f4)},
      {"npy_2_fortran_big", "A.npy", npy_bytes(npy_header(">f8", "(2, 3)", true), f8, 2)},
      {"npy_3_vector", "v.npy", npy_bytes(npy_header("<f4", "(6,)"), f4, 3)},
      {"raw", "v.bin", f4},
  };
}

class Truncation : public testing::TestWithParam<SmallFile> {
 protected:
  static void read(std::string const& path) {
    if (GetParam().name[0] == 'v') {
      static_cast<void>(read_vector(path, {.length = 6}));
    } else {
      static_cast<void>(read_matrix(path));
      if (inspect(path).has_vector) static_cast<void>(read_vector(path));
    }
  }
  Folder folder_;
};

TEST_P(Truncation, TheWholeFileIsRead) {
  EXPECT_NO_THROW(read(folder_.write(GetParam().name, GetParam().content)));
}

TEST_P(Truncation, EveryTruncationIsAnError) {
  for (std::size_t size = 0; size < GetParam().content.size(); ++size) {
    SCOPED_TRACE(size);
    auto const path = folder_.write(GetParam().name, GetParam().content.substr(0, size));
    expect_error(ErrorKind::bad_input, path, {size == 0 ? "is empty" : ""}, [&] { read(path); });
  }
}

TEST_P(Truncation, TrailingBytesAreAnError) {
  for (std::size_t const more : {1U, 3U, 4U, 8U, 4096U}) {
    SCOPED_TRACE(more);
    auto const path = folder_.write(GetParam().name, GetParam().content + Bytes(more, '\0'));
    expect_error(ErrorKind::bad_input, path, {}, [&] { read(path); });
  }
}

INSTANTIATE_TEST_SUITE_P(SmallFiles, Truncation, testing::ValuesIn(small_files()),
                         [](auto const& each) { return each.param.label; });

}  // namespace
}  // namespace tessera::io::test
