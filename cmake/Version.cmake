# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# version.hpp, updated by every build, and the link from <tessera/backends/…> to backends/.
set(TESSERA_GENERATED_INCLUDE_DIR "${CMAKE_CURRENT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${TESSERA_GENERATED_INCLUDE_DIR}/tessera")
file(
  CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/backends"
  "${TESSERA_GENERATED_INCLUDE_DIR}/tessera/backends" SYMBOLIC
)

find_package(Git QUIET)
set(version_command
    "${CMAKE_COMMAND}"
    "-DSOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}"
    "-DOUTPUT=${TESSERA_GENERATED_INCLUDE_DIR}/tessera/version.hpp"
    "-DGIT_EXECUTABLE=${GIT_EXECUTABLE}"
    "-DTessera_VERSION=${Tessera_VERSION}"
    "-DTessera_VERSION_MAJOR=${Tessera_VERSION_MAJOR}"
    "-DTessera_VERSION_MINOR=${Tessera_VERSION_MINOR}"
    "-DTessera_VERSION_PATCH=${Tessera_VERSION_PATCH}"
    -P
    "${CMAKE_CURRENT_SOURCE_DIR}/cmake/WriteVersion.cmake"
)
execute_process(COMMAND ${version_command} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(
  tessera_version
  COMMAND ${version_command}
  BYPRODUCTS "${TESSERA_GENERATED_INCLUDE_DIR}/tessera/version.hpp"
  COMMENT "Looking up the commit"
  VERBATIM
)
