// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/dot.hpp>
#include <tessera/detail/sum.hpp>
#include <tessera/options.hpp>

/// What the operations share between their checks and their kernels.
namespace tessera::detail {

/// The caller's tuning, or the backend's for this shape and layout.
template <class T, bool RowMajor, class Exec>
Tuning tuning_for(Exec const& exec, Index rows, Index cols,
                  std::optional<Tuning> const& requested) {
  if (requested) {
    checks::require_valid(*requested);
    return *requested;
  }
  if constexpr (RowMajor) {
    return backends::Backend<Exec>::template row_major_tuning<T>(exec, rows, cols);
  } else {
    return backends::Backend<Exec>::template column_major_tuning<T>(exec, rows, cols);
  }
}

/// A vector as kernels write it.
template <class View>
OutputVector<typename View::value_type> output(View const& x) {
  return {x.data(), static_cast<Index>(x.stride(0))};
}

/// Scalars of workspace for a contiguous copy of an input vector; 0 if it is contiguous itself.
template <class View>
Index packed_size(View const& x) {
  return x.stride(0) == 1 || x.extent(0) == 1 ? 0 : static_cast<Index>(x.extent(0));
}

/// The elements of an input vector, contiguous: its own, or copied to `copy`.
template <class Exec, class View>
typename View::non_const_value_type const* contiguous(Exec const& exec, std::string const& label,
                                                      View const& x,
                                                      typename View::non_const_value_type* copy) {
  Index const size = packed_size(x);
  if (size == 0) return x.data();
  auto const* const from = x.data();
  auto const stride = static_cast<Index>(x.stride(0));
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  Kokkos::parallel_for(
      label + "::pack", Policy(exec, 0, size),
      KOKKOS_LAMBDA(Index const i) { copy[i] = from[i * stride]; });
  return copy;
}

/// The caller's workspace, or one of this call's own.
template <class Exec>
class WorkspaceOf {
 public:
  explicit WorkspaceOf(Workspace<Exec>* kept) : kept_(kept) {}
  template <class T>
  T* reserve(Exec const& exec, Index scalars) {
    if (scalars == 0) return nullptr;
    auto& workspace = kept_ != nullptr ? *kept_ : own_;
    return reinterpret_cast<T*>(
        workspace.reserve(exec, static_cast<std::size_t>(scalars) * sizeof(T)));
  }

 private:
  Workspace<Exec>* kept_;
  Workspace<Exec> own_;
};

/// out = A x (`dot` of rows or `sum` of columns) or Aᵀ x (the other): the two primitives behind one
/// name each.
template <class Exec, class T, class Input>
void run_dot(Exec const& exec, std::string const& label, Lines<T> const& lines, Input const& x,
             OutputVector<T> out, Options<Exec> const& options, Tuning const& tuning) {
  WorkspaceOf<Exec> memory(options.workspace);
  Index const packed = packed_size(x);
  Index const partials = DotPlan<T>(lines, tuning.dot).workspace(lines);
  T* const workspace = memory.template reserve<T>(exec, packed + partials);
  T const* const factors = contiguous(exec, label, x, workspace);
  dot(exec, label, lines, factors, out, workspace + packed, tuning.dot);
}

template <class Exec, class T, class Input>
void run_sum(Exec const& exec, std::string const& label, Lines<T> const& lines, Input const& y,
             OutputVector<T> out, Options<Exec> const& options, Tuning const& tuning) {
  WorkspaceOf<Exec> memory(options.workspace);
  Index const packed = packed_size(y);
  Index const partials = SumPlan<T>(lines, tuning.sum).workspace(lines);
  T* const workspace = memory.template reserve<T>(exec, packed + partials);
  T const* const factors = contiguous(exec, label, y, workspace);
  sum(exec, label, lines, factors, out, workspace + packed, tuning.sum);
}

}  // namespace tessera::detail
