# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Compiles our sources as LANGUAGE CUDA if Kokkos does (Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE),
# else through nvcc_wrapper or its launcher.
set(cuda_as_language OFF)
if(Kokkos_ENABLE_CUDA AND (Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE OR Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA"))
  set(cuda_as_language "${CMAKE_CURRENT_LIST_DIR}/CudaLanguage.cmake")
  include("${cuda_as_language}")
endif()
set(TESSERA_CUDA_AS_LANGUAGE ${cuda_as_language} CACHE INTERNAL "What enables CUDA, if sources with kernels are of it")

# Every fused multiply-add is written out.
set(TESSERA_NO_CONTRACTION_FLAGS
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang,IntelLLVM>:-ffp-contract=off>"
    "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:--fmad=false;-Xcompiler=-ffp-contract=off>"
    "$<$<COMPILE_LANG_AND_ID:CUDA,Clang>:-ffp-contract=off>"
)
if(Kokkos_ENABLE_CUDA AND NOT TESSERA_CUDA_AS_LANGUAGE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  list(APPEND TESSERA_NO_CONTRACTION_FLAGS "$<$<COMPILE_LANGUAGE:CXX>:--fmad=false>")
endif()

# A macro, because a parent project's folder has not enabled the language.
macro(tessera_device_sources target)
  if(TESSERA_CUDA_AS_LANGUAGE)
    if(NOT CMAKE_CUDA_COMPILER_LOADED)
      include("${TESSERA_CUDA_AS_LANGUAGE}")
    endif()
    tessera_sources_are_cuda(${target})
  endif()
endmacro()
function(tessera_sources_are_cuda target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE CUDA)
  if(CMAKE_UNITY_BUILD AND CMAKE_VERSION VERSION_LESS 3.31) # 3.31 joins CUDA sources itself
    cmake_language(EVAL CODE "cmake_language(DEFER CALL tessera_unite_cuda_sources [[${target}]])")
  endif()
endfunction()

# As CMAKE_UNITY_BUILD, in the same batches.
function(tessera_unite_cuda_sources target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(batch_size ${target} UNITY_BUILD_BATCH_SIZE)
  set(batches "")
  set(count 0)
  foreach(source IN LISTS sources)
    get_source_file_property(language "${source}" LANGUAGE)
    get_source_file_property(alone "${source}" SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(definitions "${source}" COMPILE_DEFINITIONS)
    if(NOT language STREQUAL "CUDA" OR alone OR definitions)
      continue()
    endif()
    math(EXPR batch "${count} / ${batch_size}")
    math(EXPR count "${count} + 1")
    list(APPEND batches ${batch})
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    string(APPEND content_${batch} "#include \"${path}\"\n")
    set_source_files_properties("${source}" PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
  list(REMOVE_DUPLICATES batches)
  foreach(batch IN LISTS batches)
    set(united "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${batch}_cuda.cu")
    file(CONFIGURE OUTPUT "${united}" CONTENT "${content_${batch}}" @ONLY)
    target_sources(${target} PRIVATE "${united}")
  endforeach()
endfunction()
