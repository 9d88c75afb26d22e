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

#include <app/checkpoint.hpp>
#include <app/checkpoint_state.hpp>
#include <app/sha256.hpp>
#include <io/errors.hpp>
#include <tessera/stream.hpp>

#include "harness.hpp"

// Checkpoints: read, compared with a job, written anew, and gone on from. The first byte says
// whether the SHA-256 that a checkpoint ends in is put there, or is in the input, and which
// operation and matrix it is of.

namespace tessera::fuzz {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Vector = Kokkos::View<T*, Exec::memory_space>;

constexpr unsigned char sealed = 1;
constexpr unsigned char column_major_double = 8;
constexpr unsigned char small_limit = 16;

/// Kokkos, with one thread, as long as the program.
void start_kokkos() {
  static Kokkos::ScopeGuard const guard(Kokkos::InitializationSettings().set_num_threads(1));
}

/// Goes on with one of the operations over a small matrix.
/// @throws std::invalid_argument when the state is not one of this operation and matrix
template <class T, class Layout>
void go_on(app::Checkpoint const& checkpoint, unsigned operation, std::int64_t rows,
           std::int64_t cols, std::size_t limit) {
  auto const source =
      stream::make_source<T, Layout>(rows, cols, [](stream::Block const& block, T* to) {
        for (std::int64_t i = 0; i < block.rows * block.cols; ++i) to[i] = static_cast<T>(i % 7);
      });
  auto const state = app::to_state<T>(checkpoint);
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

void use(app::Checkpoint const& checkpoint, unsigned kind) {
  std::size_t const limit = (kind & small_limit) != 0 ? 20000 : 1 << 20U;
  try {
    if ((kind & column_major_double) != 0) {
      go_on<double, Kokkos::LayoutLeft>(checkpoint, kind / 2, 900, 3, 8 * limit);
    } else {
      go_on<float, Kokkos::LayoutRight>(checkpoint, kind / 2, 40, 300, limit);
    }
  } catch (std::invalid_argument const&) {  // a part of an element, or a state of something else
    return;
  }
}

void read(std::string const& path, unsigned kind) {
  std::optional<app::Checkpoint> checkpoint;
  try {
    checkpoint = app::read_checkpoint(path);
    if (!checkpoint) broken("no checkpoint, where there is a file");
    app::require_job(*checkpoint, checkpoint->job, path);
  } catch (io::FileError const& error) {
    expect_message(path, error.what());
    return;
  }
  try {
    app::require_job(*checkpoint, {}, path);
  } catch (io::FileError const& error) {
    expect_message(path, error.what());
  }
  use(*checkpoint, kind);
  app::write_checkpoint(path, *checkpoint);
  std::string const written = content_of(path);
  app::write_checkpoint(path, app::read_checkpoint(path).value());
  if (content_of(path) != written) broken("a checkpoint changes when it is written again");
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
