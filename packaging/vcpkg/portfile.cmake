# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Not yet run. An overlay port of a clone; a port of a release has vcpkg_from_github instead.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(
  OUT_FEATURE_OPTIONS options
  FEATURES
    app TESSERA_BUILD_APP
    hdf5 TESSERA_ENABLE_HDF5
)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${options}
    -DFETCHCONTENT_FULLY_DISCONNECTED=ON
    -DTESSERA_BUILD_TESTS=OFF
    -DTESSERA_BUILD_BENCHMARKS=OFF
    -DTESSERA_ENABLE_PYTHON=OFF
    -DTESSERA_ENABLE_MPI=OFF
    -DTESSERA_HOST_ARCH=baseline
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME Tessera CONFIG_PATH lib/cmake/Tessera)
vcpkg_fixup_pkgconfig()
if("app" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES tessera AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
