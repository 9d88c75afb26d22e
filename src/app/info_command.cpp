// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>

#include <Kokkos_Core.hpp>

#include <app/backends.hpp>
#include <app/commands.hpp>
#include <app/processor.hpp>
#include <io/memory.hpp>
#include <tessera/version.hpp>

namespace tessera::app {
namespace {

void print(char const* name, std::string const& text) {
  std::printf("%-14s%s\n", name, text.c_str());
}

}  // namespace

ExitStatus run_command(InfoOptions const&) {
  auto const processor = host_processor();
  constexpr int kokkos = KOKKOS_VERSION;
  print("tessera", std::string(version) + ", commit " + std::string(git_commit));
  print("Kokkos", std::to_string(kokkos / 10000) + "." + std::to_string(kokkos / 100 % 100) + "." +
                      std::to_string(kokkos % 100));
  print("processor", processor.name);
  print("instructions",
        "compiled for " TESSERA_HOST_ARCH "; the processor has " + processor.instructions);
  print("memory", io::format_bytes(io::available_memory()) + " available");
  bool best = true;
  for (auto const& backend : enabled_backends()) {
    print("backend", backend.name + (best ? " (the choice of --backend auto)" : ""));
    print("  device", backend.device);
    print("  threads", std::to_string(backend.concurrency));
    print("  scratch", "level 0: " + io::format_bytes(backend.scratch_level0) + ", level 1: " +
                           io::format_bytes(backend.scratch_level1) + " for a team");
    best = false;
  }
  return ExitStatus::good;
}

}  // namespace tessera::app
