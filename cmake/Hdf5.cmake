# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# TESSERA_HDF5: link tessera_hdf5. H5Dchunk_iter needs 1.14.
set(TESSERA_HDF5 OFF)
set(reason "TESSERA_ENABLE_HDF5 is OFF")
if(TESSERA_ENABLE_HDF5)
  enable_language(C) # for FindHDF5
  find_package(HDF5 QUIET COMPONENTS C)
  if(NOT HDF5_FOUND)
    set(reason "its library was not found")
  elseif(HDF5_VERSION VERSION_LESS 1.14)
    set(reason "its library is ${HDF5_VERSION}, which is older than 1.14")
  elseif(NOT ZLIB_FOUND)
    set(reason "zlib was not found")
  else()
    set(TESSERA_HDF5 ON)
    add_library(tessera_hdf5 INTERFACE)
    target_include_directories(tessera_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
    target_link_libraries(tessera_hdf5 INTERFACE ${HDF5_C_LIBRARIES} ZLIB::ZLIB)
  endif()
endif()

if(TESSERA_HDF5)
  message(STATUS "Tessera: HDF5 ${HDF5_VERSION} files")
elseif(TESSERA_ENABLE_HDF5 STREQUAL "ON")
  message(FATAL_ERROR "Tessera: TESSERA_ENABLE_HDF5 is ON, and ${reason}")
else()
  message(NOTICE "Tessera: HDF5 files are LEFT OUT: ${reason}")
endif()
