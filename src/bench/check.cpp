// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/check.hpp>
#include <sstream>

namespace tessera::bench {

std::string to_string(Difference const& difference) {
  std::ostringstream text;
  text.precision(9);
  text << difference.count << " of " << difference.elements << " elements differ; number "
       << difference.first << " is " << difference.found << ", should be " << difference.expected;
  return text.str();
}

}  // namespace tessera::bench
