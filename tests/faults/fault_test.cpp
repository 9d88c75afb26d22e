// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "app/support/program.hpp"

/// A message, the old output or none, no temporary file; a run afterwards has the right bits.
namespace tessera::test {
namespace {

using ::testing::Matcher;

struct FaultyJob {
  std::string name;
  std::vector<std::string> arguments;
  std::string input;
  std::string output;
  bool replaces = true;
  bool reserves = true;
  bool has_checkpoint = false;
};

void PrintTo(FaultyJob const& job, std::ostream* out) {
  *out << job.name;
}

std::vector<FaultyJob> all_jobs() {
  return {
      {.name = "atax",
       .arguments = {"atax", "a.npy", "--vector", "v.npy", "--output", "c.npy"},
       .input = "a.npy",
       .output = "c.npy",
       .reserves = false},
      {.name = "atax_streamed",
       .arguments = {"atax", "a.npy", "--vector", "v.npy", "--output", "c.npy", "--memory-limit",
                     "2MiB", "--checkpoint", "run.state", "--checkpoint-every", "0"},
       .input = "a.npy",
       .output = "c.npy",
       .reserves = false,
       .has_checkpoint = true},
      {.name = "convert_npy_npy",
       .arguments = {"convert", "a.npy", "c.npy"},
       .input = "a.npy",
       .output = "c.npy"},
      {.name = "convert_turned",
       .arguments = {"convert", "a.npy", "c.npy", "--layout", "column-major"},
       .input = "a.npy",
       .output = "c.npy"},
      {.name = "convert_ex3_npy",
       .arguments = {"convert", "a.ex3", "c.npy"},
       .input = "a.ex3",
       .output = "c.npy"},
      {.name = "convert_npy_hdf5",
       .arguments = {"convert", "a.npy", "c.h5:/A", "--chunk", "100x100", "--deflate", "1"},
       .input = "a.npy",
       .output = "c.h5",
       .replaces = false,
       .reserves = false},
      {.name = "convert_hdf5_npy",
       .arguments = {"convert", "a.h5:/A", "c.npy"},
       .input = "a.h5",
       .output = "c.npy"},
      {.name = "gen",
       .arguments = {"gen", "--rows", "1500", "--cols", "1000", "--output", "c.npy",
                     "--vector-output", "v.npy"},
       .input = "",
       .output = "c.npy"},
  };
}

class FaultTest : public ProgramTest, public testing::WithParamInterface<FaultyJob> {
 protected:
  void SetUp() override {
    bool const needs_hdf5 = GetParam().name.find("hdf5") != std::string::npos;
    if (needs_hdf5 && run({"info"}).out.find("HDF5          left out") != std::string::npos) {
      GTEST_SKIP() << "this build has no HDF5: faults of its files are NOT TESTED";
    }
    expect_done(run({"gen", "--rows", "1500", "--cols", "1000", "--distribution", "normal",
                     "--output", "a.npy", "--vector-output", "v.npy"}));
    if (job().input == "a.ex3")
      expect_done(run({"convert", "a.npy", "a.ex3", "--vector", "v.npy"}));
    if (job().input == "a.h5") {
      expect_done(run({"convert", "a.npy", "a.h5:/A", "--chunk", "100x100", "--deflate", "1"}));
    }
    before_ = listing();
    expect_done(run(job().arguments));
    wanted_ = digest();
    size_ = std::filesystem::file_size(path(job().output));
    std::filesystem::remove(path(job().output));
  }

  static FaultyJob const& job() { return GetParam(); }
  /// Digest of the elements for HDF5, whose chunks have no fixed order.
  [[nodiscard]] std::string digest() const {
    if (job().output != "c.h5") return sha256_of(job().output);
    expect_done(run({"convert", "c.h5:/A", "elements.bin"}));
    std::string const found = sha256_of("elements.bin");
    std::filesystem::remove(path("elements.bin"));
    return found;
  }
  [[nodiscard]] std::string const& wanted() const { return wanted_; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(size_); }
  static void expect_done(RunResult const& result) { ASSERT_EQ(result.status, 0) << result.err; }

  RunResult run_with(std::string const& faults,
                     std::vector<std::pair<std::string, std::string>> environment = {}) {
    std::string const log = (cache() / "faults.log").string();
    std::filesystem::remove(log);
    environment.insert(environment.end(), {{"LD_PRELOAD", FAULT_SHIM},
                                           {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                                           {"TESSERA_FAULTS", faults},
                                           {"TESSERA_FAULTS_LOG", log}});
    RunResult result = run(job().arguments, {.environment = environment});
    EXPECT_TRUE(std::filesystem::exists(log)) << faults << ": nothing failed";
    return result;
  }

  /// `why` is about one file. The folder stays, except for a checkpoint.
  void expect_failure(std::string const& faults, Matcher<std::string> const& why,
                      bool with_old_output) {
    SCOPED_TRACE(faults + (with_old_output ? ", old output" : ", no output"));
    if (with_old_output) write(job().output, "old");
    auto const result = run_with(faults);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_EQ(result.signal, 0);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err,
                AllOf(AnyOf(StartsWith("tessera: " + job().input), StartsWith("tessera: c."),
                            StartsWith("tessera: run.state")),
                      why));
    auto const lines = std::ranges::count(result.err, '\n');
    EXPECT_TRUE(job().has_checkpoint ? lines >= 1 : lines == 1) << result.err;
    expect_untouched(with_old_output);

    // A resumed run would not reach the next fault.
    if (job().has_checkpoint) expect_done_as_before();
    std::filesystem::remove(path(job().output));
  }

  void expect_done_as_before() {
    auto const again = run(job().arguments);
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(digest(), wanted_);
    EXPECT_FALSE(exists("run.state"));
    std::filesystem::remove(path(job().output));
  }
  void TearDown() override {
    if (!IsSkipped() && !HasFatalFailure()) expect_done_as_before();
    ProgramTest::TearDown();
  }

  void expect_untouched(bool with_old_output) {
    auto names = listing();
    if (with_old_output) {
      EXPECT_EQ(read(job().output), "old");
      std::erase(names, job().output);
    }
    if (job().has_checkpoint) std::erase(names, "run.state");
    EXPECT_EQ(names, before_) << "something was left beside";
  }

  void expect_same(std::string const& faults) {
    SCOPED_TRACE(faults);
    auto const result = run_with(faults);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(digest(), wanted_);
    std::filesystem::remove(path(job().output));
    EXPECT_EQ(listing(), before_);
  }

  static Matcher<std::string> full_disk() {
    return AnyOf(HasSubstr("the disk is full: expected room for "),
                 HasSubstr("expected HDF5's library to do it, found: No space left on device"),
                 HasSubstr("expected HDF5's library to do it, found: Disk quota exceeded"));
  }

  [[nodiscard]] std::vector<bool> both_outputs() const {
    return job().replaces ? std::vector<bool>{false, true} : std::vector<bool>{false};
  }

 private:
  std::vector<std::string> before_;
  std::string wanted_;
  std::uintmax_t size_ = 0;
};

class ReadFaultTest : public FaultTest {};

TEST_P(ReadFaultTest, a_read_error_names_the_file_and_the_position) {
  auto const bytes = static_cast<std::int64_t>(std::filesystem::file_size(path(job().input)));
  for (bool const old : both_outputs()) {
    for (std::int64_t const place :
         {bytes / 3, bytes - 5000}) {  // the end may be V of an .ex3 file
      std::string const at = std::to_string(place);
      expect_failure("read," + job().input + ",EIO," + at,
                     HasSubstr("bytes at position " + at + ", found: Input/output error"), old);
      expect_failure("read," + job().input + ",end," + at,
                     AnyOf(HasSubstr("has become shorter while it was read: expected " +
                                     std::to_string(bytes) + " bytes, found "),
                           HasSubstr("expected a whole HDF5 file, found")),
                     old);
    }
  }
}

TEST_P(ReadFaultTest, a_head_that_cannot_be_read_is_an_error) {
  for (std::string const fault : {"EIO", "end"}) {
    expect_failure("read," + job().input + "," + fault + ",0",
                   StartsWith("tessera: " + job().input), false);
  }
}

TEST_P(ReadFaultTest, short_and_interrupted_reads_lose_nothing) {
  expect_same("read," + job().input + ",short,4001");
}

TEST_P(FaultTest, short_and_interrupted_writes_lose_nothing) {
  expect_same("write,,short,4001");
}

TEST_P(FaultTest, a_full_disk_is_said_and_leaves_the_old_output) {
  for (bool const old : both_outputs()) {
    // HDF5's library writes the header in a separate process with its own count.
    std::int64_t const nearly = job().replaces ? size() - 1 : size() - size() / 10;
    for (std::int64_t const room : {std::int64_t{0}, std::int64_t{1}, size() / 2, nearly}) {
      expect_failure("fallocate,,EOPNOTSUPP,0;write,,ENOSPC," + std::to_string(room), full_disk(),
                     old);
    }
    expect_failure("write,,EDQUOT,100", full_disk(), old);
    if (job().reserves) expect_failure("fallocate,,ENOSPC,0", full_disk(), old);
  }
}

TEST_P(FaultTest, a_full_disk_leaves_no_temporary_where_files_need_a_name) {
  for (bool const old : both_outputs()) {
    expect_failure("unnamed,,EOPNOTSUPP,0;write,,ENOSPC," + std::to_string(size() / 2), full_disk(),
                   old);
  }
}

TEST_P(FaultTest, a_write_error_is_said_and_leaves_the_old_output) {
  for (bool const old : both_outputs()) {
    expect_failure("write,,EIO," + std::to_string(size() / 2), HasSubstr("Input/output error"),
                   old);
    expect_failure("fsync,,EIO,0", HasSubstr("Input/output error"), old);
    expect_failure("unnamed,,EOPNOTSUPP,0;fsync,,EIO,0", HasSubstr("Input/output error"), old);
  }
}

TEST_P(FaultTest, an_output_that_cannot_be_put_in_its_place_leaves_the_old_one) {
  if (job().replaces) {
    expect_failure("link,,EIO,0", HasSubstr("cannot be put in its place: expected to link it"),
                   false);
    expect_failure("link,,EIO,0", HasSubstr("cannot be put in its place: expected to link it"),
                   true);
    expect_failure("rename,,EIO,0", HasSubstr("cannot be put in its place: expected to replace it"),
                   true);
  }
  if (!job().replaces) {
    expect_failure("link,,EIO,0", HasSubstr("cannot be put in its place: expected to link it"),
                   false);
    expect_same("link,,EOPNOTSUPP,0");
    return;
  }
  for (bool const old : both_outputs()) {
    expect_failure("unnamed,,EOPNOTSUPP,0;rename,,EIO,0",
                   HasSubstr("cannot be put in its place: expected to replace it"), old);
  }
}

TEST_P(FaultTest, a_file_that_cannot_be_closed_leaves_the_old_one) {
  for (bool const old : both_outputs()) {
    expect_failure("close,,EIO,0", HasSubstr("Input/output error"), old);
  }
}

TEST_P(FaultTest, a_folder_that_cannot_be_synced_is_said) {
  auto const result = run_with("folder,,EIO,0");
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.err,
              AllOf(AnyOf(StartsWith("tessera: c."), StartsWith("tessera: v.npy: "),
                          StartsWith("tessera: run.state: ")),
                    HasSubstr("was written, but may get lost if the power fails: expected the disk "
                              "to store its name, found: Input/output error")));
  std::filesystem::remove(path(job().output));
}

TEST_P(FaultTest, a_signal_between_the_last_steps_leaves_a_whole_file_and_nothing_else) {
  for (bool const old : both_outputs()) {
    for (std::string const fault : {"link,,SIGTERM,0", "unnamed,,EOPNOTSUPP,0;rename,,SIGTERM,0"}) {
      if (!job().replaces && fault.find("rename") != std::string::npos) continue;
      SCOPED_TRACE(fault + (old ? ", old output" : ", no output"));
      if (old) write(job().output, "old");
      auto const result = run_with(fault);
      EXPECT_EQ(result.signal, SIGTERM) << result.status << result.err;
      bool const is_old = old ? read(job().output) == "old" : !exists(job().output);
      EXPECT_TRUE(is_old || digest() == wanted());
      std::filesystem::remove(path(job().output));
      expect_untouched(false);
      std::filesystem::remove(path("run.state"));
    }
  }
}

class CheckpointFaultTest : public FaultTest {};

TEST_P(CheckpointFaultTest, a_result_that_cannot_be_written_leaves_the_checkpoint) {
  for (std::string const faults :
       {"link,c.npy,EIO,0", "link,c.npy,SIGKILL,0", "unnamed,,EOPNOTSUPP,0;rename,c.npy,EIO,0"}) {
    SCOPED_TRACE(faults);
    auto const result = run_with(faults);
    EXPECT_NE(result.status, 0);
    EXPECT_TRUE(exists("run.state"));
    std::filesystem::remove(path(job().output));
    Words words = job().arguments;
    words.insert(words.end(), {"--format", "json"});
    auto const rest = run(words);
    EXPECT_EQ(rest.status, 0) << rest.err;
    EXPECT_THAT(rest.out, AllOf(HasSubstr("\"first_block\": "),
                                testing::Not(HasSubstr("\"first_block\": 0,"))));
    EXPECT_EQ(digest(), wanted());
    EXPECT_FALSE(exists("run.state"));
    std::filesystem::remove(path(job().output));
    for (std::string const& name : listing()) {
      if (name.starts_with(".c.npy.tessera-")) std::filesystem::remove(path(name));
    }
  }
}

TEST_P(CheckpointFaultTest, threads_that_cannot_start_are_said) {
  if (std::thread::hardware_concurrency() < 2 ||
      run({"info"}).out.find("GPU") != std::string::npos) {
    GTEST_SKIP() << "no thread reads ahead, or others start first: NOT TESTED";
  }
  auto const result = run_with("thread,,EAGAIN,0", {{"OMP_NUM_THREADS", "1"}});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.err, HasSubstr("a.npy: cannot be streamed: tessera::stream::atax: expected to "
                                    "start "));
}

class UncaughtTest : public FaultTest {};

TEST_P(UncaughtTest, an_exception_ends_the_run_with_a_sentence_and_leaves_nothing) {
  for (auto const& [fault, sentence] :
       {std::pair{"throw", "a thread failed"},
        std::pair{"throw-number", "ended by an error of a library that has no message"}}) {
    for (bool const old : both_outputs()) {
      for (std::string const named : {"", "unnamed,,EOPNOTSUPP,0;"}) {
        SCOPED_TRACE(named + fault);
        if (old) write(job().output, "old");
        auto const result = run_with(named + "fsync,," + fault + ",0");
        EXPECT_EQ(result.status, 4);
        EXPECT_EQ(result.signal, 0);
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(result.err, "tessera: " + std::string(sentence) + "\n");
        expect_untouched(old);
        std::filesystem::remove(path(job().output));
      }
    }
  }
}

class SetTest : public ProgramTest {
 protected:
  struct Set {
    Words arguments;
    Words outputs;
  };

  void SetUp() override {
    for (Words const& words : {Words{"gen", "--rows", "300", "--cols", "20", "--distribution",
                                     "normal", "--output", "a.npy", "--vector-output", "v.npy"},
                               {"gemv", "a.npy", "--output", "b.npy"},
                               {"convert", "a.npy", "a.ex3", "--vector", "v.npy"}}) {
      ASSERT_EQ(run(words).status, 0);
    }
    before_ = listing();
  }

  static std::vector<Set> sets() {
    return {
        {{"gen", "--rows", "300", "--cols", "20", "--seed", "2", "--output", "x.npy",
          "--vector-output", "y.npy"},
         {"x.npy", "y.npy"}},
        {{"convert", "a.ex3", "x.npy", "--vector-output", "y.npy"}, {"x.npy", "y.npy"}},
        {{"atax", "a.npy", "--output", "x.npy", "--intermediate", "y.npy"}, {"x.npy", "y.npy"}},
        {{"gemv-both", "a.npy", "--vector", "v.npy", "--transposed-vector", "b.npy", "--output",
          "x.npy", "--transposed-output", "y.npy"},
         {"x.npy", "y.npy"}},
        {{"svd", "a.npy", "-k", "2", "--u", "x.npy", "--s", "y.npy", "--vt", "z.npy", "--history",
          "h.csv"},
         {"x.npy", "y.npy", "z.npy", "h.csv"}},
        {{"pca", "a.npy", "-k", "2", "--mean", "x.npy", "--components", "y.npy"},
         {"x.npy", "y.npy"}},
        {{"lstsq", "a.npy", "b.npy", "--output", "x.npy", "--history", "h.csv"},
         {"x.npy", "h.csv"}},
        {{"fit", "linear", "a.npy", "b.npy", "--output", "x.npy", "--history", "h.csv"},
         {"x.npy", "h.csv"}},
    };
  }

  RunResult run_with(Set const& set, std::string const& faults) {
    for (std::string const& output : set.outputs) write(output, "old");
    std::string const log = (cache() / "faults.log").string();
    std::filesystem::remove(log);
    auto const result =
        run(set.arguments, {.environment = {{"LD_PRELOAD", FAULT_SHIM},
                                            {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                                            {"TESSERA_FAULTS", faults},
                                            {"TESSERA_FAULTS_LOG", log}}});
    EXPECT_TRUE(std::filesystem::exists(log)) << faults << ": nothing failed";
    return result;
  }
  void remove(Set const& set) {
    for (std::string const& output : set.outputs) std::filesystem::remove(path(output));
    EXPECT_EQ(listing(), before_) << "other files were left";
  }

 private:
  Words before_;
};

TEST_F(SetTest, is_old_as_a_whole_where_one_file_does_not_come_to_the_disk) {
  for (Set const& set : sets()) {
    // Each file is flushed once; the last flush fails.
    std::string const last = std::to_string(set.outputs.size() - 1);
    for (std::string const& faults : {"fsync,,EIO," + last, "fsync,,SIGKILL," + last,
                                      "unnamed,,EOPNOTSUPP,0;fsync,,EIO," + last}) {
      SCOPED_TRACE(set.arguments[0] + " " + faults);
      auto const result = run_with(set, faults);
      EXPECT_EQ(result.status == 3, result.signal != SIGKILL) << result.err;
      for (std::string const& output : set.outputs) EXPECT_EQ(read(output), "old") << output;
      remove(set);
    }
  }
}

TEST_F(SetTest, all_outputs_are_replaced_together) {
  for (Set const& set : sets()) {
    SCOPED_TRACE(set.arguments[0]);
    for (std::string const& output : set.outputs) write(output, "old");
    EXPECT_EQ(run(set.arguments).status, 0);
    for (std::string const& output : set.outputs) EXPECT_NE(read(output), "old") << output;
    remove(set);
  }
}

std::vector<FaultyJob> reading_jobs() {
  auto jobs = all_jobs();
  std::erase_if(jobs, [](FaultyJob const& job) { return job.input.empty(); });
  return jobs;
}

std::string name_of(testing::TestParamInfo<FaultyJob> const& each) {
  return each.param.name;
}

INSTANTIATE_TEST_SUITE_P(Jobs, FaultTest, testing::ValuesIn(all_jobs()), name_of);
INSTANTIATE_TEST_SUITE_P(Jobs, CheckpointFaultTest, testing::Values(all_jobs()[1]), name_of);
INSTANTIATE_TEST_SUITE_P(Jobs, UncaughtTest, testing::Values(all_jobs()[0]), name_of);
INSTANTIATE_TEST_SUITE_P(Jobs, ReadFaultTest, testing::ValuesIn(reading_jobs()), name_of);

}  // namespace
}  // namespace tessera::test
