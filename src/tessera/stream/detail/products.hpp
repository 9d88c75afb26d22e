// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/maps.hpp>
#include <tessera/stream/detail/columns.hpp>
#include <tessera/stream/detail/run.hpp>
#include <tessera/stream/detail/states.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/source.hpp>
#include <tessera/stream/terms.hpp>

/// Products of a streamed matrix, after the checks of their arguments.
namespace tessera::stream::detail {

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

/// factors[j] maps the first product of column j.
template <class Exec, class T, class Layout, class Factor>
Report run_atax_of_columns(Exec const& exec, AnySource<T, Layout> const& source,
                           MatrixArgument<T const> const& v,
                           std::optional<MatrixArgument<T>> const& b, MatrixArgument<T> const& c,
                           Options<T> const& options, AtaxTerms<Exec, T> const& terms,
                           std::vector<Factor> const& factors) {
  auto const b_of = [&](Index j) { return b ? output_of(*b, j) : OutputVector<T>{nullptr, 1}; };
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
                            MatrixArgument<T const> const& v,
                            std::optional<MatrixArgument<T>> const& b, MatrixArgument<T> const& c,
                            Options<T> const& options, AtaxTerms<Exec, T> const& terms) {
  return tessera::detail::with_map(terms.map, [&](auto const& factor) {
    return run_atax_of_columns(exec, source, v, b, c, options, terms,
                               std::vector(v.extent(1), factor));
  });
}

template <class Source>
inline constexpr bool has_rows =
    std::is_same_v<typename std::remove_cvref_t<Source>::array_layout, Kokkos::LayoutRight>;

}  // namespace tessera::stream::detail
