// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>
#include <zlib.h>

#include <io/deflated_part.hpp>
#include <io/errors.hpp>

namespace tessera::io {
namespace {

constexpr std::uint64_t buffer_bytes = 64U << 10U;
constexpr std::uint64_t greatest_ratio = 1032;  // of deflate

}  // namespace

struct DeflatedPart::State {
  Place place;
  std::string name;
  std::mutex mutex;
  z_stream stream{};
  std::vector<std::byte> buffer = std::vector<std::byte>(buffer_bytes);
  std::uint64_t taken = 0;
  std::uint64_t position = 0;
  std::uint32_t crc = 0;
  bool ended = false;

  State(Place const& of, std::string called) : place(of), name(std::move(called)) {
    if (place.bytes / greatest_ratio > place.packed + 64) {
      damaged("expected " + std::to_string(place.bytes) + " bytes, found " +
              std::to_string(place.packed) + " packed ones that cannot hold so many");
    }
    if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
      throw FileError(ErrorKind::out_of_memory, name,
                      "cannot be unpacked: expected zlib to start, found no memory for it");
    }
  }
  ~State() { ::inflateEnd(&stream); }
  State(State const&) = delete;
  State& operator=(State const&) = delete;

  [[noreturn]] void damaged(std::string const& sentence) const {
    throw FileError(ErrorKind::bad_input, name, "has a damaged member: " + sentence);
  }

  void begin() {
    ::inflateReset(&stream);
    stream.avail_in = 0;
    taken = 0;
    position = 0;
    crc = 0;
    ended = false;
  }

  std::size_t unpack(std::span<std::byte> to, ReadPacked const& read_packed) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    stream.next_out = reinterpret_cast<Bytef*>(to.data());
    stream.avail_out = static_cast<uInt>(std::min(most, to.size()));
    uInt const wanted = stream.avail_out;
    while (!ended && stream.avail_out == wanted) {
      if (stream.avail_in == 0) {
        auto const some = static_cast<std::size_t>(std::min(buffer_bytes, place.packed - taken));
        read_packed(place.offset + taken, std::span(buffer).first(some));
        taken += some;
        stream.next_in = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_in = static_cast<uInt>(some);
      }
      int const status = ::inflate(&stream, Z_NO_FLUSH);
      ended = status == Z_STREAM_END;
      bool const starved = stream.avail_in == 0 && taken == place.packed && !ended;
      if ((status != Z_OK && !ended) || (starved && stream.avail_out == wanted)) {
        damaged("expected deflated data of " + std::to_string(place.bytes) +
                " bytes, found others after " + std::to_string(position));
      }
    }
    std::size_t const made = wanted - stream.avail_out;
    crc =
        static_cast<std::uint32_t>(::crc32_z(crc, reinterpret_cast<Bytef const*>(to.data()), made));
    position += made;
    return made;
  }

  void unpack_all(std::span<std::byte> to, ReadPacked const& read_packed) {
    while (!to.empty()) {
      std::size_t const made = unpack(to, read_packed);
      if (made == 0) {
        damaged("expected " + std::to_string(place.bytes) + " bytes, found its end after " +
                std::to_string(position));
      }
      to = to.subspan(made);
    }
  }

  void drop_until(std::uint64_t offset, ReadPacked const& read_packed) {
    std::vector<std::byte> dropped(
        static_cast<std::size_t>(std::min(buffer_bytes, offset - position)));
    while (position < offset) {
      auto const count = std::min<std::uint64_t>(dropped.size(), offset - position);
      unpack_all(std::span(dropped).first(static_cast<std::size_t>(count)), read_packed);
    }
  }
};

DeflatedPart::DeflatedPart(Place const& place, std::string name)
    : state_(std::make_unique<State>(place, std::move(name))) {}

DeflatedPart::~DeflatedPart() = default;

void DeflatedPart::read(std::uint64_t offset, std::span<std::byte> to,
                        ReadPacked const& read_packed) {
  std::lock_guard const lock(state_->mutex);
  if (offset < state_->position) state_->begin();
  state_->drop_until(offset, read_packed);
  state_->unpack_all(to, read_packed);
}

void DeflatedPart::check_end(ReadPacked const& read_packed) {
  std::lock_guard const lock(state_->mutex);
  State& state = *state_;
  state.drop_until(state.place.bytes, read_packed);
  std::byte more{};
  if (!state.ended && state.unpack(std::span(&more, 1), read_packed) != 0) {
    state.damaged("expected " + std::to_string(state.place.bytes) + " bytes, found more");
  }
  if (state.crc != state.place.crc)
    state.damaged("expected the CRC-32 of its bytes, found another");
}

}  // namespace tessera::io
