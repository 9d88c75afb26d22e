// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <io/conversion.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>

#include "io/support/bytes.hpp"
#include "io/support/elements.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

// Genotypes of PLINK 1, compared with a decoder of one genotype at a time.
namespace tessera::io::test {
namespace {

struct Genotypes {
  std::uint64_t samples = 0;
  std::uint64_t variants = 0;
  std::vector<unsigned> codes;

  /// Counts of A1 alleles; the mean of the column for what is missing.
  template <class T>
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> all;
    for (std::uint64_t j = 0; j < variants; ++j) {
      std::uint64_t sum = 0;
      std::uint64_t known = 0;
      for (std::uint64_t i = 0; i < samples; ++i) {
        unsigned const code = codes[j * samples + i];
        known += code == 1 ? 0 : 1;
        sum += code == 0 ? 2 : code == 2 ? 1 : 0;
      }
      double const mean = known == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(known);
      for (std::uint64_t i = 0; i < samples; ++i) {
        switch (codes[j * samples + i]) {
          case 0:
            all.push_back(2);
            break;
          case 1:
            all.push_back(static_cast<T>(mean));
            break;
          case 2:
            all.push_back(1);
            break;
          default:
            all.push_back(0);
        }
      }
    }
    return all;
  }
};

Genotypes random_genotypes(std::uint64_t samples, std::uint64_t variants) {
  std::mt19937_64 numbers(samples * 1000 + variants);
  Genotypes made{.samples = samples, .variants = variants, .codes = {}};
  made.codes.reserve(samples * variants);
  for (std::uint64_t k = 0; k < samples * variants; ++k) {
    made.codes.push_back(static_cast<unsigned>(numbers() % 4));
  }
  return made;
}

class Bed : public testing::Test {
 protected:
  [[nodiscard]] std::string write(Bytes const& bed, std::uint64_t samples, std::uint64_t variants,
                                  Bytes const& line_end = "\n") const {
    static_cast<void>(folder_.write("a.fam", lines(samples, line_end)));
    static_cast<void>(folder_.write("a.bim", lines(variants, line_end)));
    return folder_.write("a.bed", bed);
  }
  [[nodiscard]] std::string write(Genotypes const& from) const {
    return write(bed_bytes(from.codes, from.samples), from.samples, from.variants);
  }

  template <class T>
  static std::vector<T> part_of(std::vector<T> const& all, std::uint64_t rows, Block const& block) {
    std::vector<T> part;
    for (std::uint64_t j = 0; j < block.cols; ++j) {
      auto const* const first = all.data() + (block.col + j) * rows + block.row;
      part.insert(part.end(), first, first + block.rows);
    }
    return part;
  }

  template <class T>
  static std::vector<T> read_block(MatrixReader const& reader, Block const& block) {
    std::vector<T> part(block.elements(), T{-1});
    reader.read_block(block, std::span(part));
    return part;
  }

  Folder folder_;
};

TEST_F(Bed, TheHeaderSaysTheShapeAndTheOrder) {
  MatrixInfo const info = inspect(write(random_genotypes(5, 3)));
  EXPECT_EQ(info.format, Format::bed);
  EXPECT_EQ(to_string(info.format), "bed");
  EXPECT_EQ(info.rows, 5U);
  EXPECT_EQ(info.cols, 3U);
  EXPECT_EQ(info.layout, Layout::left);
  EXPECT_EQ(info.type, ScalarType::f32);
  EXPECT_EQ(info.stored, ElementType::genotype);
  EXPECT_EQ(describe(info.type, info.stored), "f32 (genotypes in the file)");
  EXPECT_EQ(info.file_bytes, 9U);
  EXPECT_EQ(info.data_offset, 3U);
}

TEST_F(Bed, TheExampleOfPlinksManualIsRead) {
  // https://www.cog-genomics.org/plink/1.9/formats#bed: six samples, three variants.
  auto const path = write(Bytes("\x6c\x1b\x01\xdc\x0f\xe7\x0f\x6b\x01", 9), 6, 3);
  EXPECT_EQ(elements_of<float>(path), (std::vector<float>{2, 0, 0.4F, 0, 0, 0,  //
                                                          0, 0.2F, 1, 0, 0, 0,  //
                                                          0, 1, 1, 1, 1, 2}));
}

TEST_F(Bed, EveryByteHasItsGenotypes) {
  Genotypes all{.samples = 4, .variants = 256, .codes = {}};
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (unsigned place = 0; place < 4; ++place) all.codes.push_back(byte >> 2 * place & 3U);
  }
  auto const path = write(all);
  EXPECT_EQ(elements_of<float>(path), all.values<float>());
  EXPECT_EQ(elements_of<double>(path), all.values<double>());
  // 27 = 00 01 10 11: missing is (2 + 1 + 0) / 3. 85: all are missing.
  std::vector<float> const found = elements_of<float>(path);
  EXPECT_EQ((std::vector<float>(found.begin() + 4 * 0xe4, found.begin() + 4 * 0xe4 + 4)),
            (std::vector<float>{2, 1, 1, 0}));
  EXPECT_EQ((std::vector<float>(found.begin() + 4 * 0x55, found.begin() + 4 * 0x55 + 4)),
            (std::vector<float>{0, 0, 0, 0}));
}

TEST_F(Bed, EveryShapeIsRead) {
  for (std::uint64_t const samples :
       {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 31U, 32U, 33U, 63U, 64U, 65U, 127U, 1000U}) {
    for (std::uint64_t const variants : {1U, 2U, 3U, 17U}) {
      SCOPED_TRACE(std::to_string(samples) + " x " + std::to_string(variants));
      Genotypes const made = random_genotypes(samples, variants);
      auto const path = write(made);
      EXPECT_EQ(elements_of<float>(path), made.values<float>());
      EXPECT_EQ(elements_of<double>(path), made.values<double>());
    }
  }
}

TEST_F(Bed, EveryBlockAndRangeHasItsElements) {
  constexpr std::uint64_t rows = 11;
  constexpr std::uint64_t cols = 3;
  Genotypes const made = random_genotypes(rows, cols);
  auto const path = write(made);
  auto const expected = made.values<float>();
  auto const precise = made.values<double>();
  MatrixReader const used(path);
  MatrixReader const held(path);
  EXPECT_EQ(held.bytes_to_hold(), 9U);
  held.hold();
  for (std::uint64_t row = 0; row <= rows; ++row) {
    for (std::uint64_t height = 0; row + height <= rows; ++height) {
      for (std::uint64_t col = 0; col <= cols; ++col) {
        for (std::uint64_t width = 0; col + width <= cols; ++width) {
          Block const block{.row = row, .col = col, .rows = height, .cols = width};
          for (MatrixReader const* const reader : {&used, &held}) {
            ASSERT_EQ(read_block<float>(*reader, block), part_of(expected, rows, block));
            ASSERT_EQ(read_block<double>(*reader, block), part_of(precise, rows, block));
          }
        }
      }
    }
  }
  for (std::uint64_t first = 0; first <= rows * cols; ++first) {
    for (std::uint64_t count = 0; first + count <= rows * cols; ++count) {
      MatrixReader const fresh(path);
      std::vector<double> some(count, -1);
      fresh.read(Part::matrix, first, std::span(some));
      ASSERT_EQ(some,
                std::vector<double>(precise.begin() + static_cast<std::ptrdiff_t>(first),
                                    precise.begin() + static_cast<std::ptrdiff_t>(first + count)));
    }
  }
}

// Columns beyond a page and beyond the buffer, whose means need more than the block.
TEST_F(Bed, PartsOfLongColumnsHaveTheMeansOfWholeOnes) {
  for (std::uint64_t const samples : {20'003U, 1'100'001U}) {
    SCOPED_TRACE(samples);
    Genotypes const made = random_genotypes(samples, 2);
    auto const path = write(made);
    auto const expected = made.values<double>();
    EXPECT_EQ(elements_of<double>(path), expected);
    for (std::uint64_t const row : {std::uint64_t{0}, std::uint64_t{1}, samples / 2 + 3}) {
      for (std::uint64_t const rows : {std::uint64_t{1}, std::uint64_t{6}, samples - row}) {
        MatrixReader const fresh(path);
        Block const block{.row = row, .col = 0, .rows = rows, .cols = 2};
        EXPECT_EQ(read_block<double>(fresh, block), part_of(expected, samples, block));
        EXPECT_EQ(read_block<double>(fresh, block), part_of(expected, samples, block));
        MatrixReader const held(path);
        held.hold();
        EXPECT_EQ(read_block<double>(held, block), part_of(expected, samples, block));
      }
    }
  }
}

TEST_F(Bed, ThreadsReadWhatOneThreadReads) {
  constexpr std::uint64_t samples = 20'003;
  Genotypes const made = random_genotypes(samples, 8);
  auto const path = write(made);
  auto const expected = made.values<float>();
  MatrixReader const reader(path);
  std::vector<float> found(expected.size());
  std::vector<std::thread> threads;
  constexpr std::uint64_t shares = 4;
  std::uint64_t const share = expected.size() / shares;
  for (std::uint64_t k = 0; k < shares; ++k) {
    threads.emplace_back([&, k] {
      std::uint64_t const count = k + 1 == shares ? expected.size() - k * share : share;
      reader.read(Part::matrix, k * share, std::span(found).subspan(k * share, count));
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(found, expected);
}

TEST_F(Bed, HeldBytesAreNotReadAgain) {
  Genotypes const made = random_genotypes(9, 4);
  auto const path = write(made);
  MatrixReader const reader(path);
  reader.hold();
  std::filesystem::resize_file(path, 3);
  reader.hold();
  EXPECT_EQ(read_block<float>(reader, {.row = 0, .col = 0, .rows = 9, .cols = 4}),
            made.values<float>());
  EXPECT_THROW(reader.check_unchanged(), FileError);
}

TEST_F(Bed, PaddingIsNotRead) {
  for (unsigned padding = 0; padding < 256; padding += 4) {
    Bytes const bed = Bytes("\x6c\x1b\x01") + static_cast<char>(padding | 2U);
    EXPECT_EQ(elements_of<float>(write(bed, 1, 1)), std::vector<float>{1});
  }
}

TEST_F(Bed, LinesMayEndInAnyWay) {
  Genotypes const made = random_genotypes(5, 3);
  Bytes const bed = bed_bytes(made.codes, 5);
  for (Bytes const end : {"\n", "\r\n", "\n\n", " \t\r\n", "\n \n"}) {
    EXPECT_EQ(elements_of<float>(write(bed, 5, 3, end)), made.values<float>());
  }
  auto const path = write(bed, 5, 3);
  folder_.write("a.fam", lines(5).substr(0, lines(5).size() - 1));
  folder_.write("a.bim", "\xEF\xBB\xBF" + lines(3));
  EXPECT_EQ(elements_of<float>(path), made.values<float>());
}

TEST_F(Bed, FilesNextToItMustExistAndHaveLines) {
  Genotypes const made = random_genotypes(5, 3);
  for (auto const& [name, what] : {std::pair{"a.fam", "sample"}, {"a.bim", "variant"}}) {
    auto const path = write(made);
    std::filesystem::remove(folder_ / name);
    expect_bad_matrix(path,
                      {std::string("has no ") + (name + 1) + " file: expected " + (folder_ / name) +
                       " with one line for each " + what + ", found nothing"});
    for (Bytes const content : {"", "\n", " \r\n\n"}) {
      static_cast<void>(folder_.write(name, content));
      expect_error(ErrorKind::bad_input, folder_ / name,
                   {std::string("is empty: expected one line for each ") + what},
                   [&] { static_cast<void>(inspect(path)); });
    }
    static_cast<void>(folder_.write(name, "#FID IID\n" + lines(5)));
    expect_error(ErrorKind::bad_input, folder_ / name,
                 {std::string("has a header: expected one line for each ") + what +
                  ", found '#FID IID' in line 1"},
                 [&] { static_cast<void>(inspect(path)); });
    static_cast<void>(folder_.write(name, "1 a\r2 b\r3 c"));
    expect_error(ErrorKind::bad_input, folder_ / name, {"has a carriage return inside a line"},
                 [&] { static_cast<void>(inspect(path)); });
    std::filesystem::remove(folder_ / name);
    std::filesystem::create_directory(folder_ / name);
    expect_error(ErrorKind::bad_input, folder_ / name, {"found a directory"},
                 [&] { static_cast<void>(inspect(path)); });
    std::filesystem::remove(folder_ / name);
  }
}

TEST_F(Bed, SizesMustMatch) {
  Genotypes const made = random_genotypes(5, 3);
  Bytes const bed = bed_bytes(made.codes, 5);
  for (std::size_t size = 3; size < bed.size(); ++size) {
    expect_bad_matrix(write(bed.substr(0, size), 5, 3),
                      {"is truncated: expected 9 bytes for 5 samples (.fam) and 3 variants (.bim), "
                       "found " +
                       std::to_string(size)});
  }
  expect_bad_matrix(write(bed + "x", 5, 3), {"has trailing bytes: expected 9 bytes for 5 samples "
                                             "(.fam) and 3 variants (.bim), found 10"});
  expect_bad_matrix(write(bed, 4, 3), {"has trailing bytes: expected 6 bytes for 4 samples"});
  expect_bad_matrix(write(bed, 5, 4), {"is truncated: expected 11 bytes"});
}

TEST_F(Bed, OtherMarksAreRefused) {
  expect_bad_matrix(write("", 5, 3), {"is empty: expected a PLINK 1 .bed file, found 0 bytes"});
  for (auto const& [content, found] : {std::pair{Bytes("\x6c"), "6c"},
                                       {Bytes("\x6c\x1b"), "6c 1b"},
                                       {Bytes("\x6c\x1b\x02\x01", 4), "6c 1b 02"},
                                       {Bytes("\x1b\x6c\x01\x01", 4), "1b 6c 01"},
                                       {Bytes("chr1\t100\t200\n"), "63 68 72"}}) {
    expect_bad_matrix(write(content, 5, 3),
                      {std::string("is not a PLINK 1 binary file: expected it "
                                   "to begin with the bytes 6c 1b 01, found ") +
                       found});
  }
  expect_bad_matrix(write(Bytes("\x6c\x1b\x00\x01\x01", 5), 1, 2),
                    {"is in the order of samples: expected the order of variants (6c 1b 01), found "
                     "6c 1b 00"});
}

TEST_F(Bed, AreRecognisedUnderAnyName) {
  Genotypes const made = random_genotypes(6, 3);
  for (std::string const name : {"b.dat", "b", "b.npy", "b.BED", "b.ex3"}) {
    SCOPED_TRACE(name);
    static_cast<void>(folder_.write("b.fam", lines(6)));
    static_cast<void>(folder_.write("b.bim", lines(3)));
    auto const path = folder_.write(name, bed_bytes(made.codes, 6));
    EXPECT_EQ(inspect(path).format, Format::bed);
    EXPECT_EQ(elements_of<float>(path), made.values<float>());
  }
  // An ex3 file of this size may begin with the same bytes.
  std::string const path = folder_.write("c", Bytes("\x6c\x1b\x01\0\1\0\0\0", 8) + Bytes(8, '\0'));
  std::filesystem::resize_file(path, 16 + 2 * 4 * std::uintmax_t{0x011b6c});
  EXPECT_EQ(inspect(path).format, Format::ex3);
}

TEST_F(Bed, OneLineIsAVector) {
  Genotypes const made = random_genotypes(1, 9);
  auto const v = std::get<VectorView<float>>(read_vector(write(made), {.length = 9}));
  EXPECT_EQ(std::vector<float>(v.data(), v.data() + v.size()), made.values<float>());
}

TEST_F(Bed, AreConvertedIntoFiles) {
  Genotypes const made = random_genotypes(301, 40);
  auto const path = write(made);
  auto const expected = made.values<float>();
  convert_file({.input = path, .output = folder_ / "A.npy"});
  EXPECT_EQ(inspect(folder_ / "A.npy").layout, Layout::left);
  EXPECT_EQ(elements_of<float>(folder_ / "A.npy"), expected);
  convert_file({.input = path, .output = folder_ / "B.npy", .type = ScalarType::f64});
  EXPECT_EQ(elements_of<double>(folder_ / "B.npy"), made.values<double>());
  convert_file({.input = path, .output = folder_ / "C.npy", .layout = Layout::right});
  auto const rows = elements_of<float>(folder_ / "C.npy");
  for (std::uint64_t i = 0; i < made.samples; ++i) {
    for (std::uint64_t j = 0; j < made.variants; ++j) {
      ASSERT_EQ(rows[i * made.variants + j], expected[j * made.samples + i]);
    }
  }
}

TEST_F(Bed, TheExampleOfTheRepositoryIsRead) {
  // tests/data/io/make_samples.py
  EXPECT_EQ(elements_of<float>(sample("genotypes.bed")),
            (std::vector<float>{2, 1, 0, 1, 2, 1, 0, 0, 2, 2, 1, 1, 1, 1, 1}));
}

TEST_F(Bed, AFileThatChangesIsAnError) {
  auto const path = write(random_genotypes(5, 3));
  MatrixReader const reader(path);
  static_cast<void>(folder_.write("a.bed", Bytes("\x6c\x1b\x01") + Bytes(6, '\3')));
  expect_error(ErrorKind::bad_input, path, {"was changed while it was read"},
               [&] { reader.check_unchanged(); });
}

}  // namespace
}  // namespace tessera::io::test
