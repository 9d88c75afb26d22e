// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include <io/conversion.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>

#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

// CSV and Matrix Market.
namespace tessera::io::test {
namespace {

struct Table {
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::vector<double> values;

  bool operator==(Table const&) const = default;
};

Table table_of(MatrixReader const& reader) {
  MatrixInfo const& info = reader.info();
  Table table{.rows = info.rows, .cols = info.cols, .values = {}};
  for (std::uint64_t i = 0; i < info.rows; ++i) {
    for (std::uint64_t j = 0; j < info.cols; ++j) {
      double value = 0;
      std::uint64_t const place =
          info.layout == Layout::right ? i * info.cols + j : j * info.rows + i;
      reader.read(Part::matrix, place, std::span(&value, 1));
      table.values.push_back(value);
    }
  }
  reader.check_unchanged();
  return table;
}

class TextTest : public testing::Test {
 protected:
  Table read(std::string const& name, Bytes const& content, CsvHeader header = {}) {
    return table_of(MatrixReader(folder_.write(name, content), {.header = header},
                                 Reading::anywhere, std::nullopt, Text::taken));
  }
  Table csv(Bytes const& content, CsvHeader header = {}) { return read("A.csv", content, header); }
  Table market(Bytes const& content) { return read("A.mtx", "%%MatrixMarket matrix " + content); }

  void expect_refused(std::string const& name, Bytes const& content, std::string_view words,
                      CsvHeader header = {}) {
    SCOPED_TRACE(content.substr(0, 100));
    std::string const path = folder_.write(name, content);
    expect_error(ErrorKind::bad_input, path, {words}, [&] {
      static_cast<void>(
          MatrixReader(path, {.header = header}, Reading::anywhere, std::nullopt, Text::taken));
    });
  }

  Folder folder_;
};

Table const two_by_three{.rows = 2, .cols = 3, .values = {1, 2, 3, 4, 5, 6}};

TEST_F(TextTest, CsvHasCommasSemicolonsTabsOrBlanks) {
  EXPECT_EQ(csv("1,2,3\n4,5,6\n"), two_by_three);
  EXPECT_EQ(csv("1;2;3\n4;5;6"), two_by_three);
  EXPECT_EQ(csv("1\t2\t3\r\n4\t5\t6\r\n"), two_by_three);
  EXPECT_EQ(csv(" 1  2 3\n4 5\t6 \n"), (Table{2, 3, {1, 2, 3, 4, 5, 6}}));
  EXPECT_EQ(csv("\xEF\xBB\xBF 1 , 2,\t3\n\n# a comment\n\"4\",\" 5 \",6\n\n"), two_by_three);
  EXPECT_EQ(csv("7\n8\n"), (Table{2, 1, {7, 8}}));
}

TEST_F(TextTest, CsvHasALineOfNamesOrNone) {
  EXPECT_EQ(csv("length,my width,\"x\"\n1,2,3\n4,5,6\n"), two_by_three);
  EXPECT_EQ(csv("# comment\nx y z\n1 2 3\n4 5 6\n"), two_by_three);
  EXPECT_EQ(MatrixReader(folder_.write("B.csv", "a,b\n1,2\n"), {}, Reading::anywhere, std::nullopt,
                         Text::taken)
                .info()
                .version,
            "with a line of names");
  expect_refused("A.csv", "1,b\n1,2\n",
                 "found 'b' as field 2 in line 1; --header yes reads this line as names");
  expect_refused("A.csv", "a,b\nc,d\n", "found 'c' as field 1 in line 2");
  EXPECT_EQ(csv(",x,y\n1,2,3\n4,5,6\n"), two_by_three);
  EXPECT_EQ(csv("% fat;$x;(é)\n1;2;3\n4;5;6\n"), two_by_three);
}

TEST_F(TextTest, CsvWhoseFirstLineMayBeDataAsksForTheOption) {
  for (auto const& [line, found] : std::initializer_list<std::pair<Bytes, std::string>>{
           {"NA,NA", "found 'NA' as field 1"},
           {",", "found '' as field 1"},
           {"-,-", "found '-' as field 1"},
           {"\"1,000\",\"2,000\"", "found '\"1,000\"' as field 1"},
           {"1.0.0,2.0.0", "found '1.0.0' as field 1"},
           {"2020-01-01,2020-01-02", "found '2020-01-01' as field 1"},
           {"null,None", "found 'null' as field 1"},
           {"TRUE,FALSE", "found 'TRUE' as field 1"},
           {"x,NA", "found 'NA' as field 2"},
           {"?;1e999", "found '?' as field 1"},
           {"x,12kg", "found '12kg' as field 2"}}) {
    expect_refused("A.csv", line + "\n3,4\n", found);
    expect_refused("A.csv", line + "\n3,4\n",
                   " in line 1; --header yes reads this line as names, --header no as data");
    char const separator = line.find(';') == Bytes::npos ? ',' : ';';
    Bytes const rows = Bytes("\n3") + separator + "4\n5" + separator + "6\n";
    EXPECT_EQ(csv(line + rows, CsvHeader::yes), (Table{2, 2, {3, 4, 5, 6}})) << line;
    expect_refused("A.csv", line + rows, "has a field that is not a number", CsvHeader::no);
  }
}

TEST_F(TextTest, CsvSaysHowAMissingValueIsWritten) {
  for (Bytes const gap : {"", "NA", "\"\"", "null", "?"}) {
    expect_refused("A.csv", "a,b\n1," + gap + "\n",
                   "'" + gap + "' as field 2 in line 2; a missing value is written nan");
    expect_refused("A.csv", "1," + gap + "\n3,4\n",
                   "'" + gap + "' as field 2 in line 1; a missing value is written nan");
  }
  expect_refused("A.csv", "a,b\n1,2x\n", "found '2x' as field 2 in line 2");
}

TEST_F(TextTest, CsvTakesTheFirstLineAsItIsTold) {
  EXPECT_EQ(csv("2020,2021\n3,4\n", CsvHeader::yes), (Table{1, 2, {3, 4}}));
  EXPECT_EQ(csv("2020,2021\n3,4\n", CsvHeader::no), (Table{2, 2, {2020, 2021, 3, 4}}));
  EXPECT_EQ(csv("2020,2021\n3,4\n"), (Table{2, 2, {2020, 2021, 3, 4}}));
  EXPECT_EQ(csv("x,2021\n3,4\n", CsvHeader::yes), (Table{1, 2, {3, 4}}));
  expect_refused("A.csv", "a,b\n3,4\n", "found 'a' as field 1 in line 1", CsvHeader::no);
  expect_refused("A.csv", "1,2\n", "found one line of names", CsvHeader::yes);
}

TEST_F(TextTest, CsvNamesAreAsManyAsFields) {
  for (CsvHeader const header : {CsvHeader::automatic, CsvHeader::yes}) {
    expect_refused("A.csv", "a,b,c\n1,2\n",
                   "expected 3 fields as in the line of names, found 2 in line 2", header);
    expect_refused("A.csv", "a,b\n1,2,3\n",
                   "expected 2 fields as in the line of names, found 3 in line 2", header);
  }
}

TEST_F(TextTest, CsvSeparatorsInsideQuotesAreText) {
  EXPECT_EQ(csv("\"x;y\",z,w\n1,2,3\n4,5,6\n"), two_by_three);
  EXPECT_EQ(csv("\"x,y\";z;w\n1;2;3\n4;5;6\n"), two_by_three);
  EXPECT_EQ(csv("\"a\"\"b,\", \"c,d\" ,e\n1,2,3\n4,5,6\n"), two_by_three);
  EXPECT_EQ(csv("\"my x\" y \"z\"\n1 2 3\n4 \"5\" 6\n"), two_by_three);
  EXPECT_EQ(csv("\"x\ty\"\tz\tw\n1\t2\t3\n4\t 5 \t6\n"), two_by_three);
  expect_refused("A.csv", "1,\"2,000\"\n", "found '\"2,000\"' as field 2");
  expect_refused("A.csv", "\"a,b\n1,2\n", "has an unclosed quote");
  expect_refused("A.csv", "1,2\n\"3,4\n", "has an unclosed quote");
}

TEST_F(TextTest, IntegersAreNeverRounded) {
  for (std::string const integer :
       {"9007199254740993", "-9007199254740993", "+9007199254740993", "009007199254740993",
        "18446744073709551617", "100000000000000000000000000000000000000001"}) {
    std::string const words =
        "has an integer that f64 does not hold exactly: expected at most 53 "
        "significant bits, found '" +
        (integer.size() > 40 ? integer.substr(0, 40) + "..." : integer) + "'";
    expect_refused("A.csv", "1," + integer + "\n",
                   words + " as field 2 in line 1; write it with a point if it may be rounded");
    for (std::string const field : {"real", "double", "integer"}) {
      expect_refused(
          "A.mtx",
          "%%MatrixMarket matrix coordinate " + field + " general\n1 1 1\n1 1 " + integer + "\n",
          words + " in line 3");
    }
  }
  for (std::string const integer :
       {"9007199254740992", "-18446744073709551616", "0000000000000000000000000",
        "36893488147419103232", "100000000000000000000", "9007199254740993.0",
        "9007199254740993e0"}) {
    SCOPED_TRACE(integer);
    Table const expected{1, 1, {std::strtod(integer.c_str(), nullptr)}};
    EXPECT_EQ(csv(integer + "\n"), expected);
    EXPECT_EQ(market("array real general\n1 1\n" + integer + "\n"), expected);
    bool const has_point = integer.find_first_of(".e") != std::string::npos;
    if (has_point) {
      expect_refused("A.mtx", "%%MatrixMarket matrix array integer general\n1 1\n" + integer + "\n",
                     "has a broken element: expected an integer in a file of integers, found '" +
                         integer + "'");
    } else {
      EXPECT_EQ(market("array integer general\n1 1\n" + integer + "\n"), expected);
    }
  }
}

TEST_F(TextTest, FloatsAreRefusedThatWouldRoundAnInteger) {
  std::string const market_head = "%%MatrixMarket matrix array real general\n1 2\n1\n";
  for (auto const& [name, content, place] :
       {std::tuple{"A.csv", Bytes("1,16777217\n"), "'16777217' as field 2 in line 1"},
        std::tuple{"A.mtx", market_head + "16777217\n", "'16777217' in line 4"}}) {
    std::string const path = folder_.write(name, content);
    std::string const output = folder_ / "B.npy";
    expect_error(ErrorKind::bad_input, path,
                 {"has an integer that f32 does not hold exactly: expected at most 24 significant "
                  "bits, found ",
                  place, "; --output-type f64 holds it"},
                 [&] { convert_file({.input = path, .output = output, .type = ScalarType::f32}); });
    convert_file({.input = path, .output = output});
    EXPECT_EQ(table_of(MatrixReader(output)), (Table{1, 2, {1, 16777217}}));
  }
  EXPECT_EQ(csv("16777216,16777217.0\n"), (Table{1, 2, {16777216, 16777217}}));
  convert_file({.input = folder_ / "A.csv", .output = folder_ / "C.npy", .type = ScalarType::f32});
  EXPECT_EQ(table_of(MatrixReader(folder_ / "C.npy")), (Table{1, 2, {16777216, 16777216}}));
}

TEST_F(TextTest, LinesThatEndInCarriageReturnsAloneAreNamed) {
  std::string const words =
      "has a carriage return inside a line: expected lines that end in LF or "
      "CRLF, found CR in line 1; `tr '\\r' '\\n'` changes them";
  expect_refused("A.csv", "1,2\r3,4\r", words);
  expect_refused("A.csv", Bytes(300'000, '1') + "\r" + Bytes(300'000, '2') + "\n", words);
  expect_refused("A.mtx", "%%MatrixMarket matrix array real general\r1 1\r1\r", words);
  EXPECT_EQ(csv(Bytes(300'000, '0') + "1\r\n" + Bytes(262'140, '0') + "2\r\n"),
            (Table{2, 1, {1, 2}}));
}

TEST_F(TextTest, NumbersBecomeTheNearestOnes) {
  Table const found =
      csv("0.1,4.9406564584124654e-324,-0,1.7976931348623157e308,-inf,nan,+2.5e+3,.5,1e-400,"
          "9007199254740993.,2.4703282292062328e-324\n");
  std::vector<double> const expected{0.1,
                                     std::numeric_limits<double>::denorm_min(),
                                     -0.0,
                                     std::numeric_limits<double>::max(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::quiet_NaN(),
                                     2500,
                                     0.5,
                                     0,
                                     9007199254740992,
                                     std::numeric_limits<double>::denorm_min()};
  ASSERT_EQ(found.values.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found.values[k]),
              std::bit_cast<std::uint64_t>(expected[k]))
        << k;
  }
}

TEST_F(TextTest, CsvThatIsNoTableIsRefused) {
  expect_refused("A.csv", "", "is empty: expected a row of numbers, found none");
  expect_refused("A.csv", "\n# 1,2\n", "is empty");
  expect_refused("A.csv", "a,b\n", "found one line of names");
  expect_refused("A.csv", "1,2\n3\n",
                 "has rows of different lengths: expected 2 fields as in the first row, found 1 in "
                 "line 2");
  expect_refused("A.csv", "1,2,\n", "found '' as field 3 in line 1");
  for (std::string const field :
       {"1e999", "0x10", "1,5", "--1", "+-1", "1 2", "1.5.2", "1e", "+"}) {
    expect_refused("A.csv", "7;" + field + "\n", "found '" + field + "' as field 2 in line 1");
  }
  expect_refused("A.csv", Bytes("1,2\n\0003,4\n", 10), "found '?3' as field 1 in line 2");
}

TEST_F(TextTest, MatrixMarketArraysAreColumnByColumn) {
  EXPECT_EQ(market("array real general\n% a comment\n\n2 3\n1\n4\n2\n5\n3\n6\n"), two_by_three);
  EXPECT_EQ(market("ARRAY Integer General\n2 3\n1\n4\n2\n5\n3\n6"), two_by_three);
  EXPECT_EQ(market("array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"),
            (Table{3, 3, {1, 2, 3, 2, 4, 5, 3, 5, 6}}));
  EXPECT_EQ(market("array real skew-symmetric\n3 3\n1\n2\n3\n"),
            (Table{3, 3, {0, -1, -2, 1, 0, -3, 2, 3, 0}}));
}

TEST_F(TextTest, MatrixMarketCoordinatesLeaveOutZeros) {
  EXPECT_EQ(market("coordinate real general\n2 3 2\n2 3 -1.5\n1 1 1e2\n"),
            (Table{2, 3, {100, 0, 0, 0, 0, -1.5}}));
  EXPECT_EQ(market("coordinate integer symmetric\n3 3 3\n1 1 7\n3 1 8\n3 2 9\n"),
            (Table{3, 3, {7, 0, 8, 0, 0, 9, 8, 9, 0}}));
  EXPECT_EQ(market("coordinate real skew-symmetric\n2 2 1\n2 1 3\n"), (Table{2, 2, {0, -3, 3, 0}}));
  EXPECT_EQ(market("coordinate real general\n1 2 0\n"), (Table{1, 2, {0, 0}}));
}

TEST_F(TextTest, MatrixMarketPatternsAreOnes) {
  EXPECT_EQ(market("coordinate pattern general\n2 3 2\n2 3\n1 1\n"),
            (Table{2, 3, {1, 0, 0, 0, 0, 1}}));
  EXPECT_EQ(market("coordinate Pattern symmetric\n2 2 1\n2 1\n"), (Table{2, 2, {0, 1, 1, 0}}));
  expect_refused("A.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 5\n",
                 "has text after the last number");
  expect_refused("A.mtx", "%%MatrixMarket matrix array pattern general\n1 1\n1\n",
                 "expected real or integer elements, found 'pattern'");
  expect_refused("A.mtx", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n",
                 "expected general or symmetric for a pattern, found 'skew-symmetric'");
}

TEST_F(TextTest, MatrixMarketAddsElementsOfOnePlace) {
  EXPECT_EQ(market("coordinate real general\n2 2 4\n1 2 1e16\n2 2 5\n1 2 1.0\n1 2 -1e16\n"),
            (Table{2, 2, {0, 0, 0, 5}}));
  EXPECT_EQ(market("coordinate real general\n1 2 3\n1 2 1e16\n1 2 -1e16\n1 2 1.0\n"),
            (Table{1, 2, {0, 1}}));
  EXPECT_EQ(market("coordinate pattern general\n1 2 3\n1 2\n1 1\n1 2\n"), (Table{1, 2, {1, 2}}));
  EXPECT_EQ(market("coordinate integer symmetric\n2 2 3\n2 1 3\n2 2 7\n1 2 4\n"),
            (Table{2, 2, {0, 7, 7, 7}}));
  EXPECT_EQ(market("coordinate real skew-symmetric\n2 2 2\n2 1 3\n2 1 4\n"),
            (Table{2, 2, {0, -7, 7, 0}}));
  expect_refused("A.mtx",
                 "%%MatrixMarket matrix coordinate integer general\n2 3 2\n2 3 9007199254740992\n"
                 "2 3 1\n",
                 "whose sum f64 does not hold exactly: expected at most 53 significant bits, found "
                 "more in row 2, column 3");
  std::string const path = folder_.write(
      "B.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 2\n1 1 16777216\n1 1 1\n");
  expect_error(ErrorKind::bad_input, path, {"f32 does not hold exactly", "the sum of"}, [&] {
    convert_file({.input = path, .output = folder_ / "B.npy", .type = ScalarType::f32});
  });
}

TEST_F(TextTest, MatrixMarketHasCommentsAnywhere) {
  EXPECT_EQ(market("coordinate real general\n% a\n1 2 2\n%b\n1 2 3\n % c\n\n1 1 4\n% end\n\n %%\n"),
            (Table{1, 2, {4, 3}}));
  EXPECT_EQ(market("array real general\n1 1\n% before\n7\n% after\n"), (Table{1, 1, {7}}));
}

TEST_F(TextTest, TheMarkOfUtf8IsNoPartOfAText) {
  Bytes const mark = "\xEF\xBB\xBF";
  for (std::string const name : {"A.mtx", "A.txt"}) {
    EXPECT_EQ(read(name, mark + "%%MatrixMarket matrix array real general\n1 1\n7\n"),
              (Table{1, 1, {7}}));
  }
  EXPECT_EQ(csv(mark + "\"a\",b,c\n1,2,3\n4,5,6\n"), two_by_three);
}

/// The zeros would take 2^62 bytes less 2^32.
TEST_F(TextTest, ZerosThatAreLeftOutTakeNoMemory) {
  std::string const path = folder_.write("A.mtx",
                                         "%%MatrixMarket matrix coordinate real general\n"
                                         "268435456 268435455 1\n268435456 268435455 5\n");
  MatrixReader const reader(path, {}, Reading::anywhere, std::nullopt, Text::taken);
  std::vector<float> end(3);
  reader.read(Part::matrix, reader.info().elements() - 3, std::span(end));
  EXPECT_EQ(end, (std::vector<float>{0, 0, 5}));
}

TEST_F(TextTest, MatrixMarketThatIsBrokenIsRefused) {
  auto const refused = [&](Bytes const& content, std::string_view words) {
    expect_refused("A.mtx", "%%MatrixMarket " + content, words);
  };
  refused("vector array real general\n", "is not a Matrix Market file");
  refused("matrix array real\n", "expected general, symmetric or skew-symmetric, found ''");
  refused("matrix array real general more\n", "is not a Matrix Market file");
  refused("matrix array complex general\n1 1\n1 1\n", "found 'complex' in line 1");
  refused("matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "found 'hermitian'");
  refused("matrix dense real general\n", "expected array or coordinate, found 'dense'");
  refused("matrix array real general\n", "expected a line of sizes");
  refused("matrix array real general\n2\n", "expected a whole number of columns, found ''");
  refused("matrix array real general\n2 3 4\n",
          "has text after the last number of a line: expected its end");
  refused("matrix array real general\n-2 3\n", "expected a whole number of rows, found '-2'");
  refused("matrix array real general\n0 3\n", "dimension of zero");
  refused("matrix array real general\n4294967296 4294967296\n", "overflow");
  refused("matrix array real symmetric\n2 3\n", "is not square");
  refused("matrix array real general\n2 2\n1\n2\n3\n",
          "is truncated: expected 4 elements, found the end");
  refused("matrix array real general\n1 1\n1\n2\n",
          "expected the end of the file after 1 elements, found '2'");
  refused("matrix array real general\n1 2\n1 2\n", "has text after the last number");
  refused("matrix array real general\n1 1\nx\n", "expected a number that f64 holds, found 'x'");
  refused("matrix array integer general\n1 1\n1.5\n", "found '1.5' in line 3");
  refused("matrix array integer general\n1 1\n9007199254740993\n",
          "expected at most 53 significant bits, found '9007199254740993'");
  refused("matrix coordinate real general\n2 2 1\n3 1 1\n",
          "expected a row from 1 to 2, found '3'");
  refused("matrix coordinate real general\n2 2 1\n1 0 1\n", "expected a column from 1 to 2");
  refused("matrix coordinate real general\n2 2 2\n1 1 1\n", "expected 2 elements");
  refused("matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", "on the diagonal");
  refused("matrix array real symmetric\n1000000000 1000000000\n1\n",
          "expected 500000000500000000 elements");
}

TEST_F(TextTest, BlanksAtTheEndsOfLinesSayNothing) {
  EXPECT_EQ(csv("1,2,3 \n4,5,6\t\n"), two_by_three);
  EXPECT_EQ(csv("1 2 3 \n4 5 6\t \n"), two_by_three);
  EXPECT_EQ(market("array real general \n2 3\t\n1 \n4\t\n2 \t\n5\n3\n6 \n \n"), two_by_three);
  EXPECT_EQ(market("coordinate real general \n1 2 1 \n1 2 7 \t\n\t\n"), (Table{1, 2, {0, 7}}));
}

TEST_F(TextTest, SaysHowMuchMemoryItsElementsTake) {
  auto const bytes = [&](char const* name, std::string const& content) {
    std::string const path = folder_.write(name, content);
    return MatrixReader(path, {}, Reading::anywhere, std::nullopt, Text::taken).info().reader_bytes;
  };
  std::string rows;
  std::string entries = "%%MatrixMarket matrix coordinate real general\n5000 2 5000\n";
  for (int k = 1; k <= 5000; ++k) {
    rows += "1,2\n";
    entries += std::to_string(k) + " 1 2\n";
  }
  EXPECT_GE(bytes("A.csv", rows), 5000u * 2 * sizeof(double));
  EXPECT_GE(bytes("A.mtx", entries), 5000u * (sizeof(std::uint64_t) + sizeof(double)));
}

TEST_F(TextTest, AreConvertedIntoOtherFormats) {
  auto const npy = [&](std::string const& input, ConversionRequest request) {
    request.input = input;
    request.output = folder_ / "B.npy";
    convert_file(request);
    return table_of(MatrixReader(request.output));
  };
  std::string const csv_file = folder_.write("A.csv", "1,2,3\n4,5,6\n");
  std::string const market_file =
      folder_.write("A.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n4\n2\n5\n3\n6\n");
  for (std::string const& input : {csv_file, market_file}) {
    for (Layout const layout : {Layout::right, Layout::left}) {
      EXPECT_EQ(npy(input, {.input = "", .output = "", .layout = layout}), two_by_three);
      EXPECT_EQ(npy(input, {.input = "", .output = "", .type = ScalarType::f32, .layout = layout}),
                two_by_three);
    }
  }
  EXPECT_EQ(inspect(folder_ / "B.npy").stored, ElementType::f32);
  std::string const market_text = folder_.write("m.txt", content_of(market_file));
  std::string const csv_text = folder_.write("c.txt", content_of(csv_file));
  EXPECT_EQ(npy(market_text, {.input = "", .output = ""}), two_by_three);
  EXPECT_EQ(npy(csv_text, {.input = "", .input_format = Format::csv, .output = ""}), two_by_three);
}

TEST_F(TextTest, OtherCommandsSuggestConvert) {
  for (auto const& [name, content] :
       {std::pair{"A.csv", "1,2\n"},
        std::pair{"A.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n"}}) {
    std::string const path = folder_.write(name, content);
    expect_error(ErrorKind::bad_input, path, {"`tessera convert " + path + " FILE.npy`"},
                 [&] { static_cast<void>(read_matrix(path)); });
    expect_error(ErrorKind::bad_output, path,
                 {"has a format that is only read: expected no extension, .ex3, .npy, .bin, .h5, "
                  ".hdf5, found a "},
                 [&] { convert_file({.input = folder_ / "A.csv", .output = path}); });
  }
}

}  // namespace
}  // namespace tessera::io::test
