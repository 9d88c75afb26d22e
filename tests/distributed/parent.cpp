// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// An MPI rank that starts another program: parent COMMAND.

#include <cstdlib>
#include <mpi.h>
#include <string>
#include <sys/wait.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::string command;
  for (int i = 1; i < argc; ++i) command += std::string(argv[i]) + " ";
  int const result = std::system(command.c_str());
  MPI_Finalize();
  return WIFEXITED(result) ? WEXITSTATUS(result) : 1;
}
