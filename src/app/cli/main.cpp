// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

#include <app/cli/application.hpp>

namespace {

/// Opens what the caller has closed of stdin, stdout and stderr, so that no file of the run gets
/// their number and what is printed. In the wrong direction: who reads or writes there is told.
void occupy_standard_descriptors() {
  for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_descriptors();
  return tessera::app::run_application(argc, argv);
}
