# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# tessera_compile_quickly(target [level]): compiles its sources with -O0, or with `level`. For sources without
# kernels, or with little work for them: these compile twice as fast.
function(tessera_compile_quickly target)
  set(level -O0)
  if(ARGC GREATER 1)
    set(level "${ARGV1}")
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${level}>)
endfunction()

# tessera_compile_alone(target [regex])
#
# Presets compile several sources at a time (CMAKE_UNITY_BUILD), which reads their headers once. The sources
# of `target` that match are compiled one by one.
function(tessera_compile_alone target)
  get_target_property(sources ${target} SOURCES)
  if(ARGC GREATER 1)
    list(FILTER sources INCLUDE REGEX "${ARGV1}")
  endif()
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
