// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera::test {

/// While it lives, the process can start so many threads more, as below a limit of processes.
class FewThreads {
 public:
  explicit FewThreads(int more);
  ~FewThreads();
  FewThreads(FewThreads const&) = delete;
  FewThreads& operator=(FewThreads const&) = delete;
};

}  // namespace tessera::test
