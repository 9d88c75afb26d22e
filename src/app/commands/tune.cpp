// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bench/operation.hpp>
#include <bench/search.hpp>
#include <bench/shapes.hpp>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <app/backend/backends.hpp>
#include <app/base/failure.hpp>
#include <app/base/progress.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/tuning/tuning_cache.hpp>

namespace tessera::app {
namespace {

std::filesystem::path required_folder() {
  auto const folder = cache_folder();
  if (folder) return *folder;
  throw Failure(ExitStatus::file,
                "tune: there is no folder for tunings: neither XDG_CACHE_HOME nor HOME is an "
                "absolute path");
}

void warn(std::string const& warning) {
  if (!warning.empty()) say(warning);
}

ExitStatus show_tunings() {
  auto const folder = required_folder();
  auto const files = tuning_files(folder);
  for (auto const& file : files) std::fputs(describe_tunings(file).c_str(), stdout);
  if (files.empty()) std::printf("%s: no tunings are kept\n", folder.c_str());
  return ExitStatus::good;
}

ExitStatus forget_tunings() {
  auto const folder = required_folder();
  std::error_code missing;
  io::Descriptor lock;
  if (std::filesystem::is_directory(folder, missing)) {
    std::string warning;
    lock = lock_tunings(folder, warning);
    warn(warning);
  }
  auto const files = tuning_files(folder);
  for (auto const& file : files) {
    std::error_code error;
    if (!std::filesystem::remove(file, error) && error) {
      throw Failure(ExitStatus::file, file.string() + ": cannot be removed: " + error.message());
    }
    std::printf("%s: removed\n", file.c_str());
  }
  if (files.empty()) std::printf("%s: no tunings were kept\n", folder.c_str());
  return ExitStatus::good;
}

class StageBar {
 public:
  void show(std::string const& operation, std::string const& stage, std::size_t done,
            std::size_t total) {
    if (!bar_ || stage != stage_) {
      bar_.reset();  // one at a time
      bar_.emplace("tuning " + operation + (stage == operation ? "" : ", " + stage));
      stage_ = stage;
    }
    bar_->set(done, total);
  }

 private:
  std::optional<ProgressBar> bar_;
  std::string stage_;
};

std::string stage_text(std::vector<bench::Trial> const& trials, std::string const& stage) {
  constexpr std::size_t shown = 10;
  std::vector<std::vector<std::string>> lines = {{"rank", "time", "speed-up", "check", "launch"}};
  double backend_seconds = 0;
  for (auto const& trial : trials) {
    if (trial.stage == stage && trial.is_backends && trial.seconds) {
      backend_seconds = trial.seconds->median;
    }
  }
  std::size_t rank = 0;
  std::string notes;
  for (auto const& trial : trials) {
    if (trial.stage != stage) continue;
    ++rank;
    std::string const launch = trial.launch + (trial.is_backends ? "  <- the backend's" : "");
    if (trial.wrong || !trial.seconds) {
      notes +=
          "  " + launch + ": " + (trial.wrong ? trial.check : "not run: " + trial.why_not) + "\n";
    } else if (rank <= shown || trial.is_backends) {
      double const median = trial.seconds->median;
      char ratio[64];
      std::snprintf(ratio, sizeof ratio, "%.3f",
                    backend_seconds > 0 ? backend_seconds / median : 0);
      lines.push_back({std::to_string(rank), duration(median), ratio, trial.check, launch});
    }
  }
  return "  " + stage + ", " + std::to_string(rank) + " launch configuration" +
         (rank == 1 ? "" : "s") + "\n" + aligned(lines, {3, 4}) + notes;
}

std::string found_text(TuneOptions const& options, bench::Request const& request,
                       bench::Found const& found) {
  std::string text = command_of(request.operation) + "   " + matrix_text(request.shape) + ", " +
                     std::string(io::to_string(options.type)) + ", " +
                     std::string(io::to_string(options.layout)) + "\n";
  std::vector<std::string> stages;
  for (auto const& trial : found.trials) {
    if (std::ranges::find(stages, trial.stage) == stages.end()) stages.push_back(trial.stage);
  }
  for (auto const& stage : stages) text += stage_text(found.trials, stage);
  return text;
}

bool tune(TuneOptions const& options, TuningCache const& cache, bench::Request const& request) {
  bench::Found found;
  {
    StageBar bar;
    found =
        bench::search(request, [&](std::string const& stage, std::size_t done, std::size_t total) {
          bar.show(command_of(request.operation), stage, done, total);
        });
  }
  if (!found.why_not.empty()) {
    throw Failure(ExitStatus::resources, "tune: " + command_of(request.operation) + " of " +
                                             name_of(request.shape) + ": " + found.why_not);
  }
  std::fputs(found_text(options, request, found).c_str(), stdout);
  std::string warning;
  cache.store({.operation = request.operation,
               .type = options.type,
               .layout = options.layout,
               .shape = request.shape,
               .launch = found.best,
               .seconds = found.seconds,
               .backend_seconds = found.backend_seconds},
              warning);
  warn(warning);
  std::printf("  saved in %s\n\n", cache.path().c_str());
  std::fflush(stdout);
  return !found.has_wrong_trial();
}

}  // namespace

BackendFacts measured_backend(MeasureOptions const& options) {
  require_backend(options.backend);
  require_device_in_use(options.device, options.backend);
  for (auto const& backend : enabled_backends()) {
    if (options.backend == BackendChoice::automatic || backend.choice == options.backend) {
      require_threads(options.threads, backend);
      return backend;
    }
  }
  throw Failure(ExitStatus::resources, "this program has no backend");
}

bench::Layout layout_of(io::Layout layout) {
  return layout == io::Layout::right ? bench::Layout::row_major : bench::Layout::column_major;
}

void require_layout(std::string const& operation, io::Layout layout) {
  if (operation == "transpose" && layout == io::Layout::left) {
    throw Failure(
        ExitStatus::usage,
        "--layout: a transpose is measured row-major; that of a column-major MxN matrix is "
        "the same work as that of a row-major NxM one");
  }
}

std::vector<bench::Shape> parse_shapes(std::string const& option, std::string const& text,
                                       std::string const& operation) {
  auto const kind = bench::operation_named(operation).shapes;
  try {
    return bench::parse_shapes(!text.empty()                      ? text
                               : kind == bench::ShapeKind::matrix ? "4096x4096"
                                                                  : "1024",
                               kind);
  } catch (std::invalid_argument const& error) {
    throw Failure(ExitStatus::usage, option + ": " + error.what());
  }
}

ExitStatus run_command(TuneOptions const& options) {
  if (options.show) return show_tunings();
  if (options.reset) return forget_tunings();
  if (options.operation.empty()) {
    throw Failure(ExitStatus::usage, "tune: an OPERATION is needed, or all, --show or --reset");
  }
  bool const all = options.operation == "all";
  if (!all) require_layout(options.operation, options.layout);
  auto const backend = measured_backend(options);
  std::vector<bench::Request> requests;
  for (auto const& operation : bench::operations()) {
    std::string const name(operation.name);
    if (!operation.is_tuned) continue;
    if (all ? name == "transpose" && options.layout == io::Layout::left
            : name != options.operation) {
      continue;
    }
    // With `all`, --shape is of matrices, not products.
    bool const own_shape = all && operation.shapes == bench::ShapeKind::product;
    auto const shapes = parse_shapes("--shape", own_shape ? "" : options.shape, name);
    if (shapes.size() != 1 || shapes.front().padding > 0) {
      throw Failure(ExitStatus::usage, "--shape: one shape without padding is tuned at a time");
    }
    requests.push_back({.backend = backend.name,
                        .scalar = std::string(io::to_string(options.type)),
                        .operation = name,
                        .shape = shapes.front(),
                        .layout = layout_of(options.layout),
                        .turns = options.turns,
                        .seconds = options.seconds});
  }
  TuningCache const cache(required_folder(), backend);
  cache.require_writable();
  std::printf("%s, %s; medians of %d runs in random order\n\n", backend.name.c_str(),
              backend.device.c_str(), options.turns);
  bool good = true;
  for (auto const& request : requests) good = tune(options, cache, request) && good;
  return good ? ExitStatus::good : ExitStatus::difference;
}

}  // namespace tessera::app
