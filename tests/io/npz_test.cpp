// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <functional>
#include <string>
#include <unistd.h>
#include <vector>
#include <zlib.h>

#include <gmock/gmock.h>

#include <io/conversion.hpp>
#include <io/generate.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_reader.hpp>

#include "io/support/bytes.hpp"
#include "io/support/elements.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

// The files in tests/data/io are NumPy's.
namespace tessera::io::test {
namespace {

struct Member {
  Bytes name;
  Bytes content;
  bool deflate = false;
  std::uint16_t flags = 0;
  int method = -1;  ///< claimed compression method, if different
  std::uint32_t wrong_crc = 0;
  std::int64_t more_bytes = 0;   ///< added to the claimed unpacked size
  std::int64_t more_packed = 0;  ///< added to the claimed packed size
};

Bytes deflated(Bytes const& content) {
  z_stream stream{};
  ::deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  Bytes packed(::deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ::deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

Bytes u16(std::uint64_t value) {
  return little(static_cast<std::uint16_t>(value));
}
Bytes u32(std::uint64_t value) {
  return little(static_cast<std::uint32_t>(value));
}

Bytes zip(std::vector<Member> const& members, bool zip64 = false, Bytes const& comment = "") {
  Bytes file;
  Bytes directory;
  for (Member const& member : members) {
    Bytes const packed = member.deflate ? deflated(member.content) : member.content;
    std::uint64_t const crc = ::crc32(0, reinterpret_cast<Bytef const*>(member.content.data()),
                                      static_cast<uInt>(member.content.size())) +
                              member.wrong_crc;
    std::uint64_t const method = member.method >= 0 ? static_cast<std::uint64_t>(member.method)
                                 : member.deflate   ? 8U
                                                    : 0U;
    std::uint64_t const bytes =
        member.content.size() + static_cast<std::uint64_t>(member.more_bytes);
    std::uint64_t const in_file = packed.size() + static_cast<std::uint64_t>(member.more_packed);
    std::uint64_t const place = file.size();
    Bytes const common = u16(20) + u16(member.flags) + u16(method) + u32(0) + u32(crc);
    file += "PK\3\4" + common + u32(in_file) + u32(bytes) + u16(member.name.size()) + u16(0) +
            member.name + packed;
    Bytes const sizes = zip64 ? u32(0xffffffff) + u32(0xffffffff) : u32(in_file) + u32(bytes);
    Bytes const extra = zip64 ? u16(7) + u16(2) + "??" + u16(1) + u16(24) + little(bytes) +
                                    little(in_file) + little(place)
                              : "";
    directory += "PK\1\2" + u16(20) + common + sizes + u16(member.name.size()) + u16(extra.size()) +
                 u16(0) + u16(0) + u16(0) + u32(0) + u32(zip64 ? 0xffffffff : place) + member.name +
                 extra;
  }
  std::uint64_t const start = file.size();
  std::uint64_t const count = members.size();
  file += directory;
  if (zip64) {
    std::uint64_t const end64 = file.size();
    file += "PK\6\6" + little(std::uint64_t{44}) + u16(45) + u16(45) + u32(0) + u32(0) +
            little(count) + little(count) + little(std::uint64_t{directory.size()}) + little(start);
    file += "PK\6\7" + u32(0) + little(end64) + u32(1);
  }
  file += "PK\5\6" + u16(0) + u16(0) + u16(zip64 ? 0xffff : count) + u16(zip64 ? 0xffff : count) +
          u32(zip64 ? 0xffffffff : directory.size()) + u32(zip64 ? 0xffffffff : start) +
          u16(comment.size()) + comment;
  return file;
}

Bytes small_array(std::vector<float> const& values = {1, 2, 3, 4, 5, 6}) {
  return npy_bytes(npy_header("<f4", "(2, 3)"), bytes_of(values));
}

void expect_refused(std::string const& path, std::string_view words) {
  SCOPED_TRACE(words);
  expect_error(ErrorKind::bad_input, path, {words}, [&] { static_cast<void>(elements_of(path)); });
}

TEST(Npz, ArraysOfNumpyAreRead) {
  for (std::string const file : {"stored.npz", "deflated.npz"}) {
    bool const packed = file == "deflated.npz";
    MatrixInfo const info = inspect(sample(file) + ":columns");
    EXPECT_EQ(info.format, Format::npz);
    EXPECT_EQ(info.layout, Layout::left);
    EXPECT_EQ(info.rows, 3U);
    EXPECT_EQ(info.cols, 4U);
    EXPECT_EQ(info.version, packed ? "1.0, deflate" : "1.0, stored");
    EXPECT_EQ(info.in_order_only, packed);
    EXPECT_EQ(elements_of(sample(file) + ":vector"), (std::vector<double>{0, 1, 2, 3, 4}));
    EXPECT_EQ(elements_of(sample(file) + ":vector.npy"), (std::vector<double>{0, 1, 2, 3, 4}));
    auto const A =
        std::get<MatrixView<double, Kokkos::LayoutLeft>>(read_matrix(sample(file) + ":columns"));
    EXPECT_EQ(A(2, 1), 21.5);
    EXPECT_EQ(A(1, 3), 13.5);
    auto const v = std::get<VectorView<float>>(
        read_vector(sample(file) + ":vector", {.length = 5, .type = ScalarType::f32}));
    EXPECT_EQ(v(4), 4);
  }
}

TEST(Npz, CompressedEqualsStored) {
  for (std::string const order : {":little_", ":big_"}) {
    for (std::string const type :
         {"f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"}) {
      auto const stored = elements_of(sample("stored.npz") + order + type);
      EXPECT_EQ(stored.size(), 6U);
      EXPECT_EQ(elements_of(sample("deflated.npz") + order + type), stored) << order << type;
    }
  }
}

TEST(Npz, ANameThatIsMissingListsThoseThatThereAre) {
  Folder const folder;
  std::string const path = folder.write(
      "a.npz",
      zip({{"A.npy", small_array()}, {"notes.txt", "no array"}, {"B.npy", small_array()}}));
  expect_refused(path, "names no array: expected FILE.npz:NAME, found a file with the arrays A, B");
  expect_refused(path + ":C",
                 "has no array 'C': expected one of its members, found the arrays A, B");
  expect_refused(path + ":notes.txt", "is not a .npy file");
  EXPECT_EQ(elements_of(path + ":B").size(), 6U);
  std::string const none = folder.write("b.npz", zip({}));
  expect_refused(none + ":A", "found no arrays in it");
}

TEST(Npz, APackedArrayIsReadInAnyOrder) {
  Folder const folder;
  generate({.rows = 700,
            .cols = 300,
            .type = ScalarType::f64,
            .distribution = Distribution::normal,
            .output = folder / "A.npy",
            .vector_output = folder / "v.npy"});
  Bytes const whole = content_of(folder / "A.npy");
  std::string const path = folder.write("A.npz", zip({{"A.npy", whole, true}})) + ":A";
  auto const expected = elements_of(folder / "A.npy");
  EXPECT_EQ(elements_of(path), expected);
  MatrixReader const reader(path);
  std::vector<double> some(10);
  for (std::uint64_t const first : {200000U, 100U, 199990U, 0U, 104857U}) {
    reader.read(Part::matrix, first, std::span(some));
    EXPECT_TRUE(std::equal(some.begin(), some.end(), expected.data() + first)) << first;
  }
  convert_file({.input = path, .output = folder / "B.npy"});
  EXPECT_TRUE(content_of(folder / "B.npy") == whole);
  expect_error(ErrorKind::bad_output, folder / "C.npy",
               {"expected a regular file there, found a compressed member of an .npz file"}, [&] {
                 convert_file({.input = path, .output = folder / "C.npy", .layout = Layout::left});
               });
}

TEST(Npz, SizesOf64BitsAndACommentAreRead) {
  Folder const folder;
  std::string const path =
      folder.write("a.npz", zip({{"A.npy", small_array()}, {"B.npy", small_array(), true}}, true,
                                "a comment with PK\5\6 in it, and more than twenty-two bytes"));
  for (std::string const name : {":A", ":B"}) {
    EXPECT_EQ(elements_of(path + name), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  }
}

TEST(Npz, AnArchiveStartsWhereItsDescriptorStands) {
  Folder const folder;
  Bytes const before = "read before";
  std::string const path = folder.write(
      "a.npz", before + zip({{"A.npy", small_array()}, {"B.npy", small_array(), true}}));
  int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(::lseek(descriptor, static_cast<off_t>(before.size()), SEEK_SET),
            static_cast<off_t>(before.size()));
  for (std::string const name : {":A", ":B"}) {
    EXPECT_EQ(elements_of("/dev/fd/" + std::to_string(descriptor) + name),
              (std::vector<double>{1, 2, 3, 4, 5, 6}));
  }
  ::close(descriptor);
}

TEST(Npz, WhatIsDamagedIsRefused) {
  Folder const folder;
  Member const good{"A.npy", small_array()};
  Member const packed{"A.npy", small_array(), true};
  auto const with = [&](Member member, std::function<void(Member&)> const& change) {
    change(member);
    return folder.write("a.npz", zip({member})) + ":A";
  };
  expect_refused(with(good, [](Member& m) { m.flags = 1; }), "is encrypted");
  expect_refused(with(good, [](Member& m) { m.method = 12; }),
                 "expected 'A.npy' stored or deflated, found method 12 (bzip2)");
  expect_refused(with(good, [](Member& m) { m.more_bytes = 1; }), "as many bytes in the file");
  expect_refused(with(good, [](Member& m) { m.more_packed = m.more_bytes = 1000; }),
                 "before the directory, found fewer");
  expect_refused(with(packed, [](Member& m) { m.wrong_crc = 1; }),
                 "expected the CRC-32 of its bytes, found another");
  expect_refused(with(packed, [](Member& m) { m.more_bytes = 1; }), "has trailing bytes");
  expect_refused(with(packed, [](Member& m) { m.more_bytes = -1; }), "is truncated");
  expect_refused(with(packed, [](Member& m) { m.more_bytes = 1 << 30; }),
                 "packed ones that cannot hold so many");
  expect_refused(with(packed, [](Member& m) { m.more_packed = -5; }), "expected deflated data");
  expect_refused(with(good, [](Member& m) { m.content += small_array(); }), "holds several arrays");
  Bytes const twice = zip({good, good});
  expect_refused(folder.write("b.npz", twice) + ":A", "expected one member 'A', found two");
  Bytes const whole = zip({good, packed});
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    std::string const path = folder.write("c.npz", whole.substr(0, size));
    expect_refused(path + ":A", ", found");
  }
  Bytes moved = whole;
  moved[whole.size() - 4] = '\x7f';
  expect_refused(folder.write("d.npz", moved) + ":A", "is damaged: expected a directory before");
}

TEST(Npz, MembersAreNpyFiles) {
  Folder const folder;
  for (bool const deflate : {false, true}) {
    auto const refused = [&](Bytes const& content, std::string_view words) {
      expect_refused(folder.write("a.npz", zip({{"A.npy", content, deflate}})) + ":A", words);
    };
    refused("not an array", "is not a .npy file");
    refused(small_array().substr(0, 30), "is truncated");
    refused(npy_bytes(npy_header("<f4", "(1000000, 1000000)"), "1234"), "is truncated");
    refused(npy_bytes(npy_header("<c8", "(1, 1)"), "12345678"), "complex numbers");
  }
}

}  // namespace
}  // namespace tessera::io::test
