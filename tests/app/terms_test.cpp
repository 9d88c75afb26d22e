// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

/// C = α·Aᵀ·f(A·V) + β·z.
namespace tessera::test {
namespace {

class TermsTest : public ProgramTest {
 protected:
  TermsTest() {
    write("a.npy", npy("<f4", "(2, 3)", bytes_of<float>({1, 2, 3, 4, 5, 6})));
    write("v.npy", npy("<f4", "(3,)", bytes_of<float>({1, 0, -1})));
    write("w.npy", npy("<f4", "(2,)", bytes_of<float>({3, -1})));
    write("z.npy", npy("<f4", "(3,)", bytes_of<float>({1, 2, -3})));
    write("wide.npy", npy("<f8", "(2,)", bytes_of<double>({3, -1})));
  }
  RunResult atax(Words const& more) const {
    return run(Words{"atax", "a.npy", "--vector", "v.npy"} + more);
  }
  std::vector<float> result(Words const& more) const {
    auto const done = atax(Words{"--output", "c.bin"} + more);
    EXPECT_EQ(done.status, 0) << done.err;
    return last_elements<float>("c.bin", 3);
  }
  void expect_refused(int status, Words const& more, std::string const& sentence) const {
    auto const refused = atax(more);
    EXPECT_EQ(refused.status, status);
    EXPECT_THAT(refused.err, HasSubstr(sentence));
  }
};

TEST_F(TermsTest, each_is_computed) {
  EXPECT_THAT(result({"--weights", "w.npy"}), ElementsAre(2, -2, -6));  // f(A·v) = (-6, 2)
  EXPECT_THAT(result({"--map", "weights", "--weights", "w.npy"}), ElementsAre(2, -2, -6));
  EXPECT_THAT(result({"--minus", "w.npy"}), ElementsAre(-9, -15, -21));  // f(A·v) = (-5, -1)
  EXPECT_THAT(result({"--alpha", "-2"}), ElementsAre(20, 28, 36));
  EXPECT_THAT(result({"--alpha=-0.5"}), ElementsAre(5, 7, 9));
  EXPECT_THAT(result({"--add", "z.npy"}), ElementsAre(-9, -12, -21));
  EXPECT_THAT(result({"--add", "z.npy", "--beta", "-1e1"}), ElementsAre(-20, -34, 12));
  EXPECT_THAT(result({"--minus", "w.npy", "--alpha", "2", "--add", "z.npy", "--beta", "3"}),
              ElementsAre(-15, -24, -51));
  EXPECT_THAT(result({"--weights", "wide.npy", "--type", "f32"}), ElementsAre(2, -2, -6));
}

TEST_F(TermsTest, intermediate_is_what_the_map_gives) {
  ASSERT_EQ(atax({"--minus", "w.npy", "--intermediate", "b.bin"}).status, 0);
  EXPECT_THAT(last_elements<float>("b.bin", 2), ElementsAre(-5, -1));
}

TEST_F(TermsTest, reports_say_which) {
  Words const all = {"--map", "logistic", "--labels", "w.npy",  "--alpha",
                     "0.25",  "--add",    "z.npy",    "--beta", "-2"};
  auto const text = atax(all).out;
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("C = α·Aᵀ·f(A·V) + β·z   a.npy"), HasSubstr("map          logistic of w.npy"),
            HasSubstr("alpha        0.25"), HasSubstr("beta         -2 times z.npy")));
  auto const json = nlohmann::json::parse(atax(all + Words{"--format", "json"}).out);
  EXPECT_EQ(json["terms"], nlohmann::json::parse(R"({"map": "logistic", "map_vector": "w.npy",
      "alpha": 0.25, "beta": -2.0, "add": "z.npy"})"));
  EXPECT_TRUE(nlohmann::json::parse(atax({"--format", "json"}).out)["terms"].is_null());
  EXPECT_THAT(atax(all + Words{"--format", "csv"}).out,
              HasSubstr(",logistic,w.npy,0.25,-2,z.npy,1,"));
}

TEST_F(TermsTest, what_means_nothing_is_refused) {
  expect_refused(2, {"--map", "logistic"},
                 "--map logistic: expected its vector, --labels FILE, found none");
  expect_refused(2, {"--map", "weights"},
                 "--map weights: expected its vector, --weights FILE, found none");
  expect_refused(2, {"--map", "logistic", "--weights", "w.npy"},
                 "--map logistic: expected its vector by --labels, found --weights");
  expect_refused(2, {"--labels", "w.npy"},
                 "--labels: expected --map, the function that uses them, found none");
  expect_refused(2, {"--weights", "w.npy", "--minus", "w.npy"}, "excludes");
  expect_refused(2, {"--map", "square", "--labels", "w.npy"},
                 "'square' is not one of "
                 "weights|minus|logistic|logistic-weights|poisson|poisson-weights");
  expect_refused(2, {"--beta", "2"},
                 "--beta: expected --add FILE, the vector that it multiplies, found none");
  expect_refused(2, {"--alpha", "two"},
                 "expected a decimal number, such as -0.5 or 1e-3, found 'two'");
  expect_refused(2, {"--alpha", "1e39"}, "--alpha: expected a number that f32 holds, found 1e+39");
  EXPECT_EQ(run({"gemv", "a.npy", "--alpha", "2"}).status, 2);
  EXPECT_THAT(run({"check", "a.npy", "v.npy", "--operation", "gemvt", "--alpha", "2"}).err,
              HasSubstr("--alpha: expected --operation atax, found gemvt"));
}

TEST_F(TermsTest, vectors_that_do_not_fit_are_refused_in_the_name_of_both_files) {
  expect_refused(3, {"--weights", "v.npy"},
                 "v.npy: has a vector of the wrong length: expected 2 entries, one for each row of "
                 "a.npy, found 3");
  expect_refused(3, {"--add", "w.npy"},
                 "w.npy: has a vector of the wrong length: expected 3 entries, one for each column "
                 "of a.npy, found 2");
  expect_refused(3, {"--minus", "wide.npy"},
                 "wide.npy: has a vector of the wrong type: expected f32 as in a.npy, found f64; "
                 "--type converts both");
  expect_refused(3, {"--minus", "none.npy"}, "none.npy");
  expect_refused(2, {"--minus", "w.npy", "--output", "w.npy"}, "the output would replace w.npy");
}

class MapsTest : public TermsTest {
 protected:
  void make(std::string const& rows, std::string const& cols, std::string const& order,
            std::string const& type = "f32") {
    auto const gen = [&](std::string const& seed, std::string const& a, std::string const& v) {
      ASSERT_EQ(run({"gen", "--rows", rows, "--cols", cols, "--distribution", "uniform", "--type",
                     type, "--layout", order, "--seed", seed, "--output", a, "--vector-output", v})
                    .status,
                0);
    };
    gen("1", "a.npy", "v.npy");
    gen("2", "other.npy", "z.npy");
    ASSERT_EQ(run({"gemv", "other.npy", "--vector", "v.npy", "--output", "y.npy", "--repeat", "1"})
                  .status,
              0);
  }
  static std::vector<Words> all_terms() {
    std::vector<Words> all = {{"--weights", "y.npy"},
                              {"--minus", "y.npy", "--alpha", "-1.7"},
                              {"--alpha", "0.3", "--add", "z.npy", "--beta", "0.7"}};
    for (std::string const map : {"logistic", "logistic-weights", "poisson", "poisson-weights"}) {
      all.push_back({"--map", map, "--labels", "y.npy", "--add", "z.npy"});
    }
    return all;
  }
};

TEST_F(MapsTest, check_passes_what_is_right_and_fails_other_terms) {
  for (std::string const type : {"f32", "f64"}) {
    make("300", "70", type == "f32" ? "row-major" : "column-major", type);
    for (Words const& terms : all_terms()) {
      auto const done = atax(terms + Words{"--output", "c.npy", "--check", "--repeat", "1"});
      EXPECT_EQ(done.status, 0) << terms[1] << " " << done.out << done.err;
      EXPECT_THAT(done.out, HasSubstr("passed: greatest error"));
      Words const check = {"check", "a.npy", "c.npy", "--vector", "v.npy"};
      EXPECT_EQ(run(check + terms).status, 0);
      EXPECT_EQ(run(check).status, 1);
    }
  }
}

TEST_F(MapsTest, streams_with_the_bits_of_the_run_in_memory) {
  for (std::string const order : {"row-major", "column-major"}) {
    make("3000", "700", order);
    for (Words const& terms : {Words{"--weights", "y.npy", "--alpha", "-1.7"},
                               {"--map", "logistic", "--labels", "y.npy", "--add", "z.npy"}}) {
      auto const report = [&](Words const& more) {
        auto const done = atax(terms + more + Words{"--format", "json", "--intermediate", "b.npy"});
        EXPECT_EQ(done.status, 0) << done.err;
        return nlohmann::json::parse(done.out);
      };
      auto const in_memory = report({"--repeat", "1"});
      auto const b = read("b.npy");
      auto const streamed = report({"--memory-limit", "7MiB"});
      EXPECT_EQ(streamed["method"], "streamed");
      EXPECT_GT(streamed["stream"]["blocks"], 1);
      EXPECT_EQ(streamed["sha256"], in_memory["sha256"]) << order << " " << terms[1];
      EXPECT_EQ(read("b.npy"), b);
      EXPECT_EQ(report({"--method", "two-stage"})["sha256"], in_memory["sha256"]);
    }
  }
}

TEST_F(MapsTest, a_checkpoint_is_one_of_a_map_and_its_vector) {
  make("3000", "700", "row-major");
  Words const kept = {"--memory-limit",     "5MiB", "--checkpoint", "run.state",
                      "--checkpoint-every", "0",    "--output",     "c.npy"};
  Words const terms = {"--map", "logistic", "--labels", "y.npy"};
  auto const right = nlohmann::json::parse(atax(terms + Words{"--format", "json"}).out)["sha256"];
  kill_when_exists(Words{"atax", "a.npy", "--vector", "v.npy"} + terms + kept, "run.state");
  write("saved.state", read("run.state"));

  auto const refused = [&](Words const& other, std::string const& found) {
    auto const done = atax(other + kept);
    EXPECT_EQ(done.status, 3) << done.out;
    EXPECT_THAT(done.err, HasSubstr("expected a checkpoint of this run, found one of " + found));
  };
  refused({}, "atax with the map logistic");
  refused({"--map", "poisson", "--labels", "y.npy"}, "atax with the map logistic");
  ASSERT_EQ(run({"gemv", "other.npy", "--output", "ones.npy", "--repeat", "1"}).status, 0);
  refused({"--map", "logistic", "--labels", "ones.npy"}, "another vector");

  auto const resumed = atax(terms + kept + Words{"--format", "json"});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  auto const report = nlohmann::json::parse(resumed.out);
  EXPECT_EQ(report["sha256"], right);
  EXPECT_GT(report["stream"]["first_block"], 0);

  write("run.state", read("saved.state"));
  auto const scaled =
      atax(terms + kept + Words{"--alpha", "2", "--add", "z.npy", "--format", "json"});
  ASSERT_EQ(scaled.status, 0) << scaled.err;
  EXPECT_GT(nlohmann::json::parse(scaled.out)["stream"]["first_block"], 0);
  EXPECT_EQ(
      run(Words{"check", "a.npy", "c.npy", "--vector", "v.npy", "--alpha", "2", "--add", "z.npy"} +
          terms)
          .status,
      0);
}

}  // namespace
}  // namespace tessera::test
