// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include <app/base/failure.hpp>
#include <app/base/names.hpp>
#include <app/base/notices.hpp>
#include <app/base/ranks.hpp>
#include <app/base/sha256.hpp>
#include <app/base/text.hpp>
#include <app/checkpoint/checkpoint.hpp>
#include <io/errors.hpp>
#include <io/memory.hpp>
#include <io/output_file.hpp>
#include <io/output_path.hpp>
#include <io/shell_word.hpp>

namespace tessera::app {
namespace {

using Json = nlohmann::ordered_json;

// The file: its format's name, one line of JSON with all sizes, the vectors, and the SHA-256 of
// these.
constexpr std::string_view magic = "tessera checkpoint 2\n";
constexpr std::size_t digest_length = 64;
constexpr std::uint64_t most_head = 1U << 16U;  // of two lines: more than needed

std::string head_of(Checkpoint const& c) {
  Json waiting = Json::array();
  for (auto const& vector : c.waiting) waiting.push_back(vector.size());
  Json const head = {{"operation", c.job.state.operation},
                     {"scalar", c.job.state.scalar},
                     {"layout", c.job.state.layout},
                     {"order", c.job.state.order},
                     {"rows", c.job.state.rows},
                     {"cols", c.job.state.cols},
                     {"file_bytes", c.job.file.bytes},
                     {"file_inode", c.job.file.inode},
                     {"file_modified", c.job.file.modified},
                     {"file_changed", c.job.file.changed},
                     {"file_first", c.job.file.first},
                     {"file_sha256", c.job.file_sha256},
                     {"dataset", c.job.dataset},
                     {"elements", c.job.elements},
                     {"vector_sha256", c.job.vector_sha256},
                     {"options", c.job.options},
                     {"limits", c.job.limits},
                     {"blocks_done", c.blocks_done},
                     {"block_lines", c.block_lines},
                     {"waiting", waiting},
                     {"chain", c.chain.size()},
                     {"output", c.output.size()}};
  // JSON needs UTF-8; file names may have any bytes.
  return std::string(magic) + head.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::span<std::byte const> bytes_of(std::string const& text) {
  return std::as_bytes(std::span(text));
}

template <class Number>
Number whole_number(nlohmann::json const& value) {
  bool const fits =
      value.is_number_unsigned()
          ? std::in_range<Number>(value.get<std::uint64_t>())
          : value.is_number_integer() && std::in_range<Number>(value.get<std::int64_t>());
  if (!fits) throw std::out_of_range("a number in it makes no sense");
  return value.get<Number>();
}

std::string command_of_state(std::string const& operation) {
  std::string const between = " and ";
  if (auto const at = operation.find(between); at != std::string::npos) {
    return io::printable(operation.substr(0, at) + " with the map " +
                         operation.substr(at + between.size()));
  }
  return io::printable(command_of(operation));
}

/// Out of 2^60, so that names hardly ever collide.
std::int64_t byte_of(std::string const& name) {
  std::string const digest = sha256(bytes_of(name));
  return static_cast<std::int64_t>(std::stoull(digest.substr(0, 15), nullptr, 16));
}

/// False if another process has the lock.
bool take_lock_of(std::string const& file, io::Descriptor& lock) {
  lock = io::Descriptor(::open(io::folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct flock range{};
  range.l_type = F_RDLCK;  // folders only open for reading
  range.l_whence = SEEK_SET;
  range.l_start = byte_of(std::filesystem::path(file).filename().string());
  range.l_len = 1;
  if (!lock.is_open() || ::fcntl(lock.get(), F_OFD_SETLK, &range) != 0) return true;
  // A write lock conflicts with any other lock.
  range.l_type = F_WRLCK;
  return ::fcntl(lock.get(), F_OFD_GETLK, &range) != 0 || range.l_type == F_UNLCK;
}

bool is_same_job(CheckpointJob const& found, CheckpointJob const& job) {
  auto const parts = [](CheckpointJob const& of) {
    return std::tie(of.state, of.file, of.file_sha256, of.dataset, of.elements, of.vector_sha256);
  };
  return parts(found) == parts(job) && (found.options.empty() || found.options == job.options);
}

}  // namespace

CheckpointPlace::CheckpointPlace(std::string const& path) {
  if (path.empty()) return;
  bool const is_stdout = path == "-";
  if (is_stdout || io::descriptor_named_by(path)) {
    throw Failure(ExitStatus::usage,
                  "--checkpoint: expected the name of a regular file, found " + path);
  }
  require_plain_file("--checkpoint", path);
  if (!ranks().is_first()) return;
  auto const fail = [&](std::string const& sentence) {
    throw io::FileError(io::ErrorKind::bad_output, path, sentence);
  };
  target_ = io::follow_links(path);
  // Opening a pipe blocks, and devices store nothing.
  std::error_code error;
  auto const status = std::filesystem::status(target_, error);
  bool const is_other = std::filesystem::exists(status) &&
                        !std::filesystem::is_regular_file(status) &&
                        !std::filesystem::is_directory(status);
  if (is_other) {
    fail("cannot keep a checkpoint: expected the name of a regular file, found a " +
         std::string(std::filesystem::is_fifo(status)     ? "pipe"
                     : std::filesystem::is_socket(status) ? "socket"
                                                          : "device"));
  }
  io::OutputFile const nothing_is_written(path);
  if (!take_lock_of(target_, lock_)) {
    fail(
        "is the checkpoint of another run that has not ended: expected a name that no other run "
        "uses; name another file, or wait for the end of that run");
  }
}

void CheckpointPlace::remove() const {
  if (!target_.empty()) std::remove(target_.c_str());
}

void try_checkpoint(std::string const& path, Checkpoint const& checkpoint) {
  try {
    write_checkpoint(path, checkpoint);
  } catch (io::FileError const& error) {
    notice(std::string(error.what()) +
           "; this checkpoint is left out: the run continues, and an earlier one stays");
  }
}

void write_checkpoint(std::string const& path, Checkpoint const& checkpoint) {
  if (!ranks().is_first()) return;
  io::OutputFile file(path);
  Sha256 sum;
  auto const write = [&](std::span<std::byte const> bytes) {
    file.write(bytes);
    sum.add(bytes);
  };
  std::string const head = head_of(checkpoint);
  std::uint64_t vectors = checkpoint.chain.size() + checkpoint.output.size();
  for (auto const& vector : checkpoint.waiting) vectors += vector.size();
  file.reserve(head.size() + vectors + digest_length);
  write(bytes_of(head));
  std::ranges::for_each(checkpoint.waiting, write);
  write(checkpoint.chain);
  write(checkpoint.output);
  std::string const digest = sum.text();
  file.write(bytes_of(digest));
  file.commit();
}

std::optional<CheckpointFile> CheckpointFile::open(std::string const& path) {
  std::optional<CheckpointFile> file;
  if (std::filesystem::exists(path)) file = CheckpointFile(io::InputFile(path));
  std::string const mine = file ? "the checkpoint with SHA-256 " + file->digest() : "none";
  if (auto const difference = difference_of_ranks(mine); !difference.empty()) {
    throw io::FileError(io::ErrorKind::bad_input, path,
                        difference +
                            "; every rank reads the checkpoint that rank 0 writes: put it into a "
                            "folder that all see, or remove it to start from the beginning");
  }
  return file;
}

CheckpointFile::CheckpointFile(io::InputFile file) : file_(std::move(file)) {
  std::string text(std::min<std::uint64_t>(file_.bytes(), most_head), '\0');
  file_.read_at(0, std::as_writable_bytes(std::span(text)));
  if (!text.starts_with(magic))
    fail("expected the first line of this version's checkpoints, found another");
  std::size_t const end = text.find('\n', magic.size());
  if (end == std::string::npos) fail("expected a second line, found no end of it");
  parse(text.substr(magic.size(), end - magic.size()));
  position_ = end + 1;
  sum_.add(bytes_of(text).first(position_));
  require_size();
  io::require_memory(file_.bytes(), file_.path(), "the checkpoint");
}

void CheckpointFile::parse(std::string const& text) {
  try {
    auto const json = nlohmann::json::parse(text);
    auto const number = [&]<class Number>(char const* name, Number& to) {
      to = whole_number<Number>(json.at(name));
    };
    json.at("operation").get_to(job_.state.operation);
    json.at("scalar").get_to(job_.state.scalar);
    json.at("layout").get_to(job_.state.layout);
    number("order", job_.state.order);
    number("rows", job_.state.rows);
    number("cols", job_.state.cols);
    number("file_bytes", job_.file.bytes);
    number("file_inode", job_.file.inode);
    number("file_modified", job_.file.modified);
    number("file_changed", job_.file.changed);
    number("file_first", job_.file.first);
    json.at("file_sha256").get_to(job_.file_sha256);
    json.at("dataset").get_to(job_.dataset);
    json.at("elements").get_to(job_.elements);
    json.at("vector_sha256").get_to(job_.vector_sha256);
    job_.options = json.value("options", std::string());
    job_.limits = json.value("limits", std::string());
    number("blocks_done", blocks_done_);
    number("block_lines", block_lines_);
    for (auto const& size : json.at("waiting")) sizes_.push_back(whole_number<std::uint64_t>(size));
    sizes_.push_back(whole_number<std::uint64_t>(json.at("chain")));
    sizes_.push_back(whole_number<std::uint64_t>(json.at("output")));
  } catch (Json::exception const& error) {
    fail(error.what());
  } catch (std::out_of_range const& error) {
    fail(error.what());
  }
}

void CheckpointFile::require_size() const {
  std::uint64_t left = file_.bytes();
  auto const take = [&](std::uint64_t size) {
    if (size > left) fail("it is truncated");
    left -= size;
  };
  take(position_);
  std::ranges::for_each(sizes_, take);
  take(digest_length);
  if (left > 0) fail("it is longer than its header states");
}

void CheckpointFile::read(std::span<std::byte> to) {
  constexpr std::size_t piece = std::size_t{1} << 20U;  // in cache when hashed
  while (!to.empty()) {
    auto const some = to.first(std::min(piece, to.size()));
    file_.read_at(position_, some);
    sum_.add(some);
    position_ += some.size();
    to = to.subspan(some.size());
  }
}

std::string CheckpointFile::digest() const {
  std::string digest(digest_length, '\0');
  file_.read_at(file_.bytes() - digest_length, std::as_writable_bytes(std::span(digest)));
  return io::printable(digest, 2 * digest_length);
}

void CheckpointFile::finish() {
  if (sum_.text() != digest()) fail("its SHA-256 does not match its content");
  file_.check_unchanged();
}

void CheckpointFile::fail(std::string const& what) const {
  constexpr std::size_t longest = 200;
  file_.fail("not a usable checkpoint: " + io::printable(what, longest) +
             "; remove it to start from the beginning");
}

void require_job(CheckpointJob const& found, CheckpointJob const& job, std::string const& path) {
  if (is_same_job(found, job)) return;
  constexpr std::size_t longest_options = 200;
  std::string what = "another file, or one that has changed";
  if (found.state.operation != job.state.operation) {
    what = command_of_state(found.state.operation);
  } else if (found.state.scalar != job.state.scalar) {
    what = "a run that computes in " + io::printable(found.state.scalar);
  } else if (found.state.order != job.state.order) {
    what = "another version, which adds in another order";
  } else if (found.file == job.file && found.dataset != job.dataset) {
    what = "the dataset " + io::printable(found.dataset);
  } else if (found.file == job.file && found.vector_sha256 != job.vector_sha256) {
    what = "another vector";
  } else if (found.file == job.file && found.options != job.options) {
    what = "a run with " + io::printable(found.options, longest_options);
  }
  throw io::FileError(io::ErrorKind::bad_input, path,
                      "expected a checkpoint of this run, found one of " + what +
                          "; name another file, or remove it to start from the beginning");
}

}  // namespace tessera::app
