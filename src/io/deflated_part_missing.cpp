// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <io/deflated_part.hpp>
#include <io/errors.hpp>

namespace tessera::io {

struct DeflatedPart::State {};

DeflatedPart::DeflatedPart(Place const& /*place*/, std::string name) {
  throw FileError(
      ErrorKind::bad_input, name,
      "is compressed by deflate: expected a tessera with zlib, found one that was built "
      "without it");
}

DeflatedPart::~DeflatedPart() = default;

void DeflatedPart::read(std::uint64_t /*offset*/, std::span<std::byte> /*to*/,
                        ReadPacked const& /*read_packed*/) {}

void DeflatedPart::check_end(ReadPacked const& /*read_packed*/) {}

}  // namespace tessera::io
