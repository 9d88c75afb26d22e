# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# clang-tidy on our configured sources with their flags. Included last.
find_program(TESSERA_RUN_CLANG_TIDY run-clang-tidy REQUIRED)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
set(ours "(src|backends|examples|benchmarks)/")
add_custom_target(
  tidy
  COMMAND "${TESSERA_RUN_CLANG_TIDY}" -quiet -j ${cores} -p "${PROJECT_BINARY_DIR}" -warnings-as-errors=*
          "^${PROJECT_SOURCE_DIR}/${ours}|^${PROJECT_BINARY_DIR}/${ours}"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  COMMENT "Looking for mistakes with clang-tidy"
  USES_TERMINAL VERBATIM
)
add_dependencies(tidy tessera_version)

enable_testing()
add_test(NAME tidy COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target tidy)
set_tests_properties(tidy PROPERTIES LABELS lint TIMEOUT 3600)

# Needs clang, as this target does.
if(NOT TESSERA_BUILD_TESTS)
  add_subdirectory("${PROJECT_SOURCE_DIR}/tests/package" tests/package)
endif()
