// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <optional>
#include <python/distributed.hpp>
#include <python/imports.hpp>
#include <python/matrices.hpp>
#include <python/parts.hpp>
#include <string>
#include <utility>

namespace tessera::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

nb::tuple rows_of(std::int64_t m, std::int64_t n, std::size_t bytes, bool by_rows, bool in_segments,
                  int rank, int size) {
  auto const rows = rows_of_rank({m, by_rows}, n, bytes, in_segments, rank, size);
  return nb::make_tuple(rows.first, rows.first + rows.count);
}

nb::list parts_of(std::int64_t m, std::int64_t n, std::size_t bytes, bool by_rows,
                  std::int64_t first, std::int64_t count) {
  nb::list all;
  for (auto const& part : parts_of_rows({m, by_rows}, n, bytes, first, count)) {
    all.append(nb::make_tuple(part.first, part.first + part.count, part.level));
  }
  return all;
}

/// The map's name, empty for none, and its vector. b is None where it is not wanted.
nb::object atax_part(nb::handle A, nb::handle v, std::int64_t m, bool by_rows,
                     std::string const& map, nb::handle of_map, nb::handle b) {
  Call const call{"distributed.World.atax", false};
  MatrixInput const a = take_array(call, A);
  Taken const in = take_vector(call, a, v, "v", a.cols);
  Taken const c = take_output(call, a, in, nb::none(), "c", a.cols);
  AtaxCall arguments{.a = a.array.array, .v = in.array, .c = c.array, .map = map};
  std::optional<Taken> its_b, its_map;
  if (!b.is_none()) {
    its_b = take_output(call, a, in, b, "b", a.rows);
    arguments.b = its_b->array;
  }
  if (!map.empty()) {
    its_map = take_vector(call, a, of_map, "the map's vector", a.rows);
    arguments.of_map = its_map->array;
  }
  {
    nb::gil_scoped_release const released;
    atax_of_part({m, by_rows}, arguments);
  }
  return finished(c);
}

/// A·x of some rows, or their part of Aᵀ·x.
template <bool IsTransposed>
nb::object product_part(nb::handle A, nb::handle x, std::int64_t m, bool by_rows) {
  Call const call{IsTransposed ? "distributed.World.rmatvec" : "distributed.World.matvec", false};
  MatrixInput const a = take_array(call, A);
  auto const [length, of_result] =
      IsTransposed ? std::pair(a.rows, a.cols) : std::pair(a.cols, a.rows);
  Taken const in = take_vector(call, a, x, IsTransposed ? "u" : "x", length);
  Taken const out = take_output(call, a, in, nb::none(), IsTransposed ? "c" : "b", of_result);
  {
    nb::gil_scoped_release const released;
    auto* const product = IsTransposed ? multiply_transposed_part : multiply_part;
    product({m, by_rows}, a.array.array, in.array, out.array);
  }
  return finished(out);
}

}  // namespace

void add_parts(nb::module_& m) {
  m.def("_rows_of", &rows_of);
  m.def("_parts_of", &parts_of);
  m.def("_atax_part", &atax_part, "A"_a, "v"_a, "m"_a, "by_rows"_a, "map"_a, "of_map"_a.none(),
        "b"_a.none());
  m.def("_matvec_part", &product_part<false>);
  m.def("_rmatvec_part", &product_part<true>);
}

}  // namespace tessera::python
