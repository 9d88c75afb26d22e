# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# TESSERA_SANITIZERS is a list such as "address;undefined".
set(TESSERA_SANITIZERS "" CACHE STRING "Sanitizers to build everything with, a ;-list")

if(TESSERA_SANITIZERS)
  list(JOIN TESSERA_SANITIZERS "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
endif()

# tessera_lighten_sanitizers(target [regex])
#
# Kernels are unrolled into long functions, which GCC compiles six times as long with every check
# as with none. In the sources of `target` (those that match) what is left out is what other checks
# find: an overrun of an array on the stack is found by `bounds`, a pointer that is null, wild or
# of no object by AddressSanitizer where it is used. What takes no kernels keeps all checks.
function(tessera_lighten_sanitizers target)
  if(NOT TESSERA_SANITIZERS OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  if(ARGC GREATER 1)
    list(FILTER sources INCLUDE REGEX "${ARGV1}")
  endif()
  set_property(
    SOURCE ${sources} TARGET_DIRECTORY ${target} APPEND
    PROPERTY COMPILE_OPTIONS -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow
             --param=asan-stack=0
  )
endfunction()
