// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include <app/base/sha256.hpp>
#include <app/checkpoint/checkpoint.hpp>
#include <io/errors.hpp>
#include <tessera/stream.hpp>

#include "harness.hpp"

// Reads a checkpoint, compares it with a job, writes it again, resumes. The first byte selects
// operation, matrix, limit, and whether the SHA-256 is computed here.

namespace tessera::fuzz {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Vector = Kokkos::View<T*, Exec::memory_space>;

constexpr unsigned char sealed = 1;
constexpr unsigned char column_major_double = 8;
constexpr unsigned char small_limit = 16;

void start_kokkos() {
  static Kokkos::ScopeGuard const guard(Kokkos::InitializationSettings().set_num_threads(1));
}

template <class T, class Layout>
void go_on(stream::State<T> const& state, unsigned operation, std::int64_t rows, std::int64_t cols,
           std::size_t limit) {
  auto const source =
      stream::make_source<T, Layout>(rows, cols, [](stream::Block const& block, T* to) {
        for (std::int64_t i = 0; i < block.rows * block.cols; ++i) to[i] = static_cast<T>(i % 7);
      });
  stream::Options<T> const options{.memory_limit = limit, .readers = 1, .resume = &state};
  Exec const exec;
  Vector<T> const v("v", static_cast<std::size_t>(cols));
  Vector<T> const in("in", static_cast<std::size_t>(rows));
  Vector<T> const b("B", static_cast<std::size_t>(rows));
  Vector<T> const c("C", static_cast<std::size_t>(cols));
  switch (operation % 4) {
    case 0:
      stream::atax(exec, source, v, c, options);
      break;
    case 1:
      stream::atax(exec, source, v, b, c, options);
      break;
    case 2:
      stream::multiply(exec, source, v, b, options);
      break;
    default:
      stream::multiply_transposed(exec, source, in, c, options);
      break;
  }
}

template <class T>
std::optional<stream::State<T>> state_in(std::string const& path, app::CheckpointJob& job) {
  try {
    auto file = app::CheckpointFile::open(path);
    if (!file) broken("no checkpoint, where there is a file");
    job = file->job();
    app::require_job(file->job(), job, path);
    return app::read_state<T>(*file);
  } catch (io::FileError const& error) {
    expect_message(path, error.what());
    return std::nullopt;
  }
}

template <class T, class Layout>
void read_as(std::string const& path, unsigned kind, std::int64_t rows, std::int64_t cols,
             std::size_t limit) {
  app::CheckpointJob job;
  auto const state = state_in<T>(path, job);
  if (!state) return;
  try {
    app::require_job(job, {}, path);
  } catch (io::FileError const& error) {
    expect_message(path, error.what());
  }
  try {
    go_on<T, Layout>(*state, kind / 2, rows, cols, limit);
  } catch (std::invalid_argument const&) {
  }
  app::write_checkpoint(path, app::to_checkpoint(*state, job));
  std::string const written = content_of(path);
  auto const again = state_in<T>(path, job);
  if (!again) broken("a checkpoint that was written cannot be read");
  app::write_checkpoint(path, app::to_checkpoint(*again, job));
  if (content_of(path) != written) broken("a checkpoint changes when it is written again");
}

void read(std::string const& path, unsigned kind) {
  std::size_t const limit = (kind & small_limit) != 0 ? 20000 : 1 << 20U;
  if ((kind & column_major_double) != 0) {
    read_as<double, Kokkos::LayoutLeft>(path, kind, 900, 3, 8 * limit);
  } else {
    read_as<float, Kokkos::LayoutRight>(path, kind, 40, 300, limit);
  }
}

}  // namespace
}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace tessera;
  fuzz::start_kokkos();
  fuzz::Bytes bytes(data, size);
  auto const kind = static_cast<unsigned>(fuzz::take(bytes, 1));
  std::vector<std::uint8_t> content(bytes.begin(), bytes.end());
  if ((kind & fuzz::sealed) != 0) {
    std::string const digest = app::sha256(std::as_bytes(std::span(content)));
    content.insert(content.end(), digest.begin(), digest.end());
  }
  fuzz::read(fuzz::put("run.state", content), kind);
  return 0;
}
