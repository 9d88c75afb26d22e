# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

include(GoogleTest)
include(TestsWithoutDriver)

# tessera_add_test(NAME name SOURCES file… [LIBRARIES target…] [LABELS label…] [KOKKOS_MAIN]
#                  [TIMEOUT seconds])
#
# Makes the GoogleTest executable `name` and one ctest test per test case. With sanitizers, which slow down
# the start, KOKKOS_MAIN makes four tests that share the cases. With KOKKOS_MAIN the main() initialises
# Kokkos, and the sources are compiled for the device if there is one. Without it, the sources have no
# kernels.
# Labels in use: unit, property, io, app, headers, package, mpi, slow; and gpu for every case on a GPU, one
# at a time.
function(tessera_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "KOKKOS_MAIN" "NAME;TIMEOUT" "SOURCES;LIBRARIES;LABELS")
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tessera_add_test: NAME and SOURCES are needed; not known: '${arg_UNPARSED_ARGUMENTS}'")
  endif()

  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(
    ${arg_NAME} PRIVATE ${arg_LIBRARIES} Tessera::tessera tessera_build_flags GTest::gmock
  )
  if(arg_KOKKOS_MAIN)
    target_link_libraries(${arg_NAME} PRIVATE tessera_kokkos_main)
    tessera_device_sources(${arg_NAME})
    tessera_lighten_sanitizers(${arg_NAME})
  else()
    target_link_libraries(${arg_NAME} PRIVATE GTest::gmock_main)
    tessera_compile_quickly(${arg_NAME})
  endif()

  if(arg_KOKKOS_MAIN AND TESSERA_SANITIZERS)
    foreach(share RANGE 3)
      add_test(NAME ${arg_NAME}.share${share} COMMAND ${arg_NAME} --gtest_brief=1)
      set_tests_properties(
        ${arg_NAME}.share${share}
        PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77
                   ENVIRONMENT "OMP_WAIT_POLICY=passive;GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${share}"
      )
    endforeach()
    return()
  endif()

  set(timeout "")
  if(arg_TIMEOUT)
    set(timeout TIMEOUT ${arg_TIMEOUT})
  endif()
  gtest_discover_tests(
    ${arg_NAME}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES SKIP_RETURN_CODE 77 # of tests/support/kokkos_main.cpp
               ENVIRONMENT OMP_WAIT_POLICY=passive # tests share the cores
               ${timeout}
  )

  # gtest_discover_tests takes one label at most: ctest adds them when it has the names.
  set(labels_file "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_labels.cmake")
  set(content
      [[
foreach(test IN LISTS @arg_NAME@_TESTS)
  set_tests_properties("${test}" PROPERTIES LABELS "@arg_LABELS@")
  if(test MATCHES "Kokkos::Cuda|/Cuda_")
    set_tests_properties("${test}" PROPERTIES LABELS "@arg_LABELS@;gpu" RESOURCE_LOCK gpu)
  endif()
endforeach()
]]
  )
  string(CONFIGURE "${content}" content @ONLY)
  file(GENERATE OUTPUT "${labels_file}" CONTENT "${content}")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels_file}")
endfunction()

# tessera_add_test_of_portable_kernels(test label filter): one ctest test that runs the tests of `test`
# that match once more, with the portable kernels.
function(tessera_add_test_of_portable_kernels test label filter)
  add_test(NAME ${test}.portable COMMAND ${test} "--gtest_filter=${filter}")
  set_tests_properties(
    ${test}.portable PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77
                                ENVIRONMENT "OMP_WAIT_POLICY=passive;TESSERA_TEST_KERNELS=portable"
  )
endfunction()

# tessera_add_test_without_avx512(test label filter): one ctest test that repeats the matching tests of `test`
# with the loops for processors without AVX-512. Skipped if the processor has no AVX-512.
function(tessera_add_test_without_avx512 test label filter)
  add_test(NAME ${test}.without_avx512 COMMAND ${test} "--gtest_filter=${filter}")
  set_tests_properties(
    ${test}.without_avx512 PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 ENVIRONMENT
                                      "OMP_WAIT_POLICY=passive;TESSERA_AVX512=off;TESSERA_TEST_WITHOUT_AVX512=1"
  )
endfunction()
