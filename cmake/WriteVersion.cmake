# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Writes only if the text changes.
set(TESSERA_GIT_COMMIT "unknown")
if(GIT_EXECUTABLE)
  execute_process(
    COMMAND "${GIT_EXECUTABLE}" -c safe.directory=* describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE found_commit
    RESULT_VARIABLE git_status
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
  )
  if(git_status EQUAL 0 AND found_commit)
    set(TESSERA_GIT_COMMIT "${found_commit}")
  endif()
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/version.hpp.in" "${OUTPUT}" @ONLY)
