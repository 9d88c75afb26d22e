# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# HDF5 is optional: TESSERA_HDF5 is ON if it is available; link tessera_hdf5. 1.14 is the first release that
# lists the chunks of a dataset (H5Dchunk_iter).
set(TESSERA_HDF5 OFF)
set(reason "TESSERA_ENABLE_HDF5 is OFF")
if(TESSERA_ENABLE_HDF5)
  enable_language(C) # FindHDF5 compiles a few lines
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
