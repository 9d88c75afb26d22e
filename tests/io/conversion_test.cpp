// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>

#include <io/conversion.hpp>
#include <io/generate.hpp>
#include <io/matrix_reader.hpp>
#include <io/memory.hpp>

#include "io/support/bytes.hpp"
#include "io/support/child.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

/// Elements row by row, whatever the layout.
std::vector<double> by_rows(std::string const& path, RawFile const& raw = {}) {
  MatrixReader const reader(path, raw);
  MatrixInfo const& info = reader.info();
  std::vector<double> stored(info.elements());
  reader.read(Part::matrix, 0, std::span(stored));
  if (info.layout == Layout::right) return stored;
  std::vector<double> elements(stored.size());
  for (std::uint64_t i = 0; i < info.rows; ++i) {
    for (std::uint64_t j = 0; j < info.cols; ++j) {
      elements[i * info.cols + j] = stored[i + j * info.rows];
    }
  }
  return elements;
}

std::vector<float> vector_of(std::string const& path) {
  MatrixReader const reader(path);
  std::vector<float> entries(reader.info().has_vector ? reader.info().cols
                                                      : reader.info().elements());
  reader.read(reader.vector_part(std::nullopt), 0, std::span(entries));
  return entries;
}

std::string generated(Folder const& folder, std::string const& name, std::uint64_t rows,
                      std::uint64_t cols, ScalarType type, Layout layout) {
  std::string path = folder / name;
  generate({.rows = rows,
            .cols = cols,
            .type = type,
            .layout = layout,
            .output = path,
            .vector_output = name.ends_with(".npy") ? folder / "v.npy" : ""});
  return path;
}

struct Way {
  std::string from;
  std::string to;
};

TEST(Conversion, EveryFormatBecomesEveryOther) {
  Folder const folder;
  std::string const ex3 = generated(folder, "A.ex3", 7, 5, ScalarType::f32, Layout::right);
  std::string const npy = folder / "A.npy";
  convert_file({.input = ex3, .output = npy, .vector_output = folder / "V.npy"});
  convert_file({.input = ex3, .output = folder / "A.bin", .vector_output = folder / "V.bin"});
  auto const expected = by_rows(ex3);
  auto const V = vector_of(ex3);
  RawFile const raw{.rows = 7, .cols = 5};
  EXPECT_EQ(by_rows(npy), expected);
  EXPECT_EQ(by_rows(folder / "A.bin", raw), expected);
  EXPECT_EQ(vector_of(folder / "V.npy"), V);
  EXPECT_EQ(vector_of(folder / "V.bin"), V);

  for (auto const& [from, vector] : {Way{"A.npy", "V.bin"}, {"A.bin", "V.npy"}, {"A.ex3", ""}}) {
    SCOPED_TRACE(from);
    convert_file({.input = folder / from,
                  .raw = raw,
                  .output = folder / "B.ex3",
                  .vector = vector.empty() ? "" : folder / vector});
    EXPECT_EQ(content_of(folder / "B.ex3"), content_of(ex3));
    convert_file({.input = folder / from, .raw = raw, .output = folder / "B.npy"});
    EXPECT_EQ(content_of(folder / "B.npy"), content_of(npy));
    convert_file({.input = folder / from, .raw = raw, .output = folder / "B.bin"});
    EXPECT_EQ(content_of(folder / "B.bin"), content_of(folder / "A.bin"));
  }
}

TEST(Conversion, EveryOrderAndTypeHoldsTheSameMatrix) {
  Folder const folder;
  constexpr std::uint64_t rows = 37;
  constexpr std::uint64_t cols = 70;
  for (Layout const from : {Layout::right, Layout::left}) {
    std::string const path = generated(folder, "A.npy", rows, cols, ScalarType::f32, from);
    auto const expected = by_rows(path);
    for (Layout const to : {Layout::right, Layout::left}) {
      for (ScalarType const type : {ScalarType::f32, ScalarType::f64}) {
        for (std::string const name : {"B.npy", "B.bin"}) {
          auto const done =
              convert_file({.input = path, .output = folder / name, .type = type, .layout = to});
          EXPECT_EQ(done.output.layout, to);
          RawFile const raw{.type = type, .rows = rows, .cols = cols, .layout = to};
          EXPECT_EQ(by_rows(folder / name, raw), expected);
          EXPECT_EQ(MatrixReader(folder / name, raw).info().layout, to);
          EXPECT_EQ(MatrixReader(folder / name, raw).info().type, type);
        }
      }
    }
    auto const kept = convert_file({.input = path, .output = folder / "C.npy"});
    EXPECT_EQ(kept.output.layout, from);
    EXPECT_EQ(content_of(folder / "C.npy"), content_of(path));
    convert_file({.input = path, .output = folder / "C.ex3", .vector = folder / "v.npy"});
    EXPECT_EQ(by_rows(folder / "C.ex3"), expected);
    EXPECT_EQ(vector_of(folder / "C.ex3"), vector_of(folder / "v.npy"));
  }
}

TEST(Conversion, TilesOfALargeMatrixMeet) {
  Folder const folder;
  for (auto const& [rows, cols] :
       {std::pair{2903U, 1511U}, {2U, 2'500'001U}, {2'500'001U, 2U}, {1U, 99U}, {99U, 1U}}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
    std::string const path = generated(folder, "A.npy", rows, cols, ScalarType::f64, Layout::right);
    convert_file({.input = path, .output = folder / "B.npy", .layout = Layout::left});
    EXPECT_TRUE(by_rows(folder / "B.npy") == by_rows(path));
    convert_file({.input = folder / "B.npy", .output = folder / "C.npy", .layout = Layout::right});
    EXPECT_TRUE(content_of(folder / "C.npy") == content_of(path));
  }
}

TEST(Conversion, BigEndianBecomesLittleEndianAndEveryBitStays) {
  Folder const folder;
  std::vector<float> const values{-0.0F, NAN, INFINITY, 1e-45F, -3.5F, 0.1F};
  auto const path =
      folder.write("A.npy", npy_bytes(npy_header(">f4", "(2, 3)"), bytes_of(values, true)));
  convert_file({.input = path, .output = folder / "B.bin"});
  EXPECT_EQ(content_of(folder / "B.bin"), bytes_of(values));
}

TEST(Conversion, VectorsAreConverted) {
  Folder const folder;
  auto const path = folder.write("v.bin", bytes_of<double>({1, 2, 3}));
  auto const done =
      convert_file({.input = path, .raw = {.type = ScalarType::f64}, .output = folder / "v.npy"});
  EXPECT_EQ(done.output.dimensions, 1);
  EXPECT_EQ(vector_of(folder / "v.npy"), (std::vector<float>{1, 2, 3}));
  convert_file({.input = folder / "v.npy", .output = folder / "w.bin"});
  EXPECT_EQ(content_of(folder / "w.bin"), content_of(path));
}

TEST(Conversion, TellsItsProgress) {
  Folder const folder;
  std::string const path = generated(folder, "A.npy", 3000, 3000, ScalarType::f32, Layout::right);
  for (Layout const layout : {Layout::right, Layout::left}) {
    std::uint64_t last = 0;
    int calls = 0;
    convert_file({.input = path, .output = folder / "B.npy", .layout = layout},
                 [&](std::uint64_t done, std::uint64_t total) {
                   EXPECT_EQ(total, 36'000'000U);
                   EXPECT_GT(done, last);
                   last = done;
                   ++calls;
                 });
    EXPECT_EQ(last, 36'000'000U);
    EXPECT_GE(calls, 3);
  }
}

TEST(Conversion, CountsVectorsInItsProgress) {
  Folder const folder;
  std::string const path = generated(folder, "A.ex3", 40, 30, ScalarType::f32, Layout::right);
  auto const expect_total = [&](ConversionRequest request, std::uint64_t elements) {
    request.input = path;
    std::uint64_t last = 0;
    convert_file(request, [&](std::uint64_t done, std::uint64_t total) {
      EXPECT_EQ(total, elements * sizeof(float));
      last = done;
    });
    EXPECT_EQ(last, elements * sizeof(float)) << request.output;
  };
  expect_total({.input = "", .output = folder / "B.npy"}, 1200);
  expect_total({.input = "", .output = folder / "B.ex3"}, 1230);
  expect_total({.input = "", .output = folder / "C.npy", .vector_output = folder / "V.npy"}, 1230);
}

TEST(Conversion, RefusesWhatAFormatCannotHold) {
  Folder const folder;
  std::string const path = generated(folder, "A.npy", 4, 3, ScalarType::f64, Layout::right);
  std::string const out = folder / "B.ex3";
  auto const refused = [&](ConversionRequest request,
                           std::initializer_list<std::string_view> parts) {
    request.input = request.input.empty() ? path : request.input;
    std::string const named =
        request.vector_output.empty() ? request.output : request.vector_output;
    expect_error(ErrorKind::bad_output, named, parts, [&] { convert_file(request); });
    EXPECT_FALSE(std::filesystem::exists(request.output));
  };
  refused({.input = "", .output = out}, {"holds A and V", "found none"});
  refused({.input = "", .output = out, .vector = folder / "v.npy"}, {"only float32", "found f64"});
  refused({.input = "", .output = out, .layout = Layout::left, .vector = folder / "v.npy"},
          {"column-major"});
  refused({.input = "", .output = folder / "B.npy", .vector = folder / "v.npy"},
          {"no place for V"});
  refused({.input = "", .output = folder / "B.npy", .vector_output = folder / "w.npy"},
          {"nothing to hold"});
  refused({.input = folder / "v.npy", .output = out}, {"expected one in", "found a vector"});
}

TEST(Conversion, ABadVectorOfAnEx3OutputIsRefusedBeforeAnythingIsWritten) {
  Folder const folder;
  std::string const path = generated(folder, "A.npy", 4, 3, ScalarType::f32, Layout::right);
  auto const vector = folder.write("w.bin", bytes_of<float>({1, 2}));
  expect_error(ErrorKind::bad_input, vector, {"wrong length", "expected 3 entries, found 2"}, [&] {
    convert_file({.input = path, .output = folder / "B.ex3", .vector = vector});
  });
  EXPECT_FALSE(std::filesystem::exists(folder / "B.ex3"));
}

TEST(Conversion, AnInputThatChangesLeavesTheOldOutput) {
  Folder const folder;
  std::string const path = generated(folder, "A.npy", 3000, 3000, ScalarType::f32, Layout::right);
  auto const before = std::filesystem::last_write_time(path) - std::chrono::hours(1);
  std::filesystem::last_write_time(path, before);
  folder.write("B.npy", "old");
  expect_error(ErrorKind::bad_input, path, {"changed while it was read"}, [&] {
    convert_file({.input = path, .output = folder / "B.npy"}, [&](std::uint64_t, std::uint64_t) {
      std::filesystem::last_write_time(path, before + std::chrono::minutes(1));
    });
  });
  EXPECT_EQ(content_of(folder / "B.npy"), "old");
}

TEST(Conversion, AFullDiskIsFoundBeforehand) {
  Folder const folder;
  Folder const disk;
  std::string const path = generated(folder, "A.npy", 500, 500, ScalarType::f32, Layout::right);
  std::string const result = in_child([&]() -> std::string {
    std::string const obstacle = mount_small_disk(disk.path(), 256 * 1024);
    if (!obstacle.empty()) return "SKIP " + obstacle;
    std::uint64_t calls = 0;
    try {
      convert_file({.input = path, .output = disk / "B.npy", .layout = Layout::left},
                   [&](std::uint64_t, std::uint64_t) { ++calls; });
    } catch (FileError const& error) {
      return std::to_string(calls) + " calls: " + error.what();
    }
    return "no error";
  });
  if (result.starts_with("SKIP")) GTEST_SKIP() << result;
  EXPECT_THAT(result, testing::StartsWith("0 calls: " + (disk / "B.npy") + ": the disk is full"));
}

TEST(Conversion, APipeTakesElementsInEitherOrder) {
  Folder const folder;
  std::string const path = generated(folder, "A.npy", 4, 3, ScalarType::f32, Layout::right);
  std::string const pipe = folder / "B.npy";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  auto const through_pipe = [&](Layout layout) {
    return in_child([&]() -> std::string {
      if (::fork() == 0) {
        convert_file({.input = path, .output = pipe, .layout = layout});
        ::_exit(0);
      }
      return content_of(pipe);
    });
  };
  EXPECT_EQ(through_pipe(Layout::right), content_of(path));
  std::string const turned = folder / "C.npy";
  convert_file({.input = path, .output = turned, .layout = Layout::left});
  EXPECT_EQ(through_pipe(Layout::left), content_of(turned));
}

std::uint64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
  }
  return 0;
}

TEST(Conversion, TakesLittleMemoryForALargeMatrix) {
  Folder const folder;
  std::string const path = generated(folder, "A.npy", 3701, 3803, ScalarType::f64, Layout::right);
  for (Layout const layout : {Layout::right, Layout::left}) {
    for (ScalarType const type : {ScalarType::f64, ScalarType::f32}) {
      std::string const grown = in_child([&] {
        std::uint64_t const before = peak_memory();
        convert_file({.input = path, .output = folder / "B.npy", .type = type, .layout = layout});
        return std::to_string(peak_memory() - before);
      });
      EXPECT_THAT(grown, testing::MatchesRegex("[0-9]+"));
      EXPECT_LT(std::strtoull(grown.c_str(), nullptr, 10), std::uint64_t{64} << 20U);
    }
  }
}

}  // namespace
}  // namespace tessera::io::test
