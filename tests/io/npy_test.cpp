// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>

#include <gmock/gmock.h>

#include <io/matrix_file.hpp>
#include <io/writers.hpp>

#include "io/support/bytes.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

/// tests/data/io/make_samples.py.
double sample_value(std::size_t i, std::size_t j) {
  if (i == 0 && j == 0) return -0.0;
  if (i == 0 && j == 1) return std::numeric_limits<double>::quiet_NaN();
  if (i == 1 && j == 0) return std::numeric_limits<double>::infinity();
  if (i == 2 && j == 3) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(10 * i + j) + 0.5;
}

void expect_sample_value(double value, std::size_t i, std::size_t j) {
  double const expected = sample_value(i, j);
  EXPECT_EQ(std::signbit(value), std::signbit(expected)) << i << ", " << j;
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(value));
  } else {
    EXPECT_EQ(value, expected) << i << ", " << j;
  }
}

template <class View>
void expect_sample(HostMatrix const& matrix) {
  ASSERT_TRUE(std::holds_alternative<View>(matrix));
  auto const& A = std::get<View>(matrix);
  ASSERT_EQ(A.extent(0), 3U);
  ASSERT_EQ(A.extent(1), 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) expect_sample_value(static_cast<double>(A(i, j)), i, j);
  }
}

struct SampleFile {
  std::string name;
  ScalarType type;
  Layout layout;
  std::endian byte_order;
  std::string version = "1.0";
};

void PrintTo(SampleFile const& file, std::ostream* out) {
  *out << file.name;
}

class NpySample : public testing::TestWithParam<SampleFile> {};

TEST_P(NpySample, IsReadInItsOwnTypeAndLayout) {
  SampleFile const& file = GetParam();
  std::string const path = sample(file.name + ".npy");
  MatrixInfo const info = inspect(path);
  EXPECT_EQ(info.format, Format::npy);
  EXPECT_EQ(info.type, file.type);
  EXPECT_EQ(info.layout, file.layout);
  EXPECT_EQ(info.byte_order, file.byte_order);
  EXPECT_EQ(info.version, file.version);
  EXPECT_EQ(info.dimensions, 2);
  EXPECT_FALSE(info.has_vector);

  HostMatrix const A = read_matrix(path);
  bool const right = file.layout == Layout::right;
  if (file.type == ScalarType::f32) {
    right ? expect_sample<MatrixView<float, Kokkos::LayoutRight>>(A)
          : expect_sample<MatrixView<float, Kokkos::LayoutLeft>>(A);
  } else {
    right ? expect_sample<MatrixView<double, Kokkos::LayoutRight>>(A)
          : expect_sample<MatrixView<double, Kokkos::LayoutLeft>>(A);
  }
}

TEST_P(NpySample, IsConvertedToEitherType) {
  std::string const path = sample(GetParam().name + ".npy");
  HostMatrix const single = read_matrix(path, ScalarType::f32);
  HostMatrix const twice = read_matrix(path, ScalarType::f64);
  if (GetParam().layout == Layout::right) {
    expect_sample<MatrixView<float, Kokkos::LayoutRight>>(single);
    expect_sample<MatrixView<double, Kokkos::LayoutRight>>(twice);
  } else {
    expect_sample<MatrixView<float, Kokkos::LayoutLeft>>(single);
    expect_sample<MatrixView<double, Kokkos::LayoutLeft>>(twice);
  }
}

INSTANTIATE_TEST_SUITE_P(
    WrittenByNumpy, NpySample,
    testing::Values(
        SampleFile{"little_f4_c", ScalarType::f32, Layout::right, std::endian::little},
        SampleFile{"little_f4_fortran", ScalarType::f32, Layout::left, std::endian::little},
        SampleFile{"little_f8_c", ScalarType::f64, Layout::right, std::endian::little},
        SampleFile{"little_f8_fortran", ScalarType::f64, Layout::left, std::endian::little},
        SampleFile{"big_f4_c", ScalarType::f32, Layout::right, std::endian::big},
        SampleFile{"big_f4_fortran", ScalarType::f32, Layout::left, std::endian::big},
        SampleFile{"big_f8_c", ScalarType::f64, Layout::right, std::endian::big},
        SampleFile{"big_f8_fortran", ScalarType::f64, Layout::left, std::endian::big},
        SampleFile{"version_2", ScalarType::f32, Layout::right, std::endian::little, "2.0"},
        SampleFile{"version_3", ScalarType::f32, Layout::right, std::endian::little, "3.0"}),
    [](auto const& each) { return each.param.name; });

TEST(Npy, VectorsOfNumpyAreRead) {
  for (std::string const name : {"little_f4", "big_f4", "little_f8", "big_f8"}) {
    std::string const path = sample(name + "_vector.npy");
    EXPECT_EQ(inspect(path).dimensions, 1);
    std::visit(
        [&](auto const& v) {
          using T = typename std::decay_t<decltype(v)>::non_const_value_type;
          EXPECT_EQ(sizeof(T), name.ends_with("4") ? 4U : 8U);
          ASSERT_EQ(v.extent(0), 4U);
          for (std::size_t j = 0; j < 4; ++j) expect_sample_value(static_cast<double>(v(j)), 2, j);
        },
        read_vector(path, {.length = 4}));
  }
}

TEST(Npy, WrittenFilesAreNumpysByteForByte) {
  Folder const folder;
  for (std::string const name :
       {"little_f4_c", "little_f4_fortran", "little_f8_c", "little_f8_fortran"}) {
    OutputFile out(folder / "A.npy");
    write_matrix(out, read_matrix(sample(name + ".npy")));
    out.commit();
    EXPECT_TRUE(content_of(folder / "A.npy") == content_of(sample(name + ".npy"))) << name;
  }
  for (std::string const name : {"little_f4_vector.npy", "little_f8_vector.npy"}) {
    OutputFile out(folder / "v.npy");
    std::visit(
        [&](auto const& v) {
          using T = typename std::decay_t<decltype(v)>::non_const_value_type;
          write_vector(out, std::span<T const>(v.data(), v.extent(0)));
        },
        read_vector(sample(name)));
    out.commit();
    EXPECT_TRUE(content_of(folder / "v.npy") == content_of(sample(name))) << name;
  }
}

TEST(Npy, PaddedViewsAreWrittenWithoutTheirPadding) {
  Folder const folder;
  Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> const wide("wide", 3, 10);
  MatrixView<float, Kokkos::LayoutRight> const A =
      Kokkos::subview(wide, Kokkos::ALL, Kokkos::pair<int, int>(2, 6));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) A(i, j) = static_cast<float>(sample_value(i, j));
  }
  OutputFile out(folder / "A.npy");
  write_matrix(out, A);
  out.commit();
  EXPECT_TRUE(content_of(folder / "A.npy") == content_of(sample("little_f4_c.npy")));
}

TEST(Npy, OtherElementTypesAreNamed) {
  struct Case {
    char const* file;
    char const* type;
    char const* words;
  };
  for (Case const& bad :
       {Case{"bad_c8", "'<c8'", "complex"}, Case{"bad_b1", "'|b1'", "truth"},
        Case{"bad_U3", "'<U3'", "text"}, Case{"bad_S3", "'|S3'", "byte strings"},
        Case{"bad_M8s", "'<M8[s]'", "dates"}, Case{"bad_object", "'|O'", "Python objects"}}) {
    expect_bad_matrix(
        sample(std::string(bad.file) + ".npy"),
        {"expected f2, f4, f8 or integers (i1 to i8, u1 to u8)", bad.type, bad.words});
  }
  Folder const folder;
  for (auto const& [descr, words] : {std::pair{"<f16", "floating-point numbers of another size"},
                                     std::pair{"<i16", "signed integers of another size"},
                                     std::pair{"<u3", "unsigned integers of another size"}}) {
    expect_bad_matrix(folder.write("A.npy", npy_bytes(npy_header(descr, "(1, 1)"), "12345678")),
                      {descr, words});
  }
  for (std::string const descr : {"<V2", "|V2"}) {
    expect_bad_matrix(folder.write("A.npy", npy_bytes(npy_header(descr, "(1, 1)"), "12")),
                      {"'" + descr +
                       "' (raw records); numpy.save writes bfloat16 in this way, "
                       "without its name: save array.astype(numpy.float32) instead"});
  }
  expect_bad_matrix(sample("bad_structured.npy"), {"structured", "list of fields"});
}

TEST(Npy, OtherShapesAreRefused) {
  expect_bad_matrix(sample("bad_0d.npy"), {"expected 1 or 2", "found 0"});
  expect_bad_matrix(sample("bad_3d.npy"), {"expected 1 or 2", "more than 2"});
  expect_bad_matrix(sample("bad_empty.npy"), {"zero", "0 rows x 4 columns"});
  expect_bad_matrix(sample("little_f4_vector.npy"), {"not a matrix", "4 entries"});
}

}  // namespace
}  // namespace tessera::io::test
