// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "io/support/errors.hpp"

#include <gmock/gmock.h>

#include <io/matrix_file.hpp>

namespace tessera::io::test {

void expect_error(ErrorKind kind, std::string const& path,
                  std::initializer_list<std::string_view> parts,
                  std::function<void()> const& action) {
  try {
    action();
    ADD_FAILURE() << path << ": no error";
  } catch (FileError const& error) {
    std::string const message = error.what();
    EXPECT_EQ(error.kind(), kind) << message;
    EXPECT_EQ(error.path(), path);
    EXPECT_THAT(message, testing::StartsWith(path + ": "));
    EXPECT_THAT(message, testing::HasSubstr(": expected "));
    EXPECT_THAT(message, testing::HasSubstr(", found"));
    for (std::string_view const part : parts) {
      EXPECT_THAT(message, testing::HasSubstr(std::string(part)));
    }
  } catch (std::exception const& error) {
    ADD_FAILURE() << path << ": not a FileError: " << error.what();
  }
}

void expect_bad_matrix(std::string const& path, std::initializer_list<std::string_view> parts) {
  expect_error(ErrorKind::bad_input, path, parts, [&] { static_cast<void>(read_matrix(path)); });
}

}  // namespace tessera::io::test
