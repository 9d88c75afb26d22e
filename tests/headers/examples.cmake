# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# tessera_examples_of(header result count): returns the examples in the doc blocks of `header`, a
# path below the source folder, as one function each. An example is the text between "/// ```cpp"
# and "/// ```".
function(tessera_examples_of header result count)
  file(READ "${PROJECT_SOURCE_DIR}/${header}" text)
  # Escape characters that have a meaning in CMake's lists.
  string(REPLACE ";" "<semicolon>" text "${text}")
  string(REPLACE "[" "<open>" text "${text}")
  string(REPLACE "]" "<close>" text "${text}")
  string(REPLACE "\\" "<backslash>" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  string(MAKE_C_IDENTIFIER "${header}" name)
  set(code "")
  set(number 0)
  set(found 0)
  set(inside NO)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    string(STRIP "${line}" line)
    if(line STREQUAL "/// ```cpp")
      math(EXPR next "${number} + 1")
      string(APPEND code "void ${name}_${number}() {\n"
                         "#line ${next} \"${PROJECT_SOURCE_DIR}/${header}\"\n"
      )
      set(inside YES)
      math(EXPR found "${found} + 1")
    elseif(inside AND line STREQUAL "/// ```")
      string(APPEND code "}\n")
      set(inside NO)
    elseif(inside)
      string(REGEX REPLACE "^/// ?" "" line "${line}")
      string(APPEND code "${line}\n")
    endif()
  endforeach()
  if(inside)
    message(FATAL_ERROR "${header}: expected \"/// ```\" after the last example, found the end of the file")
  endif()
  string(REPLACE "<semicolon>" ";" code "${code}")
  string(REPLACE "<open>" "[" code "${code}")
  string(REPLACE "<close>" "]" code "${code}")
  string(REPLACE "<backslash>" "\\" code "${code}")
  set(${result} "${code}" PARENT_SCOPE)
  set(${count} ${found} PARENT_SCOPE)
endfunction()
