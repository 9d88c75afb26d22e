// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace tessera::test {
namespace {

class ComputeTest : public ProgramTest {
 protected:
  ComputeTest() {
    write("a.npy", npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6})));
    write("f.npy", npy("<f4", "(2, 3)", bytes_of<float>({1, 4, 2, 5, 3, 6}), true));
    write("d.npy", npy("<f8", "(2, 3)", bytes_of<double>({1, 2, 3, 4, 5, 6})));
    write("big.npy", npy(">f4", "(1, 1)", std::string("\x40\x40\x00\x00", 4)));
    write("v.npy", npy("<f4", "(3,)", bytes_of<float>({1, 0, -1})));
    write("b.npy", npy("<f4", "(2,)", bytes_of<float>({1, -1})));
    write("v.bin", bytes_of<float>({1, 0, -1}));
  }
};

TEST_F(ComputeTest, atax_gemv_gemvt_compute_their_formulas) {
  ASSERT_EQ(run({"atax", "a.npy", "--vector", "v.npy", "--output", "c.bin"}).status, 0);
  EXPECT_THAT(last_elements<float>("c.bin", 3), ElementsAre(-10, -14, -18));
  ASSERT_EQ(run({"gemv", "a.npy", "--vector", "v.npy", "--output", "c.bin"}).status, 0);
  EXPECT_THAT(last_elements<float>("c.bin", 2), ElementsAre(-2, -2));
  ASSERT_EQ(run({"gemvt", "a.npy", "--vector", "b.npy", "--output", "c.bin"}).status, 0);
  EXPECT_THAT(last_elements<float>("c.bin", 3), ElementsAre(-3, -3, -3));
}

TEST_F(ComputeTest, extension_chooses_the_format_of_the_result) {
  ASSERT_EQ(run({"gemv", "a.npy", "--vector", "v.npy", "--output", "r.npy"}).status, 0);
  ASSERT_EQ(run({"gemv", "a.npy", "--vector", "v.npy", "--output", "r.bin"}).status, 0);
  EXPECT_EQ(read("r.bin"), bytes_of<float>({-2, -2}));
  EXPECT_EQ(read("r.npy"), npy("<f4", "(2,)", bytes_of<float>({-2, -2})));
}

TEST_F(ComputeTest, fortran_order_and_big_endian_are_read) {
  ASSERT_EQ(run({"atax", "f.npy", "--vector", "v.npy", "--output", "c.bin"}).status, 0);
  EXPECT_THAT(last_elements<float>("c.bin", 3), ElementsAre(-10, -14, -18));
  ASSERT_EQ(run({"atax", "big.npy", "--output", "c.bin"}).status, 0);
  EXPECT_THAT(last_elements<float>("c.bin", 1), ElementsAre(9));
}

TEST_F(ComputeTest, raw_vector_is_taken) {
  ASSERT_EQ(run({"gemv", "a.npy", "--vector", "v.bin", "--output", "c.bin"}).status, 0);
  EXPECT_THAT(last_elements<float>("c.bin", 2), ElementsAre(-2, -2));
}

TEST_F(ComputeTest, missing_vector_means_ones_said_aloud) {
  auto const text = run({"gemv", "a.npy", "--output", "c.bin"});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("ones, 3 entries (none was given)"));
  EXPECT_THAT(last_elements<float>("c.bin", 2), ElementsAre(6, 15));
  for (std::string const format : {"json", "csv"}) {
    auto const other = run({"gemv", "a.npy", "--format", format});
    EXPECT_EQ(other.status, 0);
    EXPECT_EQ(other.err, "tessera: no vector was given: V is all ones\n");
  }
  EXPECT_EQ(run({"gemvt", "a.npy", "--format", "csv"}).err,
            "tessera: no vector was given: B is all ones\n");
  EXPECT_EQ(run({"gemv", "a.npy", "--vector", "v.npy", "--format", "csv"}).err, "");
}

TEST_F(ComputeTest, both_methods_give_the_same_bytes_and_intermediate_is_gemv) {
  ASSERT_EQ(
      run({"gen", "--rows", "301", "--cols", "77", "--distribution", "normal", "--output", "n.npy"})
          .status,
      0);
  auto const atax = [&](std::string const& method, std::string const& name) {
    return run({"atax", "n.npy", "--vector", "n-vector.npy", "--method", method, "--output",
                name + ".npy", "--intermediate", name + "-b.npy"});
  };
  auto const fused = atax("fused", "fused"), two = atax("two-stage", "two"),
             any = atax("auto", "any");
  ASSERT_EQ(fused.status, 0) << fused.err;
  ASSERT_EQ(two.status, 0) << two.err;
  ASSERT_EQ(any.status, 0) << any.err;
  EXPECT_EQ(read("fused.npy"), read("two.npy"));
  EXPECT_EQ(read("any.npy"), read("two.npy"));
  EXPECT_EQ(read("fused-b.npy"), read("two-b.npy"));
  ASSERT_EQ(run({"gemv", "n.npy", "--vector", "n-vector.npy", "--output", "b2.npy"}).status, 0);
  EXPECT_EQ(read("b2.npy"), read("two-b.npy"));
  EXPECT_THAT(fused.out, HasSubstr("fused"));
  EXPECT_THAT(two.out, HasSubstr("multiply_transposed: "));
  EXPECT_THAT(any.out, HasSubstr("(chosen)"));
}

TEST_F(ComputeTest, type_converts_matrix_and_vector) {
  ASSERT_EQ(
      run({"gemv", "a.npy", "--vector", "v.npy", "--type", "f64", "--output", "c.bin"}).status, 0);
  EXPECT_EQ(read("c.bin"), bytes_of<double>({-2, -2}));
  ASSERT_EQ(
      run({"gemv", "d.npy", "--vector", "v.npy", "--type", "f32", "--output", "c.bin"}).status, 0);
  EXPECT_EQ(read("c.bin"), bytes_of<float>({-2, -2}));
  ASSERT_EQ(run({"gemv", "d.npy", "--type", "as-is", "--output", "c.bin"}).status, 0);
  EXPECT_EQ(read("c.bin"), bytes_of<double>({6, 15}));
}

TEST_F(ComputeTest, number_means_an_ex3_test_and_its_out_file) {
  std::filesystem::create_directory(path("test"));
  std::string const header = bytes_of<std::uint32_t>({3, 2, 0, 0});
  write("test/12", header + bytes_of<float>({1, 2, 3, 4, 5, 6, 1, 0, -1}));
  auto const result = run({"atax", "12"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(read("12-out.bin"), bytes_of<float>({-10, -14, -18}));
  EXPECT_THAT(result.out, HasSubstr("V of test/12"));
  EXPECT_EQ(run({"check", "12", "12-out.bin"}).status, 0);
  EXPECT_THAT(run({"show", "12"}).out, HasSubstr("2 rows x 3 columns"));

  EXPECT_EQ(run({"gemv", "12", "--output", "b.bin"}).status, 0);
  EXPECT_EQ(read("b.bin"), bytes_of<float>({-2, -2}));
  EXPECT_EQ(run({"gemv", "12", "--vector", "v.npy"}).status, 0);
  EXPECT_EQ(read("12-out.bin"), bytes_of<float>({-2, -2}));
  auto const transposed = run({"gemvt", "12"});
  EXPECT_EQ(transposed.status, 0);
  EXPECT_THAT(transposed.out, HasSubstr("vector B     ones, 2 entries (none was given)"));
  EXPECT_EQ(read("12-out.bin"), bytes_of<float>({5, 7, 9}));
}

TEST_F(ComputeTest, no_output_is_written_unless_asked_for) {
  auto const before = listing();
  EXPECT_EQ(run({"atax", "a.npy"}).status, 0);
  EXPECT_EQ(listing(), before);
}

TEST_F(ComputeTest, finite_data_with_an_infinite_result_are_said_aloud) {
  write("x.npy", npy("<f4", "(2, 1)", bytes_of<float>({3e38f, 1})));
  write("y.npy", npy("<f4", "(1,)", bytes_of<float>({10})));
  auto const gemv = run({"gemv", "x.npy", "--vector", "y.npy"});
  EXPECT_EQ(gemv.status, 0);
  EXPECT_EQ(gemv.err,
            "tessera: 1 of 2 elements of the result are infinite or NaN, though all of A and V are "
            "finite: sums overflow f32; --type f64 has a wider range\n");
  EXPECT_EQ(run({"gemv", "x.npy", "--vector", "y.npy", "--type", "f64"}).err, "");
  EXPECT_EQ(run({"gemv", "x.npy", "--vector", "y.npy", "--checkpoint", "s"}).err,
            "tessera: 1 of 2 elements of the result are infinite or NaN: sums overflow f32, or "
            "there are such elements in A\n");
  write("z.npy", npy("<f4", "(1, 1)", bytes_of<float>({10})));
  EXPECT_EQ(run({"gemm", "x.npy", "z.npy", "g.npy"}).err,
            "tessera: 1 of 2 elements of the result are infinite or NaN, though all of A and B are "
            "finite: sums overflow f32; --type f64 has a wider range\n");
  write("d.npy", npy("<f8", "(1, 1)", bytes_of<double>({1e200})));
  EXPECT_EQ(run({"gemv", "d.npy", "--vector", "d.npy"}).err,
            "tessera: 1 of 1 elements of the result are infinite or NaN, though all of A and V are "
            "finite: sums overflow f64\n");
  for (auto const& words :
       {std::vector<std::string>{"transpose", "d.npy", "t.npy", "--type", "f32"},
        {"gemv", "d.npy", "--vector", "d.npy", "--type", "f32"}}) {
    EXPECT_THAT(run(words).err,
                HasSubstr("tessera: 1 of 1 elements of the result are infinite or NaN: there are "
                          "such elements in A"));
  }
  EXPECT_EQ(
      run({"convert", "d.npy", "e.npy", "--output-type", "f32"}).err,
      "tessera: 1 elements of e.npy are infinite or NaN: there are such elements in d.npy, or "
      "they overflow f32\n");
  EXPECT_EQ(run({"convert", "d.npy", "e.npy"}).err, "");
}

TEST_F(ComputeTest, vector_of_another_type_is_refused_with_the_option_that_takes_it) {
  write("w.npy", npy("<f8", "(3,)", bytes_of<double>({1, 0, -1})));
  auto const result = run({"gemv", "a.npy", "--vector", "w.npy"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err,
            "tessera: w.npy: has a vector of the wrong type: expected f32 as in a.npy, found f64; "
            "--type converts both\n");
  ASSERT_EQ(
      run({"gemv", "a.npy", "--vector", "w.npy", "--type", "f32", "--output", "b.bin"}).status, 0);
  auto const check = run({"check", "a.npy", "b.bin", "--operation", "gemv", "--vector", "w.npy"});
  EXPECT_EQ(check.status, 0) << check.err;
}

TEST_F(ComputeTest, nan_and_infinity_are_data) {
  write("x.npy",
        npy("<f4", "(2, 2)", bytes_of<float>({1, std::numeric_limits<float>::infinity(), 1, 1})));
  write("w.npy", npy("<f4", "(2,)", bytes_of<float>({1, 0})));
  auto const result = run({"gemv", "x.npy", "--vector", "w.npy", "--output", "c.bin", "--check"});
  EXPECT_EQ(result.status, 0) << result.out;  // inf * 0 is NaN, as the check expects
  auto const B = last_elements<float>("c.bin", 2);
  EXPECT_TRUE(std::isnan(B[0]));
  EXPECT_EQ(B[1], 1.0f);
}

}  // namespace
}  // namespace tessera::test
