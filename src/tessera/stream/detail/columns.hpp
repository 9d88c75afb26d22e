// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include <tessera/options.hpp>
#include <tessera/stream/detail/blocks.hpp>
#include <tessera/stream/detail/plan.hpp>
#include <tessera/stream/detail/work.hpp>
#include <tessera/stream/options.hpp>

namespace tessera::stream::detail {

/// Work for several vectors in one read. It has no states.
template <template <class, class, bool, class> class Work>
struct EachColumn {
  template <class Exec, class T, bool RowMajor, class Set>
  class Of : public WorkOnBlocks<Exec, T> {
   public:
    using One = Work<Exec, T, RowMajor, Set>;
    static constexpr Cut cut = One::cut;
    static std::size_t bytes(Extents const& e, Blocks const& blocks, Vectors const& vectors) {
      return static_cast<std::size_t>(vectors.count) * One::bytes(e, blocks, vectors);
    }
    static std::size_t kernel_bytes(Exec const& exec, Extents const& e, Blocks const& blocks,
                                    Method method) {
      return One::kernel_bytes(exec, e, blocks, method);
    }
    static Kernels kernels(Exec const& exec, Extents const& e, Blocks const& blocks, Method method,
                           Kernels of_set) {
      return One::kernels(exec, e, blocks, method, of_set);
    }

    template <class... Arguments>
    void add(Arguments&&... arguments) {
      works_.emplace_back(std::forward<Arguments>(arguments)...);
    }

    void take(Index block, T const* data) {
      for (One& work : works_) work.take(block, data);
    }
    void finish() {
      for (One& work : works_) work.finish();
    }

   private:
    std::deque<One> works_;
  };
};

}  // namespace tessera::stream::detail
