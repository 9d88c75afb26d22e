// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <app/tuning/tuning_cache.hpp>
#include <tessera/version.hpp>

#include "harness.hpp"

// Reads a cache as a run and `tessera tune --show` do, writes it, reads it again. The first @ is
// this version, so that seeds fit every version.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace tessera;
  app::BackendFacts const backend{
      .choice = app::BackendChoice::serial, .name = "Serial", .device = "abacus"};
  std::string text(data, data + size);
  if (auto const place = text.find('@'); place != std::string::npos)
    text.replace(place, 1, version);
  std::vector<std::uint8_t> const content(text.begin(), text.end());
  std::filesystem::path const folder =
      std::filesystem::path(fuzz::put("tuning-serial-abacus.json", content)).parent_path();
  app::TuningCache const cache(folder, backend);
  std::string warning;
  auto const records = cache.load(warning);
  if (!warning.empty()) {
    fuzz::expect_message(cache.path().string(), warning);
    if (!records.empty()) fuzz::broken("tunings of a file that was ignored");
  }
  if (app::describe_tunings(cache.path()).empty()) fuzz::broken("nothing to say of a file");
  static_cast<void>(app::nearest(records, "atax", io::ScalarType::f32, io::Layout::right,
                                 {.rows = 1000, .cols = 1000}));
  if (records.empty()) return 0;
  auto const stored = [&] {
    cache.store(records.back(), warning);
    return fuzz::content_of(cache.path().string());
  };
  std::string const first = stored();
  if (!warning.empty()) fuzz::broken("what was just read is ignored");
  if (stored() != first) fuzz::broken("a file changes when it is written again");
  return 0;
}
