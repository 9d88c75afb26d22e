// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bench/check.hpp>
#include <bench/measurement.hpp>
#include <bench/runner.hpp>
#include <bench/table.hpp>

namespace tessera::bench {
namespace {

template <class Exec, class T>
bool is_wanted(Contender<Exec, T> const& contender, Request const& request) {
  if (contender.operation != request.operation || contender.layout != request.layout) return false;
  if (contender.kind != Kind::variant || !request.variants) return true;
  return std::ranges::find(*request.variants, contender.name) != request.variants->end();
}

template <class Exec, class T>
void require_variants(Request const& request) {
  if (!request.variants) return;
  auto const known = names_of_variants(request.backend, request.operation, request.layout);
  for (auto const& name : *request.variants) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string list;
    for (auto const& each : known) list += (list.empty() ? "" : ", ") + each;
    throw std::invalid_argument("'" + name + "' is no variant of this operation and layout; " +
                                (list.empty() ? "it has none" : "it has " + list));
  }
}

template <class Exec, class T>
void require_launches(Request const& request) {
  auto const require = [&](bool asked, bool Contender<Exec, T>::* takes, char const* what) {
    if (!asked) return;
    for (auto const& contender : contenders<Exec, T>()) {
      if (is_wanted(contender, request) && contender.*takes) return;
    }
    throw std::invalid_argument(std::string("none of the variants that are measured has ") + what);
  };
  require(!request.teams.empty(), &Contender<Exec, T>::takes_teams, "teams to choose");
  require(!request.tiles.empty(), &Contender<Exec, T>::takes_tile, "a tile to choose");
  require(request.most_teams > 0, &Contender<Exec, T>::takes_most_teams, "a most of teams");
}

template <class Exec, class T>
class Measurement {
 public:
  Measurement(std::shared_ptr<Problem<Exec, T> const> problem, Request const& request)
      : problem_(std::move(problem)), request_(request) {
    for (auto const& contender : contenders<Exec, T>()) {
      if (is_wanted(contender, request)) add_with_launches(contender);
    }
  }

  void check() {
    auto const verdicts =
        bench::check(problem_, request_.operation, request_.layout, pointers_to(runners_));
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      rows_[k].why_not = verdicts[k].why_not;
      rows_[k].check = verdicts[k].text;
      rows_[k].wrong = verdicts[k].wrong;
    }
  }

  void take_numbers() const {
    auto const& [matrix, other] = request_.numbers;
    if (matrix == nullptr) return;
    auto const& p = *problem_;
    auto const* const second = static_cast<T const*>(other);
    bool const is_product = p.shape.is_product();
    p.take(static_cast<T const*>(matrix), is_product ? second : nullptr);
    if (second == nullptr || is_product) return;
    auto const& vector = vector_read();
    p.copy_from_host(second, vector.data(), vector.extent(0));
  }

  void ask() {
    if (!request_.judge) return;
    auto const& p = *problem_;
    Numbers numbers = request_.numbers;
    std::vector<T> matrix, other;
    if (numbers.matrix == nullptr) {
      matrix = p.to_host(p.elements(0), static_cast<std::size_t>(p.shape.rows * p.shape.cols));
      other = p.shape.is_product()
                  ? p.to_host(p.template factor<Kokkos::LayoutRight>(0).data(),
                              static_cast<std::size_t>(p.shape.cols * p.shape.factor_cols))
                  : p.to_host(vector_read().data(), vector_read().extent(0));
      numbers = {.matrix = matrix.data(), .other = other.data()};
    }
    Result<T> const made = results_of(p, request_.operation).front();
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      if (!rows_[k].why_not.empty() || rows_[k].wrong) continue;
      runners_[k].call_first();
      auto result = p.to_host(made.data, made.size);
      rows_[k].opinion = request_.judge({.of = numbers,
                                         .result = result.data(),
                                         .size = made.size,
                                         .is_copy = rows_[k].is_copy,
                                         .has_our_bits = runners_[k].contender().has_our_bits});
      rows_[k].wrong = rows_[k].opinion->wrong;
    }
  }

  void time(Progress const& progress) {
    std::size_t const rows = runners_.size();
    add_streams();
    std::size_t done = 0;
    std::size_t const total = runners_.size() * static_cast<std::size_t>(request_.turns);
    std::vector<std::vector<double>> seconds(runners_.size());
    std::vector<std::vector<double>> host(runners_.size());
    take_turns(runners_.size(), request_.turns, [&](std::size_t k) {
      if (progress) progress(done, total);
      ++done;
      if (!rows_[k].why_not.empty() || rows_[k].wrong) return;
      try {
        Turn const turn = runners_[k].take_turn();
        seconds[k].push_back(turn.seconds);
        if (turn.host_seconds) host[k].push_back(*turn.host_seconds);
      } catch (std::exception const& error) {
        rows_[k].why_not = error.what();
      }
    });
    for (std::size_t k = 0; k < runners_.size(); ++k) {
      if (!rows_[k].why_not.empty() || seconds[k].empty()) continue;
      rows_[k].seconds = summarise(seconds[k]);
      if (!host[k].empty()) rows_[k].host_seconds = summarise(host[k]).median;
      rows_[k].kernels = runners_[k].kernels();
      rows_[k].calls = runners_[k].calls();
    }
    take_streams_away(rows);
  }

  [[nodiscard]] Table table() const {
    auto const& operation = operation_named(request_.operation);
    return {.shape = request_.shape,
            .why_not = "",
            .copies = problem_->copies,
            .bytes = operation.bytes(request_.shape, sizeof(T)),
            .flops = operation.flops(request_.shape),
            .stream = stream_,
            .rows = rows_};
  }

 private:
  [[nodiscard]] auto const& vector_read() const {
    return operation_named(request_.operation).takes_rows_vector ? problem_->b : problem_->v;
  }

  void add_with_launches(Contender<Exec, T> const& contender) {
    std::vector<std::optional<published::TeamShape>> teams(1);
    std::vector<std::optional<std::int64_t>> tiles(1);
    if (contender.takes_teams && !request_.teams.empty())
      teams.assign(request_.teams.begin(), request_.teams.end());
    if (contender.takes_tile && !request_.tiles.empty())
      tiles.assign(request_.tiles.begin(), request_.tiles.end());
    for (auto const& team : teams) {
      for (auto const& tile : tiles) add(contender, team, tile);
    }
  }

  void add(Contender<Exec, T> const& contender,
           std::optional<published::TeamShape> team = std::nullopt,
           std::optional<std::int64_t> tile = std::nullopt) {
    Launch const launch{.team = team.value_or(published::TeamShape{}),
                        .most_teams = request_.most_teams,
                        .tile = tile.value_or(0)};
    runners_.emplace_back(problem_, contender, launch, request_.seconds);
    rows_.push_back({.name = contender.name,
                     .kind = contender.kind,
                     .is_copy = contender.is_copy,
                     .repeats = contender.repeats,
                     .team = team,
                     .tile = tile});
  }

  void add_streams() {
    auto const wanted = operation_named(request_.operation).stream;
    for (auto const& contender : contenders<Exec, T>()) {
      if (contender.operation == wanted) add(contender);
    }
  }

  void take_streams_away(std::size_t rows) {
    for (std::size_t k = rows; k < rows_.size(); ++k) {
      if (!rows_[k].seconds || (stream_ && stream_->seconds <= rows_[k].seconds->median)) continue;
      double const median = rows_[k].seconds->median;
      double const bytes = problem_->matrix_bytes() * runners_[k].contender().matrix_reads;
      stream_ = {.name = rows_[k].name, .seconds = median, .gb_per_s = bytes / median * 1e-9};
    }
    rows_.resize(rows);
    runners_.erase(runners_.begin() + static_cast<std::ptrdiff_t>(rows), runners_.end());
  }

  std::shared_ptr<Problem<Exec, T> const> problem_;
  Request request_;
  std::vector<Runner<Exec, T>> runners_;
  std::vector<Row> rows_;
  std::optional<Stream> stream_;
};

}  // namespace

Seconds summarise(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  auto const half = values.size() / 2;
  double const median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {.min = values.front(), .median = median, .max = values.back()};
}

bool Table::has_wrong_row() const {
  return std::ranges::any_of(rows, &Row::wrong);
}

void finish(Table& table) {
  double slowest = 0;
  for (Row const& row : table.rows) {
    if (row.seconds) slowest = std::max(slowest, row.seconds->median);
  }
  for (Row& row : table.rows) {
    if (!row.seconds || row.seconds->median <= 0) continue;
    double const seconds = row.seconds->median;
    row.gb_per_s = table.bytes / seconds * 1e-9;
    row.gflop_per_s = table.flops / seconds * 1e-9;
    row.speed_up = slowest / seconds;
    if (table.stream) row.share = table.stream->seconds / seconds;
  }
  std::ranges::stable_sort(table.rows, [](Row const& a, Row const& b) {
    if (a.seconds && b.seconds) return a.seconds->median < b.seconds->median;
    return a.seconds.has_value() && !b.seconds.has_value();
  });
}

std::vector<std::string> names_of_variants(std::string const& backend, std::string const& operation,
                                           Layout layout) {
  std::vector<std::string> names;
  with_table(backend, "f32", [&]<class Exec, class T>(On<Exec, T>) {
    for (auto const& contender : contenders<Exec, T>()) {
      if (contender.kind == Kind::variant && contender.operation == operation &&
          contender.layout == layout) {
        names.push_back(contender.name);
      }
    }
  });
  return names;
}

Table measure(Request const& request, Progress const& progress) {
  static_cast<void>(operation_named(request.operation));
  Table table{.shape = request.shape};
  with_table(request.backend, request.scalar, [&]<class Exec, class T>(On<Exec, T>) {
    require_variants<Exec, T>(request);
    require_launches<Exec, T>(request);
    auto const [problem, why_not] = make_problem<Exec, T>(request.shape);
    if (!problem) {
      table.why_not = why_not;
      return;
    }
    if constexpr (is_gpu<Exec>) {
      if (request.cache_preference) {
        backends::Backend<Exec>::set_cache_preference(problem->exec, *request.cache_preference);
      }
    }
    Measurement<Exec, T> measurement(problem, request);
    measurement.check();
    measurement.take_numbers();
    measurement.ask();
    measurement.time(progress);
    table = measurement.table();
  });
  finish(table);
  return table;
}

}  // namespace tessera::bench
