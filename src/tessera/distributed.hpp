// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <mpi.h>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/aatx.hpp>
#include <tessera/atax.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/detail/product.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/agreement.hpp>
#include <tessera/distributed/detail/block_jobs.hpp>
#include <tessera/distributed/detail/parts.hpp>
#include <tessera/distributed/detail/shares.hpp>
#include <tessera/distributed/detail/sum_in_memory.hpp>
#include <tessera/distributed/error.hpp>
#include <tessera/distributed/rows.hpp>
#include <tessera/options.hpp>

namespace tessera::solve::detail {
template <class Exec, class T, class A>
class OperatorOnRanks;
}

/// Operations on a matrix whose rows are distributed over MPI processes.
namespace tessera {

/// Processes that compute together, with the bits of one process. Each rank passes a View of its
/// rows of the matrix, maybe none (docs/distributed.md).
///
/// Every member except rank, size, exec, exchange and rows_of is collective: all ranks pass the
/// same number of columns, layout, scalar type, map and numbers. If one rank throws, all throw its
/// error as a DistributedError. Only the calling thread calls MPI.
///
/// Products take narrow rows (docs/guide/narrow.md), with the bits of the rows widened to the
/// scalars of the vectors. Ranks may store them in different types.
///
/// All but `dot` and `sum_of_squares` are asynchronous. Allocations and CUDA graphs:
/// docs/distributed.md.
///
/// ```cpp
/// tessera::Distributed<Kokkos::DefaultExecutionSpace> const world(MPI_COMM_WORLD);
/// auto const rows = world.rows_of<double>(100000, 30);  // of this rank
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", rows.count, 30);
/// Kokkos::View<double*> v("v", 30), C("C", 30);
/// world.atax(A, v, C);
/// ```
template <ExecutionSpace Exec>
class Distributed {
  template <class T>
  using Memory = Kokkos::View<T*, typename Exec::memory_space>;
  template <class T>
  using MatrixIn = detail::MatrixArgument<T const>;
  template <class T>
  using MatrixOut = detail::MatrixArgument<T>;
  template <class T>
  using VectorArgumentIn = detail::VectorArgument<T const>;

 public:
  /// Duplicates `comm`: collective. MPI must be initialised before, and finalised after
  /// destruction.
  explicit Distributed(MPI_Comm comm, Exec exec = Exec())
      : Distributed(std::make_shared<distributed::Communicator const>(comm), std::move(exec)) {}
  /// Also reports errors of the communicator's other users. Collective.
  explicit Distributed(std::shared_ptr<distributed::Communicator const> comm, Exec exec = Exec())
      : comm_(std::move(comm)), exec_(std::move(exec)) {}

  [[nodiscard]] int rank() const { return comm_->rank(); }
  [[nodiscard]] int size() const { return comm_->size(); }
  [[nodiscard]] Exec const& exec() const { return exec_; }
  [[nodiscard]] distributed::Communicator const& communicator() const { return *comm_; }

  /// "nccl", "cuda-aware mpi" or "mpi from host memory", on every rank.
  [[nodiscard]] std::string exchange() const {
    return distributed::detail::name_of<Exec>(exchanges_->by);
  }

  /// This rank's rows of an m x n matrix: whole panels or segments of T, evenly split.
  template <Scalar T = float, ContiguousLayout Layout = Kokkos::LayoutRight>
  [[nodiscard]] distributed::Rows rows_of(Index m, Index n) const {
    checks::require_size("Distributed::rows_of", m, n, sizeof(T));
    if (m == 0 || n == 0) return rank() == 0 ? distributed::Rows{0, m} : distributed::Rows{m, 0};
    bool const by_rows =
        summation::lines_are_rows(std::is_same_v<Layout, Kokkos::LayoutRight>, m, n);
    return distributed::detail::even_rows(distributed::detail::units_of<T>(by_rows, m, n), rank(),
                                          size());
  }

  /// If body(), which may be collective, throws on a rank, all ranks throw that error.
  template <class Body>
  void together(Body const& body) const {
    comm_->together(body);
  }

  struct Place {
    distributed::Rows rows;
    Index all_rows;
    bool by_rows;
    std::vector<distributed::Rows> rows_by_rank;
  };
  /// Of a matrix that is read as T.
  template <Scalar T, StoredMatrixOf<Exec> A>
  [[nodiscard]] Place place_of(A const& a) const {
    return find_place<T>(detail::stored_in<T>(a));
  }
  template <MatrixOf<Exec> A>
  [[nodiscard]] Place place_of(A const& a) const {
    return place_of<typename A::non_const_value_type>(a);
  }

  /// B = A·v, each rank's rows. As all products but `aatx` for a vector or a block of vectors, with
  /// the bits of single calls: as many reads of A and messages as of one vector, up to the number
  /// of vectors that the kernels take at once.
  template <StoredMatrixOf<Exec> A, InputOf<Exec, A> V, OutputFor<Exec, V> B>
  void multiply(A const& a, V const& v, B const& b,
                std::type_identity_t<Options<Exec>> const& options = {}) const {
    using T = typename V::non_const_value_type;
    call_multiply<T>(detail::stored_in<T>(a), detail::input_of(v), detail::output_of(b), options);
  }

  /// C = Aᵀ·B, replicated. Each rank passes its rows of B.
  template <StoredMatrixOf<Exec> A, InputOf<Exec, A> B, OutputFor<Exec, B> C>
  void multiply_transposed(A const& a, B const& b, C const& c,
                           std::type_identity_t<Options<Exec>> const& options = {}) const {
    using T = typename B::non_const_value_type;
    call_transposed<T>("Distributed::multiply_transposed", detail::stored_in<T>(a),
                       detail::input_of(b), detail::output_of(c), options, false);
  }

  /// C = α·Aᵀ·f(A·v) + β·z; z and C are replicated. Each rank passes its rows of the map's vector.
  template <StoredMatrixOf<Exec> A, InputOf<Exec, A> V, OutputFor<Exec, V> C>
  void atax(A const& a, V const& v, C const& c,
            std::type_identity_t<AtaxOptions<Exec, typename V::non_const_value_type>> const&
                options = {}) const {
    using T = typename V::non_const_value_type;
    auto const out = detail::output_of(c);
    decltype(&out) const none = nullptr;
    call_atax<T>(detail::stored_in<T>(a), detail::input_of(v), none, out, options);
  }

  /// As above, and B = f(A·v), each rank's rows.
  template <StoredMatrixOf<Exec> A, InputOf<Exec, A> V, OutputFor<Exec, V> B, OutputFor<Exec, V> C>
  void atax(A const& a, V const& v, B const& b, C const& c,
            std::type_identity_t<AtaxOptions<Exec, typename V::non_const_value_type>> const&
                options = {}) const {
    using T = typename V::non_const_value_type;
    auto const first = detail::output_of(b);
    call_atax<T>(detail::stored_in<T>(a), detail::input_of(v), &first, detail::output_of(c),
                 options);
  }

  /// B = A·w, each rank's rows, and w = Aᵀ·u, replicated. Each rank passes its rows of u. The bits
  /// of `tessera::aatx`, and of its first product; reads A twice.
  template <StoredMatrixOf<Exec> A, VectorOf<Exec, A> U, OutputVectorOf<Exec, U> W,
            OutputVectorOf<Exec, U> B>
  void aatx(A const& a, U const& u, W const& w, B const& b,
            std::type_identity_t<Options<Exec>> const& options = {}) const {
    using T = typename U::non_const_value_type;
    // A single row or column has the lines of Aᵀ.
    bool const is_row = place_of<T>(a).all_rows == 1;
    call_transposed<T>("Distributed::aatx", detail::stored_in<T>(a), detail::vector_in(u),
                       detail::vector_out(w), options, a.extent(1) == 1);
    if (!is_row) return multiply(a, w, b, options);
    together([&] {
      detail::call_product<Exec, T>(exec_, detail::transposed_product,
                                    detail::stored_in<T>(detail::TransposeOf(a)),
                                    detail::vector_in(w), detail::vector_out(b), options);
    });
  }

  /// x·y of distributed vectors with the bits of tessera::dot, on every rank.
  template <Vector X, VectorOf<Exec, X> Y>
    requires AccessibleFrom<X, Exec>
  [[nodiscard]] typename X::non_const_value_type dot(
      X const& x, Y const& y, std::type_identity_t<Options<Exec>> const& options = {}) const {
    using T = typename X::non_const_value_type;
    Memory<T> packed, sum;
    together([&] {
      packed = memory<T>("x", static_cast<Index>(x.extent(0)));
      sum = memory<T>("sum", 1);
      Kokkos::deep_copy(exec_, packed, x);
    });
    Kokkos::View<T const**, Kokkos::LayoutLeft, typename Exec::memory_space> const column(
        packed.data(), packed.extent(0), 1);
    call_transposed<T>("Distributed::dot", detail::matrix_in(column), detail::vector_in(y),
                       detail::vector_out(sum), options, true);
    T value;
    copy_to_host(sum.data(), &value, 1);
    return value;
  }
  template <Vector X>
    requires AccessibleFrom<X, Exec>
  [[nodiscard]] typename X::non_const_value_type sum_of_squares(
      X const& x, std::type_identity_t<Options<Exec>> const& options = {}) const {
    return dot(x, x, options);
  }

  /// Gives every rank all entries of a vector whose rows each rank has filled in.
  ///
  /// @param x    contiguous, of the same length on every rank
  /// @param mine this rank's rows; all ranks' rows cover x in order, without gap or overlap
  /// @throws DistributedError on all ranks otherwise
  template <OutputVector X>
    requires AccessibleFrom<X, Exec>
  void share_rows(X const& x, distributed::Rows const& mine) const {
    share_agreed_rows(x, [&] { return mine; });
  }
  /// `rows_by_rank` is the same on each rank.
  template <OutputVector X>
    requires AccessibleFrom<X, Exec>
  void share_rows(X const& x, std::vector<distributed::Rows> const& rows_by_rank) const {
    auto const mine = [&] {
      if (rows_by_rank.size() == static_cast<std::size_t>(size())) return rows_by_rank[index()];
      checks::fail("Distributed::share_rows", "expected rows of " + std::to_string(size()) +
                                                  " ranks, found those of " +
                                                  std::to_string(rows_by_rank.size()));
    };
    share_agreed_rows(x, mine);
  }

 private:
  template <class, class, class>
  friend class solve::detail::OperatorOnRanks;  // which has an argument instead of a View

  using Global = distributed::detail::Global;
  using Sameness = distributed::detail::Sameness;

  [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(rank()); }

  template <class T, detail::ReadAs<T> A, class Check>
  Global agree(char const* operation, A const& a, Check const& check,
               Sameness const& sameness) const {
    return distributed::detail::agree<T>(*comm_, operation, a, check, sameness);
  }
  template <class T, detail::ReadAs<T> A>
  Place find_place(A const& a) const {
    auto const global = agree<T>("place_of", a, [] {}, {});
    return {global.rows[index()], global.all_rows, global.by_rows, global.rows};
  }
  template <class X, class GetMine>
  void share_agreed_rows(X const& x, GetMine const& get_mine) const {
    auto const rows_by_rank =
        distributed::detail::agree_on_rows(*comm_, detail::vector_out(x), get_mine);
    distributed::detail::gather_rows(exec_, *comm_, *exchanges_, x.data(),
                                     static_cast<Index>(x.extent(0)), rows_by_rank);
  }

  template <class T, detail::ReadAs<T> A>
  void call_multiply(A const& a, VectorArgumentIn<T> const& v, detail::VectorArgument<T> const& b,
                     Options<Exec> const& options) const {
    constexpr auto operation = "Distributed::multiply";
    auto const global = agree<T>(operation, a,
                                 [&] {
                                   checks::require_input(operation, "v", v, a.extent(1));
                                   checks::require_output(operation, "B", b, a.extent(0));
                                   checks::require_apart(operation, "B", b, "A", a);
                                   checks::require_apart(operation, "B", b, "v", v);
                                 },
                                 {});
    multiply_agreed<T>(global, a, distributed::detail::block_of(v),
                       distributed::detail::block_of(b), options);
  }
  template <class T, detail::ReadAs<T> A>
  void call_multiply(A const& a, MatrixIn<T> const& v, MatrixOut<T> const& b,
                     Options<Exec> const& options) const {
    constexpr auto operation = "Distributed::multiply";
    auto const global = agree<T>(
        operation, a,
        [&] { detail::require_blocks(operation, a, "V", v, a.extent(1), "B", b, a.extent(0)); },
        {.vectors = static_cast<Index>(v.extent(1))});
    multiply_agreed<T>(global, a, v, b, options);
  }
  template <class T, detail::ReadAs<T> A>
  void multiply_agreed(Global const& global, A const& a, MatrixIn<T> const& v,
                       MatrixOut<T> const& b, Options<Exec> const& options) const {
    distributed::Rows const mine{0, static_cast<Index>(a.extent(0))};
    together([&] {
      if (mine.count == 0 || a.extent(1) == 0) return set_zeros(b);
      distributed::detail::with_set<Exec, T>(
          "Distributed::multiply", a, options.kernels, global.by_rows,
          [&]<class Set>(Set, auto by_rows) {
            distributed::detail::multiply_rows_by_block<Set, by_rows()>(
                exec_, distributed::detail::lines_of_rows<by_rows()>(a, mine, global.all_rows), v,
                b, options);
          });
    });
  }

  template <class T, detail::ReadAs<T> A>
  void call_transposed(char const* operation, A const& a, VectorArgumentIn<T> const& b,
                       detail::VectorArgument<T> const& c, Options<Exec> const& options,
                       bool is_vector) const {
    auto const global = agree<T>(operation, a,
                                 [&] {
                                   checks::require_input(operation, "B", b, a.extent(0));
                                   checks::require_output(operation, "C", c, a.extent(1));
                                   checks::require_apart(operation, "C", c, "A", a);
                                   checks::require_apart(operation, "C", c, "B", b);
                                 },
                                 {.is_vector = is_vector});
    distributed::detail::TransposedJob<Exec, T, A> const job{exec_, a, b, options, global.all_rows};
    sum_over_rows<T>(global, a, detail::output(c), options.kernels, job);
  }
  template <class T, detail::ReadAs<T> A>
  void call_transposed(char const* operation, A const& a, MatrixIn<T> const& b,
                       MatrixOut<T> const& c, Options<Exec> const& options,
                       bool /*is_vector*/) const {
    auto const global = agree<T>(
        operation, a,
        [&] { detail::require_blocks(operation, a, "B", b, a.extent(0), "C", c, a.extent(1)); },
        {.vectors = static_cast<Index>(b.extent(1))});
    distributed::detail::TransposedBlockJob<Exec, T, A> const job{exec_, a, b, options,
                                                                  global.all_rows};
    sum_block_over_rows<T>(global, a, c, options.kernels, job);
  }

  /// c = a sum over all rows of A, in the order of `multiply_transposed`. make_job(all rows)
  /// returns a job as distributed::detail::SquaresJob.
  template <class T, detail::ReadAs<T> A, class MakeJob>
  void call_sum(char const* name, A const& a, detail::VectorArgument<T> const& c, Kernels kernels,
                MakeJob const& make_job) const {
    auto const global =
        agree<T>(name, a, [&] { checks::require_output(name, "C", c, a.extent(1)); }, {});
    sum_over_rows<T>(global, a, detail::output(c), kernels, make_job(global.all_rows));
  }

  template <class T, detail::ReadAs<T> A>
  void call_atax(A const& a, VectorArgumentIn<T> const& v, detail::VectorArgument<T> const* b,
                 detail::VectorArgument<T> const& c, AtaxOptions<Exec, T> const& options) const {
    constexpr auto operation = "Distributed::atax";
    detail::TermsOfAtax<T> const terms(options);
    auto const require_output = [&](char const* name, detail::VectorArgument<T> const& out,
                                    std::size_t size) {
      checks::require_output(operation, name, out, size);
      checks::require_apart(operation, name, out, "A", a);
      checks::require_apart(operation, name, out, "v", v);
      terms.require_apart(operation, name, out);
    };
    auto const check = [&] {
      checks::require_input(operation, "v", v, a.extent(1));
      if (b != nullptr) require_output("B", *b, a.extent(0));
      require_output("C", c, a.extent(1));
      if (b != nullptr) checks::require_apart(operation, "C", c, "B", *b);
      terms.require_extents(operation, a.extent(0), a.extent(1));
    };
    auto const global = agree<T>(operation, a, check, sameness_of(options, 0));
    std::optional<MatrixOut<T>> b_block;
    if (b != nullptr) b_block.emplace(distributed::detail::block_of(*b));
    atax_agreed<T>(global, a, distributed::detail::block_of(v), b_block ? &*b_block : nullptr,
                   distributed::detail::block_of(c), options, terms);
  }
  template <class T, detail::ReadAs<T> A>
  void call_atax(A const& a, MatrixIn<T> const& v, MatrixOut<T> const* b, MatrixOut<T> const& c,
                 AtaxOptions<Exec, T> const& options) const {
    constexpr auto operation = "Distributed::atax";
    detail::TermsOfAtax<T> const terms(options);
    auto const check = [&] {
      detail::require_blocks(operation, a, "V", v, a.extent(1), "C", c, a.extent(1));
      if (b != nullptr) {
        detail::require_blocks(operation, a, "V", v, a.extent(1), "B", *b, a.extent(0));
        checks::require_apart(operation, "C", c, "B", *b);
        terms.require_apart(operation, "B", *b);
      }
      terms.require_extents(operation, a.extent(0), a.extent(1));
      terms.require_apart(operation, "C", c);
    };
    auto const global =
        agree<T>(operation, a, check, sameness_of(options, static_cast<Index>(v.extent(1))));
    atax_agreed<T>(global, a, v, b, c, options, terms);
  }
  template <class T>
  static Sameness sameness_of(AtaxOptions<Exec, T> const& options, Index vectors) {
    maps::Function<T> const& map = options.map.function();
    return {.vectors = vectors,
            .alpha = static_cast<double>(options.alpha),
            .beta = static_cast<double>(options.beta),
            .map = map.kind,
            .gamma = static_cast<double>(map.gamma)};
  }
  template <class T, detail::ReadAs<T> A>
  void atax_agreed(Global const& global, A const& a, MatrixIn<T> const& v, MatrixOut<T> const* b,
                   MatrixOut<T> const& c, AtaxOptions<Exec, T> const& options,
                   detail::TermsOfAtax<T> const& terms) const {
    auto const rows = static_cast<Index>(a.extent(0));
    auto const cols = static_cast<Index>(a.extent(1));
    detail::with_map(options.map, [&](auto const& factor) {
      using Factor = std::remove_cvref_t<decltype(factor)>;
      distributed::detail::AtaxBlockJob<Exec, T, Factor, A> const job{
          exec_, a, v, b, options, factor, global.all_rows};
      sum_block_over_rows<T>(global, a, c, options.kernels, job);
      if (cols == 0 && b != nullptr) set_zeros(*b);
      for (Index j = 0; j < job.columns(); ++j) {
        detail::finish_atax(exec_, rows, job.b_of(j), cols, distributed::detail::column_of(c, j),
                            terms, factor);
      }
    });
  }

  template <class T>
  void set_zeros(MatrixOut<T> const& block) const {
    for (Index j = 0; j < static_cast<Index>(block.extent(1)); ++j) {
      detail::set_zero<T>(exec_, "tessera::distributed::zero", static_cast<Index>(block.extent(0)),
                          distributed::detail::column_of(block, j));
    }
  }

  template <class T, detail::ReadAs<T> A, class Job>
  void sum_block_over_rows(Global const& global, A const& a, MatrixOut<T> const& c, Kernels kernels,
                           Job const& job) const {
    auto const cols = static_cast<Index>(a.extent(1));
    if (job.columns() == 0) return;
    auto const column = [&](Index j) { return distributed::detail::column_of(c, j); };
    if (job.columns() == 1 || (c.stride(0) == 1 && c.stride(1) == c.extent(0))) {
      return sum_over_rows<T>(global, a, column(0), kernels, job);
    }
    Memory<T> sums;
    together([&] { sums = memory<T>("sums", cols * job.columns()); });
    sum_over_rows<T>(global, a, {sums.data(), 1}, kernels, job);
    for (Index j = 0; j < job.columns(); ++j) {
      detail::copy_vector<T>(exec_, "tessera::distributed::copy", cols, sums.data() + j * cols, 1,
                             column(j));
    }
  }

  template <class Job>
  static Index columns_of(Job const& job) {
    if constexpr (requires { job.columns(); }) return job.columns();
    return 1;
  }

  /// c = the tree over the units of all rows, for each column of the job; `job` computes this
  /// rank's parts.
  template <class T, detail::ReadAs<T> A, class Job>
  void sum_over_rows(Global const& global, A const& a, detail::OutputVector<T> c, Kernels kernels,
                     Job const& job) const {
    auto const cols = static_cast<Index>(a.extent(1));
    Index const length = cols * columns_of(job);
    if (global.all_rows == 0 || cols == 0) {
      return detail::set_zero<T>(exec_, "tessera::distributed::zero", length, c);
    }
    auto const units = distributed::detail::units_of<T>(global.by_rows, global.all_rows, cols);
    std::vector<distributed::detail::Share> shares;
    std::optional<distributed::detail::SumInMemory<Exec, T>> sum;
    Chains<T> chains;
    together([&] {
      std::vector<std::vector<int>> levels;
      for (auto const& rows : global.rows) {
        auto const& share = shares.emplace_back(distributed::detail::share_of(units, rows));
        auto& its = levels.emplace_back();
        if (share.ends_begun) its.push_back(0);
        for (auto const& subtree : share.whole) its.push_back(subtree.level);
      }
      sum.emplace(exec_, *comm_, *exchanges_, exchanges_->by, std::move(levels), length);
      distributed::detail::with_set<Exec, T>(
          "Distributed", a, kernels, global.by_rows, [&]<class Set>(Set, auto by_rows) {
            make_roots<Set, by_rows()>(global, units, shares[index()], a, job, sum->roots(),
                                       chains);
          });
    });
    if (global.by_rows) {
      hand_chains_on<true>(global, units, shares, a, job, sum->roots(), chains);
    } else {
      hand_chains_on<false>(global, units, shares, a, job, sum->roots(), chains);
    }
    (*sum)(c);
  }

  template <class T>
  struct Chains {
    Memory<T> memory, open_factors, begun_factors;
    std::vector<T> open, begun;  ///< on the host, for messages
  };

  template <bool RowMajor, class T, class A, class Job>
  void go_on(Global const& global, distributed::detail::Units const& units, A const& a,
             Job const& job, distributed::Rows const& rows, Memory<T> const& factors,
             Memory<T> const& chains) const {
    namespace parts = distributed::detail;
    Index const of_column =
        static_cast<Index>(a.extent(1)) * distributed::detail::chains_of_column<RowMajor, T>;
    auto const take = [&](auto const& lines, Index first) {
      for (Index j = 0; j < columns_of(job); ++j) {
        parts::go_on<RowMajor>(exec_, lines, (rows.first + first) % units.unit,
                               factors.data() + j * rows.count + first,
                               chains.data() + j * of_column);
      }
    };
    if constexpr (requires { job.template for_lines<RowMajor>(rows, take); }) {
      job.template for_lines<RowMajor>(local(global, rows), take);
    } else {
      take(parts::lines_of_rows<RowMajor>(a, local(global, rows), global.all_rows), 0);
    }
  }

  /// roots = the sums of this rank's whole subtrees, after that of a unit that ends here. Begins
  /// this rank's chains.
  template <class Set, bool RowMajor, class T, class A, class Job>
  void make_roots(Global const& global, distributed::detail::Units const& units,
                  distributed::detail::Share const& share, A const& a, Job const& job, T* roots,
                  Chains<T>& chains) const {
    Index const length = static_cast<Index>(a.extent(1)) * columns_of(job);
    Index const chain_count = length * distributed::detail::chains_of_column<RowMajor, T>;
    auto const prepare = [&](distributed::Rows const& rows, Memory<T>& factors,
                             std::vector<T>& on_host) {
      if (rows.count == 0) return;
      if (chains.memory.extent(0) == 0) chains.memory = memory<T>("chains", chain_count);
      on_host.resize(chains.memory.extent(0));
      factors = memory<T>("factors", rows.count * columns_of(job));
      job.template make_factors<Set, RowMajor>(local(global, rows), factors.data());
    };
    prepare(share.begun, chains.begun_factors, chains.begun);
    prepare(share.open, chains.open_factors, chains.open);
    if (share.open.count > 0) {
      detail::set_zero<T>(exec_, "tessera::distributed::zero", chain_count,
                          detail::output(chains.memory));
      go_on<RowMajor>(global, units, a, job, share.open, chains.open_factors, chains.memory);
      copy_to_host(chains.memory.data(), chains.open.data(), chain_count);
    }
    T* root = roots + (share.ends_begun ? length : 0);
    for (auto const& subtree : share.whole) {
      job.template add_units<Set, RowMajor>(local(global, subtree.rows), {root, 1});
      root += length;
    }
  }

  /// roots[0] = the sum of a unit that ends here.
  template <bool RowMajor, class T, class A, class Job>
  void hand_chains_on(Global const& global, distributed::detail::Units const& units,
                      std::vector<distributed::detail::Share> const& shares, A const& a,
                      Job const& job, T* roots, Chains<T>& chains) const {
    auto const hands_on = [](auto const& its) { return its.hands_chains_on(); };
    if (std::ranges::none_of(shares, hands_on)) return;
    auto const& share = shares[index()];
    // A rank that fails still sends its message, because the next rank waits for it.
    together([&] {
      using Sending = distributed::Communicator::Sending<T>;
      std::optional<Sending> sending;
      if (share.open.count > 0) sending.emplace(*comm_, chains.open, next_rank(global));
      if (share.begun.count == 0) return;
      auto& begun = chains.begun;
      comm_->receive(begun, previous_rank(global));
      std::exception_ptr error;
      try {
        copy_to_device(begun.data(), chains.memory.data(), static_cast<Index>(begun.size()));
        go_on<RowMajor>(global, units, a, job, share.begun, chains.begun_factors, chains.memory);
        if (share.ends_begun) {
          distributed::detail::end_chains<RowMajor>(
              exec_, static_cast<Index>(a.extent(1)) * columns_of(job), chains.memory.data(),
              roots);
        } else {
          copy_to_host(chains.memory.data(), begun.data(), static_cast<Index>(begun.size()));
        }
      } catch (...) {
        error = std::current_exception();
      }
      if (!share.ends_begun) sending.emplace(*comm_, begun, next_rank(global));
      if (error) std::rethrow_exception(error);
    });
  }

  [[nodiscard]] distributed::Rows local(Global const& global, distributed::Rows const& rows) const {
    return {rows.first - global.rows[index()].first, rows.count};
  }

  [[nodiscard]] int next_rank(Global const& global) const {
    std::size_t r = index() + 1;
    while (global.rows[r].count == 0) ++r;
    return static_cast<int>(r);
  }
  [[nodiscard]] int previous_rank(Global const& global) const {
    std::size_t r = index() - 1;
    while (global.rows[r].count == 0) --r;
    return static_cast<int>(r);
  }

  template <class T>
  Memory<T> memory(std::string const& what, Index size) const {
    return Memory<T>(
        Kokkos::view_alloc(exec_, "tessera::distributed::" + what, Kokkos::WithoutInitializing),
        static_cast<std::size_t>(size));
  }
  /// Fences.
  template <class T>
  void copy_to_host(T const* from, T* to, Index count) const {
    copy<Kokkos::HostSpace, typename Exec::memory_space>(from, to, count);
  }
  template <class T>
  void copy_to_device(T const* from, T* to, Index count) const {
    copy<typename Exec::memory_space, Kokkos::HostSpace>(from, to, count);
  }
  template <class To, class From, class T>
  void copy(T const* from, T* to, Index count) const {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    auto const size = static_cast<std::size_t>(count);
    Kokkos::deep_copy(exec_, Kokkos::View<T*, To, Unmanaged>(to, size),
                      Kokkos::View<T const*, From, Unmanaged>(from, size));
    exec_.fence("tessera::Distributed: elements are copied");
  }

  std::shared_ptr<distributed::Communicator const> comm_;
  Exec exec_;
  std::shared_ptr<distributed::detail::Exchanges<Exec>> exchanges_ =
      std::make_shared<distributed::detail::Exchanges<Exec>>(*comm_, exec_);
};

}  // namespace tessera
