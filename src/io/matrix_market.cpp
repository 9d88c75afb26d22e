// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <io/format_functions.hpp>
#include <io/matrix_source.hpp>
#include <io/shell_word.hpp>
#include <io/text_file.hpp>

namespace tessera::io {
namespace {

struct Entry {
  std::uint64_t place;
  double value;
};

class SparseSource final : public MatrixSource {
 public:
  SparseSource(InputFile file, MatrixInfo info, std::vector<Entry> entries)
      : MatrixSource(std::move(info)), file_(std::move(file)), entries_(std::move(entries)) {}

  void read_stored(Part /*part*/, std::uint64_t first, std::span<std::byte> to) const override {
    std::ranges::fill(to, std::byte{0});
    std::uint64_t const end = first + to.size() / sizeof(double);
    auto entry = std::ranges::lower_bound(entries_, first, {}, &Entry::place);
    for (; entry != entries_.end() && entry->place < end; ++entry) {
      std::memcpy(to.data() + (entry->place - first) * sizeof(double), &entry->value,
                  sizeof(double));
    }
  }

  void check_unchanged() const override { file_.check_unchanged(info().file_bytes); }
  [[nodiscard]] InputFile const& file() const override { return file_; }

 private:
  InputFile file_;
  std::vector<Entry> entries_;
};

class MarketReader {
 public:
  explicit MarketReader(InputFile const& file) : file_(file), text_(file) {}

  MatrixInfo read() {
    read_first_line();
    read_sizes();
    dense_ ? read_array() : read_coordinates();
    while (text_.next()) {
      if (!says_nothing(text_.line())) {
        text_.fail("has extra elements: expected the end of the file after " +
                   std::to_string(listed_) + " elements, found '" + printable(text_.line()) + "'");
      }
    }
    info_.file_bytes = text_.bytes();
    sort();
    return std::move(info_);
  }

  [[nodiscard]] std::vector<Entry> take_elements() { return std::move(entries_); }

 private:
  enum class Symmetry { general, symmetric, skew };

  void read_first_line() {
    if (!text_.next()) file_.fail("is empty: expected a Matrix Market file, found 0 bytes");
    std::string const lower = in_lower_case(text_.line());
    std::string_view words(lower);
    std::array<std::string_view, 5> word{};
    for (auto& each : word) each = take_word(words);
    if (word[0] != "%%matrixmarket" || word[1] != "matrix" || !trimmed(words).empty()) {
      text_.fail(
          "is not a Matrix Market file: expected '%%MatrixMarket matrix' and three words, "
          "found '" +
          printable(text_.line()) + "'");
    }
    dense_ = word[2] == "array";
    is_pattern_ = !dense_ && word[3] == "pattern";
    whole_numbers_ = is_pattern_ || word[3] == "integer";
    symmetry_ = word[4] == "symmetric"        ? Symmetry::symmetric
                : word[4] == "skew-symmetric" ? Symmetry::skew
                                              : Symmetry::general;
    if (!dense_ && word[2] != "coordinate") unknown("array or coordinate", word[2]);
    if (!whole_numbers_ && word[3] != "real" && word[3] != "double") {
      unknown(dense_ ? "real or integer elements" : "real, integer or pattern elements", word[3]);
    }
    if (is_pattern_ && symmetry_ == Symmetry::skew) {
      unknown("general or symmetric for a pattern", word[4]);
    }
    if (symmetry_ == Symmetry::general && word[4] != "general") {
      unknown("general, symmetric or skew-symmetric", word[4]);
    }
    info_.format = Format::matrix_market;
    info_.type = ScalarType::f64;
    info_.stored = ElementType::f64;
    info_.layout = dense_ ? Layout::left : Layout::right;
    info_.version = std::string(word[2]) + " " + std::string(word[3]) + " " + std::string(word[4]);
  }

  [[noreturn]] void unknown(std::string const& expected, std::string_view found) const {
    text_.fail("is a Matrix Market file of another kind: expected " + expected + ", found '" +
               printable(found) + "'");
  }

  static bool says_nothing(std::string_view line) {
    return trimmed(line).empty() || trimmed(line).front() == '%';
  }

  bool next_line() {
    while (text_.next()) {
      if (!says_nothing(text_.line())) return true;
    }
    return false;
  }

  void read_sizes() {
    if (!next_line())
      file_.fail("is truncated: expected a line of sizes, found the end of the file");
    std::string_view line = text_.line();
    info_.rows = whole(take_word(line), "rows");
    info_.cols = whole(take_word(line), "columns");
    if (!dense_) listed_ = whole(take_word(line), "elements");
    end_of(line);
    static_cast<void>(check_shape(file_, info_));
    if (symmetry_ != Symmetry::general && info_.rows != info_.cols) {
      text_.fail("is not square: expected as many rows as columns of a symmetric matrix, found " +
                 std::to_string(info_.rows) + " x " + std::to_string(info_.cols));
    }
    if (dense_) {
      std::uint64_t const diagonal = symmetry_ == Symmetry::symmetric ? info_.rows : 0;
      listed_ = symmetry_ == Symmetry::general ? info_.elements()
                                               : (info_.elements() - info_.rows) / 2 + diagonal;
    }
  }

  /// Column by column; of a symmetric matrix from the diagonal on.
  void read_array() {
    for (std::uint64_t col = 0; col < info_.cols; ++col) {
      std::uint64_t const top = symmetry_ == Symmetry::general     ? 0
                                : symmetry_ == Symmetry::symmetric ? col
                                                                   : col + 1;
      for (std::uint64_t row = top; row < info_.rows; ++row) {
        if (!next_line()) truncated();
        std::string_view line = text_.line();
        double const value = number(take_word(line));
        end_of(line);
        add(row, col, value);
      }
    }
  }

  void read_coordinates() {
    for (std::uint64_t k = 0; k < listed_; ++k) {
      if (!next_line()) truncated();
      std::string_view line = text_.line();
      std::uint64_t const row = index(take_word(line), info_.rows, "row");
      std::uint64_t const col = index(take_word(line), info_.cols, "column");
      double const value = is_pattern_ ? 1.0 : number(take_word(line));
      end_of(line);
      if (row == col && symmetry_ == Symmetry::skew) {
        text_.fail("is not skew-symmetric: expected no element on the diagonal, found one");
      }
      add(row, col, value);
    }
  }

  void add(std::uint64_t row, std::uint64_t col, double value) {
    append(entries_, Entry{place(row, col), value}, file_.path());
    if (symmetry_ == Symmetry::general || row == col) return;
    double const other = symmetry_ == Symmetry::skew ? -value : value;
    append(entries_, Entry{place(col, row), other}, file_.path());
  }

  [[nodiscard]] std::uint64_t place(std::uint64_t row, std::uint64_t col) const {
    return info_.layout == Layout::right ? row * info_.cols + col : col * info_.rows + row;
  }

  void sort() {
    if (!std::ranges::is_sorted(entries_, {}, &Entry::place)) {
      std::ranges::stable_sort(entries_, {}, &Entry::place);
    }
    std::size_t last = 0;
    for (std::size_t k = 1; k < entries_.size(); ++k) {
      Entry const& next = entries_[k];
      if (next.place == entries_[last].place) {
        entries_[last].value = sum(entries_[last], next.value);
      } else {
        entries_[++last] = next;
      }
    }
    if (!entries_.empty()) entries_.resize(last + 1);
  }

  /// A sum of integers is never rounded.
  double sum(Entry const& entry, double other) {
    double const total = entry.value + other;
    if (!whole_numbers_) return total;
    double const part = total - entry.value;
    if ((entry.value - (total - part)) + (other - part) != 0) {  // the rounding error
      bool const right = info_.layout == Layout::right;
      std::uint64_t const length = right ? info_.cols : info_.rows;
      std::uint64_t const line = entry.place / length + 1;
      std::uint64_t const across = entry.place % length + 1;
      file_.fail(
          "has repeated entries whose sum f64 does not hold exactly: expected at most 53 "
          "significant bits, found more in row " +
          std::to_string(right ? line : across) + ", column " +
          std::to_string(right ? across : line));
    }
    if (static_cast<double>(static_cast<float>(total)) != total) {
      note_inexact("the sum of the elements of one place");
    }
    return total;
  }

  std::uint64_t whole(std::string_view word, std::string const& what) const {
    std::uint64_t value = 0;
    char const* const begin = word.data();
    char const* const end = begin + word.size();
    auto const [last, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || last != end || word.empty()) {
      text_.fail("has a broken line of sizes: expected a whole number of " + what + ", found '" +
                 printable(word) + "'");
    }
    return value;
  }

  std::uint64_t index(std::string_view word, std::uint64_t most, std::string const& what) const {
    std::uint64_t value = 0;
    char const* const begin = word.data();
    char const* const end = begin + word.size();
    auto const [last, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || last != end || value < 1 || value > most) {
      text_.fail("has a broken element: expected a " + what + " from 1 to " + std::to_string(most) +
                 ", found '" + printable(word) + "'");
    }
    return value - 1;
  }

  double number(std::string_view word) {
    auto const value = number_of(word);
    if (!value) {
      text_.fail("has a broken element: expected a number that f64 holds, found '" +
                 printable(word) + "'");
    }
    if (!is_integer(word)) {
      if (whole_numbers_) {
        text_.fail("has a broken element: expected an integer in a file of integers, found '" +
                   printable(word) + "'");
      }
      return *value;
    }
    if (!is_exactly(word, *value)) {
      text_.fail(inexact_integer(ScalarType::f64, "'" + printable(word) + "'"),
                 whole_numbers_ ? "" : "; write it with a point if it may be rounded");
    }
    if (static_cast<double>(static_cast<float>(*value)) != *value) {
      note_inexact("'" + printable(word) + "' in line " + std::to_string(text_.number()));
    }
    return *value;
  }

  void note_inexact(std::string const& found) {
    if (!info_.inexact_in_f32.empty()) return;
    info_.inexact_in_f32 = inexact_integer(ScalarType::f32, found) + "; --output-type f64 holds it";
  }

  void end_of(std::string_view line) const {
    if (!trimmed(line).empty()) {
      text_.fail("has text after the last number of a line: expected its end, found '" +
                 printable(trimmed(line)) + "'");
    }
  }

  [[noreturn]] void truncated() const {
    file_.fail("is truncated: expected " + std::to_string(listed_) +
               " elements, found the end of the file before");
  }

  InputFile const& file_;
  TextFile text_;
  bool dense_ = false;
  bool is_pattern_ = false;
  bool whole_numbers_ = false;
  Symmetry symmetry_ = Symmetry::general;
  std::uint64_t listed_ = 0;
  MatrixInfo info_;
  std::vector<Entry> entries_;
};

}  // namespace

std::unique_ptr<MatrixSource> open_matrix_market(InputFile file, RawFile const& /*raw*/) {
  return read_text<MarketReader, SparseSource>(std::move(file));
}

}  // namespace tessera::io
