// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <io/matrix_file.hpp>

#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

// A build without zlib.
namespace tessera::io::test {
namespace {

TEST(Npz, StoredArraysAreReadAndPackedOnesSaidToBeLeftOut) {
  EXPECT_EQ(inspect(sample("stored.npz") + ":vector").rows, 5U);
  expect_bad_matrix(sample("deflated.npz") + ":columns",
                    {"is compressed by deflate: expected a tessera with zlib"});
}

}  // namespace
}  // namespace tessera::io::test
