// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/backends/platform/mpi.hpp>
#include <tessera/distributed/error.hpp>
#include <tessera/summation.hpp>

namespace tessera::distributed {

using summation::Index;

namespace detail {

template <class T>
MPI_Datatype type_of() {
  if constexpr (std::is_same_v<T, int>) return MPI_INT;
  return std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE;
}

/// MPI counts the elements of a message in an int.
inline constexpr Index most_elements = Index{1} << 28;

template <class Body>
void for_each_message(Index count, Body const& body) {
  for (Index first = 0; first < count; first += most_elements) {
    body(first, static_cast<int>(std::min(most_elements, count - first)));
  }
}

struct Counts {
  std::vector<int> counts;
  std::vector<int> begins;

  explicit Counts(std::size_t ranks) : counts(ranks), begins(ranks) {}
  void set(std::size_t rank, Index count) {
    counts[rank] = static_cast<int>(count);
    begins[rank] = rank == 0 ? 0 : begins[rank - 1] + counts[rank - 1];
  }
  [[nodiscard]] Index all() const { return Index{begins.back()} + counts.back(); }
};

/// Whether MPI sends from GPU memory: TESSERA_CUDA_AWARE_MPI ("on" or "off"), by default as Open
/// MPI reports. Throws std::invalid_argument for another value.
inline bool is_cuda_aware() {
  if (char const* const text = std::getenv("TESSERA_CUDA_AWARE_MPI")) {
    std::string const value(text);
    if (value == "on" || value == "off") return value == "on";
    throw std::invalid_argument("TESSERA_CUDA_AWARE_MPI: expected on or off, found " + value);
  }
  return backends::mpi_says_cuda_aware();
}

}  // namespace detail

/// A duplicate of a communicator, so that messages do not mix with the caller's.
class Communicator {
 public:
  explicit Communicator(MPI_Comm comm) {
    MPI_Comm_dup(comm, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    int is_aware = 0;
    try {
      together([&] { is_aware = detail::is_cuda_aware() ? 1 : 0; });
    } catch (...) {
      MPI_Comm_free(&comm_);
      throw;
    }
    int all_are = 0;
    MPI_Allreduce(&is_aware, &all_are, 1, MPI_INT, MPI_MIN, comm_);
    takes_device_memory_ = all_are == 1;
  }
  Communicator(Communicator const&) = delete;
  Communicator& operator=(Communicator const&) = delete;
  ~Communicator() {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (is_over == 0) MPI_Comm_free(&comm_);
  }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool takes_device_memory() const { return takes_device_memory_; }

  using Facts = std::array<std::int64_t, 10>;

  /// Returns body() of each rank, by rank. If it throws on one rank, all throw that error. A
  /// DistributedError passes unchanged, because all have thrown it.
  template <class Body>
  std::vector<Facts> meet(Body const& body) const {
    struct Meeting {
      std::int64_t has_failed;
      Facts facts;
    };
    Meeting mine{};
    std::string error;
    try {
      mine.facts = body();
    } catch (DistributedError const&) {
      throw;
    } catch (std::exception const& thrown) {
      mine.has_failed = 1;
      error = thrown.what();
    } catch (...) {
      mine.has_failed = 1;
      error = "an error that says no more";
    }
    std::vector<Meeting> const all = gather(mine);
    std::vector<Facts> facts;
    facts.reserve(all.size());
    for (Meeting const& its : all) {
      if (its.has_failed != 0) throw_error_of(static_cast<int>(facts.size()), error);
      facts.push_back(its.facts);
    }
    return facts;
  }
  /// A rank that threw between two calls meets the others here.
  template <class Body>
  void together(Body const& body) const {
    meet([&] {
      body();
      return Facts{};
    });
  }

  template <class Value>
  std::vector<Value> gather(Value const& mine) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::vector<Value> all(static_cast<std::size_t>(size_));
    MPI_Allgather(&mine, sizeof(Value), MPI_BYTE, all.data(), sizeof(Value), MPI_BYTE, comm_);
    return all;
  }
  /// All texts together must be below 2 GiB.
  std::vector<std::string> gather_texts(std::string const& mine) const {
    std::vector<std::int64_t> const lengths = gather(static_cast<std::int64_t>(mine.size()));
    detail::Counts counts(lengths.size());
    for (std::size_t r = 0; r < lengths.size(); ++r) counts.set(r, lengths[r]);
    std::string all(static_cast<std::size_t>(counts.all()), '\0');
    MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, all.data(),
                   counts.counts.data(), counts.begins.data(), MPI_CHAR, comm_);
    std::vector<std::string> texts;
    texts.reserve(lengths.size());
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      texts.push_back(all.substr(static_cast<std::size_t>(counts.begins[r]),
                                 static_cast<std::size_t>(counts.counts[r])));
    }
    return texts;
  }

  template <class T>
  void broadcast(T* data, Index count, int from) const {
    detail::for_each_message(count, [&](Index first, int some) {
      MPI_Bcast(data + first, some, detail::type_of<T>(), from, comm_);
    });
  }
  template <class T>
  void receive(std::vector<T>& to, int from) const {
    detail::for_each_message(static_cast<Index>(to.size()), [&](Index first, int some) {
      MPI_Recv(to.data() + first, some, detail::type_of<T>(), from, 0, comm_, MPI_STATUS_IGNORE);
    });
  }
  /// The destructor waits until the vector has been sent.
  template <class T>
  class Sending {
   public:
    Sending(Communicator const& comm, std::vector<T> const& from, int to) {
      detail::for_each_message(static_cast<Index>(from.size()), [&](Index first, int some) {
        MPI_Isend(from.data() + first, some, detail::type_of<T>(), to, 0, comm.comm_,
                  &requests_.emplace_back());
      });
    }
    Sending(Sending const&) = delete;
    Sending& operator=(Sending const&) = delete;
    ~Sending() {
      MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }

   private:
    std::vector<MPI_Request> requests_;
  };

  template <class T>
  void all_to_all(T const* from, detail::Counts const& sent, T* to,
                  detail::Counts const& got) const {
    MPI_Alltoallv(from, sent.counts.data(), sent.begins.data(), detail::type_of<T>(), to,
                  got.counts.data(), got.begins.data(), detail::type_of<T>(), comm_);
  }
  template <class T>
  void all_gather(T const* from, T* to, detail::Counts const& got) const {
    MPI_Allgatherv(from, got.counts[static_cast<std::size_t>(rank_)], detail::type_of<T>(), to,
                   got.counts.data(), got.begins.data(), detail::type_of<T>(), comm_);
  }

 private:
  /// Collective: rank `rank` passes its text.
  [[noreturn]] void throw_error_of(int rank, std::string text) const {
    int length = static_cast<int>(text.size());
    MPI_Bcast(&length, 1, MPI_INT, rank, comm_);
    text.resize(static_cast<std::size_t>(length));
    MPI_Bcast(text.data(), length, MPI_CHAR, rank, comm_);
    throw DistributedError(rank, text);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool takes_device_memory_ = false;
};

}  // namespace tessera::distributed
