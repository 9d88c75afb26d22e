// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <string>
#include <variant>

#include <app/run/run_typed.hpp>
#include <app/run/stored.hpp>
#include <tessera/backends/backends.hpp>

namespace tessera::app {

bool has_stored(io::MatrixReader const& reader, io::ScalarType type) {
  using enum io::ElementType;
  io::ElementType const stored = reader.info().stored;
  bool const is_narrow = stored == f16 || stored == bf16 || stored == i8 || stored == u8 ||
                         stored == i16 || stored == u16;
  return type == io::ScalarType::f32 && is_narrow && !reader.fills_missing();
}

bool may_hold_stored(io::MatrixReader const& reader, io::ScalarType type, BackendChoice backend) {
  bool const is_gpu =
      std::visit([]<class Exec>(Exec const&) { return bool(backends::Backend<Exec>::is_gpu); },
                 space_of(backend));
  return has_stored(reader, type) && !is_gpu;
}

std::uint64_t bytes_of_widening(io::MatrixInfo const& info, std::int64_t rows) {
  return static_cast<std::uint64_t>(rows) * info.cols * (sizeof(float) - io::size_of(info.stored));
}

bool may_be_infinite(io::ElementType stored) {
  return stored == io::ElementType::f16 || stored == io::ElementType::bf16;
}

std::string describe_elements(io::ScalarType type, io::ElementType stored, bool is_held) {
  if (!is_held) return io::describe(type, stored);
  return std::string(io::to_string(type)) + " (" + std::string(io::to_string(stored)) +
         " in the file and in memory)";
}

}  // namespace tessera::app
