// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/compiled.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/gemm.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/in_memory.hpp>
#include <tessera/stream.hpp>
#include <tessera/stream/detail/blocks.hpp>
#include <tessera/stream/detail/plan.hpp>
#include <tessera/stream/detail/run.hpp>
#include <tessera/stream/detail/tree.hpp>
#include <tessera/stream/detail/work.hpp>
#include <tessera/summation.hpp>
#include <tessera/workspace.hpp>

/// Products of a matrix with several vectors in one read.
namespace tessera::solve {

using summation::Index;

template <class Exec, class T>
using Rows = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;
template <class Exec, class T>
using ConstRows = Kokkos::View<T const**, Kokkos::LayoutRight, typename Exec::memory_space>;

namespace detail {

/// The columns of a matrix as rows, each contiguous in memory of Exec.
template <class T, class Exec, class View>
ConstRows<Exec, T> columns_as_rows(Exec const& exec, View const& B) {
  static std::string const label("tessera::solve::pack");
  Rows<Exec, T> const BT(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), B.extent(1),
                         B.extent(0));
  for (std::size_t j = 0; j < B.extent(1); ++j) {
    auto const column = Kokkos::subview(B, Kokkos::ALL, j);
    tessera::detail::copy_vector<T>(exec, label, static_cast<Index>(B.extent(0)), column.data(),
                                    static_cast<Index>(column.stride(0)),
                                    {BT.data() + j * B.extent(0), 1});
  }
  return BT;
}

template <class Exec, class Element>
using StridedMatrix = Kokkos::View<Element**, Kokkos::LayoutStride, typename Exec::memory_space,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

inline Kokkos::LayoutStride strided(Index rows, Index down, Index cols, Index across) {
  auto const size = [](Index x) { return static_cast<std::size_t>(x); };
  return Kokkos::LayoutStride(size(rows), size(down), size(cols), size(across));
}

/// c = a·b in chains of `chain` products
template <class Exec, class T>
void multiply_in_chains(Exec const& exec, StridedMatrix<Exec, T const> const& a,
                        StridedMatrix<Exec, T const> const& b, StridedMatrix<Exec, T> const& c,
                        GemmOptions<Exec> const& options, Index chain) {
  using namespace tessera::detail;
  call_gemm(exec, matrix_in(a), matrix_in(b), matrix_out(c), options, chain);
}

template <class Exec, class T>
class BlockSums;

/// B = A·V and C = Aᵀ·B. Without V, C = Aᵀ·U; with V and U, B = A·V - U. BT may be empty.
template <class Exec, class T>
struct BlockProducts {
  using value_type = T;
  using Sums = BlockSums<Exec, T>;

  ConstRows<Exec, T> VT;  ///< k x n
  ConstRows<Exec, T> UT;  ///< k x m
  Rows<Exec, T> BT;       ///< k x m
  Rows<Exec, T> CT;       ///< k x n

  [[nodiscard]] Index count() const { return static_cast<Index>(CT.extent(0)); }
  [[nodiscard]] Index cols() const { return static_cast<Index>(CT.extent(1)); }
  [[nodiscard]] stream::detail::Vectors vectors() const {
    return {.operation = "block", .count = count()};
  }
};

/// On a GPU, a group stays in cache from one product to the next.
template <class Exec>
std::size_t group_bytes(Exec const& exec) {
  return backends::Backend<Exec>::is_gpu ? std::size_t{32} << 20U
                                         : stream::detail::Machine::of(exec).target_bytes();
}

/// For B. Chains for C are as long as a segment.
inline constexpr Index chain_of_b = summation::min_chain;

template <class T>
struct TakeColumnsFrom {
  T* b;
  Index stride;
  T const* u;
  Index length;
  Index rows;
  KOKKOS_FUNCTION void operator()(Index item) const {
    Index const vector = item / rows;
    Index const i = item - vector * rows;
    b[vector * stride + i] = b[vector * stride + i] - u[vector * length + i];
  }
};

/// Computes BlockProducts from blocks of rows of A. Aligned groups of rows are subtrees of a tree
/// over chains, so bits depend neither on the blocks nor on A's layout.
template <class Exec, class T>
class BlockSums {
 public:
  using Products = BlockProducts<Exec, T>;
  template <class Element>
  using Matrix = StridedMatrix<Exec, Element>;

  static std::size_t bytes(Index vectors, Index cols, Index rows, Index blocks) {
    auto const parts = [](Index chains, Index size) { return chains > 1 ? chains * size : 0; };
    Index const kept =
        std::max(parts(summation::ceil_div(cols, chain_of_b), rows * vectors),
                 parts(summation::ceil_div(rows, summation::segment<T>), cols * vectors));
    return stream::detail::VectorTree<Exec, T>::bytes(vectors * cols, blocks) +
           static_cast<std::size_t>(rows * vectors + kept) * sizeof(T);
  }

  BlockSums(Exec const& exec, Products products, Kernels kernels, Workspace<Exec>& workspace,
            Index rows, Index blocks)
      : exec_(exec),
        products_(std::move(products)),
        options_{.workspace = &workspace, .kernels = kernels},
        sums_(exec, products_.count() * products_.cols(), blocks) {
    if (products_.VT.extent(0) == 0 || products_.BT.extent(0) > 0) return;
    b_ = Rows<Exec, T>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::solve::b")),
        products_.VT.extent(0), static_cast<std::size_t>(rows));
  }

  void take(Index block, Index first, Index rows, T const* A, Index down, Index across) {
    Index const k = products_.count();
    Index const n = products_.cols();
    Matrix<T const> b(nullptr, strided(rows, 1, k, 1));
    if (products_.VT.extent(0) > 0) {
      bool const is_kept = products_.BT.extent(0) > 0;
      Rows<Exec, T> const& all = is_kept ? products_.BT : b_;
      Matrix<T> const to(all.data() + (is_kept ? first : 0),
                         strided(rows, 1, k, static_cast<Index>(all.extent(1))));
      multiply_in_chains<Exec, T>(exec_, Matrix<T const>(A, strided(rows, down, n, across)),
                                  Matrix<T const>(products_.VT.data(), strided(n, 1, k, n)), to,
                                  options_, chain_of_b);
      if (products_.UT.extent(0) > 0) {
        static std::string const label("tessera::solve::residual");
        tessera::detail::for_each_element(
            exec_, label, k * rows,
            TakeColumnsFrom<T>{to.data(), static_cast<Index>(all.extent(1)),
                               products_.UT.data() + first,
                               static_cast<Index>(products_.UT.extent(1)), rows});
      }
      b = to;
    } else {
      b = Matrix<T const>(products_.UT.data() + first,
                          strided(rows, 1, k, static_cast<Index>(products_.UT.extent(1))));
    }
    multiply_in_chains<Exec, T>(exec_, Matrix<T const>(A, strided(n, across, rows, down)), b,
                                Matrix<T>(sums_.next().data(), strided(n, 1, k, n)), options_,
                                summation::segment<T>);
    sums_.push(block);
  }
  void finish() { sums_.finish({products_.CT.data(), 1}); }

 private:
  Exec exec_;
  Products products_;
  GemmOptions<Exec> options_;
  stream::detail::VectorTree<Exec, T> sums_;
  Rows<Exec, T> b_;
};

/// Gives blocks of rows to the `Sums` of some products.
template <class Sums, class Exec, class T, bool RowMajor, class Set>
class RowsWork : public stream::detail::WorkOnBlocks<Exec, T> {
 public:
  using Extents = stream::detail::Extents;
  using Blocks = stream::detail::Blocks;
  static constexpr auto cut = RowMajor ? stream::detail::Cut::groups : stream::detail::Cut::tiles;
  static std::size_t bytes(Extents const& e, Blocks const& blocks,
                           stream::detail::Vectors const& vectors) {
    return Sums::bytes(vectors.count, cols(e), blocks.size(), blocks.count());
  }

  RowsWork(Exec const& exec, Extents const& e, Blocks const& blocks,
           typename Sums::Products const& products, Workspace<Exec>& workspace)
      : cols_(cols(e)),
        blocks_(blocks),
        sums_(exec, products, Set::kind, workspace, blocks.size(), blocks.count()) {}

  void take(Index block, T const* data) {
    auto const [first, rows] = blocks_.part(block);
    sums_.take(block, first, rows, data, RowMajor ? cols_ : 1, RowMajor ? 1 : rows);
  }
  void finish() { sums_.finish(); }

 private:
  static Index cols(Extents const& e) { return RowMajor ? e.length : e.count; }

  Index cols_;
  Blocks blocks_;
  Sums sums_;
};

template <class Sums>
struct WorkOf {
  template <class Exec, class T, bool RowMajor, class Set>
  using Type = RowsWork<Sums, Exec, T, RowMajor, Set>;
};

/// Computes BlockProducts, GramProducts or MomentProducts with one read of `a`. Fences.
/// @param widened keeps memory for rows of a narrow matrix; null: allocated
template <class Exec, class Products>
void products_in_memory(Exec const& exec, MatrixInMemory<typename Products::value_type> const& a,
                        Products const& products, Kernels kernels, Workspace<Exec>& workspace,
                        Workspace<Exec>* widened = nullptr) {
  using T = typename Products::value_type;
  auto const blocks = groups_of_rows<T>(a, group_bytes(exec));
  typename Products::Sums sums(exec, products, kernels, workspace, blocks.size(), blocks.count());
  for_groups<T>(exec, a, blocks, widened, [&](auto... group) { sums.take(group...); });
  sums.finish();
  exec.fence("tessera::solve: the products are there");
}

/// Computes BlockProducts, GramProducts or MomentProducts with one read of `source`.
template <class Exec, class Layout, class T, class Products>
stream::Report stream_products(Exec const& exec, stream::detail::AnySource<T, Layout> const& source,
                               Products const& products, stream::Options<T> options) {
  options.on_state = {};
  options.resume = nullptr;
  return tessera::detail::with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
    stream::detail::Run<Exec, T, Layout, WorkOf<typename Products::Sums>::template Type, Set> run(
        exec, "solve", source, products.vectors(), options);
    Workspace<Exec> workspace;
    typename decltype(run)::WorkOf work(exec, run.extents(), run.blocks(), products, workspace);
    return run(work);
  });
}

}  // namespace detail
}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_PRODUCTS(TEMPLATE, EXEC, T, PRODUCTS)                                        \
  namespace tessera::solve::detail {                                                               \
  TEMPLATE void products_in_memory(EXEC const&, MatrixInMemory<T> const&,                          \
                                   PRODUCTS<EXEC, T> const&, Kernels, Workspace<EXEC>&,            \
                                   Workspace<EXEC>*);                                              \
  TEMPLATE stream::Report stream_products(EXEC const&,                                             \
                                          stream::detail::AnySource<T, Kokkos::LayoutLeft> const&, \
                                          PRODUCTS<EXEC, T> const&, stream::Options<T>);           \
  TEMPLATE stream::Report stream_products(                                                         \
      EXEC const&, stream::detail::AnySource<T, Kokkos::LayoutRight> const&,                       \
      PRODUCTS<EXEC, T> const&, stream::Options<T>);                                               \
  }
#define TESSERA_SOLVE_BLOCKS(TEMPLATE, EXEC, T) \
  TESSERA_SOLVE_PRODUCTS(TEMPLATE, EXEC, T, BlockProducts)
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_BLOCKS)
