// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <mpi.h>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <app/base/ranks.hpp>
#include <app/ranks/communicator.hpp>
#include <app/ranks/session.hpp>

namespace tessera::app {
namespace {

std::shared_ptr<distributed::Communicator const>& session() {
  static std::shared_ptr<distributed::Communicator const> all;
  return all;
}

/// What is printed from now on goes nowhere.
void fall_silent() {
  int const nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

bool any_rank(bool mine) {
  session()->together([] {});  // who has failed meets the others here
  std::vector<int> const all = session()->gather(mine ? 1 : 0);
  return std::ranges::count(all, 1) > 0;
}

int number_on_host() {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int number = 0;
  MPI_Comm_rank(host, &number);
  MPI_Comm_free(&host);
  return number;
}

}  // namespace

RanksSession::RanksSession(char const* const* /*argv*/) {
  if (!is_started_by_mpirun()) return;
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  session() = std::make_shared<distributed::Communicator const>(MPI_COMM_WORLD);
  ranks() = {.rank = session()->rank(),
             .size = session()->size(),
             .on_host = number_on_host(),
             .any = &any_rank};
  if (!ranks().is_first()) fall_silent();
}

RanksSession::~RanksSession() {
  if (session() == nullptr) return;
  session().reset();
  MPI_Finalize();
}

std::shared_ptr<distributed::Communicator const> const& communicator() {
  return session();
}

ExitStatus on_all_ranks(std::function<ExitStatus()> const& work) {
  ExitStatus status = ExitStatus::good;
  std::optional<Failure> own;
  try {
    session()->together([&] {
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
    if (!own) own = kept_failure();
    int code = static_cast<int>(own ? own->status() : ExitStatus::resources);
    session()->broadcast(&code, 1, error.rank());
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
