// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <support/read_file.hpp>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace tessera::test {
namespace {

using ::testing::HasSubstr;
using UsageTest = ProgramTest;

TEST_F(UsageTest, help_is_everywhere_with_examples) {
  auto const program = run({"--help"});
  EXPECT_EQ(program.status, 0);
  EXPECT_EQ(program.err, "");
  EXPECT_THAT(program.out, HasSubstr("Examples:"));
  EXPECT_THAT(program.out, HasSubstr("Exit status:"));
  for (std::string const command : {"gen", "atax", "gemv", "gemvt", "transpose", "gemm", "bench",
                                    "tune", "check", "show", "convert", "info"}) {
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
        BadUsage{"no_command", {}, "subcommand"},
        BadUsage{"unknown_command", {"frobnicate"}, "frobnicate"},
        BadUsage{"unknown_option", {"atax", "a.npy", "--fast"}, "--fast"},
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
                 "'gemm' is not one of atax|gemv|gemvt"},
        BadUsage{"repeat_zero", {"atax", "a.npy", "--repeat", "0"}, "--repeat"},
        BadUsage{"repeat_word", {"atax", "a.npy", "--repeat", "often"}, "--repeat"},
        BadUsage{"device_negative", {"atax", "a.npy", "--device", "-1"}, "--device"},
        BadUsage{"device_word", {"atax", "a.npy", "--device", "all"}, "--device"},
        BadUsage{"device_of_gen",
                 {"gen", "--rows", "1", "--cols", "1", "--output", "x.npy", "--device", "0"},
                 "--device"},
        BadUsage{"info_as_csv", {"info", "--format", "csv"}, "'csv' is not one of text|json"},
        BadUsage{"threads_zero", {"atax", "a.npy", "--threads", "0"}, "--threads"},
        BadUsage{
            "method_of_gemv", {"gemv", "a.npy", "--method", "fused"}, "gemv has one method only"},
        BadUsage{"intermediate_of_gemvt",
                 {"gemvt", "a.npy", "--intermediate", "b.npy"},
                 "gemvt has no intermediate vector"},
        BadUsage{
            "output_is_input", {"atax", "a.npy", "--output", "./a.npy"}, "would replace a.npy"},
        BadUsage{"output_is_intermediate",
                 {"atax", "a.npy", "--output", "x.npy", "--intermediate", "x.npy"},
                 "would replace x.npy"},
        BadUsage{"completion_of_no_shell", {"completion"}, "SHELL"},
        BadUsage{"completion_of_unknown_shell", {"completion", "cmd"}, "cmd"}),
    [](auto const& test) { return test.param.name; });

TEST_F(UsageTest, gemv_takes_method_auto) {
  write("a.npy", npy("<f4", "(1, 1)", bytes_of<float>({1})));
  EXPECT_EQ(run({"gemv", "a.npy", "--method", "auto"}).status, 0);
}

TEST_F(UsageTest, committed_bash_completion_is_that_of_the_program) {
  auto const committed = read_file(TESSERA_SOURCE_DIR "/src/app/tessera.bash");
  auto const result = run({"completion", "bash"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, committed) << "run: tessera completion bash > src/app/tessera.bash";
}

TEST_F(UsageTest, bash_completion_completes) {
  auto const complete = [&](std::string const& words, int index) {
    write("complete.bash", "source '" TESSERA_SOURCE_DIR "/src/app/tessera.bash'\nCOMP_WORDS=(" +
                               words + ")\nCOMP_CWORD=" + std::to_string(index) +
                               "\n_tessera\necho ${COMPREPLY[*]}\n");
    std::string answer(256, '\0');
    FILE* const pipe = popen(("bash " + path("complete.bash").string()).c_str(), "r");
    answer.resize(std::fread(answer.data(), 1, answer.size(), pipe));
    pclose(pipe);
    return answer;
  };
  if (std::system("bash -c true") != 0) GTEST_SKIP() << "SKIPPED: there is no bash";
  EXPECT_EQ(complete("tessera ge", 1), "gen gemv gemvt gemm\n");
  EXPECT_EQ(complete("tessera atax a.npy --meth", 3), "--method\n");
  EXPECT_EQ(complete("tessera atax a.npy --method t", 4), "two-stage\n");
  EXPECT_EQ(complete("tessera transpose a.npy b.npy --variant til", 5),
            "tile tile-padded tile-unrolled-padded\n");
}

}  // namespace
}  // namespace tessera::test
