// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <check/terms.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <app/run/options.hpp>
#include <app/run/run.hpp>
#include <io/matrix_file.hpp>
#include <io/matrix_info.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>
#include <tessera/maps.hpp>

namespace tessera::app {

/// A number N means test/N, unless a file N exists.
struct InputName {
  std::string path;
  std::string default_output;  ///< N-out.bin for a number
};

[[nodiscard]] InputName resolve_input(std::string const& word);

/// The vector of a product, and what the matrix is. Without a check that the file is unchanged.
struct VectorInput {
  io::MatrixInfo info;
  io::HostVector x;
  std::int64_t columns = 1;  ///< vectors in x
  io::ScalarType type = io::ScalarType::f32;
  std::string vector_source;  ///< "ones", "V of FILE", or a file
  std::optional<io::ElementType> vector_stored;
  bool holds_stored = false;  ///< A is in memory as in the file
};

struct Input : VectorInput {
  io::HostMatrix A;
  std::optional<io::StoredMatrix> stored;  ///< instead of A
  double read_seconds = 0;
};

/// A file or a pipe, which one reader can read; with several ranks the same regular file on all.
/// Collective.
[[nodiscard]] io::MatrixReader open_for_ranks(std::string const& path,
                                              std::optional<io::Format> format,
                                              io::RawFile const& raw = {});

/// Collective.
void require_same_elements(std::string const& path, io::HostVector const& x);

/// The file `vector`, else V of an ex3 file if the operation uses V, else ones.
/// @param type of both; empty: A's, which the vector must have
/// @param holds_stored A has 8 or 16 bits an element, which are not converted
[[nodiscard]] Input read_input(io::MatrixReader const& reader, std::string const& vector,
                               OperationId operation, std::optional<io::ScalarType> type,
                               bool holds_stored = false);

[[nodiscard]] bool takes_v_beside_a(io::MatrixInfo const& info, std::string const& vector,
                                    OperationId operation);

[[nodiscard]] VectorInput read_vector_input(io::MatrixReader const& reader,
                                            std::string const& vector, OperationId operation,
                                            std::optional<io::ScalarType> type);

struct VectorOfFile {
  io::HostVector x;
  io::ElementType stored;
  std::int64_t columns = 1;
};
enum class Blocks {
  refused,
  of_several_rows,  ///< as vectors_in() counts them
  taken,            ///< also one row, if vectors have one entry
};
/// One entry per `of` ("row" or "column") of A.
/// @param blocks a matrix is accepted: its columns are vectors
[[nodiscard]] VectorOfFile read_vector_for(std::string const& path, io::VectorRequest const& wanted,
                                           std::string const& of, std::string const& path_a,
                                           Blocks blocks = Blocks::refused);

/// From the header; 1 without a file. One row is one vector.
[[nodiscard]] std::int64_t vectors_in(std::string const& path);

/// The vectors are its columns, stored row by row.
[[nodiscard]] io::HostMatrix matrix_of(io::HostVector const& vectors, std::int64_t columns);

struct MatrixInput {
  io::HostMatrix A;
  double read_seconds = 0;
  bool is_narrowed = false;  ///< f64 in the file, now f32
};

/// @param type empty: the file's
[[nodiscard]] MatrixInput read_matrix_input(io::MatrixReader const& reader,
                                            std::optional<io::ScalarType> type);

struct StoredInput {
  io::StoredMatrix A;
  double read_seconds = 0;
};
/// As read_matrix_input, for elements of 8 or 16 bits, which are not converted.
[[nodiscard]] StoredInput read_stored_input(io::MatrixReader const& reader);

struct Extents {
  std::int64_t rows;
  std::int64_t cols;
};
[[nodiscard]] Extents extents(io::HostMatrix const& A);
[[nodiscard]] io::ElementSpan elements(io::HostVector const& vector);
[[nodiscard]] io::ElementSpan elements(io::HostMatrix const& matrix);

struct Operands {
  std::string names;
  std::vector<io::ElementSpan> all;  ///< in memory, of the result's type
  bool is_complete = true;           ///< false: without a streamed matrix
  bool is_narrowed = false;
};

[[nodiscard]] std::uint64_t count_not_finite(io::ElementSpan elements);

/// Empty if all are finite, or if operands are not: then infinity and NaN are data.
[[nodiscard]] std::string overflow_warning(io::ElementSpan result, Operands const& operands);

void warn_of_overflow(io::ElementSpan result, Operands const& operands);

[[nodiscard]] std::string word_of(maps::Kind map);

void check_terms(TermOptions const& options);

/// @param type a file of another type is refused unless `convert`
/// @throws Failure usage for a number beyond the type
[[nodiscard]] Terms read_terms(TermOptions const& options, io::MatrixInfo const& info,
                               io::ScalarType type, bool convert, std::string const& path_a);

}  // namespace tessera::app
