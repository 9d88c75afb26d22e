// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <io/chunked_read.hpp>
#include <io/conversion.hpp>
#include <io/format_functions.hpp>
#include <io/generate.hpp>
#include <io/hdf5_chunk.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>
#include <io/writers.hpp>

#include "io/support/bytes.hpp"
#include "io/support/child.hpp"
#include "io/support/elements.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

// Samples: tests/data/io/make_hdf5_samples.py.
namespace tessera::io::test {
namespace {

constexpr std::uint64_t rows = 7;
constexpr std::uint64_t cols = 5;

std::vector<double> counted() {
  std::vector<double> elements;
  for (std::uint64_t k = 0; k < rows * cols; ++k) elements.push_back(static_cast<double>(k));
  return elements;
}

struct Sample {
  std::string dataset;
  int dimensions;
  ScalarType type;
  std::endian byte_order;
  std::string storage;
};

class Hdf5Sample : public testing::TestWithParam<std::tuple<std::string, Sample>> {
 protected:
  [[nodiscard]] static std::string path() {
    auto const& [file, about] = GetParam();
    return sample(file) + ":/" + about.dataset;
  }
};

TEST_P(Hdf5Sample, SaysWhatItHolds) {
  Sample const& about = std::get<1>(GetParam());
  MatrixInfo const info = inspect(path());
  EXPECT_EQ(info.format, Format::hdf5);
  EXPECT_EQ(info.dimensions, about.dimensions);
  EXPECT_EQ(info.rows, about.dimensions == 2 ? rows : rows * cols);
  EXPECT_EQ(info.cols, about.dimensions == 2 ? cols : 1);
  EXPECT_EQ(info.type, about.type);
  EXPECT_EQ(info.byte_order, about.byte_order);
  EXPECT_EQ(info.layout, Layout::right);
  EXPECT_EQ(info.version, about.storage);
}

TEST_P(Hdf5Sample, HasItsElements) {
  EXPECT_EQ(elements_of(path()), counted());
}

TEST_P(Hdf5Sample, HasItsElementsInPieces) {
  MatrixReader const reader(path());
  auto const whole = counted();
  for (std::size_t first = 0; first < whole.size(); ++first) {
    for (std::size_t count = 1; first + count <= whole.size(); ++count) {
      std::vector<float> piece(count, -1);
      reader.read(Part::matrix, first, std::span(piece));
      EXPECT_TRUE(std::equal(piece.begin(), piece.end(),
                             whole.begin() + static_cast<std::ptrdiff_t>(first)))
          << first << " " << count;
    }
  }
}

TEST_P(Hdf5Sample, HasItsElementsInBlocks) {
  MatrixReader const reader(path());
  if (reader.info().dimensions == 1) return;
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t col = 0; col < cols; ++col) {
      for (std::uint64_t height = 1; row + height <= rows; ++height) {
        for (std::uint64_t width = 1; col + width <= cols; ++width) {
          std::vector<double> block(height * width, -1);
          reader.read_block({.row = row, .col = col, .rows = height, .cols = width},
                            std::span(block));
          for (std::uint64_t k = 0; k < block.size(); ++k) {
            EXPECT_EQ(block[k], static_cast<double>((row + k / width) * cols + col + k % width));
          }
        }
      }
    }
  }
}

TEST_P(Hdf5Sample, IsReadIntoAView) {
  if (std::get<1>(GetParam()).dimensions == 1) {
    auto const v = std::get<VectorView<double>>(
        read_vector(path(), {.length = rows * cols, .type = ScalarType::f64, .convert = true}));
    EXPECT_EQ(v(34), 34);
    return;
  }
  auto const A =
      std::get<MatrixView<float, Kokkos::LayoutRight>>(read_matrix(path(), ScalarType::f32));
  for (std::uint64_t k = 0; k < rows * cols; ++k) {
    EXPECT_EQ(A(k / cols, k % cols), static_cast<float>(k));
  }
}

std::string label(std::string text) {
  std::ranges::replace_if(text, [](char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

constexpr auto little_endian = std::endian::little;
INSTANTIATE_TEST_SUITE_P(
    Samples, Hdf5Sample,
    testing::Combine(
        testing::Values("old.h5", "new.h5"),
        testing::Values(
            Sample{"f4", 2, ScalarType::f32, little_endian, "contiguous"},
            Sample{"group/f8_big", 2, ScalarType::f64, std::endian::big, "contiguous"},
            Sample{"soft", 2, ScalarType::f64, std::endian::big, "contiguous"},
            Sample{"vector", 1, ScalarType::f64, little_endian, "contiguous"},
            Sample{"compact", 2, ScalarType::f32, std::endian::big, "compact"},
            Sample{"chunks", 2, ScalarType::f32, little_endian, "in chunks of 4 x 5"},
            Sample{"deflate", 2, ScalarType::f64, std::endian::big, "in chunks of 3 x 2, deflate"},
            Sample{"all_filters", 2, ScalarType::f32, little_endian,
                   "in chunks of 3 x 2, shuffle, deflate, fletcher32"},
            Sample{"fletcher32", 2, ScalarType::f64, little_endian,
                   "in chunks of 3 x 3, fletcher32"},
            Sample{"one_chunk", 2, ScalarType::f32, little_endian, "in chunks of 7 x 5, deflate"},
            Sample{"resizable", 2, ScalarType::f32, little_endian, "in chunks of 3 x 2, deflate"},
            Sample{"appendable", 2, ScalarType::f32, little_endian, "in chunks of 3 x 2"},
            Sample{"vector_chunks", 1, ScalarType::f32, little_endian, "in chunks of 8, deflate"})),
    [](auto const& test) {
      return label(std::get<0>(test.param) + "_" + std::get<1>(test.param).dataset);
    });

TEST(Hdf5, ChunksThatTheFileDoesNotHaveAreFullOfTheFillValue) {
  for (std::string const file : {"old.h5", "new.h5"}) {
    auto const elements = elements_of(sample(file) + ":/holes");
    for (std::uint64_t k = 0; k < elements.size(); ++k) {
      bool const there = k / cols >= 2 && k / cols < 4 && k % cols < 2;
      EXPECT_EQ(elements[k], there ? static_cast<double>(k) : 9.5);
    }
  }
}

TEST(Hdf5, WhatWasNeverWrittenIsTheFillValue) {
  for (std::string const file : {"old.h5", "new.h5"}) {
    EXPECT_EQ(elements_of(sample(file) + ":/unwritten"), std::vector<double>(rows * cols, 0));
  }
  std::string const never = sample("attributes.h5") + ":/never";
  EXPECT_EQ(elements_of(never), std::vector<double>(rows * cols, 258));
  EXPECT_EQ(inspect(never).version, "never written");
  Folder const folder;
  convert_file({.input = never, .output = folder / "A.npy", .layout = Layout::left});
  EXPECT_EQ(elements_of(folder / "A.npy"), std::vector<double>(rows * cols, 258));
}

/// NetCDF's readers scale or omit such elements.
TEST(Hdf5, AttributesThatChangeElementsAreRefused) {
  std::string const file = sample("attributes.h5");
  for (auto const& [dataset, attribute] : {std::pair{"scaled", "scale_factor = 0.5"},
                                           {"shifted", "add_offset = 273.15"},
                                           {"gaps", "_FillValue = -999"},
                                           {"missing", "missing_value = -1e+30"},
                                           {"odd", "scale_factor"},
                                           {"several", "add_offset"}}) {
    std::string const path = file + ":/" + dataset;
    expect_error(
        ErrorKind::bad_input, path,
        {"has scaled or missing elements: expected elements that are the numbers themselves, "
         "found the attribute " +
         std::string(attribute) + "; "},
        [&] { static_cast<void>(inspect(path)); });
  }
  EXPECT_EQ(elements_of(file + ":/harmless"), counted());
}

TEST(Hdf5, ACommandThatIsSuggestedNamesTheFileAsAShellReadsIt) {
  Folder const folder;
  std::string const name =
      "a folder that is longer than forty characters, 'quoted' $(id) \"and\" so on";
  std::filesystem::create_directory(folder / name);
  std::string const file = folder / name + "/a'b.h5";
  std::filesystem::copy_file(sample("new.h5"), file);
  std::string const path = file + ":/lzf";
  std::string command;
  try {
    static_cast<void>(inspect(path));
  } catch (FileError const& error) {
    std::string const sentence = error.what();
    std::size_t const begin = sentence.find("; `python3 -c ") + 3;
    command = sentence.substr(begin, sentence.rfind('`') - begin);
  }
  std::string const script = folder / "words";
  std::string const read = "python3() { printf '%s' \"$2\" > '" + script + "'; }; " + command;
  EXPECT_EQ(std::system(("bash -c \"$(cat '" + folder.write("command", read) + "')\"").c_str()), 0);
  EXPECT_THAT(content_of(script),
              testing::StartsWith("import h5py; h5py.File('NEW.h5', 'w').create_dataset('A', "
                                  "data=h5py.File('" +
                                  folder.path()));
  EXPECT_THAT(content_of(script), testing::EndsWith("a\\'b.h5')['/lzf'], compression='gzip')"));
  EXPECT_THAT(content_of(script), testing::HasSubstr("$(id)"));
}

TEST(Hdf5, AUserBlockShiftsElementsAndChunks) {
  EXPECT_EQ(elements_of(sample("user_block.h5") + ":/f4"), counted());
  EXPECT_EQ(elements_of(sample("user_block.h5") + ":/chunks"), counted());
  for (std::string const dataset : {"single", "implicit", "fixed", "extensible", "tree"}) {
    EXPECT_EQ(elements_of(sample("shifted.mat") + ":/" + dataset), counted()) << dataset;
  }
}

TEST(Hdf5, IsDetectedByContent) {
  Folder const folder;
  for (std::string const name : {"x.nc", "x.mat", "x", "x.npy", "x.h5"}) {
    std::string const path = folder.write(name, content_of(sample("shifted.mat")));
    EXPECT_EQ(elements_of(path + ":/tree"), counted()) << name;
    expect_error(ErrorKind::bad_input, path,
                 {"names no dataset: expected " + path + ":/path/to/dataset"},
                 [&] { static_cast<void>(inspect(path)); });
    std::filesystem::remove(path);
  }
}

struct TypeOfDataset {
  std::string descr;
  ElementType stored;
  std::vector<double> ends;
};

TEST(Hdf5, EveryTypeOfElementsIsReadInEitherByteOrder) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> const real{-0.0, infinity, -infinity, 65504, 0x1p-24, -1.5};
  using enum ElementType;
  for (auto const& [descr, stored, ends] :
       std::vector<TypeOfDataset>{{"f2", f16, real},
                                  {"f4", f32, real},
                                  {"f8", f64, real},
                                  {"i1", i8, {-128, 0, 1, 2, 100, 127}},
                                  {"u1", u8, {0, 0, 1, 2, 100, 255}},
                                  {"i2", i16, {-32768, 0, 1, 2, 100, 32767}},
                                  {"u2", u16, {0, 0, 1, 2, 100, 65535}},
                                  {"i4", i32, {-0x1p31, 0, 1, 2, 100, 2147483647}},
                                  {"u4", u32, {0, 0, 1, 2, 100, 4294967295}},
                                  {"i8", i64, {-0x1p63, 0, 1, 2, 100, 0x1p62}},
                                  {"u8", u64, {0, 0, 1, 2, 100, 0x1p63}}}) {
    for (std::string const order : {"little_", "big_"}) {
      std::string const path = sample("types.h5") + ":/" + order + descr;
      SCOPED_TRACE(path);
      EXPECT_EQ(inspect(path).stored, stored);
      EXPECT_EQ(inspect(path).type, scalar_type_of(stored));
      for (std::string const& dataset : {path, path + "_packed"}) {
        auto const found = elements_of(dataset);
        for (std::size_t k = 0; k < ends.size(); ++k) {
          EXPECT_EQ(std::bit_cast<std::uint64_t>(found[k]), std::bit_cast<std::uint64_t>(ends[k]));
        }
      }
      EXPECT_EQ(elements_of(path + "_holes"), (std::vector<double>{5, 7, 7, 7, 7, 7}));
    }
  }
  std::string const types = sample("types.h5");
  expect_error(ErrorKind::bad_input, types + ":/truth", {"found an enumeration"},
               [&] { static_cast<void>(inspect(types + ":/truth")); });
  expect_error(ErrorKind::bad_input, types + ":/complex", {"found compound elements"},
               [&] { static_cast<void>(inspect(types + ":/complex")); });
  expect_error(ErrorKind::bad_input, types + ":/inexact", {"found 9007199254740993"},
               [&] { static_cast<void>(elements_of(types + ":/inexact")); });
}

TEST(Hdf5, Bfloat16IsReadInEitherByteOrder) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> const expected{-0.0, infinity, -infinity, -1.5, 0x1p127, 0x1p-133};
  for (std::string const dataset : {"little", "big", "little_packed", "big_packed"}) {
    std::string const path = sample("bfloat16.h5") + ":/" + dataset;
    SCOPED_TRACE(path);
    EXPECT_EQ(inspect(path).stored, ElementType::bf16);
    EXPECT_EQ(to_string(inspect(path).stored), "bfloat16");
    EXPECT_EQ(inspect(path).type, ScalarType::f32);
    auto const found = elements_of(path);
    ASSERT_EQ(found, expected);
    EXPECT_TRUE(std::signbit(found[0]));
    auto const stored = read_stored_matrix(MatrixReader(path));
    auto const& bits = std::get<MatrixView<std::uint16_t, Kokkos::LayoutRight>>(stored);
    EXPECT_EQ(std::vector(bits.data(), bits.data() + bits.size()),
              (std::vector<std::uint16_t>{0x8000, 0x7f80, 0xff80, 0xbfc0, 0x7f00, 0x0001}));
  }
}

TEST(Hdf5, AFileThatIsBeingWrittenIsSaidToBeThat) {
  Folder const folder;
  std::string const path = folder.write("a.h5", content_of(sample("new.h5"))) + ":/f4";
  int const writer = ::open((folder / "a.h5").c_str(), O_RDWR);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);  // as HDF5's library does
  expect_error(ErrorKind::bad_input, path, {"is locked", "no other program is writing"},
               [&] { static_cast<void>(inspect(path)); });
  ::close(writer);
  EXPECT_EQ(elements_of(path), counted());
  std::string const marked = sample("marked.h5") + ":/A";
  expect_error(ErrorKind::bad_input, marked, {"marked as open for writing", "h5clear"},
               [&] { static_cast<void>(inspect(marked)); });
}

struct Refusal {
  std::string dataset;
  std::string sentence;
};

TEST(Hdf5, WhatCannotBeReadIsRefusedWithASentence) {
  for (std::string const file : {"old.h5", "new.h5"}) {
    for (auto const& [dataset, sentence] :
         {Refusal{"three", "expected 1 or 2, found 3"},
          {"scalar", "expected 1 or 2, found 0"},
          {"none", "dimension of zero"},
          {"lzf",
           "expected deflate, shuffle and fletcher32, found filter 32000 (lzf); `python3 -c "},
          {"group", "found: not a dataset"},
          {"nothing", "'nothing' doesn't exist"},
          {"virtual", "found a virtual dataset"},
          {"elsewhere", "found external storage"},
          {"external", "found an external link"},
          {"soft_external", "found an external link"}}) {
      std::string const path = sample(file) + ":/" + dataset;
      SCOPED_TRACE(path);
      expect_error(ErrorKind::bad_input, path, {sentence},
                   [&] { static_cast<void>(inspect(path)); });
    }
    std::string const alone = sample(file);
    expect_error(ErrorKind::bad_input, alone,
                 {"names no dataset", "expected " + alone + ":/path/to/dataset", "/all_filters, "},
                 [&] { static_cast<void>(inspect(alone)); });
  }
}

TEST(Hdf5, NoOtherFileIsOpened) {
  Folder const folder;
  for (std::string const file : {"old.h5", "new.h5"}) {
    std::filesystem::copy_file(sample(file), folder / file);
  }
  ASSERT_EQ(::mkfifo((folder / "other.h5").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((folder / "other.bin").c_str(), 0600), 0);
  for (std::string const file : {"old.h5", "new.h5"}) {
    for (std::string const dataset : {"virtual", "elsewhere", "external", "soft_external"}) {
      std::string const path = folder / file + ":/" + dataset;
      expect_error(ErrorKind::bad_input, path, {}, [&] { static_cast<void>(inspect(path)); });
    }
  }
}

TEST(Hdf5, NothingIsPrintedWhenTheLibraryFails) {
  Folder const folder;
  auto const path = folder.write("A.h5", Bytes("\x89HDF\r\n\x1a\n") + Bytes(100, '\7'));
  testing::internal::CaptureStderr();
  expect_error(ErrorKind::bad_input, path + ":/A", {"expected a whole HDF5 file"},
               [&] { static_cast<void>(inspect(path + ":/A")); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Hdf5, OtherFilesAreRefused) {
  Folder const folder;
  for (Bytes const& content : {Bytes(), Bytes("x"), Bytes(5000, 'x')}) {
    auto const path = folder.write("A.h5", content);
    expect_error(ErrorKind::bad_input, path + ":/A", {},
                 [&] { static_cast<void>(inspect(path + ":/A")); });
  }
  expect_error(ErrorKind::bad_input, folder / "none.h5:/A", {"does not exist"},
               [&] { static_cast<void>(inspect(folder / "none.h5:/A")); });
}

void expect_right_or_refused(std::string const& path) {
  try {
    EXPECT_EQ(elements_of(path), counted());
  } catch (FileError const& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), testing::HasSubstr(", found"));
  }
}

TEST(Hdf5, EveryTruncationIsRefusedOrHarmless) {
  Folder const folder;
  Bytes const whole = content_of(sample("new.h5"));
  for (std::size_t size = 1; size < whole.size(); size += 397) {
    folder.write("A.h5", whole.substr(0, size));
    for (std::string const dataset : {"f4", "all_filters", "deflate"}) {
      expect_right_or_refused(folder / "A.h5" + ":/" + dataset);
    }
  }
}

TEST(Hdf5, ADamagedChunkIsAnError) {
  Folder const folder;
  Bytes const whole = content_of(sample("new.h5"));
  Bytes const deflated("\x78\x5e", 2);  // how zlib's stream of level 4 begins
  std::size_t damaged = 0;
  for (std::size_t place = whole.find(deflated); place != Bytes::npos;
       place = whole.find(deflated, place + 1)) {
    Bytes broken = whole;
    broken[place + 2] = static_cast<char>(~broken[place + 2]);
    std::string const path = folder.write("A.h5", broken) + ":/all_filters";
    try {
      static_cast<void>(elements_of(path));
    } catch (FileError const& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("damaged chunk"));
      ++damaged;
    }
  }
  EXPECT_EQ(damaged, 9U);  // 3 x 3 chunks
}

TEST(Hdf5, AChecksumThatIsWrongIsAnError) {
  Folder const folder;
  Bytes broken = content_of(sample("new.h5"));
  Bytes const row = bytes_of<double>({5, 6, 7, 10});
  std::size_t const place = broken.find(row);
  ASSERT_NE(place, Bytes::npos);
  broken[place] = '\1';
  std::string const path = folder.write("A.h5", broken) + ":/fletcher32";
  expect_error(ErrorKind::bad_input, path, {"expected the checksum of its bytes"},
               [&] { static_cast<void>(elements_of(path)); });
}

TEST(Hdf5, IsWrittenContiguousAndReadBack) {
  Folder const folder;
  for (ScalarType const type : {ScalarType::f32, ScalarType::f64}) {
    std::string const name = std::string(to_string(type)) + ".h5";
    generate({.rows = 300,
              .cols = 200,
              .type = type,
              .output = folder / name + ":/some/group/A",
              .vector_output = folder / "V" + name + ":/V"});
    generate({.rows = 300,
              .cols = 200,
              .type = type,
              .output = folder / "A.npy",
              .vector_output = folder / "v.npy"});
    EXPECT_EQ(elements_of(folder / name + ":/some/group/A"), elements_of(folder / "A.npy"));
    EXPECT_EQ(elements_of(folder / "V" + name + ":/V"), elements_of(folder / "v.npy"));
  }
}

TEST(Hdf5, TheSameMatrixGivesTheSameBytes) {
  Folder const folder;
  for (std::string const name : {"a.h5", "b.h5"}) {
    convert_file({.input = sample("old.h5") + ":/f4", .output = folder / name + ":/A"});
    convert_file({.input = sample("old.h5") + ":/f4", .output = folder / "g" + name + ":/g/h/A"});
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5 can note seconds
  }
  EXPECT_TRUE(content_of(folder / "a.h5") == content_of(folder / "b.h5"));
  EXPECT_TRUE(content_of(folder / "ga.h5") == content_of(folder / "gb.h5"));
}

TEST(Hdf5, BecomesOtherFormatsAndComesBack) {
  Folder const folder;
  std::string const npy = folder / "A.npy";
  generate({.rows = 403, .cols = 307, .output = npy, .vector_output = folder / "v.npy"});
  auto const expected = elements_of(npy);
  int number = 0;
  for (bool const columns : {false, true}) {
    std::string const from = folder / (columns ? "C.npy" : "A.npy");
    if (columns) convert_file({.input = npy, .output = from, .layout = Layout::left});
    for (auto const& chunks : std::vector<std::optional<Hdf5Chunks>>{
             std::nullopt, Hdf5Chunks{.rows = 100, .cols = 100},
             Hdf5Chunks{.rows = 1, .cols = 307, .deflate = 1},
             Hdf5Chunks{.rows = 50, .cols = 7, .deflate = 9},
             Hdf5Chunks{.rows = 403, .cols = 307, .deflate = 6}}) {
      std::string const h5 = folder / (std::to_string(++number) + ".h5") + ":/A";
      convert_file({.input = from, .output = h5, .layout = Layout::right, .chunks = chunks});
      EXPECT_TRUE(elements_of(h5) == expected) << number;
      EXPECT_EQ(inspect(h5).chunk_rows, chunks ? chunks->rows : 0);
      convert_file({.input = h5, .output = folder / "B.npy"});
      EXPECT_TRUE(content_of(folder / "B.npy") == content_of(npy)) << number;
      convert_file({.input = h5, .output = folder / "D.npy", .layout = Layout::left});
      convert_file(
          {.input = folder / "D.npy", .output = folder / "B.npy", .layout = Layout::right});
      EXPECT_TRUE(content_of(folder / "B.npy") == content_of(npy)) << number;
    }
  }
}

TEST(Hdf5, TilesOfALargePackedMatrixMeet) {
  Folder const folder;
  std::string const npy = folder / "A.npy";
  generate({.rows = 2903,
            .cols = 1511,
            .type = ScalarType::f64,
            .output = npy,
            .vector_output = folder / "v.npy"});
  std::string const h5 = folder / "A.h5:/A";
  convert_file(
      {.input = npy, .output = h5, .chunks = Hdf5Chunks{.rows = 500, .cols = 400, .deflate = 1}});
  EXPECT_TRUE(elements_of(h5) == elements_of(npy));
  convert_file({.input = h5, .output = folder / "B.npy"});
  EXPECT_TRUE(content_of(folder / "B.npy") == content_of(npy));
  auto const A = std::get<MatrixView<double, Kokkos::LayoutRight>>(read_matrix(h5));
  auto const B = std::get<MatrixView<double, Kokkos::LayoutRight>>(read_matrix(npy));
  EXPECT_TRUE(std::equal(A.data(), A.data() + A.size(), B.data()));
}

TEST(Hdf5, RefusesWhatItCannotHold) {
  Folder const folder;
  std::string const input = sample("old.h5") + ":/f4";
  auto const refused = [&](ConversionRequest request, std::string_view part) {
    request.input = input;
    std::string const output = request.output;
    expect_error(ErrorKind::bad_output, output, {part}, [&] { convert_file(request); });
    EXPECT_THAT(folder.names(), testing::IsEmpty());
  };
  refused({.input = "", .output = folder / "A.h5"}, "names no dataset");
  refused({.input = "", .output = folder / "A.h5:/A/"}, "names no dataset");
  for (std::string const dataset : {"/A/../B", "../A", "/.."}) {
    refused({.input = "", .output = folder / "A.h5:" + dataset}, "names a group '..'");
  }
  for (std::string const name : {"A.nc:/A", "A.mat:/group/A", "A.x:/A"}) {
    refused({.input = "", .output = folder / name},
            "names a dataset of a file of another kind: expected a file FILE.h5 or FILE.hdf5 to "
            "write a dataset into, found " +
                (folder / name).substr(0, (folder / name).rfind(':')));
  }
  refused({.input = "", .output = folder / "A.h5:/A", .layout = Layout::left},
          "cannot be column-major");
  refused(
      {.input = "", .output = folder / "A.h5:/A", .chunks = Hdf5Chunks{.rows = 4096, .cols = 4096}},
      "expected 1 element to 16 MiB");
  refused({.input = "", .output = folder / "A.npy", .chunks = Hdf5Chunks{.rows = 1, .cols = 1}},
          "is not stored in chunks");
}

TEST(Hdf5, AFileThatExistsIsNotReplaced) {
  Folder const folder;
  folder.write("A.h5", "precious");
  std::string const output = folder / "A.h5:/A";
  expect_error(ErrorKind::bad_output, output, {"exists already", "may hold other datasets"},
               [&] { convert_file({.input = sample("old.h5") + ":/f4", .output = output}); });
  EXPECT_EQ(content_of(folder / "A.h5"), "precious");
}

std::vector<std::string> sample_datasets() {
  return {"f4", "group/f8_big", "compact", "chunks", "deflate", "all_filters", "resizable"};
}

TEST(Hdf5, ADatasetIsAddedToAFileThatExists) {
  Folder const folder;
  std::string const npy = folder / "A.npy";
  generate({.rows = 300, .cols = 200, .output = npy, .vector_output = folder / "v.npy"});
  auto const expected = elements_of(npy);
  for (std::string const file : {"old.h5", "new.h5"}) {
    std::filesystem::copy_file(sample(file), folder / file);
    std::string const h5 = folder / file;
    convert_file({.input = npy, .output = h5 + ":/added", .add_dataset = true});
    convert_file({.input = npy,
                  .output = h5 + ":/group/added",
                  .chunks = Hdf5Chunks{.rows = 70, .cols = 90, .deflate = 1},
                  .add_dataset = true});
    convert_file({.input = h5 + ":/f4", .output = h5 + ":/deep/f4", .add_dataset = true});
    EXPECT_TRUE(elements_of(h5 + ":/added") == expected);
    EXPECT_TRUE(elements_of(h5 + ":/group/added") == expected);
    EXPECT_EQ(elements_of(h5 + ":/deep/f4"), counted());
    for (auto const& dataset : sample_datasets()) {
      EXPECT_EQ(elements_of(h5 + ":/" + dataset), counted()) << dataset;
    }
  }
  std::filesystem::copy_file(sample("user_block.h5"), folder / "u.h5");
  convert_file({.input = npy, .output = folder / "u.h5:/added", .add_dataset = true});
  EXPECT_TRUE(elements_of(folder / "u.h5:/added") == expected);
  EXPECT_EQ(elements_of(folder / "u.h5:/f4"), counted());
}

TEST(Hdf5, ADatasetThatCannotBeAddedLeavesTheFile) {
  Folder const folder;
  std::filesystem::copy_file(sample("new.h5"), folder / "A.h5");
  std::filesystem::copy_file(sample("new.h5"), folder / "other.h5");
  Bytes const before = content_of(folder / "A.h5");
  for (auto const& [dataset, sentence] : {Refusal{"f4", "found an existing one"},
                                          {"group", "found an existing one"},
                                          {"group/", "names no dataset"},
                                          {"f4/new", "expected HDF5's library to do it"},
                                          {"external", "found an existing one"},
                                          {"external/new", "found an external link"},
                                          {"soft_external/new", "found an external link"}}) {
    std::string const output = folder / "A.h5:/" + dataset;
    expect_error(ErrorKind::bad_output, output, {sentence}, [&] {
      convert_file({.input = sample("old.h5") + ":/f4", .output = output, .add_dataset = true});
    });
    EXPECT_TRUE(content_of(folder / "A.h5") == before) << dataset;
    EXPECT_TRUE(content_of(folder / "other.h5") == before) << dataset;
    EXPECT_THAT(folder.names(), testing::ElementsAre("A.h5", "other.h5"));
  }
}

TEST(Hdf5, ADamagedFileIsExtendedOrRefused) {
  Folder const folder;
  Bytes const whole = content_of(sample("old.h5"));
  int refused = 0;
  for (std::size_t size = 0; size < whole.size(); size += 1499) {
    Bytes const before = size == 0 ? Bytes("no HDF5 file") : whole.substr(0, size);
    std::string const output = folder.write("A.h5", before) + ":/added";
    try {
      convert_file({.input = sample("old.h5") + ":/f4", .output = output, .add_dataset = true});
      EXPECT_EQ(elements_of(output), counted());
    } catch (FileError const& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_output);
      EXPECT_THAT(error.what(), testing::HasSubstr("expected HDF5's library to do it, found"));
      EXPECT_TRUE(content_of(folder / "A.h5") == before);
      ++refused;
    }
    EXPECT_THAT(folder.names(), testing::ElementsAre("A.h5"));
  }
  EXPECT_GT(refused, 0);
}

TEST(Hdf5, TwoDatasetsOfOneFileAreWrittenInOneRun) {
  Folder const folder;
  for (bool const add : {false, true}) {
    std::string const h5 = folder / (add ? "added.h5" : "new.h5");
    if (add) std::filesystem::copy_file(sample("old.h5"), h5);
    GenerateRequest request{.rows = 300,
                            .cols = 200,
                            .output = h5 + ":/some/A",
                            .vector_output = h5 + ":/some/v",
                            .add_dataset = add};
    generate(request);
    request.output = folder / "A.npy";
    request.vector_output = folder / "v.npy";
    generate(request);
    EXPECT_TRUE(elements_of(h5 + ":/some/A") == elements_of(folder / "A.npy"));
    EXPECT_TRUE(elements_of(h5 + ":/some/v") == elements_of(folder / "v.npy"));
    if (add) {
      EXPECT_EQ(elements_of(h5 + ":/all_filters"), counted());
    }
  }
  convert_file({.input = folder / "A.npy", .output = folder / "A.ex3", .vector = folder / "v.npy"});
  for (auto const& chunks :
       {std::optional<Hdf5Chunks>(), std::optional(Hdf5Chunks{.rows = 100, .cols = 100})}) {
    std::string const h5 = folder / (chunks ? "c.h5" : "d.h5");
    convert_file({.input = folder / "A.ex3",
                  .output = h5 + ":/A",
                  .chunks = chunks,
                  .vector_output = h5 + ":/v"});
    EXPECT_TRUE(elements_of(h5 + ":/A") == elements_of(folder / "A.npy"));
    EXPECT_TRUE(elements_of(h5 + ":/v") == elements_of(folder / "v.npy"));
  }
}

TEST(Hdf5, ChunksOfAnyShapeHoldLongRows) {
  Folder const folder;
  struct Case {
    std::uint64_t height;
    std::uint64_t width;
    ScalarType type;
    Hdf5Chunks chunks;
  };
  for (auto const& [height, width, type, chunks] :
       {Case{2060, 2060, ScalarType::f32, {.rows = 1, .cols = 2049}},
        {1460, 1460, ScalarType::f64, {.rows = 1, .cols = 1449}},
        {3, 1'500'000, ScalarType::f32, {.rows = 1, .cols = 1'450'000}}}) {
    SCOPED_TRACE(std::to_string(chunks.rows) + " x " + std::to_string(chunks.cols));
    std::string const npy = folder / "A.npy";
    generate({.rows = height, .cols = width, .type = type, .output = npy});
    std::filesystem::remove(folder / "A.h5");
    convert_file({.input = npy, .output = folder / "A.h5:/A", .chunks = chunks});
    EXPECT_EQ(inspect(folder / "A.h5:/A").chunk_cols, chunks.cols);
    convert_file({.input = folder / "A.h5:/A", .output = folder / "B.npy"});
    EXPECT_TRUE(content_of(folder / "B.npy") == content_of(npy));
  }
}

std::uint64_t bytes_read() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  std::uint64_t count = 0;
  counts >> name >> count;
  return name == "rchar:" ? count : 0;
}

TEST(Hdf5, TallChunksAreUnpackedOncePerBuffer) {
  Folder const folder;
  constexpr std::uint64_t tall = 20000;
  constexpr std::uint64_t wide = 600;  // 46 MiB: more than a reader keeps
  std::string const npy = folder / "A.npy";
  generate({.rows = tall, .cols = wide, .output = npy, .vector_output = folder / "v.npy"});
  std::string const h5 = folder / "A.h5:/A";
  convert_file({.input = npy, .output = h5, .chunks = Hdf5Chunks{.rows = tall / 2, .cols = 20}});
  auto const A = std::get<MatrixView<float, Kokkos::LayoutRight>>(read_matrix(npy));
  MatrixReader const reader(h5);
  constexpr std::uint64_t bytes = tall * wide * sizeof(float);
  constexpr std::uint64_t step = 1000;
  // All rows of a chunk; no multiple of blocks; less than a block; none.
  for (std::uint64_t const most : {bytes, bytes / 5, bytes / 25, std::uint64_t{1}}) {
    RowBuffer const buffer = row_buffer_of(reader.info(), ScalarType::f32, most);
    EXPECT_LE(buffer.bytes, most);
    EXPECT_EQ(buffer.bytes, buffer.rows * wide * sizeof(float));
    EXPECT_EQ(buffer.times, buffer.rows == 0 ? tall / 2 : (tall / 2 - 1) / buffer.rows + 1);
    BufferedRows<float> rows_in_order(reader, buffer);
    std::uint64_t const before = bytes_read();
    for (int pass = 0; pass < 2; ++pass) {
      for (std::uint64_t row = 0; row < tall; row += step) {
        std::vector<float> elements(step * wide);
        rows_in_order.read({.row = row, .col = 0, .rows = step, .cols = wide}, elements);
        EXPECT_TRUE(std::ranges::equal(elements, std::span(&A(row, 0), elements.size())));
      }
    }
    std::uint64_t const times = (bytes_read() - before) / bytes;
    std::uint64_t const expected = buffer.rows == 0 ? 2 * tall / step / 2 : 2 * buffer.times;
    EXPECT_LE(times, expected);
    EXPECT_GT(times, expected * 3 / 4);  // the reader keeps some chunks
  }
  std::vector<double> doubles(step * wide);
  std::uint64_t const before = bytes_read();
  read_whole_block(reader, {.row = 0, .col = 0, .rows = step, .cols = wide}, std::span(doubles));
  EXPECT_EQ((bytes_read() - before) / (bytes / 2), 1U);
  EXPECT_TRUE(std::ranges::equal(doubles, std::span(A.data(), doubles.size())));
}

TEST(Hdf5, BufferHoldsRequestedRows) {
  Folder const folder;
  std::string const npy = folder / "A.npy";
  generate({.rows = 101,
            .cols = 7,
            .type = ScalarType::f64,
            .output = npy,
            .vector_output = folder / "v.npy"});
  std::string const h5 = folder / "A.h5:/A";
  convert_file(
      {.input = npy, .output = h5, .chunks = Hdf5Chunks{.rows = 40, .cols = 3, .deflate = 1}});
  auto const A = std::get<MatrixView<double, Kokkos::LayoutRight>>(read_matrix(npy));
  MatrixReader const reader(h5);
  for (std::uint64_t const most_rows : {0U, 1U, 13U, 40U, 1000U}) {
    BufferedRows<double> rows_in_order(reader, {.rows = most_rows, .bytes = 0, .times = 0});
    for (Block const& block : {Block{.row = 0, .col = 0, .rows = 5, .cols = 7},
                               {5, 0, 60, 7},
                               {65, 0, 36, 7},
                               {3, 0, 1, 7},
                               {100, 0, 1, 7},
                               {30, 2, 20, 4},
                               {99, 0, 0, 7},
                               {0, 0, 101, 7}}) {
      std::vector<double> elements(block.elements());
      rows_in_order.read(block, elements);
      for (std::uint64_t k = 0; k < elements.size(); ++k) {
        ASSERT_EQ(elements[k], A(block.row + k / block.cols, block.col + k % block.cols));
      }
    }
  }
}

TEST(Hdf5, BlocksAreReadInChunks) {
  Folder const folder;
  std::string const npy = folder / "A.npy";
  generate({.rows = 211, .cols = 103, .output = npy, .vector_output = folder / "v.npy"});
  auto const A = std::get<MatrixView<float, Kokkos::LayoutRight>>(read_matrix(npy));
  for (auto const& [height, width] : {std::pair{1U, 103U}, {211U, 1U}, {50U, 7U}, {3U, 100U}}) {
    std::string const h5 =
        folder / ("A" + std::to_string(height) + "x" + std::to_string(width) + ".h5:/A");
    convert_file({.input = npy, .output = h5, .chunks = Hdf5Chunks{.rows = height, .cols = width}});
    MatrixReader const reader(h5);
    for (Block const& block : {Block{.row = 0, .col = 0, .rows = 211, .cols = 103},
                               {49, 6, 2, 2},
                               {50, 7, 50, 7},
                               {210, 102, 1, 1},
                               {17, 3, 150, 99},
                               {5, 5, 0, 3}}) {
      std::vector<float> elements(block.elements());
      read_whole_block(reader, block, std::span(elements));
      for (std::uint64_t k = 0; k < elements.size(); ++k) {
        ASSERT_EQ(elements[k], A(block.row + k / block.cols, block.col + k % block.cols));
      }
    }
  }
}

TEST(Hdf5, ChunksLargerThanTheMatrixAreRefused) {
  Folder const folder;
  for (auto const& chunks :
       {Hdf5Chunks{.rows = rows + 1, .cols = 1}, Hdf5Chunks{.rows = 1, .cols = cols + 1}}) {
    std::string const output = folder / "A.h5:/A";
    expect_error(
        ErrorKind::bad_output, output,
        {"expected at most the 7 x 5 of the matrix, found " + std::to_string(chunks.rows) + " x " +
         std::to_string(chunks.cols)},
        [&] {
          convert_file({.input = sample("old.h5") + ":/f4", .output = output, .chunks = chunks});
        });
  }
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(Hdf5, ADiskThatIsFullLeavesNothing) {
  Folder const folder;
  std::string const npy = folder / "A.npy";
  generate({.rows = 500, .cols = 500, .output = npy, .vector_output = folder / "v.npy"});
  for (auto const& chunks :
       {std::optional<Hdf5Chunks>(), std::optional(Hdf5Chunks{.rows = 100, .cols = 100})}) {
    Folder const disk;
    std::string const result = in_child([&]() -> std::string {
      std::string const obstacle = mount_small_disk(disk.path(), 256 * 1024);
      if (!obstacle.empty()) return "SKIP " + obstacle;
      std::string text = "no error";
      testing::internal::CaptureStderr();
      try {
        convert_file({.input = npy, .output = disk / "A.h5:/A", .chunks = chunks});
      } catch (FileError const& error) {
        text = error.what();
      }
      text += testing::internal::GetCapturedStderr();
      return text + (disk.names().empty() ? " | nothing" : " | " + disk.names()[0]);
    });
    if (result.starts_with("SKIP")) GTEST_SKIP() << result;
    EXPECT_THAT(result, testing::StartsWith(disk / "A.h5:/A: "));
    EXPECT_THAT(result, testing::HasSubstr(chunks ? "found: No space left on device" : "is full"));
    EXPECT_THAT(result, testing::EndsWith(" | nothing"));
    EXPECT_THAT(result, testing::Not(testing::HasSubstr("HDF5-DIAG")));
  }
}

TEST(Hdf5, AMatrixOfHolesLargerThanMemoryIsRefused) {
  std::string const path = sample("new.h5") + ":/huge";
  EXPECT_EQ(inspect(path).rows, std::uint64_t{1} << 20U);
  expect_error(ErrorKind::out_of_memory, path, {"not enough memory for the matrix"},
               [&] { static_cast<void>(read_matrix(path)); });
}

TEST(Hdf5, MemoryIsTakenForWhatAChunkCanHold) {
  std::string const path = sample("new.h5") + ":/thin";
  MatrixReader const reader(path);
  std::vector<double> element(1);
  expect_error(ErrorKind::bad_input, path,
               {"expected 1073741828 bytes", "that cannot hold so many"},
               [&] { reader.read(Part::matrix, 0, std::span(element)); });
}

TEST(Hdf5, AChunkThatUnpacksToMoreThanItsSizeIsAnError) {
  std::string const path = sample("new.h5") + ":/bomb";
  MatrixReader const reader(path);
  std::vector<float> element(1);
  expect_error(ErrorKind::bad_input, path, {"expected deflated data of at most 144 bytes"},
               [&] { reader.read(Part::matrix, 0, std::span(element)); });
}

Hdf5Facts facts_of_chunk(std::vector<Hdf5Filter> const& filters) {
  Hdf5Facts facts{};
  facts.type = ElementType::f64;
  facts.filters = static_cast<std::uint32_t>(filters.size());
  std::ranges::copy(filters, facts.filter.begin());
  facts.chunk_shape = {1, 1};
  return facts;
}

// 0x0102, 0x0304, 0x0506, 0x0708: the low sum modulo 65535 is 0x1014, the high 0x1e28 (of 0x0102,
// 0x0406, 0x090c, 0x1014).
TEST(Hdf5Chunk, BothHalvesOfAChecksumCount) {
  std::string const bytes("\x01\x02\x03\x04\x05\x06\x07\x08", 8);
  auto const facts = facts_of_chunk({Hdf5Filter::fletcher32});
  auto const unpacked = [&](std::string const& stored) {
    std::span const all = std::as_bytes(std::span(stored));
    return unpack_chunk({all.begin(), all.end()}, facts, 0, "a.h5");
  };
  std::span const expected = std::as_bytes(std::span(bytes));
  EXPECT_TRUE(std::ranges::equal(unpacked(bytes + "\x14\x10\x28\x1e"), expected));
  for (std::string const wrong :
       {"\x15\x10\x28\x1e", "\x14\x11\x28\x1e", "\x14\x10\x29\x1e", "\x14\x10\x28\x1f"}) {
    expect_error(ErrorKind::bad_input, "a.h5", {"expected the checksum of its bytes"},
                 [&] { unpacked(bytes + wrong); });
  }
}

TEST(Hdf5Chunk, AFilterThatWasLeftOutIsNotUndone) {
  auto const facts = facts_of_chunk({Hdf5Filter::shuffle, Hdf5Filter::deflate});
  double const three = 3;
  std::span const bytes = std::as_bytes(std::span(&three, 1));
  std::vector<std::byte> const stored(bytes.begin(), bytes.end());
  EXPECT_EQ(unpack_chunk(stored, facts, 2, "a.h5"), stored);
  EXPECT_EQ(unpack_chunk(stored, facts, 3, "a.h5"), stored);
  expect_error(ErrorKind::bad_input, "a.h5", {"deflated data"},
               [&] { static_cast<void>(unpack_chunk(stored, facts, 0, "a.h5")); });
}

}  // namespace
}  // namespace tessera::io::test
