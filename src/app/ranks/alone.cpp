// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The program without MPI, whose library takes half a second to load: `tessera`. Where mpirun has
// started it, it becomes `tessera-mpi`, if that lies beside it.

#include <cstdlib>
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

/// The program with MPI; empty where there is none.
std::filesystem::path program_with_mpi() {
  std::error_code error;
  auto const own = std::filesystem::read_symlink("/proc/self/exe", error);
  auto const other = own.parent_path() / "tessera-mpi";
  return !error && std::filesystem::exists(other, error) ? other : std::filesystem::path();
}

}  // namespace

RanksSession::RanksSession(char const* const* argv) {
  if (!is_started_by_mpirun()) return;
  if (auto const other = program_with_mpi(); !other.empty()) {
    ::execv(other.c_str(), const_cast<char* const*>(argv));
  }
  for (char const* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    char const* const size = std::getenv(name);
    if (size != nullptr && std::string(size) != "1") {
      throw Failure(ExitStatus::resources,
                    "there is no tessera-mpi beside this program, and mpirun has started " +
                        std::string(size) + " processes of it: expected one");
    }
  }
}

RanksSession::~RanksSession() = default;

ExitStatus on_all_ranks(std::function<ExitStatus()> const& /*work*/) {
  throw Failure(ExitStatus::resources, "this program was built without MPI");
}

std::string mpi_version() {
  return program_with_mpi().empty() ? "" : "in tessera-mpi, which mpirun's processes become";
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
