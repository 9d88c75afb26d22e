// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/checks.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/error.hpp>
#include <tessera/distributed/rows.hpp>
#include <tessera/maps.hpp>
#include <tessera/summation.hpp>

/// What ranks compare before a call: all throw if the calls differ.
namespace tessera::distributed::detail {

struct Global {
  std::vector<Rows> rows;
  Index all_rows;
  bool by_rows;
};

/// A single row in LayoutStride may be `either`: the rows of other ranks decide.
enum class Stored : std::int64_t { columns, rows, either };
template <class A>
Stored stored(char const* operation, A const& a) {
  bool by_rows = true;
  tessera::detail::with_order(operation, "A", a, [&](auto rows) { by_rows = rows(); });
  bool const by_strides = a.lines() == A::Lines::as_strides_say;
  if (by_rows && by_strides && a.extent(0) == 1) return Stored::either;
  return by_rows ? Stored::rows : Stored::columns;
}

struct Sameness {
  Index vectors = 0;
  double alpha = 1;
  double beta = 0;
  maps::Kind map = maps::Kind::identity;
  double gamma = 0;
  bool is_vector = false;  ///< the matrix is a vector: its one column is a line
};

inline std::int64_t number_of(std::string_view operation) {
  std::int64_t number = 0;
  for (char const c : operation) number = (number * 131 + c) % 1'000'000'007;
  return number;
}

/// For a matrix that is read as T.
template <class T, tessera::detail::ReadAs<T> A, class Check>
Global agree(Communicator const& comm, char const* operation, A const& a, Check const& check,
             Sameness const& sameness) {
  constexpr std::size_t rows_at = 8, stored_at = 9;  // facts before these are equal on all ranks
  auto const bits = [](double x) { return std::bit_cast<std::int64_t>(x); };
  auto const all = comm.meet([&] {
    checks::require_matrix(operation, a);
    Stored const mine = stored(operation, a);
    check();
    return Communicator::Facts{static_cast<std::int64_t>(a.extent(1)),
                               static_cast<std::int64_t>(sizeof(T)),
                               sameness.vectors,
                               number_of(operation),
                               static_cast<std::int64_t>(sameness.map),
                               bits(sameness.alpha),
                               bits(sameness.beta),
                               bits(sameness.gamma),
                               static_cast<std::int64_t>(a.extent(0)),
                               static_cast<std::int64_t>(mine)};
  });
  constexpr std::size_t counts = 3;  // the first names, whose values a message can show
  constexpr std::array<char const*, 8> names{"columns", "bytes a scalar", "vectors", "operation",
                                             "map",     "alpha",          "beta",    "gamma"};
  auto const refuse = [&](std::size_t rank, std::string const& what) {
    throw DistributedError(static_cast<int>(rank), "tessera::" + std::string(operation) +
                                                       ": expected what rank 0 has, " + what);
  };
  auto const stored_by = [&](std::size_t r) {
    return a.extent(1) == 1 ? Stored::either : static_cast<Stored>(all[r][stored_at]);
  };
  Global global{.rows = {},
                .all_rows = 0,
                .by_rows = stored_by(static_cast<std::size_t>(comm.rank())) != Stored::columns};
  bool is_known = false;
  for (std::size_t r = 0; r < all.size(); ++r) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      auto const [its, expected] = std::pair(all[r][i], all[0][i]);
      if (its == expected) continue;
      refuse(r, i < counts
                    ? std::to_string(expected) + " " + names[i] + ", found " + std::to_string(its)
                    : "found another " + std::string(names[i]));
    }
    if (all[r][rows_at] > 0 && stored_by(r) != Stored::either) {
      bool const its = stored_by(r) == Stored::rows;
      if (is_known && its != global.by_rows) refuse(r, "found another layout");
      global.by_rows = its;
      is_known = true;
    }
    global.rows.push_back({global.all_rows, all[r][rows_at]});
    global.all_rows += all[r][rows_at];
  }
  if (!is_known) global.by_rows = true;
  global.by_rows =
      !sameness.is_vector &&
      summation::lines_are_rows(global.by_rows, global.all_rows, static_cast<Index>(a.extent(1)));
  try {
    checks::require_size(operation, global.all_rows, static_cast<Index>(a.extent(1)), sizeof(T));
  } catch (std::invalid_argument const& error) {
    throw DistributedError(0, error.what());
  }
  return global;
}

template <class T, class GetMine>
std::vector<Rows> agree_on_rows(Communicator const& comm,
                                tessera::detail::VectorArgument<T> const& x,
                                GetMine const& get_mine) {
  constexpr auto operation = "Distributed::share_rows";
  constexpr std::size_t extent_at = 0, bytes_at = 1, first_at = 2, count_at = 3;
  auto const length = static_cast<Index>(x.extent(0));
  auto const all = comm.meet([&] {
    if (length > 1 && x.stride(0) != 1) {
      checks::fail(operation, "x must be contiguous, found a stride of " +
                                  std::to_string(x.stride(0)) + " elements");
    }
    Rows const mine = get_mine();
    Communicator::Facts facts{};
    facts[extent_at] = length;
    facts[bytes_at] = sizeof(T);
    facts[first_at] = mine.first;
    facts[count_at] = mine.count;
    return facts;
  });
  std::vector<Rows> rows;
  auto const refuse = [&](std::size_t rank, std::string const& what) {
    throw DistributedError(static_cast<int>(rank),
                           "tessera::" + std::string(operation) + ": expected " + what);
  };
  Index next = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    Rows const its{all[r][first_at], all[r][count_at]};
    if (all[r][extent_at] != all[0][extent_at] || all[r][bytes_at] != all[0][bytes_at]) {
      refuse(r, "a vector of " + std::to_string(all[0][extent_at]) + " elements of " +
                    std::to_string(all[0][bytes_at]) + " bytes as rank 0 has, found " +
                    std::to_string(all[r][extent_at]) + " of " + std::to_string(all[r][bytes_at]) +
                    " bytes");
    }
    if (its.count < 0 || (its.count > 0 && its.first != next) || its.count > length - next) {
      refuse(r, "rows that begin at row " + std::to_string(next) + " of " + std::to_string(length) +
                    ", after those of the rank before, found " + std::to_string(its.count) +
                    " rows from row " + std::to_string(its.first) + " on");
    }
    rows.push_back({next, its.count});
    next += its.count;
  }
  if (next != length) {
    refuse(all.size() - 1, "rows up to the last entry of x, " + std::to_string(length) +
                               ", found rows up to " + std::to_string(next));
  }
  return rows;
}

}  // namespace tessera::distributed::detail
