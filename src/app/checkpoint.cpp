// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <app/checkpoint.hpp>
#include <app/sha256.hpp>
#include <io/errors.hpp>
#include <io/input_file.hpp>
#include <io/memory.hpp>
#include <io/npy_type.hpp>
#include <io/output_file.hpp>

namespace tessera::app {
namespace {

using Json = nlohmann::ordered_json;

// A line that names the format, a line of JSON with all sizes, the vectors' bytes one after the
// other, and the SHA-256 of all that.
constexpr std::string_view magic = "tessera checkpoint 1\n";
constexpr std::size_t digest_length = 64;
constexpr std::uint64_t most_head = 1U
                                    << 16U;  // bytes of the first lines: far more than are written

[[noreturn]] void fail(std::string const& path, std::string const& what) {
  constexpr std::size_t longest = 200;
  throw io::FileError(io::ErrorKind::bad_input, path,
                      "not a checkpoint that can be used: " + io::printable(what, longest) +
                          "; remove it to start from the beginning");
}

Json head_of(Checkpoint const& c) {
  Json sizes = Json::array();
  for (auto const& vector : c.waiting) sizes.push_back(vector.size());
  return {{"operation", c.job.operation},
          {"type", c.job.type},
          {"layout", c.job.layout},
          {"rows", c.job.rows},
          {"cols", c.job.cols},
          {"file_bytes", c.job.file_bytes},
          {"file_modified", c.job.file_modified},
          {"vector_sha256", c.job.vector_sha256},
          {"blocks_done", c.blocks_done},
          {"block_lines", c.block_lines},
          {"waiting", sizes},
          {"chain", c.chain.size()},
          {"output", c.output.size()}};
}

std::string_view text_of(std::span<std::byte const> bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

std::string checkpoint_text(Checkpoint const& c) {
  std::string text = std::string(magic) + head_of(c).dump() + "\n";
  auto const add = [&](std::vector<std::byte> const& bytes) { text += text_of(bytes); };
  std::ranges::for_each(c.waiting, add);
  add(c.chain);
  add(c.output);
  return text + sha256(std::as_bytes(std::span(text)));
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

/// What the first lines say: all but the vectors, and the bytes of each of those.
struct Head {
  std::size_t bytes = 0;  ///< of these lines
  Checkpoint facts;
  std::vector<std::uint64_t> waiting;
  std::uint64_t chain = 0;
  std::uint64_t output = 0;
};

/// @param text starts with all of the first lines
Head parse_head(std::string_view text, std::string const& path) {
  if (!text.starts_with(magic)) fail(path, "it does not begin as one");
  std::size_t const end = text.find('\n', magic.size());
  if (end == std::string_view::npos) fail(path, "its second line has no end");
  Head head;
  head.bytes = end + 1;
  try {
    auto const json = nlohmann::json::parse(text.substr(magic.size(), end - magic.size()));
    CheckpointJob& job = head.facts.job;
    json.at("operation").get_to(job.operation);
    json.at("type").get_to(job.type);
    json.at("layout").get_to(job.layout);
    job.rows = whole_number<std::int64_t>(json.at("rows"));
    job.cols = whole_number<std::int64_t>(json.at("cols"));
    job.file_bytes = whole_number<std::uint64_t>(json.at("file_bytes"));
    job.file_modified = whole_number<std::int64_t>(json.at("file_modified"));
    json.at("vector_sha256").get_to(job.vector_sha256);
    head.facts.blocks_done = whole_number<std::int64_t>(json.at("blocks_done"));
    head.facts.block_lines = whole_number<std::int64_t>(json.at("block_lines"));
    for (auto const& size : json.at("waiting"))
      head.waiting.push_back(whole_number<std::uint64_t>(size));
    head.chain = whole_number<std::uint64_t>(json.at("chain"));
    head.output = whole_number<std::uint64_t>(json.at("output"));
  } catch (Json::exception const& error) {
    fail(path, error.what());
  } catch (std::out_of_range const& error) {
    fail(path, error.what());
  }
  return head;
}

/// Refuses a file of another size than that of its head, vectors and digest.
void require_size(io::InputFile const& file, Head const& head) {
  std::uint64_t left = file.bytes();
  auto const take = [&](std::uint64_t size) {
    if (size > left) fail(file.path(), "it ends too early");
    left -= size;
  };
  take(head.bytes);
  std::ranges::for_each(head.waiting, take);
  take(head.chain);
  take(head.output);
  take(digest_length);
  if (left > 0) fail(file.path(), "there is more in it than it says");
}

}  // namespace

void write_checkpoint(std::string const& path, Checkpoint const& checkpoint) {
  std::string const text = checkpoint_text(checkpoint);
  io::OutputFile file(path);
  file.reserve(text.size());
  file.write_elements(std::span<char const>(text));
  file.commit();
}

std::optional<Checkpoint> read_checkpoint(std::string const& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  io::InputFile const file(path);
  std::vector<std::byte> bytes(std::min<std::uint64_t>(file.bytes(), most_head));
  file.read_at(0, bytes);
  Head head = parse_head(text_of(bytes), path);
  require_size(file, head);

  constexpr std::uint64_t copies = 2;  // the file's bytes, and the vectors
  io::require_memory(copies * file.bytes(), path, "the checkpoint");
  bytes.resize(file.bytes());
  file.read_at(0, bytes);
  std::span<std::byte const> rest(bytes);
  std::string_view const digest = text_of(rest.last(digest_length));
  rest = rest.first(rest.size() - digest_length);
  if (sha256(rest) != digest) fail(path, "its SHA-256 is not that of its bytes");
  file.check_unchanged();

  rest = rest.subspan(head.bytes);
  auto const take = [&](std::uint64_t size) {
    std::vector<std::byte> part(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
    rest = rest.subspan(size);
    return part;
  };
  Checkpoint c = std::move(head.facts);
  for (std::uint64_t const size : head.waiting) c.waiting.push_back(take(size));
  c.chain = take(head.chain);
  c.output = take(head.output);
  return c;
}

void require_job(Checkpoint const& found, CheckpointJob const& job, std::string const& path) {
  if (found.job == job) return;
  std::string what = "another file, or one that has changed";
  if (found.job.operation != job.operation) {
    what = io::printable(found.job.operation);
  } else if (found.job.vector_sha256 != job.vector_sha256) {
    what = "another vector";
  } else if (found.job.type != job.type) {
    what = "type " + io::printable(found.job.type);
  }
  throw io::FileError(io::ErrorKind::bad_input, path,
                      "expected a checkpoint of this run, found one of " + what +
                          "; name another file, or remove it to start from the beginning");
}

}  // namespace tessera::app
