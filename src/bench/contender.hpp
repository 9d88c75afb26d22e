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

/// Contenders on the shared matrix of a shape.
namespace tessera::bench {

/// Enqueues one call; `call` selects the copy of the matrix.
using Work = std::function<void(int call)>;

struct Launch {
  published::TeamShape team{};  ///< of variants, like the next two; 0: as published
  std::int64_t most_teams = 0;
  std::int64_t tile = 0;
  std::optional<Tuning> tuning{};  ///< of our rows, like the next two; empty: the backend's
  std::optional<TransposeTuning> transpose{};
  std::optional<GemmTuning> gemm{};
};

enum class Kind {
  ours,
  variant,
  peer,
  stream,
};

enum class Layout { row_major, column_major };

template <Layout layout>
using KokkosLayout =
    std::conditional_t<layout == Layout::row_major, Kokkos::LayoutRight, Kokkos::LayoutLeft>;

enum class Repeats {
  always,
  with_equal_launch,  ///< for the same shape and launch
  no,
  not_stated,
};

std::string to_string(Repeats repeats);
std::string to_string(Kind kind);

/// `prepare` makes the timed work. It and the work throw if the launch cannot run.
template <class Exec, class T>
struct Contender {
  /// Of Operation, or "read", "copy", "launch".
  std::string operation;
  std::string name;
  Kind kind = Kind::peer;
  Layout layout = Layout::row_major;
  int matrix_reads = 1;  ///< reads or writes of the bytes of A
  bool has_our_bits = false;
  bool takes_teams = false;
  bool takes_most_teams = false;
  bool takes_tile = false;
  bool is_copy = false;
  Repeats repeats = Repeats::not_stated;
  std::function<Work(Problem<Exec, T> const&, Launch const&)> prepare;
  /// Computes S (check.hpp); empty: `prepare` does.
  std::function<Work(Problem<Exec, T> const&, Launch const&)> prepare_bound = {};
};

template <class Exec, class T>
std::string full_name(Contender<Exec, T> const& contender) {
  return contender.name + (contender.layout == Layout::column_major ? " column-major" : "");
}

template <class Exec, class T>
std::vector<Contender<Exec, T>>& rows() {
  static std::vector<Contender<Exec, T>> all;
  return all;
}

void fill_table();

template <class Exec, class T>
std::vector<Contender<Exec, T>> const& contenders() {
  fill_table();
  return rows<Exec, T>();
}

std::vector<std::string> const& peers();

}  // namespace tessera::bench
