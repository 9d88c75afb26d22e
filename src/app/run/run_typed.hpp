// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <Kokkos_Core.hpp>

#include <app/backend/backends.hpp>
#include <app/backend/devices.hpp>
#include <app/base/failure.hpp>
#include <app/base/progress.hpp>
#include <app/run/run.hpp>
#include <io/memory.hpp>
#include <tessera/backends/backends.hpp>
#include <tessera/plan.hpp>

namespace tessera::app {

template <class... Exec>
std::variant<Exec...> one_of(backends::Spaces<Exec...>);
using AnySpace = decltype(one_of(backends::Enabled{}));

inline AnySpace space_of(BackendChoice choice) {
  std::optional<AnySpace> space;
  backends::for_each_backend([&]<class Exec>(std::type_identity<Exec>) {
    if (to_string(choice) == backends::Backend<Exec>::name) space.emplace(Exec());
  });
  if (space) return *space;
  throw Failure(ExitStatus::resources,
                std::string(to_string(choice)) + " is not a backend of this program");
}

/// A pair, so that the lambdas stay visible to the compiler.
template <class Launch>
struct Stage {
  std::string name;
  Launch launch;
};
template <class Launch>
Stage(char const*, Launch) -> Stage<Launch>;

/// One warm-up, then `repeat` runs. A stage is timed as fence, start, run, fence, stop; a run is
/// their sum, without copies.
template <class Exec, class... Launch>
void measure(Exec const& exec, int repeat, Measurement& to, Stage<Launch> const&... stage) {
  (stage.launch(), ...);
  exec.fence("tessera::app::warm_up");

  ProgressBar bar("computing");
  std::vector<double> totals;
  std::vector<std::vector<double>> laps(sizeof...(stage));
  for (int run = 0; run < repeat; ++run) {
    bar.set(static_cast<std::uint64_t>(run), static_cast<std::uint64_t>(repeat));
    double total = 0;
    std::size_t index = 0;
    auto const time = [&](auto const& one) {
      Stopwatch const watch;
      one.launch();
      exec.fence("tessera::app::stage");
      double const seconds = watch.seconds();
      laps[index++].push_back(seconds);
      total += seconds;
    };
    (time(stage), ...);
    totals.push_back(total);
  }
  to.seconds = summarise(totals);
  std::size_t index = 0;
  (to.stages.push_back({.name = stage.name, .seconds = median(laps[index++])}), ...);
}

inline void add_time(Measurement& to, std::string const& name, double seconds) {
  auto const stage = std::ranges::find(to.stages, name, &StageTime::name);
  if (stage == to.stages.end()) {
    to.stages.push_back({.name = name, .seconds = seconds});
  } else {
    stage->seconds += seconds;
  }
}

template <class Exec>
void require_memory_of(std::uint64_t bytes, std::string const& input, std::string const& what) {
  if constexpr (backends::Backend<Exec>::is_gpu) {
    require_device_memory(bytes, input, what);
  } else {
    io::require_memory(bytes, input, what);
  }
}

/// Records the device's answer. Host backends were refused before.
template <class Exec>
void prefer_caches(Exec const& exec, MaybePreference preference, Measurement& to) {
  if constexpr (backends::Backend<Exec>::is_gpu) {
    if (preference) {
      to.cache_preference = backends::Backend<Exec>::set_cache_preference(exec, *preference);
    }
  }
}

template <class Request>
AnySpace space_for(Request const& request, Measurement& to) {
  AnySpace const space = space_of(request.backend);
  std::visit([&](auto const& exec) { prefer_caches(exec, request.cache_preference, to); }, space);
  return space;
}

/// Uninitialised. Checks the available memory first.
template <class View, class Exec, class... Extents>
View allocate(std::string const& input, std::string const& what, Extents... extents) {
  std::uint64_t const bytes =
      (sizeof(typename View::value_type) * ... * static_cast<std::uint64_t>(extents));
  require_memory_of<Exec>(bytes, input, what);
  try {
    return View(Kokkos::view_alloc("tessera::app::" + what, Kokkos::WithoutInitializing),
                static_cast<std::size_t>(extents)...);
  } catch (std::exception const& error) {  // Kokkos' type differs by version
    throw Failure(ExitStatus::resources, input + ": not enough memory for " + what + ": expected " +
                                             io::format_bytes(bytes) + ", found: " + error.what());
  }
}

/// Also checks the workspace's memory.
template <class Exec>
void take_plan(Plan const& plan, RunRequest const& request, Measurement& to) {
  require_memory_of<Exec>(plan.workspace_bytes, request.input, "the workspace");
  to.kernels = plan.kernels;
  for (auto const& stage : plan.stages) {
    to.cuts.push_back({.name = stage.name,
                       .teams = stage.teams,
                       .team_size = stage.team_size,
                       .panels = stage.panels,
                       .lines_per_panel = stage.lines_per_panel});
  }
}

template <class Exec, class T>
using DeviceVector = Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::memory_space>;

template <class Exec, class T>
DeviceVector<Exec, T> make_vector(RunRequest const& request, char const* label,
                                  std::int64_t length) {
  return allocate<DeviceVector<Exec, T>, Exec>(request.input, std::string("vector ") + label,
                                               length * request.columns);
}

template <class View>
auto block_of(View const& x, std::int64_t columns) {
  using Block = Kokkos::View<typename View::value_type**, Kokkos::LayoutLeft,
                             typename View::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  auto const count = static_cast<std::size_t>(columns);
  return Block(x.data(), x.size() / count, count);
}

template <class Exec, class T>
io::VectorView<T> take_result(DeviceVector<Exec, T> const& vector, Measurement& to) {
  if constexpr (backends::Backend<Exec>::is_gpu) {
    Stopwatch const watch;
    auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), vector);
    add_time(to, "copy to host", watch.seconds());
    return result;
  } else {
    return vector;
  }
}

/// Bytes.
inline constexpr std::size_t pinned_half = 8U << 20U;

inline void copy_on_host(std::byte const* from, std::byte* to, std::size_t bytes) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  constexpr std::size_t piece = 256U << 10U;
  Kokkos::parallel_for("tessera::app::fill_pinned",
                       Kokkos::RangePolicy<Host, Kokkos::IndexType<std::size_t>>(
                           Host(), 0, (bytes + piece - 1) / piece),
                       [=](std::size_t i) {
                         std::memcpy(to + i * piece, from + i * piece,
                                     std::min(piece, bytes - i * piece));
                       });
  Host().fence("tessera::app::fill_pinned");
}

/// From pageable host memory, by two pinned halves (docs/decisions/pinned-copies-to-gpus.md);
/// returns when complete. Sending pieces as they are read would leave no A for --check.
template <class Exec>
void copy_to_device(Exec const& exec, void const* from, void* to, std::size_t bytes) {
  using Pinned = typename backends::Backend<Exec>::PinnedSpace;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using OnDevice = Kokkos::View<std::byte*, typename Exec::memory_space, Unmanaged>;
  using InPinned = Kokkos::View<std::byte const*, Pinned, Unmanaged>;
  using Buffer = typename backends::Backend<Exec>::PinnedBuffer;

  std::size_t const half = std::min(bytes, pinned_half);
  std::array<Buffer, 2> buffers{Buffer(half), Buffer(bytes > half ? half : 0)};
  // Waits for copies before buffers are freed, also on an exception.
  struct Streams {
    std::array<Exec, 2> each;
    void fence() const {
      for (Exec const& stream : each) stream.fence("tessera::app::copy_to_device");
    }
    ~Streams() {
      try {
        fence();
      } catch (...) {  // NOLINT(bugprone-empty-catch): it has failed, and uses nothing any more
      }
    }
  } const streams{Kokkos::Experimental::partition_space(exec, 1, 1)};
  auto const* const source = static_cast<std::byte const*>(from);
  auto* const target = static_cast<std::byte*>(to);
  exec.fence("tessera::app::copy_to_device");  // the target may be in use
  std::size_t turn = 0;
  for (std::size_t done = 0; done < bytes; done += half, turn = 1 - turn) {
    std::size_t const count = std::min(half, bytes - done);
    Buffer& buffer = buffers[turn];
    streams.each[turn].fence("tessera::app::pinned");  // the half is free
    copy_on_host(source + done, buffer.data(), count);
    buffer.pin(exec);
    Kokkos::deep_copy(streams.each[turn], OnDevice(target + done, count),
                      InPinned(buffer.data(), count));
  }
  streams.fence();
}

template <class Exec, class T, class Layout>
using DeviceMatrix = Kokkos::View<T**, Layout, typename Exec::memory_space>;

/// The host's matrix, or a copy that is timed as a stage.
template <class Exec, class T, class Layout>
DeviceMatrix<Exec, T, Layout> bring(Exec const& exec, io::MatrixView<T, Layout> const& host,
                                    std::string const& input, Measurement& to) {
  if constexpr (backends::Backend<Exec>::is_gpu) {
    auto const A = allocate<DeviceMatrix<Exec, T, Layout>, Exec>(input, "the matrix",
                                                                 host.extent(0), host.extent(1));
    Stopwatch const watch;
    copy_to_device(exec, host.data(), A.data(), host.span() * sizeof(T));
    add_time(to, "copy to device", watch.seconds());
    return A;
  } else {
    return host;
  }
}

/// Empty if the host's vector is empty or has another type.
template <class Exec, class T>
DeviceVector<Exec, T> bring_vector(Exec const& exec, io::HostVector const& vector,
                                   std::string const& input, std::string const& what,
                                   Measurement& to) {
  auto const* const host = std::get_if<io::VectorView<T>>(&vector);
  if (host == nullptr || host->size() == 0) return {};
  if constexpr (backends::Backend<Exec>::is_gpu) {
    auto const x = allocate<DeviceVector<Exec, T>, Exec>(input, what, host->extent(0));
    Stopwatch const watch;
    copy_to_device(exec, host->data(), x.data(), host->span() * sizeof(T));
    add_time(to, "copy to device", watch.seconds());
    return x;
  } else {
    return *host;
  }
}

template <class Exec, class T>
struct TermsOnDevice {
  using Map = RowMap<T, typename Exec::memory_space>;

  TermsOnDevice(Exec const& exec, Terms const& terms, std::string const& input, Measurement& to)
      : kind(terms.map),
        alpha(static_cast<T>(terms.alpha)),
        beta(static_cast<T>(terms.beta)),
        of_map(bring_vector<Exec, T>(exec, terms.of_map, input, "the map's vector", to)),
        z(bring_vector<Exec, T>(exec, terms.z, input, "the vector to add", to)) {}

  [[nodiscard]] Map map() const { return kind == maps::Kind::identity ? Map() : Map(kind, of_map); }

  maps::Kind kind;
  T alpha;
  T beta;
  DeviceVector<Exec, T> of_map;
  DeviceVector<Exec, T> z;
};

template <class T>
std::uint64_t bytes_of(std::int64_t count) {
  return static_cast<std::uint64_t>(count) * sizeof(T);
}

template <class T>
Forecast forecast_of(Shape const& shape, Traffic const& traffic, std::int64_t input,
                     std::int64_t output, std::uint64_t scratch) {
  auto const columns = static_cast<std::uint64_t>(shape.columns);
  return {.traffic = columns * traffic.bytes(shape.rows, shape.cols, sizeof(T)),
          .inputs = bytes_of<T>(shape.rows * shape.cols + shape.columns * input +
                                (shape.has_map ? shape.rows : 0) + (shape.scales ? shape.cols : 0)),
          .results = bytes_of<T>(shape.columns * output),
          .scratch = scratch};
}

template <class Work>
void with_types(Shape const& shape, BackendChoice backend, Work const& work) {
  bool const by_rows = shape.layout == io::Layout::right;
  auto const with_space = [&]<class Exec>(Exec const&) {
    if (shape.type == io::ScalarType::f32) {
      by_rows ? work.template operator()<Exec, float, Kokkos::LayoutRight>()
              : work.template operator()<Exec, float, Kokkos::LayoutLeft>();
    } else {
      by_rows ? work.template operator()<Exec, double, Kokkos::LayoutRight>()
              : work.template operator()<Exec, double, Kokkos::LayoutLeft>();
    }
  };
  std::visit(with_space, space_of(backend));
}

template <class Exec, class T, class Layout>
DeviceMatrix<Exec, T, Layout> make_matrix(std::string const& input, std::size_t rows,
                                          std::size_t cols) {
  return allocate<DeviceMatrix<Exec, T, Layout>, Exec>(input, "the result", rows, cols);
}

template <class T, class Layout, class View>
io::MatrixView<T, Layout> take_matrix(View const& matrix, std::string const& input,
                                      Measurement& to) {
  using Exec = typename View::execution_space;
  if constexpr (backends::Backend<Exec>::is_gpu) {
    auto const result = allocate<io::MatrixView<T, Layout>, Kokkos::DefaultHostExecutionSpace>(
        input, "the result", matrix.extent(0), matrix.extent(1));
    Stopwatch const watch;
    Kokkos::deep_copy(result, matrix);
    add_time(to, "copy to host", watch.seconds());
    return result;
  } else {
    return matrix;
  }
}

template <class A, class B>
void take_product_facts(A const& a, B const& b, Measurement& to) {
  auto const [m, k, n] = std::tuple(a.extent(0), a.extent(1), b.extent(1));
  to.bytes = (m * k + k * n + m * n) * sizeof(typename A::value_type);
  to.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

}  // namespace tessera::app
