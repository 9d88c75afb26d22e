// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <app/checkpoint.hpp>
#include <app/checkpoint_job.hpp>
#include <app/checkpoint_state.hpp>
#include <app/run_typed.hpp>
#include <app/stream.hpp>
#include <kernels/compiled.hpp>
#include <tessera/stream.hpp>

namespace tessera::app {

/// A matrix file as a source of blocks.
template <class T, class Layout>
class FileSource {
 public:
  using value_type = T;
  using array_layout = Layout;

  explicit FileSource(io::MatrixReader const& reader) : reader_(reader) {}

  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(reader_.info().rows); }
  [[nodiscard]] std::int64_t cols() const { return static_cast<std::int64_t>(reader_.info().cols); }
  void read(stream::Block const& block, T* to) const {
    auto const whole = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
    io::Block const part{.row = whole(block.first_row),
                         .col = whole(block.first_col),
                         .rows = whole(block.rows),
                         .cols = whole(block.cols)};
    reader_.read_block(part, std::span<T>(to, part.elements()));
  }

 private:
  io::MatrixReader const& reader_;
};

/// Vectors that a streamed operation writes; an empty one is not wanted.
template <class Exec, class T>
struct StreamOutputs {
  DeviceVector<Exec, T> rows;  ///< as long as a column
  DeviceVector<Exec, T> cols;  ///< as long as a row
};

/// Bytes of a streamed job's vectors: they count against its limit too.
inline std::uint64_t vector_bytes(StreamRequest const& r, bool rows_vectors, bool on_gpu) {
  auto const& info = r.reader.info();
  std::uint64_t const elements = 2 * info.cols + (rows_vectors ? info.rows : 0);
  return elements * io::size_of(r.type) * (on_gpu ? 2 : 1);
}

/// Streams once: call(exec, source, x, outputs, options) is the operation. Which outputs it makes,
/// `rows` and `cols` say; the result is the other one's where both are made.
template <class Call>
Measurement run_streamed(StreamRequest const& r, OperationId id, bool rows, bool cols,
                         Call const& call) {
  Measurement to;
  to.method = "streamed";
  auto const& info = r.reader.info();
  Shape const shape{.rows = static_cast<std::int64_t>(info.rows),
                    .cols = static_cast<std::int64_t>(info.cols),
                    .type = r.type,
                    .layout = info.layout};
  with_types(shape, r.backend, [&]<class Exec, class T, class Layout>() {
    Exec const exec;
    constexpr bool on_gpu = backends::Backend<Exec>::is_gpu;
    std::string const& path = r.reader.path();
    FileSource<T, Layout> const source(r.reader);
    auto const& host_x = std::get<io::VectorView<T>>(r.x);
    auto const x = allocate<DeviceVector<Exec, T>, Exec>(path, "the vector", host_x.extent(0));
    Kokkos::deep_copy(x, host_x);
    StreamOutputs<Exec, T> out;
    if (rows) out.rows = allocate<DeviceVector<Exec, T>, Exec>(path, "vector B", shape.rows);
    if (cols) out.cols = allocate<DeviceVector<Exec, T>, Exec>(path, "vector C", shape.cols);

    std::uint64_t const vectors = vector_bytes(r, rows || row_of(id).takes_rows_vector, on_gpu);
    if (vectors >= r.memory_limit) {
      throw Failure(ExitStatus::resources, path + ": the vectors alone need " +
                                               io::format_bytes(vectors) + ", found a limit of " +
                                               io::format_bytes(r.memory_limit));
    }
    ProgressBar bar("streaming " + path);
    CheckpointJob const job =
        r.checkpoint.empty() ? CheckpointJob{} : checkpoint_job(r, id, rows && cols);
    std::optional<stream::State<T>> state;
    if (auto const found = r.checkpoint.empty() ? std::nullopt : read_checkpoint(r.checkpoint)) {
      require_job(*found, job, r.checkpoint);
      try {
        state = to_state<T>(*found);
      } catch (std::invalid_argument const& error) {
        throw io::FileError(io::ErrorKind::bad_input, r.checkpoint, error.what());
      }
    }
    using Clock = std::chrono::steady_clock;
    auto last = Clock::now();
    stream::Options<T> options{
        .memory_limit = r.memory_limit - vectors,
        .readers = info.in_order_only ? 1 : 0,  // one reads in order
        .method = r.method,
        .on_progress = [&](stream::Progress const& p) { bar.set(p.bytes_done, p.bytes); }};
    if (!r.checkpoint.empty()) {
      options.wants_state = [&](stream::Progress const& p) {
        std::chrono::duration<double> const since = Clock::now() - last;
        return p.blocks_done < p.blocks && since.count() >= r.checkpoint_seconds;
      };
      options.on_state = [&](stream::State<T> const& found) {
        r.reader.check_unchanged();
        write_checkpoint(r.checkpoint, to_checkpoint(found, job));
        last = Clock::now();
      };
    }
    if (state) options.resume = &*state;

    Stopwatch const watch;
    stream::Report report;
    try {
      report = call(exec, source, x, out, options);
    } catch (std::invalid_argument const& error) {  // a limit that is too small, a foreign state
      throw Failure(ExitStatus::resources, path + ": " + error.what());
    }
    r.reader.check_unchanged();
    to.seconds = summarise({watch.seconds()});
    to.stages = {{.name = "waiting for data", .seconds = report.seconds_waiting_for_data},
                 {.name = on_gpu ? "waiting for the GPU" : "computing",
                  .seconds = report.seconds_waiting_for_work}};
    to.bytes = report.bytes_read;
    to.stream = StreamFacts{.blocks = report.blocks,
                            .block_bytes = report.block_bytes,
                            .bytes_read = report.bytes_read,
                            .memory_limit = r.memory_limit,
                            .first_block = state ? state->blocks_done : 0};
    if (cols) to.result = take_result<Exec, T>(out.cols, to);
    if (rows && cols) to.intermediate = take_result<Exec, T>(out.rows, to);
    if (rows && !cols) to.result = take_result<Exec, T>(out.rows, to);
  });
  return to;
}

}  // namespace tessera::app
