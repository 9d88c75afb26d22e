// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <app/checkpoint.hpp>
#include <app/sha256.hpp>
#include <io/errors.hpp>
#include <io/input_file.hpp>
#include <io/output_file.hpp>

namespace tessera::app {
namespace {

using Json = nlohmann::ordered_json;

// A line that names the format, a line of JSON with all sizes, the vectors' bytes one after the
// other, and the SHA-256 of all that.
constexpr std::string_view magic = "tessera checkpoint 1\n";
constexpr std::size_t digest_length = 64;

[[noreturn]] void fail(std::string const& path, std::string const& what) {
  throw io::FileError(
      io::ErrorKind::bad_input, path,
      "not a checkpoint that can be used: " + what + "; remove it to start from the beginning");
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

Checkpoint parse_checkpoint(std::span<std::byte const> bytes, std::string const& path) {
  std::string_view text = text_of(bytes);
  if (!text.starts_with(magic)) fail(path, "it does not begin as one");
  if (text.size() < magic.size() + digest_length) fail(path, "it ends too early");
  std::string_view const digest = text.substr(text.size() - digest_length);
  text.remove_suffix(digest_length);
  if (sha256(bytes.first(text.size())) != digest)
    fail(path, "its SHA-256 is not that of its bytes");

  std::size_t const end = text.find('\n', magic.size());
  if (end == std::string_view::npos) fail(path, "it ends too early");
  Checkpoint c;
  std::span<std::byte const> rest = bytes.subspan(end + 1, text.size() - end - 1);
  auto const take = [&](std::size_t size) {
    if (size > rest.size()) fail(path, "it ends too early");
    std::vector<std::byte> part(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
    rest = rest.subspan(size);
    return part;
  };
  try {
    Json const head = Json::parse(text.substr(magic.size(), end - magic.size()));
    c.job = {.operation = head.at("operation"),
             .type = head.at("type"),
             .layout = head.at("layout"),
             .rows = head.at("rows"),
             .cols = head.at("cols"),
             .file_bytes = head.at("file_bytes"),
             .file_modified = head.at("file_modified"),
             .vector_sha256 = head.at("vector_sha256")};
    c.blocks_done = head.at("blocks_done");
    c.block_lines = head.at("block_lines");
    for (Json const& size : head.at("waiting")) c.waiting.push_back(take(size.get<std::size_t>()));
    c.chain = take(head.at("chain").get<std::size_t>());
    c.output = take(head.at("output").get<std::size_t>());
  } catch (Json::exception const& error) {
    fail(path, error.what());
  }
  if (!rest.empty()) fail(path, "there is more in it than it says");
  return c;
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
  std::vector<std::byte> bytes(file.bytes());
  file.read_at(0, bytes);
  return parse_checkpoint(bytes, path);
}

}  // namespace tessera::app
