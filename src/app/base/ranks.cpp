// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

#include <app/base/failure.hpp>
#include <app/base/ranks.hpp>

namespace tessera::app {
namespace {

// Set by Open MPI, MPICH (and srun --mpi=pmi2), PMIx (srun --mpi=pmix).
constexpr std::array<char const*, 3> rank_variables{"OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                                    "PMIX_RANK"};

enum class Wanted { off, on, automatic };

Wanted wanted_mpi() {
  char const* const text = std::getenv("TESSERA_MPI");
  if (text == nullptr) return Wanted::automatic;
  std::string const value(text);
  if (value != "on" && value != "off") {
    throw Failure(ExitStatus::usage,
                  "the environment variable TESSERA_MPI: expected on or off, found '" + value +
                      "'; correct or unset it");
  }
  return value == "on" ? Wanted::on : Wanted::off;
}

std::string contents_of(pid_t pid, char const* name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

pid_t parent_of(pid_t pid) {
  std::istringstream status(contents_of(pid, "status"));
  for (std::string word; status >> word;) {
    pid_t parent = 0;
    if (word == "PPid:" && status >> parent) return parent;
  }
  return 0;
}

/// Whether a process between the launcher and this one has loaded MPI. Then this one only inherited
/// the variables, and MPI would hang at a second start of the rank.
bool is_started_by_a_rank() {
  for (pid_t pid = ::getppid(); pid > 1; pid = parent_of(pid)) {
    if (contents_of(pid, "maps").find("/libmpi") != std::string::npos) return true;
    std::string const environment = '\0' + contents_of(pid, "environ");
    auto const has = [&](std::string const& name) {
      return environment.find('\0' + name + "=") != std::string::npos;
    };
    if (std::ranges::none_of(rank_variables, has)) return false;  // the launcher
  }
  return false;
}

bool has_rank() {
  return std::ranges::any_of(rank_variables,
                             [](char const* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

bool is_started_by_mpirun() {
  static bool const is = [] {
    Wanted const wanted = wanted_mpi();
    if (wanted == Wanted::off || !has_rank()) return false;
    return wanted == Wanted::on || !is_started_by_a_rank();
  }();
  return is;
}

std::string launched_processes() {
  if (wanted_mpi() == Wanted::off || (has_rank() && !is_started_by_mpirun())) return "";
  // The innermost launcher decides: mpirun may start daemons by srun.
  for (char const* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (char const* const size = std::getenv(name)) return size;
  }
  return "";
}

bool Ranks::any(bool mine) const {
  return std::ranges::count(gather(mine ? "1" : "0"), "1") > 0;
}

std::string difference_of_ranks(std::string const& mine) {
  if (!ranks().are_many()) return "";
  std::vector<std::string> const all = ranks().gather(mine);
  for (std::size_t r = 1; r < all.size(); ++r) {
    if (all[r] == all.front()) continue;
    return "expected " + all.front() + " on each rank, as on rank 0, found " + all[r] +
           " on rank " + std::to_string(r);
  }
  return "";
}

void require_same_request(std::vector<std::string> const& words) {
  if (!ranks().are_many()) return;
  std::string lines;
  for (std::string const& word : words) lines += word + '\n';
  std::vector<std::string> const all = ranks().gather(lines);
  auto const split = [](std::string const& text) {
    std::vector<std::string> each;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) each.push_back(line);
    return each;
  };
  std::vector<std::string> const first = split(all.front());
  for (std::size_t r = 1; r < all.size(); ++r) {
    std::vector<std::string> const its = split(all[r]);
    if (its == first) continue;
    auto const [expected, found] = std::ranges::mismatch(first, its);
    auto const shown = [](auto at, auto const& of) {
      return at == of.end() ? std::string("none") : "'" + *at + "'";
    };
    throw Failure(ExitStatus::usage,
                  "rank " + std::to_string(r) + " has another command line than rank 0: expected " +
                      shown(expected, first) + ", found " + shown(found, its) +
                      "; give all ranks the same command and options (names of files, --threads, "
                      "--device, --memory-limit and --checkpoint-every may differ)");
  }
}

}  // namespace tessera::app
