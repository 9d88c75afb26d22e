// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <io/matrix_file.hpp>

#include "io/support/bytes.hpp"
#include "io/support/child.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

TEST(Access, AMissingFileIsAnError) {
  Folder const folder;
  for (auto const* name : {"7", "A.npy", "v.bin", "no/such/folder.npy"}) {
    expect_bad_matrix(folder / name, {"does not exist"});
  }
}

TEST(Access, ADirectoryIsAnError) {
  Folder const folder;
  std::filesystem::create_directory(folder / "A.npy");
  expect_bad_matrix(folder / "A.npy", {"found a directory"});
  expect_bad_matrix(folder.path() + "/", {"found a directory"});
}

TEST(Access, APipeIsRefusedWithoutWaitingForAWriter) {
  Folder const folder;
  ASSERT_EQ(::mkfifo((folder / "A.npy").c_str(), 0600), 0);
  expect_bad_matrix(folder / "A.npy", {"found a pipe"});
}

TEST(Access, ADeviceIsRefused) {
  expect_bad_matrix("/dev/null", {"found a device"});
}

TEST(Access, AnUnknownExtensionIsAnErrorThatNamesTheKnownOnes) {
  Folder const folder;
  expect_bad_matrix(folder.write("A.txt", "1,2\n"),
                    {"no extension, .ex3, .npy, .npz, .bin", "found '1,2?'"});
}

TEST(Access, AFileWithoutPermissionIsAnError) {
  Folder const folder;
  auto const path =
      folder.write("A.npy", npy_bytes(npy_header("<f4", "(1, 1)"), bytes_of<float>({1})));
  ::chmod(path.c_str(), 0);
  std::string const message = in_child([&] {
    std::string const obstacle = become_nobody();
    if (!obstacle.empty()) return "SKIP " + obstacle;
    static_cast<void>(inspect(path));
    return std::string("no error");
  });
  if (message.starts_with("SKIP")) GTEST_SKIP() << message;
  EXPECT_EQ(message, "exception: " + path +
                         ": cannot be opened: expected a readable file, found: Permission denied");
}

TEST(Access, ASymbolicLinkIsFollowed) {
  Folder const folder;
  std::filesystem::create_symlink(sample("little_f4_c.npy"), folder / "link.npy");
  EXPECT_EQ(inspect(folder / "link.npy").rows, 3U);
  std::filesystem::create_symlink(folder / "nothing", folder / "dangling.npy");
  expect_bad_matrix(folder / "dangling.npy", {"does not exist"});
  std::filesystem::create_symlink(folder / "b.npy", folder / "a.npy");
  std::filesystem::create_symlink(folder / "a.npy", folder / "b.npy");
  expect_bad_matrix(folder / "a.npy", {"cannot be opened", "symbolic links"});
}

}  // namespace
}  // namespace tessera::io::test
