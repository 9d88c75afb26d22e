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

/// Contiguous host arrays of the request's scalar type and layout.
struct Numbers {
  void* matrix = nullptr;  ///< null: random
  void* other = nullptr;   ///< the vector, or the second factor
};

struct Made {
  Numbers of;
  void* result;
  std::size_t size;
  bool is_copy;
  bool has_our_bits;
};

struct Opinion {
  std::string text{};
  bool wrong = false;
  bool not_judged = false;
  std::string sha256{};
};

struct Request {
  std::string backend;         ///< Backend<Exec>::name
  std::string scalar = "f32";  ///< or "f64"
  std::string operation;
  Shape shape;
  Layout layout = Layout::row_major;
  /// GPUs only.
  std::optional<backends::CachePreference> cache_preference{};
  /// Empty: all.
  std::optional<std::vector<std::string>> variants{};
  /// Of variants, like the next two; empty or 0: as published.
  std::vector<published::TeamShape> teams{};
  std::vector<std::int64_t> tiles{};
  std::int64_t most_teams = 0;
  Numbers numbers{};
  std::function<Opinion(Made const&)> judge{};
  int turns = 7;
  double seconds = 0.01;  ///< per turn, approximately
};

struct Seconds {
  double min = 0;
  double median = 0;
  double max = 0;
};

Seconds summarise(std::vector<double> values);

struct Row {
  std::string name{};
  Kind kind = Kind::ours;
  bool is_copy = false;
  Repeats repeats = Repeats::not_stated;
  std::optional<published::TeamShape> team{};
  std::optional<std::int64_t> tile{};
  std::string why_not{};
  std::optional<Opinion> opinion{};
  std::string check{};  ///< Verdict::text
  bool wrong = false;
  std::optional<Seconds> seconds{};
  std::optional<double> host_seconds{};
  int kernels = 0;  ///< per call
  int calls = 0;    ///< per turn
  double gb_per_s = 0;
  double gflop_per_s = 0;
  std::optional<double> share{};  ///< the stream's time divided by this row's
  double speed_up = 0;            ///< relative to the slowest row
};

struct Stream {
  std::string name{};
  double seconds;
  double gb_per_s;
};

struct Table {
  Shape shape{};
  std::string why_not{};
  int copies = 0;
  double bytes = 0;  ///< per call
  double flops = 0;  ///< per call
  std::optional<Stream> stream{};
  std::vector<Row> rows{};  ///< by time; untimed rows last

  [[nodiscard]] bool has_wrong_row() const;
};

using Progress = std::function<void(std::size_t done, std::size_t total)>;

/// Checks all rows, then times them.
/// @throws std::invalid_argument for an unknown backend, scalar, operation or variant
Table measure(Request const& request, Progress const& progress = {});

void finish(Table& table);

std::vector<std::string> names_of_variants(std::string const& backend, std::string const& operation,
                                           Layout layout);

}  // namespace tessera::bench
