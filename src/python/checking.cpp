// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <check/terms.hpp>
#include <check/verdict.hpp>
#include <cstddef>
#include <cstdint>
#include <python/checking.hpp>
#include <python/turn.hpp>
#include <python/views.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::python {
namespace {

template <class T>
io::VectorView<T> gathered(Array const& x) {
  auto const [rows, cols] = x.extents;
  io::VectorView<T> const all("tessera::python::gathered", static_cast<std::size_t>(rows * cols));
  auto const* const from = static_cast<T const*>(x.data);
  for (std::int64_t j = 0; j < cols; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      all(static_cast<std::size_t>(j * rows + i)) = from[i * x.strides[0] + j * x.strides[1]];
    }
  }
  return all;
}

}  // namespace

Checked check_atax(AtaxCall const& call) {
  Turn const turn;
  Array const& a = call.a;
  check::Verdict const verdict = with_type(a, [&]<class T>(T) {
    check::Terms terms{.map = kind_of(call), .alpha = call.alpha, .beta = call.beta};
    if (call.of_map) terms.of_map = gathered<T>(*call.of_map);
    if (call.z) terms.z = gathered<T>(*call.z);
    auto const judge_in = [&]<class Layout>(Layout) {
      io::MatrixView<T, Layout> const A(static_cast<T*>(a.data),
                                        static_cast<std::size_t>(a.extents[0]),
                                        static_cast<std::size_t>(a.extents[1]));
      return check::judge(check::Operation::atax, A, gathered<T>(call.v), gathered<T>(call.c), "A",
                          check::Summation::canonical, terms);
    };
    return a.strides[1] == 1 ? judge_in(Kokkos::LayoutRight()) : judge_in(Kokkos::LayoutLeft());
  });
  return {.elements = verdict.elements,
          .failed = verdict.failed,
          .not_judged = verdict.not_judged,
          .sentence = to_sentence(verdict)};
}

}  // namespace tessera::python
