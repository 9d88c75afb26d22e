# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# Not yet run, and macOS is untested. Its archive is a local file until there is a release:
# `./dev release 0.1.0 --dry-run --sources-only` makes it.
class Tessera < Formula
  desc "Matrix products that read the matrix once and give the same bits everywhere"
  version "0.1.0"
  url "file://#{File.expand_path("../../build/release/tessera-#{version}.tar.gz", __dir__)}"
  license "Apache-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "ftxui"
  depends_on "hdf5"
  depends_on "kokkos"
  depends_on "openssl@3"

  on_macos do
    depends_on "libomp"
  end

  uses_from_macos "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja",
                    "-DBUILD_SHARED_LIBS=ON",
                    "-DFETCHCONTENT_FULLY_DISCONNECTED=ON",
                    "-DTESSERA_HOST_ARCH=baseline",
                    "-DTESSERA_BUILD_TESTS=OFF",
                    "-DTESSERA_BUILD_BENCHMARKS=OFF",
                    "-DTESSERA_ENABLE_PYTHON=OFF",
                    "-DTESSERA_ENABLE_MPI=OFF",
                    *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"tessera", "gen", "--rows", "30", "--cols", "20", "--output", "a.npy"
    system bin/"tessera", "atax", "a.npy", "--vector", "a-vector.npy", "--output", "c.npy", "--check"
  end
end
