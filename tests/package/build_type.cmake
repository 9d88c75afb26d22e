# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# How a parent project compiles the kernels: cmake -DFOLDER=… -DGENERATOR=… -DOPTIONS=… -P
# build_type.cmake

# expect(<name> <regex of the flags> <notice: TRUE or FALSE> <cmake options>…)
function(expect name flags notice)
  file(REMOVE_RECURSE "${FOLDER}/${name}")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/subdirectory" -B "${FOLDER}/${name}" -G "${GENERATOR}"
            -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${OPTIONS} ${ARGN}
    OUTPUT_VARIABLE text
    ERROR_VARIABLE text COMMAND_ERROR_IS_FATAL ANY
  )
  string(FIND "${text}" "Tessera: CMAKE_BUILD_TYPE is not set" place)
  if((place EQUAL -1 AND notice) OR (NOT place EQUAL -1 AND NOT notice))
    message(FATAL_ERROR "${name}: expected a notice: ${notice}, found:\n${text}")
  endif()
  file(STRINGS "${FOLDER}/${name}/compile_commands.json" commands REGEX "\"command\".*tessera_objects")
  list(LENGTH commands count)
  list(FILTER commands EXCLUDE REGEX "${flags}")
  if(count EQUAL 0 OR commands)
    message(FATAL_ERROR "${name}: expected ${flags} in each of ${count} commands, and found without it: ${commands}")
  endif()
endfunction()

expect(none " -O3 " TRUE -DCMAKE_BUILD_TYPE=)
expect(release " -O3 .*-DNDEBUG|-DNDEBUG.* -O3 " FALSE -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O3\ -DNDEBUG)
expect(flags " -O1 " FALSE -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_FLAGS=-O1)
