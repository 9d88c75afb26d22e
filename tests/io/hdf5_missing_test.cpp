// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <io/conversion.hpp>
#include <io/format_functions.hpp>
#include <io/matrix_file.hpp>

#include "io/support/bytes.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

// A build without HDF5.
namespace tessera::io::test {
namespace {

TEST(Hdf5Missing, ErrorNamesMissingLibrary) {
  EXPECT_EQ(hdf5_version(), "");
  std::string const input = sample("new.h5") + ":/f4";
  expect_error(ErrorKind::bad_input, input, {"built without its library (TESSERA_ENABLE_HDF5)"},
               [&] { static_cast<void>(inspect(input)); });
}

TEST(Hdf5Missing, IsSaidBeforeAnythingIsWritten) {
  Folder const folder;
  auto const input =
      folder.write("A.npy", npy_bytes(npy_header("<f4", "(1, 1)"), bytes_of<float>({1})));
  for (auto const& chunks :
       {std::optional<Hdf5Chunks>(), std::optional(Hdf5Chunks{.rows = 1, .cols = 1})}) {
    std::string const output = folder / "B.h5:/A";
    expect_error(ErrorKind::bad_output, output, {"built without its library"},
                 [&] { convert_file({.input = input, .output = output, .chunks = chunks}); });
  }
  EXPECT_THAT(folder.names(), testing::ElementsAre("A.npy"));
}

}  // namespace
}  // namespace tessera::io::test
