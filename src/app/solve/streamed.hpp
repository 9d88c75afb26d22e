// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <system_error>

#include <app/base/failure.hpp>
#include <app/solve/operator.hpp>
#include <app/stream/stream_typed.hpp>
#include <io/memory.hpp>
#include <tessera/stream.hpp>

namespace tessera::app {

/// work(source, options) with the matrix as a source that is streamed once a step.
template <class T, class Layout, class Work>
void with_stream(SolveRequest const& r, Work const& work) {
  auto const& info = r.reader.info();
  FileSource<T, Layout> const source(r.reader);
  std::uint64_t const limit = r.place.stream->memory_limit;
  stream::Options<T> const options{
      .memory_limit = limit - std::min(limit, r.vectors + info.reader_bytes),
      .readers = 0,
      .kernels = r.kernels};
  try {
    work(source, options);
  } catch (stream::LimitError const& error) {
    throw Failure(ExitStatus::resources,
                  r.reader.path() + ": streaming it expected --memory-limit " +
                      limit_text(error.needed() + r.vectors + info.reader_bytes) +
                      " or more, found a limit of " + io::format_bytes(limit));
  } catch (std::system_error const& error) {
    throw Failure(ExitStatus::resources, r.reader.path() + ": cannot be streamed: " + error.what());
  }
  r.reader.check_unchanged();
}

}  // namespace tessera::app
