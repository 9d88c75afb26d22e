// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bench/candidates.hpp>
#include <bench/check.hpp>
#include <bench/contender.hpp>
#include <bench/search.hpp>
#include <bench/table.hpp>
#include <set>
#include <utility>

#include <tessera/plan.hpp>

namespace tessera::bench {
namespace {

struct Candidate {
  Launch launch;
  std::string words;
};

template <class Part>
std::vector<Candidate> with_part(Tuning const& choice, Part Tuning::* part,
                                 std::vector<Part> const& values) {
  std::vector<Candidate> all;
  for (Part const& value : values) {
    Tuning tuning = choice;
    tuning.*part = value;
    all.push_back({.launch = {.tuning = tuning}, .words = to_string(value)});
  }
  return all;
}

template <class Exec, class T>
class Search {
 public:
  Search(std::shared_ptr<Problem<Exec, T> const> problem, Request const& request,
         SearchProgress const& progress)
      : problem_(std::move(problem)),
        request_(request),
        progress_(progress),
        row_major_(summation::lines_are_rows(request.layout == Layout::row_major,
                                             problem_->shape.rows, problem_->shape.cols)),
        choice_(backends_choice()),
        lines_(lines_of_problem()) {}

  Found run() {
    if (request_.operation == "atax") {
      search_atax();
    } else if (request_.operation == "transpose") {
      auto const candidates = transpose_launches();
      keep(try_all("transpose", "transpose", "tessera", candidates), candidates);
    } else if (request_.operation == "gemm") {
      auto const candidates = gemm_launches();
      keep(try_all("gemm", "gemm", "tessera", candidates), candidates);
    } else if (is_dot(request_.operation)) {
      auto const candidates = dot_launches();
      keep(try_all(request_.operation, request_.operation, "tessera", candidates), candidates);
    } else {
      auto const candidates = sum_launches();
      keep(try_all(request_.operation, request_.operation, "tessera", candidates), candidates);
    }
    return found_;
  }

 private:
  /// Whether the operation computes dot products of lines; others add lines up.
  [[nodiscard]] bool is_dot(std::string const& operation) const {
    return (operation == "multiply") == row_major_;
  }

  [[nodiscard]] Tuning backends_choice() const {
    auto const& shape = problem_->shape;
    using Backend = backends::Backend<Exec>;
    return row_major_
               ? Backend::template row_major_tuning<T>(problem_->exec, shape.rows, shape.cols)
               : Backend::template column_major_tuning<T>(problem_->exec, shape.rows, shape.cols);
  }

  [[nodiscard]] LinesOf lines_of_problem() const {
    auto const& shape = problem_->shape;
    Index const count = row_major_ ? shape.rows : shape.cols;
    Index const length = row_major_ ? shape.cols : shape.rows;
    return {.count = count,
            .length = length,
            .segments = summation::segments<T>(length),
            .panels = summation::panels(count, length).count};
  }

  std::vector<Candidate> dot_launches() const {
    auto const all = with_part(choice_, &Tuning::dot, dot_candidates(choice_.dot, lines_));
    return distinct(row_major_ ? "multiply" : "multiply_transposed", all);
  }
  std::vector<Candidate> sum_launches() const {
    auto const all = with_part(choice_, &Tuning::sum, sum_candidates(choice_.sum, lines_));
    return distinct(row_major_ ? "multiply_transposed" : "multiply", all);
  }
  std::vector<Candidate> fused_launches() const {
    return distinct("atax", row_major_
                                ? with_part(choice_, &Tuning::fused_lines,
                                            fused_lines_candidates(choice_.fused_lines, lines_))
                                : with_part(choice_, &Tuning::fused_tiles,
                                            fused_tiles_candidates(choice_.fused_tiles, lines_)));
  }
  std::vector<Candidate> transpose_launches() const {
    auto const& shape = problem_->shape;
    constexpr auto bytes = static_cast<Index>(sizeof(T));
    auto const choice = backends::Backend<Exec>::transpose_tuning(
        problem_->exec, {.element_bytes = bytes,
                         .rows = shape.rows,
                         .cols = shape.cols,
                         .from_line_bytes = (shape.cols + shape.padding) * bytes});
    std::vector<Candidate> all;
    for (auto const& tuning : transpose_candidates(choice, shape.rows, is_gpu<Exec>)) {
      all.push_back({.launch = {.transpose = tuning}, .words = to_string(tuning)});
    }
    return all;
  }

  std::vector<Candidate> gemm_launches() const {
    auto const& shape = problem_->shape;
    // A column-major product is the transposed one.
    bool const rows_of_c = request_.layout == Layout::row_major;
    Index const rows = rows_of_c ? shape.rows : shape.factor_cols;
    Index const cols = rows_of_c ? shape.factor_cols : shape.rows;
    auto const choice = backends::Backend<Exec>::template gemm_tuning<T>(
        problem_->exec, rows, cols, summation::chains(rows, cols, shape.cols));
    std::vector<Candidate> all;
    for (auto const& tuning : gemm_candidates(choice, is_gpu<Exec>)) {
      all.push_back({.launch = {.gemm = tuning}, .words = to_string(tuning)});
    }
    return all;
  }

  /// Omits what the backend rejects, and equal launches: a GPU uses part of a tuning.
  std::vector<Candidate> distinct(std::string const& operation,
                                  std::vector<Candidate> const& all) const {
    std::vector<Candidate> kept;
    std::set<std::string> seen;
    for (auto const& candidate : all) {
      try {
        std::string const plan = plan_of(operation, *candidate.launch.tuning);
        if (is_gpu<Exec> && !seen.insert(plan).second) continue;
        kept.push_back(candidate);
      } catch (std::exception const&) {  // never the backend's own choice
        continue;
      }
    }
    return kept;
  }

  [[nodiscard]] std::string plan_of(std::string const& operation, Tuning const& tuning) const {
    auto const plan = row_major_ ? plan_for<Kokkos::LayoutRight>(operation, tuning)
                                 : plan_for<Kokkos::LayoutLeft>(operation, tuning);
    std::string text = std::to_string(plan.workspace_bytes);
    for (auto const& stage : plan.stages) {
      Index const values[] = {stage.teams, stage.team_size, stage.lines_per_step,
                              stage.panels_per_team, static_cast<Index>(stage.scratch_bytes)};
      for (Index const value : values) {
        text += " " + std::to_string(value);
      }
    }
    return text;
  }
  template <class KokkosLayout>
  [[nodiscard]] Plan plan_for(std::string const& operation, Tuning const& tuning) const {
    auto const& [rows, cols, padding, factor_cols] = problem_->shape;
    Options<Exec> const options{.workspace = nullptr, .tuning = tuning};
    if (operation == "multiply") {
      return plan_multiply<T, KokkosLayout>(problem_->exec, rows, cols, options);
    }
    if (operation == "multiply_transposed") {
      return plan_multiply_transposed<T, KokkosLayout>(problem_->exec, rows, cols, options);
    }
    AtaxOptions<Exec, T> const fused{
        .method = Method::fused, .workspace = nullptr, .tuning = tuning};
    return plan_atax<T, KokkosLayout>(problem_->exec, rows, cols, fused);
  }

  void search_atax() {
    auto const fused = fused_launches();
    auto const dot = dot_launches();
    auto const sum = sum_launches();
    std::string const dot_name = row_major_ ? "multiply" : "multiply_transposed";
    std::string const sum_name = row_major_ ? "multiply_transposed" : "multiply";
    auto const best_fused = try_all("fused", "atax", "tessera fused", fused);
    auto const best_dot = try_all(dot_name, dot_name, "tessera", dot);
    auto const best_sum = try_all(sum_name, sum_name, "tessera", sum);

    std::vector<Candidate> whole = {
        {.launch = {.tuning = choice_}, .words = "the backend's choice"}};
    auto const add = [&](Tuning tuning, bool prefer_fused, std::string const& words) {
      tuning.prefer_fused = prefer_fused;
      whole.push_back({.launch = {.tuning = tuning}, .words = words});
    };
    Tuning best = choice_;
    if (best_fused) {
      best.fused_lines = fused[*best_fused].launch.tuning->fused_lines;
      best.fused_tiles = fused[*best_fused].launch.tuning->fused_tiles;
    }
    if (best_dot) best.dot = dot[*best_dot].launch.tuning->dot;
    if (best_sum) best.sum = sum[*best_sum].launch.tuning->sum;
    if (best_fused) add(best, true, "fused: " + fused[*best_fused].words);
    if (best_dot && best_sum) {
      add(best, false,
          "two-stage: " + dot_name + " with " + dot[*best_dot].words + "; " + sum_name + " with " +
              sum[*best_sum].words);
    }
    keep(try_all("atax", "atax", "tessera auto", whole), whole);
  }

  std::optional<std::size_t> try_all(std::string const& stage, std::string const& operation,
                                     std::string const& name,
                                     std::vector<Candidate> const& candidates) {
    auto const contender = contender_named(operation, name);
    std::vector<Runner<Exec, T>> runners;
    std::vector<Trial> trials;
    for (auto const& candidate : candidates) {
      runners.emplace_back(problem_, contender, candidate.launch, request_.seconds);
      trials.push_back({.stage = stage, .launch = candidate.words, .is_backends = trials.empty()});
    }
    if (progress_) progress_(stage, 0, 1);
    auto verdicts = Checker<Exec, T>(problem_, contender).check(pointers_to(runners));
    auto const seconds = time_all(stage, runners, verdicts);

    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < trials.size(); ++k) {
      trials[k].why_not = verdicts[k].why_not;
      trials[k].check = verdicts[k].text;
      trials[k].wrong = verdicts[k].wrong;
      if (!verdicts[k].why_not.empty() || seconds[k].empty()) continue;
      trials[k].seconds = summarise(seconds[k]);
      if (!best || trials[k].seconds->median < trials[*best].seconds->median) best = k;
    }
    take_over(std::move(trials), best);
    return best;
  }

  std::vector<std::vector<double>> time_all(std::string const& stage,
                                            std::vector<Runner<Exec, T>>& runners,
                                            std::vector<Verdict>& verdicts) {
    std::vector<std::vector<double>> seconds(runners.size());
    std::size_t done = 0;
    std::size_t const total = runners.size() * static_cast<std::size_t>(request_.turns);
    take_turns(runners.size(), request_.turns, [&](std::size_t k) {
      if (progress_) progress_(stage, done, total);
      ++done;
      if (!verdicts[k].why_not.empty() || verdicts[k].wrong) return;
      try {
        seconds[k].push_back(runners[k].take_turn().seconds);
      } catch (std::exception const& error) {
        verdicts[k] = {.why_not = error.what()};
      }
    });
    return seconds;
  }

  void take_over(std::vector<Trial> trials, std::optional<std::size_t> best) {
    found_.seconds = best ? trials[*best].seconds->median : 0;
    found_.backend_seconds = trials.front().seconds ? trials.front().seconds->median : 0;
    std::erase_if(trials,
                  [](Trial const& trial) { return !trial.why_not.empty() && !trial.is_backends; });
    std::ranges::stable_sort(trials, [](Trial const& a, Trial const& b) {
      if (a.seconds && b.seconds) return a.seconds->median < b.seconds->median;
      return a.seconds.has_value() && !b.seconds.has_value();
    });
    for (auto& trial : trials) found_.trials.push_back(std::move(trial));
  }

  void keep(std::optional<std::size_t> best, std::vector<Candidate> const& candidates) {
    if (best) {
      found_.best = candidates[*best].launch;
    } else {
      found_.why_not = found_.trials.empty() ? "no launch is taken" : found_.trials.back().why_not;
    }
  }

  [[nodiscard]] Contender<Exec, T> const& contender_named(std::string const& operation,
                                                          std::string const& name) const {
    auto const& all = contenders<Exec, T>();
    auto const found = std::ranges::find_if(all, [&](auto const& contender) {
      return contender.operation == operation && contender.name == name &&
             contender.layout == request_.layout;
    });
    if (found == all.end()) throw std::invalid_argument("there is no " + name + " for this layout");
    return *found;
  }

  std::shared_ptr<Problem<Exec, T> const> problem_;
  Request request_;
  SearchProgress const& progress_;
  bool row_major_;
  Tuning choice_;
  LinesOf lines_;
  Found found_;
};

}  // namespace

bool Found::has_wrong_trial() const {
  return std::ranges::any_of(trials, &Trial::wrong);
}

Found search(Request const& request, SearchProgress const& progress) {
  static_cast<void>(operation_named(request.operation));
  Found found;
  with_table(request.backend, request.scalar, [&]<class Exec, class T>(On<Exec, T>) {
    auto const [problem, why_not] = make_problem<Exec, T>(request.shape);
    if (!problem) {
      found.why_not = why_not;
      return;
    }
    found = Search<Exec, T>(problem, request, progress).run();
  });
  return found;
}

}  // namespace tessera::bench
