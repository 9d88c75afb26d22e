# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Every dependency, once. -DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER downloads even what is
# installed; -DFETCHCONTENT_SOURCE_DIR_<NAME>=<folder> takes a copy on this machine.
include(FetchContent)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW) # files get the time of unpacking
endif()

set(tessera_dependencies Kokkos)

FetchContent_Declare(
  Kokkos SYSTEM
  URL https://github.com/kokkos/kokkos/releases/download/5.2.2/kokkos-5.2.2.tar.gz
  URL_HASH SHA256=d6557aaef39302282a15f9c770433d1fcdf4e961dfd6d9ed726b9d0d0f546b9f
  FIND_PACKAGE_ARGS # 4.5 to 5.x, see KokkosChecks.cmake
)
FetchContent_Declare(
  KokkosKernels SYSTEM
  GIT_REPOSITORY https://github.com/kokkos/kokkos-kernels.git
  GIT_TAG 5.2.2
  GIT_SHALLOW ON
  FIND_PACKAGE_ARGS
)
FetchContent_Declare(
  CLI11 SYSTEM
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.5.0.tar.gz
  URL_HASH SHA256=17e02b4cddc2fa348e5dbdbb582c59a3486fa2b2433e70a0c3bacb871334fd55
  FIND_PACKAGE_ARGS 2.3
)
FetchContent_Declare(
  nlohmann_json SYSTEM
  URL https://github.com/nlohmann/json/releases/download/v3.12.0/json.tar.xz
  URL_HASH SHA256=42f6e95cad6ec532fd372391373363b62a14af6d771056dbfc86160e6dfff7aa
  FIND_PACKAGE_ARGS 3.10
)
FetchContent_Declare(
  ftxui SYSTEM
  URL https://github.com/ArthurSonzogni/FTXUI/archive/refs/tags/v6.1.9.tar.gz
  URL_HASH SHA256=45819c1e54914783d4a1ca5633885035d74146778a1f74e1213cdb7b76340e71
  FIND_PACKAGE_ARGS
)
FetchContent_Declare(
  GTest SYSTEM
  URL https://github.com/google/googletest/releases/download/v1.17.0/googletest-1.17.0.tar.gz
  URL_HASH SHA256=65fab701d9829d38cb77c14acdc431d2108bfdbf8979e40eb8ae567edf10b27c
  FIND_PACKAGE_ARGS 1.12
)
FetchContent_Declare(
  benchmark SYSTEM
  URL https://github.com/google/benchmark/archive/refs/tags/v1.9.4.tar.gz
  URL_HASH SHA256=b334658edd35efcf06a99d9be21e4e93e092bd5f95074c1673d5c8705d95c104
  FIND_PACKAGE_ARGS 1.7
)

if(TESSERA_BUILD_APP OR TESSERA_BUILD_TESTS)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto) # SHA-256
endif()
if(TESSERA_BUILD_APP)
  find_package(ZLIB QUIET) # arrays of .npz, chunks of HDF5
  include(Hdf5)
endif()
if(TESSERA_ENABLE_KOKKOS_KERNELS)
  list(APPEND tessera_dependencies KokkosKernels)
  if(Kokkos_ENABLE_CUDA AND Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE)
    set(Kokkos_COMPILE_LANGUAGE CUDA) # otherwise from Kokkos' package only
  endif()
endif()
if(TESSERA_BUILD_APP)
  list(APPEND tessera_dependencies CLI11 nlohmann_json ftxui)
endif()
if(TESSERA_BUILD_TESTS)
  list(APPEND tessera_dependencies GTest)
endif()
if(TESSERA_BUILD_BENCHMARKS)
  list(APPEND tessera_dependencies benchmark)
endif()

# For a parent project, too. Not set earlier: CMake 3.25's FetchContent_Declare fails.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

set(FTXUI_BUILD_EXAMPLES OFF)
set(FTXUI_BUILD_DOCS OFF)
set(FTXUI_ENABLE_INSTALL OFF)
set(BENCHMARK_ENABLE_TESTING OFF)
set(BENCHMARK_ENABLE_INSTALL OFF)
set(INSTALL_GTEST OFF)

if(TARGET Kokkos::kokkos)
  list(REMOVE_ITEM tessera_dependencies Kokkos) # of a parent project
endif()

# Without a network downloads fail after minutes.
set(tessera_fetched "")
foreach(dependency IN LISTS tessera_dependencies)
  string(TOUPPER "${dependency}" upper)
  string(TOLOWER "${dependency}" lower)
  if(FETCHCONTENT_SOURCE_DIR_${upper} OR EXISTS "${FETCHCONTENT_BASE_DIR}/${lower}-src/CMakeLists.txt")
    continue()
  endif()
  if(NOT FETCHCONTENT_TRY_FIND_PACKAGE_MODE STREQUAL "NEVER")
    find_package(${dependency} QUIET)
  endif()
  if(NOT ${dependency}_FOUND)
    list(APPEND tessera_fetched "${dependency}")
  endif()
endforeach()
if(tessera_fetched AND NOT FETCHCONTENT_FULLY_DISCONNECTED)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -DURL=https://github.com/kokkos/kokkos -P "${CMAKE_CURRENT_LIST_DIR}/CanReach.cmake"
    RESULT_VARIABLE unreachable
    OUTPUT_QUIET ERROR_QUIET
  )
  if(unreachable)
    list(JOIN tessera_fetched ", " names)
    message(
      FATAL_ERROR
        "Tessera: no package of ${names} was found, and github.com, which has their releases, does not answer: install "
        "packages, name one's folder (such as -DKokkos_ROOT=<prefix>) or its sources "
        "(-DFETCHCONTENT_SOURCE_DIR_KOKKOS=<folder>), or set https_proxy"
    )
  endif()
endif()

if(SKBUILD AND NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON) # for the Python package
  FetchContent_MakeAvailable(${tessera_dependencies})
  unset(CMAKE_POSITION_INDEPENDENT_CODE)
else()
  FetchContent_MakeAvailable(${tessera_dependencies})
endif()
include(KokkosChecks)
