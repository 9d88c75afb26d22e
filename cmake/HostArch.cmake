# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Bits are equal with any; without hardware fma it is slower. Consumers link Tessera::host_arch.
set(TESSERA_HOST_ARCH
    "x86-64-v3"
    CACHE STRING "Host code for: x86-64-v3 (ignored on other processors), native, baseline"
)
set_property(CACHE TESSERA_HOST_ARCH PROPERTY STRINGS x86-64-v3 native baseline)

set(host_arch_flag "")
if(TESSERA_HOST_ARCH STREQUAL "native")
  set(host_arch_flag -march=native)
elseif(TESSERA_HOST_ARCH STREQUAL "x86-64-v3")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(host_arch_flag -march=x86-64-v3)
  else()
    set(TESSERA_HOST_ARCH baseline) # which `tessera info` prints
  endif()
elseif(NOT TESSERA_HOST_ARCH STREQUAL "baseline")
  message(FATAL_ERROR "TESSERA_HOST_ARCH is '${TESSERA_HOST_ARCH}': use x86-64-v3, native or baseline")
endif()

add_library(tessera_host_arch INTERFACE)
add_library(Tessera::host_arch ALIAS tessera_host_arch)
set_target_properties(tessera_host_arch PROPERTIES EXPORT_NAME host_arch)
if(host_arch_flag)
  target_compile_options(
    tessera_host_arch INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${host_arch_flag}>"
                                "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${host_arch_flag}>"
  )
endif()
