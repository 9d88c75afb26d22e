// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <filesystem>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>

#include <io/output_file.hpp>
#include <io/temporary_file.hpp>

#include "io/support/child.hpp"
#include "io/support/folder.hpp"

namespace tessera::io::test {
namespace {

constexpr std::size_t piece_count = 64;
constexpr std::size_t piece_bytes = 4096;

void write_version(std::string const& path, OutputFile::Temporary temporary, char version) {
  OutputFile out(path, temporary);
  std::string const piece(piece_bytes, version);
  for (std::size_t i = 0; i < piece_count; ++i) out.write_elements(std::span<char const>(piece));
  out.commit();
}

void kill_a_writer(std::string const& path, OutputFile::Temporary temporary, int signal,
                   std::chrono::microseconds after) {
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    end_with_parent();
    remove_temporaries_at_signals();
    try {
      for (unsigned n = 0;; ++n) write_version(path, temporary, static_cast<char>('b' + n % 20));
    } catch (std::exception const&) {
      ::_exit(1);
    }
  }
  std::this_thread::sleep_for(after);
  ::kill(child, signal);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
  ASSERT_EQ(WTERMSIG(status), signal);
}

struct Killing {
  OutputFile::Temporary temporary;
  int signal;
  std::string label;
};

void PrintTo(Killing const& killing, std::ostream* out) {
  *out << killing.label;
}

class Killed : public testing::TestWithParam<Killing> {};

TEST_P(Killed, LeavesTheOldFileOrTheNewOneWhole) {
  auto const& [temporary, signal, label] = GetParam();
  Folder const folder;
  std::string const path = folder / "C.bin";
  write_version(path, temporary, 'a');
  bool replaced = false;
  // Every 0.2 ms of the first 12 ms; later only on a slow disk.
  for (int moment = 0; moment < 60 || (!replaced && moment < 75); ++moment) {
    int const microseconds = moment < 60 ? moment * 211 : 12000 << (moment - 60) / 2;
    kill_a_writer(path, temporary, signal, std::chrono::microseconds(microseconds));
    Bytes const content = content_of(path);
    ASSERT_EQ(content.size(), piece_count * piece_bytes);
    ASSERT_EQ(content, Bytes(content.size(), content[0]));
    replaced = replaced || content[0] != 'a';
    for (std::string const& name : folder.names()) {
      if (name == "C.bin") continue;
      // A process cannot react to SIGKILL.
      EXPECT_TRUE(signal == SIGKILL && name.starts_with(".C.bin.tessera-")) << name;
      std::filesystem::remove(folder / name);
    }
  }
  EXPECT_TRUE(replaced) << "no moment was late enough to mean anything";
}

INSTANTIATE_TEST_SUITE_P(
    Writers, Killed,
    testing::Values(Killing{OutputFile::Temporary::unnamed_if_possible, SIGTERM, "unnamed_SIGTERM"},
                    Killing{OutputFile::Temporary::unnamed_if_possible, SIGINT, "unnamed_SIGINT"},
                    Killing{OutputFile::Temporary::unnamed_if_possible, SIGKILL, "unnamed_SIGKILL"},
                    Killing{OutputFile::Temporary::named, SIGTERM, "named_SIGTERM"},
                    Killing{OutputFile::Temporary::named, SIGINT, "named_SIGINT"},
                    Killing{OutputFile::Temporary::named, SIGKILL, "named_SIGKILL"}),
    [](auto const& each) { return each.param.label; });

}  // namespace
}  // namespace tessera::io::test
