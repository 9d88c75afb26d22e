// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <signal.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <gmock/gmock.h>

#include <io/output_file.hpp>
#include <io/temporary_file.hpp>

#include "io/support/child.hpp"
#include "io/support/errors.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void write_text(OutputFile& out, std::string const& text) {
  out.write_elements(std::span<char const>(text));
}

unsigned mode_of(std::string const& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777U;
}

void expect_bad_output(std::string const& path, std::initializer_list<std::string_view> parts) {
  expect_error(ErrorKind::bad_output, path, parts, [&] { OutputFile const out(path); });
}

class OutputFileTest : public testing::TestWithParam<OutputFile::Temporary> {
 protected:
  [[nodiscard]] OutputFile open(std::string const& path) const {
    return OutputFile(path, GetParam());
  }
  Folder folder_;
};

INSTANTIATE_TEST_SUITE_P(Temporaries, OutputFileTest,
                         testing::Values(OutputFile::Temporary::unnamed_if_possible,
                                         OutputFile::Temporary::named),
                         [](auto const& each) {
                           return each.param == OutputFile::Temporary::named ? "named" : "unnamed";
                         });

TEST_P(OutputFileTest, ANewFileAppearsWithCommit) {
  auto out = open(folder_ / "C.bin");
  write_text(out, "new");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "C.bin"));
  out.commit();
  EXPECT_EQ(content_of(folder_ / "C.bin"), "new");
  EXPECT_THAT(folder_.names(), ElementsAre("C.bin"));
}

TEST_P(OutputFileTest, AnOldFileIsReplacedWithCommit) {
  folder_.write("C.bin", "a longer old file");
  auto out = open(folder_ / "C.bin");
  write_text(out, "new");
  EXPECT_EQ(content_of(folder_ / "C.bin"), "a longer old file");
  out.commit();
  EXPECT_EQ(content_of(folder_ / "C.bin"), "new");
  EXPECT_THAT(folder_.names(), ElementsAre("C.bin"));
}

TEST_P(OutputFileTest, SeveralFilesAreReplacedTogether) {
  folder_.write("A", "old A");
  folder_.write("B", "old B");
  auto a = open(folder_ / "A");
  auto b = open(folder_ / "B");
  auto c = open(folder_ / "C");
  std::array<OutputFile*, 3> const files{&a, &b, &c};
  for (OutputFile* const file : files) write_text(*file, "new");
  OutputFile::commit_all(files);
  for (std::string const name : {"A", "B", "C"}) EXPECT_EQ(content_of(folder_ / name), "new");
  EXPECT_THAT(folder_.names(), ElementsAre("A", "B", "C"));
  OutputFile::commit_all({});
}

TEST_P(OutputFileTest, WithoutCommitNothingIsChangedOrLeft) {
  folder_.write("C.bin", "old");
  {
    auto out = open(folder_ / "C.bin");
    write_text(out, "new");
    auto other = open(folder_ / "D.bin");
    write_text(other, "new");
    OutputFile const moved = std::move(other);
  }
  EXPECT_EQ(content_of(folder_ / "C.bin"), "old");
  EXPECT_THAT(folder_.names(), ElementsAre("C.bin"));
}

TEST_P(OutputFileTest, ANewFileObeysTheUmask) {
  mode_t const old_mask = ::umask(027);
  auto out = open(folder_ / "C.bin");
  out.commit();
  ::umask(old_mask);
  EXPECT_EQ(mode_of(folder_ / "C.bin"), 0640U);
}

TEST_P(OutputFileTest, AReplacedFileKeepsPermissionsAndOwner) {
  auto const path = folder_.write("C.bin", "old");
  ::chmod(path.c_str(), 0604);
  bool const root = ::geteuid() == 0;
  ASSERT_TRUE(!root || ::chown(path.c_str(), 65534, 65534) == 0);
  auto out = open(path);
  write_text(out, "new");
  out.commit();
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(mode_of(path), 0604U);
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, root ? 65534 : ::geteuid());
}

TEST_P(OutputFileTest, ALinkStaysAndItsFileIsReplaced) {
  std::filesystem::create_directory(folder_ / "far");
  folder_.write("far/C.bin", "old");
  std::filesystem::create_symlink("far/C.bin", folder_ / "link.bin");
  std::filesystem::create_symlink("far/D.bin", folder_ / "dangling.bin");
  for (auto const& [link, file] :
       {std::pair{"link.bin", "far/C.bin"}, std::pair{"dangling.bin", "far/D.bin"}}) {
    auto out = open(folder_ / link);
    write_text(out, "new");
    out.commit();
    EXPECT_EQ(content_of(folder_ / file), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ / link));
  }
}

TEST_P(OutputFileTest, LongNamesAreFine) {
  std::string const name(255, 'x');
  for (int time = 0; time < 2; ++time) {
    auto out = open(folder_ / name);
    write_text(out, "new");
    out.commit();
  }
  EXPECT_THAT(folder_.names(), ElementsAre(name));
}

TEST_P(OutputFileTest, AFileThatAppearsMeanwhileIsReplacedWhole) {
  auto out = open(folder_ / "C.bin");
  write_text(out, "ours");
  folder_.write("C.bin", "theirs");
  out.commit();
  EXPECT_EQ(content_of(folder_ / "C.bin"), "ours");
}

OutputFile extending(std::string const& path) {
  return OutputFile(path, OutputFile::Temporary::unnamed_if_possible,
                    OutputFile::Existing::extended);
}

void expect_not_extended(Folder const& folder, std::string const& sentence,
                         std::function<void()> const& action) {
  expect_error(ErrorKind::bad_output, folder / "A.h5:/A", {sentence}, action);
  EXPECT_THAT(folder.names(), ElementsAre("A.h5"));
}

TEST(OutputFileOfADataset, AFileThatAppearsMeanwhileStays) {
  Folder const folder;
  {
    OutputFile out(folder / "A.h5:/A");
    write_text(out, "ours");
    folder.write("A.h5", "theirs");
    expect_error(ErrorKind::bad_output, folder / "A.h5:/A",
                 {"expected no file of this name, found one that has appeared"},
                 [&] { out.commit(); });
  }
  EXPECT_EQ(content_of(folder / "A.h5"), "theirs");
  EXPECT_THAT(folder.names(), ElementsAre("A.h5"));
}

TEST(OutputFileOfADataset, ALinkToNothingThatAppearsMeanwhileStays) {
  Folder const folder;
  OutputFile out(folder / "A.h5:/A");
  std::filesystem::create_symlink("B.h5", folder / "A.h5");
  expect_error(ErrorKind::bad_output, folder / "A.h5:/A", {"found one that has appeared"},
               [&] { out.commit(); });
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "A.h5"));
}

TEST(OutputFileOfADataset, AppearsWithCommitUnderOneName) {
  Folder const folder;
  OutputFile out(folder / "A.h5:/A");
  write_text(out, "ours");
  EXPECT_THAT(folder.names(), testing::SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(folder / "A.h5"));
  out.commit();
  EXPECT_EQ(content_of(folder / "A.h5"), "ours");
  EXPECT_THAT(folder.names(), ElementsAre("A.h5"));
}

TEST(OutputFileOfADataset, AFileThatIsExtendedIsCopiedFirst) {
  Folder const folder;
  std::string const old(3'000'000, 'x');
  auto const path = folder.write("A.h5", old);
  ::chmod(path.c_str(), 0640);
  {
    auto const given_up = extending(path + ":/A");
    EXPECT_EQ(content_of(given_up.temporary()), old);
  }
  EXPECT_THAT(folder.names(), ElementsAre("A.h5"));
  EXPECT_EQ(content_of(path), old);
  auto out = extending(path + ":/A");
  EXPECT_EQ(out.bytes_written(), old.size());
  write_text(out, "more");
  EXPECT_EQ(content_of(path), old);
  out.commit();
  EXPECT_EQ(content_of(path), old + "more");
  EXPECT_EQ(mode_of(path), 0640U);
  EXPECT_THAT(folder.names(), ElementsAre("A.h5"));
}

TEST(OutputFileOfADataset, ExtendsMissingFile) {
  Folder const folder;
  auto out = extending(folder / "A.h5:/A");
  write_text(out, "new");
  folder.write("A.h5", "theirs");
  expect_error(ErrorKind::bad_output, folder / "A.h5:/A", {"found one that has appeared"},
               [&] { out.commit(); });
  std::filesystem::remove(folder / "A.h5");
  out.commit();
  EXPECT_EQ(content_of(folder / "A.h5"), "new");
}

TEST(OutputFileOfADataset, AFileThatHasChangedSinceItWasCopiedStays) {
  for (std::string const changed : {"longer than it was", "new"}) {
    Folder const folder;
    folder.write("A.h5", "old");
    expect_not_extended(folder, "found that another program has changed it", [&] {
      auto out = extending(folder / "A.h5:/A");
      folder.write("A.h5", changed);
      out.commit();
    });
    EXPECT_EQ(content_of(folder / "A.h5"), changed);
  }
  Folder const folder;
  folder.write("A.h5", "old");
  expect_not_extended(folder, "found that another program has changed it", [&] {
    auto out = extending(folder / "A.h5:/A");
    folder.write("B.h5", "old");
    std::filesystem::rename(folder / "B.h5", folder / "A.h5");
    out.commit();
  });
}

TEST(OutputFileOfADataset, OneRunAtATimeExtendsAFile) {
  Folder const folder;
  folder.write("A.h5", "old");
  {
    auto out = extending(folder / "A.h5:/B");
    expect_error(ErrorKind::bad_output, folder / "A.h5:/A", {"expected no other run"},
                 [&] { auto const second = extending(folder / "A.h5:/A"); });
    write_text(out, " first");
    out.commit();
  }
  auto out = extending(folder / "A.h5:/A");
  write_text(out, " second");
  out.commit();
  EXPECT_EQ(content_of(folder / "A.h5"), "old first second");
}

TEST(OutputFileOfADataset, AFileThatAnotherProgramWritesIsNotExtended) {
  Folder const folder;
  auto const path = folder.write("A.h5", "old");
  int const writer = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);  // as HDF5's library does
  expect_not_extended(folder, "found one that another program has open for writing",
                      [&] { auto const out = extending(path + ":/A"); });
  ::close(writer);
  int const reader = ::open(path.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(reader, LOCK_SH), 0);
  EXPECT_NO_THROW(extending(path + ":/A"));
  ::close(reader);
}

TEST(Temporaries, SignalsThatAreIgnoredStayIgnored) {
  Folder const folder;
  EXPECT_EQ(in_child([&] {
              ::signal(SIGHUP, SIG_IGN);
              remove_temporaries_at_signals();
              OutputFile const out(folder / "A.bin", OutputFile::Temporary::named);
              ::raise(SIGHUP);
              return std::string(std::filesystem::exists(out.temporary()) ? "lives" : "removed");
            }),
            "lives");
}

TEST(Temporaries, AProcessApartRemovesNoneOfItsParent) {
  Folder const folder;
  OutputFile const out(folder / "A.bin", OutputFile::Temporary::named);
  EXPECT_EQ(in_child([] {
              remove_temporaries_at_signals();
              ::raise(SIGTERM);
              return std::string("lives");
            }),
            "died");
  EXPECT_TRUE(std::filesystem::exists(out.temporary()));
}

TEST(OutputFileErrors, ADirectoryIsRefused) {
  Folder const folder;
  expect_bad_output(folder.path(), {"found a directory"});
  expect_bad_output(folder / "nothing/", {"cannot be written"});
}

TEST(OutputFileErrors, AMissingFolderIsFoundAtOnce) {
  Folder const folder;
  expect_bad_output(folder / "no/C.bin", {"No such file or directory"});
  expect_bad_output(folder.write("file", "") + "/C.bin", {"Not a directory"});
  expect_bad_output("", {"empty"});
}

TEST(OutputFileErrors, ACircleOfLinksIsRefused) {
  Folder const folder;
  std::filesystem::create_symlink(folder / "b", folder / "a");
  std::filesystem::create_symlink(folder / "a", folder / "b");
  expect_bad_output(folder / "a", {"symbolic links"});
}

TEST(OutputFileErrors, WhatThisUserMayNotWriteIsFoundAtOnce) {
  Folder const folder;
  std::filesystem::create_directory(folder / "locked");
  std::filesystem::create_directory(folder / "sticky");
  ::chmod((folder / "locked").c_str(), 0755);
  ::chmod((folder / "sticky").c_str(), 01777);
  folder.write("readonly.bin", "old");
  folder.write("sticky/C.bin", "old");
  ::chmod((folder / "readonly.bin").c_str(), 0444);
  ::chmod((folder / "sticky/C.bin").c_str(), 0666);
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give it up";
  for (auto const& [name, reason] : {std::pair{"locked/C.bin", "Permission denied"},
                                     std::pair{"readonly.bin", "Permission denied"},
                                     std::pair{"sticky/C.bin", "another user's"}}) {
    std::string const message = in_child([&] {
      std::string const obstacle = become_nobody();
      if (!obstacle.empty()) return obstacle;
      OutputFile const out(folder / name);
      return std::string("no error");
    });
    EXPECT_THAT(message, testing::StartsWith("exception: " + folder / name + ": cannot be "));
    EXPECT_THAT(message, HasSubstr(reason));
  }
}

TEST(OutputFileDirect, PipesAndDevicesAreWrittenInPlace) {
  Folder const folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  int const reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  OutputFile out(folder / "pipe");
  write_text(out, "through the pipe");
  out.commit();
  std::array<char, 64> buffer{};
  EXPECT_EQ(::read(reader, buffer.data(), buffer.size()), 16);
  ::close(reader);
  EXPECT_STREQ(buffer.data(), "through the pipe");

  OutputFile null("/dev/null");
  write_text(null, "nothing");
  EXPECT_NO_THROW(null.commit());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFileDirect, StandardOutputIsAppendedTo) {
  Folder const folder;
  auto const log = folder.write("log", "before ");
  EXPECT_EQ(in_child([&] {
              int const file = ::open(log.c_str(), O_WRONLY | O_APPEND);
              ::dup2(file, 1);
              OutputFile out("/dev/stdout");
              write_text(out, "after");
              out.commit();
              return std::string("done");
            }),
            "done");
  EXPECT_EQ(content_of(log), "before after");
}

}  // namespace
}  // namespace tessera::io::test
