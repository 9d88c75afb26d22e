# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# What find_package(Tessera) accepts: cmake -DPREFIX=… -DFOLDER=… -DGENERATOR=… -DCOMPILER=…
# -DKOKKOS_DIR=… -DDEVICES=… -DVERSION=… -P finding.cmake (DEVICES and VERSION of that Kokkos)

function(expect name wanted)
  file(REMOVE_RECURSE "${FOLDER}/${name}")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/finding" -B "${FOLDER}/${name}"
            -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${PREFIX}" ${ARGN}
    OUTPUT_VARIABLE text
    ERROR_VARIABLE text
  )
  string(REGEX REPLACE "[ \n]+" " " text "${text}") # CMake wraps lines
  string(FIND "${text}" "${wanted}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${name}: expected '${wanted}', found:\n${text}")
  endif()
endfunction()

function(another_kokkos name version devices)
  set(folder "${FOLDER}/kokkos_${name}")
  file(WRITE "${folder}/KokkosConfig.cmake" "set(Kokkos_DEVICES \"${devices}\")\n")
  file(WRITE "${folder}/KokkosConfigVersion.cmake"
       "set(PACKAGE_VERSION ${version})\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n"
  )
endfunction()

string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor "${VERSION}")
another_kokkos(older 4.6.1 "${DEVICES}")
another_kokkos(patch ${minor}.99 "${DEVICES}")
another_kokkos(device ${VERSION} "${DEVICES};HIP")
another_kokkos(too_old 4.4.1 "${DEVICES}")

set(installed "-DKokkos_DIR=${KOKKOS_DIR}")
expect(same "found Tessera" ${installed})
expect(patch "found Tessera" "-DKokkos_DIR=${FOLDER}/kokkos_patch")
expect(older "Tessera's library was built with Kokkos ${VERSION} for" "-DKokkos_DIR=${FOLDER}/kokkos_older")
expect(older_too "and CMake found Kokkos 4.6.1 for" "-DKokkos_DIR=${FOLDER}/kokkos_older")
expect(headers "found Tessera" "-DKokkos_DIR=${FOLDER}/kokkos_older" -DCOMPONENTS=Headers)
expect(device "in ${FOLDER}/kokkos_device. Set Kokkos_ROOT" "-DKokkos_DIR=${FOLDER}/kokkos_device")
expect(too_old "Tessera needs Kokkos 4.5 to 5.x, and found 4.4.1" "-DKokkos_DIR=${FOLDER}/kokkos_too_old" -DCOMPONENTS=Headers)
expect(component "Tessera has no component Nonsense: use Distributed or Headers" ${installed} -DCOMPONENTS=Nonsense)
