// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/base/failure.hpp>
#include <app/run/input.hpp>
#include <app/run/result_file.hpp>
#include <io/dataset_name.hpp>
#include <io/output_path.hpp>
#include <io/writers.hpp>

namespace tessera::app {

void check_add_dataset(bool add_dataset, std::initializer_list<std::string> outputs) {
  if (!add_dataset) return;
  for (auto const& output : outputs) {
    if (!io::split_dataset(output).dataset.empty()) return;
  }
  throw Failure(ExitStatus::usage,
                "--add-dataset: expected an output FILE.h5:/DATASET, found none");
}

ResultFile::ResultFile(std::string const& path, Kind kind, bool add_dataset,
                       ResultFile const* other)
    : path_(path) {
  if (path.empty()) return;
  if (kind == Kind::vector) {
    io::check_vector_format(path);
  } else {
    io::check_matrix_format(path);
  }
  if (other != nullptr && other->shared_ && path != other->path_ &&
      io::in_same_file(path, other->path_)) {
    shared_ = other->shared_;
    ++shared_->results;
    return;
  }
  auto const existing =
      add_dataset ? io::OutputFile::Existing::extended : io::OutputFile::Existing::refused;
  shared_ = std::make_shared<Shared>(
      io::OutputFile(path, io::OutputFile::Temporary::unnamed_if_possible, existing));
}

template <class Write>
void ResultFile::write_by(Write const& write) {
  if (!shared_) return;
  io::OutputFile& file = shared_->file;
  if (file.path() != path_) file.begin_next(path_);
  write(file);
  if (--shared_->results == 0) file.commit();
}

void ResultFile::write(io::HostVector const& vector) {
  write_by([&](io::OutputFile& file) { io::write_vector(file, elements(vector)); });
}

void ResultFile::write(io::HostMatrix const& matrix) {
  write_by([&](io::OutputFile& file) { io::write_matrix(file, matrix); });
}

}  // namespace tessera::app
