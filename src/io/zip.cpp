// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <io/shell_word.hpp>
#include <io/zip.hpp>

namespace tessera::io {
namespace {

constexpr std::uint32_t file_header = 0x04034b50;       // "PK\3\4"
constexpr std::uint32_t directory_header = 0x02014b50;  // "PK\1\2"
constexpr std::uint32_t end_header = 0x06054b50;        // "PK\5\6"
constexpr std::uint32_t end64_header = 0x06064b50;      // "PK\6\6"
constexpr std::uint32_t locator_header = 0x07064b50;    // "PK\6\7"

constexpr std::uint64_t file_header_bytes = 30;
constexpr std::uint64_t directory_header_bytes = 46;
constexpr std::uint64_t end_bytes = 22;
constexpr std::uint64_t end64_bytes = 56;
constexpr std::uint64_t locator_bytes = 20;
constexpr std::uint64_t longest_comment = 0xffff;
constexpr std::uint64_t greatest_directory = 16U << 20U;

constexpr std::uint64_t in_zip64_32 = 0xffffffff;
constexpr std::uint64_t in_zip64_16 = 0xffff;

/// Least significant byte first.
std::uint64_t number(std::span<std::byte const> bytes, std::size_t place, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value |= std::to_integer<std::uint64_t>(bytes[place + i]) << (8 * i);
  }
  return value;
}

std::vector<std::byte> bytes_at(InputFile const& file, std::uint64_t offset, std::uint64_t count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  file.read_at(offset, bytes);
  return bytes;
}

[[noreturn]] void damaged(InputFile const& file, std::string const& sentence) {
  file.fail("is damaged: " + sentence);
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t members = 0;
};

Directory directory64(InputFile const& file, std::uint64_t end) {
  if (end < locator_bytes) damaged(file, "expected a zip64 locator, found no room for it");
  auto const locator = bytes_at(file, end - locator_bytes, locator_bytes);
  std::uint64_t const place = number(locator, 8, 8);
  if (number(locator, 0, 4) != locator_header || place > end || end - place < end64_bytes) {
    damaged(file, "expected a zip64 locator before the end of the directory, found none");
  }
  auto const end64 = bytes_at(file, place, end64_bytes);
  if (number(end64, 0, 4) != end64_header) {
    damaged(file, "expected the zip64 end of the directory, found something else");
  }
  return {.offset = number(end64, 48, 8),
          .bytes = number(end64, 40, 8),
          .members = number(end64, 32, 8)};
}

Directory find_directory(InputFile const& file) {
  std::uint64_t const all = file.bytes();
  if (all < end_bytes) {
    file.fail("is truncated: expected an .npz file with a directory at its end, found " +
              std::to_string(all) + " bytes");
  }
  std::uint64_t const looked_at = std::min(all, end_bytes + longest_comment);
  auto const tail = bytes_at(file, all - looked_at, looked_at);
  for (std::size_t place = tail.size() - end_bytes + 1; place-- > 0;) {
    if (number(tail, place, 4) != end_header) continue;
    std::uint64_t const after = tail.size() - place - end_bytes;
    if (number(tail, place + 20, 2) != after) continue;
    std::uint64_t const end = all - looked_at + place;
    Directory directory{.offset = number(tail, place + 16, 4),
                        .bytes = number(tail, place + 12, 4),
                        .members = number(tail, place + 10, 2)};
    if (directory.offset == in_zip64_32 || directory.bytes == in_zip64_32 ||
        directory.members == in_zip64_16) {
      directory = directory64(file, end);
    }
    if (directory.offset > end || directory.bytes > end - directory.offset) {
      damaged(file, "expected a directory before its end, found one of " +
                        std::to_string(directory.bytes) + " bytes from byte " +
                        std::to_string(directory.offset) + " on");
    }
    if (directory.bytes > greatest_directory) {
      file.fail("has too long a directory: expected at most 16 MiB, found " +
                std::to_string(directory.bytes) + " bytes");
    }
    return directory;
  }
  file.fail("is truncated: expected an .npz file with a directory at its end, found none");
}

struct Entry {
  std::string_view name;
  std::uint64_t flags;
  std::uint64_t method;
  std::uint64_t crc;
  std::uint64_t packed;
  std::uint64_t bytes;
  std::uint64_t header;
};

void read_zip64(InputFile const& file, std::span<std::byte const> extra, Entry& entry) {
  while (extra.size() >= 4) {
    auto const size = static_cast<std::size_t>(number(extra, 2, 2));
    if (size > extra.size() - 4) break;
    if (number(extra, 0, 2) == 1) {
      auto part = extra.subspan(4, size);
      for (std::uint64_t* const field : {&entry.bytes, &entry.packed, &entry.header}) {
        if (*field != in_zip64_32) continue;
        if (part.size() < 8) damaged(file, "expected sizes of 64 bits, found a part without them");
        *field = number(part, 0, 8);
        part = part.subspan(8);
      }
      return;
    }
    extra = extra.subspan(4 + size);
  }
}

Entry take_entry(InputFile const& file, std::span<std::byte const>& left) {
  if (left.size() < directory_header_bytes || number(left, 0, 4) != directory_header) {
    damaged(file, "expected as many members as its directory says, found fewer");
  }
  auto const name = static_cast<std::size_t>(number(left, 28, 2));
  auto const extra = static_cast<std::size_t>(number(left, 30, 2));
  auto const comment = static_cast<std::size_t>(number(left, 32, 2));
  if (name + extra + comment > left.size() - directory_header_bytes) {
    damaged(file, "expected a directory of whole entries, found a part of one");
  }
  Entry entry{.name = {reinterpret_cast<char const*>(left.data()) + directory_header_bytes, name},
              .flags = number(left, 8, 2),
              .method = number(left, 10, 2),
              .crc = number(left, 16, 4),
              .packed = number(left, 20, 4),
              .bytes = number(left, 24, 4),
              .header = number(left, 42, 4)};
  read_zip64(file, left.subspan(directory_header_bytes + name, extra), entry);
  left = left.subspan(directory_header_bytes + name + extra + comment);
  return entry;
}

std::string_view name_of(std::uint64_t method) {
  switch (method) {
    case 9:
      return "deflate64";
    case 12:
      return "bzip2";
    case 14:
      return "lzma";
    case 93:
      return "zstd";
    default:
      return "unknown";
  }
}

ZipMember member_of(InputFile const& file, Entry const& entry, std::uint64_t end) {
  constexpr std::uint64_t stored = 0;
  constexpr std::uint64_t deflate = 8;
  std::string const name = "'" + printable(entry.name) + "'";
  if ((entry.flags & 1U) != 0)
    file.fail("is encrypted: expected an unencrypted member, found " + name);
  if (entry.method != stored && entry.method != deflate) {
    file.fail("is compressed in an unsupported way: expected " + name +
              " stored or deflated, found method " + std::to_string(entry.method) + " (" +
              std::string(name_of(entry.method)) + "); use numpy.savez or numpy.savez_compressed");
  }
  if (entry.method == stored && entry.packed != entry.bytes) {
    damaged(file, "expected " + name + " to have as many bytes in the file as it holds, found " +
                      std::to_string(entry.packed) + " and " + std::to_string(entry.bytes));
  }
  if (entry.header > end || end - entry.header < file_header_bytes) {
    damaged(file, "expected " + name + " before the directory, found it behind");
  }
  auto const header = bytes_at(file, entry.header, file_header_bytes);
  std::uint64_t const skipped = file_header_bytes + number(header, 26, 2) + number(header, 28, 2);
  if (number(header, 0, 4) != file_header || number(header, 8, 2) != entry.method) {
    damaged(file, "expected the header of " + name + " at byte " + std::to_string(entry.header) +
                      ", found something else");
  }
  if (skipped > end - entry.header || entry.packed > end - entry.header - skipped) {
    damaged(file, "expected " + std::to_string(entry.packed) + " bytes of " + name +
                      " before the directory, found fewer");
  }
  return {.name = std::string(entry.name),
          .deflated = entry.method == deflate,
          .offset = entry.header + skipped,
          .packed = entry.packed,
          .bytes = entry.bytes,
          .crc = static_cast<std::uint32_t>(entry.crc)};
}

}  // namespace

ZipMember find_array(InputFile const& file, std::string const& name) {
  Directory const directory = find_directory(file);
  auto const content = bytes_at(file, directory.offset, directory.bytes);
  std::span<std::byte const> left(content);
  std::optional<Entry> found;
  bool exact = false;
  std::string names;
  std::uint64_t arrays = 0;
  constexpr std::uint64_t most_listed = 8;
  for (std::uint64_t k = 0; k < directory.members; ++k) {
    Entry const entry = take_entry(file, left);
    bool const is_array = entry.name.ends_with(".npy");
    auto const array = entry.name.substr(0, entry.name.size() - (is_array ? 4 : 0));
    if (is_array && ++arrays <= most_listed) {
      names += (names.empty() ? "" : ", ") + printable(array);
    }
    if (name.empty() || (array != name && entry.name != name)) continue;
    bool const better = is_array && array == name;
    if (found && better == exact) {
      damaged(file, "expected one member '" + printable(name) + "', found two");
    }
    if (!found || better) {
      found = entry;
      exact = better;
    }
  }
  if (!found) {
    if (arrays > most_listed) names += ", ...";
    std::string const has = names.empty() ? "no arrays in it" : "the arrays " + names;
    if (name.empty()) {
      file.fail("names no array: expected FILE.npz:NAME, found a file with " + has);
    }
    file.fail("has no array '" + printable(name) + "': expected one of its members, found " + has);
  }
  return member_of(file, *found, directory.offset);
}

std::vector<std::string> arrays_of(InputFile const& file) {
  Directory const directory = find_directory(file);
  auto const content = bytes_at(file, directory.offset, directory.bytes);
  std::span<std::byte const> left(content);
  std::vector<std::string> arrays;
  for (std::uint64_t k = 0; k < directory.members; ++k) {
    std::string_view name = take_entry(file, left).name;
    if (!name.ends_with(".npy")) continue;
    name.remove_suffix(4);
    arrays.emplace_back(name);
  }
  return arrays;
}

}  // namespace tessera::io
