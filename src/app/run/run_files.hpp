// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace tessera::app {

/// All files of a run, compared before anything is read or computed: what a run writes must not be
/// what it reads, nor what it writes a second time.
///
/// Names are compared as files: by the folder (device and inode) and the last name, links followed,
/// so that a file need not exist; and by the file itself where it does. A dataset is compared by
/// its HDF5 file and its name there. Terminals and other character devices hold nothing that could
/// be lost. An empty name is no file.
class RunFiles {
 public:
  /// A file that is read, or that is kept for later runs.
  RunFiles& reads(std::string const& path);
  /// A result or a state.
  RunFiles& writes(std::string const& path);

  /// Adds the files of tunings to what is read: no run may replace them.
  RunFiles& keeps_tunings();

  /// Also looks where the report goes: not into one of the files, nor between data on stdout.
  /// @throws Failure usage
  void check() const;

  /// Where the report goes: to stderr where a result goes to stdout, else to stdout.
  [[nodiscard]] std::FILE* report() const;

 private:
  std::vector<std::string> read_;
  std::vector<std::string> written_;
};

}  // namespace tessera::app
