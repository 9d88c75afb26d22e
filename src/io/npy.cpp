// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include <io/dataset_name.hpp>
#include <io/format_functions.hpp>
#include <io/matrix_source.hpp>
#include <io/npy_header.hpp>
#include <io/zip.hpp>

namespace tessera::io {
namespace {

constexpr std::string_view magic = npy_magic;
constexpr std::uint64_t longest_header = 1U << 20U;
constexpr std::size_t alignment = 64;

std::uint8_t byte_at(std::span<std::byte const> bytes, std::size_t index) {
  return std::to_integer<std::uint8_t>(bytes[index]);
}

struct Preamble {
  std::string version;
  std::uint64_t bytes = 0;
  std::uint64_t header_bytes = 0;
};

Preamble read_preamble(InputFile const& file) {
  if (file.bytes() == 0) file.fail("is empty: expected a .npy file, found 0 bytes");
  std::array<std::byte, 12> buffer{};
  std::size_t available = 0;
  auto const read_up_to = [&](std::size_t bytes) {
    file.read_at(available, std::span(buffer).subspan(available, bytes - available));
    available = bytes;
  };
  auto const need = [&](std::size_t bytes) {
    if (file.bytes() < bytes) {
      file.fail("is truncated: expected at least " + std::to_string(bytes) +
                " bytes before the .npy header, found " + std::to_string(file.bytes()));
    }
    read_up_to(bytes);
  };
  read_up_to(static_cast<std::size_t>(std::min<std::uint64_t>(magic.size(), file.bytes())));
  if (std::memcmp(buffer.data(), magic.data(), available) != 0) {
    file.fail("is not a .npy file: expected it to begin with the bytes 93 'NUMPY', found others");
  }
  need(8);
  unsigned const major = byte_at(buffer, 6);
  unsigned const minor = byte_at(buffer, 7);
  Preamble preamble;
  preamble.version = std::to_string(major) + "." + std::to_string(minor);
  if (major < 1 || major > 3 || minor != 0) {
    file.fail("has an unsupported .npy version: expected 1.0, 2.0 or 3.0, found " +
              preamble.version);
  }
  std::size_t const length_bytes = major == 1 ? 2 : 4;
  need(8 + length_bytes);
  preamble.bytes = 8 + length_bytes;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    preamble.header_bytes |= std::uint64_t{byte_at(buffer, 8 + i)} << (8 * i);
  }
  return preamble;
}

}  // namespace

MatrixInfo read_npy_header(InputFile const& file) {
  Preamble preamble = read_preamble(file);
  if (preamble.header_bytes > longest_header) {
    file.fail("has an absurd header length: expected at most " + std::to_string(longest_header) +
              " bytes, found " + std::to_string(preamble.header_bytes));
  }
  if (preamble.header_bytes > file.bytes() - preamble.bytes) {
    file.fail("is truncated: expected a header of " + std::to_string(preamble.header_bytes) +
              " bytes, found " + std::to_string(file.bytes() - preamble.bytes));
  }
  std::string text(static_cast<std::size_t>(preamble.header_bytes), '\0');
  file.read_at(preamble.bytes, std::as_writable_bytes(std::span(text)));
  NpyHeader const header = parse_npy_header(text, file.path());

  MatrixInfo info;
  info.format = Format::npy;
  info.stored = header.type;
  info.type = scalar_type_of(header.type);
  info.byte_order = header.byte_order;
  info.dimensions = static_cast<int>(header.shape.size());
  info.rows = header.shape[0];
  info.cols = info.dimensions == 2 ? header.shape[1] : 1;
  info.layout = info.dimensions == 2 && header.fortran_order ? Layout::left : Layout::right;
  info.data_offset = preamble.bytes + preamble.header_bytes;
  info.version = std::move(preamble.version);
  if (!file.in_order_only()) refuse_more_arrays(file, check_shape(file, info));
  info.file_bytes = check_sizes(file, info);
  return info;
}

void refuse_more_arrays(InputFile const& file, std::uint64_t end) {
  auto const next = file.peek(end, magic.size());
  if (next.size() < magic.size() || std::memcmp(next.data(), magic.data(), magic.size()) != 0) {
    return;
  }
  file.fail("holds several arrays: expected one, found another at byte " + std::to_string(end) +
            "; numpy.savez keeps several in an .npz file, of which FILE.npz:NAME is one");
}

std::unique_ptr<MatrixSource> open_npy(InputFile file, RawFile const& /*raw*/) {
  MatrixInfo info = read_npy_header(file);
  return std::make_unique<PlainSource>(std::move(file), std::move(info));
}

void begin_npy(OutputFile& out, MatrixInfo const& info) {
  std::string header = format_npy_header(info);
  std::size_t const used = magic.size() + 4 + header.size() + 1;
  header.append((alignment - used % alignment) % alignment, ' ');
  header.push_back('\n');
  std::string preamble(magic);
  preamble.push_back('\x01');
  preamble.push_back('\x00');
  preamble.push_back(static_cast<char>(header.size() % 256));
  preamble.push_back(static_cast<char>(header.size() / 256));
  out.write_elements(std::span<char const>(preamble + header));
}

std::unique_ptr<MatrixSource> open_npz(InputFile file, RawFile const& /*raw*/) {
  require_positions(file);
  ZipMember const member = find_array(file, split_dataset(file.path()).dataset);
  if (member.deflated) {
    file.unpack({.offset = member.offset,
                 .packed = member.packed,
                 .bytes = member.bytes,
                 .crc = member.crc});
  } else {
    file.narrow(member.offset, member.bytes);
  }
  MatrixInfo info = read_npy_header(file);
  info.format = Format::npz;
  info.version += member.deflated ? ", deflate" : ", stored";
  return std::make_unique<PlainSource>(std::move(file), std::move(info));
}

}  // namespace tessera::io
