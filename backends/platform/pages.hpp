// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace tessera::backends {

/// Host memory that returns to the system when freed: an allocator would keep it, and might not
/// reuse it.
class Pages {
 public:
  /// @throws std::bad_alloc
  explicit Pages(std::size_t bytes)
      : bytes_(bytes > 0 ? bytes : 1),
        memory_(
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    static_cast<void>(::madvise(memory_, bytes_, MADV_HUGEPAGE));  // advice: works without
  }
  ~Pages() { ::munmap(memory_, bytes_); }
  Pages(Pages const&) = delete;
  Pages& operator=(Pages const&) = delete;

  [[nodiscard]] void* data() const { return memory_; }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace tessera::backends
