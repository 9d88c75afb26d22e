// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <app/base/failure.hpp>
#include <app/base/progress.hpp>
#include <app/base/ranks.hpp>
#include <app/base/text.hpp>
#include <app/checkpoint/checkpoint.hpp>
#include <app/run/run_typed.hpp>
#include <app/stream/stream.hpp>
#include <io/chunked_read.hpp>
#include <io/matrix_reader.hpp>
#include <io/memory.hpp>
#include <tessera/distributed/error.hpp>
#include <tessera/stream.hpp>
#include <tessera/stream/aatx.hpp>

/// The place's type, an execution space or all ranks, selects the library's overload.
namespace tessera::app {

template <class T, class Layout>
class FileSource {
 public:
  using value_type = T;
  using array_layout = Layout;
  static constexpr bool reads_in_kernels = true;  // reading a file does not use Kokkos

  explicit FileSource(io::MatrixReader const& reader) : reader_(reader) {}

  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(reader_.info().rows); }
  [[nodiscard]] std::int64_t cols() const { return static_cast<std::int64_t>(reader_.info().cols); }
  /// 1 for files in chunks, which are read in whole blocks.
  [[nodiscard]] std::size_t bytes_at_once() const { return reader_.info().chunk_rows == 0 ? 0 : 1; }
  /// Only for files in chunks, whose blocks must then be read in order.
  void set_buffer(io::RowBuffer const& buffer) { rows_.emplace(reader_, buffer); }
  void read(stream::Block const& block, T* to) const {
    auto const whole = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
    io::Block const part{.row = whole(block.first_row),
                         .col = whole(block.first_col),
                         .rows = whole(block.rows),
                         .cols = whole(block.cols)};
    try {
      std::span<T> const elements(to, part.elements());
      if (rows_) {
        rows_->read(part, elements);
      } else {
        io::read_whole_block(reader_, part, elements);
      }
    } catch (...) {
      KeptFailure::keep();
      throw;
    }
  }

 private:
  io::MatrixReader const& reader_;
  mutable std::optional<io::BufferedRows<T>> rows_;
};

/// An empty one is not computed.
template <class Vectors>
struct StreamOutputs {
  Vectors rows;  ///< as long as a column
  Vectors cols;  ///< as long as a row
};

/// Bytes that count against the limit.
inline std::uint64_t bytes_outside(StreamRequest const& r, OperationRow const& row, bool makes_rows,
                                   bool on_gpu) {
  constexpr std::uint64_t reader_may_have = std::uint64_t{32} << 20U;
  auto const& info = r.reader.info();
  auto const [rows, cols] =
      row.is_of_transpose() ? std::pair(info.cols, info.rows) : std::pair(info.rows, info.cols);
  std::uint64_t const vectors = (r.terms.adds() ? 3 : 2) * cols +
                                (makes_rows || row.takes_rows_vector ? rows : 0) +
                                (r.terms.has_map() ? rows : 0);
  std::uint64_t const reading =
      info.reader_bytes + io::row_buffer_of(info, r.type, io::RowBuffer::free_bytes).bytes;
  return static_cast<std::uint64_t>(r.columns) * vectors * io::size_of(r.type) * (on_gpu ? 2 : 1) +
         (reading - std::min(reading, reader_may_have));
}

template <class Vector>
Vector column(Vector const& x, std::int64_t j, std::int64_t columns) {
  if (x.size() == 0) return x;
  std::size_t const length = x.size() / static_cast<std::size_t>(columns);
  return Vector(x.data() + static_cast<std::size_t>(j) * length, length);
}

/// Rounded up for --memory-limit.
inline std::string limit_text(std::uint64_t bytes) {
  constexpr std::uint64_t kib = 1024;
  auto const whole = [&](std::uint64_t unit) { return std::to_string((bytes + unit - 1) / unit); };
  return bytes < 1024 * kib ? whole(kib) + "KiB" : whole(1024 * kib) + "MiB";
}

/// Buffers a chunk's rows; fewer, with a notice, if the limit is small.
/// @param other_bytes bytes outside the stream, with a buffer of RowBuffer::free_bytes
/// @param needed least bytes of the stream
/// @return bytes above RowBuffer::free_bytes
template <class T, class Layout>
std::uint64_t set_buffer(FileSource<T, Layout>& source, io::MatrixReader const& reader,
                         std::uint64_t limit, std::uint64_t other_bytes, std::uint64_t needed) {
  io::MatrixInfo const& info = reader.info();
  std::uint64_t const room = limit - std::min(limit, other_bytes);
  if (info.chunk_rows == 0 || needed > room) return 0;  // the stream refuses the limit
  constexpr io::ScalarType type = io::scalar_type<T>;
  auto const more_than_free = [](io::RowBuffer const& buffer) {
    return buffer.bytes - std::min(buffer.bytes, io::RowBuffer::free_bytes);
  };
  std::uint64_t const more = std::min(room / 2, room - needed);
  io::RowBuffer const buffer = io::row_buffer_of(info, type, io::RowBuffer::free_bytes + more);
  source.set_buffer(buffer);
  if (buffer.times > 1) {
    std::uint64_t const whole =
        more_than_free(io::row_buffer_of(info, type, std::numeric_limits<std::uint64_t>::max()));
    say(reader.path() + " is in chunks of " + std::to_string(info.chunk_rows) + " x " +
        std::to_string(info.chunk_cols) + ", and is read " + std::to_string(buffer.times) +
        " times: --memory-limit " + limit_text(other_bytes + whole + std::max(whole, needed)) +
        " reads it once, and so does a file in chunks of fewer rows (tessera convert --chunk)");
  }
  return more_than_free(buffer);
}

/// If the limit is too small, the error names one that works.
template <class Work>
void stream_within(std::string const& path, std::uint64_t limit, std::uint64_t other_bytes,
                   Work const& work) {
  auto const fail = [&](std::uint64_t needed) {
    throw Failure(ExitStatus::resources,
                  path + ": streaming it needs --memory-limit " + limit_text(needed + other_bytes) +
                      " or more, found a limit of " + io::format_bytes(limit));
  };
  try {
    work();
  } catch (stream::LimitError const& error) {
    fail(error.needed());
  } catch (DistributedLimitError const& error) {  // thrown on all ranks
    fail(error.needed());
  } catch (std::system_error const& error) {
    throw Failure(ExitStatus::resources, path + ": cannot be streamed: " + error.what());
  }
}

template <class T>
std::optional<stream::State<T>> state_of(std::string const& path, CheckpointJob const& job) {
  auto file = CheckpointFile::open(path);
  if (!file) return std::nullopt;
  require_job(file->job(), job, path);
  return read_state<T>(*file);
}

inline constexpr auto alone = [](auto const& exec) { return exec; };

/// With Blocks, as many vectors as the limit allows share a pass; otherwise each vector has a pass.
///
/// Calls call(place, source, x, outputs, options, terms). If `rows` and `cols` are made, `cols` is
/// the result.
template <bool Blocks = true, class Call, class PlaceOf = decltype(alone)>
Measurement run_streamed(StreamRequest const& r, OperationId id, bool rows, bool cols,
                         Call const& call, PlaceOf const& place_of = alone) {
  Measurement to;
  to.method = "streamed";
  auto const& info = r.reader.info();
  Shape const shape = shape_of(info, r.type);
  with_types(shape, r.backend, [&]<class Exec, class T, class Layout>() {
    Exec const exec;
    auto const place = place_of(exec);
    constexpr bool on_gpu = backends::Backend<Exec>::is_gpu;
    std::string const& path = r.reader.path();
    FileSource<T, Layout> source(r.reader);
    std::uint64_t const other_bytes = bytes_outside(r, row_of(id), rows, on_gpu);
    Measurement copies;  // their times are not part of the run
    auto const x = bring_vector<Exec, T>(exec, r.x, path, "the vector", copies);
    TermsOnDevice<Exec, T> const terms(exec, r.terms, path, copies);
    StreamOutputs<DeviceVector<Exec, T>> out;
    auto const make = [&](char const* what, std::int64_t length) {
      return allocate<DeviceVector<Exec, T>, Exec>(path, what, length * r.columns);
    };
    if (rows) out.rows = make("vector B", shape.rows);
    if (cols) out.cols = make("vector C", shape.cols);

    ProgressBar bar("streaming " + path);
    std::optional<CheckpointJob> job;
    std::optional<stream::State<T>> state;
    if (!r.checkpoint.empty()) {
      job = checkpoint_job(r, id, rows && cols);
      state = state_of<T>(r.checkpoint, *job);
    }
    std::int64_t const first_block = state ? state->blocks_done : 0;
    using Clock = std::chrono::steady_clock;
    auto last = Clock::now();
    stream::Options<T> options{
        .memory_limit = r.memory_limit - std::min(r.memory_limit, other_bytes),
        .readers = info.in_order_only ? 1 : 0,  // one reads in order
        .method = r.method,
        .kernels = r.kernels,
        .on_progress = [&](stream::Progress const& p) { bar.set(p.bytes_done, p.bytes); }};
    if (job) {
      options.wants_state = [&](stream::Progress const& p) {
        state.reset();  // the run has resumed: there is memory for one state
        std::chrono::duration<double> const since = Clock::now() - last;
        return p.blocks_done < p.blocks && since.count() >= r.checkpoint_seconds;
      };
      options.on_state = [&](stream::State<T> const& found) {
        try {
          r.reader.check_unchanged();
          try_checkpoint(r.checkpoint, to_checkpoint(found, *job));
        } catch (...) {
          KeptFailure::keep();
          throw;
        }
        last = Clock::now();
      };
    }
    if (state) options.resume = &*state;

    Stopwatch const watch;
    stream::Report report;
    double waited_for_data = 0, waited_for_work = 0;
    std::uint64_t bytes_read = 0;
    constexpr bool by_one_process = ExecutionSpace<std::remove_cvref_t<decltype(place)>>;
    [[maybe_unused]] bool is_first = true;
    auto const run = [&](auto const& of_x, auto const& of_rows, auto const& of_cols) {
      StreamOutputs<std::remove_cvref_t<decltype(of_rows)>> const its{.rows = of_rows,
                                                                      .cols = of_cols};
      // All ranks need one limit for their blocks, so buffers of one size.
      if constexpr (by_one_process) {
        if (std::exchange(is_first, false)) {
          auto const needed =
              stream::detail::bytes_needed_by(options, [&](stream::Options<T> const& least) {
                call(place, source, of_x, its, least, terms);
              });
          options.memory_limit -= set_buffer(source, r.reader, r.memory_limit, other_bytes, needed);
        }
      } else if (std::exchange(is_first, false)) {
        source.set_buffer(io::row_buffer_of(info, r.type, io::RowBuffer::free_bytes));
      }
      auto const one = call(place, source, of_x, its, options, terms);
      waited_for_data += one.seconds_waiting_for_data;
      waited_for_work += one.seconds_waiting_for_work;
      bytes_read += one.bytes_read;
      report = one;
    };
    try {
      stream_within(path, r.memory_limit, other_bytes, [&] {
        if constexpr (Blocks) {
          if (r.columns == 1) {
            run(x, out.rows, out.cols);
          } else {
            run(block_of(x, r.columns), block_of(out.rows, r.columns),
                block_of(out.cols, r.columns));
          }
        } else {
          for (std::int64_t j = 0; j < r.columns; ++j) {
            run(column(x, j, r.columns), column(out.rows, j, r.columns),
                column(out.cols, j, r.columns));
          }
        }
      });
    } catch (std::invalid_argument const& error) {
      if (!state) throw;
      throw io::FileError(io::ErrorKind::bad_input, r.checkpoint,
                          std::string("not a usable checkpoint: ") + error.what());
    }
    r.reader.check_unchanged();
    to.seconds = summarise({watch.seconds()});
    to.stages = {
        {.name = "waiting for data", .seconds = waited_for_data},
        {.name = on_gpu ? "waiting for the GPU" : "computing", .seconds = waited_for_work}};
    to.kernels = report.kernels;
    to.bytes = bytes_read;
    to.stream = StreamFacts{.blocks = report.blocks,
                            .block_bytes = report.block_bytes,
                            .bytes_read = bytes_read,
                            .memory_limit = r.memory_limit,
                            .first_block = first_block};
    if (cols) to.result = take_result<Exec, T>(out.cols, to);
    if (rows && cols) to.intermediate = take_result<Exec, T>(out.rows, to);
    if (rows && !cols) to.result = take_result<Exec, T>(out.rows, to);
  });
  return to;
}

template <class PlaceOf>
Measurement stream_atax_at(StreamRequest const& request, PlaceOf const& place_of) {
  auto const call = [&]<class Place, class Source, class Vector, class Out, class T, class Exec>(
                        Place const& place, Source const& source, Vector const& v, Out const& out,
                        stream::Options<T> const& options, TermsOnDevice<Exec, T> const& given) {
    stream::AtaxTerms<Exec, T> const terms{
        .map = given.map(), .alpha = given.alpha, .beta = given.beta, .z = given.z};
    using stream::atax;
    if (request.keep_intermediate) {
      return atax(place, source, v, out.rows, out.cols, options, terms);
    }
    return atax(place, source, v, out.cols, options, terms);
  };
  return run_streamed(request, OperationId::atax, request.keep_intermediate, true, call, place_of);
}

template <class PlaceOf>
Measurement stream_at(OperationId id, StreamRequest const& request, PlaceOf const& place_of) {
  using stream::multiply;
  using stream::multiply_both;
  using stream::multiply_transposed;
  auto const rows_first = [](Measurement run) {
    std::swap(run.result, *run.intermediate);
    return run;
  };
  switch (id) {
    case OperationId::multiply:
      return run_streamed(
          request, id, true, false,
          [](auto const& place, auto const& source, auto const& v, auto const& out,
             auto const& options,
             auto const& /*terms*/) { return multiply(place, source, v, out.rows, options); },
          place_of);
    case OperationId::multiply_transposed:
      return run_streamed(
          request, id, false, true,
          [](auto const& place, auto const& source, auto const& u, auto const& out,
             auto const& options, auto const& /*terms*/) {
            return multiply_transposed(place, source, u, out.cols, options);
          },
          place_of);
    case OperationId::multiply_both:
      return rows_first(run_streamed<false>(
          request, id, true, true,
          [](auto const& place, auto const& source, auto const& x, auto const& out,
             auto const& options, auto const& terms) {
            return multiply_both(place, source, x, terms.of_map, out.rows, out.cols, options);
          },
          place_of));
    case OperationId::aatx: {
      Measurement run = rows_first(run_streamed(
          request, id, true, true,
          [](auto const& place, auto const& source, auto const& u, auto const& out,
             auto const& options, auto const& /*terms*/) {
            return stream::aatx(place, source, u, out.cols, out.rows, options);
          },
          place_of));
      if (!request.keep_intermediate) run.intermediate.reset();
      return run;
    }
    case OperationId::atax:
      break;
  }
  return stream_atax_at(request, place_of);
}

inline void require_limit(std::size_t needed, std::size_t limit) {
  if (needed > limit) throw stream::LimitError("solve", needed, limit);
}

/// Keeps the file's bytes in memory, if that leaves as much for blocks. On several ranks each would
/// have all of them.
/// @return their number
inline std::uint64_t hold_within(std::uint64_t room, io::MatrixReader const& reader) {
  std::uint64_t const bytes = reader.bytes_to_hold();
  if (bytes > room / 2 || ranks().are_many()) return 0;
  reader.hold();
  return bytes;
}

/// @param other_bytes bytes that the solver holds
/// @param needs bytes that all products need: a small limit is refused before the first
template <class T, class Layout, class Needs, class Work>
void with_stream(io::MatrixReader const& reader, std::uint64_t limit, std::uint64_t other_bytes,
                 Kernels kernels, Needs const& needs, Work const& work) {
  FileSource<T, Layout> source(reader);
  std::uint64_t const taken =
      other_bytes + reader.info().reader_bytes +
      io::row_buffer_of(reader.info(), io::scalar_type<T>, io::RowBuffer::free_bytes).bytes;
  stream::Options<T> options{
      .memory_limit = limit - std::min(limit, taken), .readers = 0, .kernels = kernels};
  stream_within(reader.path(), limit, taken, [&] {
    std::size_t const needed = needs(std::as_const(source));
    require_limit(needed, options.memory_limit);
    options.memory_limit -= set_buffer(source, reader, limit, taken, needed);
    options.memory_limit -= hold_within(options.memory_limit - needed, reader);
    work(std::as_const(source), std::as_const(options));
  });
  reader.check_unchanged();
}

}  // namespace tessera::app
