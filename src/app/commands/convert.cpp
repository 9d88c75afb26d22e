// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <filesystem>
#include <string>

#include <app/base/failure.hpp>
#include <app/base/progress.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <io/conversion.hpp>
#include <io/dataset_name.hpp>
#include <io/formats.hpp>
#include <io/memory.hpp>

namespace tessera::app {
namespace {

[[noreturn]] void refuse(std::string const& file, std::string const& sentence) {
  throw Failure(ExitStatus::usage, file + ": " + sentence);
}

/// Refuses what is said of a raw file.
void refuse_raw_options(ConvertOptions const& options) {
  // Names without an extension, those of pipes among them, may be of raw files.
  bool const has_no_name =
      !options.input_format && !std::filesystem::path(options.input).has_extension();
  std::string const hint = has_no_name ? "; --input-format raw takes elements alone" : "";
  if (options.raw.rows != 0) {
    refuse(options.input, "says itself how large it is, found --rows and --cols" + hint);
  }
  if (options.raw_type) {
    refuse(options.input,
           "says itself what type its elements have, found --type; --output-type "
           "is that of the output" +
               hint);
  }
  if (options.raw_layout) {
    refuse(options.input,
           "says itself in which layout its elements are, found --input-layout; "
           "--layout is that of the output" +
               hint);
  }
}

/// Whether the input is a raw file, as far as its name and the options say.
bool may_be_raw(io::ConversionRequest const& request) {
  io::FormatRow const* const named = io::find_format(request.input);
  return request.input_format.value_or(named == nullptr ? io::Format::raw : named->format) ==
         io::Format::raw;
}

/// Refuses what is said of a raw file where the input can be none, or is a vector, and of the name
/// of a dataset.
void check_usage(ConvertOptions const& options) {
  if (!may_be_raw(options)) refuse_raw_options(options);
  if (options.raw_layout && options.raw.rows == 0) {
    refuse(options.input,
           "is a vector without --rows and --cols, and has no layout, found --input-layout");
  }
  if (options.output_format && !io::split_dataset(options.output).dataset.empty()) {
    refuse(options.output, "is a dataset of an HDF5 file, found --output-format");
  }
}

std::string describe_content(io::MatrixInfo const& info) {
  auto const count = [](std::uint64_t number) { return std::to_string(number); };
  std::string const shape = info.dimensions == 2
                                ? "A, " + count(info.rows) + " rows x " + count(info.cols) +
                                      " columns, " + std::string(io::to_string(info.layout))
                                : "vector, " + count(info.rows) + " entries";
  return shape + ", " + std::string(io::to_string(info.type)) + ", " +
         io::format_bytes(info.elements() * io::size_of(info.type));
}

}  // namespace

ExitStatus run_command(ConvertOptions const& options) {
  ConvertOptions request = options;
  request.input = resolve_input(options.input).path;
  check_usage(request);
  request.raw.type = options.raw_type.value_or(request.raw.type);
  request.raw.layout = options.raw_layout.value_or(request.raw.layout);
  check_add_dataset(request.add_dataset, {request.output, request.vector_output});
  RunFiles files;
  files.reads(request.input).reads(request.vector).keeps_tunings();
  files.writes(request.vector_output).writes(request.output).check();
  io::Conversion const conversion = [&] {
    ProgressBar bar("writing " + request.output);
    return io::convert_file(
        request, [&](std::uint64_t done, std::uint64_t total) { bar.set(done, total); },
        [&](io::MatrixInfo const& input) {
          if (input.format != io::Format::raw) refuse_raw_options(request);
        });
  }();
  std::fprintf(files.report(), "%s: %s\n", request.output.c_str(),
               describe_content(conversion.output).c_str());
  if (conversion.input.is_converted()) {
    say("the elements of " + request.input + " are " +
        std::string(io::to_string(conversion.input.stored)) + ", and were read as " +
        std::string(io::to_string(conversion.output.type)));
  }
  if (conversion.input.format == io::Format::csv && !conversion.input.version.empty()) {
    say("the first line of " + request.input + " has no numbers: it is left out");
  }
  if (conversion.not_finite > 0) {
    say(std::to_string(conversion.not_finite) + " elements of " + request.output +
        " are infinite or NaN: there are such elements in " + request.input +
        ", or they overflow f32");
  }
  if (conversion.input.has_vector && !conversion.vector_written) {
    say("V of " + request.input + " is not in " + request.output +
        ": --vector-output FILE writes it");
  } else if (conversion.vector_written) {
    std::fprintf(files.report(), "%s: V, %llu entries\n",
                 (request.vector_output.empty() ? request.output : request.vector_output).c_str(),
                 static_cast<unsigned long long>(conversion.output.cols));
  }
  return ExitStatus::good;
}

}  // namespace tessera::app
