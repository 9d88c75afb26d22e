// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace tessera::test {
namespace {

class Writer {
 public:
  Writer(std::string const& pipe, std::string const& bytes, bool stays = false) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("no process");
    if (child_ > 0) {
      ::close(ends[1]);
      told_ = ends[0];
      return;
    }
    int const descriptor = ::open(pipe.c_str(), O_WRONLY);
    for (std::size_t done = 0; done < bytes.size();) {
      ssize_t const written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
      if (written < 0) ::_exit(1);
      done += static_cast<std::size_t>(written);
    }
    if (::write(ends[1], "", 1) != 1) ::_exit(1);
    while (stays) ::pause();
    ::_exit(0);
  }
  ~Writer() {
    kill();
    ::waitpid(child_, nullptr, 0);
    ::close(told_);
  }
  Writer(Writer const&) = delete;
  Writer& operator=(Writer const&) = delete;
  void kill() const { ::kill(child_, SIGKILL); }
  /// If true, a reader has all bytes beyond the pipe's capacity.
  [[nodiscard]] bool has_written() const {
    char byte = 0;
    return ::read(told_, &byte, 1) == 1;
  }

 private:
  pid_t child_ = -1;
  int told_ = -1;
};

class PipeTest : public ProgramTest {
 protected:
  PipeTest() {
    if (::mkfifo(path("pipe.npy").c_str(), 0600) != 0) throw std::runtime_error("no pipe");
  }
  void make(std::string const& order = "row-major", std::string const& name = "a.npy") const {
    Words gen = {"gen",    "--rows",   "1500", "--cols",   "700", "--distribution",
                 "normal", "--layout", order,  "--output", name};
    if (name == "a.npy") gen.insert(gen.end(), {"--vector-output", "v.npy"});
    ASSERT_EQ(run(gen).status, 0);
    ASSERT_EQ(run({"gemv", name, "--output", "b.npy", "--repeat", "1"}).status, 0);
  }
  [[nodiscard]] RunResult run_with(std::string const& bytes, Words const& words) const {
    Writer const writer(path("pipe.npy"), bytes);
    bool const named = std::ranges::find(words, "pipe.npy") != words.end();
    return run(words, {.in_file = named ? "/dev/null" : path("pipe.npy").string()});
  }
  void expect_refused(std::string const& bytes, Words words, std::string const& message) const {
    write("old.npy", "old");
    auto const before = listing();
    if (words[0] == "convert") {
      words.insert(words.begin() + 2, "old.npy");
    } else {
      words.insert(words.end(), {"--output", "old.npy"});
    }
    auto const result = run_with(bytes, words);
    EXPECT_EQ(result.status, 3) << words[0] << result.out;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err,
                AllOf(StartsWith("tessera: "), HasSubstr(words[1]), HasSubstr(message)));
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_EQ(read("old.npy"), "old");
    EXPECT_EQ(listing(), before);
  }
};

std::vector<Words> commands(std::string const& input) {
  return {{"atax", input, "--vector", "v.npy", "--check"},
          {"gemv", input, "--vector", "v.npy"},
          {"gemvt", input, "--vector", "b.npy", "--type", "f64"}};
}

TEST_F(PipeTest, results_are_those_of_the_file) {
  for (std::string const order : {"row-major", "column-major"}) {
    make(order);
    std::string const bytes = read("a.npy");
    for (std::size_t k = 0; k < commands("").size(); ++k) {
      for (auto const& [input, format] :
           {std::pair{"pipe.npy", "npy"}, std::pair{"/dev/stdin", "by-content"}}) {
        Words from_file = commands("a.npy")[k];
        from_file.insert(from_file.end(), {"--output", "c.npy", "--repeat", "1"});
        ASSERT_EQ(run(from_file).status, 0);
        Words from_pipe = commands(input)[k];
        from_pipe.insert(from_pipe.end(),
                         {"--output", "d.npy", "--repeat", "1", "--input-format", format});
        auto const done = run_with(bytes, from_pipe);
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(read("d.npy"), read("c.npy")) << from_pipe[0] << " " << input << " " << order;
        std::filesystem::remove(path("d.npy"));
      }
    }
    ASSERT_EQ(run({"transpose", "a.npy", "c.npy", "--repeat", "1"}).status, 0);
    ASSERT_EQ(run_with(bytes, {"transpose", "/dev/stdin", "d.npy", "--input-format", "npy"}).status,
              0);
    EXPECT_EQ(read("d.npy"), read("c.npy"));
    auto const converted =
        run_with(bytes, {"convert", "/dev/stdin", "d.npy", "--input-format", "npy"});
    EXPECT_EQ(converted.status, 0) << converted.err;
    EXPECT_EQ(read("d.npy"), bytes);
  }
}

TEST_F(PipeTest, solvers_have_the_bits_of_the_file) {
  make();
  std::string const bytes = read("a.npy");
  for (Words command : {Words{"lstsq", "-", "b.npy", "--atol", "1e-4"},
                        Words{"ridge", "-", "b.npy", "--lambda", "10"},
                        Words{"fit", "linear", "-", "b.npy", "--penalty", "10"},
                        Words{"svd", "-", "-k", "2", "--method", "randomized"},
                        Words{"pca", "-", "-k", "1", "--tol", "0.2", "--scores", "scores.npy"}}) {
    command.insert(command.end(), {"--format", "json"});
    auto const from_pipe = run_with(bytes, command);
    ASSERT_EQ(from_pipe.status, 0) << from_pipe.err;
    std::ranges::replace(command, "-", "a.npy");
    auto const from_file = run(command);
    ASSERT_EQ(from_file.status, 0) << from_file.err;
    EXPECT_EQ(nlohmann::json::parse(from_pipe.out)["sha256"],
              nlohmann::json::parse(from_file.out)["sha256"])
        << command[0];
  }
}

TEST_F(PipeTest, takes_a_file_in_another_order) {
  for (auto const& [rows, cols] : {std::pair{"1500", "700"}, {"4300000", "3"}}) {
    ASSERT_EQ(run({"gen", "--rows", rows, "--cols", cols, "--output", "a.npy"}).status, 0);
    ASSERT_EQ(run({"convert", "a.npy", "turned.npy", "--layout", "column-major"}).status, 0);
    for (auto const& [input, order, expected] : {std::tuple{"a.npy", "column-major", "turned.npy"},
                                                 {"turned.npy", "row-major", "a.npy"}}) {
      std::string found;
      std::thread reader([&] { found = read("pipe.npy"); });
      auto const done = run({"convert", input, "-", "--layout", order, "--output-format", "npy"},
                            {.out_file = path("pipe.npy").string()});
      reader.join();
      EXPECT_EQ(done.status, 0) << done.err;
      EXPECT_TRUE(found == read(expected)) << rows << " " << order;
    }
  }
}

TEST_F(PipeTest, raw_pipe_needs_explicit_format) {
  std::string const hint = "; --input-format raw reads elements alone\n";
  Words const convert = {"convert", "-", "c.npy"};
  for (Words const& more : {Words{"--rows", "2", "--cols", "3"},
                            {"--type", "f64"},
                            {"--rows", "2", "--cols", "3", "--input-layout", "column-major"}}) {
    Words words = convert;
    words.insert(words.end(), more.begin(), more.end());
    auto const refused = run_with(bytes_of<float>({1, 2, 3, 4, 5, 6}), words);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("contains its "), testing::EndsWith(hint)));
    EXPECT_FALSE(exists("c.npy"));
  }
  auto const done =
      run_with(bytes_of<float>({1, 2, 3, 4, 5, 6}),
               {"convert", "-", "c.npy", "--rows", "2", "--cols", "3", "--input-format", "raw"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(last_elements<float>("c.npy", 6), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(PipeTest, v_of_ex3_comes_after_a) {
  make("row-major", "a.ex3");
  ASSERT_EQ(run({"atax", "a.ex3", "--output", "c.npy", "--repeat", "1"}).status, 0);
  for (Words const& words : {Words{"atax", "/dev/stdin", "--output", "d.npy", "--check"},
                             {"atax", "pipe.npy", "--output", "d.npy", "--input-format", "ex3"}}) {
    auto const done = run_with(read("a.ex3"), words);
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("V of " + words[1]));
    EXPECT_EQ(read("d.npy"), read("c.npy"));
    std::filesystem::remove(path("d.npy"));
  }
  auto const converted = run_with(read("a.ex3"), {"convert", "/dev/stdin", "d.ex3"});
  EXPECT_EQ(converted.status, 0) << converted.err;
  EXPECT_EQ(read("d.ex3"), read("a.ex3"));
}

TEST_F(PipeTest, stdin_that_is_a_file_is_one) {
  make();
  for (Words const& words : {Words{"convert", "/dev/stdin", "d.npy", "--input-format", "npy",
                                   "--layout", "column-major"},
                             {"convert", "a.npy", "d.npy", "--layout", "column-major"}}) {
    auto const done = run(words, {.in_file = path("a.npy")});
    EXPECT_EQ(done.status, 0) << done.err;
    std::filesystem::rename(path("d.npy"), path(words[1] == "a.npy" ? "e.npy" : "f.npy"));
  }
  EXPECT_EQ(read("f.npy"), read("e.npy"));
  EXPECT_EQ(run({"atax", "/dev/stdin", "--input-format", "npy"}, {.in_file = path("a.npy")}).status,
            0);
}

TEST_F(PipeTest, streams_have_the_bits_of_the_file) {
  for (std::string const order : {"row-major", "column-major"}) {
    make(order);
    for (Words const& words : {Words{"atax", "a.npy", "--vector", "v.npy"},
                               {"gemv", "a.npy", "--vector", "v.npy", "--type", "f64"},
                               {"gemvt", "a.npy", "--vector", "b.npy"}}) {
      if (words[0] == "atax" && order == "column-major") continue;
      Words file = words;
      file.insert(file.end(), {"--output", "c.npy", "--repeat", "1"});
      ASSERT_EQ(run(file).status, 0);
      Words pipe = words;
      pipe[1] = "/dev/stdin";
      pipe.insert(pipe.end(), {"--output", "d.npy", "--memory-limit", "3MiB", "--input-format",
                               "npy", "--format", "json"});
      auto const done = run_with(read("a.npy"), pipe);
      ASSERT_EQ(done.status, 0) << done.err;
      EXPECT_GT(nlohmann::json::parse(done.out)["stream"]["blocks"], 1);
      EXPECT_EQ(read("d.npy"), read("c.npy")) << words[0] << " " << order;
    }
  }
}

TEST_F(PipeTest, what_is_not_read_once_in_order_is_refused) {
  make("column-major");
  std::string const columns = read("a.npy");
  Words const limit = {"--memory-limit", "6MiB", "--type", "f64"};
  auto const with = [](Words words, Words const& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  expect_refused(columns, with({"atax", "pipe.npy"}, limit), "cannot be streamed sequentially");
  expect_refused(columns, {"gemv", "pipe.npy", "--checkpoint", "run.state"},
                 "expected a regular file for --checkpoint, found a pipe");
  expect_refused(columns, {"convert", "pipe.npy", "--layout", "row-major"},
                 "expected a regular file there, found a pipe");
  make("row-major", "a.ex3");
  expect_refused(read("a.ex3"), with({"atax", "pipe.npy", "--input-format", "ex3"}, limit),
                 "has V after A");
  Words const others[] = {{"show", "pipe.npy"},
                          {"check", "pipe.npy", "b.npy"},
                          {"gemm", "pipe.npy", "pipe.npy", "c.npy"},
                          {"atax", "a.ex3", "--vector", "pipe.npy"}};
  for (Words const& words : others) {
    auto const result = run(words);
    EXPECT_EQ(result.status, 3) << words[0];
    EXPECT_THAT(result.err, HasSubstr("pipe.npy: is not a regular file")) << words[0];
  }
}

TEST_F(PipeTest, an_end_too_early_or_too_late_is_an_error) {
  make();
  std::string const whole = read("a.npy");
  for (Words const& words : {Words{"atax", "pipe.npy"},
                             {"gemv", "pipe.npy", "--memory-limit", "3MiB"},
                             {"convert", "pipe.npy"}}) {
    for (std::size_t const size : {std::size_t{0}, std::size_t{100}, whole.size() / 2 + 1}) {
      expect_refused(whole.substr(0, size), words, "is truncated");
    }
    expect_refused(whole + "x", words, "has trailing bytes");
    expect_refused("this is no matrix, but long enough to hold a header", words,
                   "is not a .npy file");
  }
}

TEST_F(PipeTest, a_writer_that_dies_is_an_error) {
  make();
  std::string const half = read("a.npy").substr(0, 1U << 20U);
  for (Words const& words : {Words{"atax", "pipe.npy", "--output", "c.npy"},
                             {"gemv", "pipe.npy", "--memory-limit", "3MiB", "--output", "c.npy"},
                             {"convert", "pipe.npy", "c.npy"}}) {
    auto const before = listing();
    Writer const writer(path("pipe.npy"), half, true);
    pid_t const child = start(words);
    ASSERT_TRUE(writer.has_written()) << words[0];
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "the program did not wait for more";
    writer.kill();
    auto const result = finish(child);
    EXPECT_EQ(result.status, 3) << words[0];
    EXPECT_THAT(result.err, HasSubstr("pipe.npy: is truncated"));
    EXPECT_EQ(listing(), before);
  }
}

TEST_F(PipeTest, waiting_for_a_writer_can_be_interrupted) {
  auto const before = listing();
  for (Words const& words :
       {Words{"atax", "pipe.npy", "--output", "c.npy"}, {"convert", "pipe.npy", "c.npy"}}) {
    pid_t const child = start(words);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "the program did not wait";
    ::kill(child, SIGINT);
    EXPECT_EQ(finish(child).signal, SIGINT) << words[0];
    EXPECT_EQ(listing(), before);
  }
}

TEST_F(PipeTest, memory_is_not_taken_on_the_word_of_a_header) {
  auto const peak_kib = [&](Words const& words, std::string const& bytes) {
    Writer const writer(path("pipe.npy"), bytes);
    pid_t const child = start(words);
    int status = 0;
    rusage usage{};
    EXPECT_EQ(::wait4(child, &status, 0, &usage), child);
    EXPECT_TRUE(WEXITSTATUS(status) == 3 || WEXITSTATUS(status) == 4) << WEXITSTATUS(status);
    return usage.ru_maxrss;
  };
  std::string const zeros(4096, '\0');
  std::string const gibibyte = npy("<f4", "(262144, 1024)", zeros);
  std::string const little = npy("<f4", "(2, 1024)", zeros);
  for (Words const& words : {Words{"atax", "pipe.npy"},
                             {"convert", "pipe.npy", "c.npy"},
                             {"transpose", "pipe.npy", "c.npy"}}) {
    // Reporting the error needs several hundred MiB with a GPU.
    EXPECT_LT(peak_kib(words, gibibyte), peak_kib(words, little) + 128 * 1024) << words[0];
  }
}

}  // namespace
}  // namespace tessera::test
