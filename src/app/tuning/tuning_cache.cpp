// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bench/candidates.hpp>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <sys/file.h>
#include <system_error>
#include <thread>

#include <nlohmann/json.hpp>

#include <app/base/failure.hpp>
#include <app/base/notices.hpp>
#include <app/base/text.hpp>
#include <app/tuning/tuning_cache.hpp>
#include <app/tuning/tuning_records.hpp>
#include <io/errors.hpp>
#include <io/output_file.hpp>
#include <io/shell_word.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

using Json = nlohmann::ordered_json;
using Read = nlohmann::json;

constexpr char format_name[] = "tessera tunings";
constexpr int format_version = 2;

std::optional<std::filesystem::path> absolute_path_in(char const* variable) {
  char const* const value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  std::filesystem::path path(value);
  return path.is_absolute() ? std::optional(std::move(path)) : std::nullopt;
}

std::string file_name_of(std::string const& text) {
  std::string name;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  constexpr std::size_t longest = 200;
  return name.substr(0, longest);
}

std::string bytes_of(std::filesystem::path const& path) {
  constexpr std::uintmax_t most = 16U << 20U;
  std::error_code error;
  auto const size = std::filesystem::file_size(path, error);
  if (error) throw Unusable("it cannot be read: " + error.message());
  if (size > most) throw Unusable("damaged: it is larger than any that was written");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Unusable("it cannot be read");
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw Unusable("it cannot be read");
  return bytes;
}

/// Errors of JSON and values become Unusable.
template <class Work>
auto damaged_if_thrown(Work const& work) {
  try {
    return work();
  } catch (Json::exception const& error) {
    throw Unusable(std::string("damaged: ") + error.what());
  } catch (std::invalid_argument const& error) {
    throw Unusable(std::string("damaged: ") + error.what());
  }
}

Read parse(std::filesystem::path const& path) {
  return damaged_if_thrown([&] {
    Read json = Read::parse(bytes_of(path));
    if (json.at("format").get<std::string>() != format_name) {
      throw Unusable("it is no file of tunings");
    }
    if (int_in(json, "format_version") != format_version) {
      throw Unusable("it has another format, of another version of this program");
    }
    if (auto const found = json.at("version").get<std::string>(); found != version) {
      throw Unusable("it is of version " + found + ", this is " + std::string(version));
    }
    return json;
  });
}

std::vector<TuningRecord> records_of(Read const& json) {
  return damaged_if_thrown([&] {
    std::vector<TuningRecord> records;
    for (auto const& each : json.at("tunings")) records.push_back(record_from(each));
    return records;
  });
}

std::string ignored(std::filesystem::path const& path, std::string const& why) {
  constexpr std::size_t longest = 300;
  return path.string() + ": ignored: " + io::printable(why, longest) +
         " (`tessera tune` makes it anew)";
}

bool is_same_job(TuningRecord const& a, TuningRecord const& b) {
  return a.operation == b.operation && a.type == b.type && a.layout == b.layout &&
         a.shape == b.shape;
}

bool is_near(std::int64_t a, std::int64_t b) {
  return std::max(a, b) - std::min(a, b) <= std::min(a, b);
}

double distance(std::int64_t a, std::int64_t b) {
  return a == b ? 0 : std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
}

double distance(bench::Shape const& a, bench::Shape const& b) {
  return distance(a.rows, b.rows) + distance(a.cols, b.cols) +
         distance(a.factor_cols, b.factor_cols);
}

std::string shape_text(bench::Shape const& shape) {
  auto const number = [](std::int64_t n) { return std::to_string(n); };
  if (shape.is_product()) {
    return number(shape.rows) + " x " + number(shape.cols) + " times " + number(shape.cols) +
           " x " + number(shape.factor_cols);
  }
  return number(shape.rows) + " x " + number(shape.cols);
}

std::string launch_text(TuningRecord const& r) {
  if (r.launch.transpose) return bench::to_string(*r.launch.transpose);
  if (r.launch.gemm) return bench::to_string(*r.launch.gemm);
  Tuning const& t = *r.launch.tuning;
  bool const by_rows =
      summation::lines_are_rows(r.layout == io::Layout::right, r.shape.rows, r.shape.cols);
  if (r.operation == "atax" && t.prefer_fused) {
    return "fused: " +
           (by_rows ? bench::to_string(t.fused_lines) : bench::to_string(t.fused_tiles));
  }
  if (r.operation == "atax")
    return "two-stage: " + bench::to_string(t.dot) + "; " + bench::to_string(t.sum);
  return (r.operation == "multiply") == by_rows ? bench::to_string(t.dot) : bench::to_string(t.sum);
}

}  // namespace

std::optional<std::filesystem::path> cache_folder() {
  if (auto const folder = absolute_path_in("XDG_CACHE_HOME")) return *folder / "tessera";
  if (auto const home = absolute_path_in("HOME")) return *home / ".cache" / "tessera";
  return std::nullopt;
}

TuningCache::TuningCache(std::filesystem::path const& folder, BackendFacts const& backend)
    : path_(folder / ("tuning-" + file_name_of(backend.name + " " + backend.device) + ".json")),
      backend_(backend.name),
      device_(backend.device) {}

std::vector<TuningRecord> TuningCache::load(std::string& warning) const {
  std::error_code error;
  if (std::filesystem::status(path_, error).type() == std::filesystem::file_type::not_found) {
    return {};
  }
  try {
    Read const json = parse(path_);
    auto const text = [&](char const* key) {
      return damaged_if_thrown([&] { return json.at(key).template get<std::string>(); });
    };
    if (text("backend") != backend_ || text("device") != device_) {
      throw Unusable("it is of another device: " + text("backend") + ", " + text("device"));
    }
    return records_of(json);
  } catch (Unusable const& why) {
    warning += (warning.empty() ? "" : "\ntessera: ") + ignored(path_, why.what());
    return {};
  }
}

void TuningCache::require_writable() const {
  std::error_code error;
  std::filesystem::create_directories(path_.parent_path(), error);
  if (error) {
    throw Failure(ExitStatus::file,
                  path_.parent_path().string() +
                      ": the folder for tunings cannot be made: " + error.message());
  }
  io::OutputFile const trial(path_.string());  // not committed, so nothing changes
}

void TuningCache::store(TuningRecord const& record, std::string& warning) const {
  require_writable();
  io::Descriptor const lock = lock_tunings(path_.parent_path(), warning);
  auto records = load(warning);
  std::erase_if(records, [&](TuningRecord const& old) { return is_same_job(old, record); });
  records.push_back(record);
  Json json = {{"format", format_name}, {"format_version", format_version},
               {"version", version},    {"backend", backend_},
               {"device", device_},     {"tunings", Json::array()}};
  for (auto const& each : records) json["tunings"].push_back(to_object(each));
  std::string const text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  io::OutputFile file(path_.string());
  file.write_elements(std::span<char const>(text));
  file.commit();
}

TuningRecord const* nearest(std::vector<TuningRecord> const& records, std::string const& operation,
                            io::ScalarType type, io::Layout layout, bench::Shape const& shape) {
  TuningRecord const* best = nullptr;
  for (auto const& record : records) {
    if (record.operation != operation || record.type != type || record.layout != layout ||
        record.shape.is_product() != shape.is_product() ||
        !is_near(record.shape.rows, shape.rows) || !is_near(record.shape.cols, shape.cols) ||
        !is_near(record.shape.factor_cols, shape.factor_cols)) {
      continue;
    }
    if (best == nullptr || distance(record.shape, shape) < distance(best->shape, shape)) {
      best = &record;
    }
  }
  return best;
}

std::optional<TuningInUse> find_tuning(BackendFacts const& backend, std::string const& operation,
                                       io::ScalarType type, io::Layout layout,
                                       bench::Shape const& shape) {
  auto const folder = cache_folder();
  if (!folder) return std::nullopt;
  TuningCache const cache(*folder, backend);
  std::string warning;
  auto const records = cache.load(warning);
  if (!warning.empty()) notice(warning);
  auto const* const record = nearest(records, operation, type, layout, shape);
  if (record == nullptr) return std::nullopt;
  return TuningInUse{.record = *record, .file = cache.path().string()};
}

void warn_not_used(TuningInUse const& use, std::string const& why) {
  notice(use.file + ": not used here: " + why);
}

std::string to_text(TuningInUse const& use) {
  return "measured for " + shape_text(use.record.shape) + ", " + use.file;
}

io::Descriptor lock_tunings(std::filesystem::path const& folder, std::string& warning) {
  // Tuning files are replaced: a lock would stay with the old one.
  std::string const path = (folder / ".lock").string();
  auto const fail = [&](std::string const& found) {
    throw Failure(ExitStatus::file, path + ": cannot be locked: " + found);
  };
  io::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) fail(io::system_message(errno));
  constexpr auto longest = std::chrono::seconds(10);  // held for milliseconds
  auto const deadline = std::chrono::steady_clock::now() + longest;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) {
      warning = path + ": cannot be locked (" + io::system_message(errno) +
                "): tunings that another `tessera tune` stores at this moment may be lost";
      break;
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      fail("another process has held the lock for 10 s; end it and try again");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return file;
}

std::vector<std::filesystem::path> tuning_files(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    std::string const name = each->path().filename().string();
    if (name.starts_with("tuning-") && name.ends_with(".json")) files.push_back(each->path());
  }
  std::ranges::sort(files);
  return files;
}

std::string describe_tunings(std::filesystem::path const& file) {
  try {
    Read const json = parse(file);
    auto const text = [&](char const* key) {
      return damaged_if_thrown([&] { return json.at(key).template get<std::string>(); });
    };
    constexpr std::size_t longest = 200;
    std::string lines = file.string() + "\n  " + io::printable(text("backend"), longest) + ", " +
                        io::printable(text("device"), longest) + "\n";
    std::vector<std::vector<std::string>> table = {
        {"operation", "shape", "type", "layout", "time", "backend's", "launch"}};
    for (auto const& r : records_of(json)) {
      table.push_back({command_of(r.operation), shape_text(r.shape),
                       std::string(io::to_string(r.type)), std::string(io::to_string(r.layout)),
                       duration(r.seconds), duration(r.backend_seconds), launch_text(r)});
    }
    return lines + aligned(table, {1, 2, 3, 6});
  } catch (Unusable const& why) {
    return ignored(file, why.what()) + "\n";
  }
}

}  // namespace tessera::app
