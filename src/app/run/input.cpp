// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include <Kokkos_Core.hpp>

#include <app/base/failure.hpp>
#include <app/base/notices.hpp>
#include <app/base/progress.hpp>
#include <app/base/ranks.hpp>
#include <app/base/sha256.hpp>
#include <app/base/text.hpp>
#include <app/run/input.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_info.hpp>
#include <io/matrix_reader.hpp>
#include <io/memory.hpp>
#include <io/output_path.hpp>

namespace tessera::app {
namespace {

template <class T>
io::HostVector ones(std::int64_t length) {
  io::VectorView<T> vector(Kokkos::view_alloc("tessera::app::ones", Kokkos::WithoutInitializing),
                           static_cast<std::size_t>(length));
  std::fill_n(vector.data(), vector.size(), T{1});
  return vector;
}

io::HostMatrix read_with_bar(io::MatrixReader const& reader, std::optional<io::ScalarType> type) {
  ProgressBar bar("reading " + reader.path());
  return io::read_matrix(reader, type, setter_of(bar));
}

/// One row is a vector stored as a row, unless vectors have one entry.
bool is_block(io::MatrixInfo const& info, bool one_entry = false) {
  return info.dimensions == 2 && !info.has_vector && info.cols > 1 && (info.rows > 1 || one_entry);
}

io::HostVector columns_of(io::HostMatrix const& matrix) {
  return std::visit(
      []<class T, class Layout>(io::MatrixView<T, Layout> const& view) -> io::HostVector {
        std::size_t const rows = view.extent(0);
        io::VectorView<T> const flat(
            Kokkos::view_alloc("tessera::app::vectors", Kokkos::WithoutInitializing), view.size());
        for (std::size_t j = 0; j < view.extent(1); ++j) {
          for (std::size_t i = 0; i < rows; ++i) flat(j * rows + i) = view(i, j);
        }
        return flat;
      },
      matrix);
}

std::uint64_t size_of(io::ElementSpan elements) {
  return std::visit([](auto span) { return static_cast<std::uint64_t>(span.size()); }, elements);
}

std::string type_of(io::ElementSpan elements) {
  return std::visit(
      []<class T>(std::span<T const>) { return std::string(io::to_string(io::scalar_type<T>)); },
      elements);
}

}  // namespace

std::int64_t vectors_in(std::string const& path) {
  if (path.empty()) return 1;
  io::MatrixInfo const info = io::inspect(path);
  return is_block(info) ? static_cast<std::int64_t>(info.cols) : 1;
}

io::HostMatrix matrix_of(io::HostVector const& vectors, std::int64_t columns) {
  return std::visit(
      [&]<class T>(io::VectorView<T> const& flat) -> io::HostMatrix {
        auto const cols = static_cast<std::size_t>(columns);
        std::size_t const rows = flat.size() / cols;
        io::MatrixView<T, Kokkos::LayoutRight> const matrix(
            Kokkos::view_alloc("tessera::app::matrix", Kokkos::WithoutInitializing), rows, cols);
        for (std::size_t i = 0; i < rows; ++i) {
          for (std::size_t j = 0; j < cols; ++j) matrix(i, j) = flat(j * rows + i);
        }
        return matrix;
      },
      vectors);
}

VectorOfFile read_vector_for(std::string const& path, io::VectorRequest const& wanted,
                             std::string const& of, std::string const& path_a, Blocks blocks) {
  io::MatrixReader const reader(path, {.type = *wanted.type});
  auto const fail = [&](std::string const& sentence) {
    throw io::FileError(io::ErrorKind::bad_input, path, sentence);
  };
  io::MatrixInfo const& info = reader.info();
  bool const one_entry = blocks == Blocks::taken && *wanted.length == 1;
  bool const several = blocks != Blocks::refused && is_block(info, one_entry);
  std::uint64_t const found = several ? info.rows
                              : reader.vector_part(std::nullopt) == io::Part::vector
                                  ? info.cols
                                  : info.elements();
  if (found != *wanted.length) {
    fail((several ? "has vectors of the wrong length: expected "
                  : "has a vector of the wrong length: expected ") +
         std::to_string(*wanted.length) + (*wanted.length == 1 ? " entry" : " entries") +
         ", one for each " + of + " of " + path_a + ", found " + std::to_string(found) +
         (info.format == io::Format::raw ? " of " + std::string(io::to_string(info.type)) : ""));
  }
  if (!wanted.convert && info.type != wanted.type) {
    fail("has a vector of the wrong type: expected " + std::string(io::to_string(*wanted.type)) +
         " as in " + path_a + ", found " + std::string(io::to_string(info.type)) +
         "; --type converts both");
  }
  io::HostVector x =
      several ? columns_of(io::read_matrix(reader, wanted.type)) : io::read_vector(reader, wanted);
  reader.check_unchanged();
  return {.x = std::move(x),
          .stored = info.stored,
          .columns = several ? static_cast<std::int64_t>(info.cols) : 1};
}

InputName resolve_input(std::string const& word) {
  bool const number =
      !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
  std::error_code error;
  bool const is_file = number && std::filesystem::is_regular_file(word, error);
  if (!number || is_file) return {.path = word, .default_output = ""};
  return {.path = "test/" + word, .default_output = word + "-out.bin"};
}

namespace {

void require_same_file(std::string const& path, std::string const& mine) {
  if (auto const difference = difference_of_ranks(mine); !difference.empty()) {
    throw io::FileError(io::ErrorKind::bad_input, path,
                        difference + "; every rank has to read the same file");
  }
}

}  // namespace

io::MatrixReader open_for_ranks(std::string const& path, std::optional<io::Format> format,
                                io::RawFile const& raw) {
  if (!ranks().are_many()) return io::MatrixReader(path, raw, io::Reading::in_order, format);
  auto const refuse = [&](std::string const& found) {
    throw io::FileError(io::ErrorKind::bad_input, path,
                        "is read by several processes: expected a regular file, found " + found);
  };
  if (io::descriptor_named_by(path)) refuse("what this process has open, such as standard input");
  io::MatrixReader reader(path, raw, io::Reading::in_order, format);
  io::MatrixInfo const& info = reader.info();
  if (info.in_order_only) refuse(std::string(info.obstacle()));
  require_same_file(path, std::to_string(info.rows) + " rows of " + std::to_string(info.cols) +
                              " elements, " + std::string(io::to_string(info.stored)) + ", " +
                              std::string(io::to_string(info.layout)));
  // A copy of equal size may be older.
  require_same_file(path, "bytes whose sample has SHA-256 " + sha256(reader.file().sample()));
  return reader;
}

void require_same_elements(std::string const& path, io::HostVector const& x) {
  if (!ranks().are_many()) return;
  require_same_file(path, "elements with SHA-256 " + sha256(elements(x)));
}

MatrixInput read_matrix_input(io::MatrixReader const& reader, std::optional<io::ScalarType> type) {
  Stopwatch const watch;
  auto A = read_with_bar(reader, type);
  reader.check_unchanged();
  bool const is_narrowed = reader.info().type == io::ScalarType::f64 && type == io::ScalarType::f32;
  return {.A = std::move(A), .read_seconds = watch.seconds(), .is_narrowed = is_narrowed};
}

StoredInput read_stored_input(io::MatrixReader const& reader) {
  Stopwatch const watch;
  ProgressBar bar("reading " + reader.path());
  auto A = io::read_stored_matrix(reader, setter_of(bar));
  reader.check_unchanged();
  return {.A = std::move(A), .read_seconds = watch.seconds()};
}

bool takes_v_beside_a(io::MatrixInfo const& info, std::string const& vector,
                      OperationId operation) {
  return vector.empty() && info.has_vector && !row_of(operation).takes_rows_vector;
}

VectorInput read_vector_input(io::MatrixReader const& reader, std::string const& vector,
                              OperationId operation, std::optional<io::ScalarType> type) {
  OperationRow const& row = row_of(operation);
  std::string const& path = reader.path();
  VectorInput input;
  input.info = reader.info();
  input.type = type.value_or(input.info.type);
  auto const length = row.vector_length(static_cast<std::int64_t>(input.info.rows),
                                        static_cast<std::int64_t>(input.info.cols));
  io::VectorRequest const wanted{.length = static_cast<std::uint64_t>(length),
                                 .type = input.type,
                                 .convert = type.has_value()};
  if (!vector.empty()) {
    auto const [x, stored, columns] = read_vector_for(
        vector, wanted, row.takes_rows_vector ? "row" : "column", path, Blocks::of_several_rows);
    input.x = x;
    input.columns = columns;
    input.vector_source = vector;
    input.vector_stored = stored;
  } else if (takes_v_beside_a(input.info, vector, operation)) {
    input.x = io::read_vector(reader, wanted);
    input.vector_source = "V of " + path;
    input.vector_stored = input.info.stored;
  } else {
    io::require_memory(static_cast<std::uint64_t>(length) * io::size_of(input.type), path,
                       "the vector of ones");
    input.x = input.type == io::ScalarType::f32 ? ones<float>(length) : ones<double>(length);
    input.vector_source = "ones";
  }
  return input;
}

Input read_input(io::MatrixReader const& reader, std::string const& vector, OperationId operation,
                 std::optional<io::ScalarType> type, bool holds_stored) {
  Stopwatch const watch;
  Input input;
  auto const read_vector = [&] {
    static_cast<VectorInput&>(input) = read_vector_input(reader, vector, operation, type);
  };
  // The small vector first, unless it follows A in a pipe.
  bool const last =
      reader.info().in_order_only && takes_v_beside_a(reader.info(), vector, operation);
  if (!last) read_vector();
  if (holds_stored) {
    input.stored = read_stored_input(reader).A;
    input.holds_stored = true;
  } else {
    input.A = read_with_bar(reader, type);
  }
  if (last) read_vector();
  reader.check_unchanged();
  input.read_seconds = watch.seconds();
  return input;
}

Extents extents(io::HostMatrix const& A) {
  return std::visit(
      [](auto const& view) {
        return Extents{static_cast<std::int64_t>(view.extent(0)),
                       static_cast<std::int64_t>(view.extent(1))};
      },
      A);
}

io::ElementSpan elements(io::HostVector const& vector) {
  return std::visit(
      []<class T>(io::VectorView<T> const& view) {
        return io::ElementSpan(std::span<T const>(view.data(), view.size()));
      },
      vector);
}

io::ElementSpan elements(io::HostMatrix const& matrix) {
  return std::visit(
      []<class T, class Layout>(io::MatrixView<T, Layout> const& view) {
        return io::ElementSpan(std::span<T const>(view.data(), view.size()));
      },
      matrix);
}

std::uint64_t count_not_finite(io::ElementSpan elements) {
  return std::visit(
      [](auto span) {
        return static_cast<std::uint64_t>(
            std::ranges::count_if(span, [](auto value) { return !std::isfinite(value); }));
      },
      elements);
}

std::string overflow_warning(io::ElementSpan result, Operands const& operands) {
  auto const bad = count_not_finite(result);
  if (bad == 0) return {};
  std::string const type = type_of(result);
  std::string const start = std::to_string(bad) + " of " + std::to_string(size_of(result)) +
                            " elements of the result are infinite or NaN";
  bool const all_finite = std::ranges::all_of(
      operands.all, [](auto const& each) { return count_not_finite(each) == 0; });
  if (all_finite && operands.is_complete) {
    return start + ", though all of " + operands.names + " are finite: sums overflow " + type +
           (type == "f32" ? "; --type f64 has a wider range" : "");
  }
  if (operands.is_narrowed) {
    return start + ": there are such elements in " + operands.names + ", or they overflow " + type +
           "; --type f64 has a wider range";
  }
  if (all_finite) {
    return start + ": sums overflow " + type + ", or there are such elements in " + operands.names;
  }
  return {};
}

void warn_of_overflow(io::ElementSpan result, Operands const& operands) {
  std::string const warning = overflow_warning(result, operands);
  if (!warning.empty()) notice(warning);
}

namespace {

[[noreturn]] void refuse(std::string const& sentence) {
  throw Failure(ExitStatus::usage, sentence);
}

char const* option_of(maps::Kind map) {
  if (map == maps::Kind::weights) return "--weights";
  if (map == maps::Kind::minus) return "--minus";
  if (map == maps::Kind::replace) return "--transposed-vector";
  return "--labels";
}

void require_number(char const* option, double value, io::ScalarType type) {
  constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
  if (type == io::ScalarType::f32 && std::fabs(value) > most) {
    refuse(std::string(option) + ": expected a number that f32 holds, found " + general(value, 9) +
           "; --type f64 has a wider range");
  }
}

}  // namespace

std::string word_of(maps::Kind map) {
  std::string word = maps::name_of(map);
  std::ranges::replace(word, '_', '-');
  return word;
}

void check_terms(TermOptions const& options) {
  if (options.map == maps::Kind::identity && !options.map_vector.empty()) {
    refuse("--labels: expected --map, the function that uses them, found none");
  }
  if (options.map != maps::Kind::identity && options.map_vector.empty()) {
    refuse("--map " + word_of(options.map) + ": expected its vector, " + option_of(options.map) +
           " FILE, found none");
  }
  if (options.map != maps::Kind::identity && options.map_option != option_of(options.map)) {
    refuse("--map " + word_of(options.map) + ": expected its vector by " + option_of(options.map) +
           ", found " + options.map_option);
  }
  if (options.beta && options.add.empty()) {
    refuse("--beta: expected --add FILE, the vector that it multiplies, found none");
  }
}

Terms read_terms(TermOptions const& options, io::MatrixInfo const& info, io::ScalarType type,
                 bool convert, std::string const& path_a) {
  Terms terms{.map = options.map, .alpha = options.alpha};
  require_number("--alpha", terms.alpha, type);
  io::VectorRequest wanted{.type = type, .convert = convert};
  if (terms.has_map()) {
    wanted.length = info.rows;
    terms.of_map = read_vector_for(options.map_vector, wanted, "row", path_a).x;
  }
  if (!options.add.empty()) {
    terms.beta = options.effective_beta();
    require_number("--beta", terms.beta, type);
    wanted.length = info.cols;
    terms.z = read_vector_for(options.add, wanted, "column", path_a).x;
  }
  return terms;
}

}  // namespace tessera::app
