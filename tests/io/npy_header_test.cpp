// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include <gmock/gmock.h>

#include <io/matrix_file.hpp>
#include <io/npy_header.hpp>

#include "io/support/bytes.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

class NpyHeaderTest : public testing::Test {
 protected:
  [[nodiscard]] std::string file(Bytes const& header, unsigned major = 1,
                                 std::int64_t length = -1) const {
    return folder_.write("A.npy", npy_bytes(header, bytes_of<float>({1, 2}), major, length));
  }
  void expect_bad_header(Bytes const& header, std::initializer_list<std::string_view> parts) const {
    SCOPED_TRACE(header);
    expect_bad_matrix(file(header), parts);
  }

  Folder folder_;
};

TEST_F(NpyHeaderTest, EverySpellingOfTheDictionaryIsRead) {
  for (Bytes const header : {
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n",
           "{'descr':'<f4','fortran_order':False,'shape':(1,2)}",
           "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (1, 2)}   \n",
           "{'shape': (1, 2), 'descr': \"<f4\", 'fortran_order': False}",
           " \t{ 'fortran_order' :True , 'shape' : ( 1 , 2 , ) ,\n'descr' : '<f4' } \r\n\n",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1L, 2L), }",
           "{'descr': '=f4', 'fortran_order': False, 'shape': (1, 2), }",
           "{'descr': '|f4', 'fortran_order': False, 'shape': (1, 2), }",
           "{'descr': 'f4', 'fortran_order': False, 'shape': (1, 2), }",
       }) {
    SCOPED_TRACE(header);
    MatrixInfo const info = inspect(file(header));
    EXPECT_EQ(info.rows, 1U);
    EXPECT_EQ(info.cols, 2U);
    EXPECT_EQ(info.type, ScalarType::f32);
    EXPECT_EQ(info.byte_order, std::endian::little);
  }
}

TEST_F(NpyHeaderTest, WhatIsNoSuchDictionaryIsRefused) {
  for (Bytes const header : {
           "",
           "{",
           "{}",
           "[]",
           "{'descr'}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)",
           "{'descr': '<f4' 'fortran_order': False, 'shape': (1, 2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)} {}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2),,}",
           "{,'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}",
           "{'descr: '<f4', 'fortran_order': False, 'shape': (1, 2)}",
           "{'desc\\x72': '<f4', 'fortran_order': False, 'shape': (1, 2)}",
           "{'descr': <f4, 'fortran_order': False, 'shape': (1, 2)}",
           "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 2)}",
           "{'descr': '<f4', 'fortran_order': false, 'shape': (1, 2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': [1, 2]}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, -2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 02)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2.0)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 0x2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1, two)}",
       }) {
    expect_bad_header(header, {"has a broken header: expected "});
  }
  expect_bad_header("{'descr': '<f4\", 'fortran_order': False}", {"unsupported element type"});
  expect_bad_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2)}",
                    {"expected the shape (2,), found (2)"});
}

TEST_F(NpyHeaderTest, EveryKeyIsNeededOnceAndNoOther) {
  expect_bad_header("{'fortran_order': False, 'shape': (1, 2)}", {"the key 'descr'"});
  expect_bad_header("{'descr': '<f4', 'shape': (1, 2)}", {"the key 'fortran_order'"});
  expect_bad_header("{'descr': '<f4', 'fortran_order': False}", {"the key 'shape'"});
  expect_bad_header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}",
                    {"'descr' once", "twice"});
  expect_bad_header(
      "{'descr': '<f4', 'fortran_order': True, 'fortran_order': False, 'shape': (1, 2)}",
      {"'fortran_order' once", "twice"});
  expect_bad_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), 'shape': (1, 2)}",
                    {"'shape' once", "twice"});
  expect_bad_header("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), 'x': 1}",
                    {"unknown key", "found 'x'"});
}

TEST_F(NpyHeaderTest, SizesThatOverflowAreRefused) {
  expect_bad_header(npy_header("<f4", "(18446744073709551616, 1)"), {"overflow", "below 2^64"});
  expect_bad_header(npy_header("<f4", "(18446744073709551615, 18446744073709551615)"),
                    {"overflow"});
  expect_bad_header(npy_header("<f4", "(4294967296, 4294967296)"), {"overflow"});
  expect_bad_header(npy_header("<f8", "(2305843009213693952,)"), {"overflow"});
  expect_bad_header(npy_header("<f4", "(4611686018427387904, 1)"), {"overflow"});
}

TEST_F(NpyHeaderTest, AHeaderThatLiesAboutTheDataIsRefused) {
  expect_bad_header(npy_header("<f4", "(1, 3)"), {"truncated", "1 rows x 3 columns of f32"});
  expect_bad_header(npy_header("<f8", "(1, 2)"), {"truncated", "f64"});
  expect_bad_header(npy_header("<f4", "(1, 1)"), {"trailing bytes"});
  expect_bad_header(npy_header("<f4", "(1, 0)"), {"zero"});
  expect_bad_header(npy_header("<f4", "(1000000000, 1000000000)"), {"truncated"});
}

TEST_F(NpyHeaderTest, AnAbsurdHeaderLengthIsRefused) {
  Bytes const header = npy_header("<f4", "(1, 2)");
  expect_bad_matrix(file(header, 2, 0xffffffff), {"absurd header length", "4294967295"});
  expect_bad_matrix(file(header, 1, 0xffff), {"truncated", "65535"});
  expect_bad_matrix(file(header, 1, 0), {"broken header"});
  expect_bad_matrix(file(header, 1, 20), {"broken header"});
  auto const longer = static_cast<std::int64_t>(header.size()) + 8;
  expect_bad_matrix(file(header, 1, longer), {"broken header", "nothing after"});
}

TEST_F(NpyHeaderTest, OtherVersionsAndOtherFilesAreRefused) {
  Bytes good = npy_bytes(npy_header("<f4", "(1, 2)"), bytes_of<float>({1, 2}));
  auto const with = [&](std::size_t place, char byte) {
    Bytes bad = good;
    bad[place] = byte;
    return folder_.write("A.npy", bad);
  };
  expect_bad_matrix(with(6, '\0'), {"unsupported .npy version", "found 0.0"});
  expect_bad_matrix(with(6, '\4'), {"unsupported .npy version", "found 4.0"});
  expect_bad_matrix(with(7, '\1'), {"unsupported .npy version", "found 1.1"});
  for (std::size_t place = 0; place < 6; ++place) {
    expect_bad_matrix(with(place, 'x'), {"not a .npy file"});
  }
  expect_bad_matrix(folder_.write("B.npy", "PK\x03\x04 a zip file"), {"expected an .npz file"});
}

TEST_F(NpyHeaderTest, MessagesShowOnlyPrintableText) {
  expect_bad_header("{'descr': '\x1b[31m\xff\n', 'fortran_order': False, 'shape': (1, 2)}",
                    {"found '?[31m?\?'"});
  expect_bad_header(Bytes(100, 'x'), {"found '" + Bytes(40, 'x') + "...'"});
}

TEST_F(NpyHeaderTest, NoChangeOfAByteOfTheDictionaryDoesAnythingButAnErrorOrAHeader) {
  Bytes const good = npy_header("<f4", "(12, 3)");
  std::size_t accepted = 0;
  for (std::size_t place = 0; place < good.size(); ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      Bytes bad = good;
      bad[place] = static_cast<char>(byte);
      try {
        NpyHeader const header = parse_npy_header(bad, "A.npy");
        EXPECT_THAT(header.shape.size(), testing::AnyOf(1U, 2U)) << bad;
        ++accepted;
      } catch (FileError const& error) {
        EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.what();
      }
    }
  }
  EXPECT_GE(accepted, good.size());
}

TEST_F(NpyHeaderTest, AnyChangedByteGivesErrorOrMatrix) {
  Bytes const good = npy_bytes(npy_header("<f4", "(1, 2)"), bytes_of<float>({1, 2}), 2);
  std::size_t accepted = 0;
  for (std::size_t place = 0; place < good.size(); ++place) {
    for (unsigned const flip : {0x00U, 0x01U, 0x08U, 0x80U, 0xffU}) {
      Bytes bad = good;
      bad[place] = static_cast<char>(static_cast<unsigned char>(bad[place]) ^ flip);
      auto const path = folder_.write("A.npy", bad);
      try {
        static_cast<void>(read_matrix(path));
        ++accepted;
      } catch (FileError const& error) {
        EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.what();
      }
    }
  }
  EXPECT_GE(accepted, good.size());
}

}  // namespace
}  // namespace tessera::io::test
