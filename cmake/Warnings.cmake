# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Warnings for our own targets; never exported.
set(warning_flags
    -Wall
    -Wextra
    -Wpedantic
    -Wconversion
    -Wsign-conversion
    -Wshadow
    -Wcast-align
    -Wold-style-cast
    -Woverloaded-virtual
    -Wnon-virtual-dtor
    -Wdouble-promotion
    -Wformat=2
    -Wimplicit-fallthrough
)

add_library(tessera_warnings INTERFACE)
target_compile_options(
  tessera_warnings
  INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warning_flags}>"
            "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>" # nvcc rewrites code: less is true
)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False positive for an overlap in "x" + std::string: https://gcc.gnu.org/PR105651.
  target_compile_options(
    tessera_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>"
                               "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-restrict>"
  )
endif()
# Sources that are compiled together share names, which locals may hide.
if(CMAKE_UNITY_BUILD)
  target_compile_options(tessera_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND NOT TESSERA_ENABLE_TIDY # whose clang does not know the option
   AND (CMAKE_UNITY_BUILD OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
)
  # In an instantiation 12 and 13 take a type of a function for one of a base, which it cannot mean.
  target_compile_options(
    tessera_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow;-Wshadow=local>"
  )
endif()
if(TESSERA_WARNINGS_AS_ERRORS)
  target_compile_options(
    tessera_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Werror>"
                               "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror;-Werror=all-warnings>"
  )
endif()
