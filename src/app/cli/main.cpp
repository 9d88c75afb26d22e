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
#include <type_traits>
#include <unistd.h>

#include <app/backend/devices.hpp>
#include <app/base/failure.hpp>
#include <app/base/ranks.hpp>
#include <app/base/text.hpp>
#include <app/cli/options.hpp>
#include <app/commands/commands.hpp>
#include <app/ranks/session.hpp>
#include <io/temporary_file.hpp>

namespace tessera::app {
namespace {

/// Whether a command is under way.
std::atomic<bool> is_running{false};

/// At the end of the process: a library that ends it by itself (OpenMP's where a thread does not
/// start, OpenBLAS' where there is no memory) has said why, with a status that means another thing
/// here.
void end_with_our_status() {
  if (!is_running) return;
  io::remove_temporaries();
  std::fputs("tessera: a library ended the program, for the reason above\n", stderr);
  std::_Exit(static_cast<int>(ExitStatus::resources));
}

/// Runs work, and turns every exception into a sentence and a status.
template <class Work>
ExitStatus guarded(Work const& work) {
  try {
    return work();
  } catch (...) {
    Failure const failure = failure_of(std::current_exception());
    say(failure.what());
    return failure.status();
  }
}

/// An exception that nobody could catch, such as one of a thread, ends the program as others do.
[[noreturn]] void end_uncaught() {
  ExitStatus const status = guarded([]() -> ExitStatus {
    if (std::exception_ptr const thrown = std::current_exception()) std::rethrow_exception(thrown);
    throw Failure(ExitStatus::resources, "ended by an error of a library");
  });
  io::remove_temporaries();
  std::_Exit(static_cast<int>(status));
}

/// Whatever ends the program, it leaves no half file, and what can be said is said: a write beyond
/// `ulimit -f` becomes an error of that file.
void take_all_ends() {
  std::set_terminate(end_uncaught);
  std::signal(SIGXFSZ, SIG_IGN);
  io::remove_temporaries_at_signals();
}

template <class CommandOptions>
int threads_of(CommandOptions const& options) {
  if constexpr (requires { options.threads; }) {
    return options.threads;
  } else {
    return 0;
  }
}

template <class CommandOptions>
std::optional<int> device_of(CommandOptions const& options) {
  if constexpr (requires { options.device; }) {
    return options.device;
  } else {
    return std::nullopt;
  }
}

/// Whether ranks work on such a command together; the first one does others alone.
template <class CommandOptions>
inline constexpr bool is_for_ranks = std::is_same_v<CommandOptions, ComputeOptions> ||
                                     std::is_base_of_v<SolveOptions, CommandOptions>;

template <class CommandOptions>
ExitStatus with_kokkos(CommandOptions const& options, std::optional<int> device) {
  KokkosSession const kokkos(threads_of(options), device);
  return guarded([&] {
    if (!is_for_ranks<CommandOptions>) return run_command(options);
    return on_all_ranks([&] { return run_command(options); });
  });
}

template <class CommandOptions>
ExitStatus execute(CommandOptions const& options) {
  return with_kokkos(options, choose_device(device_of(options)));
}

/// Where Kokkos cannot start, `info` says what can be said without it, and then what is wrong.
ExitStatus execute(InfoOptions const& options) {
  std::optional<int> device;
  try {
    device = choose_device(std::nullopt);
  } catch (Failure const&) {
    run_command(options);
    throw;
  }
  return with_kokkos(options, device);
}

/// What is kept can be shown and forgotten where Kokkos cannot start.
ExitStatus execute(TuneOptions const& options) {
  if (options.show || options.reset) return run_command(options);
  return with_kokkos(options, choose_device(options.device));
}

ExitStatus execute(ConvertOptions const& options) {
  return run_command(options);  // copies files, which needs no device
}

ExitStatus execute(CompletionOptions const& options) {
  std::fputs(options.script.c_str(), stdout);
  return ExitStatus::good;
}

/// The whole program: parses, runs one subcommand, reports errors on stderr.
/// @return the exit status of the process
int run_application(int argc, char const* const* argv) {
  static_cast<void>(std::atexit(end_with_our_status));
  is_running = true;
  ExitStatus status = guarded([&] {
    take_all_ends();
    RanksSession const session(argv);
    return on_all_ranks([&] {
      auto const parsed = parse_options(argc, argv);
      if (auto const* const done = std::get_if<ExitStatus>(&parsed)) return *done;
      return std::visit(
          []<class CommandOptions>(CommandOptions const& options) {
            bool const is_idle = !is_for_ranks<CommandOptions> && !ranks().is_first();
            return is_idle ? ExitStatus::good : execute(options);
          },
          std::get<Options>(parsed));
    });
  });
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::perror("tessera: standard output");
    if (status == ExitStatus::good) status = ExitStatus::file;
  }
  is_running = false;
  return static_cast<int>(status);
}

/// Opens what the caller has closed of stdin, stdout and stderr, so that no file of the run gets
/// their number and what is printed. In the wrong direction: who reads or writes there is told.
void occupy_standard_descriptors() {
  for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace

}  // namespace tessera::app

int main(int argc, char** argv) {
  tessera::app::occupy_standard_descriptors();
  return tessera::app::run_application(argc, argv);
}
