// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <app/backend/backends.hpp>
#include <app/base/failure.hpp>
#include <app/base/ranks.hpp>
#include <app/cli/options.hpp>

/// Without MPI.
namespace tessera::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Rank 0 of three; tests set the others' answers.
class RanksAgreeTest : public testing::Test {
 protected:
  RanksAgreeTest() {
    ranks().size = 3;
    ranks().gather = [](std::string const& mine) {
      return std::vector<std::string>{mine, second().empty() ? mine : second(),
                                      third().empty() ? mine : third()};
    };
  }
  ~RanksAgreeTest() override {
    ranks() = {};
    second() = third() = "";
  }
  static std::string& second() {
    static std::string text;
    return text;
  }
  static std::string& third() {
    static std::string text;
    return text;
  }
  template <class Call>
  static std::string thrown_by(Call const& call, ExitStatus status) {
    try {
      call();
    } catch (Failure const& failure) {
      EXPECT_EQ(failure.status(), status);
      return failure.what();
    }
    return "";
  }
  static std::vector<std::string> asked(std::vector<char const*> words) {
    words.insert(words.begin(), "tessera");
    std::vector<std::string> all;
    static_cast<void>(parse_options(static_cast<int>(words.size()), words.data(), &all));
    return all;
  }
};

TEST_F(RanksAgreeTest, name_the_first_that_differs) {
  EXPECT_EQ(difference_of_ranks("X"), "");
  third() = "Y";
  EXPECT_EQ(difference_of_ranks("X"), "expected X on each rank, as on rank 0, found Y on rank 2");
  second() = "Z";
  EXPECT_THAT(difference_of_ranks("X"), HasSubstr("found Z on rank 1"));
  EXPECT_TRUE(ranks().any(true));
  EXPECT_FALSE(ranks().any(false));
  second() = "1";
  EXPECT_TRUE(ranks().any(false));
  ranks() = {};
  EXPECT_EQ(difference_of_ranks("X"), "");
}

TEST_F(RanksAgreeTest, on_the_backend) {
  BackendFacts mine;
  mine.name = "openmp";
  auto const call = [&] { require_same_backend("a.npy", mine); };
  EXPECT_EQ(thrown_by(call, ExitStatus::resources), "");
  second() = "the backend cuda";
  EXPECT_EQ(thrown_by(call, ExitStatus::resources),
            "a.npy: expected the backend openmp on each rank, as on rank 0, found the backend cuda "
            "on rank 1; --backend chooses for all");
}

TEST_F(RanksAgreeTest, different_commands_are_refused) {
  std::vector<std::string> const words{"atax", "--repeat 3", "--check"};
  auto const call = [&] { require_same_request(words); };
  EXPECT_EQ(thrown_by(call, ExitStatus::usage), "");
  std::string const start = "rank 2 has another command line than rank 0: expected ";
  third() = "atax\n--repeat 3\n";
  EXPECT_THAT(thrown_by(call, ExitStatus::usage), StartsWith(start + "'--check', found none; "));
  third() = "atax\n--repeat 3\n--check\n--format json\n";
  EXPECT_THAT(thrown_by(call, ExitStatus::usage),
              StartsWith(start + "none, found '--format json'; "));
  third() = "gemv\n--repeat 3\n--check\n";
  EXPECT_THAT(thrown_by(call, ExitStatus::usage), StartsWith(start + "'atax', found 'gemv'; "));
}

TEST_F(RanksAgreeTest, on_all_options_but_files_and_what_each_has_of_its_own) {
  EXPECT_THAT(asked({"atax", "a.npy", "--threads", "3", "--memory-limit", "3MiB", "--device", "1",
                     "--checkpoint", "s", "--checkpoint-every", "3", "--alpha", "2", "--check",
                     "--vector", "v.npy"}),
              testing::UnorderedElementsAre("atax", "INPUT", "--checkpoint", "--alpha 2", "--check",
                                            "--vector"));
  EXPECT_EQ(asked({"atax", "a.npy"}), asked({"atax", "b.npy"}));
  EXPECT_EQ(asked({"lstsq", "a.npy", "b.npy"}), asked({"lstsq", "c.npy", "d.npy"}));
  EXPECT_NE(asked({"fit", "linear", "a.npy", "b.npy"}),
            asked({"fit", "poisson", "a.npy", "b.npy"}));
  EXPECT_NE(asked({"svd", "a.npy", "-k", "2"}), asked({"svd", "a.npy", "-k", "3"}));
  testing::internal::CaptureStderr();
  EXPECT_THAT(asked({"atax"}), ElementsAre(StartsWith("a command line that is refused: ")));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("INPUT"));
  testing::internal::CaptureStdout();
  EXPECT_THAT(asked({"atax", "--help"}), ElementsAre("help or the version"));
  EXPECT_NE(testing::internal::GetCapturedStdout(), "");
}

}  // namespace
}  // namespace tessera::app
