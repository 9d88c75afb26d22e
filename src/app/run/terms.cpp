// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>

#include <app/base/failure.hpp>
#include <app/base/text.hpp>
#include <app/run/input.hpp>
#include <app/run/terms.hpp>
#include <io/matrix_reader.hpp>

namespace tessera::app {
namespace {

[[noreturn]] void refuse(std::string const& sentence) {
  throw Failure(ExitStatus::usage, sentence);
}

/// The option that names the vector of a map.
char const* option_of(maps::Kind map) {
  if (map == maps::Kind::weights) return "--weights";
  if (map == maps::Kind::minus) return "--minus";
  if (map == maps::Kind::replace) return "--transposed-vector";
  return "--labels";
}

void require_number(char const* option, double value, io::ScalarType type) {
  constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
  if (type == io::ScalarType::f32 && std::fabs(value) > most) {
    refuse(std::string(option) + ": expected a number that f32 holds, found " + general(value, 9) +
           "; --type f64 has a wider range");
  }
}

}  // namespace

std::string word_of(maps::Kind map) {
  std::string word = maps::name_of(map);
  std::ranges::replace(word, '_', '-');
  return word;
}

void check_terms(TermOptions const& options) {
  if (options.map == maps::Kind::identity && !options.map_vector.empty()) {
    refuse("--labels: expected --map, which says what is done with them, found none");
  }
  if (options.map != maps::Kind::identity && options.map_vector.empty()) {
    refuse("--map " + word_of(options.map) + ": expected its vector, " + option_of(options.map) +
           " FILE, found none");
  }
  if (options.map != maps::Kind::identity && options.map_option != option_of(options.map)) {
    refuse("--map " + word_of(options.map) + ": expected its vector by " + option_of(options.map) +
           ", found " + options.map_option);
  }
  if (options.beta && options.add.empty()) {
    refuse("--beta: expected --add FILE, the vector that it multiplies, found none");
  }
}

Terms read_terms(TermOptions const& options, io::MatrixInfo const& info, io::ScalarType type,
                 bool convert, std::string const& path_a) {
  Terms terms{.map = options.map, .alpha = options.alpha};
  require_number("--alpha", terms.alpha, type);
  io::VectorRequest wanted{.type = type, .convert = convert};
  if (terms.has_map()) {
    wanted.length = info.rows;
    terms.of_map = read_vector_for(options.map_vector, wanted, "row", path_a).x;
  }
  if (!options.add.empty()) {
    terms.beta = options.effective_beta();
    require_number("--beta", terms.beta, type);
    wanted.length = info.cols;
    terms.z = read_vector_for(options.add, wanted, "column", path_a).x;
  }
  return terms;
}

}  // namespace tessera::app
