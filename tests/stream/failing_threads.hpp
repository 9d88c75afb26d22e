// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tessera::test {

/// The process can start only this many more threads.
class FewThreads {
 public:
  explicit FewThreads(int more);
  ~FewThreads();
  FewThreads(FewThreads const&) = delete;
  FewThreads& operator=(FewThreads const&) = delete;
};

}  // namespace tessera::test
