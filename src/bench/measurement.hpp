// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/contender.hpp>
#include <bench/operation.hpp>
#include <bench/shapes.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera::bench {

/// Host numbers that calls compute with, of the request's scalar, contiguous, in the order of its
/// layout.
struct Numbers {
  void* matrix = nullptr;  ///< null: random ones
  void* other = nullptr;   ///< the vector, or the second factor
};

/// The result of a call for some numbers.
struct Made {
  Numbers of;
  void* result;
  std::size_t size;  ///< elements of the result
  bool is_copy;
  bool has_our_bits;
};

/// The caller's judgement of a result.
struct Opinion {
  std::string text{};
  bool wrong = false;
  bool not_judged = false;  ///< it cannot be judged
  std::string sha256{};     ///< of the result
};

/// What to measure on one shape.
struct Request {
  std::string backend;         ///< as backends::Backend<Exec>::name
  std::string scalar = "f32";  ///< or "f64"
  std::string operation;
  Shape shape;
  Layout layout = Layout::row_major;
  /// Cache preference of a GPU; ignored on hosts.
  std::optional<backends::CachePreference> cache_preference{};
  /// Names of variants; empty: all.
  std::optional<std::vector<std::string>> variants{};
  /// Variants run with each of these; empty: as published.
  std::vector<published::Team> teams{};
  /// Variants with a tile run with each of these; empty: as published.
  std::vector<std::int64_t> tiles{};
  /// Most teams of a variant's kernel; 0: as published.
  std::int64_t most_teams = 0;
  /// The data; by default random numbers.
  Numbers numbers{};
  /// Called for the result of every row; may be empty.
  std::function<Opinion(Made const&)> judge{};
  int turns = 7;
  double seconds = 0.01;  ///< of a turn, approximately
};

/// Seconds per call.
struct Seconds {
  double min = 0;
  double median = 0;
  double max = 0;
};

/// Least, median and greatest of some values.
Seconds summarise(std::vector<double> values);

/// The measurement of one contender with one launch.
struct Row {
  std::string name{};
  Kind kind = Kind::ours;
  bool is_copy = false;
  Repeats repeats = Repeats::not_stated;
  std::optional<published::Team> team{};  ///< empty: no team, or the published one
  std::optional<std::int64_t> tile{};     ///< empty: no tile, or the published one
  std::string why_not{};                  ///< why there is no time; empty: there is one
  std::optional<Opinion> opinion{};       ///< returned by Request::judge
  std::string check{};                    ///< see Verdict::text
  bool wrong = false;
  std::optional<Seconds> seconds{};
  std::optional<double> host_seconds{};
  int kernels = 0;  ///< Kokkos kernels per call
  int calls = 0;    ///< per turn
  double gb_per_s = 0;
  double gflop_per_s = 0;
  std::optional<double> share{};  ///< time of the stream divided by its time
  double speed_up = 0;            ///< relative to the slowest row
};

/// The fastest of the streams that an operation is compared with.
struct Stream {
  std::string name{};
  double seconds;
  double gb_per_s;  ///< bytes read and written
};

/// All rows on one shape.
struct Table {
  Shape shape{};
  std::string why_not{};  ///< why nothing could be measured; empty: it could
  int copies = 0;         ///< of the matrix, used by calls in turn
  double bytes = 0;       ///< per call
  double flops = 0;       ///< per call
  std::optional<Stream> stream{};
  std::vector<Row> rows{};  ///< by time; rows without a time last

  /// Whether a row's result was wrong.
  [[nodiscard]] bool has_wrong_row() const;
};

/// Called with the number done and the total.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Checks all rows of an operation, then times them in turns. Throws std::invalid_argument for a
/// backend, scalar, operation or variant that does not exist.
Table measure(Request const& request, Progress const& progress = {});

/// Fills rates, shares and speed-ups from the times, and sorts the rows.
void finish(Table& table);

/// The names of an operation's variants in a layout.
std::vector<std::string> names_of_variants(std::string const& backend, std::string const& operation,
                                           Layout layout);

}  // namespace tessera::bench
