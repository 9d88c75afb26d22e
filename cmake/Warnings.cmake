# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Never exported.
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
            "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>" # nvcc rewrites code
)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False positive in "x" + std::string: https://gcc.gnu.org/PR105651.
  target_compile_options(
    tessera_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>"
                               "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-restrict>"
  )
endif()
# Sources of a unit share names, which locals may hide.
if(CMAKE_UNITY_BUILD)
  target_compile_options(tessera_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND NOT TESSERA_ENABLE_TIDY # clang does not know the option
   AND (CMAKE_UNITY_BUILD OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
)
  # 12 and 13 confuse types of a function and of a base in instantiations.
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
