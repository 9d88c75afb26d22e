// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/maps.hpp>

namespace tessera {
namespace detail {

/// Whether ATAX by this method reads the matrix once: of a vector, or of a block, for all columns
/// or for each of them.
template <class Exec, bool RowMajor, class Set = AcceleratedKernels, class T, class... Columns>
bool is_fused(Method method, Tuning const& tuning, Lines<T> const& lines,
              Columns const&... columns) {
  if (method != Method::automatic) return method == Method::fused;
  return tuning.prefer_fused && Set::template suit_fusion<Exec, RowMajor>(lines, columns...);
}

/// How kernels of blocks are called: plans take `columns`, if they are of a block, and runs what
/// else there is.
template <class Plan, class Exec, class T, class... More>
Plan plan_for(Exec const& exec, Lines<T> const& lines, Tuning const& tuning, More const&... /*m*/) {
  return Plan(exec, lines, tuning);
}
template <class Plan, class Exec, class T>
Plan plan_for(Exec const& exec, Lines<T> const& lines, Tuning const& tuning,
              SomeColumns const& columns) {
  return Plan(exec, lines, tuning, columns);
}

/// Fused ATAX of a vector, or of columns of a block; `b.data` is null when B is not wanted. `more`
/// is the number of columns of a block; or OneColumn and where kernels of row-major lines on a host
/// have them from instead of memory.
template <bool RowMajor, class Set, class Exec, class V, class T, class Out, class Factor,
          class... More>
void run_fused(Exec const& exec, AtaxLabels const& labels, Lines<T> const& given, V const& v,
               Out const& b, Out const& c, Workspace<Exec>* workspace, Tuning const& tuning,
               Factor const& factor, More const&... more) {
  Lines<T> lines = before_packing(given);
  auto const plan =
      plan_for<FusedOf<Exec, T, RowMajor, Set, More...>>(exec, lines, tuning, more...);
  Index const packed_line = packed_size(given);
  Index const packed = packed_size(v);
  Index const partials = plan.workspace(lines);
  Parts<Exec, T> parts(
      exec, workspace,
      whole_words<T>(packed_line) + whole_words<T>(packed) + whole_words<T>(partials),
      plan.exchanged(lines));
  lines.data = contiguous(exec, labels.fused.pack, given, parts.take(packed_line));
  auto const x = contiguous(exec, labels.fused.pack, v, parts.take(packed));
  plan.run(exec, labels.fused, lines, x, b, c, parts.take(partials), parts.meeting(), factor,
           more...);
}

/// What ATAX computes beside its products.
template <class T>
struct TermsOfAtax {
  T alpha;
  T beta;
  VectorArgument<T const> z;
  VectorArgument<T const> of_map;
  bool has_map;
  bool has_z;
  bool has_scale;
  bool keep_product;

  template <class Options>
  explicit TermsOfAtax(Options const& options)
      : alpha(options.alpha),
        beta(options.beta),
        z(options.z),
        of_map(options.map),
        has_map(!options.map.is_identity()),
        has_z(!is_zero(beta)),
        has_scale(differ(alpha, T(1))),
        keep_product(options.keep_product) {}

  void require_extents(char const* operation, std::size_t rows, std::size_t cols) const {
    if (has_map) checks::require_input(operation, "the map's vector", of_map, rows);
    if (has_z) checks::require_input(operation, "z", z, cols);
  }
  template <class Out>
  void require_apart(char const* operation, char const* name, Out const& out) const {
    if (has_map) checks::require_apart(operation, name, out, "the map's vector", of_map);
    if (has_z) checks::require_apart(operation, name, out, "z", z);
  }
};

/// Returns body(the map as kernels call it).
template <class T, class Space, class Body>
decltype(auto) with_map(RowMap<T, Space> const& map, Body const& body) {
  if (map.is_identity()) return body(kernels::Identity{});
  return body(map.function());
}

template <class T, class Factor>
struct MultiplyByFactors {
  Factor factor;
  T* values;
  OutputVector<T> unchanged;  ///< where they are kept; none if `data` is null
  KOKKOS_FUNCTION void operator()(Index i) const {
    unchanged.set(i, values[i]);
    values[i] = factor(i, values[i]);
  }
};

/// values[i] = factor(i, values[i]); unchanged[i] = values[i] before, where it is wanted.
template <class Exec, class T, class Factor>
void multiply_by_factors(Exec const& exec, std::string const& label, Index size, T* values,
                         OutputVector<T> unchanged, Factor const& factor) {
  for_each_element(exec, label, size, MultiplyByFactors<T, Factor>{factor, values, unchanged});
}

/// B between two stages, contiguous.
template <class T>
OutputVector<T> between_stages(OutputVector<T> const& /*b*/, T* memory, Index /*rows*/) {
  return {memory, 1};
}
template <class T>
OutputVectors<T> between_stages(OutputVectors<T> const& /*b*/, T* memory, Index rows) {
  return {memory, 1, rows, rows};
}

/// Two-stage ATAX of a vector, or of columns of a block, whose number is `columns`; `b.data` is
/// null when B is not wanted.
template <bool RowMajor, class Set, class Exec, class V, class T, class Out, class Factor,
          class... Columns>
void run_two_stage(Exec const& exec, AtaxLabels const& labels, Lines<T> const& given, V const& v,
                   Out const& b, Out const& c, Workspace<Exec>* workspace, Tuning const& tuning,
                   Factor const& factor, Columns const&... columns) {
  Lines<T> lines = before_packing(given);
  Index const rows = RowMajor ? lines.count : lines.length;
  bool const own_b = b.data == nullptr || b.stride != 1 || !kernels::is_identity<Factor>;
  int const count = (columns.count() * ... * 1);
  Index const intermediate = own_b ? rows * count : 0;
  Index const packed_line = packed_size(given);
  Index const packed = packed_size(v);
  DotOf<Exec, T, Set, Columns...> const dot_plan(exec, lines, tuning, columns...);
  SumOf<Exec, T, Set, Columns...> const sum_plan(exec, lines, tuning, columns...);
  Index const runs = dot_plan.workspace(lines);
  Index const partials = sum_plan.workspace(lines);

  Parts<Exec, T> parts(exec, workspace,
                       whole_words<T>(packed_line) + whole_words<T>(packed) +
                           whole_words<T>(intermediate) + whole_words<T>(runs) +
                           whole_words<T>(partials));
  lines.data = contiguous(exec, labels.pack, given, parts.take(packed_line));
  auto const x = contiguous(exec, labels.pack, v, parts.take(packed));
  Out const first = own_b ? between_stages(b, parts.take(intermediate), rows) : b;
  T* const dot_workspace = parts.take(runs);
  T* const sum_workspace = parts.take(partials);
  if constexpr (RowMajor) {
    dot_plan.run(exec, labels.multiply, lines, x, first, dot_workspace, columns...);
  } else {
    sum_plan.run(exec, labels.multiply, lines, x, first, sum_workspace, parts.meeting(),
                 columns...);
  }
  for (int j = 0; j < count; ++j) {
    OutputVector<T> const from = column_of(first, j);
    OutputVector<T> const to = column_of(b, j);
    if constexpr (!kernels::is_identity<Factor>) {
      multiply_by_factors(exec, labels.factors, rows, from.data, to, factor);
    } else if (own_b && to.data != nullptr) {
      copy_vector<T>(exec, labels.unpack, rows, from.data, 1, to);
    }
  }
  auto const factors = as_input(first);
  if constexpr (RowMajor) {
    sum_plan.run(exec, labels.multiply_transposed, lines, factors, c, sum_workspace,
                 parts.meeting(), columns...);
  } else {
    dot_plan.run(exec, labels.multiply_transposed, lines, factors, c, dot_workspace, columns...);
  }
}

/// Fused ATAX by these kernels, or by portable ones where they have none for the lines.
template <bool RowMajor, class Set, class Exec, class T, class V, class Out, class Factor,
          class... Columns>
void run_fused_kernel(Exec const& exec, AtaxLabels const& labels, MatrixArgument<T const> const& a,
                      V const& v, Out const& b, Out const& c, AtaxOptions<Exec, T> const& options,
                      Factor const& factor, Columns const&... columns) {
  auto const lines = lines_of<RowMajor>(a);
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  auto const tuning_of = [&]<class Fused>(Fused) {
    return tuning_for<T, RowMajor, Fused>(exec, rows, cols, options.tuning, columns...);
  };
  with_fused_kernels<Set, RowMajor>(exec, lines, tuning_of(Set{}), [&]<class Fused>(Fused) {
    run_fused<RowMajor, Fused>(exec, labels, lines, v, b, c, options.workspace, tuning_of(Fused{}),
                               factor, columns...);
  });
}

/// Fused ATAX of a vector.
template <bool RowMajor, class Set, class Exec, class T, class V, class Out, class Factor>
void run_fused_by(Exec const& exec, AtaxLabels const& labels, MatrixArgument<T const> const& a,
                  V const& v, Out const& b, Out const& c, AtaxOptions<Exec, T> const& options,
                  Factor const& factor) {
  run_fused_kernel<RowMajor, Set>(exec, labels, a, v, b, c, options, factor);
}
/// The same of columns of a block: of all at once, or of as many as a kernel takes, or one by one.
template <bool RowMajor, class Set, class Exec, class T, class V, class Out, class Factor>
void run_fused_by(Exec const& exec, AtaxLabels const& labels, MatrixArgument<T const> const& a,
                  V const& v, Out const& b, Out const& c, AtaxOptions<Exec, T> const& options,
                  Factor const& factor, SomeColumns const& columns) {
  using Kernels = typename Set::template Of<Exec, T>;
  if constexpr (Kernels::fuse_blocks) {
    run_fused_kernel<RowMajor, Set>(exec, labels, a, v, b, c, options, factor, columns);
  } else {
    auto const lines = lines_of<RowMajor>(a);
    auto const all = static_cast<std::size_t>(columns.count());
    for_passes(all, Kernels::fused_at_once(RowMajor, lines, all),
               [&](std::size_t j, std::size_t n) {
                 auto const first = static_cast<Index>(j);
                 auto const some = static_cast<Index>(n);
                 if constexpr (RowMajor) {
                   if (some > 1) {
                     SomeColumns const these{static_cast<int>(some)};
                     Tuning const tuning = tuning_for<T, RowMajor, Set>(
                         exec, lines.count, lines.length, options.tuning, these);
                     return run_fused<RowMajor, Set>(exec, labels, lines, v.some(first, some),
                                                     b.from(first), c.from(first),
                                                     options.workspace, tuning, factor, these);
                   }
                 }
                 run_fused_kernel<RowMajor, Set>(exec, labels, a, v.column(first), b.column(first),
                                                 c.column(first), options, factor);
               });
  }
}

/// ATAX by the method that the options and the tuning say, with factor(i, b_i) between the
/// products: of a vector, or of columns of a block, whose number is `columns`.
template <class Exec, class T, class V, class Out, class Factor, class... Columns>
void run_atax(Exec const& exec, MatrixArgument<T const> const& a, V const& v, Out const& b,
              Out const& c, AtaxOptions<Exec, T> const& options, Factor const& factor,
              Columns const&... columns) {
  static AtaxLabels const labels("tessera::atax");
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  with_lines("atax", "A", a, [&](auto by_rows, Lines<T> const& lines) {
    constexpr bool row_major = by_rows();
    with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
      Tuning const tuning =
          tuning_for<T, row_major, Set>(exec, rows, cols, options.tuning, columns...);
      if (is_fused<Exec, row_major, Set>(options.method, tuning, lines, columns...)) {
        run_fused_by<row_major, Set>(exec, labels, a, v, b, c, options, factor, columns...);
      } else {
        run_two_stage<row_major, Set>(exec, labels, lines, v, b, c, options.workspace, tuning,
                                      factor, columns...);
      }
    });
  });
}

/// How often `atax` of a block of so many vectors reads the matrix, where two stages count as one
/// read, as they do for one vector.
template <class Exec, class T>
Index reads_of_block(Exec const& exec, MatrixArgument<T const> const& a, std::size_t vectors,
                     AtaxOptions<Exec, T> const& options) {
  Index reads = 0;
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  with_lines("atax", "A", a, [&](auto by_rows, Lines<T> const& lines) {
    constexpr bool row_major = by_rows();
    with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
      std::size_t const at_once = columns_at_once<Exec, T>(options.kernels);
      for_passes(vectors, at_once, [&](std::size_t /*first*/, std::size_t count) {
        auto const columns = static_cast<int>(count);
        Tuning const tuning =
            tuning_for<T, row_major, Set>(exec, rows, cols, options.tuning, SomeColumns{columns});
        bool const fused = count > 1 && is_fused<Exec, row_major, Set>(options.method, tuning,
                                                                       lines, SomeColumns{columns});
        reads +=
            fused ? passes_of(count, fused_at_once<Exec, row_major>(options.kernels, lines, count))
                  : 1;
      });
    });
  });
  return reads;
}

/// What ATAX without rows or columns gives before it is finished.
template <class T, class Exec>
void set_zeros_of_atax(Exec const& exec, Index rows, OutputVector<T> b, Index cols,
                       OutputVector<T> c) {
  static std::string const label("tessera::atax::zero");
  if (b.data != nullptr) set_zero<T>(exec, label, rows, b);
  set_zero<T>(exec, label, cols, c);
}

template <class T, class Factor>
struct MapInPlace {
  Factor factor;
  OutputVector<T> b;
  KOKKOS_FUNCTION void operator()(Index i) const { b.set(i, factor(i, b.data[i * b.stride])); }
};

template <class T>
struct ScaleAndAdd {
  T alpha;
  OutputVector<T> c;
  T beta;
  T const* z;
  Index stride;
  KOKKOS_FUNCTION void operator()(Index j) const {
    T const scaled = alpha * c.data[j * c.stride];
    c.set(j, z == nullptr ? scaled : Kokkos::fma(beta, z[j * stride], scaled));
  }
};

/// What follows the products: b[i] = factor(i, b[i]), if B is wanted so, and c = α·c + β·z.
template <class Exec, class T, class Factor>
void finish_atax(Exec const& exec, Index rows, OutputVector<T> b, Index cols, OutputVector<T> c,
                 TermsOfAtax<T> const& terms, Factor const& factor) {
  if (!kernels::is_identity<Factor> && b.data != nullptr && !terms.keep_product && rows > 0) {
    static std::string const label("tessera::atax::map");
    for_each_element(exec, label, rows, MapInPlace<T, Factor>{factor, b});
  }
  if ((terms.has_scale || terms.has_z) && cols > 0) {
    static std::string const label("tessera::atax::scale_and_add");
    for_each_element(
        exec, label, cols,
        ScaleAndAdd<T>{terms.alpha, c, terms.beta, terms.has_z ? terms.z.data() : nullptr,
                       static_cast<Index>(terms.z.stride(0))});
  }
}

/// ATAX with B if it is wanted: `b` is null where it is not.
template <class Exec, class T, class Factor>
void check_and_run_atax(Exec const& exec, MatrixArgument<T const> const& a,
                        VectorArgument<T const> const& v, VectorArgument<T> const* b,
                        VectorArgument<T> const& c, AtaxOptions<Exec, T> const& options,
                        Factor const& factor) {
  constexpr auto operation = "atax";
  checks::require_matrix(operation, a);
  checks::require_input(operation, "v", v, a.extent(1));
  TermsOfAtax<T> const terms(options);
  auto const require_output = [&](char const* name, VectorArgument<T> const& out,
                                  std::size_t size) {
    checks::require_output(operation, name, out, size);
    checks::require_apart(operation, name, out, "A", a);
    checks::require_apart(operation, name, out, "v", v);
    terms.require_apart(operation, name, out);
  };
  if (b != nullptr) require_output("B", *b, a.extent(0));
  require_output("C", c, a.extent(1));
  if (b != nullptr) checks::require_apart(operation, "C", c, "B", *b);
  terms.require_extents(operation, a.extent(0), a.extent(1));
  auto const region = region_of(operation, a);
  auto const b_out = b == nullptr ? OutputVector<T>{nullptr, 1} : output(*b);
  if (a.extent(0) == 0 || a.extent(1) == 0) {
    set_zeros_of_atax<T>(exec, static_cast<Index>(a.extent(0)), b_out,
                         static_cast<Index>(a.extent(1)), output(c));
  } else {
    run_atax(exec, a, v, b_out, output(c), options, factor);
  }
  finish_atax(exec, static_cast<Index>(a.extent(0)), b_out, static_cast<Index>(a.extent(1)),
              output(c), terms, factor);
}

/// The same, with the map of the options.
template <class Exec, class T>
void call_atax(Exec const& exec, MatrixArgument<T const> const& a, VectorArgument<T const> const& v,
               VectorArgument<T> const* b, VectorArgument<T> const& c,
               AtaxOptions<Exec, T> const& options) {
  with_map(options.map,
           [&](auto const& factor) { check_and_run_atax(exec, a, v, b, c, options, factor); });
}

/// Columns [first, first + count) of blocks, read with the matrix together; without B where it is
/// null.
template <class Exec, class T, class Factor>
void run_atax_of_columns(Exec const& exec, MatrixArgument<T const> const& a,
                         MatrixArgument<T const> const& v, MatrixArgument<T> const* b,
                         MatrixArgument<T> const& c, std::size_t first, std::size_t count,
                         AtaxOptions<Exec, T> const& options, Factor const& factor) {
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  auto const b_out = b == nullptr ? OutputVectors<T>{nullptr, 1, 0, rows}
                                  : output(BlockArgument<T>(*b, first, count));
  auto const c_out = output(BlockArgument<T>(c, first, count));
  run_atax(exec, a, BlockArgument<T const>(v, first, count), b_out, c_out, options, factor,
           SomeColumns{static_cast<int>(count)});
  TermsOfAtax<T> const terms(options);
  for (int j = 0; j < static_cast<int>(count); ++j) {
    finish_atax(exec, rows, column_of(b_out, j), cols, column_of(c_out, j), terms, factor);
  }
}

/// The same of blocks of vectors, some columns at a time; without B where it is null.
template <class Exec, class T>
void call_atax(Exec const& exec, MatrixArgument<T const> const& a, MatrixArgument<T const> const& v,
               MatrixArgument<T> const* b, MatrixArgument<T> const& c,
               AtaxOptions<Exec, T> const& options) {
  constexpr auto operation = "atax";
  require_blocks(operation, a, "V", v, a.extent(1), "C", c, a.extent(1));
  if (b != nullptr) {
    require_blocks(operation, a, "V", v, a.extent(1), "B", *b, a.extent(0));
    checks::require_apart(operation, "C", c, "B", *b);
  }
  TermsOfAtax<T> const terms(options);
  terms.require_extents(operation, a.extent(0), a.extent(1));
  terms.require_apart(operation, "C", c);
  if (b != nullptr) terms.require_apart(operation, "B", *b);
  if (terms.has_z) {
    checks::fail(operation, "z is added to one vector: expected beta of 0 for a block of them");
  }
  bool const is_empty = a.extent(0) == 0 || a.extent(1) == 0;
  std::size_t const at_once = is_empty ? 1 : columns_at_once<Exec, T>(options.kernels);
  auto const region = region_of(operation, a);
  for_passes(v.extent(1), at_once, [&](std::size_t first, std::size_t count) {
    if (count > 1) {
      return with_map(options.map, [&](auto const& factor) {
        run_atax_of_columns(exec, a, v, b, c, first, count, options, factor);
      });
    }
    auto const b_j = b == nullptr ? VectorArgument<T>(nullptr, 0, 1) : column(*b, first);
    call_atax<Exec, T>(exec, a, column(v, first), b == nullptr ? nullptr : &b_j, column(c, first),
                       options);
  });
}

/// The same, with a function of the caller's own.
template <class Exec, class T, class F>
void call_atax(Exec const& exec, MatrixArgument<T const> const& a, VectorArgument<T const> const& v,
               VectorArgument<T> const* b, VectorArgument<T> const& c, F const& f,
               AtaxOptions<Exec, T> const& options) {
  if (!options.map.is_identity()) {
    checks::fail("atax", "expected a function or a map between the products, found both");
  }
  check_and_run_atax(exec, a, v, b, c, options, f);
}

}  // namespace detail

/// C = α·Aᵀ·f(A·v) + β·z, by default C = Aᵀ·(A·v)
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x n | in: rows or columns contiguous, any leading dimension |
/// | v | n | in: any stride |
/// | C | n | out: any stride but 0, overwritten |
/// | options | | f, α, β and z; method, workspace, tuning and kernels; `Options` are taken, too |
///
/// f is what `.map` says (maps.hpp), applied to each entry of A·v. Of c = Aᵀ·f(A·v), `α·c_j` is
/// rounded, then `fma(β, z_j, α·c_j)`.
///
/// Work and traffic: 4mn flop; fused (mn + 2n)·sizeof(T) bytes, the matrix read once; two-stage
/// (2mn + 2m + 2n)·sizeof(T) bytes. A map adds its vector, α and β add 3n·sizeof(T) bytes.
///
/// Guarantees: asynchronous in `exec`; no fence, and no allocation with a kept workspace that is
/// large enough. The bits of C are a function of the vectors and numbers that come in, of A, and of
/// A's layout: fused and two-stage agree (docs/summation.md). Where A has no rows, C = β·z. C must
/// not overlap A, v, z or the map's vector. Throws std::invalid_argument for sizes that do not fit,
/// a view without memory, overlap, an unusable tuning, or a workspace in use, before any work is
/// enqueued.
///
/// Call it outside parallel regions, as all operations. Kokkos does not start kernels in a kernel:
/// within Kokkos::parallel_for on a host the call waits for ever, and within `#pragma omp parallel`
/// Kokkos ends the program.
///
/// A in LayoutStride counts as row-major if the elements of its rows lie side by side, else as
/// column-major if those of its columns do, and is refused otherwise.
///
/// Source: ATAX of PolyBench; fusion by reading each panel of rows (tile of columns) once, with
/// the order of summation of docs/summation.md.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> v("v", 30), y("y", 1000), C("C", 30);
/// tessera::atax(Kokkos::DefaultExecutionSpace(), A, v, C);  // C = Aᵀ·(A·v)
/// // The gradient Aᵀ·(A·v - y) of least squares:
/// tessera::atax(Kokkos::DefaultExecutionSpace(), A, v, C, {.map = tessera::maps::minus(y)});
/// ```
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> V, OutputVectorOf<Exec, A> C>
void atax(
    Exec const& exec, A const& a, V const& v, C const& c,
    std::type_identity_t<AtaxOptions<Exec, typename A::non_const_value_type>> const& options = {}) {
  using T = typename A::non_const_value_type;
  detail::call_atax<Exec, T>(exec, detail::matrix_in(a), detail::vector_in(v), nullptr,
                             detail::vector_out(c), options);
}

/// C = α·Aᵀ·B + β·z, and B = f(A·v) on the way
///
/// As `atax` without B; B has m entries, any stride, is overwritten, and must not overlap A, v, C,
/// z or the map's vector. Without a map, or with `.keep_product`, its bits are those of `multiply`.
/// Where A has no columns, B = f(0). Adds m·sizeof(T) bytes of traffic, four times as many with a
/// map.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> v("v", 30), B("B", 1000), C("C", 30);
/// tessera::atax(Kokkos::DefaultExecutionSpace(), A, v, B, C);
/// ```
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> V, OutputVectorOf<Exec, A> B,
          OutputVectorOf<Exec, A> C>
void atax(
    Exec const& exec, A const& a, V const& v, B const& b, C const& c,
    std::type_identity_t<AtaxOptions<Exec, typename A::non_const_value_type>> const& options = {}) {
  auto const first = detail::vector_out(b);
  detail::call_atax(exec, detail::matrix_in(a), detail::vector_in(v), &first, detail::vector_out(c),
                    options);
}

/// C = α·Aᵀ·f(A·v) + β·z, with a function of the caller's own
///
/// As `atax` with a map: `f(i, b)` is called on the device, any number of times a row, and has to
/// return the same for the same i and b. The kernels are compiled with it, in the program that
/// calls; bits are the same everywhere if those of f are.
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> V, OutputVectorOf<Exec, A> C,
          RowFunction<typename A::non_const_value_type> F>
void atax(
    Exec const& exec, A const& a, V const& v, C const& c, F const& f,
    std::type_identity_t<AtaxOptions<Exec, typename A::non_const_value_type>> const& options = {}) {
  using T = typename A::non_const_value_type;
  detail::call_atax<Exec, T>(exec, detail::matrix_in(a), detail::vector_in(v), nullptr,
                             detail::vector_out(c), f, options);
}

/// The same, and B = f(A·v) on the way.
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> V, OutputVectorOf<Exec, A> B,
          OutputVectorOf<Exec, A> C, RowFunction<typename A::non_const_value_type> F>
void atax(
    Exec const& exec, A const& a, V const& v, B const& b, C const& c, F const& f,
    std::type_identity_t<AtaxOptions<Exec, typename A::non_const_value_type>> const& options = {}) {
  auto const first = detail::vector_out(b);
  detail::call_atax(exec, detail::matrix_in(a), detail::vector_in(v), &first, detail::vector_out(c),
                    f, options);
}

/// C = α·Aᵀ·f(A·V), V a block of k vectors
///
/// As `atax` of a vector, with V and C of n x k entries, each in LayoutRight, LayoutLeft or
/// LayoutStride, the same map for all columns, and no z. The bits of column j are those of the call
/// with V's column j. Without columns only sizes are checked.
///
/// Up to 32 columns share a pass over A, up to eight by portable kernels. A fused pass reads A
/// once, a two-stage pass reads it twice. By default passes of nine columns and more are two-stage;
/// on GPUs, accelerated passes of three columns and more are, unless a kernel fuses up to eight
/// columns (Hopper, rows of at most 16 KiB). `method_of_blocks` returns the method for a shape.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double**, Kokkos::LayoutRight> V("V", 30, 8), C("C", 30, 8);
/// tessera::atax(Kokkos::DefaultExecutionSpace(), A, V, C);
/// ```
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> In, OutputMatrixOf<Exec, A> Out>
void atax(
    Exec const& exec, A const& a, In const& v, Out const& c,
    std::type_identity_t<AtaxOptions<Exec, typename A::non_const_value_type>> const& options = {}) {
  using T = typename A::non_const_value_type;
  detail::MatrixArgument<T> const* const none = nullptr;
  detail::call_atax<Exec, T>(exec, detail::matrix_in(a), detail::matrix_in(v), none,
                             detail::matrix_out(c), options);
}

/// The same, and B = f(A·V) on the way, of m x k entries.
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> In, OutputMatrixOf<Exec, A> Rows,
          OutputMatrixOf<Exec, A> Out>
void atax(
    Exec const& exec, A const& a, In const& v, Rows const& b, Out const& c,
    std::type_identity_t<AtaxOptions<Exec, typename A::non_const_value_type>> const& options = {}) {
  auto const first = detail::matrix_out(b);
  detail::call_atax(exec, detail::matrix_in(a), detail::matrix_in(v), &first, detail::matrix_out(c),
                    options);
}

template <ExecutionSpace Exec, ForeignScalars A, class... Arguments>
refused::TesseraComputesWithFloatAndDoubleOnly atax(Exec const&, A const&,
                                                    Arguments const&...) = delete;

}  // namespace tessera

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_ATAX(TEMPLATE, EXEC, T)                                             \
  namespace tessera::detail {                                                       \
  TEMPLATE void call_atax(EXEC const&, MatrixArgument<T const> const&,              \
                          VectorArgument<T const> const&, VectorArgument<T> const*, \
                          VectorArgument<T> const&, AtaxOptions<EXEC, T> const&);   \
  TEMPLATE void call_atax(EXEC const&, MatrixArgument<T const> const&,              \
                          MatrixArgument<T const> const&, MatrixArgument<T> const*, \
                          MatrixArgument<T> const&, AtaxOptions<EXEC, T> const&);   \
  TESSERA_FINISH_ATAX(TEMPLATE, EXEC, T, kernels::Identity)                         \
  TESSERA_FINISH_ATAX(TEMPLATE, EXEC, T, maps::Function<T>)                         \
  }
#define TESSERA_FINISH_ATAX(TEMPLATE, EXEC, T, FACTOR)                                   \
  TEMPLATE void finish_atax(EXEC const&, Index, OutputVector<T>, Index, OutputVector<T>, \
                            TermsOfAtax<T> const&, FACTOR const&);
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_ATAX)
