# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# nvcc puts its own -O behind the options of the host's compiler.
foreach(config IN ITEMS RELEASE RELWITHDEBINFO)
  string(REGEX REPLACE "(^| )-O([0-3])" "\\1-Xcompiler=-O\\2" CMAKE_CUDA_FLAGS_${config} "${CMAKE_CUDA_FLAGS_${config}}")
endforeach()

# With -O0 or `level` for the host: twice as fast. For sources with little work for kernels.
function(tessera_compile_quickly target)
  set(level -O0)
  if(ARGC GREATER 1)
    set(level "${ARGV1}")
  endif()
  target_compile_options(
    ${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${level}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${level}>
  )
endfunction()

# tessera_compile_alone(target [regex]): excludes sources that take long, or whose names
# collide, from CMAKE_UNITY_BUILD.
function(tessera_compile_alone target)
  get_target_property(sources ${target} SOURCES)
  if(ARGC GREATER 1)
    list(FILTER sources INCLUDE REGEX "${ARGV1}")
  endif()
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
