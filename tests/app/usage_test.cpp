// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <support/read_file.hpp>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace tessera::test {
namespace {

using UsageTest = ProgramTest;

TEST_F(UsageTest, help_is_everywhere_with_examples) {
  auto const program = run({"--help"});
  EXPECT_EQ(program.status, 0);
  EXPECT_EQ(program.err, "");
  EXPECT_THAT(program.out, HasSubstr("Examples:"));
  EXPECT_THAT(program.out, HasSubstr("Exit status:"));
  for (std::string const command :
       {"gen", "atax", "aatx", "gemv", "gemvt", "gemv-both", "transpose", "gemm", "bench", "tune",
        "check", "show", "convert", "info"}) {
    EXPECT_THAT(program.out, HasSubstr("  " + command + " "));
    auto const help = run({command, "--help"});
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_EQ(help.err, "");
    EXPECT_THAT(help.out, HasSubstr("Examples:"));
    EXPECT_THAT(help.out, HasSubstr("tessera " + command));
  }
}

TEST_F(UsageTest, version_names_version_and_commit) {
  auto const result = run({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out,
              ::testing::MatchesRegex("tessera [0-9]+\\.[0-9]+\\.[0-9]+ \\(commit .+\\)\n"));
}

struct BadUsage {
  std::string name;
  std::vector<std::string> arguments;
  std::string message;
};

class BadUsageTest : public ProgramTest, public ::testing::WithParamInterface<BadUsage> {};

TEST_P(BadUsageTest, exits_2_with_a_sentence_and_touches_nothing) {
  write("a.npy", npy("<f4", "(1, 1)", bytes_of<float>({1})));
  auto const before = listing();
  auto const result = run(GetParam().arguments);
  EXPECT_EQ(result.status, 2) << result.out;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("tessera: ")) << result.err;
  EXPECT_THAT(result.err, HasSubstr(GetParam().message));
  EXPECT_EQ(listing(), before);
}

INSTANTIATE_TEST_SUITE_P(
    all, BadUsageTest,
    ::testing::Values(
        BadUsage{"no_command", {}, "expected a command, such as info, found none"},
        BadUsage{"option_without_a_command",
                 {"-V"},
                 "unknown option '-V'; the command is expected before its options"},
        BadUsage{"command_in_capitals", {"SVD"}, "'SVD' is not a command; did you mean svd?"},
        BadUsage{"word_in_capitals",
                 {"atax", "a.npy", "--format", "JSON"},
                 "'JSON' is not one of text|json|csv; did you mean json?"},
        BadUsage{"short_option_with_two_dashes",
                 {"svd", "a.npy", "--k", "2"},
                 "unknown option '--k' of svd; did you mean -k?"},
        BadUsage{"first_letter_of_an_option",
                 {"atax", "a.npy", "-o", "c.npy"},
                 "unknown option '-o' of atax; did you mean --output?"},
        BadUsage{"option_twice",
                 {"atax", "a.npy", "--output", "b.npy", "--output=c.npy"},
                 "--output: expected once, found twice"},
        BadUsage{
            "empty_name_of_a_file", {"atax", ""}, "INPUT: expected a value, found an empty one\n"},
        BadUsage{"option_after_the_end_of_options",
                 {"atax", "--", "-a.npy", "--check"},
                 "'--check' was not expected; options are expected before --"},
        BadUsage{"unknown_command", {"frobnicate"}, "frobnicate"},
        BadUsage{"unknown_option", {"atax", "a.npy", "--fast"}, "--fast"},
        BadUsage{"near_command", {"atx"}, "'atx' is not a command; did you mean atax?"},
        BadUsage{"near_option_before_missing_ones",
                 {"gen", "--row", "10"},
                 "unknown option '--row' of gen; did you mean --rows?"},
        BadUsage{"option_of_another_command",
                 {"ridge", "a.npy", "a.npy", "--alpha", "0.1"},
                 "unknown option '--alpha' of ridge"},
        BadUsage{"near_option_with_a_value",
                 {"atax", "--memory-limt", "1MiB", "a.npy"},
                 "unknown option '--memory-limt' of atax; did you mean --memory-limit?"},
        BadUsage{"start_of_an_option",
                 {"atax", "a.npy", "--out", "c.npy"},
                 "unknown option '--out' of atax; did you mean --output?"},
        BadUsage{"loss_left_out",
                 {"fit", "a.npy", "a.npy"},
                 "LOSS: 'a.npy' is not one of linear|logistic|poisson"},
        BadUsage{"file_that_begins_with_a_dash",
                 {"show", "-x.npy"},
                 "unknown option '-x.npy' of show; a file of this name is ./-x.npy"},
        BadUsage{"type_before_missing_ones",
                 {"gen", "--type", "f16"},
                 "--type: 'f16' is not one of f32|f64"},
        BadUsage{"gpu", {"atax", "a.npy", "--backend", "gpu"}, "did you mean cuda?"},
        BadUsage{
            "option_as_a_value",
            {"lstsq", "a.npy", "a.npy", "--history", "--check"},
            "--history: expected a value, found the option --check; --history=--check takes it "
            "as a value"},
        BadUsage{"option_as_the_value_of_a_short_one",
                 {"svd", "a.npy", "-k", "--check"},
                 "-k: expected a value, found the option --check"},
        BadUsage{"option_at_the_end",
                 {"gen", "--rows", "1", "--cols", "1", "--output"},
                 "--output: expected a value, found none"},
        BadUsage{"hint_to_output",
                 {"atax", "a.npy", "c.npy"},
                 "'c.npy' was not expected; --output c.npy writes the result there"},
        BadUsage{"help_of_a_known_command",
                 {"atax", "a.npy", "--fast"},
                 "\nTry 'tessera atax --help'.\n"},
        BadUsage{"number_beyond_a_double",
                 {"atax", "a.npy", "--alpha", "1e-400"},
                 "--alpha: expected a decimal number that a double holds, found '1e-400'"},
        BadUsage{"part_of_a_byte",
                 {"atax", "a.npy", "--memory-limit", "1.5"},
                 "--memory-limit: expected a size from 1 to 2^62 bytes"},
        BadUsage{
            "format_against_the_extension",
            {"gen", "--rows", "1", "--cols", "1", "--output", "g.npy", "--output-format", "ex3"},
            "g.npy: the extension means NumPy array, found --output-format ex3 test file"},
        BadUsage{"format_of_a_conversion_against_the_extension",
                 {"convert", "a.npy", "d.bin", "--output-format", "npy"},
                 "d.bin: the extension means raw elements, found --output-format NumPy array"},
        BadUsage{"no_input", {"atax"}, "INPUT"},
        BadUsage{"surplus_input", {"atax", "a.npy", "b.npy"}, "b.npy"},
        BadUsage{"check_without_result", {"check", "a.npy"}, "RESULT"},
        BadUsage{"gen_without_rows", {"gen", "--cols", "1", "--output", "x.npy"}, "--rows"},
        BadUsage{"gen_without_output", {"gen", "--cols", "1", "--rows", "1"}, "--output"},
        BadUsage{
            "bad_distribution",
            {"gen", "--rows", "1", "--cols", "1", "--output", "x.npy", "--distribution", "cauchy"},
            "'cauchy' is not one of ex3|uniform|normal|integer"},
        BadUsage{"bad_method",
                 {"atax", "a.npy", "--method", "best"},
                 "--method: 'best' is not one of auto|fused|two-stage"},
        BadUsage{"bad_backend",
                 {"atax", "a.npy", "--backend", "gpu"},
                 "'gpu' is not one of auto|openmp|serial|cuda"},
        BadUsage{
            "bad_type", {"atax", "a.npy", "--type", "f16"}, "'f16' is not one of as-is|f32|f64"},
        BadUsage{"bad_format",
                 {"atax", "a.npy", "--format", "xml"},
                 "'xml' is not one of text|json|csv"},
        BadUsage{"bad_operation",
                 {"check", "a.npy", "a.npy", "--operation", "gemm"},
                 "'gemm' is not one of atax|aatx|gemv|gemvt"},
        BadUsage{
            "repeat_zero",
            {"atax", "a.npy", "--repeat", "0"},
            "--repeat: expected a whole number from 1 to 1000000 in decimal digits, found '0'"},
        BadUsage{"repeat_word", {"atax", "a.npy", "--repeat", "often"}, "found 'often'"},
        BadUsage{"repeat_too_large", {"atax", "a.npy", "--repeat", "1000001"}, "found '1000001'"},
        BadUsage{"device_negative",
                 {"atax", "a.npy", "--device", "-1"},
                 "--device: expected a whole number from 0 to 65535 in decimal digits, found '-1'"},
        BadUsage{"device_word", {"atax", "a.npy", "--device", "all"}, "found 'all'"},
        BadUsage{"tile_zero",
                 {"bench", "gemm", "a.npy", "a.npy", "--variants", "tiled", "--tiles", "0"},
                 "--tiles: '0' is no tile: expected a whole number from 1 to 1073741824"},
        BadUsage{"most_teams_zero",
                 {"bench", "gemv", "--most-teams", "0"},
                 "--most-teams: expected a whole number from 1 to 1073741824"},
        BadUsage{"variant_of_gemv", {"gemv", "a.npy", "--variant", "ex3"}, "--variant"},
        BadUsage{"team_of_transpose", {"transpose", "a.npy", "b.npy", "--team", "8x8"}, "--team"},
        BadUsage{"team_of_one",
                 {"bench", "gemm", "a.npy", "a.npy", "--variants", "tiled", "--teams", "8"},
                 "--teams: '8' is no team: expected RxC, both from 1 to 2147483647"},
        BadUsage{
            "limit_without_unit_of_ours",
            {"atax", "a.npy", "--memory-limit", "1PiB"},
            "--memory-limit: expected a size from 1 to 2^62 bytes with one of the units B, KB, "
            "MB, GB, TB, KiB, MiB, GiB, TiB, such as 512MiB, or without a unit, found '1PiB'"},
        BadUsage{"limit_with_space", {"atax", "a.npy", "--memory-limit", "1 MiB"}, "found '1 MiB'"},
        BadUsage{"limit_infinite", {"atax", "a.npy", "--memory-limit", "infMiB"}, "found 'infMiB'"},
        BadUsage{"seconds_negative",
                 {"gemv", "a.npy", "--checkpoint", "s", "--checkpoint-every", "-1"},
                 "--checkpoint-every: expected a number of seconds from 0 to 1000000, such as 0.5, "
                 "found '-1'"},
        BadUsage{"seconds_nan", {"bench", "gemv", "--seconds", "nan"}, "found 'nan'"},
        BadUsage{"level_ten",
                 {"convert", "a.npy", "x.h5:/A", "--chunk", "1x1", "--deflate", "10"},
                 "--deflate: expected a whole number from 1 to 9 in decimal digits, found '10'"},
        BadUsage{"shape_with_sign",
                 {"bench", "gemv", "--shapes", "4x4+-0"},
                 "--shapes: '4x4+-0' is no shape"},
        BadUsage{"shape_with_space", {"tune", "gemv", "--shape", "4x 4"}, "'4x 4' is no shape"},
        BadUsage{"flag_with_value",
                 {"atax", "a.npy", "--check=false"},
                 "--check: expected no value, found 'false'"},
        BadUsage{"flag_with_empty_value",
                 {"atax", "a.npy", "--check="},
                 "--check: expected no value, found ''"},
        BadUsage{"option_with_empty_value",
                 {"atax", "a.npy", "--vector="},
                 "--vector: expected a value, found an empty one"},
        BadUsage{"state_interval_without_state",
                 {"gemv", "a.npy", "--checkpoint-every", "5"},
                 "--checkpoint-every requires --checkpoint"},
        BadUsage{"repeat_of_a_stream",
                 {"gemv", "a.npy", "--checkpoint", "s", "--repeat", "2"},
                 "--repeat: needs the matrix in memory, and it is streamed, once: --checkpoint was "
                 "given"},
        BadUsage{"type_of_no_raw_file",
                 {"convert", "a.npy", "x.npy", "--type", "f64"},
                 "a.npy: contains its element type, found --type; --output-type selects that of "
                 "the output"},
        BadUsage{"order_of_no_raw_file",
                 {"convert", "a.npy", "x.npy", "--input-layout", "column-major"},
                 "a.npy: contains its layout, found --input-layout; --layout selects that of the "
                 "output"},
        BadUsage{"order_of_a_raw_vector",
                 {"convert", "a.bin", "x.npy", "--input-layout", "column-major"},
                 "a.bin: is a vector without --rows and --cols, and has no layout"},
        BadUsage{"format_of_a_dataset",
                 {"convert", "a.npy", "x.h5:/A", "--output-format", "npy"},
                 "x.h5:/A: is a dataset of an HDF5 file, found --output-format"},
        BadUsage{"show_of_a_shape", {"tune", "--show", "--shape", "3x3"}, "--show"},
        BadUsage{"reset_of_a_type", {"tune", "--reset", "--type", "f64"}, "--reset"},
        BadUsage{"teams_of_no_variant",
                 {"bench", "gemv", "--variants", "none", "--teams", "8x8"},
                 "--teams: only variants have teams and tiles, and none is measured: found "
                 "--variants none"},
        BadUsage{"teams_of_an_operation_without_variants",
                 {"bench", "atax", "--teams", "8x8"},
                 "--teams: only variants have teams and tiles, and none is measured: there is none "
                 "of atax"},
        BadUsage{"device_of_gen",
                 {"gen", "--rows", "1", "--cols", "1", "--output", "x.npy", "--device", "0"},
                 "--device"},
        BadUsage{"info_as_csv", {"info", "--format", "csv"}, "'csv' is not one of text|json"},
        BadUsage{"threads_zero", {"atax", "a.npy", "--threads", "0"}, "--threads"},
        BadUsage{
            "method_of_gemv", {"gemv", "a.npy", "--method", "fused"}, "gemv has a single method"},
        BadUsage{"intermediate_of_gemvt",
                 {"gemvt", "a.npy", "--intermediate", "b.npy"},
                 "gemvt has no intermediate vector"},
        BadUsage{
            "output_is_input", {"atax", "a.npy", "--output", "./a.npy"}, "would replace a.npy"},
        BadUsage{"output_is_intermediate",
                 {"atax", "a.npy", "--output", "x.npy", "--intermediate", "x.npy"},
                 "would replace the output x.npy"},
        BadUsage{"completion_of_no_shell", {"completion"}, "SHELL"},
        BadUsage{"completion_of_unknown_shell",
                 {"completion", "cmd"},
                 "SHELL: 'cmd' is not one of bash"}),
    [](auto const& test) { return test.param.name; });

TEST_F(UsageTest, numbers_are_read_as_they_are_written) {
  EXPECT_THAT(run({"gen", "--rows", "010", "--cols", "3", "--output", "a.npy"}).out,
              HasSubstr("10 rows x 3 columns"));
  EXPECT_THAT(run({"gen", "--rows", "1e2", "--cols", "3.0", "--output", "a.npy"}).out,
              HasSubstr("100 rows x 3 columns"));
  auto const before = listing();
  for (std::string const text :
       {"-5", "+5", " 5", "5 ", "0x10", "0b11", "1'000", "1_000", "1,000", "1e-3", "5.5", "0"}) {
    auto const result = run({"gen", "--rows", text, "--cols", "3", "--output", "b.npy"});
    EXPECT_EQ(result.status, 2) << text;
    EXPECT_THAT(result.err,
                HasSubstr("tessera: --rows: expected a whole number from 1 to 9223372036854775807 "
                          "in decimal digits, found '" +
                          text + "'\n"));
  }
  for (std::string const text : {"-1", "1'0", "0x1", "18446744073709551616"}) {
    auto const result =
        run({"gen", "--rows", "3", "--cols", "3", "--seed", text, "--output", "b.npy"});
    EXPECT_EQ(result.status, 2) << text;
    EXPECT_THAT(result.err, HasSubstr("--seed: expected a whole number from 0 to "
                                      "18446744073709551615 in decimal digits, found '"));
  }
  EXPECT_EQ(listing(), before);
}

TEST_F(UsageTest, help_and_version_are_words_too) {
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
  EXPECT_EQ(run({"help", "atax"}).out, run({"atax", "--help"}).out);
  EXPECT_EQ(run({"help", "atx"}).status, 2);
  for (std::vector<std::string> const& words :
       {std::vector<std::string>{"version"}, {"atax", "--version"}}) {
    EXPECT_EQ(run(words).out, run({"--version"}).out);
  }
}

TEST_F(UsageTest, help_matches_behaviour) {
  EXPECT_THAT(run({"fit", "--help"}).out, ::testing::Not(HasSubstr("[linear]")));
  for (std::string const command : {"lstsq", "ridge", "svd", "pca", "stats", "fit"}) {
    EXPECT_THAT(run({command, "--help"}).out, ::testing::Not(HasSubstr("What INPUT is")));
  }
}

TEST_F(UsageTest, types_and_orders_have_the_names_of_c_and_numpy_too) {
  auto const gen = [&](std::string const& type, std::string const& layout) {
    return run({"gen", "--rows", "4", "--cols", "3", "--type", type, "--layout", layout, "--output",
                "a.npy"})
        .out;
  };
  for (std::string const type : {"f32", "float", "float32"}) {
    EXPECT_THAT(gen(type, "C"), HasSubstr("f32, row-major"));
  }
  for (std::string const type : {"f64", "double", "float64"}) {
    EXPECT_THAT(gen(type, "F"), HasSubstr("f64, column-major"));
  }
  EXPECT_EQ(run({"atax", "a.npy", "--type", "float"}).status, 0);
  EXPECT_EQ(run({"convert", "a.npy", "b.npy", "--layout", "C", "--output-type", "float"}).status,
            0);
  EXPECT_EQ(run({"gen", "--type", "c", "--layout", "C"}).status, 2);
}

TEST_F(UsageTest, control_characters_of_names_do_not_reach_the_terminal) {
  EXPECT_THAT(run({"atax", "x\x1b[31m\ny.npy"}).err, HasSubstr("tessera: x?[31m?y.npy: "));
  std::string const name =
      "x\x1b[31mz\xc2\x9b"
      "1m.npy";
  write(name, npy("<f4", "(1, 1)", bytes_of<float>({1})));
  for (std::vector<std::string> const& words :
       {std::vector<std::string>{"atax", name}, {"lstsq", name, name}, {"show", name}}) {
    auto const result = run(words);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("x?[31mz?1m.npy"));
    EXPECT_THAT(result.out + result.err, ::testing::Not(HasSubstr("\x1b")));
  }
}

TEST_F(UsageTest, a_number_is_the_file_of_that_name_where_there_is_one) {
  std::filesystem::create_directory(path("test"));
  write("test/7", "");
  EXPECT_THAT(run({"atax", "7"}).err, HasSubstr("tessera: test/7: "));
  write("7", npy("<f4", "(1, 1)", bytes_of<float>({1})));
  auto const result = run({"atax", "7"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("   7\n"));
  EXPECT_FALSE(exists("7-out.bin"));
}

TEST_F(UsageTest, dev_runs_the_built_program) {
  if (std::system("bash -c true") != 0) GTEST_SKIP() << "SKIPPED: there is no bash";
  std::filesystem::create_directory(path("cmake"));
  for (std::string const name : {"dev", "CMakePresets.json", "cmake/debian-root.sh"}) {
    std::filesystem::copy_file(TESSERA_SOURCE_DIR "/" + name, path(name));
  }
  auto const dev = [&](std::string const& words) {
    std::string const command =
        "cd '" + path("").string() + "' && TESSERA_WAY= bash ./dev " + words + " >out 2>&1";
    int const status = std::system(command.c_str());
    std::string const said = read("out");
    std::filesystem::remove(path("out"));
    return std::pair(status, said);
  };
  EXPECT_THAT(dev("run info").second, HasSubstr("dev: not built: ./dev build\n"));
  EXPECT_THAT(dev("--preset openmp-asan run info").second,
              HasSubstr("not built: ./dev build --preset openmp-asan\n"));
  EXPECT_FALSE(exists("build"));
  std::filesystem::create_directories(path("build/openmp/bin"));
  write("build/openmp/bin/tessera", "#!/bin/sh\necho \"$# words: $*\"\n");
  std::filesystem::permissions(path("build/openmp/bin/tessera"), std::filesystem::perms::all);
  auto const before = listing();
  EXPECT_EQ(dev("run show 'a b.npy' --preset x"),
            std::pair(0, std::string("4 words: show a b.npy --preset x\n")));
  EXPECT_EQ(listing(), before);
}

TEST_F(UsageTest, serial_takes_one_thread) {
  write("a.npy", npy("<f4", "(1, 1)", bytes_of<float>({1})));
  std::vector<std::string> const serial = {"--backend", "serial", "--threads", "2"};
  for (std::vector<std::string> arguments : {std::vector<std::string>{"gemv", "a.npy"},
                                             {"transpose", "a.npy", "x.npy"},
                                             {"gemm", "a.npy", "a.npy", "x.npy"},
                                             {"bench", "gemv", "--shapes", "2x2"},
                                             {"tune", "gemv", "--shape", "2x2"}}) {
    arguments.insert(arguments.end(), serial.begin(), serial.end());
    auto const result = run(arguments);
    if (result.status == 4) GTEST_SKIP() << "SKIPPED: this build has no Serial backend";
    EXPECT_EQ(result.status, 2) << arguments[0];
    EXPECT_THAT(result.err, HasSubstr("--threads: serial computes with one thread, found 2"));
  }
}

TEST_F(UsageTest, help_fits_the_terminal_and_says_the_same) {
  auto const words = [](std::string const& text) {
    std::istringstream stream(text);
    return std::vector<std::string>(std::istream_iterator<std::string>(stream), {});
  };
  for (std::string const command : {"gen", "atax", "bench", "tune", "convert"}) {
    auto const at = [&](std::string const& columns) {
      return run({command, "--help"}, {.environment = {{"COLUMNS", columns}}}).out;
    };
    std::string const narrow = at("60");
    EXPECT_EQ(words(narrow), words(at("100")));
    EXPECT_EQ(words(narrow), words(run({command, "--help"}).out));
    std::istringstream lines(narrow);
    for (std::string line; std::getline(lines, line) && line != "Examples:";) {
      if (line.starts_with(' ') || line.starts_with('-')) continue;
      EXPECT_LE(line.size(), 60u) << line;
    }
  }
}

TEST_F(UsageTest, help_keeps_its_lines) {
  for (std::string const command : {"", "gen", "atax", "transpose", "gemm", "bench", "tune",
                                    "check", "show", "convert", "info"}) {
    auto const help = command.empty() ? run({"--help"}) : run({command, "--help"});
    auto const start = help.out.find("Examples:\n");
    ASSERT_NE(start, std::string::npos) << command;
    std::istringstream lines(help.out.substr(start));
    std::string line;
    std::getline(lines, line);
    int examples = 0;
    while (std::getline(lines, line) && !line.empty()) {
      EXPECT_TRUE(line.starts_with("  ") && line.find("tessera ") != std::string::npos)
          << command << ": '" << line << "'";
      ++examples;
    }
    EXPECT_GE(examples, 2) << command;
  }
  EXPECT_THAT(run({"gen", "--help"}).out,
              HasSubstr("\n  tessera gen --rows 100000 --cols 300 --type f64 --distribution normal "
                        "--seed 1 --output a.npy\n"));
}

TEST_F(UsageTest, gemv_takes_method_auto) {
  write("a.npy", npy("<f4", "(1, 1)", bytes_of<float>({1})));
  EXPECT_EQ(run({"gemv", "a.npy", "--method", "auto"}).status, 0);
}

TEST_F(UsageTest, committed_bash_completion_is_that_of_the_program) {
  auto const committed = read_file(TESSERA_SOURCE_DIR "/src/app/cli/tessera.bash");
  auto const result = run({"completion", "bash"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, committed) << "run: tessera completion bash > src/app/cli/tessera.bash";
}

TEST_F(UsageTest, bash_completion_completes) {
  auto const complete = [&](std::string const& words, int index) {
    write("complete.bash",
          "source '" TESSERA_SOURCE_DIR "/src/app/cli/tessera.bash'\nCOMP_WORDS=(" + words +
              ")\nCOMP_CWORD=" + std::to_string(index) + "\n_tessera\necho ${COMPREPLY[*]}\n");
    std::string answer(256, '\0');
    FILE* const pipe = popen(("bash " + path("complete.bash").string()).c_str(), "r");
    answer.resize(std::fread(answer.data(), 1, answer.size(), pipe));
    pclose(pipe);
    return answer;
  };
  if (std::system("bash -c true") != 0) GTEST_SKIP() << "SKIPPED: there is no bash";
  EXPECT_EQ(complete("tessera ge", 1), "gen gemv gemvt gemv-both gemm\n");
  EXPECT_EQ(complete("tessera atax a.npy --meth", 3), "--method\n");
  EXPECT_EQ(complete("tessera atax a.npy --method t", 4), "two-stage\n");
  EXPECT_EQ(complete("tessera bench gemv --layout co", 4), "column-major\n");
}

}  // namespace
}  // namespace tessera::test
