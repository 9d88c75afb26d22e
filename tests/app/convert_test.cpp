// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <filesystem>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace tessera::test {
namespace {

class ConvertTest : public ProgramTest {
 protected:
  ConvertTest() {
    write("a.npy", npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6})));
    write("v.npy", npy("<f4", "(3,)", bytes_of<float>({7, 8, 9})));
  }
};

TEST_F(ConvertTest, says_what_it_has_written) {
  auto const made =
      run({"convert", "a.npy", "a.bin", "--layout", "column-major", "--output-type", "f64"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.err, "");
  EXPECT_EQ(made.out, "a.bin: A, 2 rows x 3 columns, column-major, f64, 48 bytes\n");
  EXPECT_EQ(read("a.bin"), bytes_of<double>({1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(run({"convert", "a.bin", "b.npy", "--rows", "2", "--cols", "3", "--type", "f64",
                 "--input-layout", "column-major", "--layout", "row-major", "--output-type", "f32"})
                .status,
            0);
  EXPECT_EQ(last_elements<float>("b.npy", 6), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(ConvertTest, ex3_takes_and_gives_its_vector) {
  auto const made = run({"convert", "a.npy", "a.ex3", "--vector", "v.npy"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("a.ex3: V, 3 entries\n"));
  EXPECT_EQ(last_elements<float>("a.ex3", 3), (std::vector<float>{7, 8, 9}));
  auto const split = run({"convert", "a.ex3", "b.npy", "--vector-output", "w.npy"});
  EXPECT_THAT(split.out, HasSubstr("w.npy: V, 3 entries\n"));
  EXPECT_EQ(split.err, "");
  EXPECT_EQ(last_elements<float>("w.npy", 3), (std::vector<float>{7, 8, 9}));
}

TEST_F(ConvertTest, says_when_a_vector_is_left_behind) {
  run({"convert", "a.npy", "a.ex3", "--vector", "v.npy"});
  auto const made = run({"convert", "a.ex3", "b.npy"});
  EXPECT_EQ(made.status, 0);
  EXPECT_EQ(made.err, "tessera: V of a.ex3 is not in b.npy: --vector-output FILE writes it\n");
}

TEST_F(ConvertTest, says_which_elements_it_has_converted) {
  write("i.npy", npy("<i4", "(1, 3)", bytes_of<std::int32_t>({-5, 0, 16777217})));
  auto const made = run({"convert", "i.npy", "b.npy"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.err, "tessera: the elements of i.npy are int32, and were read as f64\n");
  EXPECT_EQ(last_elements<double>("b.npy", 3), (std::vector<double>{-5, 0, 16777217}));
  auto const narrow = run({"convert", "i.npy", "c.npy", "--output-type", "f32"});
  EXPECT_EQ(narrow.status, 3);
  EXPECT_THAT(narrow.err, HasSubstr("i.npy: has an integer that f32 does not hold exactly"));
  EXPECT_FALSE(exists("c.npy"));
}

TEST_F(ConvertTest, reads_text) {
  write("a.csv", "x;y\n1;2.5\n-3;4e2\n");
  auto const table = run({"convert", "a.csv", "b.npy"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_EQ(table.err, "tessera: the first line of a.csv has names: it is left out\n");
  EXPECT_EQ(last_elements<double>("b.npy", 4), (std::vector<double>{1, 2.5, -3, 400}));
  write("a.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 7\n2 1 8\n");
  auto const market = run({"convert", "a.mtx", "c.npy", "--output-type", "f32"});
  EXPECT_EQ(market.status, 0) << market.err;
  EXPECT_EQ(market.err, "");
  EXPECT_EQ(last_elements<float>("c.npy", 4), (std::vector<float>{7, 8, 8, 0}));
  auto const other = run({"gemv", "a.mtx"});
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr("a.mtx: is a Matrix Market file: expected a binary file, found "
                                   "text; `tessera convert a.mtx FILE.npy` converts it"));
  std::filesystem::rename(path("a.mtx"), path("my $(id)'s.mtx"));
  EXPECT_THAT(run({"gemv", "my $(id)'s.mtx"}).err,
              HasSubstr("`tessera convert 'my $(id)'\\''s.mtx' FILE.npy`"));
  std::filesystem::rename(path("my $(id)'s.mtx"), path("-x\n.mtx"));
  EXPECT_THAT(run({"gemv", "./-x\n.mtx"}).err,
              HasSubstr("`tessera convert $'./-x\\x0a.mtx' FILE.npy`"));
}

TEST_F(ConvertTest, takes_the_first_line_of_a_table_as_it_is_told) {
  write("a.csv", "NA,NA\n3,4\n5,6\n");
  auto const refused = run({"convert", "a.csv", "b.npy"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(
      refused.err,
      "tessera: a.csv: may be a line of names or of data: expected only numbers or only clear "
      "names, found 'NA' as field 1 in line 1; --header yes reads this line as names, --header "
      "no as data\n");
  EXPECT_FALSE(exists("b.npy"));
  EXPECT_EQ(run({"show", "a.csv"}).status, 3);
  EXPECT_EQ(run({"convert", "a.csv", "b.npy", "--header", "no"}).status, 3);
  auto const named = run({"convert", "a.csv", "b.npy", "--header", "yes"});
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(named.err, "tessera: the first line of a.csv has names: it is left out\n");
  EXPECT_EQ(last_elements<double>("b.npy", 4), (std::vector<double>{3, 4, 5, 6}));
  EXPECT_THAT(run({"show", "a.csv", "--header", "yes"}).out, HasSubstr("2 rows x 2 columns"));
  write("years.csv", "2020,2021\n3,4\n");
  EXPECT_THAT(run({"show", "years.csv"}).out, HasSubstr("2 rows x 2 columns"));
  EXPECT_EQ(run({"convert", "years.csv", "c.npy", "--header", "yes"}).status, 0);
  EXPECT_EQ(last_elements<double>("c.npy", 2), (std::vector<double>{3, 4}));
  for (std::string const command : {"convert", "show"}) {
    std::vector<std::string> words{command, "a.npy", "--header", "no"};
    if (command == "convert") words.insert(words.begin() + 2, "d.npy");
    auto const other = run(words);
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("a.npy: is not a CSV file, found --header"));
    EXPECT_FALSE(exists("d.npy"));
  }
}

TEST_F(ConvertTest, datasets_of_files_of_other_names_are_not_written) {
  std::string const sentence =
      "names a dataset of a file of another kind: expected a file FILE.h5 "
      "or FILE.hdf5 to write a dataset into, found ";
  for (std::string const file : {"x.nc", "y.mat"}) {
    for (std::vector<std::string> const& words :
         {std::vector<std::string>{"convert", "a.npy", file + ":/A"},
          {"atax", "a.npy", "--vector", "v.npy", "--output", file + ":/A"},
          {"transpose", "a.npy", file + ":/A"},
          {"gen", "--rows", "4", "--cols", "3", "--output", file + ":/A"},
          {"svd", "a.npy", "-k", "1", "--s", file + ":/A"}}) {
      auto const refused = run(words);
      EXPECT_EQ(refused.status, 3) << words[0] << refused.err;
      EXPECT_THAT(refused.err, HasSubstr(file + ":/A: " + sentence + file)) << words[0];
    }
  }
  if (run({"info"}).out.find("HDF5          left out") != std::string::npos) {
    GTEST_SKIP() << "this build has no HDF5: files that are there are NOT TESTED";
  }
  EXPECT_EQ(run({"convert", "a.npy", "a.h5:/A"}).status, 0);
  std::filesystem::rename(path("a.h5"), path("x.nc"));
  std::string const before = read("x.nc");
  EXPECT_EQ(run({"convert", "x.nc:/A", "b.npy"}).status, 0);
  auto const added = run({"convert", "a.npy", "x.nc:/B", "--add-dataset"});
  EXPECT_EQ(added.status, 3);
  EXPECT_THAT(added.err, HasSubstr(sentence + "x.nc"));
  EXPECT_EQ(read("x.nc"), before);
  std::filesystem::create_directory(path("run.1:"));
  EXPECT_EQ(run({"convert", "a.npy", "run.1:/b.npy"}).status, 0);
}

TEST_F(ConvertTest, hdf5_is_written_and_read_or_left_out_and_said_so) {
  auto const made = run({"convert", "a.npy", "a.h5:/g/A", "--chunk", "1x2", "--deflate", "6"});
  if (run({"info"}).out.find("HDF5          left out") != std::string::npos) {
    EXPECT_EQ(made.status, 3);
    EXPECT_THAT(made.err, HasSubstr("built without its library (TESSERA_ENABLE_HDF5)"));
    return;
  }
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("a.h5:/g/A: A, 2 rows x 3 columns"));
  EXPECT_THAT(run({"show", "a.h5:/g/A"}).out,
              HasSubstr("hdf5 in chunks of 1 x 2, shuffle, deflate\n"));
  EXPECT_EQ(run({"convert", "a.h5:/g/A", "b.npy"}).status, 0);
  EXPECT_EQ(read("b.npy").substr(64), read("a.npy").substr(64));
  EXPECT_EQ(run({"atax", "a.h5:/g/A", "--vector", "v.npy", "--output", "c.h5:/C"}).status, 0);
  EXPECT_EQ(run({"check", "a.h5:/g/A", "c.h5:/C", "--vector", "v.npy"}).status, 0);
  auto const again = run({"convert", "a.npy", "a.h5:/B"});
  EXPECT_EQ(again.status, 3);
  EXPECT_THAT(again.err, HasSubstr("may hold other datasets"));
  EXPECT_THAT(again.err, HasSubstr("--add-dataset"));
}

TEST_F(ConvertTest, datasets_are_added_to_an_hdf5_file_on_request_alone) {
  if (run({"info"}).out.find("HDF5          left out") != std::string::npos) {
    GTEST_SKIP() << "this build has no HDF5: adding datasets is NOT TESTED";
  }
  auto const good = [&](std::vector<std::string> const& arguments) {
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
  };
  good({"convert", "a.npy", "r.h5:/A", "--add-dataset"});
  good({"convert", "a.npy", "r.h5:/packed", "--chunk", "1x2", "--deflate", "1", "--add-dataset"});
  good({"atax", "a.npy", "--vector", "v.npy", "--output", "r.h5:/C", "--add-dataset"});
  good({"transpose", "a.npy", "r.h5:/At", "--add-dataset"});
  good({"gen", "--rows", "4", "--cols", "3", "--output", "r.h5:/gen/A", "--vector-output", "w.npy",
        "--add-dataset"});
  for (std::string const dataset : {"A", "packed"}) {
    good({"convert", "r.h5:/" + dataset, "b.npy"});
    EXPECT_EQ(read("b.npy").substr(64), read("a.npy").substr(64));
  }
  good({"check", "a.npy", "r.h5:/C", "--vector", "v.npy"});
  good({"show", "r.h5:/At"});
  good({"atax", "a.npy", "--vector", "v.npy", "--output", "two.h5:/C", "--intermediate",
        "two.h5:/B"});
  good({"check", "a.npy", "two.h5:/C", "--vector", "v.npy"});
  good({"check", "a.npy", "two.h5:/B", "--vector", "v.npy", "--operation", "gemv"});
  good({"show", "r.h5:/gen/A"});
  std::string const before = read("r.h5");
  auto const same = run({"convert", "a.npy", "r.h5:/packed", "--add-dataset"});
  EXPECT_EQ(same.status, 3);
  EXPECT_EQ(same.err,
            "tessera: r.h5:/packed: cannot be added: expected a new name in the file, found an "
            "existing one\n");
  EXPECT_EQ(read("r.h5"), before);
  for (std::vector<std::string> const& arguments :
       {std::vector<std::string>{"convert", "a.npy", "b.npy", "--add-dataset"},
        {"atax", "a.npy", "--add-dataset"},
        {"transpose", "a.npy", "t.npy", "--add-dataset"},
        {"gen", "--rows", "4", "--cols", "3", "--output", "g.npy", "--add-dataset"}}) {
    auto const refused = run(arguments);
    EXPECT_EQ(refused.status, 2) << arguments[0];
    EXPECT_THAT(refused.err, HasSubstr("--add-dataset: expected an output FILE.h5:/DATASET"));
  }
}

TEST_F(ConvertTest, bad_usage_touches_nothing) {
  std::filesystem::copy_file(path("a.npy"), path("a.data"));
  auto const before = listing();
  auto const same = run({"convert", "a.npy", "./a.npy", "--layout", "column-major"});
  EXPECT_EQ(same.status, 2);
  EXPECT_EQ(same.err, "tessera: ./a.npy: the output would replace a.npy\n");
  auto const twice = run({"convert", "a.npy", "b.npy", "--vector-output", "b.npy"});
  EXPECT_EQ(twice.status, 2);
  auto const sizes = run({"convert", "a.npy", "b.npy", "--rows", "2", "--cols", "3"});
  EXPECT_EQ(sizes.status, 2);
  EXPECT_THAT(sizes.err, HasSubstr("a.npy: contains its size"));
  for (auto const& [words, sentence] :
       {std::pair{std::vector<std::string>{"--rows", "2", "--cols", "3"},
                  "tessera: a.data: contains its size, found --rows and --cols; leave them out\n"},
        {{"--type", "f64"},
         "tessera: a.data: contains its element type, found --type; --output-type selects that of "
         "the output\n"}}) {
    std::vector<std::string> arguments{"convert", "a.data", "b.npy"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    auto const refused = run(arguments);
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.err, sentence);
  }
  EXPECT_EQ(run({"convert", "a.bin", "b.npy", "--rows", "2"}).status, 2);
  EXPECT_EQ(run({"convert", "a.npy"}).status, 2);
  EXPECT_EQ(run({"convert", "a.npy", "a.h5:/A", "--deflate", "6"}).status, 2);
  for (std::string const chunk : {"4", "4x", "0x4", "4x4x4", "-1x4"}) {
    EXPECT_EQ(run({"convert", "a.npy", "a.h5:/A", "--chunk", chunk}).status, 2) << chunk;
  }
  auto const order = run({"convert", "a.npy", "b.npy", "--layout", "c"});
  EXPECT_EQ(order.status, 2);
  EXPECT_THAT(order.err, HasSubstr("'c' is not one of as-is|row-major|column-major"));
  EXPECT_EQ(listing(), before);
}

TEST_F(ConvertTest, bad_files_are_a_file_error) {
  auto const before = listing();
  auto const expect = [&](std::vector<std::string> const& arguments, std::string const& sentence) {
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(sentence));
  };
  expect({"convert", "none.npy", "b.npy"}, "tessera: none.npy: does not exist");
  expect({"convert", "a.npy", "b.csv"},
         "b.csv: has a format that is only read: expected no extension, .ex3, .npy");
  expect({"convert", "a.npy", "none/b.npy"}, "tessera: none/b.npy: cannot be written");
  expect({"convert", "a.npy", "b.ex3"}, "b.ex3: holds A and V");
  expect(
      {"convert", "v.npy", "b.npy", "--layout", "column-major"},
      "b.npy: cannot be put into an order of rows or columns: expected a matrix in v.npy, found a "
      "vector with 3 entries");
  expect(
      {"convert", "v.npy", "b.h5:/v", "--chunk", "1x2"},
      "b.h5:/v: is not stored in chunks of rows and columns: expected a matrix in v.npy, found a "
      "vector with 3 entries");
  expect({"convert", "v.npy", "b.ex3", "--vector", "v.npy"}, "found a vector with 3 entries");
  EXPECT_EQ(listing(), before);
}

TEST_F(ConvertTest, a_number_means_a_test_of_ex3) {
  EXPECT_EQ(run({"convert", "7", "a7.npy"}).err,
            "tessera: test/7: does not exist: expected a file, found nothing\n");
}

}  // namespace
}  // namespace tessera::test
