// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/problem.hpp>
#include <bench/published/options.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tessera/tuning.hpp>

/// The table of everything that can be measured: contenders on the shared matrix of a shape.
namespace tessera::bench {

/// Enqueues one call on the problem's execution space. The number of the call selects the copy of
/// the matrix that it reads.
using Work = std::function<void(int call)>;

/// The launch of a contender, if it has a choice.
struct Launch {
  published::Team team{};                      ///< of a variant; 0 x 0: as published
  std::int64_t most_teams = 0;                 ///< of a variant; 0: as published
  std::int64_t tile = 0;                       ///< of a variant, in scratch; 0: as published
  std::optional<Tuning> tuning{};              ///< of our products; empty: the backend's
  std::optional<TransposeTuning> transpose{};  ///< of our transpose; empty: the backend's
  std::optional<GemmTuning> gemm{};            ///< of our matrix product; empty: the backend's
};

enum class Kind {
  ours,     ///< an operation of Tessera
  variant,  ///< a published kernel (bench/published)
  peer,     ///< another library
  stream,   ///< a reference for the speed of calls
};

enum class Layout { row_major, column_major };

/// Reproducibility of a contender's bits.
enum class Repeats {
  always,             ///< a function of the data alone
  with_equal_launch,  ///< the same for the same shape and launch
  no,                 ///< floating-point atomics
  not_stated,         ///< not documented by its library
};

/// "yes", "with equal launch", "no" or "not stated".
std::string to_string(Repeats repeats);
/// "ours", "variant", "peer" or "stream".
std::string to_string(Kind kind);

/// One row of the table: `prepare` creates the timed work for a problem. Work and `prepare` throw a
/// readable message if the contender cannot run with a launch.
template <class Exec, class T>
struct Contender {
  /// The name of an Operation, or "read", "copy" or "launch".
  std::string operation;
  std::string name;  ///< the contender and its method
  Kind kind = Kind::peer;
  Layout layout = Layout::row_major;
  int matrix_reads = 1;           ///< how often it has to read or write the bytes of A
  bool has_our_bits = false;      ///< it is documented to give the bits of our operation
  bool takes_teams = false;       ///< uses Launch::team
  bool takes_most_teams = false;  ///< uses Launch::most_teams
  bool takes_tile = false;        ///< uses Launch::tile
  bool is_copy = false;           ///< of transposes: it copies A
  Repeats repeats = Repeats::not_stated;
  std::function<Work(Problem<Exec, T> const&, Launch const&)> prepare;
  /// Of ours: computes S on magnitudes, to which errors are proportional; empty: `prepare` does.
  std::function<Work(Problem<Exec, T> const&, Launch const&)> prepare_bound = {};
};

/// "openblas", "openblas column-major": the name with its layout.
template <class Exec, class T>
std::string full_name(Contender<Exec, T> const& contender) {
  return contender.name + (contender.layout == Layout::column_major ? " column-major" : "");
}

/// The rows of an execution space and a scalar, for sources that add rows (table.hpp).
template <class Exec, class T>
std::vector<Contender<Exec, T>>& rows() {
  static std::vector<Contender<Exec, T>> all;
  return all;
}

/// Adds all rows, once.
void fill_table();

/// All contenders of this build on an execution space.
template <class Exec, class T>
std::vector<Contender<Exec, T>> const& contenders() {
  fill_table();
  return rows<Exec, T>();
}

/// Names and versions of the other libraries that are measured.
std::vector<std::string> const& peers();

}  // namespace tessera::bench
