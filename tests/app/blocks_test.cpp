// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

/// Blocks of vectors, and two products at once.
namespace tessera::test {
namespace {

class BlocksTest : public ProgramTest {
 protected:
  BlocksTest() {
    write("a.npy", npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6})));
    write("v.npy", npy("<f4", "(3, 2)", bytes_of<float>({1, 2, 0, 1, -1, 0})));
    write("left.npy", npy("<f4", "(3, 2)", bytes_of<float>({1, 0, -1, 2, 1, 0}), true));
    write("b.npy", npy("<f4", "(2, 2)", bytes_of<float>({1, 2, -1, 0})));
    write("w.npy", npy("<f4", "(2,)", bytes_of<float>({3, -1})));
    write("x.npy", npy("<f4", "(3,)", bytes_of<float>({1, 0, -1})));
  }
  void must(Words const& arguments) const {
    auto const done = run(arguments);
    ASSERT_EQ(done.status, 0) << done.out << done.err;
  }
};

TEST_F(BlocksTest, each_column_is_multiplied) {
  for (std::string const block : {"v.npy", "left.npy"}) {
    must({"gemv", "a.npy", "--vector", block, "--output", "y.npy", "--check"});
    EXPECT_EQ(read("y.npy"), npy("<f4", "(2, 2)", bytes_of<float>({-2, 4, -2, 13})));
    must({"atax", "a.npy", "--vector", block, "--output", "c.npy", "--intermediate", "i.npy",
          "--check"});
    EXPECT_EQ(read("c.npy"), npy("<f4", "(3, 2)", bytes_of<float>({-10, 56, -14, 73, -18, 90})));
    EXPECT_EQ(read("i.npy"), read("y.npy"));
    must({"atax", "a.npy", "--vector", block, "--output", "d.npy", "--weights", "w.npy", "--alpha",
          "2", "--check"});
    EXPECT_THAT(last_elements<float>("d.npy", 6), ElementsAre(4, -80, -4, -82, -12, -84));
  }
  must({"gemvt", "a.npy", "--vector", "b.npy", "--output", "t.npy", "--check"});
  EXPECT_EQ(read("t.npy"), npy("<f4", "(3, 2)", bytes_of<float>({-3, 2, -3, 4, -3, 6})));
  must({"aatx", "a.npy", "--vector", "b.npy", "--output", "u.npy", "--intermediate", "w.npy",
        "--check"});
  EXPECT_EQ(read("w.npy"), read("t.npy"));
  must({"gemv", "a.npy", "--vector", "t.npy", "--output", "y.npy"});
  EXPECT_EQ(read("u.npy"), read("y.npy"));
}

TEST_F(BlocksTest, reports_and_checks_count_the_vectors) {
  Words const gemv = {"gemv", "a.npy", "--vector", "v.npy"};
  EXPECT_THAT(run(gemv).out, HasSubstr("v.npy, 2 vectors of 3 entries"));
  auto const report = nlohmann::json::parse(run(gemv + Words{"--format", "json"}).out);
  EXPECT_EQ(report["vectors"], 2);
  EXPECT_EQ(report["bytes"], 4 * (6 + 2 * (2 + 3)));
  must(gemv + Words{"--output", "y.npy"});
  Words const check = {"check", "a.npy", "y.npy", "--operation", "gemv", "--vector"};
  EXPECT_THAT(run(check + Words{"v.npy"}).out, HasSubstr("0 of 4 fail"));
  write("y.npy", npy("<f4", "(2, 2)", bytes_of<float>({-2, 4, -2, 14})));
  auto const wrong = run(check + Words{"v.npy"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.out, HasSubstr("element 3 is 14, should be 13"));
  auto const one = run(check + Words{"x.npy"});
  EXPECT_EQ(one.status, 3);
  EXPECT_THAT(one.err, HasSubstr("y.npy: has the wrong number of vectors: expected 1, one for each "
                                 "of x.npy, found 2"));
}

TEST_F(BlocksTest, what_is_for_one_vector_is_refused) {
  auto const expect_refused = [&](int status, Words const& arguments, std::string const& why) {
    auto const refused = run(arguments);
    EXPECT_EQ(refused.status, status);
    EXPECT_THAT(refused.err, HasSubstr(why));
  };
  Words const atax = {"atax", "a.npy", "--vector", "v.npy"};
  expect_refused(2, atax + Words{"--add", "x.npy"},
                 "--add: is added to the product with one vector, found 2 in v.npy");
  expect_refused(2, atax + Words{"--checkpoint", "s"},
                 "--checkpoint: is one of a product with one vector, found 2 in v.npy");
  expect_refused(3, {"atax", "a.npy", "--vector", "b.npy"},
                 "b.npy: has vectors of the wrong length: expected 3 entries, one for each column "
                 "of a.npy, found 2");
  expect_refused(3, atax + Words{"--weights", "b.npy"}, "is not a vector");
  expect_refused(3, atax + Words{"--output", "c.bin"}, "c.bin");
  expect_refused(2, {"gemv-both", "a.npy", "--vector", "v.npy", "--transposed-vector", "w.npy"},
                 "gemv-both: expected one vector, found 2 in v.npy");
}

TEST_F(BlocksTest, two_products_are_computed_at_once) {
  Words const both = {"gemv-both", "a.npy", "--vector", "x.npy", "--transposed-vector", "w.npy"};
  must(both + Words{"--output", "y.bin", "--transposed-output", "t.bin", "--check"});
  EXPECT_EQ(read("y.bin"), bytes_of<float>({-2, -2}));
  EXPECT_EQ(read("t.bin"), bytes_of<float>({-1, 1, 3}));
  EXPECT_THAT(run(both).out, AllOf(HasSubstr("Y = A·X, W = Aᵀ·U   a.npy"),
                                   HasSubstr("vector X     x.npy, 3 entries"),
                                   HasSubstr("vector U     w.npy"), HasSubstr("  of W")));
  EXPECT_THAT(run({"gemv-both", "a.npy"}).err, HasSubstr("--transposed-vector is required"));
  EXPECT_THAT(run({"gemv-both", "a.npy", "--transposed-vector", "x.npy"}).err,
              HasSubstr("x.npy: has a vector of the wrong length: expected 2 entries, one for each "
                        "row of a.npy, found 3"));
}

class LargeBlocksTest : public BlocksTest {
 protected:
  void make(std::string const& order) {
    auto const gen = [&](std::string const& rows, std::string const& cols, std::string const& seed,
                         std::string const& a, std::string const& v) {
      must({"gen", "--rows", rows, "--cols", cols, "--distribution", "normal", "--layout", order,
            "--seed", seed, "--output", a, "--vector-output", v});
    };
    gen("3000", "700", "1", "a.npy", "v.npy");
    gen("700", "3", "2", "block.npy", "ignored.npy");
    gen("3000", "1", "3", "u.npy", "ignored.npy");
  }
  nlohmann::json report(Words const& arguments) const {
    auto const done = run(arguments + Words{"--format", "json"});
    EXPECT_EQ(done.status, 0) << done.err;
    return nlohmann::json::parse(done.out);
  }
};

TEST_F(LargeBlocksTest, columns_have_the_bits_of_their_vectors_in_memory_and_streamed) {
  for (std::string const order : {"row-major", "column-major"}) {
    make(order);
    Words const atax = {"atax", "a.npy", "--vector", "block.npy", "--output", "c.npy"};
    auto const in_memory = report(atax + Words{"--repeat", "1", "--check"});
    auto const c = last_elements<float>("c.npy", 2100);
    auto const streamed = report(atax + Words{"--memory-limit", "7MiB"});
    EXPECT_EQ(streamed["sha256"], in_memory["sha256"]) << order;
    EXPECT_EQ(streamed["stream"]["bytes_read"], 4 * 3000 * 700);
    EXPECT_EQ(last_elements<float>("c.npy", 2100), c);
    auto elements = last_elements<float>("block.npy", 2100);
    for (std::size_t j = 0; j < 3; ++j) {
      std::vector<float> column(700), expected(700);
      for (std::size_t i = 0; i < 700; ++i) {
        column[i] = elements[order == "row-major" ? i * 3 + j : j * 700 + i];
        expected[i] = c[i * 3 + j];
      }
      write("one.bin", bytes_of(column));
      must({"atax", "a.npy", "--vector", "one.bin", "--output", "one-c.bin", "--repeat", "1"});
      EXPECT_EQ(read("one-c.bin"), bytes_of(expected)) << order << ", column " << j;
    }
  }
}

TEST_F(LargeBlocksTest, two_products_have_the_bits_of_each_in_memory_and_streamed) {
  for (std::string const order : {"row-major", "column-major"}) {
    make(order);
    auto const y = report({"gemv", "a.npy", "--vector", "v.npy"})["sha256"];
    auto const w = report({"gemvt", "a.npy", "--vector", "u.npy"})["sha256"];
    Words const both = {"gemv-both", "a.npy", "--vector", "v.npy", "--transposed-vector", "u.npy"};
    for (Words const& more :
         {Words{"--check"}, {"--kernels", "portable"}, {"--memory-limit", "7MiB"}}) {
      auto const found = report(both + more);
      EXPECT_EQ(found["sha256"], y) << order << " " << more[0];
      EXPECT_EQ(found["second_sha256"], w) << order << " " << more[0];
    }
  }
}

TEST_F(LargeBlocksTest, two_products_go_on_from_a_checkpoint) {
  make("row-major");
  Words const both = {"gemv-both",           "a.npy",     "--vector",           "v.npy",
                      "--transposed-vector", "u.npy",     "--memory-limit",     "5MiB",
                      "--checkpoint",        "run.state", "--checkpoint-every", "0"};
  kill_when_exists(both, "run.state");
  auto const other = run({"gemv", "a.npy", "--vector", "v.npy", "--checkpoint", "run.state"});
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr("found one of gemv-both"));
  auto const found = report(both);
  EXPECT_GT(found["stream"]["first_block"], 0);
  EXPECT_EQ(found["sha256"], report({"gemv", "a.npy", "--vector", "v.npy"})["sha256"]);
  EXPECT_EQ(found["second_sha256"], report({"gemvt", "a.npy", "--vector", "u.npy"})["sha256"]);
}

}  // namespace
}  // namespace tessera::test
