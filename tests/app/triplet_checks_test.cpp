// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <app/solve/solve.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>
#include <tessera/solve/small_svd.hpp>

/// Every corruption of triplets fails the checks.
namespace tessera::app {
namespace {

using Matrix = io::MatrixView<double, Kokkos::LayoutRight>;
constexpr std::int64_t rows = 60;
constexpr std::int64_t cols = 7;
constexpr std::int64_t k = 4;

double entry(std::int64_t i, std::int64_t j) {
  return std::cos(static_cast<double>(i * (j + 2) + j)) * std::pow(0.8, static_cast<double>(j)) +
         static_cast<double>(j);
}

class TripletChecks : public testing::Test {
 protected:
  TripletChecks()
      : path_(std::filesystem::temp_directory_path() /
              ("tessera_triplet_checks-" + std::to_string(::getpid()) + ".npy")) {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (60, 7), }";
    header.resize(117, ' ');
    header += '\n';
    std::ofstream file(path_, std::ios::binary);
    file << "\x93NUMPY" << '\x01' << '\x00' << static_cast<char>(header.size()) << '\x00' << header;
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      double const x = entry(i / cols, i % cols);
      file.write(reinterpret_cast<char const*>(&x), sizeof(x));
    }
  }
  ~TripletChecks() override { std::filesystem::remove(path_); }

  static TripletOptions options(bool is_pca, bool scale) {
    TripletOptions options;
    options.command = is_pca ? "pca" : "svd";
    options.k = k;
    options.scale = scale;
    (is_pca ? options.scores : options.u) = "u.npy";
    return options;
  }
  static Triplets triplets(TripletOptions const& options) {
    Triplets found;
    solve::SmallMatrix A(rows, cols);
    double all = 0;
    for (std::int64_t j = 0; j < cols; ++j) {
      double mean = 0;
      for (std::int64_t i = 0; i < rows; ++i) mean += entry(i, j) / rows;
      double square = 0;
      for (std::int64_t i = 0; i < rows; ++i) square += std::pow(entry(i, j) - mean, 2);
      double const deviation = std::sqrt(square / (rows - 1));
      if (options.is_pca()) {
        found.mean.push_back(mean);
        found.deviation.push_back(deviation);
      }
      for (std::int64_t i = 0; i < rows; ++i) {
        double const centred = entry(i, j) - (options.is_pca() ? mean : 0);
        A(i, j) = options.scale ? centred / deviation : centred;
        all += A(i, j) * A(i, j) / (rows - 1);
      }
    }
    auto const svd = solve::small_svd(std::move(A));
    Matrix const VT("VT", k, cols);
    Matrix const U("U", rows, k);
    for (std::size_t i = 0; i < k; ++i) {
      auto const at = static_cast<std::int64_t>(i);
      for (std::size_t j = 0; j < cols; ++j) VT(i, j) = svd.V(static_cast<std::int64_t>(j), at);
      for (std::size_t j = 0; j < rows; ++j) U(j, i) = svd.U(static_cast<std::int64_t>(j), at);
      found.s.push_back(svd.s[i]);
      found.residuals.push_back(0);
      if (!options.is_pca()) continue;
      found.variance.push_back(svd.s[i] * svd.s[i] / (rows - 1));
      found.ratio.push_back(found.variance.back() / all);
    }
    found.VT = VT;
    found.U = U;
    return found;
  }
  [[nodiscard]] TripletCheck check(TripletOptions const& options, Triplets const& found) const {
    io::MatrixReader const reader(path_.string());
    return check_triplets(options, reader, io::ScalarType::f64, found);
  }
  void expect_failure(TripletOptions const& options, std::string const& what,
                      std::function<void(Triplets&)> const& corrupt) const {
    Triplets found = triplets(options);
    EXPECT_TRUE(check(options, found).passed()) << what;
    corrupt(found);
    EXPECT_FALSE(check(options, found).passed()) << what;
  }

 private:
  std::filesystem::path path_;
};

constexpr double off = 1 + 1e-3;

TEST_F(TripletChecks, fail_whatever_is_corrupted) {
  for (int const kind : {0, 1, 2}) {
    TripletOptions const how = options(kind > 0, kind == 2);
    for (std::size_t i = 0; i < k; ++i) {
      auto const name = std::to_string(kind) + ", " + std::to_string(i) + ": ";
      expect_failure(how, name + "s", [&](Triplets& found) { found.s[i] *= off; });
      expect_failure(how, name + "v", [&](Triplets& found) {
        for (std::size_t j = 0; j < cols; ++j) {
          std::get<Matrix>(found.VT)(i, j) *= j % 2 == 0 ? off : 1;
        }
      });
      expect_failure(how, name + "u", [&](Triplets& found) {
        for (std::size_t j = 0; j < rows; ++j) {
          std::get<Matrix>(found.U)(j, i) *= j % 2 == 0 ? off : 1;
        }
      });
      if (kind == 0) continue;
      expect_failure(how, name + "variance", [&](Triplets& found) { found.variance[i] *= off; });
      expect_failure(how, name + "ratio", [&](Triplets& found) { found.ratio[i] *= off; });
    }
    for (std::size_t j = 0; kind > 0 && j < cols; ++j) {
      auto const name = std::to_string(kind) + ", column " + std::to_string(j) + ": ";
      if (j > 0) {
        expect_failure(how, name + "mean", [&](Triplets& found) { found.mean[j] *= off; });
      }
      expect_failure(how, name + "deviation", [&](Triplets& found) { found.deviation[j] *= off; });
      expect_failure(how, name + "dropped", [&](Triplets& found) { found.deviation[j] = 0; });
    }
  }
}

TEST_F(TripletChecks, fail_where_a_larger_value_is_missed) {
  for (int const kind : {0, 1, 2}) {
    expect_failure(options(kind > 0, kind == 2), "missed", [&](Triplets& found) {
      for (auto* values : {&found.s, &found.residuals, &found.variance, &found.ratio}) {
        if (!values->empty()) values->erase(values->begin() + 1);
      }
      Matrix const VT("VT", k - 1, cols);
      Matrix const U("U", rows, k - 1);
      for (std::size_t i = 0; i + 1 < k; ++i) {
        std::size_t const from = i == 0 ? 0 : i + 1;
        for (std::size_t j = 0; j < cols; ++j) VT(i, j) = std::get<Matrix>(found.VT)(from, j);
        for (std::size_t j = 0; j < rows; ++j) U(j, i) = std::get<Matrix>(found.U)(j, from);
      }
      found.VT = VT;
      found.U = U;
    });
  }
}

}  // namespace
}  // namespace tessera::app
