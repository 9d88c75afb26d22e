# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# A parent project needs this if it exports a library that links Tessera::tessera; its package then
# calls find_dependency(Tessera).
include(CMakePackageConfigHelpers)

if(NOT TESSERA_INSTALL)
  return()
endif()

# Built even if nothing is compiled.
set_target_properties(tessera_version PROPERTIES EXCLUDE_FROM_ALL OFF)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Tessera")

set(left_out "")
if(NOT TESSERA_MPI)
  set(left_out REGEX "/tessera/distributed" EXCLUDE)
endif()
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/src/tessera"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.hpp" ${left_out}
)
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/backends"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tessera"
  FILES_MATCHING
  PATTERN "*.hpp"
)
install(FILES "${TESSERA_GENERATED_INCLUDE_DIR}/tessera/version.hpp"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tessera"
)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/Tessera")

list(TRANSFORM TESSERA_KINDS PREPEND tessera_ OUTPUT_VARIABLE libraries)
if(TESSERA_MPI)
  list(APPEND libraries tessera_distributed)
endif()
install(
  TARGETS ${libraries} tessera_interface tessera_header_only tessera_host_arch
  EXPORT TesseraTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
)
install(
  EXPORT TesseraTargets
  NAMESPACE Tessera::
  DESTINATION "${package_dir}"
)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/TesseraConfig.cmake.in" "${PROJECT_BINARY_DIR}/TesseraConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
)
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion
)
install(FILES "${PROJECT_SOURCE_DIR}/cmake/CudaLanguage.cmake" "${PROJECT_SOURCE_DIR}/cmake/DeviceSources.cmake"
              "${PROJECT_BINARY_DIR}/TesseraConfig.cmake"
              "${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake" DESTINATION "${package_dir}"
)

# A .pc file cannot describe nvcc's flags.
if("CUDA" IN_LIST Kokkos_DEVICES OR NOT TARGET Kokkos::kokkoscore OR IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  message(STATUS "Tessera: tessera.pc is LEFT OUT, which is for host builds with a relative CMAKE_INSTALL_LIBDIR")
else()
  set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  file(RELATIVE_PATH prefix_from_pc "/prefix/${pc_dir}" "/prefix")
  string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
  set(kokkos_includes "")
  set(kokkos_folder "")
  if(NOT kokkos_SOURCE_DIR) # else in the same prefix
    set(kokkos_includes "-I$<JOIN:$<TARGET_PROPERTY:Kokkos::kokkoscore,INTERFACE_INCLUDE_DIRECTORIES>, -I>")
    set(kokkos_folder "-L$<TARGET_FILE_DIR:Kokkos::kokkoscore>")
  endif()
  set(openmp_flags "")
  if("OPENMP" IN_LIST Kokkos_DEVICES)
    set(openmp_flags "-fopenmp")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/tessera.pc.in" "${PROJECT_BINARY_DIR}/tessera.pc.in" @ONLY)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/tessera.pc" INPUT "${PROJECT_BINARY_DIR}/tessera.pc.in")
  install(FILES "${PROJECT_BINARY_DIR}/tessera.pc" DESTINATION "${pc_dir}")
endif()

if(TARGET tessera_cli)
  install(TARGETS tessera_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
if(TARGET tessera_mpi)
  install(TARGETS tessera_mpi RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
