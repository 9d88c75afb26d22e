// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/stream/detail/blocks.hpp>
#include <tessera/stream/detail/pipes.hpp>
#include <tessera/stream/detail/plan.hpp>
#include <tessera/stream/detail/states.hpp>
#include <tessera/stream/detail/work.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/source.hpp>

namespace tessera::stream::detail {

/// A streamed operation, planned in the constructor. `Work` is a WorkOnBlocks; the caller makes one
/// for the planned blocks.
template <class Exec, class T, class Layout, template <class, class, bool, class> class Work,
          class Set>
class Run {
 public:
  using Source = AnySource<T, Layout>;
  using WorkOf = Work<Exec, T, std::is_same_v<Layout, Kokkos::LayoutRight>, Set>;

  /// Allocates nothing.
  /// @throws as make_plan
  Run(Exec const& exec, std::string const& operation, Source const& source, Vectors const& vectors,
      Options<T> const& options)
      : exec_(exec),
        options_(options),
        state_(state_of(vectors.operation, source)),
        feed_{.operation = operation,
              .source = source,
              .extents = extents_of(source),
              .plan = make_plan(operation, plan_input(exec, source, vectors, options), options),
              .while_waiting = options.while_waiting} {}

  [[nodiscard]] Extents const& extents() const { return feed_.extents; }
  [[nodiscard]] Blocks const& blocks() const { return feed_.plan.blocks; }

  Report operator()(WorkOf& work) {
    using Pipe = std::conditional_t<backends::Backend<Exec>::is_gpu, GpuPipe<Exec, T, Layout>,
                                    HostPipe<Exec, T, Layout>>;
    Plan const& plan = feed_.plan;
    Report report{
        .blocks = blocks().count(),
        .kernels = WorkOf::kernels(exec_, extents(), blocks(), options_.method, Set::kind),
        .block_bytes = static_cast<std::size_t>(blocks().size() * blocks().across()) * sizeof(T),
        .host_bytes = plan.host_bytes,
        .device_bytes = plan.device_bytes};
    Pipe pipe(exec_, feed_, report);
    StateKeeper<Exec, T> const states(exec_, feed_.operation, state_, blocks(), options_);
    Index const first = states.resume(work);
    exec_.fence("tessera::stream: arguments are there");
    pipe(work, first, [&](Index block) { states.tell(work, block); });
    work.finish();
    exec_.fence("tessera::stream: result is there");
    return report;
  }

 private:
  static PlanInput plan_input(Exec const& exec, Source const& source, Vectors const& vectors,
                              Options<T> const& options) {
    Extents const extents = extents_of(source);
    Method const method = options.method;
    return {.extents = extents,
            .cut = WorkOf::cut,
            .machine = Machine::of(exec),
            .bytes_at_once = source.bytes_at_once(),
            .kernels_may_read = source.reads_in_kernels(),
            .work_reads_lines = WorkOf::reads_lines && method != Method::two_stage,
            .vectors = vectors,
            .state = state_of(vectors.operation, source),
            .bytes_of_work = [=](Blocks const& blocks) -> WorkBytes {
              return {.kept = WorkOf::bytes(extents, blocks, vectors),
                      .per_block = WorkOf::kernel_bytes(exec, extents, blocks, method),
                      .to_read = WorkOf::bytes_to_read(exec, extents, blocks, method)};
            }};
  }

  Exec exec_;
  Options<T> options_;
  StateOf state_;
  Feed<T, Layout> feed_;
};

}  // namespace tessera::stream::detail
