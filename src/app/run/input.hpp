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

/// What the words of the command line mean: a number N stands for the file test/N, unless there is
/// a file N.
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
  io::HostVector x;                              ///< the vectors, one after the other
  std::int64_t columns = 1;                      ///< vectors in x
  io::ScalarType type;                           ///< of A and x in memory
  std::string vector_source;                     ///< "ones", "V of FILE", or a file
  std::optional<io::ElementType> vector_stored;  ///< of x in its file; empty: it has none
  double read_seconds = 0;
};

/// Opens the file of a matrix, which may be a pipe: all that a command wants of it comes from one
/// reader. @param format empty: what its name says
/// @throws io::FileError
[[nodiscard]] io::MatrixReader open_input(std::string const& path,
                                          std::optional<io::Format> format);

/// The same of a matrix that all ranks read parts of, which has to be the same regular file for
/// each. With one process, as open_input. All call it.
/// @throws io::FileError
[[nodiscard]] io::MatrixReader open_for_ranks(std::string const& path,
                                              std::optional<io::Format> format);

/// Refuses ranks that have read other elements from a file of one name. All call it.
/// @throws io::FileError
void require_same_elements(std::string const& path, io::HostVector const& x);

/// Reads A and its vector: the file `vector` where given, else V of an ex3 file where the operation
/// takes V, else ones.
///
/// @param type to convert both to; empty: the type of A's file, and the vector must be of that type
/// @throws io::FileError
[[nodiscard]] Input read_input(io::MatrixReader const& reader, std::string const& vector,
                               OperationId operation, std::optional<io::ScalarType> type);

/// Whether read_input takes V of the file that A is in.
[[nodiscard]] bool takes_v_beside_a(io::MatrixInfo const& info, std::string const& vector,
                                    OperationId operation);

/// The vector alone, as read_input takes it, without a look whether the file has changed; and what
/// the matrix' file says of itself.
struct VectorInput {
  io::MatrixInfo info;
  io::HostVector x;  ///< the vectors, one after the other
  std::int64_t columns = 1;
  io::ScalarType type;
  std::string vector_source;
  std::optional<io::ElementType> vector_stored;
};
/// @throws io::FileError
[[nodiscard]] VectorInput read_vector_input(io::MatrixReader const& reader,
                                            std::string const& vector, OperationId operation,
                                            std::optional<io::ScalarType> type);

/// A vector of a file, or the columns of a matrix, one after the other.
struct VectorOfFile {
  io::HostVector x;
  io::ElementType stored;    ///< in the file
  std::int64_t columns = 1;  ///< vectors in x
};
enum class Blocks { refused, taken };
/// Reads a vector that has an entry for each row or column of A, in the type that is wanted. One of
/// another type is refused unless it may be converted, in words of the command line.
/// @param of     "row" or "column"
/// @param blocks taken: a matrix with several rows and columns is its columns
/// @throws io::FileError
[[nodiscard]] VectorOfFile read_vector_for(std::string const& path, io::VectorRequest const& wanted,
                                           std::string const& of, std::string const& path_a,
                                           Blocks blocks = Blocks::refused);

/// How many vectors there are in the file of a vector, as its header says; 1 without a file.
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

/// Reads a matrix, and looks whether its file has changed.
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

/// What a result was computed from.
struct Operands {
  std::string names;                 ///< "A and V"
  std::vector<io::ElementSpan> all;  ///< those in memory, in the type of the result
  bool is_complete = true;           ///< false: a streamed matrix is not among them
  bool is_narrowed = false;          ///< they were f64 in a file, and are f32
};

/// Elements that are infinite or NaN.
[[nodiscard]] std::uint64_t count_not_finite(io::ElementSpan elements);

/// A sentence about elements of a result that are infinite or NaN. Empty if the result has none, or
/// if the operands have some too: then they are data.
[[nodiscard]] std::string overflow_warning(io::ElementSpan result, Operands const& operands);

/// Prints that warning on stderr.
void warn_of_overflow(io::ElementSpan result, Operands const& operands);

/// The word of the command line for a map.
[[nodiscard]] std::string word_of(maps::Kind map);

/// Refuses combinations of options that mean nothing.
/// @throws Failure usage
void check_terms(TermOptions const& options);

/// Reads the vectors of the terms, of which A's file says the lengths.
/// @param type to compute in; a vector of another type is refused unless `convert`
/// @throws io::FileError, Failure usage for a number that the type does not hold
[[nodiscard]] Terms read_terms(TermOptions const& options, io::MatrixInfo const& info,
                               io::ScalarType type, bool convert, std::string const& path_a);

}  // namespace tessera::app
