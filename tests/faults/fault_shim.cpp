// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// LD_PRELOAD library of calls that fail like bad disks. TESSERA_FAULTS: CALL,FILE,FAULT,NUMBER;…
//
//   read,a.npy,EIO,1000    reading the byte at position 1000 fails
//   read,a.npy,end,1000    a.npy ends there
//   read,a.npy,short,1000  at most 1000 bytes per call; every other call is interrupted
//   write,,ENOSPC,1000     room for 1000 bytes in all
//   write,,short,1000      as for read
//   fsync,,EIO,0           fails after so many calls; also folder (fsync of a folder), fallocate,
//                          rename, link, close (of a file opened for writing), thread
//   unnamed,,EOPNOTSUPP,0  no files without a name (O_TMPFILE)
//   rename,,SIGTERM,0      a signal in the call, which succeeds; also link
//   read,a.npy,SIGSTOP,9   a signal before byte 9 is read, once
//   fsync,,throw,0         a thread throws an uncaught exception; throw-number: a number
//
// FILE is the end of a path, for rename and link of the new one; empty: all regular files below the
// current folder, also unnamed ones. TESSERA_FAULTS_LOG names a file that gets a line per fault.

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/uio.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

struct Rule {
  std::string call;
  std::string file;
  std::string fault;
  std::int64_t number = 0;
};

/// The C library's, or a sanitizer's.
template <class Function>
Function* next(char const* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::vector<Rule> parse_rules() {
  std::vector<Rule> rules;
  char const* const text = std::getenv("TESSERA_FAULTS");
  std::string_view rest = text == nullptr ? "" : text;
  auto const take = [&](char end) {
    auto const size = std::min(rest.find(end), rest.size());
    std::string part(rest.substr(0, size));
    rest.remove_prefix(std::min(size + 1, rest.size()));
    return part;
  };
  while (!rest.empty()) {
    Rule rule;
    rule.call = take(',');
    rule.file = take(',');
    rule.fault = take(',');
    rule.number = std::strtoll(take(';').c_str(), nullptr, 10);
    rules.push_back(rule);
  }
  return rules;
}

std::vector<Rule> const& rules() {
  static std::vector<Rule> const all = parse_rules();
  return all;
}

int signal_of(std::string const& fault) {
  if (fault == "SIGTERM") return SIGTERM;
  if (fault == "SIGKILL") return SIGKILL;
  if (fault == "SIGSTOP") return SIGSTOP;
  return 0;
}

int error_of(std::string const& fault) {
  if (fault == "EIO") return EIO;
  if (fault == "ENOSPC") return ENOSPC;
  if (fault == "EDQUOT") return EDQUOT;
  if (fault == "EOPNOTSUPP") return EOPNOTSUPP;
  if (fault == "EAGAIN") return EAGAIN;
  std::fprintf(stderr, "fault_shim: no fault %s\n", fault.c_str());
  std::abort();
}

int fail(Rule const& rule) {
  if (char const* const log = std::getenv("TESSERA_FAULTS_LOG")) {
    static auto* const open_next = next<int(char const*, int, ...)>("open");
    static auto* const write_next = next<ssize_t(int, void const*, std::size_t)>("write");
    int const file = open_next(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    std::string const line = rule.call + " " + rule.fault + "\n";
    if (file < 0 || write_next(file, line.data(), line.size()) < 0) std::abort();
    ::close(file);
  }
  if (rule.fault == "throw")
    std::thread([] { throw std::runtime_error("a thread failed"); }).join();
  if (rule.fault == "throw-number") std::thread([] { throw 1; }).join();
  if (int const signal = signal_of(rule.fault); signal != 0) return ::kill(::getpid(), signal);
  if (rule.fault != "end" && rule.fault != "short") errno = error_of(rule.fault);
  return -1;
}

std::string current_folder() {
  char text[4096];
  return ::getcwd(text, sizeof text) != nullptr ? std::string(text) + "/" : std::string();
}

bool is_meant(Rule const& rule, int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  char text[4096];
  std::string const link = "/proc/self/fd/" + std::to_string(descriptor);
  ssize_t const size = ::readlink(link.c_str(), text, sizeof text);
  if (size < 0) return false;
  std::string_view const path(text, static_cast<std::size_t>(size));
  return rule.file.empty() ? path.starts_with(current_folder()) : path.ends_with("/" + rule.file);
}

Rule const* rule_of(std::string_view call, int descriptor) {
  for (Rule const& rule : rules()) {
    if (rule.call == call && is_meant(rule, descriptor)) return &rule;
  }
  return nullptr;
}

/// `path` is the created file; null matches any rule.
bool fails_now(std::string_view call, Rule const*& found, char const* path = nullptr) {
  static std::array<std::atomic<std::int64_t>, 16> calls{};
  for (std::size_t k = 0; k < rules().size(); ++k) {
    Rule const& rule = rules()[k];
    if (rule.call != call) continue;
    if (path != nullptr && !std::string_view(path).ends_with(rule.file)) continue;
    found = &rule;
    return calls.at(k)++ >= rule.number;
  }
  return false;
}

bool cannot_make(std::string_view call, char const* path) {
  Rule const* rule = nullptr;
  return fails_now(call, rule, path) && fail(*rule) != 0;
}

bool is_interrupted() {
  static std::atomic<unsigned> calls = 0;
  if (calls++ % 2 == 0) return false;
  errno = EINTR;
  return true;
}

/// Bytes that the call may transfer; -1 with errno.
ssize_t shortened(Rule const& rule, std::int64_t wanted) {
  if (is_interrupted()) return -1;
  fail(rule);
  return std::min(wanted, rule.number);
}

ssize_t bytes_to_read(int descriptor, std::size_t size, std::int64_t position) {
  auto const wanted = static_cast<std::int64_t>(size);
  Rule const* const rule = rule_of("read", descriptor);
  if (rule == nullptr || wanted == 0) return wanted;
  if (rule->fault == "short") return shortened(*rule, wanted);
  if (signal_of(rule->fault) != 0) {
    static std::atomic<bool> sent = false;
    if (position + wanted > rule->number && !sent.exchange(true)) fail(*rule);
    return wanted;
  }
  bool const ends = rule->fault == "end";
  if (position + wanted <= rule->number || (position > rule->number && !ends)) return wanted;
  if (position < rule->number) return rule->number - position;
  int const failed = fail(*rule);
  return ends ? 0 : failed;
}

ssize_t bytes_to_write(int descriptor, std::size_t size) {
  static std::atomic<std::int64_t> written = 0;
  auto const wanted = static_cast<std::int64_t>(size);
  Rule const* const rule = rule_of("write", descriptor);
  if (rule == nullptr || wanted == 0) return wanted;
  if (rule->fault == "short") return shortened(*rule, wanted);
  std::int64_t const before = written.fetch_add(wanted);
  std::int64_t const room = std::max(std::int64_t{0}, rule->number - before);
  if (room >= wanted) return wanted;
  return room > 0 ? room : fail(*rule);
}

ssize_t read_from(int descriptor, void* to, std::size_t size) {
  static auto* const call = next<ssize_t(int, void*, std::size_t)>("read");
  ssize_t const count = bytes_to_read(descriptor, size, ::lseek(descriptor, 0, SEEK_CUR));
  return count > 0 || size == 0 ? call(descriptor, to, static_cast<std::size_t>(count)) : count;
}

ssize_t read_at(int descriptor, void* to, std::size_t size, off_t position) {
  static auto* const call = next<ssize_t(int, void*, std::size_t, off_t)>("pread");
  ssize_t const count = bytes_to_read(descriptor, size, position);
  return count > 0 || size == 0 ? call(descriptor, to, static_cast<std::size_t>(count), position)
                                : count;
}

ssize_t write_to(int descriptor, void const* from, std::size_t size) {
  static auto* const call = next<ssize_t(int, void const*, std::size_t)>("write");
  ssize_t const count = bytes_to_write(descriptor, size);
  return count >= 0 ? call(descriptor, from, static_cast<std::size_t>(count)) : count;
}

ssize_t write_at(int descriptor, void const* from, std::size_t size, off_t position) {
  static auto* const call = next<ssize_t(int, void const*, std::size_t, off_t)>("pwrite");
  ssize_t const count = bytes_to_write(descriptor, size);
  return count >= 0 ? call(descriptor, from, static_cast<std::size_t>(count), position) : count;
}

template <class One>
ssize_t each_part(iovec const* parts, int count, off_t position, One const& one) {
  ssize_t done = 0;
  for (int k = 0; k < count; ++k) {
    ssize_t const moved = one(parts[k].iov_base, parts[k].iov_len, position + done);
    if (moved < 0) return done > 0 ? done : moved;
    done += moved;
    if (static_cast<std::size_t>(moved) < parts[k].iov_len) break;
  }
  return done;
}

int open_file(char const* name, char const* path, int flags, mode_t mode) {
  Rule const* rule = nullptr;
  if ((flags & O_TMPFILE) == O_TMPFILE && fails_now("unnamed", rule)) return fail(*rule);
  return next<int(char const*, int, ...)>(name)(path, flags, mode);
}

int sync_file(char const* name, int descriptor) {
  Rule const* rule = nullptr;
  struct stat status{};
  bool const is_known = ::fstat(descriptor, &status) == 0;
  if (is_known && S_ISREG(status.st_mode) && fails_now("fsync", rule)) return fail(*rule);
  if (is_known && S_ISDIR(status.st_mode) && fails_now("folder", rule)) return fail(*rule);
  return next<int(int)>(name)(descriptor);
}

int set_aside(int descriptor, int mode, off_t offset, off_t size) {
  static auto* const call = next<int(int, int, off_t, off_t)>("fallocate");
  Rule const* rule = nullptr;
  return fails_now("fallocate", rule) ? fail(*rule) : call(descriptor, mode, offset, size);
}

}  // namespace

// The names of functions with 64-bit offsets.
extern "C" {

ssize_t read(int descriptor, void* to, std::size_t size) {
  return read_from(descriptor, to, size);
}
ssize_t pread(int descriptor, void* to, std::size_t size, off_t position) {
  return read_at(descriptor, to, size, position);
}
ssize_t pread64(int descriptor, void* to, std::size_t size, off64_t position) {
  return read_at(descriptor, to, size, position);
}
ssize_t readv(int descriptor, iovec const* parts, int count) {
  return each_part(parts, count, 0, [&](void* to, std::size_t size, off_t) {
    return read_from(descriptor, to, size);
  });
}
ssize_t preadv(int descriptor, iovec const* parts, int count, off_t position) {
  return each_part(parts, count, position, [&](void* to, std::size_t size, off_t at) {
    return read_at(descriptor, to, size, at);
  });
}
ssize_t preadv64(int descriptor, iovec const* parts, int count, off64_t position) {
  return preadv(descriptor, parts, count, position);
}

ssize_t write(int descriptor, void const* from, std::size_t size) {
  return write_to(descriptor, from, size);
}
ssize_t pwrite(int descriptor, void const* from, std::size_t size, off_t position) {
  return write_at(descriptor, from, size, position);
}
ssize_t pwrite64(int descriptor, void const* from, std::size_t size, off64_t position) {
  return write_at(descriptor, from, size, position);
}
ssize_t writev(int descriptor, iovec const* parts, int count) {
  return each_part(parts, count, 0, [&](void const* from, std::size_t size, off_t) {
    return write_to(descriptor, from, size);
  });
}
ssize_t pwritev(int descriptor, iovec const* parts, int count, off_t position) {
  return each_part(parts, count, position, [&](void const* from, std::size_t size, off_t at) {
    return write_at(descriptor, from, size, at);
  });
}
ssize_t pwritev64(int descriptor, iovec const* parts, int count, off64_t position) {
  return pwritev(descriptor, parts, count, position);
}

int open(char const* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t const mode = va_arg(more, mode_t);
  va_end(more);
  return open_file("open", path, flags, mode);
}
int open64(char const* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t const mode = va_arg(more, mode_t);
  va_end(more);
  return open_file("open64", path, flags, mode);
}

int fsync(int descriptor) {
  return sync_file("fsync", descriptor);
}
int fdatasync(int descriptor) {
  return sync_file("fdatasync", descriptor);
}
int fallocate(int descriptor, int mode, off_t offset, off_t size) {
  return set_aside(descriptor, mode, offset, size);
}
int fallocate64(int descriptor, int mode, off64_t offset, off64_t size) {
  return set_aside(descriptor, mode, offset, size);
}

int rename(char const* from, char const* to) noexcept {
  static auto* const call = next<int(char const*, char const*)>("rename");
  return cannot_make("rename", to) ? -1 : call(from, to);
}
int link(char const* from, char const* to) noexcept {
  static auto* const call = next<int(char const*, char const*)>("link");
  return cannot_make("link", to) ? -1 : call(from, to);
}
int linkat(int from_folder, char const* from, int to_folder, char const* to, int flags) noexcept {
  static auto* const call = next<int(int, char const*, int, char const*, int)>("linkat");
  return cannot_make("link", to) ? -1 : call(from_folder, from, to_folder, to, flags);
}
int renameat2(int from_folder, char const* from, int to_folder, char const* to,
              unsigned flags) noexcept {
  static auto* const call = next<int(int, char const*, int, char const*, unsigned)>("renameat2");
  return cannot_make("rename", to) ? -1 : call(from_folder, from, to_folder, to, flags);
}

// Closes the descriptor even if a failure is reported.
int close(int descriptor) {
  static auto* const call = next<int(int)>("close");
  int const flags = ::fcntl(descriptor, F_GETFL);
  bool const is_written = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
  Rule const* rule = is_written ? rule_of("close", descriptor) : nullptr;
  int const result = call(descriptor);
  return rule != nullptr && fails_now("close", rule) ? fail(*rule) : result;
}

int pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*work)(void*),
                   void* argument) noexcept {
  static auto* const call =
      next<int(pthread_t*, pthread_attr_t const*, void* (*)(void*), void*)>("pthread_create");
  Rule const* rule = nullptr;
  if (!fails_now("thread", rule)) return call(thread, attributes, work, argument);
  fail(*rule);
  return errno;
}

}  // extern "C"
