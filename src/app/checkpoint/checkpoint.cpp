// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <app/base/ranks.hpp>
#include <app/base/sha256.hpp>
#include <app/base/text.hpp>
#include <app/checkpoint/checkpoint.hpp>
#include <io/errors.hpp>
#include <io/memory.hpp>
#include <io/npy_type.hpp>
#include <io/output_file.hpp>

namespace tessera::app {
namespace {

using Json = nlohmann::ordered_json;

// A line that names the format, a line of JSON with all sizes, the vectors' bytes one after the
// other, and the SHA-256 of all that.
constexpr std::string_view magic = "tessera checkpoint 2\n";
constexpr std::size_t digest_length = 64;
constexpr std::uint64_t most_head = 1U
                                    << 16U;  // bytes of the first lines: far more than are written

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
                     {"blocks_done", c.blocks_done},
                     {"block_lines", c.block_lines},
                     {"waiting", waiting},
                     {"chain", c.chain.size()},
                     {"output", c.output.size()}};
  // A name in a file may have any bytes, and JSON has UTF-8.
  return std::string(magic) + head.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::span<std::byte const> bytes_of(std::string const& text) {
  return std::as_bytes(std::span(text));
}

/// A whole number that a file says, of a type that holds it.
template <class Number>
Number whole_number(nlohmann::json const& value) {
  bool const fits =
      value.is_number_unsigned()
          ? std::in_range<Number>(value.get<std::uint64_t>())
          : value.is_number_integer() && std::in_range<Number>(value.get<std::int64_t>());
  if (!fits) throw std::out_of_range("a number in it makes no sense");
  return value.get<Number>();
}

/// The command that a user knows an operation by.
std::string command_of_state(std::string const& operation) {
  std::string const between = " and ";
  if (auto const at = operation.find(between); at != std::string::npos) {
    return io::printable(operation.substr(0, at) + " with the map " +
                         operation.substr(at + between.size()));
  }
  return io::printable(command_of(operation));
}

}  // namespace

void require_writable_checkpoint(std::string const& path) {
  io::OutputFile const nothing_is_written(path);
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
  if (!text.starts_with(magic)) fail("it does not begin as one of this version");
  std::size_t const end = text.find('\n', magic.size());
  if (end == std::string::npos) fail("its second line has no end");
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

/// Refuses a file of another size than that of its head, vectors and digest.
void CheckpointFile::require_size() const {
  std::uint64_t left = file_.bytes();
  auto const take = [&](std::uint64_t size) {
    if (size > left) fail("it ends too early");
    left -= size;
  };
  take(position_);
  std::ranges::for_each(sizes_, take);
  take(digest_length);
  if (left > 0) fail("there is more in it than it says");
}

void CheckpointFile::read(std::span<std::byte> to) {
  constexpr std::size_t piece = std::size_t{1} << 20U;  // in cache still when it is summed up
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
  if (sum_.text() != digest()) fail("its SHA-256 is not that of its bytes");
  file_.check_unchanged();
}

void CheckpointFile::fail(std::string const& what) const {
  constexpr std::size_t longest = 200;
  file_.fail("not a checkpoint that can be used: " + io::printable(what, longest) +
             "; remove it to start from the beginning");
}

void require_job(CheckpointJob const& found, CheckpointJob const& job, std::string const& path) {
  if (found == job) return;
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
  }
  throw io::FileError(io::ErrorKind::bad_input, path,
                      "expected a checkpoint of this run, found one of " + what +
                          "; name another file, or remove it to start from the beginning");
}

}  // namespace tessera::app
