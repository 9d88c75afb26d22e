# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# What Tessera needs of Kokkos, however Kokkos came here.
if(NOT Kokkos_VERSION AND kokkos_SOURCE_DIR)
  get_directory_property(Kokkos_VERSION DIRECTORY "${kokkos_SOURCE_DIR}" DEFINITION Kokkos_VERSION)
endif()
if(NOT Kokkos_VERSION)
  message(STATUS "Tessera: Kokkos comes from the parent project, its version is not checked")
elseif(Kokkos_VERSION VERSION_LESS 4.5 OR Kokkos_VERSION VERSION_GREATER_EQUAL 6)
  message(FATAL_ERROR "Tessera needs Kokkos 4.5 to 5.x, and found Kokkos ${Kokkos_VERSION} in ${Kokkos_DIR}${kokkos_SOURCE_DIR}")
endif()

# Debian's trilinos-kokkos-kernels and upstream name the same library differently.
if(TESSERA_ENABLE_KOKKOS_KERNELS AND NOT TARGET Kokkos::kokkoskernels)
  add_library(Kokkos::kokkoskernels ALIAS KokkosKernels::all_libs)
endif()
