// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The program without MPI, which loads slowly. Under mpirun it becomes `tessera-mpi` of the same
// folder, if that exists.

#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

#include <app/base/failure.hpp>
#include <app/base/ranks.hpp>
#include <app/solve/solve.hpp>
#include <app/stream/stream.hpp>

namespace tessera::app {
namespace {

std::filesystem::path program_with_mpi() {
  std::error_code error;
  auto const own = std::filesystem::read_symlink("/proc/self/exe", error);
  auto const other = own.parent_path() / "tessera-mpi";
  return !error && std::filesystem::exists(other, error) ? other : std::filesystem::path();
}

}  // namespace

RanksSession::RanksSession(char const* const* argv) {
  bool const is_rank = is_started_by_mpirun();
  if (is_rank) {
    if (auto const other = program_with_mpi(); !other.empty()) {
      ::execv(other.c_str(), const_cast<char* const*>(argv));
    }
  }
  std::string const size = launched_processes();
  if (size == "1" || (size.empty() && !is_rank)) return;
  std::string const several = (size.empty() ? "several" : size) + " processes of this program";
  throw Failure(
      ExitStatus::resources,
      (is_rank ? "a launcher has started " + several +
                     ", and there is no tessera-mpi next to it: expected one process, or a build "
                     "with MPI"
               : "srun has started " + several +
                     " without PMIx: expected srun --mpi=pmix, or mpirun, to make them the ranks "
                     "of one run") +
          "; TESSERA_MPI=off in the environment makes each process a separate run");
}

RanksSession::~RanksSession() = default;

ExitStatus on_all_ranks(std::function<ExitStatus()> const& /*work*/) {
  throw Failure(ExitStatus::resources, "this program was built without MPI");
}

std::string mpi_version() {
  return program_with_mpi().empty() ? "" : "under mpirun, by the program tessera-mpi";
}

Measurement run_on_ranks(OperationId /*id*/, StreamRequest const& /*request*/, int /*repeat*/) {
  throw Failure(ExitStatus::resources, "this program was built without MPI");
}

Measurement stream_on_ranks(OperationId /*id*/, StreamRequest const& /*request*/) {
  throw Failure(ExitStatus::resources, "this program was built without MPI");
}

Reading with_operator_on_ranks(SolveRequest const& /*request*/,
                               std::function<void(AnyOperator const& op)> const& /*work*/) {
  throw Failure(ExitStatus::resources, "this program was built without MPI");
}

}  // namespace tessera::app
