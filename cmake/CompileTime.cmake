# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# tessera_compile_quickly(target [level]): its sources have no kernels, or little work for them, and take
# half as long to compile when they are not optimised (-O0), or as far as `level` says.
function(tessera_compile_quickly target)
  set(level -O0)
  if(ARGC GREATER 1)
    set(level "${ARGV1}")
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${level}>)
endfunction()

# tessera_compile_alone(target [regex])
#
# Presets compile several sources at a time (CMAKE_UNITY_BUILD), which reads their headers once. The
# sources of `target` (those that match) stay alone.
function(tessera_compile_alone target)
  get_target_property(sources ${target} SOURCES)
  if(ARGC GREATER 1)
    list(FILTER sources INCLUDE REGEX "${ARGV1}")
  endif()
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
