# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Every dependency, once. An installed package is taken where there is one; otherwise the upstream
# release named here is downloaded and built. -DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER forces the
# download; -DFETCHCONTENT_SOURCE_DIR_<NAME>=<folder> builds a copy that is already on the machine.
include(FetchContent)

set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON) # so that a parent project sees them too
set(tessera_dependencies Kokkos)

FetchContent_Declare(
  Kokkos
  GIT_REPOSITORY https://github.com/kokkos/kokkos.git
  GIT_TAG 4.7.01
  GIT_SHALLOW ON
  SYSTEM
  FIND_PACKAGE_ARGS
)
FetchContent_Declare(
  KokkosKernels
  GIT_REPOSITORY https://github.com/kokkos/kokkos-kernels.git
  GIT_TAG 4.7.01
  GIT_SHALLOW ON
  SYSTEM
  FIND_PACKAGE_ARGS
)
FetchContent_Declare(
  CLI11
  GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git
  GIT_TAG v2.5.0
  GIT_SHALLOW ON
  SYSTEM
  FIND_PACKAGE_ARGS 2.3
)
FetchContent_Declare(
  nlohmann_json
  URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d
  SYSTEM
  FIND_PACKAGE_ARGS 3.10
)
FetchContent_Declare(
  ftxui
  GIT_REPOSITORY https://github.com/ArthurSonzogni/FTXUI.git
  GIT_TAG v6.1.9
  GIT_SHALLOW ON
  SYSTEM
  FIND_PACKAGE_ARGS
)
FetchContent_Declare(
  GTest
  GIT_REPOSITORY https://github.com/google/googletest.git
  GIT_TAG v1.17.0
  GIT_SHALLOW ON
  SYSTEM
  FIND_PACKAGE_ARGS 1.12
)
FetchContent_Declare(
  benchmark
  GIT_REPOSITORY https://github.com/google/benchmark.git
  GIT_TAG v1.9.4
  GIT_SHALLOW ON
  SYSTEM
  FIND_PACKAGE_ARGS 1.7
)

if(TESSERA_ENABLE_KOKKOS_KERNELS)
  list(APPEND tessera_dependencies KokkosKernels)
endif()
if(TESSERA_BUILD_APP OR TESSERA_BUILD_TESTS OR TESSERA_BUILD_BENCHMARKS)
  list(APPEND tessera_dependencies CLI11 nlohmann_json ftxui)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto) # SHA-256 of results
endif()
if(TESSERA_BUILD_TESTS)
  list(APPEND tessera_dependencies GTest)
endif()
if(TESSERA_BUILD_BENCHMARKS)
  list(APPEND tessera_dependencies benchmark)
endif()

# Tests, examples and documentation of the dependencies are not ours to build.
set(FTXUI_BUILD_EXAMPLES OFF)
set(FTXUI_BUILD_DOCS OFF)
set(FTXUI_ENABLE_INSTALL OFF)
set(BENCHMARK_ENABLE_TESTING OFF)
set(BENCHMARK_ENABLE_INSTALL OFF)
set(INSTALL_GTEST OFF)

if(TARGET Kokkos::kokkos)
  list(REMOVE_ITEM tessera_dependencies Kokkos) # a parent project has brought it
endif()
FetchContent_MakeAvailable(${tessera_dependencies})
include(KokkosChecks)
