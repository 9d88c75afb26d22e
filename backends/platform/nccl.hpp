// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#if defined(TESSERA_HAS_NCCL) && defined(KOKKOS_ENABLE_CUDA)
#include <nccl.h>
#endif

namespace tessera::backends {

/// Throws std::invalid_argument for TESSERA_NCCL other than "on" (default) and "off".
inline bool wants_nccl() {
  char const* const text = std::getenv("TESSERA_NCCL");
  if (text == nullptr) return true;
  std::string const value(text);
  if (value != "on" && value != "off") {
    throw std::invalid_argument("TESSERA_NCCL: expected on or off, found " + value);
  }
  return value == "on";
}

/// Stands in without NCCL. Ranks as in distributed::Communicator.
template <class Exec>
class Nccl {
 public:
  template <class Communicator>
  Nccl(Communicator const& comm, Exec const& /*exec*/) {
    comm.together([] { static_cast<void>(wants_nccl()); });
  }
  [[nodiscard]] bool is_there() const { return false; }
  template <class T, class Counts>
  void all_to_all(T const*, Counts const&, T*, Counts const&) const {
    throw std::logic_error("tessera::Distributed: NCCL is not there");
  }
  template <class T, class Counts>
  void all_gather(T const*, T*, Counts const&) const {
    throw std::logic_error("tessera::Distributed: NCCL is not there");
  }
};

#if defined(TESSERA_HAS_NCCL) && defined(KOKKOS_ENABLE_CUDA)
/// Exchanges between GPUs, asynchronous in the stream of `exec`. Every rank needs NCCL and a
/// separate GPU. NCCL's errors terminate the run.
template <>
class Nccl<Kokkos::Cuda> {
 public:
  template <class Communicator>
  Nccl(Communicator const& comm, Kokkos::Cuda const& exec) : exec_(exec), rank_(comm.rank()) {
    std::array<char, 16> device{};
    int is_wanted = 0;
    comm.together([&] {
      is_wanted = wants_nccl() ? 1 : 0;
      std::memcpy(device.data(), exec.cuda_device_prop().uuid.bytes, device.size());
    });
    auto const wanted = comm.gather(is_wanted);
    auto devices = comm.gather(device);
    std::ranges::sort(devices);
    bool const are_apart = std::ranges::adjacent_find(devices) == devices.end();
    if (!are_apart || std::ranges::find(wanted, 0) != wanted.end()) return;
    Id mine{};
    if (rank_ == 0) check(ncclGetUniqueId(&mine.id));
    Id const first = comm.gather(mine).front();
    int before = 0;
    cudaGetDevice(&before);
    cudaSetDevice(exec.cuda_device());
    check(ncclCommInitRank(&comm_, comm.size(), first.id, rank_));
    cudaSetDevice(before);
  }
  Nccl(Nccl const&) = delete;
  Nccl& operator=(Nccl const&) = delete;
  ~Nccl() {
    if (comm_ == nullptr) return;
    exec_.fence("tessera::Distributed: the last exchange is over");
    ncclCommDestroy(comm_);
  }

  [[nodiscard]] bool is_there() const { return comm_ != nullptr; }

  template <class T, class Counts>
  void all_to_all(T const* from, Counts const& sent, T* to, Counts const& got) const {
    check(ncclGroupStart());
    for (std::size_t r = 0; r < sent.counts.size(); ++r) {
      send(from + sent.begins[r], sent.counts[r], r);
      receive(to + got.begins[r], got.counts[r], r);
    }
    check(ncclGroupEnd());
  }
  template <class T, class Counts>
  void all_gather(T const* from, T* to, Counts const& got) const {
    int const mine = got.counts[static_cast<std::size_t>(rank_)];
    if (std::ranges::all_of(got.counts, [&](int its) { return its == mine; })) {
      return check(ncclAllGather(from, to, static_cast<std::size_t>(mine), type_of_nccl<T>(), comm_,
                                 exec_.cuda_stream()));
    }
    check(ncclGroupStart());
    for (std::size_t r = 0; r < got.counts.size(); ++r) {
      send(from, mine, r);
      receive(to + got.begins[r], got.counts[r], r);
    }
    check(ncclGroupEnd());
  }

 private:
  struct Id {
    ncclUniqueId id;  // unnamed: nvcc 13 rejects it as a vector element
  };

  template <class T>
  static constexpr ncclDataType_t type_of_nccl() {
    return std::is_same_v<T, float> ? ncclFloat32 : ncclFloat64;
  }
  template <class T>
  void send(T const* from, int count, std::size_t to) const {
    if (count == 0) return;
    check(ncclSend(from, static_cast<std::size_t>(count), type_of_nccl<T>(), static_cast<int>(to),
                   comm_, exec_.cuda_stream()));
  }
  template <class T>
  void receive(T* to, int count, std::size_t from) const {
    if (count == 0) return;
    check(ncclRecv(to, static_cast<std::size_t>(count), type_of_nccl<T>(), static_cast<int>(from),
                   comm_, exec_.cuda_stream()));
  }
  void check(ncclResult_t result) const {
    if (result == ncclSuccess) return;
    std::fprintf(stderr, "tessera: rank %d: NCCL: %s\n", rank_, ncclGetErrorString(result));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  Kokkos::Cuda exec_;
  int rank_;
  ncclComm_t comm_ = nullptr;
};
#endif

}  // namespace tessera::backends
