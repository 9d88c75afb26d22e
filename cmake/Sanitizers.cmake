# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# A list such as "address;undefined".
set(TESSERA_SANITIZERS "" CACHE STRING "Sanitizers to build everything with, a ;-list")

if(TESSERA_SANITIZERS)
  list(JOIN TESSERA_SANITIZERS "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
endif()

# GCC and clang compile unrolled kernels several times longer with every check. Omits those whose
# errors others find: `bounds` an overrun on the stack, AddressSanitizer a bad pointer.
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

# For references, slow with every check, and the program's starter, which has its own checks.
function(tessera_leave_unsanitized target)
  if(TESSERA_SANITIZERS)
    target_compile_options(${target} PRIVATE -fno-sanitize=all ${ARGN})
  endif()
endfunction()
