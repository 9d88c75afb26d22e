// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <vector>

#include <io/dataset_name.hpp>
#include <io/formats.hpp>
#include <io/generate.hpp>
#include <io/output_file.hpp>
#include <io/output_path.hpp>
#include <io/parallel_blocks.hpp>
#include <io/writers.hpp>

namespace tessera::io {
namespace {

constexpr std::uint64_t batch_bytes = 8U << 20U;
constexpr std::uint64_t thread_bytes = 256U << 10U;

template <class T>
class Generator {
 public:
  Generator(GenerateRequest const& request, std::uint64_t total, Progress const& progress)
      : request_(request), total_(total), progress_(progress) {}

  void write_matrix(OutputFile& out) {
    write(out, request_.rows * request_.cols, [this](std::uint64_t first, std::span<T> to) {
      if (request_.layout == Layout::right) {
        generate_values(request_.distribution, request_.seed, Sequence::matrix, first, to);
        return;
      }
      for (std::size_t k = 0; k < to.size(); ++k) {
        std::uint64_t const i = (first + k) % request_.rows;
        std::uint64_t const j = (first + k) / request_.rows;
        generate_values(request_.distribution, request_.seed, Sequence::matrix,
                        i * request_.cols + j, to.subspan(k, 1));
      }
    });
  }

  void write_vector(OutputFile& out) {
    write(out, request_.cols, [this](std::uint64_t first, std::span<T> to) {
      generate_values(request_.distribution, request_.seed, Sequence::vector, first, to);
    });
  }

 private:
  template <class Fill>
  void write(OutputFile& out, std::uint64_t count, Fill const& fill) {
    std::vector<T> buffer(std::min<std::uint64_t>(batch_bytes / sizeof(T), count));
    for (std::uint64_t first = 0; first < count; first += buffer.size()) {
      std::span<T> const piece(buffer.data(),
                               std::min<std::uint64_t>(buffer.size(), count - first));
      parallel_blocks(piece.size(), thread_bytes / sizeof(T),
                      [&](std::uint64_t begin, std::uint64_t size) {
                        fill(first + begin, piece.subspan(begin, size));
                      },
                      {});
      out.write_elements(std::span<T const>(piece));
      done_ += piece.size_bytes();
      if (progress_) progress_(done_, total_);
    }
  }

  GenerateRequest const& request_;
  std::uint64_t total_;
  Progress const& progress_;
  std::uint64_t done_ = 0;
};

FormatRow const& matrix_format(GenerateRequest const& request) {
  std::string const& path = request.output;
  FormatRow const* const row = request.format ? &row_of(*request.format) : find_format(path);
  require_written_dataset(path);
  if (row != nullptr && row->begin_matrix != nullptr) return *row;
  throw FileError(
      ErrorKind::bad_output, path,
      "cannot hold a matrix: expected the extension " +
          list_of_extensions([](FormatRow const& each) { return each.begin_matrix != nullptr; }) +
          ", found " + extension_of(path));
}

/// No later sum may overflow.
void check_request(GenerateRequest const& request) {
  auto const fail = [&](std::string const& sentence) {
    throw FileError(ErrorKind::bad_output, request.output, sentence);
  };
  std::string const found =
      std::to_string(request.rows) + " rows x " + std::to_string(request.cols) + " columns";
  if (request.rows == 0 || request.cols == 0) {
    fail("has a dimension of zero: expected at least 1 in each, found " + found);
  }
  std::uint64_t bytes = 0;
  bool overflow = __builtin_add_overflow(request.rows, 2, &bytes);  // V may be written twice
  overflow = __builtin_mul_overflow(bytes, request.cols, &bytes) || overflow;
  overflow = __builtin_mul_overflow(bytes, size_of(request.type), &bytes) || overflow;
  if (overflow || bytes >= std::uint64_t{1} << 62U) {
    fail("would be too large: expected fewer than 2^62 bytes, found " + found);
  }
  if (request.output == request.vector_output) {
    fail("is named twice: expected another file for the vector, found the same");
  }
}

template <class T>
void generate_as(GenerateRequest const& request, Progress const& progress) {
  FormatRow const& format = matrix_format(request);
  bool const has_vector_output = !request.vector_output.empty();
  if (has_vector_output) check_vector_format(request.vector_output);
  auto const existing =
      request.add_dataset ? OutputFile::Existing::extended : OutputFile::Existing::refused;
  OutputFile out(request.output, OutputFile::Temporary::unnamed_if_possible, existing);
  std::optional<OutputFile> vector_out;
  if (has_vector_output && !in_same_file(request.output, request.vector_output)) {
    vector_out.emplace(request.vector_output, OutputFile::Temporary::unnamed_if_possible, existing);
  }

  MatrixInfo info;
  info.format = format.format;
  info.type = request.type;
  info.layout = request.layout;
  info.rows = request.rows;
  info.cols = request.cols;
  format.begin_matrix(out, info);
  std::uint64_t const elements = info.elements() + (format.vector_follows_matrix ? info.cols : 0);
  out.reserve(out.bytes_written() + elements * sizeof(T));

  std::uint64_t const total = (elements + (has_vector_output ? info.cols : 0)) * sizeof(T);
  Generator<T> generator(request, total, progress);
  generator.write_matrix(out);
  if (format.vector_follows_matrix) generator.write_vector(out);
  if (has_vector_output) {
    MatrixInfo vector_info;
    vector_info.type = request.type;
    vector_info.dimensions = 1;
    vector_info.rows = request.cols;
    if (!vector_out) out.begin_next(request.vector_output);
    OutputFile& to = vector_out ? *vector_out : out;
    format_of_result(request.vector_output).begin_vector(to, vector_info);
    generator.write_vector(to);
  }
  std::vector<OutputFile*> files{&out};
  if (vector_out) files.push_back(&*vector_out);
  OutputFile::commit_all(files);
}

}  // namespace

void generate(GenerateRequest const& request, Progress const& progress) {
  check_request(request);
  if (request.type == ScalarType::f32) {
    generate_as<float>(request, progress);
  } else {
    generate_as<double>(request, progress);
  }
}

}  // namespace tessera::io
