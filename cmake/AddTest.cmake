# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

include(GoogleTest)
include(TestsWithoutDriver)

# tessera_add_test(NAME name SOURCES file… [LIBRARIES target…] [LABELS label…] [KOKKOS_MAIN])
#
# Makes the GoogleTest executable `name` and one ctest test per test case. With KOKKOS_MAIN its
# main() initialises Kokkos, and its sources are compiled for the device where there is one.
# Labels in use: unit, property, io, app, headers, package, slow, and gpu for tests with Cuda in their
# name, of which one runs at a time.
function(tessera_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "KOKKOS_MAIN" "NAME" "SOURCES;LIBRARIES;LABELS")
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tessera_add_test: NAME and SOURCES are needed; not known: '${arg_UNPARSED_ARGUMENTS}'")
  endif()

  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(
    ${arg_NAME} PRIVATE ${arg_LIBRARIES} Tessera::tessera tessera_build_flags GTest::gmock
  )
  set(has_gpu_tests OFF)
  if(arg_KOKKOS_MAIN)
    set(device_check host)
    if("CUDA" IN_LIST Kokkos_DEVICES)
      set(device_check cuda)
      set(has_gpu_tests ON)
    endif()
    target_sources(
      ${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/kokkos_main.cpp"
                          "${PROJECT_SOURCE_DIR}/tests/support/device_check_${device_check}.cpp"
    )
    target_include_directories(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    tessera_device_sources(${arg_NAME})
  else()
    target_link_libraries(${arg_NAME} PRIVATE GTest::gmock_main)
  endif()

  if(has_gpu_tests)
    tessera_discover_tests(${arg_NAME} "${arg_LABELS};gpu" TEST_FILTER "*Cuda*" PROPERTIES RESOURCE_LOCK gpu)
    tessera_discover_tests(${arg_NAME} "${arg_LABELS}" TEST_FILTER "-*Cuda*")
  else()
    tessera_discover_tests(${arg_NAME} "${arg_LABELS}")
  endif()
endfunction()

# tessera_discover_tests(<target> <labels> [TEST_FILTER <filter>] [PROPERTIES <name> <value>…])
#
# Like gtest_discover_tests, which takes no property that is a list: the labels are set by a file
# that ctest reads behind its list of tests.
function(tessera_discover_tests target labels)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TEST_FILTER" "PROPERTIES")
  string(MAKE_C_IDENTIFIER "${target}_${labels}_tests" tests)
  gtest_discover_tests(
    ${target}
    TEST_FILTER "${arg_TEST_FILTER}"
    TEST_LIST ${tests}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES SKIP_RETURN_CODE 77 # of tests/support/kokkos_main.cpp
               ENVIRONMENT OMP_WAIT_POLICY=passive # tests share the cores
               ${arg_PROPERTIES}
  )
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${tests}_labels.cmake")
  file(
    CONFIGURE
    OUTPUT "${file}"
    CONTENT "foreach(test IN LISTS @tests@)
  set_tests_properties(\"\${test}\" PROPERTIES LABELS \"@labels@\")
endforeach()
"
    @ONLY
  )
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${file}")
endfunction()
