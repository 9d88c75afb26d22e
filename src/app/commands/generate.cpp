// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <filesystem>

#include <app/base/failure.hpp>
#include <app/base/progress.hpp>
#include <app/base/text.hpp>
#include <app/commands/commands.hpp>
#include <app/run/files.hpp>
#include <app/run/input.hpp>
#include <io/dataset_name.hpp>
#include <io/formats.hpp>
#include <io/memory.hpp>
#include <io/output_path.hpp>

namespace tessera::app {
namespace {

io::FormatRow const& format_of_output(io::GenerateRequest const& request) {
  return request.format ? io::row_of(*request.format) : io::format_of(request.output);
}

/// Whether V is in the same file as A.
bool holds_v(io::GenerateRequest const& request) {
  return format_of_output(request).vector_follows_matrix;
}

/// Refuses what the format of the output cannot hold, and names the file for V where there is a
/// place beside A.
void complete(io::GenerateRequest& request) {
  auto const& format = format_of_output(request);
  bool const ex3 = format.format == io::Format::ex3;
  auto const refuse = [&](std::string const& sentence) {
    throw Failure(ExitStatus::usage, request.output + ": " + sentence);
  };
  if (request.format && !io::split_dataset(request.output).dataset.empty()) {
    refuse("is a dataset of an HDF5 file, found --output-format");
  }
  if (format.format == io::Format::raw) {
    refuse("a .bin file has no place for the number of rows: expected .npy, .ex3 or no extension");
  }
  if (ex3 && request.type != io::ScalarType::f32) {
    refuse("an ex3 file holds f32 only, found --type f64: take .npy");
  }
  if (ex3 && request.layout != io::Layout::right) {
    refuse("an ex3 file holds rows one after the other, found --layout column-major: take .npy");
  }
  if (ex3 && !request.vector_output.empty()) {
    refuse("an ex3 file holds V itself, found --vector-output");
  }
  if (!format.holds_columns && request.layout != io::Layout::right) {
    refuse(
        "an HDF5 dataset holds rows one after the other, found --layout column-major: take .npy");
  }
  bool const has_folder = !io::descriptor_named_by(request.output);
  if (!ex3 && request.vector_output.empty() && has_folder) {
    auto const path = std::filesystem::path(io::split_dataset(request.output).file);
    request.vector_output = (path.parent_path() / (path.stem().string() + "-vector.npy")).string();
  }
}

}  // namespace

ExitStatus run_command(io::GenerateRequest const& options) {
  io::GenerateRequest request = options;
  complete(request);
  check_add_dataset(request.add_dataset, {request.output, request.vector_output});
  RunFiles files;
  files.keeps_tunings().writes(request.output).writes(request.vector_output).check();
  {
    ProgressBar bar("writing " + request.output);
    io::generate(request, [&](std::uint64_t done, std::uint64_t total) { bar.set(done, total); });
  }
  auto const bytes = request.rows * request.cols * io::size_of(request.type);
  std::fprintf(files.report(), "%s: A, %llu rows x %llu columns, %s, %s, %s\n",
               request.output.c_str(), static_cast<unsigned long long>(request.rows),
               static_cast<unsigned long long>(request.cols),
               std::string(io::to_string(request.type)).c_str(),
               std::string(io::to_string(request.layout)).c_str(), io::format_bytes(bytes).c_str());
  if (!holds_v(request) && request.vector_output.empty()) {
    say("V is not in " + request.output + ": --vector-output FILE writes it");
    return ExitStatus::good;
  }
  std::fprintf(files.report(), "%s: V, %llu entries\n",
               (request.vector_output.empty() ? request.output : request.vector_output).c_str(),
               static_cast<unsigned long long>(request.cols));
  return ExitStatus::good;
}

}  // namespace tessera::app
