// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <io/format_functions.hpp>
#include <io/memory.hpp>
#include <io/shell_word.hpp>
#include <io/text_file.hpp>

namespace tessera::io {
namespace {

constexpr std::array<unsigned char, 2> bed_magic{0x6c, 0x1b};
constexpr unsigned char by_variant = 1;
constexpr unsigned char by_sample = 0;
constexpr std::uint64_t bed_header = bed_magic.size() + 1;
constexpr std::uint64_t per_byte = 4;  // genotypes
constexpr std::uint64_t bed_buffer = 256U << 10U;
constexpr double no_mean = std::numeric_limits<double>::quiet_NaN();

// Codes, from the lowest bits of a byte on: 00 two A1 alleles, 01 missing, 10 one, 11 none.
constexpr std::uint64_t low_bits = 0x5555555555555555U;
constexpr unsigned missing_byte = 0x55;

struct Tally {
  std::uint64_t alleles = 0;  ///< A1
  std::uint64_t present = 0;  ///< genotypes that are not missing

  void add(std::uint64_t codes) {
    std::uint64_t const low = codes & low_bits;
    std::uint64_t const high = codes >> 1U & low_bits;
    auto const count = [](std::uint64_t bits) {
      return static_cast<std::uint64_t>(std::popcount(bits));
    };
    std::uint64_t const known = sizeof codes * per_byte - count(low & ~high);
    std::uint64_t const one = count(high & ~low);
    present += known;
    alleles += 2 * (known - one - count(high & low)) + one;
  }

  /// @param genotypes in `bytes`; the rest of the last byte is padding
  void add(std::span<std::byte const> bytes, std::uint64_t genotypes) {
    constexpr std::size_t word_bytes = sizeof(std::uint64_t);
    while (genotypes >= word_bytes * per_byte) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), word_bytes);
      add(word);
      bytes = bytes.subspan(word_bytes);
      genotypes -= word_bytes * per_byte;
    }
    if (genotypes == 0) return;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size());
    std::uint64_t const used = (std::uint64_t{1} << (2 * genotypes)) - 1;
    add((word & used) | (low_bits & ~used));  // padding counts as missing
  }

  [[nodiscard]] double mean() const {
    return present == 0 ? 0 : static_cast<double>(alleles) / static_cast<double>(present);
  }
};

/// The values of two genotypes, for each half of a byte.
template <class T>
class Values {
 public:
  explicit Values(double mean) : one_{T{2}, static_cast<T>(mean), T{1}, T{0}} {
    for (std::size_t code = 0; code < two_.size(); ++code) {
      two_[code] = {one_[code % 4], one_[code / 4]};
    }
  }

  /// @param skipped genotypes before the first of `bytes`, at most 3
  void widen(std::span<std::byte const> bytes, std::uint64_t skipped, std::span<T> to) const {
    auto const code = [&](std::uint64_t place) {
      auto const byte = std::to_integer<unsigned>(bytes[place / per_byte]);
      return byte >> (2 * (place % per_byte)) & 3U;
    };
    std::uint64_t const head = std::min<std::uint64_t>((per_byte - skipped) % per_byte, to.size());
    for (std::uint64_t k = 0; k < head; ++k) to[k] = one_[code(skipped + k)];
    std::uint64_t const whole = (to.size() - head) / per_byte;
    std::byte const* from = bytes.data() + (skipped + head) / per_byte;
    T* out = to.data() + head;
    for (std::uint64_t k = 0; k < whole; ++k, out += per_byte) {
      auto const byte = std::to_integer<unsigned>(from[k]);
      std::memcpy(out, two_[byte & 15U].data(), 2 * sizeof(T));
      std::memcpy(out + 2, two_[byte >> 4U].data(), 2 * sizeof(T));
    }
    for (std::uint64_t k = head + whole * per_byte; k < to.size(); ++k) {
      to[k] = one_[code(skipped + k)];
    }
  }

 private:
  std::array<T, 4> one_;
  std::array<std::array<T, 2>, 16> two_;
};

class BedSource final : public MatrixSource {
 public:
  BedSource(InputFile file, MatrixInfo info, bool missing_is_nan)
      : MatrixSource(std::move(info)),
        file_(std::move(file)),
        missing_is_nan_(missing_is_nan),
        column_bytes_((this->info().rows - 1) / per_byte + 1),
        means_(this->info().cols) {
    for (auto& mean : means_) mean.store(no_mean, std::memory_order_relaxed);
  }

  void read_stored(Part /*part*/, std::uint64_t /*first*/,
                   std::span<std::byte> /*to*/) const override {
    throw std::logic_error("tessera::io: genotypes have no bytes of their own");
  }

  void read_widened(std::uint64_t first, std::span<float> to) const override {
    read_range(first, to);
  }
  void read_widened(std::uint64_t first, std::span<double> to) const override {
    read_range(first, to);
  }
  void read_widened(Block const& block, std::span<float> to) const override {
    read_columns(block, to);
  }
  void read_widened(Block const& block, std::span<double> to) const override {
    read_columns(block, to);
  }

  void check_unchanged() const override { file_.check_unchanged(info().file_bytes); }
  [[nodiscard]] InputFile const& file() const override { return file_; }

  [[nodiscard]] std::uint64_t bytes_to_hold() const override { return column_bytes_ * info().cols; }
  void hold() const override {
    if (!held_.empty()) return;
    held_.resize(bytes_to_hold());
    file_.read_at(bed_header, held_);
  }

 private:
  template <class T>
  void read_range(std::uint64_t first, std::span<T> to) const {
    std::uint64_t const rows = info().rows;
    while (!to.empty()) {
      Block block{.row = first % rows, .col = first / rows, .rows = 0, .cols = 1};
      block.rows = std::min<std::uint64_t>(rows - block.row, to.size());
      if (block.rows == rows) block.cols = to.size() / rows;
      read_columns(block, to.first(block.elements()));
      first += block.elements();
      to = to.subspan(block.elements());
    }
  }

  template <class T>
  void read_columns(Block const& block, std::span<T> to) const {
    if (to.empty()) return;
    if (!held_.empty()) {
      return widen(std::span<std::byte const>(held_).subspan(block.col * column_bytes_), block, to);
    }
    // Short columns share pages of the file.
    constexpr std::uint64_t short_column = 4096;
    bool const wanted = block.rows == info().rows || column_bytes_ <= short_column;
    if (!wanted || column_bytes_ > bed_buffer) return read_parts(block, to);
    std::uint64_t const at_once = std::min(block.cols, bed_buffer / column_bytes_);
    std::vector<std::byte> buffer(at_once * column_bytes_);
    for (std::uint64_t done = 0; done < block.cols; done += at_once) {
      std::uint64_t const some = std::min(at_once, block.cols - done);
      file_.read_at(place_of(block.col + done, 0), std::span(buffer).first(some * column_bytes_));
      Block part = block;
      part.col += done;
      part.cols = some;
      widen(std::span<std::byte const>(buffer), part, to.subspan(done * block.rows));
    }
  }

  /// @param columns begins with the bytes of the block's first column
  template <class T>
  void widen(std::span<std::byte const> columns, Block const& block, std::span<T> to) const {
    for (std::uint64_t k = 0; k < block.cols; ++k) {
      auto const column = columns.subspan(k * column_bytes_, column_bytes_);
      Values<T> const values(mean_of(block.col + k, column));
      values.widen(column.subspan(block.row / per_byte), block.row % per_byte,
                   to.subspan(k * block.rows, block.rows));
    }
  }

  template <class T>
  void read_parts(Block const& block, std::span<T> to) const {
    std::vector<std::byte> buffer(std::min(column_bytes_, bed_buffer));
    for (std::uint64_t col = 0; col < block.cols; ++col) {
      Values<T> const values(mean_of(block.col + col, {}));
      std::uint64_t row = block.row;
      std::uint64_t const end = block.row + block.rows;
      while (row < end) {
        std::uint64_t const skipped = row % per_byte;
        std::uint64_t const count = std::min(end - row, buffer.size() * per_byte - skipped);
        auto const bytes = std::span(buffer).first((skipped + count - 1) / per_byte + 1);
        file_.read_at(place_of(block.col + col, row), bytes);
        values.widen(bytes, skipped, to.first(count));
        to = to.subspan(count);
        row += count;
      }
    }
  }

  /// The value of a missing genotype.
  /// @param bytes of the whole column; empty: read if the mean is unknown
  [[nodiscard]] double mean_of(std::uint64_t col, std::span<std::byte const> bytes) const {
    if (missing_is_nan_) return std::numeric_limits<double>::quiet_NaN();
    double mean = means_[col].load(std::memory_order_relaxed);
    if (!std::isnan(mean)) return mean;
    Tally tally;
    if (!bytes.empty()) {
      tally.add(bytes, info().rows);
    } else {
      std::vector<std::byte> buffer(std::min(column_bytes_, bed_buffer));
      for (std::uint64_t row = 0; row < info().rows; row += buffer.size() * per_byte) {
        std::uint64_t const count = std::min(info().rows - row, buffer.size() * per_byte);
        auto const some = std::span(buffer).first((count - 1) / per_byte + 1);
        file_.read_at(place_of(col, row), some);
        tally.add(some, count);
      }
    }
    mean = tally.mean();
    means_[col].store(mean, std::memory_order_relaxed);
    return mean;
  }

  [[nodiscard]] std::uint64_t place_of(std::uint64_t col, std::uint64_t row) const {
    return bed_header + col * column_bytes_ + row / per_byte;
  }

  InputFile file_;
  bool missing_is_nan_;
  std::uint64_t column_bytes_;
  mutable std::vector<std::byte> held_{};  ///< the columns; empty: in the file
  // The threads that find a mean find the same one.
  mutable std::vector<std::atomic<double>> means_;
};

std::string in_hexadecimal(std::span<std::byte const> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::byte const byte : bytes) {
    if (!text.empty()) text += ' ';
    text += digits[std::to_integer<std::size_t>(byte >> 4)];
    text += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

void check_mark(InputFile const& file) {
  if (file.bytes() == 0) file.fail("is empty: expected a PLINK 1 .bed file, found 0 bytes");
  auto const start = file.peek(0, bed_header);
  if (!has_bed_mark(start)) {
    file.fail("is not a PLINK 1 binary file: expected it to begin with the bytes 6c 1b 01, found " +
              in_hexadecimal(start));
  }
  if (std::to_integer<unsigned char>(start[bed_magic.size()]) == by_sample) {
    file.fail(
        "is in the order of samples: expected the order of variants (6c 1b 01), found 6c 1b 00; "
        "`plink --make-bed` rewrites it");
  }
}

/// @param what a line describes
std::uint64_t lines_next_to(InputFile const& bed, std::string const& extension,
                            std::string const& what) {
  std::string const path = file_next_to_bed(bed.path(), extension);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    bed.fail("has no " + extension + " file: expected " + path + " with one line for each " + what +
             ", found nothing");
  }
  InputFile const file(path);
  TextFile text(file);
  std::uint64_t lines = 0;
  while (text.next()) {
    if (trimmed(text.line()).empty()) continue;
    if (text.line().starts_with('#')) {
      text.fail("has a header: expected one line for each " + what + ", found '" +
                printable(text.line()) + "'");
    }
    ++lines;
  }
  if (lines == 0) {
    file.fail("is empty: expected one line for each " + what + ", found no lines");
  }
  return lines;
}

std::uint64_t size_of_bed(InputFile const& file, std::uint64_t samples, std::uint64_t variants) {
  std::uint64_t bytes = 0;
  std::uint64_t elements = 0;
  bool overflow = __builtin_mul_overflow(samples, variants, &elements);
  overflow = __builtin_mul_overflow((samples - 1) / per_byte + 1, variants, &bytes) || overflow;
  overflow = __builtin_add_overflow(bytes, bed_header, &bytes) || overflow;
  std::string const shape = std::to_string(samples) + " samples (.fam) and " +
                            std::to_string(variants) + " variants (.bim)";
  if (overflow) {
    file.fail("has sizes that overflow: expected fewer than 2^64 genotypes, found " + shape);
  }
  if (file.bytes() == bytes) return bytes;
  file.fail(std::string(file.bytes() < bytes ? "is truncated" : "has trailing bytes") +
            ": expected " + std::to_string(bytes) + " bytes for " + shape + ", found " +
            std::to_string(file.bytes()));
}

}  // namespace

bool has_bed_mark(std::span<std::byte const> start) {
  return start.size() >= bed_header &&
         std::memcmp(start.data(), bed_magic.data(), bed_magic.size()) == 0 &&
         std::to_integer<unsigned char>(start[bed_magic.size()]) <= by_variant;
}

std::string file_next_to_bed(std::string const& path, std::string const& extension) {
  return std::filesystem::path(path).replace_extension(extension).string();
}

std::unique_ptr<MatrixSource> open_bed(InputFile file, RawFile const& raw) {
  require_positions(file);
  check_mark(file);
  MatrixInfo info;
  info.format = Format::bed;
  info.type = ScalarType::f32;
  info.stored = ElementType::genotype;
  info.layout = Layout::left;
  info.rows = lines_next_to(file, ".fam", "sample");
  info.cols = lines_next_to(file, ".bim", "variant");
  info.data_offset = bed_header;
  info.file_bytes = size_of_bed(file, info.rows, info.cols);
  info.reader_bytes = info.cols * sizeof(double);
  require_memory(info.reader_bytes, file.path(), "the means of the columns");
  return std::make_unique<BedSource>(std::move(file), std::move(info), raw.missing_is_nan);
}

}  // namespace tessera::io
