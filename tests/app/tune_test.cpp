// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <support/read_file.hpp>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;

class TuneTest : public ProgramTest {
 protected:
  TuneTest() {
    if (run({"gen", "--rows", "300", "--cols", "200", "--distribution", "normal", "--output",
             "a.npy", "--vector-output", "v.npy"})
                .status != 0 ||
        run({"gemv", "a.npy", "--vector", "v.npy", "--output", "b.npy"}).status != 0) {
      throw std::runtime_error("gen or gemv failed");
    }
    // Small jobs run on the host, a search would use a GPU.
    json const info = json::parse(run({"info", "--format", "json"}).out);
    for (auto const& backend : info.at("backends")) {
      if (backend.at("name") != "cuda") host_ = backend.at("name");
    }
  }

  std::vector<std::string> on_host(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--backend", host_});
    return arguments;
  }
  RunResult tune(std::vector<std::string> arguments, RunOptions const& options = {}) const {
    arguments.insert(arguments.begin(), "tune");
    arguments.insert(arguments.end(), {"--repeat", "1", "--seconds", "1e-6"});
    return run(on_host(arguments), options);
  }
  void tune_or_fail(std::string const& operation, std::string const& shape) const {
    auto const result = tune({operation, "--shape", shape});
    ASSERT_EQ(result.status, 0) << result.err;
    ASSERT_EQ(result.err, "");
  }

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> all;
    if (!std::filesystem::exists(cache() / "tessera")) return all;
    for (auto const& each : std::filesystem::directory_iterator(cache() / "tessera")) {
      if (each.path().filename() != ".lock") all.push_back(each.path());
    }
    return all;
  }
  std::filesystem::path file() const {
    auto const all = files();
    if (all.size() != 1) throw std::runtime_error("not one file of tunings");
    return all.front();
  }
  std::string content() const { return read_file(file()); }
  void replace(std::string const& text) const { std::ofstream(file()) << text; }

  std::vector<std::string> product(std::string const& operation) const {
    return on_host({operation, "a.npy", "--vector", operation == "gemvt" ? "b.npy" : "v.npy",
                    "--repeat", "1", "--format", "json"});
  }
  json report(std::string const& operation, std::vector<std::string> const& more = {}) const {
    auto arguments = product(operation);
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return json::parse(result.out);
  }
  static bool has_opened(pid_t child, std::string const& name) {
    std::error_code error;
    for (auto const& entry :
         std::filesystem::directory_iterator("/proc/" + std::to_string(child) + "/fd", error)) {
      if (std::filesystem::read_symlink(entry.path(), error).filename() == name) return true;
    }
    return false;
  }
  void expect_ignored(std::string const& warning) const {
    auto const result = run(product("gemv"));
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(json::parse(result.out).at("tuning").is_null());
    EXPECT_TRUE(result.err.starts_with("tessera: ")) << result.err;
    EXPECT_THAT(result.err, HasSubstr("ignored: "));
    EXPECT_THAT(result.err, HasSubstr(warning));
  }

 private:
  std::string host_;
};

TEST_F(TuneTest, keeps_the_fastest_launch_and_runs_use_it_and_say_so) {
  auto const before = report("gemv");
  EXPECT_TRUE(before.at("tuning").is_null());
  auto const result = tune({"gemv", "--shape", "250x220"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("<- the backend's"));
  EXPECT_THAT(result.out, HasSubstr("saved in " + file().string()));

  json const kept = json::parse(content());
  EXPECT_EQ(kept.at("format"), "tessera tunings");
  EXPECT_THAT(run({"--version"}).out, HasSubstr(kept.at("version").get<std::string>()));
  ASSERT_EQ(kept.at("tunings").size(), 1u);
  json const& tuning = kept.at("tunings")[0];
  EXPECT_EQ(tuning.at("operation"), "gemv");
  EXPECT_EQ(tuning.at("rows"), 250);
  EXPECT_EQ(tuning.at("cols"), 220);
  EXPECT_LE(tuning.at("seconds").get<double>(), tuning.at("backend_seconds").get<double>());

  json const after = report("gemv");
  EXPECT_EQ(after.at("tuning").at("rows"), 250);
  EXPECT_EQ(after.at("tuning").at("cols"), 220);
  EXPECT_EQ(after.at("tuning").at("file"), file().string());
  EXPECT_EQ(after.at("sha256"), before.at("sha256"));
  auto const text = run(on_host({"gemv", "a.npy", "--vector", "v.npy"}));
  EXPECT_THAT(text.out, HasSubstr("tuning       measured for 250 x 220, " + file().string()));
  EXPECT_TRUE(report("gemv", {"--no-tuning-cache"}).at("tuning").is_null());
}

TEST_F(TuneTest, a_tuning_is_for_its_operation_type_layout_and_near_shapes) {
  tune_or_fail("gemv", "150x400");  // a.npy is 300 x 200: the sizes differ by the factor 2
  EXPECT_FALSE(report("gemv").at("tuning").is_null());
  EXPECT_TRUE(report("gemvt").at("tuning").is_null());
  EXPECT_TRUE(report("atax").at("tuning").is_null());
  EXPECT_TRUE(report("gemv", {"--type", "f64"}).at("tuning").is_null());
  ASSERT_EQ(run({"gen", "--rows", "300", "--cols", "200", "--layout", "column-major", "--output",
                 "f.npy"})
                .status,
            0);
  auto const fortran = run(on_host({"gemv", "f.npy", "--vector", "v.npy", "--format", "json"}));
  EXPECT_TRUE(json::parse(fortran.out).at("tuning").is_null());
}

TEST_F(TuneTest, shapes_beyond_a_factor_of_two_are_not_near_and_the_nearest_is_taken) {
  tune_or_fail("gemv", "149x200");
  tune_or_fail("gemv", "300x401");
  EXPECT_TRUE(report("gemv").at("tuning").is_null());
  tune_or_fail("gemv", "600x200");
  EXPECT_EQ(report("gemv").at("tuning").at("rows"), 600);
  tune_or_fail("gemv", "290x210");
  EXPECT_EQ(report("gemv").at("tuning").at("rows"), 290);
  tune_or_fail("gemv", "290x210");
  EXPECT_EQ(json::parse(content()).at("tunings").size(), 4u);
}

TEST_F(TuneTest, odd_tunings_change_no_bit) {
  for (auto const* operation : {"atax", "gemv", "gemvt"}) tune_or_fail(operation, "300x200");
  json kept = json::parse(content());
  struct Odd {
    int step;
    std::int64_t lines, run, columns, panels, segments, tiles;
  };
  constexpr std::int64_t large = std::int64_t{1} << 40;
  for (std::string const operation : {"atax", "gemv", "gemvt"}) {
    json const plain = report(operation, {"--no-tuning-cache"});
    for (auto const& odd :
         {Odd{1, 1, 1, 1, 1, 1, 1}, Odd{8, large, large, large, large, large, large},
          Odd{2, 7, 0, 33, 16, 2, 4}, Odd{4, 3, 2, 129, 2, 8, 1}}) {
      for (bool const fused : {true, false}) {
        for (auto& tuning : kept.at("tunings")) {
          if (!tuning.contains("product")) continue;
          tuning["product"] = {{"dot",
                                {{"lines_per_step", odd.step},
                                 {"lines_per_team", odd.lines},
                                 {"segments_per_run", odd.run}}},
                               {"sum",
                                {{"lines_per_step", odd.step},
                                 {"columns_per_team", odd.columns},
                                 {"panels_per_team", odd.panels}}},
                               {"fused_lines",
                                {{"lines_per_step", odd.step},
                                 {"dot_side_by_side", !fused},
                                 {"panels_per_team", odd.panels}}},
                               {"fused_tiles",
                                {{"segments_per_tile", odd.segments},
                                 {"tiles_per_team", odd.tiles},
                                 {"lines_per_step", odd.step}}},
                               {"prefer_fused", fused}};
        }
        replace(kept.dump());
        json const tuned = report(operation);
        EXPECT_FALSE(tuned.at("tuning").is_null());
        EXPECT_EQ(tuned.at("sha256"), plain.at("sha256")) << operation << " " << kept.dump();
        if (operation != "atax") continue;
        EXPECT_EQ(tuned.at("method"), fused ? "fused" : "two-stage");
      }
    }
  }
}

TEST_F(TuneTest, transposes_and_products_of_matrices_use_theirs_and_change_no_bit) {
  ASSERT_EQ(run({"gen", "--rows", "200", "--cols", "150", "--output", "c.npy"}).status, 0);
  auto const transpose = on_host({"transpose", "a.npy", "t.npy", "--format", "json"});
  auto const gemm = on_host({"gemm", "a.npy", "c.npy", "p.npy", "--format", "json"});
  auto const of = [&](std::vector<std::string> const& arguments) {
    auto const result = run(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out);
  };
  json const plain_transpose = of(transpose);
  json const plain_gemm = of(gemm);
  EXPECT_TRUE(plain_transpose.at("tuning").is_null());
  EXPECT_TRUE(plain_gemm.at("tuning").is_null());
  tune_or_fail("transpose", "300x200");
  tune_or_fail("gemm", "280x160x190");
  json kept = json::parse(content());
  kept["tunings"][0]["transpose"] = {
      {"tile_rows", 7}, {"tile_cols", 33}, {"team_size", 1}, {"band", 3}, {"stream", true}};
  kept["tunings"][1]["gemm"] = {
      {"tile_rows", 5}, {"tile_cols", 19}, {"tile_depth", 3}, {"band", 2}};
  replace(kept.dump());
  json const tuned_transpose = of(transpose);
  json const tuned_gemm = of(gemm);
  EXPECT_EQ(tuned_transpose.at("tuning").at("rows"), 300);
  EXPECT_EQ(tuned_gemm.at("tuning").at("rows"), 280);
  EXPECT_EQ(tuned_transpose.at("sha256"), plain_transpose.at("sha256"));
  EXPECT_EQ(tuned_gemm.at("sha256"), plain_gemm.at("sha256"));
  EXPECT_THAT(run(on_host({"gemm", "a.npy", "c.npy", "p.npy"})).out,
              HasSubstr("tuning       measured for 280 x 190 times 190 x 160, "));

  kept["tunings"][0]["transpose"]["team_size"] = 3;
  replace(kept.dump());
  auto const refused = run(transpose);
  EXPECT_EQ(refused.status, 0) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("not used here: "));
  EXPECT_TRUE(json::parse(refused.out).at("tuning").is_null());
  EXPECT_EQ(json::parse(refused.out).at("sha256"), plain_transpose.at("sha256"));
}

TEST_F(TuneTest, a_damaged_cache_is_ignored_with_a_warning_and_made_anew) {
  tune_or_fail("gemv", "300x200");
  std::string const good = content();
  replace("");
  expect_ignored("damaged");
  replace("{\"format\": \"tessera tunings\"");
  expect_ignored("damaged");
  replace(good.substr(0, good.size() / 2));
  expect_ignored("damaged");
  replace("[1, 2, 3]");
  expect_ignored("damaged");
  replace("\xff\xfe not JSON at all \x01");
  expect_ignored("damaged");
  auto const with = [&](std::string const& path, json const& value) {
    json changed = json::parse(good);
    changed[json::json_pointer(path)] = value;
    replace(changed.dump());
  };
  with("/tunings/0/product/dot/lines_per_step", 3);
  expect_ignored("lines_per_step");
  with("/tunings/0/product/dot/lines_per_step", std::int64_t{1} << 33);
  expect_ignored("lines_per_step");
  with("/tunings/0/product/dot/lines_per_team", -1);
  expect_ignored("lines_per_team");
  with("/tunings/0/product/sum/panels_per_team", 3);
  expect_ignored("panels_per_team");
  with("/tunings/0/product/prefer_fused", "yes");
  expect_ignored("damaged");
  with("/tunings/0/rows", 0);
  expect_ignored("rows");
  with("/tunings/0/rows", 1e300);
  expect_ignored("rows");
  with("/tunings/0/operation", "divide");
  expect_ignored("operation");
  with("/tunings", 7);
  expect_ignored("damaged");
  with("/tunings/0", nullptr);
  expect_ignored("damaged");

  auto const again = tune({"gemv", "--shape", "300x200"});
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.err, HasSubstr("ignored: damaged"));
  EXPECT_FALSE(report("gemv").at("tuning").is_null());
}

TEST_F(TuneTest, a_foreign_cache_is_ignored_with_a_warning) {
  tune_or_fail("gemv", "300x200");
  json const good = json::parse(content());
  auto const with = [&](std::string const& key, json const& value) {
    json changed = good;
    changed[key] = value;
    replace(changed.dump());
  };
  with("version", "99.0.0");
  expect_ignored("it is of version 99.0.0");
  with("device", "an abacus, 10 threads");
  expect_ignored("another device: ");
  with("backend", "abacus");
  expect_ignored("another device: abacus");
  with("format", "tunings of another program");
  expect_ignored("no file of tunings");
  with("format_version", 3);
  expect_ignored("another format");
}

TEST_F(TuneTest, a_cache_that_cannot_be_read_is_ignored_with_a_warning) {
  tune_or_fail("gemv", "300x200");
  auto const name = file();
  std::filesystem::permissions(name, std::filesystem::perms::none);
  auto const nobody = run(product("gemv"), {.as_nobody = true});
  EXPECT_EQ(nobody.status, 0) << nobody.err;
  EXPECT_THAT(nobody.err, HasSubstr("cannot be read"));
  std::filesystem::remove(name);
  std::filesystem::create_directory(name);
  expect_ignored("cannot be read");
  auto const into_folder = tune({"gemv", "--shape", "300x200"});
  EXPECT_EQ(into_folder.status, 3);
  EXPECT_THAT(into_folder.err, HasSubstr(name.string()));
}

TEST_F(TuneTest, a_folder_that_cannot_be_written_is_found_before_the_search) {
  std::filesystem::permissions(cache(), std::filesystem::perms::owner_all);
  auto const result = tune({"gemv", "--shape", "300x200"}, {.as_nobody = true});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr((cache() / "tessera").string()));
  auto const job = run(product("gemv"), {.as_nobody = true});
  EXPECT_EQ(job.status, 0);
  std::filesystem::permissions(cache(), std::filesystem::perms::all);
}

TEST_F(TuneTest, xdg_cache_home_comes_before_home_and_both_have_to_be_absolute) {
  auto const in = [&](std::string const& xdg, std::string const& home) {
    return tune({"gemv", "--shape", "300x200"},
                {.environment = {{"XDG_CACHE_HOME", xdg}, {"HOME", home}}});
  };
  auto const home = path("home").string();
  auto const xdg = path("xdg").string();
  EXPECT_EQ(in(xdg, home).status, 0);
  EXPECT_TRUE(exists("xdg/tessera"));
  std::filesystem::remove_all(path("home/.nv"));
  EXPECT_TRUE(!exists("home") || std::filesystem::is_empty(path("home")));
  EXPECT_EQ(in("", home).status, 0);
  EXPECT_TRUE(exists("home/.cache/tessera"));
  std::filesystem::remove_all(home);
  EXPECT_EQ(in("relative", home).status, 0);
  EXPECT_TRUE(exists("home/.cache/tessera"));
  EXPECT_FALSE(exists("relative"));
  auto const nowhere = in("relative", "also/relative");
  EXPECT_EQ(nowhere.status, 3);
  EXPECT_THAT(nowhere.err, HasSubstr("neither XDG_CACHE_HOME nor HOME"));
}

TEST_F(TuneTest, without_home_runs_work_untuned_and_tune_says_what_is_missing) {
  RunOptions const bare{.without = {"XDG_CACHE_HOME", "HOME"}};
  auto const job = run(product("gemv"), bare);
  EXPECT_EQ(job.status, 0);
  EXPECT_EQ(job.err, "");
  for (std::vector<std::string> const& arguments :
       {std::vector<std::string>{"tune", "gemv"}, {"tune", "--show"}, {"tune", "--reset"}}) {
    auto const result = run(arguments, bare);
    EXPECT_EQ(result.status, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("neither XDG_CACHE_HOME nor HOME"));
  }
}

TEST_F(TuneTest, show_and_reset_see_files_of_tunings_alone) {
  EXPECT_THAT(run({"tune", "--show"}).out, HasSubstr("no tunings are kept"));
  EXPECT_THAT(run({"tune", "--reset"}).out, HasSubstr("no tunings were kept"));
  tune_or_fail("transpose", "120x80");
  tune_or_fail("gemvt", "300x200");
  auto const other = cache() / "tessera" / "something-else.json";
  std::ofstream(other) << "{}";
  std::ofstream(cache() / "tessera" / "tuning-damaged.json") << "{";
  auto const shown = run({"tune", "--show"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  for (char const* const words : {"transpose  120 x 80", "tile_rows", "gemvt      300 x 200",
                                  "columns_per_team", "tuning-damaged.json: ignored: damaged"}) {
    EXPECT_THAT(shown.out, HasSubstr(words));
  }
  EXPECT_THAT(shown.out, Not(HasSubstr("something-else")));
  auto const reset = run({"tune", "--reset"});
  EXPECT_EQ(reset.status, 0) << reset.err;
  EXPECT_THAT(reset.out, HasSubstr("tuning-damaged.json: removed"));
  EXPECT_EQ(files(), std::vector<std::filesystem::path>{other});
  EXPECT_TRUE(report("gemvt").at("tuning").is_null());
}

TEST_F(TuneTest, runs_at_the_same_time_keep_all_their_tunings) {
  constexpr int runs = 6;
  std::vector<pid_t> children;
  for (int k = 0; k < runs; ++k) {
    children.push_back(start(on_host({"tune", "gemv", "--shape", std::to_string(20 + k) + "x10",
                                      "--repeat", "1", "--seconds", "1e-6"})));
  }
  for (pid_t const child : children) EXPECT_EQ(finish(child).status, 0);
  EXPECT_EQ(json::parse(content()).at("tunings").size(), static_cast<std::size_t>(runs));
}

TEST_F(TuneTest, a_run_waits_for_one_that_stores_its_tunings) {
  tune_or_fail("gemv", "300x200");
  json kept = json::parse(content());
  // Until exec the child has this file open.
  std::filesystem::create_hard_link(cache() / "tessera" / ".lock", path("held"));
  int const lock = ::open(path("held").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  pid_t const child =
      start(on_host({"tune", "gemv", "--shape", "30x20", "--repeat", "1", "--seconds", "1e-6"}));
  for (int wait = 0; wait < 1000 && !has_opened(child, ".lock"); ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(has_opened(child, ".lock"));
  json second = kept.at("tunings")[0];
  second["rows"] = 7;
  kept["tunings"].push_back(second);
  replace(kept.dump());
  ::close(lock);
  EXPECT_EQ(finish(child).status, 0);
  EXPECT_EQ(json::parse(content()).at("tunings").size(), 3U);
}

TEST_F(TuneTest, a_run_gives_up_where_another_process_keeps_the_lock) {
  tune_or_fail("gemv", "300x200");
  std::string const kept = content();
  std::string const path = cache() / "tessera" / ".lock";
  int const lock = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  auto const begin = std::chrono::steady_clock::now();
  auto const refused =
      run(on_host({"tune", "gemv", "--shape", "30x20", "--repeat", "1", "--seconds", "1e-6"}));
  auto const waited = std::chrono::steady_clock::now() - begin;
  ::close(lock);
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.err, "tessera: " + path +
                             ": cannot be locked: another process has held the lock for 10 s; end "
                             "it and try again\n");
  EXPECT_GE(waited, std::chrono::seconds(10));
  EXPECT_EQ(content(), kept);
}

TEST_F(TuneTest, tables_are_ranked_and_name_stages) {
  auto const result =
      tune({"atax", "--shape", "300x200", "--layout", "column-major", "--type", "f64"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("atax   300 rows x 200 columns, f64, column-major"));
  for (char const* const words :
       {"  fused, ", "  multiply, ", "  multiply_transposed, ", "  atax, 3 launch configurations",
        "rank", "speed-up", "two-stage: ", "the backend's choice"}) {
    EXPECT_THAT(result.out, HasSubstr(words));
  }
  EXPECT_THAT(result.out, Not(HasSubstr("WRONG")));
}

TEST_F(TuneTest, what_makes_no_sense_is_refused_with_a_sentence) {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  for (auto const& [arguments, message] :
       {Case{{}, "an OPERATION is needed"},
        Case{{"divide"}, "'divide' is not one of atax|gemv|gemvt|transpose|gemm|all"},
        Case{{"gemv", "--shape", "8"}, "--shape: '8' is no shape"},
        Case{{"gemv", "--shape", "8x8,9x9"}, "one shape without padding"},
        Case{{"gemv", "--shape", "8x8+1"}, "one shape without padding"},
        Case{{"gemv", "--show"}, "--show"}, Case{{"--show", "--reset"}, "--reset"},
        Case{{"transpose", "--layout", "column-major"}, "--layout"}}) {
    std::vector<std::string> words = {"tune"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    auto const result = run(words);
    EXPECT_EQ(result.status, 2) << message << result.out;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace tessera::test
