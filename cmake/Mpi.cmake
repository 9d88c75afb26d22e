# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Many processes are an optional part: TESSERA_MPI says whether it is there, Tessera::distributed is
# what to link.
set(TESSERA_MPI OFF)
set(reason "TESSERA_ENABLE_MPI is OFF")
if(SKBUILD)
  set(reason "a wheel is for machines with any MPI, or none")
elseif(TESSERA_SANITIZERS)
  set(reason "sanitizers are on, which MPI's libraries do not have")
elseif(TESSERA_ENABLE_MPI)
  set(MPI_CXX_SKIP_MPICXX ON) # bindings that MPI gave up in 2012
  find_package(MPI 3 QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(TESSERA_MPI ON)
    add_library(tessera_distributed INTERFACE)
    add_library(Tessera::distributed ALIAS tessera_distributed)
    set_target_properties(tessera_distributed PROPERTIES EXPORT_NAME distributed)
    target_link_libraries(tessera_distributed INTERFACE Tessera::tessera MPI::MPI_CXX)
  else()
    set(reason "MPI was not found")
  endif()
endif()

if(TESSERA_MPI)
  message(STATUS "Tessera: many processes, by MPI ${MPI_CXX_VERSION} of ${MPI_CXX_COMPILER}")
elseif(TESSERA_ENABLE_MPI STREQUAL "ON")
  message(FATAL_ERROR "Tessera: TESSERA_ENABLE_MPI is ON, and ${reason}")
elseif(PROJECT_IS_TOP_LEVEL)
  message(NOTICE "Tessera: many processes are LEFT OUT: ${reason}")
endif()
