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

/// Numbers of the host that calls compute with, of the request's scalar, without gaps, in the order
/// of its layout.
struct Numbers {
  void* matrix = nullptr;  ///< null: random ones
  void* other = nullptr;   ///< the vector, or the second factor
};

/// What a call made of some numbers.
struct Made {
  Numbers of;
  void* result;
  std::size_t size;  ///< elements of the result
  bool is_copy;
  bool has_our_bits;
};

/// What a caller thinks of that.
struct Opinion {
  std::string text{};
  bool wrong = false;
  bool not_judged = false;  ///< it cannot be judged
  std::string sha256{};     ///< of the result
};

/// What is to be measured on one shape.
struct Request {
  std::string backend;         ///< as backends::Backend<Exec>::name
  std::string scalar = "f32";  ///< or "f64"
  std::string operation;
  Shape shape;
  Layout layout = Layout::row_major;
  /// What a GPU is told of its caches; hosts are told nothing.
  std::optional<backends::CachePreference> cache_preference{};
  /// Names of variants; empty: all.
  std::optional<std::vector<std::string>> variants{};
  /// Variants run with each of these; empty: as published.
  std::vector<published::Team> teams{};
  /// Variants with a tile run with each of these; empty: as published.
  std::vector<std::int64_t> tiles{};
  /// Most teams of a variant's kernel; 0: as published.
  std::int64_t most_teams = 0;
  /// What is computed with; without, random numbers.
  Numbers numbers{};
  /// Is asked about the result of every row; empty: nobody is.
  std::function<Opinion(Made const&)> judge{};
  int turns = 7;
  double seconds = 0.01;  ///< of a turn, about
};

/// Seconds per call.
struct Seconds {
  double min = 0;
  double median = 0;
  double max = 0;
};

/// Least, middle and greatest of some values.
Seconds summarise(std::vector<double> values);

/// What was found of one contender with one launch.
struct Row {
  std::string name{};
  Kind kind = Kind::ours;
  bool is_copy = false;
  Repeats repeats = Repeats::not_stated;
  std::optional<published::Team> team{};  ///< empty: it has none, or the published one
  std::optional<std::int64_t> tile{};     ///< empty: it has none, or the published one
  std::string why_not{};                  ///< why there is no time; empty: there is
  std::optional<Opinion> opinion{};       ///< of Request::judge
  std::string check{};                    ///< see Verdict::text
  bool wrong = false;
  std::optional<Seconds> seconds{};
  std::optional<double> host_seconds{};
  int kernels = 0;  ///< of Kokkos, in a call
  int calls = 0;    ///< of a turn
  double gb_per_s = 0;
  double gflop_per_s = 0;
  std::optional<double> share{};  ///< time of the stream over its time
  double speed_up = 0;            ///< over the slowest row
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
  int copies = 0;         ///< of the matrix, which calls take in turn
  double bytes = 0;       ///< of a call
  double flops = 0;       ///< of a call
  std::optional<Stream> stream{};
  std::vector<Row> rows{};  ///< by time; those without one last

  /// Whether a row's result was wrong.
  [[nodiscard]] bool has_wrong_row() const;
};

/// Is told how much is done, of how much.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Checks all rows of an operation, then times them in turns. Throws std::invalid_argument for a
/// backend, scalar, operation or variant that does not exist.
Table measure(Request const& request, Progress const& progress = {});

/// Fills what follows from times: rates, shares, speed-ups; and sorts.
void finish(Table& table);

/// The names of an operation's variants in a layout.
std::vector<std::string> names_of_variants(std::string const& backend, std::string const& operation,
                                           Layout layout);

}  // namespace tessera::bench
