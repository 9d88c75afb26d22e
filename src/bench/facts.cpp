// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/built_peers.hpp>
#include <bench/machine.hpp>
#include <bench/table.hpp>

#include <tessera/version.hpp>

namespace tessera::bench {
namespace {

std::string names_of_peers() {
  std::string names;
  for (std::string const& name : peers()) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

}  // namespace

std::string kokkos_version() {
  constexpr int kokkos = KOKKOS_VERSION;
  return std::to_string(kokkos / 10000) + "." + std::to_string(kokkos / 100 % 100) + "." +
         std::to_string(kokkos % 100);
}

Facts facts_of(std::string const& backend) {
  Facts all = {{"tessera", std::string(version)},
               {"commit", std::string(git_commit)},
               {"kokkos", kokkos_version()},
               {"compiler", built::compiler},
               {"peers", names_of_peers()}};
  with_table(backend, "f32", [&]<class Exec, class T>(On<Exec, T>) {
    all.emplace_back("execution_space", Exec::name());
    all.emplace_back("concurrency", std::to_string(Exec().concurrency()));
    auto const of_device = facts<Exec>();
    all.insert(all.end(), of_device.begin(), of_device.end());
  });
  return all;
}

}  // namespace tessera::bench
