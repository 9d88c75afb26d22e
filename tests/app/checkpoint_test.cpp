// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <vector>

#include <gmock/gmock.h>

#include "support/solve.hpp"

/// Files of --checkpoint.
namespace tessera::test {
namespace {

class CheckpointNameTest : public SolveTest {
 protected:
  CheckpointNameTest() { make("300", "60", "row-major", "f64"); }

  /// Does not converge, so that it writes its state.
  Words const cut_short_{"lstsq", "a.npy",    "b.npy", "--atol",    "1e-13", "--btol",
                         "0",     "--conlim", "0",     "--maxiter", "6"};

  static Words kept(Words const& command, std::string const& name) {
    return command + Words{"--checkpoint", name};
  }
};

struct Unfinished {
  std::string name;
  Words command;
  bool repeats_reads = false;
};

class UnfinishedTest : public SolveTest, public ::testing::WithParamInterface<Unfinished> {};

TEST_P(UnfinishedTest, leaves_the_state_of_its_last_step) {
  make("200", "40", "row-major", "f64");
  ASSERT_EQ(run({"gen", "--rows", "200", "--cols", "1", "--distribution", "integer", "--type",
                 "f64", "--output", "counts.npy"})
                .status,
            0);
  std::vector<double> labels;
  for (int i = 0; i < 200; ++i) labels.push_back(i % 3 == 0 ? 1 : 0);
  write_doubles("labels.npy", "(200,)", labels);
  Words const whole_run = GetParam().command + Words{"--history", "whole.csv"};
  auto const whole = report(whole_run);
  Words const kept = GetParam().command + Words{"--history", "h.csv", "--checkpoint", "s"};
  ASSERT_GT(whole["iterations"], 2);
  for (int const steps : {1, 2}) {
    auto const part = report(kept + Words{"--maxiter", std::to_string(steps)}, 1);
    EXPECT_EQ(part["iterations"], steps);
    ASSERT_TRUE(exists("s")) << steps;
  }
  auto const same = report(kept + Words{"--maxiter", "2"}, 1);
  EXPECT_EQ(same["iterations"], 2);
  EXPECT_EQ(same["first_iteration"], 2);
  auto const rest = report(kept);
  EXPECT_EQ(rest["first_iteration"], 2);
  EXPECT_EQ(rest["sha256"], whole["sha256"]);
  EXPECT_EQ(rest["iterations"], whole["iterations"]);
  EXPECT_FALSE(exists("s"));

  // Some methods repeat reads when they resume.
  std::istringstream lines(read("h.csv")), whole_lines(read("whole.csv"));
  long before = 0;
  for (std::string line, whole_line; std::getline(whole_lines, whole_line);) {
    ASSERT_TRUE(std::getline(lines, line));
    if (line.starts_with("iteration")) continue;
    std::size_t const comma = line.find(',');
    long const reads = std::stol(line.substr(comma + 1));
    EXPECT_GT(reads, before) << line;
    before = reads;
    if (GetParam().repeats_reads) {
      EXPECT_EQ(line.substr(0, comma), whole_line.substr(0, whole_line.find(',')));
      EXPECT_EQ(line.substr(line.find(',', comma + 1)),
                whole_line.substr(whole_line.find(',', whole_line.find(',') + 1)));
    } else {
      EXPECT_EQ(line, whole_line);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    all, UnfinishedTest,
    ::testing::Values(Unfinished{"lsmr",
                                 {"lstsq", "a.npy", "b.npy", "--method", "lsmr", "--atol", "1e-13",
                                  "--btol", "0"}},
                      Unfinished{"lsqr",
                                 {"lstsq", "a.npy", "b.npy", "--method", "lsqr", "--atol", "1e-13",
                                  "--btol", "0"}},
                      Unfinished{"ridge",
                                 {"ridge", "a.npy", "b.npy", "--lambda", "0.5", "--method", "lsmr",
                                  "--atol", "1e-13", "--btol", "0"}},
                      Unfinished{"svd", {"svd", "a.npy", "-k", "3", "--method", "lanczos"}},
                      Unfinished{"pca", {"pca", "a.npy", "-k", "3", "--method", "lanczos"}, true},
                      Unfinished{"newton",
                                 {"fit", "logistic", "a.npy", "labels.npy", "--penalty", "0.01",
                                  "--solver", "newton-cg", "--tol", "1e-12"},
                                 true},
                      Unfinished{"lbfgs",
                                 {"fit", "logistic", "a.npy", "labels.npy", "--penalty", "0.01",
                                  "--solver", "lbfgs", "--tol", "1e-8"},
                                 true}),
    [](auto const& test) { return test.param.name; });

TEST_F(CheckpointNameTest, a_limit_of_the_condition_leaves_a_state_too) {
  Words const command{"lstsq", "a.npy",  "b.npy", "--method",     "lsmr", "--atol",
                      "1e-13", "--btol", "0",     "--checkpoint", "s",    "--conlim"};
  auto const cut = report(command + Words{"1.2"}, 1);
  EXPECT_THAT(cut["stop"].get<std::string>(), HasSubstr("condition number passed conlim"));
  ASSERT_TRUE(exists("s"));
  auto const same = report(command + Words{"1.2"}, 1);
  EXPECT_EQ(same["iterations"], cut["iterations"]);
  auto const rest = report(command + Words{"1e8"});
  EXPECT_EQ(rest["first_iteration"], cut["iterations"]);
  EXPECT_EQ(rest["sha256"], report({"lstsq", "a.npy", "b.npy", "--method", "lsmr", "--atol",
                                    "1e-13", "--btol", "0"})["sha256"]);
}

TEST_F(CheckpointNameTest, a_run_with_other_limits_says_so) {
  ASSERT_EQ(run(kept(cut_short_, "s")).status, 1);
  auto const again = report(kept(cut_short_, "s"), 1);
  EXPECT_TRUE(again["earlier_limits"].is_null());
  Words const looser{"lstsq", "a.npy", "b.npy", "--atol", "1e-3", "--checkpoint", "s"};
  EXPECT_THAT(
      run(looser).out,
      HasSubstr("resumed from a checkpoint after iteration 6, of a run with atol 1e-13, btol 0, "
                "conlim 0"));
  auto const ridge = [&](char const* lambda) {
    return kept({"ridge", "a.npy", "b.npy", "--lambda", lambda, "--maxiter", "2"}, "r");
  };
  ASSERT_EQ(run(ridge("1")).status, 1);
  expect_refused(ridge("4"), 3,
                 "expected a checkpoint of this run, found one of a run with damp 1;");
}

TEST_F(CheckpointNameTest, pipes_and_devices_are_refused_without_waiting) {
  ASSERT_EQ(::mkfifo(path("p").c_str(), 0600), 0);
  for (Words const& command :
       {Words{"lstsq", "a.npy", "b.npy"}, Words{"atax", "a.npy"}, Words{"svd", "a.npy", "-k", "2"},
        Words{"fit", "linear", "a.npy", "b.npy"}}) {
    expect_refused(
        kept(command, "p"), 3,
        "p: cannot keep a checkpoint: expected the name of a regular file, found a pipe");
    expect_refused(kept(command, "/dev/null"), 3, "found a device");
    expect_refused(kept(command, "/dev/stdout"), 2,
                   "--checkpoint: expected the name of a regular file, found /dev/stdout");
  }
}

TEST_F(CheckpointNameTest, a_link_stays_and_the_state_behind_it_goes) {
  std::filesystem::create_directory(path("r"));
  std::filesystem::create_symlink("r/st", path("link"));
  ASSERT_EQ(run(kept(cut_short_, "link")).status, 1);
  EXPECT_TRUE(exists("r/st"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(run(kept({"lstsq", "a.npy", "b.npy", "--atol", "1e-13", "--btol", "0"}, "link")).status,
            0);
  EXPECT_FALSE(exists("r/st"));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  for (Words const& command : {Words{"lstsq", "a.npy", "b.npy"}, Words{"atax", "a.npy"}}) {
    EXPECT_EQ(run(kept(command, "link")).status, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  }
}

TEST_F(CheckpointNameTest, a_dataset_is_no_name_of_a_state_a_history_or_a_report) {
  auto const before = listing();
  Words const solve{"lstsq", "a.npy", "b.npy"};
  for (std::string const option : {"--checkpoint", "--history", "--report"}) {
    expect_refused(solve + Words{option, "s.h5:/x"}, 2,
                   option + ": expected the name of a file, found s.h5:/x, which names /x in s.h5");
  }
  for (std::string const option : {"--checkpoint", "--report"}) {
    expect_refused({"atax", "a.npy", option, "s.h5:/x"}, 2,
                   option + ": expected the name of a file");
  }
  expect_refused({"bench", "gemv", "--shapes", "2x2", "--output", "s.h5:/x"}, 2,
                 "--output: expected the name of a file, found s.h5:/x");
  EXPECT_EQ(listing(), before);
}

TEST_F(CheckpointNameTest, belongs_to_one_run_at_a_time) {
  ASSERT_EQ(run({"gen", "--rows", "2000", "--cols", "1500", "--distribution", "normal", "--output",
                 "big.npy"})
                .status,
            0);
  Words const long_run{"svd",
                       "big.npy",
                       "-k",
                       "400",
                       "--ncv",
                       "900",
                       "--tol",
                       "1e-7",
                       "--checkpoint",
                       "s",
                       "--checkpoint-every",
                       "0"};
  pid_t const child = start(long_run);
  while (!exists("s") && ::kill(child, 0) == 0) ::usleep(2000);
  std::filesystem::create_symlink("s", path("link"));
  for (std::string const name : {"s", "./s", "link"}) {
    auto const refused = run(kept(cut_short_, name));
    EXPECT_EQ(refused.status, 3);
    EXPECT_THAT(refused.err, HasSubstr(name + ": is the checkpoint of another run that has not "
                                              "ended"));
  }
  EXPECT_EQ(run(kept(cut_short_, "other")).status, 1);
  ::kill(child, SIGKILL);
  finish(child);
  auto const other = run(kept(cut_short_, "s"));
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr("expected a checkpoint of this run, found one of svd"));
}

TEST_F(CheckpointNameTest, temporary_write_failure_does_not_end_run) {
  ASSERT_EQ(run(kept(cut_short_, "s")).status, 1);
  std::string const earlier = read("s");
  auto const result = run(kept({"lstsq", "a.npy", "b.npy", "--atol", "1e-13", "--btol", "0",
                                "--conlim", "0", "--maxiter", "9", "--output", "x.npy"},
                               "s") +
                              Words{"--checkpoint-every", "0"},
                          {.limits = {{RLIMIT_FSIZE, 2000}}});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("s: cannot be written: expected room for "));
  EXPECT_THAT(result.err, HasSubstr("this checkpoint is left out: the run continues, and an "
                                    "earlier one stays"));
  EXPECT_TRUE(exists("x.npy"));
  EXPECT_EQ(read("s"), earlier);
}

}  // namespace
}  // namespace tessera::test
