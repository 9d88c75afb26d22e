# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Exported are names of namespace tessera alone, and if HIDES_SYMBOLS what the lists of src/library name:
# cmake -DNM=… -DLIBRARY=… -DHIDES_SYMBOLS=… -P exports.cmake
execute_process(COMMAND "${NM}" -D --defined-only "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
list(FILTER symbols EXCLUDE REGEX " A ") # the name of the version
set(others ${symbols})
set(hidden ${symbols})
list(FILTER symbols INCLUDE REGEX "_ZN7tessera6detail9call_atax")
list(FILTER others EXCLUDE REGEX " _Z(N|NK|T[VIST]N|ZN|ZNK|GVN|GVZN|GVZNK|GRN)7tessera")
list(LENGTH symbols count)
if(count LESS 4 OR others)
  string(REPLACE ";" "\n" others "${others}")
  message(FATAL_ERROR "${LIBRARY}: expected names of tessera, found ${count} of call_atax, and these others:\n${others}")
endif()
list(LENGTH hidden count)
message(STATUS "${count} exported symbols")
if(HIDES_SYMBOLS)
  # Launches of kernels, virtual tables and loops are not in the lists.
  list(FILTER hidden INCLUDE REGEX " _Z(N7tessera6detail6launch|T[VIS]N7tessera5solve|N7tessera8backends)")
  if(hidden)
    string(REPLACE ";" "\n" hidden "${hidden}")
    message(FATAL_ERROR "${LIBRARY}: expected hidden, found exported:\n${hidden}")
  endif()
endif()
