// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/stream/detail/columns.hpp>
#include <tessera/stream/detail/run.hpp>
#include <tessera/stream/detail/states.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/source.hpp>

/// Operations on matrices larger than memory, with the bits of the operations in memory.
namespace tessera::stream {

/// As in tessera::AtaxOptions.
template <class Exec, class T>
struct AtaxTerms {
  using memory_space = typename Exec::memory_space;

  RowMap<T, memory_space> map{};
  T alpha = T(1);
  T beta = T(0);
  VectorIn<T, memory_space> z{};
  bool keep_product = false;
};

namespace detail {

using tessera::detail::MatrixArgument;
using tessera::detail::VectorArgument;

template <class T>
OutputVector<T> output_of(MatrixArgument<T> const& block, Index j) {
  return tessera::detail::output(tessera::detail::column(block, static_cast<std::size_t>(j)));
}

/// The vector itself, or a contiguous copy.
template <class Exec, class T>
class SideBySide {
 public:
  template <class View>
  SideBySide(Exec const& exec, View const& x) {
    Index const size = tessera::detail::packed_size(x);
    if (size > 0) {
      copy_ = Copy(Kokkos::view_alloc(exec, std::string("tessera::stream::vector"),
                                      Kokkos::WithoutInitializing),
                   static_cast<std::size_t>(size));
    }
    T const* const data =
        tessera::detail::contiguous(exec, "tessera::stream::pack", x, copy_.data());
    vector_ = ConstVector<Exec, T>(data, x.extent(0));
  }
  template <class View>
  static std::size_t bytes(View const& x) {
    return static_cast<std::size_t>(tessera::detail::packed_size(x)) * sizeof(T);
  }
  [[nodiscard]] ConstVector<Exec, T> const& vector() const { return vector_; }

 private:
  using Copy = Kokkos::View<T*, typename Exec::memory_space>;
  Copy copy_;
  ConstVector<Exec, T> vector_;
};

template <class Source>
void require_elements(char const* operation, Source const& source) {
  auto const rows = static_cast<Index>(source.rows());
  auto const cols = static_cast<Index>(source.cols());
  if (rows < 1 || cols < 1) {
    checks::fail(operation, "the matrix must have at least one row and one column, found " +
                                std::to_string(rows) + " x " + std::to_string(cols));
  }
  constexpr auto size = static_cast<Index>(sizeof(typename Source::value_type));
  if (rows > std::numeric_limits<Index>::max() / 4 / size / cols) {
    checks::fail(operation, "the matrix must have fewer than 2^61 bytes, found " +
                                std::to_string(rows) + " x " + std::to_string(cols));
  }
}

inline char const* name_of_atax(maps::Kind map) {
  return map == maps::Kind::replace ? "stream::multiply_both" : "stream::atax";
}
inline std::string state_of_atax(maps::Kind map, bool with_b) {
  if (map == maps::Kind::replace) return "multiply_both";
  std::string state = with_b ? "atax with B" : "atax";
  if (map != maps::Kind::identity) state += std::string(" and ") + maps::name_of(map);
  return state;
}

template <class Exec, class T, class Layout, class Factor>
Report run_atax(Exec const& exec, AnySource<T, Layout> const& source,
                VectorArgument<T const> const& v, OutputVector<T> b, OutputVector<T> c,
                Options<T> const& options, maps::Kind map, Factor const& factor) {
  bool const with_b = b.data != nullptr;
  return tessera::detail::with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
    Run<Exec, T, Layout, AtaxWith<Factor>::template Work, Set> run(
        exec, name_of_atax(map), source,
        {.operation = state_of_atax(map, with_b),
         .copied = SideBySide<Exec, T>::bytes(v),
         .output = with_b ? source.rows() : 0,
         .is_strided = b.stride != 1},
        options);
    SideBySide<Exec, T> const x(exec, v);
    Workspace<Exec> workspace;
    typename decltype(run)::WorkOf work(exec, run.extents(), run.blocks(), options.method,
                                        x.vector(), b, c, workspace, factor);
    return run(work);
  });
}

template <class Exec, class T, class Layout>
Report call_atax(Exec const& exec, AnySource<T, Layout> const& source,
                 VectorArgument<T const> const& v, OutputVector<T> b, OutputVector<T> c,
                 Options<T> const& options, AtaxTerms<Exec, T> const& terms) {
  return tessera::detail::with_map(terms.map, [&](auto const& factor) {
    Report const report =
        run_atax(exec, source, v, b, c, options, terms.map.function().kind, factor);
    tessera::detail::finish_atax(exec, source.rows(), b, source.cols(), c,
                                 tessera::detail::TermsOfAtax<T>(terms), factor);
    exec.fence("tessera::stream::atax: C is there");
    return report;
  });
}

/// With a limit of one byte, call(options) throws before it accesses a vector.
template <class T, class Call>
std::size_t bytes_needed_by(Options<T> options, Call const& call) {
  options.memory_limit = 1;
  try {
    call(options);
  } catch (LimitError const& error) {
    return error.needed();
  }
  return options.memory_limit;
}

template <bool IsSum>
struct Product {
  template <class Exec, class T, bool RowMajor, class Set>
  using Work =
      std::conditional_t<IsSum, SumWork<Exec, T, RowMajor, Set>, DotWork<Exec, T, RowMajor, Set>>;
};

/// A sum over lines is complete only at the end; dot products are complete block by block.
template <bool IsSum, class Exec, class T, class Layout>
Report run_product(Exec const& exec, std::string const& name, AnySource<T, Layout> const& source,
                   VectorArgument<T const> const& x, OutputVector<T> out, Index entries,
                   Options<T> const& options) {
  return tessera::detail::with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
    Run<Exec, T, Layout, Product<IsSum>::template Work, Set> run(
        exec, "stream::" + name, source,
        {.operation = name,
         .copied = SideBySide<Exec, T>::bytes(x),
         .output = IsSum ? 0 : entries,
         .is_strided = out.stride != 1},
        options);
    SideBySide<Exec, T> const vector(exec, x);
    Workspace<Exec> workspace;
    typename decltype(run)::WorkOf work(exec, tessera::detail::Label("tessera::stream::" + name),
                                        run.extents(), run.blocks(), vector.vector(), out,
                                        workspace);
    return run(work);
  });
}

inline void add_to(Report& all, Report const& one) {
  all.blocks = one.blocks;
  all.kernels = one.kernels;
  all.block_bytes = std::max(all.block_bytes, one.block_bytes);
  all.host_bytes = std::max(all.host_bytes, one.host_bytes);
  all.device_bytes = std::max(all.device_bytes, one.device_bytes);
  all.bytes_read += one.bytes_read;
  all.seconds_waiting_for_data += one.seconds_waiting_for_data;
  all.seconds_waiting_for_work += one.seconds_waiting_for_work;
}

/// Needs several passes if the limit is too small for the sums of all columns, or if the sums of
/// more than eight would take half of it, which blocks need. add(works, run, x, j, workspace) adds
/// the work of column j, contiguous in x.
template <template <class, class, bool, class> class Work, class Exec, class T, class Layout,
          class Add>
Report run_columns(Exec const& exec, std::string const& operation,
                   AnySource<T, Layout> const& source, MatrixArgument<T const> const& x,
                   Options<T> const& options, Add const& add) {
  if (takes_states(options)) {
    checks::fail(operation, "a state is one of a product with a vector, found a block of vectors");
  }
  return tessera::detail::with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
    using OfColumns = Run<Exec, T, Layout, EachColumn<Work>::template Of, Set>;
    auto const column = [&](Index j) {
      return tessera::detail::column(x, static_cast<std::size_t>(j));
    };
    auto const columns = static_cast<Index>(x.extent(1));
    Report all;
    constexpr Index few = 8;  // share a pass however large their sums are
    Index at_once = columns;
    for (Index first = 0; first < columns;) {
      Index const passes = ceil_div(columns - first, at_once);
      Index const count = ceil_div(columns - first, passes);
      std::size_t const copied = SideBySide<Exec, T>::bytes(column(first));
      Vectors const vectors{.operation = operation,
                            .copied = static_cast<std::size_t>(count) * copied,
                            .count = count};
      std::optional<OfColumns> run;
      try {
        run.emplace(exec, operation, source, vectors, options);
      } catch (LimitError const&) {
        if (count == 1) throw;
        at_once = count / 2;
        continue;
      }
      std::size_t const sums = OfColumns::WorkOf::bytes(run->extents(), run->blocks(), vectors);
      if (count > few && sums > options.memory_limit / 2) {
        at_once = std::max(few, count / 2);
        continue;
      }
      std::deque<SideBySide<Exec, T>> contiguous;
      Workspace<Exec> workspace;
      typename OfColumns::WorkOf works;
      for (Index j = first; j < first + count; ++j) {
        contiguous.emplace_back(exec, column(j));
        add(works, *run, contiguous.back().vector(), j, workspace);
      }
      add_to(all, (*run)(works));
      first += count;
    }
    return all;
  });
}

template <bool IsSum, class Exec, class T, class Layout>
Report run_product_of_columns(Exec const& exec, std::string const& name,
                              AnySource<T, Layout> const& source, MatrixArgument<T const> const& x,
                              MatrixArgument<T> const& y, Options<T> const& options) {
  tessera::detail::Label const label("tessera::stream::" + name);
  return run_columns<Product<IsSum>::template Work>(
      exec, "stream::" + name, source, x, options,
      [&](auto& works, auto const& run, ConstVector<Exec, T> const& x_j, Index j,
          Workspace<Exec>& workspace) {
        works.add(exec, label, run.extents(), run.blocks(), x_j, output_of(y, j), workspace);
      });
}

/// `b` may be null. factors[j] maps the first product of column j.
template <class Exec, class T, class Layout, class Factor>
Report run_atax_of_columns(Exec const& exec, AnySource<T, Layout> const& source,
                           MatrixArgument<T const> const& v, MatrixArgument<T> const* b,
                           MatrixArgument<T> const& c, Options<T> const& options,
                           AtaxTerms<Exec, T> const& terms, std::vector<Factor> const& factors) {
  auto const b_of = [&](Index j) {
    return b == nullptr ? OutputVector<T>{nullptr, 1} : output_of(*b, j);
  };
  auto const factor = [&](Index j) { return factors[static_cast<std::size_t>(j)]; };
  Report const report = run_columns<AtaxWith<Factor>::template Work>(
      exec, "stream::atax", source, v, options,
      [&](auto& works, auto const& run, ConstVector<Exec, T> const& v_j, Index j,
          Workspace<Exec>& workspace) {
        works.add(exec, run.extents(), run.blocks(), options.method, v_j, b_of(j), output_of(c, j),
                  workspace, factor(j));
      });
  tessera::detail::TermsOfAtax<T> const given(terms);
  for (Index j = 0; j < static_cast<Index>(v.extent(1)); ++j) {
    tessera::detail::finish_atax(exec, source.rows(), b_of(j), source.cols(), output_of(c, j),
                                 given, factor(j));
  }
  exec.fence("tessera::stream::atax: C is there");
  return report;
}

template <class Exec, class T, class Layout>
Report call_atax_of_columns(Exec const& exec, AnySource<T, Layout> const& source,
                            MatrixArgument<T const> const& v, MatrixArgument<T> const* b,
                            MatrixArgument<T> const& c, Options<T> const& options,
                            AtaxTerms<Exec, T> const& terms) {
  if (tessera::detail::TermsOfAtax<T>(terms).has_z) {
    checks::fail("stream::atax",
                 "z is added to one vector: expected beta of 0 for a block of them");
  }
  return tessera::detail::with_map(terms.map, [&](auto const& factor) {
    return run_atax_of_columns(exec, source, v, b, c, options, terms,
                               std::vector(v.extent(1), factor));
  });
}

template <class Source, class X, class Y>
void require_columns(char const* operation, Source const& source, char const* in, X const& x,
                     std::size_t entries_in, char const* out, Y const& y, std::size_t entries_out) {
  require_elements(operation, source);
  checks::require_rows(operation, in, x, entries_in);
  checks::require_extents(operation, out, y, entries_out, x.extent(1));
  checks::require_memory(operation, in, x);
  checks::require_memory(operation, out, y);
  checks::require_distinct(operation, out, y);
  checks::require_apart(operation, out, y, in, x);
}

template <class T, class Source, class Terms, class... Outputs>
void require_terms(char const* operation, Source const& source, Terms const& terms,
                   Outputs const&... outputs) {
  tessera::detail::TermsOfAtax<T> const given(terms);
  given.require_extents(operation, static_cast<std::size_t>(source.rows()),
                        static_cast<std::size_t>(source.cols()));
  (given.require_apart(operation, "an output", outputs), ...);
}

/// `b` is null if B is not wanted.
template <class T, class Source, class V, class B, class C, class Terms>
void require_atax(Source const& source, V const& v, B const* b, C const& c, Terms const& terms) {
  constexpr auto operation = "stream::atax";
  require_elements(operation, source);
  checks::require_extent(operation, "v", v, static_cast<std::size_t>(source.cols()));
  if (b != nullptr) {
    checks::require_extent(operation, "B", *b, static_cast<std::size_t>(source.rows()));
  }
  checks::require_extent(operation, "C", c, static_cast<std::size_t>(source.cols()));
  if (b != nullptr) checks::require_apart(operation, "B", *b, "v", v);
  checks::require_apart(operation, "C", c, "v", v);
  if (b == nullptr) return require_terms<T>(operation, source, terms, c);
  checks::require_apart(operation, "C", c, "B", *b);
  require_terms<T>(operation, source, terms, *b, c);
}
template <class Source, class V, class B>
void require_multiply(Source const& source, V const& v, B const& b) {
  constexpr auto operation = "stream::multiply";
  require_elements(operation, source);
  checks::require_extent(operation, "v", v, static_cast<std::size_t>(source.cols()));
  checks::require_extent(operation, "B", b, static_cast<std::size_t>(source.rows()));
  checks::require_apart(operation, "B", b, "v", v);
}
template <class Source, class B, class C>
void require_multiply_transposed(Source const& source, B const& b, C const& c) {
  constexpr auto operation = "stream::multiply_transposed";
  require_elements(operation, source);
  checks::require_extent(operation, "B", b, static_cast<std::size_t>(source.rows()));
  checks::require_extent(operation, "C", c, static_cast<std::size_t>(source.cols()));
  checks::require_apart(operation, "C", c, "B", b);
}
template <class Source, class X, class U, class Y, class W>
void require_multiply_both(Source const& source, X const& x, U const& u, Y const& y, W const& w) {
  constexpr auto operation = "stream::multiply_both";
  require_elements(operation, source);
  auto const rows = static_cast<std::size_t>(source.rows());
  auto const cols = static_cast<std::size_t>(source.cols());
  checks::require_extent(operation, "x", x, cols);
  checks::require_extent(operation, "u", u, rows);
  checks::require_extent(operation, "y", y, rows);
  checks::require_extent(operation, "w", w, cols);
  checks::require_apart(operation, "w", w, "y", y);
  auto const require_apart_from_inputs = [&](char const* name, auto const& out) {
    checks::require_apart(operation, name, out, "x", x);
    checks::require_apart(operation, name, out, "u", u);
  };
  require_apart_from_inputs("y", y);
  require_apart_from_inputs("w", w);
}

template <class Source>
inline constexpr bool has_rows =
    std::is_same_v<typename std::remove_cvref_t<Source>::array_layout, Kokkos::LayoutRight>;

template <class T, class Terms>
std::vector<double> numbers_of(Terms const& terms) {
  auto const& map = terms.map.function();
  return {static_cast<double>(map.kind), static_cast<double>(map.gamma),
          static_cast<double>(terms.alpha), static_cast<double>(terms.beta)};
}

/// Computes a stream: an execution space, or all ranks by a specialisation.
template <class Place>
struct PlaceOfStream {
  using Exec = Place;
  using Limit = LimitError;
  static Exec exec(Place const& place) { return place; }
  template <class Body>
  static void together(Place const& /*place*/, Body const& body) {
    body();
  }
  /// Refuses calls that differ between ranks.
  template <class Source, class Options>
  static void agree(Place const& /*place*/, char const* /*operation*/, Source const& /*source*/,
                    Options const& /*options*/, std::vector<double> const& /*numbers*/) {}
  template <class... Arguments>
  static Report atax(Place const& place, Arguments const&... arguments) {
    return call_atax(place, arguments...);
  }
  template <bool IsSum, class... Arguments>
  static Report product(Place const& place, Arguments const&... arguments) {
    return run_product<IsSum>(place, arguments...);
  }
};
template <class Place>
using ExecOf = typename PlaceOfStream<Place>::Exec;

}  // namespace detail

/// An execution space, or a `Distributed` (distributed/stream.hpp).
template <class Place>
concept StreamPlace = ExecutionSpace<detail::ExecOf<Place>>;

template <class View, class Exec, class Source>
concept VectorFor = Vector<View> && AccessibleFrom<View, Exec> &&
                    std::same_as<typename View::non_const_value_type, typename Source::value_type>;
template <class View, class Exec, class Source>
concept OutputVectorFor = VectorFor<View, Exec, Source> && OutputVector<View>;

template <class View, class Exec, class Source>
concept BlockFor = MatrixOf<View, Exec> &&
                   std::same_as<typename View::non_const_value_type, typename Source::value_type>;
template <class View, class Exec, class Source>
concept OutputBlockFor =
    BlockFor<View, Exec, Source> && !std::is_const_v<typename View::value_type>;

/// C = α·Aᵀ·f(A·v) + β·z of a streamed matrix, which is read once
///
/// | argument | shape | |
/// |---|---|---|
/// | source | m x n | in: blocks of A |
/// | v | n | in: any stride |
/// | C | n | out: any stride, overwritten |
/// | terms | | f, α, β and z |
///
/// `place` is an execution space, or a `Distributed`: then each rank reads a part of the matrix
/// (distributed/stream.hpp). Views are in memory of the execution space. Work and traffic: 4mn
/// flop; mn·sizeof(T) bytes from the source.
///
/// Guarantees: the bits of `tessera::atax` for any limit and number of readers. A state can be
/// resumed with the same matrix, v and map; α, β, z and keep_product may differ. Synchronous.
/// @throws LimitError if the limit is too small; it names one that works
/// @throws std::invalid_argument for wrong sizes, too many readers, missing kernels, and a state of
/// another operation
/// @throws std::system_error if a reader thread cannot start. Exceptions of the source and the
/// callbacks propagate; C is then undefined.
///
/// Source: docs/decisions/stream-blocks-are-subtrees.md.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, ones);
/// Kokkos::View<double*> v("v", 30), C("C", 30);
/// tessera::stream::atax(Kokkos::DefaultExecutionSpace(), source, v, C,
///                       {.memory_limit = std::size_t{64} << 20});
/// ```
template <StreamPlace Place, MatrixSource Source, VectorFor<detail::ExecOf<Place>, Source> V,
          OutputVectorFor<detail::ExecOf<Place>, Source> C>
Report atax(Place const& place, Source const& source, V const& v, C const& c,
            Options<typename Source::value_type> const& options = {},
            std::type_identity_t<
                AtaxTerms<detail::ExecOf<Place>, typename Source::value_type>> const& terms = {}) {
  using T = typename Source::value_type;
  using At = detail::PlaceOfStream<Place>;
  C const* const none = nullptr;
  At::together(place, [&] { detail::require_atax<T>(source, v, none, c, terms); });
  At::agree(place, "stream::atax", source, options, detail::numbers_of<T>(terms));
  return detail::in_order(source, [&](auto const& any) {
    return At::atax(place, any, tessera::detail::vector_in(v),
                    tessera::detail::OutputVector<T>{nullptr, 1}, tessera::detail::output(c),
                    options, terms);
  });
}

/// C = α·Aᵀ·B + β·z of a streamed matrix, and B = f(A·v)
///
/// B has m entries of any stride. Callbacks see A·v in B.
template <StreamPlace Place, MatrixSource Source, VectorFor<detail::ExecOf<Place>, Source> V,
          OutputVectorFor<detail::ExecOf<Place>, Source> B,
          OutputVectorFor<detail::ExecOf<Place>, Source> C>
Report atax(Place const& place, Source const& source, V const& v, B const& b, C const& c,
            Options<typename Source::value_type> const& options = {},
            std::type_identity_t<
                AtaxTerms<detail::ExecOf<Place>, typename Source::value_type>> const& terms = {}) {
  using T = typename Source::value_type;
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] { detail::require_atax<T>(source, v, &b, c, terms); });
  At::agree(place, "stream::atax with B", source, options, detail::numbers_of<T>(terms));
  return detail::in_order(source, [&](auto const& any) {
    return At::atax(place, any, tessera::detail::vector_in(v), tessera::detail::output(b),
                    tessera::detail::output(c), options, terms);
  });
}

/// C = α·Aᵀ·f(A·V) of a streamed matrix, V a block of k vectors
///
/// V and C are n x k, of any layout. No z, no states. Column j has the bits of a call with V's
/// column j. A limit that works for one column works for k, except for copies of vectors.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, ones);
/// Kokkos::View<double**, Kokkos::LayoutRight> V("V", 30, 8), C("C", 30, 8);
/// tessera::stream::atax(Kokkos::DefaultExecutionSpace(), source, V, C);
/// ```
template <ExecutionSpace Exec, MatrixSource Source, BlockFor<Exec, Source> In,
          OutputBlockFor<Exec, Source> Out>
Report atax(Exec const& exec, Source const& source, In const& v, Out const& c,
            Options<typename Source::value_type> const& options = {},
            std::type_identity_t<AtaxTerms<Exec, typename Source::value_type>> const& terms = {}) {
  using T = typename Source::value_type;
  auto const cols = static_cast<std::size_t>(source.cols());
  detail::require_columns("stream::atax", source, "V", v, cols, "C", c, cols);
  detail::require_terms<T>("stream::atax", source, terms, c);
  return detail::in_order(source, [&](auto const& any) {
    return detail::call_atax_of_columns<Exec, T>(exec, any, tessera::detail::matrix_in(v), nullptr,
                                                 tessera::detail::matrix_out(c), options, terms);
  });
}

/// And B = f(A·V), m x k.
template <ExecutionSpace Exec, MatrixSource Source, BlockFor<Exec, Source> In,
          OutputBlockFor<Exec, Source> Rows, OutputBlockFor<Exec, Source> Out>
Report atax(Exec const& exec, Source const& source, In const& v, Rows const& b, Out const& c,
            Options<typename Source::value_type> const& options = {},
            std::type_identity_t<AtaxTerms<Exec, typename Source::value_type>> const& terms = {}) {
  using T = typename Source::value_type;
  auto const rows = static_cast<std::size_t>(source.rows());
  auto const cols = static_cast<std::size_t>(source.cols());
  detail::require_columns("stream::atax", source, "V", v, cols, "B", b, rows);
  detail::require_columns("stream::atax", source, "V", v, cols, "C", c, cols);
  checks::require_apart("stream::atax", "C", c, "B", b);
  detail::require_terms<T>("stream::atax", source, terms, b, c);
  auto const rows_out = tessera::detail::matrix_out(b);
  return detail::in_order(source, [&](auto const& any) {
    return detail::call_atax_of_columns<Exec, T>(exec, any, tessera::detail::matrix_in(v),
                                                 &rows_out, tessera::detail::matrix_out(c), options,
                                                 terms);
  });
}

/// B = A·v of a streamed matrix
///
/// As `atax`; B has m entries.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, ones);
/// Kokkos::View<double*> v("v", 30), B("B", 1000);
/// tessera::stream::multiply(Kokkos::DefaultExecutionSpace(), source, v, B);
/// ```
template <StreamPlace Place, MatrixSource Source, VectorFor<detail::ExecOf<Place>, Source> V,
          OutputVectorFor<detail::ExecOf<Place>, Source> B>
Report multiply(Place const& place, Source const& source, V const& v, B const& b,
                Options<typename Source::value_type> const& options = {}) {
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] { detail::require_multiply(source, v, b); });
  At::agree(place, "stream::multiply", source, options, {});
  return detail::in_order(source, [&](auto const& any) {
    return At::template product<!detail::has_rows<decltype(any)>>(
        place, std::string("multiply"), any, tessera::detail::vector_in(v),
        tessera::detail::output(b), static_cast<Index>(b.extent(0)), options);
  });
}

/// B = A·V of a streamed matrix, V a block of k vectors
///
/// As `atax`; B is m x k.
template <ExecutionSpace Exec, MatrixSource Source, BlockFor<Exec, Source> In,
          OutputBlockFor<Exec, Source> Out>
Report multiply(Exec const& exec, Source const& source, In const& v, Out const& b,
                Options<typename Source::value_type> const& options = {}) {
  detail::require_columns("stream::multiply", source, "V", v,
                          static_cast<std::size_t>(source.cols()), "B", b,
                          static_cast<std::size_t>(source.rows()));
  return detail::in_order(source, [&](auto const& any) {
    return detail::run_product_of_columns<!detail::has_rows<decltype(any)>>(
        exec, "multiply", any, tessera::detail::matrix_in(v), tessera::detail::matrix_out(b),
        options);
  });
}

/// C = Aᵀ·B of a streamed matrix
///
/// As `atax`; B has m entries, C n.
template <StreamPlace Place, MatrixSource Source, VectorFor<detail::ExecOf<Place>, Source> B,
          OutputVectorFor<detail::ExecOf<Place>, Source> C>
Report multiply_transposed(Place const& place, Source const& source, B const& b, C const& c,
                           Options<typename Source::value_type> const& options = {}) {
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] { detail::require_multiply_transposed(source, b, c); });
  At::agree(place, "stream::multiply_transposed", source, options, {});
  return detail::in_order(source, [&](auto const& any) {
    return At::template product<detail::has_rows<decltype(any)>>(
        place, std::string("multiply_transposed"), any, tessera::detail::vector_in(b),
        tessera::detail::output(c), static_cast<Index>(c.extent(0)), options);
  });
}

/// C = Aᵀ·B of a streamed matrix, B a block of k vectors
///
/// As `atax`; B is m x k, C n x k.
template <ExecutionSpace Exec, MatrixSource Source, BlockFor<Exec, Source> In,
          OutputBlockFor<Exec, Source> Out>
Report multiply_transposed(Exec const& exec, Source const& source, In const& b, Out const& c,
                           Options<typename Source::value_type> const& options = {}) {
  constexpr auto name = "multiply_transposed";
  detail::require_columns("stream::multiply_transposed", source, "B", b,
                          static_cast<std::size_t>(source.rows()), "C", c,
                          static_cast<std::size_t>(source.cols()));
  return detail::in_order(source, [&](auto const& any) {
    return detail::run_product_of_columns<detail::has_rows<decltype(any)>>(
        exec, name, any, tessera::detail::matrix_in(b), tessera::detail::matrix_out(c), options);
  });
}

/// y = A·x and w = Aᵀ·u of a streamed matrix, in one read
///
/// As `atax`; x and w have n entries, u and y m. A state can be resumed with the same matrix, x and
/// u.
///
/// ```cpp
/// auto const ones = [](tessera::stream::Block const& block, double* to) {
///   std::fill_n(to, block.rows * block.cols, 1.0);
/// };
/// auto const source = tessera::stream::make_source<double>(1000, 30, ones);
/// Kokkos::View<double*> x("x", 30), u("u", 1000), y("y", 1000), w("w", 30);
/// tessera::stream::multiply_both(Kokkos::DefaultExecutionSpace(), source, x, u, y, w);
/// ```
template <StreamPlace Place, MatrixSource Source, VectorFor<detail::ExecOf<Place>, Source> X,
          VectorFor<detail::ExecOf<Place>, Source> U,
          OutputVectorFor<detail::ExecOf<Place>, Source> Y,
          OutputVectorFor<detail::ExecOf<Place>, Source> W>
Report multiply_both(Place const& place, Source const& source, X const& x, U const& u, Y const& y,
                     W const& w, Options<typename Source::value_type> const& options = {}) {
  using T = typename Source::value_type;
  using At = detail::PlaceOfStream<Place>;
  At::together(place, [&] { detail::require_multiply_both(source, x, u, y, w); });
  At::agree(place, "stream::multiply_both", source, options, {});
  // ATAX whose second product uses u.
  RowMap<T, typename U::memory_space> const replace(maps::Kind::replace, u);
  AtaxTerms<detail::ExecOf<Place>, T> const terms{.map = replace, .keep_product = true};
  return detail::in_order(source, [&](auto const& any) {
    return At::atax(place, any, tessera::detail::vector_in(x), tessera::detail::output(y),
                    tessera::detail::output(w), options, terms);
  });
}

}  // namespace tessera::stream

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_STREAM(TEMPLATE, EXEC, T)                   \
  namespace tessera::stream::detail {                       \
  TESSERA_STREAM_OF(TEMPLATE, EXEC, T, Kokkos::LayoutRight) \
  TESSERA_STREAM_OF(TEMPLATE, EXEC, T, Kokkos::LayoutLeft)  \
  TESSERA_STREAM_TREE(TEMPLATE, EXEC, T)                    \
  }
#define TESSERA_STREAM_TREE(TEMPLATE, EXEC, T)                 \
  TEMPLATE void add_vectors(EXEC const&, Index, T const*, T*); \
  TEMPLATE void set_result(EXEC const&, Index, T const*, OutputVector<T> const&);
#define TESSERA_STREAM_OF(TEMPLATE, EXEC, T, LAYOUT)                         \
  TESSERA_STREAM_WITH(TEMPLATE, EXEC, T, LAYOUT, tessera::kernels::Identity) \
  TESSERA_STREAM_WITH(TEMPLATE, EXEC, T, LAYOUT, maps::Function<T>)          \
  TESSERA_STREAM_PRODUCT(TEMPLATE, EXEC, T, LAYOUT, true)                    \
  TESSERA_STREAM_PRODUCT(TEMPLATE, EXEC, T, LAYOUT, false)
#define TESSERA_STREAM_WITH(TEMPLATE, EXEC, T, LAYOUT, FACTOR)                                  \
  TEMPLATE Report run_atax(EXEC const&, AnySource<T, LAYOUT> const&,                            \
                           VectorArgument<T const> const&, OutputVector<T>, OutputVector<T>,    \
                           Options<T> const&, maps::Kind, FACTOR const&);                       \
  TEMPLATE Report run_atax_of_columns(EXEC const&, AnySource<T, LAYOUT> const&,                 \
                                      MatrixArgument<T const> const&, MatrixArgument<T> const*, \
                                      MatrixArgument<T> const&, Options<T> const&,              \
                                      AtaxTerms<EXEC, T> const&, std::vector<FACTOR> const&);
#define TESSERA_STREAM_PRODUCT(TEMPLATE, EXEC, T, LAYOUT, IS_SUM)                                  \
  TEMPLATE Report run_product<IS_SUM>(EXEC const&, std::string const&,                             \
                                      AnySource<T, LAYOUT> const&, VectorArgument<T const> const&, \
                                      OutputVector<T>, Index, Options<T> const&);                  \
  TEMPLATE Report run_product_of_columns<IS_SUM>(                                                  \
      EXEC const&, std::string const&, AnySource<T, LAYOUT> const&,                                \
      MatrixArgument<T const> const&, MatrixArgument<T> const&, Options<T> const&);
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_STREAM)
