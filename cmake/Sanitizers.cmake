# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# TESSERA_SANITIZERS is a list such as "address;undefined".
set(TESSERA_SANITIZERS "" CACHE STRING "Sanitizers to build everything with, a ;-list")

if(TESSERA_SANITIZERS)
  list(JOIN TESSERA_SANITIZERS "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
endif()

# tessera_lighten_sanitizers(target)
#
# Kernels are unrolled into long functions. With every check, GCC and clang take several times as long to
# compile them. The checks omitted for their targets find only what other checks find: `bounds` finds an
# overrun of an array on the stack, AddressSanitizer finds the use of a null, wild or dangling pointer.
# Targets without kernels keep all checks.
function(tessera_lighten_sanitizers target)
  if(NOT TESSERA_SANITIZERS)
    return()
  endif()
  set(no_stack "--param=asan-stack=0")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(no_stack "SHELL:-mllvm -asan-stack=0")
  endif()
  target_compile_options(
    ${target} PRIVATE -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow "${no_stack}"
  )
endfunction()

# tessera_leave_unsanitized(target flags…): for targets that compute no results of the library. These are
# the references, which process as many numbers as the kernels and are slow with every check, and the
# starter of the program, which has its own checks.
function(tessera_leave_unsanitized target)
  if(TESSERA_SANITIZERS)
    target_compile_options(${target} PRIVATE -fno-sanitize=all ${ARGN})
  endif()
endfunction()
