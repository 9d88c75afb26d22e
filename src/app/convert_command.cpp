// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <string>

#include <app/commands.hpp>
#include <app/failure.hpp>
#include <app/input.hpp>
#include <app/progress.hpp>
#include <app/result_file.hpp>
#include <io/conversion.hpp>
#include <io/formats.hpp>
#include <io/memory.hpp>

namespace tessera::app {
namespace {

/// Refuses what is said of a raw file where the input is none.
void check_usage(io::ConversionRequest const& request) {
  check_output(request.output, {request.input, request.vector, request.vector_output});
  check_output(request.vector_output, {request.input});
  io::FormatRow const* const named = io::find_format(request.input);
  bool const raw = request.input_format.value_or(
                       named == nullptr ? io::Format::raw : named->format) == io::Format::raw;
  if (request.raw.rows != 0 && !raw) {
    throw Failure(ExitStatus::usage,
                  request.input + ": says itself how large it is, found --rows and --cols");
  }
}

std::string describe_content(io::MatrixInfo const& info) {
  auto const count = [](std::uint64_t number) { return std::to_string(number); };
  std::string const shape = info.dimensions == 2
                                ? "A, " + count(info.rows) + " rows x " + count(info.cols) +
                                      " columns, " + describe(info.layout)
                                : "vector, " + count(info.rows) + " entries";
  return shape + ", " + std::string(io::to_string(info.type)) + ", " +
         io::format_bytes(info.elements() * io::size_of(info.type));
}

}  // namespace

ExitStatus run_command(io::ConversionRequest const& options) {
  io::ConversionRequest request = options;
  request.input = resolve_input(options.input).path;
  check_usage(request);
  check_add_dataset(request.add_dataset, {request.output, request.vector_output});
  io::Conversion const conversion = [&] {
    ProgressBar bar("writing " + request.output);
    return io::convert_file(request,
                            [&](std::uint64_t done, std::uint64_t total) { bar.set(done, total); });
  }();
  std::printf("%s: %s\n", request.output.c_str(), describe_content(conversion.output).c_str());
  if (request.raw.rows != 0 && conversion.input.format != io::Format::raw) {
    std::fprintf(stderr,
                 "tessera: %s says itself how large it is: --rows and --cols are not used\n",
                 request.input.c_str());
  }
  if (conversion.input.is_converted()) {
    std::fprintf(stderr, "tessera: the elements of %s are %s, and were read as %s\n",
                 request.input.c_str(), std::string(io::to_string(conversion.input.stored)).c_str(),
                 std::string(io::to_string(conversion.output.type)).c_str());
  }
  if (conversion.input.format == io::Format::csv && !conversion.input.version.empty()) {
    std::fprintf(stderr, "tessera: the first line of %s has no numbers: it is left out\n",
                 request.input.c_str());
  }
  if (conversion.input.has_vector && !conversion.vector_written) {
    std::fprintf(stderr, "tessera: V of %s is not in %s: --vector-output FILE writes it\n",
                 request.input.c_str(), request.output.c_str());
  } else if (conversion.vector_written) {
    std::printf("%s: V, %llu entries\n",
                (request.vector_output.empty() ? request.output : request.vector_output).c_str(),
                static_cast<unsigned long long>(conversion.output.cols));
  }
  return ExitStatus::good;
}

}  // namespace tessera::app
