# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# TESSERA_PYTHON: the Python package is built.
set(TESSERA_PYTHON OFF)
set(reason "TESSERA_ENABLE_PYTHON is OFF")
if(NOT TESSERA_BUILD_APP)
  set(reason "TESSERA_BUILD_APP is OFF, whose readers of files it has")
elseif(TESSERA_SANITIZERS)
  set(reason "sanitizers are on, which the interpreter does not have")
elseif(TESSERA_ENABLE_PYTHON)
  set(stable_abi "") # for Python 3.12 and later; not in CMake 3.25
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.26)
    set(stable_abi OPTIONAL_COMPONENTS Development.SABIModule)
  endif()
  find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module ${stable_abi})
  if(Python_FOUND)
    execute_process(
      COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
      OUTPUT_VARIABLE folder
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    )
    foreach(version IN ITEMS 3 2.4) # neither accepts the other's
      if(NOT nanobind_FOUND)
        find_package(nanobind ${version} CONFIG QUIET HINTS "${folder}" /usr/share/nanobind/cmake)
      endif()
    endforeach()
  endif()
  if(NOT Python_FOUND)
    set(reason "Python 3.11 or newer and its headers were not found")
  elseif(NOT nanobind_FOUND)
    set(reason "nanobind was not found")
  elseif(NOT "shared" IN_LIST TESSERA_KINDS)
    set(reason "Kokkos is a static library, and CMAKE_POSITION_INDEPENDENT_CODE is off")
  else()
    set(TESSERA_PYTHON ON)
  endif()
endif()

if(TESSERA_PYTHON)
  message(STATUS "Tessera: the Python package, for ${Python_EXECUTABLE} ${Python_VERSION}")
elseif(TESSERA_ENABLE_PYTHON STREQUAL "ON")
  message(FATAL_ERROR "Tessera: TESSERA_ENABLE_PYTHON is ON, and ${reason}")
elseif(PROJECT_IS_TOP_LEVEL)
  message(NOTICE "Tessera: the Python package is LEFT OUT: ${reason}")
endif()
