# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# CUDA programs need the driver's libcuda.so.1 to start. Without it, tests run with the toolkit's
# stub, which finds no device, and are skipped.
if(NOT "CUDA" IN_LIST Kokkos_DEVICES)
  return()
endif()
find_package(CUDAToolkit REQUIRED)
if(NOT CUDA_cuda_driver_LIBRARY MATCHES "/stubs/")
  return()
endif()

set(stub_folder "${PROJECT_BINARY_DIR}/cuda-stub")
file(MAKE_DIRECTORY "${stub_folder}")
file(CREATE_LINK "${CUDA_cuda_driver_LIBRARY}" "${stub_folder}/libcuda.so.1" SYMBOLIC)

add_executable(has_cuda_driver "${PROJECT_SOURCE_DIR}/tests/support/has_cuda_driver.cpp")
target_link_libraries(has_cuda_driver PRIVATE ${CMAKE_DL_LIBS})

set(look "${PROJECT_BINARY_DIR}/look-for-cuda-driver")
file(
  GENERATE
  OUTPUT "${look}-$<CONFIG>.cmake"
  CONTENT
    "execute_process(COMMAND \"$<TARGET_FILE:has_cuda_driver>\" RESULT_VARIABLE result)
if(result EQUAL 1)
  message(NOTICE \"!!! There is no CUDA driver: tests that need Kokkos are SKIPPED\")
  set(ENV{LD_LIBRARY_PATH} \"${stub_folder}:\$ENV{LD_LIBRARY_PATH}\")
endif()
"
)
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY TEST_INCLUDE_FILES "${look}-${CMAKE_BUILD_TYPE}.cmake")
