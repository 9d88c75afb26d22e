// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <app/base/failure.hpp>
#include <app/base/names.hpp>
#include <app/base/notices.hpp>
#include <app/base/ranks.hpp>
#include <app/base/text.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <app/tuning/tuning_cache.hpp>
#include <io/dataset_name.hpp>
#include <io/errors.hpp>
#include <io/format_functions.hpp>
#include <io/formats.hpp>
#include <io/output_path.hpp>
#include <io/writers.hpp>

namespace tessera::app {
namespace {

constexpr char stdout_path[] = "/dev/stdout";
constexpr char stderr_path[] = "/dev/stderr";

using Inode = std::pair<dev_t, ino_t>;

struct Identity {
  std::optional<Inode> folder;  ///< empty: a descriptor, or no folder
  std::string last;
  std::optional<Inode> itself;  ///< empty: no file yet
  bool is_character_device = false;
  bool is_socket = false;
};

void take_status(struct stat const& status, Identity& identity) {
  identity.itself = Inode{status.st_dev, status.st_ino};
  identity.is_character_device = S_ISCHR(status.st_mode);
  identity.is_socket = S_ISSOCK(status.st_mode);
}

Identity identity_of(std::string const& path) {
  Identity identity;
  struct stat status{};
  if (auto const descriptor = io::descriptor_named_by(path)) {
    if (::fstat(*descriptor, &status) == 0) take_status(status, identity);
    return identity;
  }
  std::string target = io::split_dataset(path).file;
  try {
    target = io::follow_links(target);
  } catch (io::FileError const&) {
    return identity;  // a cycle of links: opening reports it
  }
  if (::stat(target.c_str(), &status) == 0) take_status(status, identity);
  if (::stat(io::folder_of(target).c_str(), &status) == 0) {
    identity.folder = Inode{status.st_dev, status.st_ino};
    identity.last = std::filesystem::path(target).filename().string();
  }
  return identity;
}

bool is_same(Identity const& a, Identity const& b) {
  if (a.is_character_device || b.is_character_device) return false;
  if (a.itself && b.itself && *a.itself == *b.itself) return true;
  return a.folder && b.folder && *a.folder == *b.folder && a.last == b.last;
}

bool goes_to_stdout(std::string const& path) {
  auto const descriptor = io::descriptor_named_by(path);
  return descriptor &&
         (*descriptor == STDOUT_FILENO || is_same(identity_of(path), identity_of(stdout_path)));
}

[[noreturn]] void refuse_file(std::string const& path, std::string const& sentence) {
  throw Failure(ExitStatus::usage, path + ": " + sentence);
}

std::vector<std::string> parts_of(std::string const& dataset) {
  std::vector<std::string> parts;
  for (auto const& part : std::filesystem::path(dataset)) {
    if (!part.empty() && part != "/" && part != ".") parts.push_back(part.string());
  }
  return parts;
}

/// Writing a dataset replaces no other one of its file.
bool are_two_datasets(std::string const& path, std::string const& other) {
  auto const dataset = io::split_dataset(path).dataset;
  auto const its = io::split_dataset(other).dataset;
  return !dataset.empty() && !its.empty() && parts_of(dataset) != parts_of(its);
}

}  // namespace

RunFiles& RunFiles::reads(std::string const& path) {
  if (path.empty()) return *this;
  read_.push_back(path);
  io::FormatRow const* const named = io::find_format(path);
  if (named != nullptr && named->format == io::Format::bed) {
    for (char const* const extension : {".fam", ".bim"}) {
      read_.push_back(io::file_next_to_bed(path, extension));
    }
  }
  return *this;
}

RunFiles& RunFiles::writes(std::string const& path) {
  if (!path.empty()) written_.push_back(path);
  return *this;
}

RunFiles& RunFiles::without_report() {
  has_report_ = false;
  return *this;
}

RunFiles& RunFiles::keeps_tunings() {
  if (auto const folder = cache_folder()) {
    for (auto const& file : tuning_files(*folder)) reads(file.string());
  }
  return *this;
}

RunFiles& RunFiles::reports(std::string const& path, ReportFormat format) {
  format_ = format;
  report_path_ = path;
  if (path.empty()) return *this;
  require_plain_file("--report", path);
  return writes(path).without_report();
}

void RunFiles::check() {
  bool const data_on_stdout = std::ranges::any_of(written_, goes_to_stdout);
  Identity const report = identity_of(data_on_stdout ? stderr_path : stdout_path);
  std::vector<std::pair<std::string, Identity>> earlier;
  earlier.reserve(read_.size() + written_.size());
  for (auto const& path : read_) earlier.emplace_back(path, identity_of(path));
  std::size_t const read = earlier.size();
  for (auto const& path : written_) {
    Identity const identity = identity_of(path);
    for (std::size_t k = 0; k < earlier.size(); ++k) {
      auto const& [other, its] = earlier[k];
      if (!is_same(identity, its) || are_two_datasets(path, other)) continue;
      if (k < read && identity.is_socket) continue;  // sockets can be both
      refuse_file(
          path, (k < read ? "the output would replace " : "the output would replace the output ") +
                    other);
    }
    earlier.emplace_back(path, identity);
  }
  for (std::size_t k = 0; has_report_ && k < earlier.size(); ++k) {
    auto const& [path, identity] = earlier[k];
    if (!is_same(identity, report) || (k < read && identity.is_socket)) continue;
    refuse_file(path,
                std::string(data_on_stdout ? "the report on stderr" : "the report on stdout") +
                    " would go into this file; send it elsewhere");
  }
  if (!report_path_.empty() && ranks().is_first()) report_file_.emplace(report_path_);
  bool const is_read_from_stderr = has_report_ && data_on_stdout && format_ != ReportFormat::text;
  if (!is_read_from_stderr) release_notices();
}

std::FILE* RunFiles::report() const {
  return std::ranges::any_of(written_, goes_to_stdout) ? stderr : stdout;
}

void RunFiles::print_report(std::string const& text) {
  // File names may contain control characters; JSON and CSV escape them.
  std::string clean;
  for (std::size_t begin = 0; format_ == ReportFormat::text && begin < text.size();) {
    std::size_t const end = std::min(text.find('\n', begin), text.size());
    clean += without_controls(std::string_view(text).substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  std::string const& whole = format_ == ReportFormat::text ? clean : text;
  if (report_file_) {
    report_file_->write_elements(std::span<char const>(whole));
    report_file_->commit();
  } else if (report_path_.empty()) {
    std::fputs(whole.c_str(), report());
  }
}

void check_add_dataset(bool add_dataset, std::initializer_list<std::string> outputs) {
  if (!add_dataset) return;
  for (auto const& output : outputs) {
    if (!io::split_dataset(output).dataset.empty()) return;
  }
  throw Failure(ExitStatus::usage,
                "--add-dataset: expected an output FILE.h5:/DATASET, found none");
}

ResultFile::ResultFile(std::string const& path, Kind kind, bool add_dataset,
                       ResultFile const* other)
    : path_(path) {
  if (path.empty() || !ranks().is_first()) return;
  if (kind == Kind::vector) {
    io::check_vector_format(path);
  } else {
    io::check_matrix_format(path);
  }
  if (other != nullptr && other->shared_ && path != other->path_ &&
      io::in_same_file(path, other->path_)) {
    shared_ = other->shared_;
    ++shared_->results;
    return;
  }
  auto const existing =
      add_dataset ? io::OutputFile::Existing::extended : io::OutputFile::Existing::refused;
  shared_ = std::make_shared<Shared>(
      io::OutputFile(path, io::OutputFile::Temporary::unnamed_if_possible, existing));
}

template <class Write>
void ResultFile::write_by(Write const& write) {
  if (!shared_) return;
  io::OutputFile& file = shared_->file;
  if (file.path() != path_) file.begin_next(path_);
  write(file);
  --shared_->results;
}

io::OutputFile* ResultFile::written() const {
  return shared_ && shared_->results == 0 ? &shared_->file : nullptr;
}

void ResultFile::write(io::HostVector const& vector) {
  write_by([&](io::OutputFile& file) { io::write_vector(file, elements(vector)); });
}

void ResultFile::write(io::HostMatrix const& matrix) {
  write_by([&](io::OutputFile& file) { io::write_matrix(file, matrix); });
}

std::vector<ResultFile> open_results(std::vector<NamedResult> const& named, bool add_dataset) {
  std::vector<ResultFile> files;
  files.reserve(named.size());
  for (auto const& [name, path, kind] : named) {
    ResultFile const* other = nullptr;
    for (std::size_t j = 0; j < files.size() && other == nullptr && !path.empty(); ++j) {
      bool const is_beside = !named[j].path.empty() && io::in_same_file(path, named[j].path);
      if (is_beside) other = &files[j];
    }
    files.emplace_back(path, kind, add_dataset, other);
  }
  return files;
}

std::vector<io::OutputFile*> written_of(std::vector<ResultFile> const& results) {
  std::vector<io::OutputFile*> written;
  written.reserve(results.size());
  for (ResultFile const& result : results) written.push_back(result.written());
  return written;
}

void put_in_place(std::vector<io::OutputFile*> const& files) {
  std::vector<io::OutputFile*> each;
  for (io::OutputFile* const file : files) {
    if (file != nullptr && std::ranges::find(each, file) == each.end()) each.push_back(file);
  }
  io::OutputFile::commit_all(each);
}

}  // namespace tessera::app
