// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <io/dataset_name.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>

#include "io/support/bytes.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

// The content determines the format.
namespace tessera::io::test {
namespace {

Bytes npy_of(std::vector<float> const& values) {
  return npy_bytes(npy_header("<f4", "(1, " + std::to_string(values.size()) + ")"),
                   bytes_of(values));
}

TEST(Recognition, SignatureOverridesExtension) {
  Folder const folder;
  for (std::string const name : {"a", "a.ex3", "a.h5", "a.dat", "a.npz", "a.csv", "a.mtx"}) {
    std::string const path = folder.write(name, npy_of({1, 2}));
    EXPECT_EQ(inspect(path).format, Format::npy) << name;
    EXPECT_EQ(inspect(path).cols, 2U) << name;
  }
  Bytes const npz = content_of(sample("stored.npz"));
  for (std::string const name : {"b", "b.npy", "b.zip", "b.mat"}) {
    EXPECT_EQ(inspect(folder.write(name, npz) + ":vector").format, Format::npz) << name;
  }
}

TEST(Recognition, Ex3IsWhatHasItsSize) {
  Folder const folder;
  Bytes const ex3 = ex3_bytes(2, 3, {1, 2, 3, 4, 5, 6}, {7, 8});
  for (std::string const name : {"a", "a.ex3", "a.dat", "a.7"}) {
    EXPECT_EQ(inspect(folder.write(name, ex3)).format, Format::ex3) << name;
  }
  for (Bytes const& other : {ex3 + "x", ex3.substr(1), Bytes("text, and nothing else"), Bytes()}) {
    std::string const path = folder.write("b.dat", other);
    expect_error(ErrorKind::bad_input, path,
                 {"is of an unknown kind",
                  "expected the content of a .npy, .npz, HDF5, .bed, "
                  "Matrix Market or ex3 file, or a known extension ("},
                 [&] { static_cast<void>(inspect(path)); });
  }
}

TEST(Recognition, TextIsNoEx3File) {
  Folder const folder;
  for (std::string const name : {"a", "a.ex3"}) {
    std::string const path = folder.write(name, "1 2 3\n4 5 6\n7 8 9\n");
    expect_error(ErrorKind::bad_input, path, {"is of an unknown kind", "found '1 2 3?4 5 6?7 8 '"},
                 [&] { static_cast<void>(inspect(path)); });
  }
}

TEST(Recognition, RawElementsAreWhatTheirNameOrTheUserSays) {
  Folder const folder;
  std::string const path = folder.write("a.bin", Bytes("\x93NUMPY", 6) + Bytes(18, '\1'));
  EXPECT_EQ(inspect(path).format, Format::raw);
  std::string const other = folder.write("a.dat", Bytes(24, '\1'));
  EXPECT_EQ(inspect(other, {.rows = 2, .cols = 3}).format, Format::raw);
  EXPECT_EQ(MatrixReader(other, {}, Reading::anywhere, Format::raw).info().rows, 6U);
}

TEST(Recognition, ADatasetIsNamedBehindAnyFile) {
  Folder const folder;
  std::string const npz = folder.write("a.b:c", content_of(sample("stored.npz")));
  DatasetName const name = split_dataset(npz + ":x:y");
  EXPECT_EQ(name.file, npz);
  EXPECT_EQ(name.dataset, "x:y");
  EXPECT_EQ(split_dataset(npz).dataset, "");
  EXPECT_EQ(inspect(npz + ":vector").rows, 5U);
  EXPECT_EQ(split_dataset(folder / "none.nc:/A").dataset, "");
  EXPECT_EQ(split_dataset(folder / "none.h5:/A").dataset, "/A");
  EXPECT_EQ(split_dataset(folder / "none.npz:A").dataset, "A");
}

TEST(Recognition, TheNameOfAFileIsThatFileWhateverItContains) {
  Folder const folder;
  std::string const path = folder.write("x.h5:y.npy", npy_of({1, 2}));
  EXPECT_EQ(split_dataset(path).file, path);
  EXPECT_EQ(inspect(path).cols, 2U);
  std::filesystem::remove(path);
  EXPECT_EQ(split_dataset(path).dataset, "y.npy");
  std::filesystem::create_directory(path);
  EXPECT_EQ(split_dataset(path).dataset, "y.npy");
}

TEST(Recognition, PackedFilesAreNamed) {
  Folder const folder;
  for (auto const& [name, mark] : {std::pair{"gzip", Bytes("\x1f\x8b\x08\0", 4)},
                                   {"bzip2", "BZh9"},
                                   {"xz", Bytes("\xfd"
                                                "7zXZ\0",
                                                6)},
                                   {"zstd", "\x28\xb5\x2f\xfd"}}) {
    for (std::string const file :
         {"a.npy", "a.npy.gz", "a.csv", "a.mtx", "a", "a.ex3", "a.h5:/A"}) {
      SCOPED_TRACE(name + std::string(" ") + file);
      folder.write(file.substr(0, file.find(':')), mark + Bytes(30, '\x01'));
      std::string const words = "is compressed by " + std::string(name) +
                                ": expected an uncompressed file, found the mark ";
      expect_error(ErrorKind::bad_input, folder / file, {words},
                   [&] { static_cast<void>(inspect(folder / file)); });
    }
    std::string const path = folder.write("a.txt", mark + Bytes(30, '\x01'));
    for (Format const format : {Format::csv, Format::matrix_market, Format::npy}) {
      expect_error(ErrorKind::bad_input, path, {"is compressed by "}, [&] {
        static_cast<void>(MatrixReader(path, {}, Reading::in_order, format, Text::taken));
      });
    }
    // Raw elements and ex3 files of this size may begin with this mark.
    EXPECT_EQ(inspect(folder.write("a.bin", mark + Bytes(28 - mark.size(), '\x01'))).format,
              Format::raw);
  }
  Bytes ex3 = Bytes("\x1f\x8b\x08\0\1\0\0\0", 8) + Bytes(8, '\0');
  std::string const path = folder.write("a.gz", ex3);
  std::filesystem::resize_file(path, 16 + 2 * 4 * std::uintmax_t{0x088b1f});
  EXPECT_EQ(inspect(path).format, Format::ex3);
}

TEST(Recognition, FilesThatOnlyPythonReadsAreNamed) {
  Folder const folder;
  Bytes const header = "{\"w\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4]}}";
  Bytes const safetensors =
      Bytes{static_cast<char>(header.size())} + Bytes(7, '\0') + header + Bytes(4, '\0');
  struct Case {
    std::string name;
    Bytes content;
    std::string function;
  };
  for (auto const& [name, content, function] :
       {Case{"Parquet", "PAR1" + Bytes(40, '\x01') + "PAR1", "tessera.from_parquet"},
        Case{"Arrow", Bytes("ARROW1\0\0", 8) + Bytes(40, '\x01'), "tessera.from_arrow"},
        Case{"safetensors", safetensors, "tessera.from_safetensors"},
        Case{"FITS", "SIMPLE  =                    T" + Bytes(50, ' '), "tessera.from_fits"}}) {
    for (std::string const file : {"a", "a.parquet", "a.npy", "a.csv", "a.h5:/A"}) {
      SCOPED_TRACE(name + " " + file);
      folder.write(file.substr(0, file.find(':')), content);
      expect_error(ErrorKind::bad_input, folder / file,
                   {"is a " + name + " file: expected ",
                    "found one that only the Python package reads; use " + function},
                   [&] { static_cast<void>(inspect(folder / file)); });
    }
  }
  std::filesystem::create_directory(folder / "a.zarr");
  folder.write("a.zarr/zarr.json", "{}");
  expect_error(ErrorKind::bad_input, folder / "a.zarr",
               {"found a directory of Zarr, which only the Python package reads"},
               [&] { static_cast<void>(inspect(folder / "a.zarr")); });
  std::string const names = folder.write("names.csv", "PAR1,PAR2\n1,2\n");
  EXPECT_EQ(MatrixReader(names, {}, Reading::in_order, std::nullopt, Text::taken).info().format,
            Format::csv);
}

TEST(Recognition, TextInUtf16IsNamed) {
  Folder const folder;
  auto const wide = [](Bytes const& text, bool little) {
    Bytes bytes;
    for (char const character : text) {
      bytes += little ? Bytes{character, '\0'} : Bytes{'\0', character};
    }
    return bytes;
  };
  for (bool const little : {true, false}) {
    Bytes const mark = little ? "\xff\xfe" : "\xfe\xff";
    for (Bytes const& content : {mark + wide("1,2\n3,4\n", little), wide("1,2\n3,4\n", little),
                                 mark + wide("1", little), mark + Bytes("\x41\x04\x31\x00", 4)}) {
      for (std::string const name : {"a.csv", "a.mtx", "a.txt"}) {
        expect_error(ErrorKind::bad_input, folder.write(name, content),
                     {"is text in UTF-16: expected UTF-8 or ASCII, found two bytes for each"}, [&] {
                       static_cast<void>(MatrixReader(folder / name, {}, Reading::in_order,
                                                      std::nullopt, Text::taken));
                     });
      }
    }
    std::string const path = folder.write("a", mark + wide("1,2\n3,4\n", little));
    expect_error(ErrorKind::bad_input, path, {"is text in UTF-16"},
                 [&] { static_cast<void>(inspect(path)); });
  }
}

TEST(Recognition, AFileOfOneArrayHasNoOthers) {
  Folder const folder;
  std::string const path = folder.write("a.npy", npy_of({1, 2})) + ":x";
  expect_error(ErrorKind::bad_input, path,
               {"holds one array: expected ", "alone for a file of the format npy, found ':x'"},
               [&] { static_cast<void>(inspect(path)); });
}

TEST(Recognition, SeveralArraysInOneNpyFileAreSaidToBeThat) {
  Folder const folder;
  Bytes const one = npy_of({1, 2});
  std::string const path = folder.write("a.npy", one + npy_of({3, 4}));
  expect_bad_matrix(path, {"holds several arrays: expected one, found another at byte " +
                               std::to_string(one.size()),
                           "FILE.npz:NAME"});
  expect_bad_matrix(folder.write("b.npy", one + "x"), {"has trailing bytes"});
}

}  // namespace
}  // namespace tessera::io::test
