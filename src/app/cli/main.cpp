// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <unistd.h>
#include <vector>

#include <app/backend/devices.hpp>
#include <app/base/failure.hpp>
#include <app/base/notices.hpp>
#include <app/base/ranks.hpp>
#include <app/base/text.hpp>
#include <app/cli/options.hpp>
#include <app/commands/commands.hpp>
#include <io/temporary_file.hpp>

namespace tessera::app {
namespace {

std::atomic<bool> is_running{false};

/// At process exit. Some libraries end the process (OpenMP without threads, OpenBLAS without
/// memory) with a status of another meaning.
void end_with_our_status() {
  if (!is_running) return;
  io::remove_temporaries();
  std::fputs("tessera: a library ended the program, for the reason above\n", stderr);
  std::_Exit(static_cast<int>(ExitStatus::resources));
}

ExitStatus say_exception() {
  release_notices();
  Failure const failure = failure_of(std::current_exception());
  say(failure.what());
  return failure.status();
}

/// Also for exceptions of threads.
[[noreturn]] void end_uncaught() {
  ExitStatus status = ExitStatus::resources;
  if (std::current_exception()) {
    status = say_exception();
  } else {
    say("ended by an error of a library that has no message");
  }
  io::remove_temporaries();
  std::_Exit(static_cast<int>(status));
}

/// Turns writes beyond `ulimit -f` into errors of the file.
void take_all_ends() {
  std::set_terminate(end_uncaught);
  std::signal(SIGXFSZ, SIG_IGN);
  io::remove_temporaries_at_signals();
}

/// Whether all ranks run the command; else only the first does.
template <class CommandOptions>
inline constexpr bool is_for_ranks = std::is_same_v<CommandOptions, ComputeOptions> ||
                                     std::is_base_of_v<SolveOptions, CommandOptions>;

template <class CommandOptions>
void prepare(CommandOptions const& options, std::optional<KokkosSession>& kokkos) {
  int threads = 0;
  std::optional<int> device;
  if constexpr (requires { options.threads; }) threads = options.threads;
  if constexpr (requires { options.device; }) device = options.device;
  kokkos.emplace(threads, choose_device(device));
}

/// If Kokkos cannot start, prints what it can before the error.
void prepare(InfoOptions const& options, std::optional<KokkosSession>& kokkos) {
  std::optional<int> device;
  try {
    device = choose_device(std::nullopt);
  } catch (Failure const&) {
    run_command(options);
    throw;
  }
  kokkos.emplace(options.threads, device);
}

/// --show and --reset need no Kokkos.
void prepare(TuneOptions const& options, std::optional<KokkosSession>& kokkos) {
  if (options.show || options.reset) return;
  kokkos.emplace(options.threads, choose_device(options.device));
}

void prepare(ConvertOptions const& /*options*/, std::optional<KokkosSession>& /*kokkos*/) {}

/// Destroyed after errors are printed, because Kokkos may end the program if its device is lost.
struct Sessions {
  std::optional<RanksSession> ranks;
  std::optional<KokkosSession> kokkos;
};

/// Otherwise a file of the run would get the number of a closed descriptor, and what is printed.
/// Opened in the wrong direction, so that their use is an error.
void occupy_standard_descriptors() {
  for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace
}  // namespace tessera::app

int main(int argc, char** argv) {
  using namespace tessera::app;
  occupy_standard_descriptors();
  static_cast<void>(std::atexit(end_with_our_status));
  is_running = true;
  ExitStatus status = ExitStatus::good;
  {
    Sessions sessions;
    auto const run = [&] {
      std::vector<std::string> asked;
      auto const parsed = parse_options(argc, argv, &asked);
      require_same_request(asked);
      if (auto const* const done = std::get_if<ExitStatus>(&parsed)) return *done;
      return std::visit(
          [&]<class CommandOptions>(CommandOptions const& options) {
            if (!is_for_ranks<CommandOptions> && !ranks().is_first()) return ExitStatus::good;
            prepare(options, sessions.kokkos);
            return run_command(options);
          },
          std::get<Options>(parsed));
    };
    try {
      take_all_ends();
      sessions.ranks.emplace(argv);
      status = ranks().are_many() ? on_all_ranks(run) : run();
    } catch (...) {
      status = say_exception();
    }
  }
  release_notices();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::perror("tessera: standard output");
    if (status == ExitStatus::good) status = ExitStatus::file;
  }
  is_running = false;
  return static_cast<int>(status);
}
