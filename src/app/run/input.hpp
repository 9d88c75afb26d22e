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

/// The meaning of INPUT on the command line: a number N is the file test/N, unless a file N exists.
struct InputName {
  std::string path;
  std::string default_output;  ///< N-out.bin for a number, else empty
};

/// Resolves INPUT.
[[nodiscard]] InputName resolve_input(std::string const& word);

/// A matrix and the vector to multiply it with, in memory and of one type.
struct Input {
  io::MatrixInfo info;
  io::HostMatrix A;
  io::HostVector x;                              ///< contiguous vectors
  std::int64_t columns = 1;                      ///< vectors in x
  io::ScalarType type;                           ///< of A and x in memory
  std::string vector_source;                     ///< "ones", "V of FILE", or a file
  std::optional<io::ElementType> vector_stored;  ///< of x in its file; empty: no file
  double read_seconds = 0;
};

/// Opens the file of a matrix, which may be a pipe. A command reads everything with one reader.
/// @param format empty: detected
/// @throws io::FileError
[[nodiscard]] io::MatrixReader open_input(std::string const& path,
                                          std::optional<io::Format> format);

/// As open_input, for a matrix of which each rank reads a part. It must be the same regular file on
/// all ranks. With one process, as open_input. Collective.
/// @throws io::FileError
[[nodiscard]] io::MatrixReader open_for_ranks(std::string const& path,
                                              std::optional<io::Format> format);

/// Refuses ranks that have read different elements from a file of the same name. Collective.
/// @throws io::FileError
void require_same_elements(std::string const& path, io::HostVector const& x);

/// Reads A and its vector: the file `vector` if given, else V of an ex3 file if the operation uses
/// V, else ones.
///
/// @param type to convert both to; empty: the type of A's file, and the vector must be of that type
/// @throws io::FileError
[[nodiscard]] Input read_input(io::MatrixReader const& reader, std::string const& vector,
                               OperationId operation, std::optional<io::ScalarType> type);

/// Whether read_input uses V of the file of A.
[[nodiscard]] bool takes_v_beside_a(io::MatrixInfo const& info, std::string const& vector,
                                    OperationId operation);

/// The vector of read_input without the matrix and without a check for changes of the file, and the
/// header of the matrix file.
struct VectorInput {
  io::MatrixInfo info;
  io::HostVector x;  ///< contiguous vectors
  std::int64_t columns = 1;
  io::ScalarType type;
  std::string vector_source;
  std::optional<io::ElementType> vector_stored;
};
/// @throws io::FileError
[[nodiscard]] VectorInput read_vector_input(io::MatrixReader const& reader,
                                            std::string const& vector, OperationId operation,
                                            std::optional<io::ScalarType> type);

/// The vector of a file, or the columns of a matrix as contiguous vectors.
struct VectorOfFile {
  io::HostVector x;
  io::ElementType stored;    ///< in the file
  std::int64_t columns = 1;  ///< vectors in x
};
enum class Blocks { refused, taken };
/// Reads a vector that has an entry for each row or column of A, in the requested type. A vector of
/// another type is refused unless it may be converted; the error names the options.
/// @param of     "row" or "column"
/// @param blocks taken: the columns of a matrix are several vectors
/// @throws io::FileError
[[nodiscard]] VectorOfFile read_vector_for(std::string const& path, io::VectorRequest const& wanted,
                                           std::string const& of, std::string const& path_a,
                                           Blocks blocks = Blocks::refused);

/// The number of vectors in the file of a vector, by its header; 1 without a file.
/// @throws io::FileError
[[nodiscard]] std::int64_t vectors_in(std::string const& path);

/// The matrix whose columns are the contiguous vectors, stored row by row.
[[nodiscard]] io::HostMatrix matrix_of(io::HostVector const& vectors, std::int64_t columns);

/// A matrix alone, in memory.
struct MatrixInput {
  io::HostMatrix A;
  double read_seconds = 0;
  bool is_narrowed = false;  ///< f64 in its file, and f32 in memory
};

/// Reads a matrix and checks that its file has not changed.
/// @param type to convert to; empty: the type of the file
/// @throws io::FileError
[[nodiscard]] MatrixInput read_matrix_input(io::MatrixReader const& reader,
                                            std::optional<io::ScalarType> type);

/// The extents of a matrix in memory.
struct Extents {
  std::int64_t rows;
  std::int64_t cols;
};
[[nodiscard]] Extents extents(io::HostMatrix const& A);
/// The elements of a vector in memory.
[[nodiscard]] io::ElementSpan elements(io::HostVector const& vector);
/// The elements of a matrix in memory, in its order.
[[nodiscard]] io::ElementSpan elements(io::HostMatrix const& matrix);

/// The operands of a result.
struct Operands {
  std::string names;                 ///< "A and V"
  std::vector<io::ElementSpan> all;  ///< the ones in memory, in the type of the result
  bool is_complete = true;           ///< false: a streamed matrix is missing
  bool is_narrowed = false;          ///< they were f64 in a file, and are f32
};

/// Elements that are infinite or NaN.
[[nodiscard]] std::uint64_t count_not_finite(io::ElementSpan elements);

/// A sentence about elements of a result that are infinite or NaN. Empty if the result has none, or
/// if the operands have some too: then they are data.
[[nodiscard]] std::string overflow_warning(io::ElementSpan result, Operands const& operands);

/// Prints that warning on stderr.
void warn_of_overflow(io::ElementSpan result, Operands const& operands);

/// The name of a map on the command line.
[[nodiscard]] std::string word_of(maps::Kind map);

/// Refuses invalid combinations of options.
/// @throws Failure usage
void check_terms(TermOptions const& options);

/// Reads the vectors of the terms. Their lengths follow from the header of A.
/// @param type to compute in; a vector of another type is refused unless `convert`
/// @throws io::FileError, Failure usage for a number that the type does not hold
[[nodiscard]] Terms read_terms(TermOptions const& options, io::MatrixInfo const& info,
                               io::ScalarType type, bool convert, std::string const& path_a);

}  // namespace tessera::app
