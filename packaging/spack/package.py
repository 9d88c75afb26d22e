# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Not yet run. Its archive is a local file until there is a release: `./dev release 0.1.0 --dry-run
--sources-only` makes it, and `spack install --no-checksum tessera` uses it."""

import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Tessera(CMakePackage):
    """Matrix products that read the matrix once and give the same bits everywhere."""

    url = (pathlib.Path(__file__).resolve().parents[2] / "build/release/tessera-0.1.0.tar.gz").as_uri()

    license("Apache-2.0")

    version("0.1.0")

    variant("app", default=True, description="The command line program")
    variant("hdf5", default=True, when="+app", description="HDF5 files")
    variant("mpi", default=False, description="Many processes")
    variant("shared", default=True, description="libtessera.so")

    depends_on("c", type="build", when="+hdf5")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("kokkos@4.5:5")
    depends_on("cli11@2.3:", type="build", when="+app")
    depends_on("nlohmann-json@3.10:", type="build", when="+app")
    depends_on("ftxui", when="+app")
    depends_on("openssl", when="+app")
    depends_on("zlib-api", when="+app")
    depends_on("hdf5@1.14:", when="+hdf5")
    depends_on("mpi", when="+mpi")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("FETCHCONTENT_FULLY_DISCONNECTED", True),
            self.define("TESSERA_HOST_ARCH", "baseline"),  # Spack adds the target's flags
            self.define("TESSERA_BUILD_TESTS", self.run_tests),
            self.define("TESSERA_BUILD_BENCHMARKS", False),
            self.define("TESSERA_ENABLE_PYTHON", False),
            self.define("TESSERA_ENABLE_HDF5", "ON" if "+hdf5" in self.spec else "OFF"),
            self.define("TESSERA_ENABLE_MPI", "ON" if "+mpi" in self.spec else "OFF"),
            self.define_from_variant("TESSERA_BUILD_APP", "app"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
