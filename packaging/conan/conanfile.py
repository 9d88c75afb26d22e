# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Exported and inspected with Conan 2.34, not yet built. From a clone: conan create packaging/conan --build=missing"""

import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Tessera(ConanFile):
    name = "tessera"
    license = "Apache-2.0"
    description = "Matrix products that read the matrix once and give the same bits everywhere"
    topics = ("linear-algebra", "least-squares", "reproducibility", "kokkos")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        text = load(self, str(pathlib.Path(self.recipe_folder, "../../CMakeLists.txt")))
        self.version = re.search(r"(?m)^  VERSION ([0-9.]+)$", text)[1]

    def export_sources(self):
        clone = pathlib.Path(self.recipe_folder, "../..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "src/*", "backends/*"):
            copy(self, pattern, str(clone), self.export_sources_folder)

    def requirements(self):
        self.requires("kokkos/[>=4.5 <6]", transitive_headers=True, transitive_libs=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["FETCHCONTENT_FULLY_DISCONNECTED"] = True
        toolchain.cache_variables["TESSERA_BUILD_APP"] = False
        toolchain.cache_variables["TESSERA_BUILD_TESTS"] = False
        toolchain.cache_variables["TESSERA_BUILD_BENCHMARKS"] = False
        toolchain.cache_variables["TESSERA_ENABLE_MPI"] = "OFF"
        toolchain.cache_variables["TESSERA_HOST_ARCH"] = "baseline"
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, str(pathlib.Path(self.package_folder, "licenses")))
        CMake(self).install()

    def package_info(self):
        # Its own CMake package, which checks the version and devices of Kokkos.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/Tessera"]
        self.cpp_info.libs = ["tessera"]
        self.cpp_info.defines = ["TESSERA_USES_LIBRARY"]
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread", "dl"]
