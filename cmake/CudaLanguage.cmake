# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# CMake 3.25.0 and 3.25.1 lack nvcc's flag for C++20. Also for a Kokkos that is configured later.
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA_COMPILE_FEATURES ${CMAKE_CUDA_COMPILE_FEATURES} cuda_std_20)
  set(CMAKE_CUDA20_COMPILE_FEATURES cuda_std_20)
  set(CMAKE_CUDA_STANDARD_LATEST 20)
endif()
