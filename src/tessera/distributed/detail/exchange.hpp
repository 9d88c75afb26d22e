// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/nccl.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/joins.hpp>
#include <tessera/distributed/rows.hpp>

/// Exchanges between ranks from memory of Exec.
namespace tessera::distributed::detail {

template <class Exec>
inline constexpr bool is_on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

enum class SendBy {
  nccl,
  mpi,
  host_mpi,  ///< through the host
};

template <class Exec>
SendBy mpi_of(Communicator const& comm) {
  return is_on_host<Exec> || comm.takes_device_memory() ? SendBy::mpi : SendBy::host_mpi;
}

template <class Exec>
char const* name_of(SendBy by) {
  if (by == SendBy::nccl) return "nccl";
  return by == SendBy::mpi && !is_on_host<Exec> ? "cuda-aware mpi" : "mpi from host memory";
}

/// Grows to the largest need; kept between calls.
template <class Space>
class Kept {
 public:
  /// Uninitialised. Invalidates earlier allocations.
  template <class T, class Exec>
  T* get(Exec const& exec, Index count) {
    auto const bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (bytes_.extent(0) < bytes) {
      exec.fence("tessera::Distributed: the memory before is not used");
      bytes_ = {};
      bytes_ = Kokkos::View<std::byte*, Space>(
          Kokkos::view_alloc(std::string("tessera::distributed::kept"),
                             Kokkos::WithoutInitializing),
          bytes);
      exec.fence("tessera::Distributed: memory is there");
    }
    return reinterpret_cast<T*>(bytes_.data());
  }

 private:
  Kokkos::View<std::byte*, Space> bytes_;
};

/// Kept by a Distributed object for consecutive calls on `exec`. The constructor is collective.
template <class Exec>
struct Exchanges {
  Exchanges(Communicator const& comm, Exec const& exec)
      : nccl(comm, exec), by(nccl.is_there() ? SendBy::nccl : mpi_of<Exec>(comm)) {}

  void set_joins(Exec const& exec, std::vector<std::vector<int>> levels) {
    if (levels == levels_) return;
    std::vector<Join> const order = joins_of(levels);
    exec.fence("tessera::Distributed: the order before is not used");
    joins = Joins(
        Kokkos::view_alloc(std::string("tessera::distributed::joins"), Kokkos::WithoutInitializing),
        order.size());
    Kokkos::deep_copy(
        joins,
        Kokkos::View<Join const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
            order.data(), order.size()));
    levels_ = std::move(levels);
  }

  using Joins = Kokkos::View<Join*, typename Exec::memory_space>;

  backends::Nccl<Exec> nccl;
  SendBy by;
  Kept<typename Exec::memory_space> elements;
  Kept<Kokkos::SharedHostPinnedSpace> on_host;
  Joins joins;
  /// Of `gather_rows`: what all ranks have allocated, the same on all.
  std::size_t bytes_of_rows = 0;

 private:
  std::vector<std::vector<int>> levels_;
};

/// Fences `exec` before MPI reads, and returns when done. `on_host`: for host_mpi, room for what is
/// sent and then for what is received.
template <class Exec, class T>
class MpiExchange {
 public:
  MpiExchange(Exec exec, Communicator const& comm, SendBy by, T* on_host)
      : exec_(std::move(exec)), comm_(comm), by_(by), on_host_(on_host) {}

  void all_to_all(T const* from, Counts const& sent, T* to, Counts const& got) const {
    exchange(from, sent.all(), to, got.all(),
             [&](T const* a, T* b) { comm_.all_to_all(a, sent, b, got); });
  }
  void all_gather(T const* from, T* to, Counts const& got) const {
    Index const mine = got.counts[static_cast<std::size_t>(comm_.rank())];
    exchange(from, mine, to, got.all(), [&](T const* a, T* b) { comm_.all_gather(a, b, got); });
  }

 private:
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  template <class U>
  using OnExec = Kokkos::View<U*, typename Exec::memory_space, Unmanaged>;
  template <class U>
  using OnHost = Kokkos::View<U*, Kokkos::SharedHostPinnedSpace, Unmanaged>;

  template <class Send>
  void exchange(T const* from, Index sent, T* to, Index got, Send const& send) const {
    auto const of = [](Index count) { return static_cast<std::size_t>(count); };
    if (by_ == SendBy::host_mpi) {
      Kokkos::deep_copy(exec_, OnHost<T>(on_host_, of(sent)), OnExec<T const>(from, of(sent)));
    }
    exec_.fence("tessera::Distributed: elements are there to be sent");
    if (by_ == SendBy::mpi) return send(from, to);
    send(on_host_, on_host_ + sent);
    Kokkos::deep_copy(exec_, OnExec<T>(to, of(got)), OnHost<T const>(on_host_ + sent, of(got)));
    exec_.fence("tessera::Distributed: elements have arrived");
  }

  Exec exec_;
  Communicator const& comm_;
  SendBy by_;
  T* on_host_;
};

template <class Exec, class T, class Body>
void with_exchange(Exec const& exec, Communicator const& comm, Exchanges<Exec> const& exchanges,
                   SendBy by, T* on_host, Body const& body) {
  if (by == SendBy::nccl) return body(exchanges.nccl);
  body(MpiExchange<Exec, T>(exec, comm, by, on_host));
}

/// Completes x on all ranks. Each has filled in its rows; all know `rows`.
template <class Exec, class T>
void gather_rows(Exec const& exec, Communicator const& comm, Exchanges<Exec>& exchanges, T* x,
                 Index length, std::vector<Rows> const& rows) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Index const width = std::min(length, most_elements);
  Index const width_on_host = exchanges.by == SendBy::host_mpi ? 2 * width : 0;
  T* own = nullptr;
  T* on_host = nullptr;
  auto const get = [&] {
    own = exchanges.elements.template get<T>(exec, width);
    on_host = exchanges.on_host.template get<T>(exec, width_on_host);
  };
  std::size_t const bytes = static_cast<std::size_t>(width) * sizeof(T);
  if (bytes <= exchanges.bytes_of_rows) {
    get();
  } else {
    comm.together(get);
    exchanges.bytes_of_rows = bytes;
  }
  Rows const& filled = rows[static_cast<std::size_t>(comm.rank())];
  Counts counts(rows.size());
  for (Index begin = 0; begin < length; begin += width) {
    auto const some_of = [&](Rows const& its) {
      Index const first = std::clamp(its.first, begin, begin + width);
      return Rows{first, std::clamp(its.end(), begin, begin + width) - first};
    };
    for (std::size_t r = 0; r < rows.size(); ++r) counts.set(r, some_of(rows[r]).count);
    Rows const mine = some_of(filled);
    auto const count = static_cast<std::size_t>(mine.count);
    Kokkos::deep_copy(
        exec, Kokkos::View<T*, typename Exec::memory_space, Unmanaged>(own, count),
        Kokkos::View<T const*, typename Exec::memory_space, Unmanaged>(x + mine.first, count));
    with_exchange(exec, comm, exchanges, exchanges.by, on_host,
                  [&](auto const& exchange) { exchange.all_gather(own, x + begin, counts); });
  }
}

}  // namespace tessera::distributed::detail
