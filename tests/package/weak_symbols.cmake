# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# No kernel of the library is in a program's object: cmake -DNM=… -DOBJECT=… -P weak_symbols.cmake
execute_process(COMMAND "${NM}" --demangle --defined-only "${OBJECT}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "tessera::stream::detail")
  message(FATAL_ERROR "${OBJECT}: expected symbols of tessera, found none")
endif()
string(REPLACE ";" "," symbols "${symbols}")
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
# Allowed: squares in the program's type, and products of blocks from its source.
list(FILTER symbols INCLUDE REGEX " [WVu] .*(OnElements<|OnTeams<|elementary::|finish_atax|maps::Function<(float|double)>::operator)")
list(FILTER symbols EXCLUDE REGEX "SquareDifferences|CopyVectors|TakeShifts")
if(symbols)
  string(REPLACE ";" "\n" symbols "${symbols}")
  message(FATAL_ERROR "${OBJECT}: expected no kernel that the library has, found:\n${symbols}")
endif()
