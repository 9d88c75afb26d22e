# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Requirements on Kokkos.
if(NOT TARGET Kokkos::kokkos)
  message(FATAL_ERROR "Tessera needs Kokkos: no package was found, and nothing was downloaded.")
endif()
foreach(variable Kokkos_VERSION Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE Kokkos_ENABLE_IMPL_VIEW_LEGACY)
  if(kokkos_SOURCE_DIR AND NOT DEFINED ${variable})
    get_directory_property(${variable} DIRECTORY "${kokkos_SOURCE_DIR}" DEFINITION ${variable})
  endif()
endforeach()
if(NOT Kokkos_DEVICES)
  set(Kokkos_DEVICES "")
  foreach(backend CUDA OPENMP SERIAL)
    if(kokkos_SOURCE_DIR)
      get_directory_property(has_backend DIRECTORY "${kokkos_SOURCE_DIR}" DEFINITION Kokkos_ENABLE_${backend})
    else()
      set(has_backend "${Kokkos_ENABLE_${backend}}")
    endif()
    if(has_backend)
      list(APPEND Kokkos_DEVICES ${backend})
    endif()
  endforeach()
endif()

if(NOT Kokkos_VERSION)
  message(STATUS "Tessera: Kokkos comes from the parent project, its version is not checked")
elseif(Kokkos_VERSION VERSION_LESS 4.5 OR Kokkos_VERSION VERSION_GREATER_EQUAL 6)
  message(
    FATAL_ERROR "Tessera needs Kokkos 4.5 to 5.x, and found ${Kokkos_VERSION} in "
                "${Kokkos_DIR}${kokkos_SOURCE_DIR}. Name another one with -DKokkos_DIR=…, or let the "
                "pinned release be built with -DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER."
  )
endif()

# nvcc lays out members without addresses differently for the device (Kokkos' pull request 8562), so
# Kokkos Kernels' products on GPUs are wrong. Our kernels hold no Views.
if("CUDA" IN_LIST Kokkos_DEVICES
   AND Kokkos_VERSION VERSION_GREATER_EQUAL 4.6.99
   AND Kokkos_VERSION VERSION_LESS 4.7.02
   AND NOT Kokkos_ENABLE_IMPL_VIEW_LEGACY
   AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.9
)
  message(
    WARNING "Kernels that hold Views read garbage on a GPU with Kokkos ${Kokkos_VERSION} and nvcc "
            "${CMAKE_CUDA_COMPILER_VERSION}. Tessera's hold none, Kokkos Kernels' and your own may. Take "
            "Kokkos 4.7.02 or later, or build it with -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON."
  )
endif()

if(Kokkos_DIR AND NOT kokkos_SOURCE_DIR)
  message(STATUS "Tessera: Kokkos ${Kokkos_VERSION} with ${Kokkos_DEVICES} in ${Kokkos_DIR}")
  foreach(backend CUDA OPENMP SERIAL)
    set(read "${Kokkos_ENABLE_${backend}}") # else CMake calls it unused
    if("$CACHE{Kokkos_ENABLE_${backend}}" AND NOT backend IN_LIST Kokkos_DEVICES)
      if(backend STREQUAL "SERIAL" AND "$CACHE{Kokkos_ENABLE_OPENMP}")
        message(NOTICE "Tessera: this Kokkos has no SERIAL backend; what needs it is LEFT OUT")
      else()
        message(FATAL_ERROR "Tessera: Kokkos_ENABLE_${backend} is asked for, and the Kokkos in "
                            "${Kokkos_DIR} was built with ${Kokkos_DEVICES} only."
        )
      endif()
    endif()
  endforeach()
endif()

# Upstream's name, and that in Debian's Trilinos.
if(TESSERA_ENABLE_KOKKOS_KERNELS AND NOT TARGET Kokkos::kokkoskernels)
  add_library(Kokkos::kokkoskernels ALIAS KokkosKernels::all_libs)
endif()
