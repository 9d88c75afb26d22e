// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <functional>
#include <type_traits>

#include <io/format_functions.hpp>
#include <io/formats.hpp>
#include <io/writers.hpp>

namespace tessera::io {
namespace {

MatrixInfo info_of(ElementSpan elements) {
  MatrixInfo info;
  info.dimensions = 1;
  std::visit(
      [&](auto span) {
        info.type = scalar_type<std::remove_const_t<typename decltype(span)::element_type>>;
        info.rows = span.size();
      },
      elements);
  return info;
}

template <class View>
MatrixInfo info_of_matrix(View const& A) {
  MatrixInfo info;
  info.type = scalar_type<typename View::non_const_value_type>;
  info.layout = std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft> ? Layout::left
                                                                                : Layout::right;
  info.rows = A.extent(0);
  info.cols = A.extent(1);
  return info;
}

void write_elements(OutputFile& out, ElementSpan elements) {
  std::visit([&](auto span) { out.write_elements(span); }, elements);
}

template <class View>
void write_matrix_elements(OutputFile& out, View const& A) {
  using T = typename View::non_const_value_type;
  bool const right = !std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>;
  std::size_t const lines = A.extent(right ? 0 : 1);
  std::size_t const length = A.extent(right ? 1 : 0);
  if (A.span_is_contiguous()) {
    out.write_elements(std::span<T const>(A.data(), A.size()));
    return;
  }
  for (std::size_t line = 0; line < lines; ++line) {
    T const* const start = right ? &A(line, 0) : &A(0, line);
    out.write_elements(std::span<T const>(start, length));
  }
}

void check_format(std::string const& path, std::string const& what,
                  std::function<bool(FormatRow const&)> const& can_hold) {
  FormatRow const* const row = find_format_of_result(path);
  if (row != nullptr && can_hold(*row)) return;
  throw FileError(ErrorKind::bad_output, path,
                  "cannot hold " + what + ": expected the extension " +
                      list_of_extensions(can_hold) + ", found " + extension_of(path));
}

}  // namespace

void check_vector_format(std::string const& path) {
  check_format(path, "a vector",
               [](FormatRow const& each) { return each.begin_vector != nullptr; });
}

void check_matrix_format(std::string const& path) {
  check_format(path, "a matrix alone", [](FormatRow const& each) {
    return each.begin_matrix != nullptr && !each.vector_follows_matrix;
  });
}

void write_vector(OutputFile& out, ElementSpan elements) {
  check_vector_format(out.path());
  format_of_result(out.path()).begin_vector(out, info_of(elements));
  write_elements(out, elements);
}

void write_matrix(OutputFile& out, HostMatrix const& A) {
  FormatRow const& format = format_of_result(out.path());
  if (format.begin_matrix == nullptr || format.vector_follows_matrix) {
    throw FileError(
        ErrorKind::bad_output, out.path(),
        "cannot hold a matrix alone: expected another format, found " + std::string(format.name));
  }
  std::visit(
      [&](auto const& view) {
        format.begin_matrix(out, info_of_matrix(view));
        write_matrix_elements(out, view);
      },
      A);
}

}  // namespace tessera::io
