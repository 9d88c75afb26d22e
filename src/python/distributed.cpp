// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <python/distributed.hpp>
#include <python/imports.hpp>
#include <python/matrices.hpp>
#include <python/parts.hpp>
#include <string>
#include <vector>

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

/// For the sum over ranks: an entry for each column of A, or a row of them for each vector.
Taken take_sums(Call const& call, MatrixInput const& a, Taken const& in) {
  if (in.array.dimensions == 1) return take_output(call, a, in, nb::none(), "c", a.cols);
  return call.output(nb::none(), "c", a.array, 2, {in.array.extents[1], a.cols}, a.type, "A");
}

nb::object atax_part(nb::handle A, nb::handle v, std::int64_t m, bool by_rows, std::int64_t first,
                     std::int64_t count, std::string const& map, nb::handle of_map, nb::handle b) {
  Call const call{"distributed.World.atax", false};
  MatrixInput const a = take_stored_array(call, A);
  Taken const in = take_vectors(call, a, v, "v", a.cols);
  Taken const c = take_sums(call, a, in);
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
  without_gil([&] { atax_of_part({m, by_rows}, {first, count}, arguments); });
  return finished(c);
}

nb::object matvec_part(nb::handle A, nb::handle x, std::int64_t m, bool by_rows) {
  Call const call{"distributed.World.matvec", false};
  MatrixInput const a = take_stored_array(call, A);
  Taken const in = take_vectors(call, a, x, "x", a.cols);
  Taken const b = take_output(call, a, in, nb::none(), "b", a.rows);
  without_gil([&] { multiply_part({m, by_rows}, a.array.array, in.array, b.array); });
  return finished(b);
}

nb::object rmatvec_part(nb::handle A, nb::handle u, std::int64_t m, bool by_rows,
                        std::int64_t first, std::int64_t count) {
  Call const call{"distributed.World.rmatvec", false};
  MatrixInput const a = take_stored_array(call, A);
  Taken const in = take_vectors(call, a, u, "u", a.rows);
  Taken const c = take_sums(call, a, in);
  without_gil([&] {
    multiply_transposed_part({m, by_rows}, {first, count}, a.array.array, in.array, c.array);
  });
  return finished(c);
}

void add_roots_of(nb::handle roots, std::vector<int> const& levels, nb::handle sums,
                  std::int64_t fields) {
  Call const call{"distributed.World", false};
  Taken const from = call.any(roots, "roots");
  Taken const to = call.any(sums, "sums");
  nb::gil_scoped_release const released;
  add_roots(from.array, levels, to.array, fields);
}

void scale_by(double alpha, nb::handle x) {
  Call const call{"distributed.World", false};
  scale(alpha, call.any(x, "x").array);
}

}  // namespace

void add_parts(nb::module_& m) {
  m.def("_rows_of", &rows_of);
  m.def("_parts_of", &parts_of);
  m.def("_atax_part", &atax_part, "A"_a, "v"_a, "m"_a, "by_rows"_a, "first"_a, "count"_a, "map"_a,
        "of_map"_a.none(), "b"_a.none());
  m.def("_matvec_part", &matvec_part);
  m.def("_rmatvec_part", &rmatvec_part);
  m.def("_add_roots", &add_roots_of);
  m.def("_scale", &scale_by);
}

}  // namespace tessera::python
