# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Moves the prefix, builds with pkg-config alone: cmake -DPREFIX=… -DFOLDER=… -DPKG_CONFIG=…
# -DCOMPILER=… -DVERSION=… -DSOURCE=… -P pkg_config.cmake
file(REMOVE_RECURSE "${FOLDER}")
file(MAKE_DIRECTORY "${FOLDER}/moved")
file(COPY "${PREFIX}/" DESTINATION "${FOLDER}/moved")
file(GLOB_RECURSE file "${FOLDER}/moved/tessera.pc")
cmake_path(GET file PARENT_PATH pc_dir)
set(ENV{PKG_CONFIG_PATH} "${pc_dir}")

function(ask output)
  execute_process(
    COMMAND "${PKG_CONFIG}" ${ARGN} tessera
    OUTPUT_VARIABLE result
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY
  )
  separate_arguments(result UNIX_COMMAND "${result}")
  set(${output} ${result} PARENT_SCOPE)
endfunction()

ask(version --modversion)
if(NOT version STREQUAL VERSION)
  message(FATAL_ERROR "tessera.pc has version ${version}, expected ${VERSION}")
endif()
ask(compile_flags --cflags)
ask(link_flags --libs)
ask(libdir --variable=libdir)
execute_process(
  COMMAND "${COMPILER}" -std=c++20 ${compile_flags} "${SOURCE}" -o "${FOLDER}/program" ${link_flags} "-Wl,-rpath,${libdir}"
  COMMAND_ERROR_IS_FATAL ANY
)
execute_process(COMMAND "${FOLDER}/program" COMMAND_ERROR_IS_FATAL ANY)
