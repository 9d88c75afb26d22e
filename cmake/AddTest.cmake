# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

include(GoogleTest)
include(TestsWithoutDriver)

# tessera_add_test(NAME name SOURCES file… [LIBRARIES target…] [LABELS label…] [KOKKOS_MAIN]
#                  [TIMEOUT seconds])
#
# A GoogleTest executable and a ctest test per case. KOKKOS_MAIN: main() initialises Kokkos, sources
# are compiled for the device; with sanitizers, which start slowly, four tests share the cases.
# Labels: unit, property, io, app, headers, package, mpi, slow; gpu: cases on a GPU, one at a time.
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

  # gtest_discover_tests takes only one label: ctest adds them.
  set(labels_file "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}_labels.cmake")
  set(content
      [[
foreach(test IN LISTS @arg_NAME@_TESTS)
  set_tests_properties("${test}" PROPERTIES LABELS "@arg_LABELS@")
  if(test MATCHES "Kokkos::Cuda|/Cuda_")
    set_tests_properties("${test}" PROPERTIES LABELS "@arg_LABELS@;gpu")
    if(test MATCHES OfGiants) # which fill a GPU's memory
      set_tests_properties("${test}" PROPERTIES RESOURCE_LOCK gpu)
    endif()
  endif()
endforeach()
]]
  )
  string(CONFIGURE "${content}" content @ONLY)
  file(GENERATE OUTPUT "${labels_file}" CONTENT "${content}")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels_file}")
endfunction()

# One ctest test for all cases.
function(tessera_add_test_of_portable_kernels test label filter)
  add_test(NAME ${test}.portable COMMAND ${test} "--gtest_filter=${filter}")
  set_tests_properties(
    ${test}.portable PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77
                                ENVIRONMENT "OMP_WAIT_POLICY=passive;TESSERA_TEST_KERNELS=portable"
  )
endfunction()

# Skipped if the processor has no AVX-512.
function(tessera_add_test_without_avx512 test label filter)
  add_test(NAME ${test}.without_avx512 COMMAND ${test} "--gtest_filter=${filter}")
  set_tests_properties(
    ${test}.without_avx512 PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 ENVIRONMENT
                                      "OMP_WAIT_POLICY=passive;TESSERA_AVX512=off;TESSERA_TEST_WITHOUT_AVX512=1"
  )
endfunction()
