// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Start and end of ranks, and errors of all of them, with MPI.

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <exception>
#include <fcntl.h>
#include <memory>
#include <mpi.h>
#include <optional>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

#include <app/base/failure.hpp>
#include <app/base/ranks.hpp>
#include <app/ranks/mpi.hpp>

namespace tessera::app {

std::shared_ptr<distributed::Communicator const>& communicator() {
  static std::shared_ptr<distributed::Communicator const> all;
  return all;
}

namespace {

void fall_silent() {
  int const nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

std::vector<std::string> gather_texts(std::string const& mine) {
  communicator()->together([] {});  // failed ranks meet the others here
  return communicator()->gather_texts(mine);
}

/// nvcc 13.0 has an internal error at a vector of the unnamed cpu_set_t.
struct Processors {
  cpu_set_t set;
};

Processors processors() {
  Processors its;
  CPU_ZERO(&its.set);
  // With more than CPU_SETSIZE processors none is known.
  if (::sched_getaffinity(0, sizeof(its.set), &its.set) != 0) CPU_ZERO(&its.set);
  return its;
}

struct PlaceOnHost {
  int number = 0;
  int size = 1;
  int threads = 0;
};
PlaceOnHost place_on_host() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  PlaceOnHost place;
  MPI_Comm_rank(host, &place.number);
  MPI_Comm_size(host, &place.size);
  Processors const mine = processors();
  std::vector<Processors> all(static_cast<std::size_t>(place.size));
  MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE, host);
  MPI_Comm_free(&host);
  auto const sharing = std::ranges::count_if(
      all, [&](Processors const& its) { return CPU_EQUAL(&its.set, &mine.set) != 0; });
  int const count = CPU_COUNT(&mine.set);
  if (count > 0) place.threads = std::max(1, count / static_cast<int>(sharing));
  return place;
}

/// Else ranks of a killed launcher wait forever.
void end_with_launcher() {
  pid_t const launcher = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != launcher) ::raise(SIGTERM);  // it has ended
}

/// Why ranks cannot work together; null: they can. Thrown when all can end together.
std::exception_ptr& failed_start() {
  static std::exception_ptr error;
  return error;
}

}  // namespace

RanksSession::RanksSession(char const* const* /*argv*/) {
  if (!is_started_by_mpirun()) return;
  end_with_launcher();
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks().rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks().size);
  if (!ranks().is_first()) fall_silent();
  try {
    std::string const launched = launched_processes();
    if (!ranks().are_many() && !launched.empty() && launched != "1") {
      throw Failure(ExitStatus::resources,
                    "a launcher has started " + launched +
                        " processes of this program, and each is alone for its MPI, " +
                        mpi_version() +
                        ": expected the mpirun of this MPI, or srun --mpi=pmix; TESSERA_MPI=off "
                        "in the environment makes each process a separate run");
    }
    communicator() = std::make_shared<distributed::Communicator const>(MPI_COMM_WORLD);
    PlaceOnHost const place = place_on_host();
    ranks().on_host = place.number;
    ranks().host_size = place.size;
    ranks().threads = place.threads;
    ranks().gather = &gather_texts;
  } catch (...) {
    if (!ranks().are_many()) {
      MPI_Finalize();
      throw;
    }
    failed_start() = std::current_exception();
  }
}

RanksSession::~RanksSession() {
  if (communicator() == nullptr && !failed_start()) return;
  communicator().reset();
  MPI_Finalize();
}

ExitStatus on_all_ranks(std::function<ExitStatus()> const& work) {
  if (failed_start()) std::rethrow_exception(failed_start());
  ExitStatus status = ExitStatus::good;
  std::optional<Failure> own;
  try {
    communicator()->together([&] {
      try {
        status = work();
      } catch (DistributedError const&) {
        throw;
      } catch (...) {
        own = failure_of(std::current_exception());
        throw *own;
      }
    });
  } catch (DistributedError const& error) {
    if (!own) own = KeptFailure::first();
    int code = static_cast<int>(own ? own->status() : ExitStatus::resources);
    communicator()->broadcast(&code, 1, error.rank());
    throw Failure(static_cast<ExitStatus>(code),
                  error.rank() == 0 ? error.sentence() : error.what());
  }
  return status;
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string const whole(text.data(), static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

}  // namespace tessera::app
