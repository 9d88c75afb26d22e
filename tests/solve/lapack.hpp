// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

/// The machine's OpenBLAS, loaded by the first call.
namespace tessera::test {

class Lapack {
 public:
  static Lapack const* find() {
    static Lapack const lapack;
    return lapack.dgelsd_ != nullptr && lapack.dgesdd_ != nullptr ? &lapack : nullptr;
  }

  /// The shortest x that minimises ‖A·x - b‖; A is column-major.
  [[nodiscard]] std::vector<double> least_squares(int rows, int cols, std::vector<double> A,
                                                  std::vector<double> b) const {
    int const one = 1;
    int const longer = std::max(rows, cols);
    b.resize(static_cast<std::size_t>(longer));
    std::vector<double> s(static_cast<std::size_t>(std::min(rows, cols)));
    double const rcond = -1;  // machine precision
    int rank = 0;
    run("dgelsd", [&](double* work, int size, int* whole, int& info) {
      dgelsd_(&rows, &cols, &one, A.data(), &rows, b.data(), &longer, s.data(), &rcond, &rank, work,
              &size, whole, &info);
    });
    b.resize(static_cast<std::size_t>(cols));
    return b;
  }
  [[nodiscard]] std::vector<double> singular_values(int rows, int cols,
                                                    std::vector<double> A) const {
    char const none = 'N';
    int const one = 1;
    std::vector<double> s(static_cast<std::size_t>(std::min(rows, cols)));
    std::vector<int> places(8 * s.size());
    double unused = 0;
    run("dgesdd", [&](double* work, int size, int*, int& info) {
      dgesdd_(&none, &rows, &cols, A.data(), &rows, s.data(), &unused, &one, &unused, &one, work,
              &size, places.data(), &info, 1);
    });
    return s;
  }

 private:
  using Dgelsd = void(int const*, int const*, int const*, double*, int const*, double*, int const*,
                      double*, double const*, int*, double*, int const*, int*, int*);
  using Dgesdd = void(char const*, int const*, int const*, double*, int const*, double*, double*,
                      int const*, double*, int const*, double*, int const*, int*, int*,
                      std::size_t);

  Lapack() {
    void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    dgelsd_ = reinterpret_cast<Dgelsd*>(dlsym(library, "dgelsd_"));
    dgesdd_ = reinterpret_cast<Dgesdd*>(dlsym(library, "dgesdd_"));
  }

  template <class Routine>
  static void run(std::string const& name, Routine const& routine) {
    int info = 0;
    double wanted = 0;
    int whole_wanted = 0;
    routine(&wanted, -1, &whole_wanted, info);
    std::vector<double> work(static_cast<std::size_t>(wanted));
    std::vector<int> whole(static_cast<std::size_t>(std::max(1, whole_wanted)));
    if (info == 0) routine(work.data(), static_cast<int>(work.size()), whole.data(), info);
    if (info != 0) throw std::runtime_error(name + " says " + std::to_string(info));
  }

  Dgelsd* dgelsd_ = nullptr;
  Dgesdd* dgesdd_ = nullptr;
};

}  // namespace tessera::test
