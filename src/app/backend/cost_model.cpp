// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>

#include <app/backend/cost_model.hpp>

namespace tessera::app {
namespace {

std::string seconds_text(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2g s", seconds);
  return text;
}

}  // namespace

Forecast forecast_product(std::uint64_t rows, std::uint64_t cols, std::uint64_t depth,
                          std::uint64_t element_bytes, std::uint64_t scratch) {
  std::uint64_t const inputs = (rows * depth + depth * cols) * element_bytes;
  std::uint64_t const results = rows * cols * element_bytes;
  return {.traffic = inputs + results,
          .inputs = inputs,
          .results = results,
          .scratch = scratch,
          .flops = 2.0 * static_cast<double>(rows) * static_cast<double>(cols) *
                   static_cast<double>(depth)};
}

double host_seconds(Forecast const& work, int runs, int threads, CostConstants const& constants) {
  double const bandwidth = std::min(threads * constants.host_thread, constants.host_most);
  return runs * std::max(static_cast<double>(work.traffic) / bandwidth,
                         work.flops / (threads * constants.host_thread_flops));
}

DeviceSeconds device_seconds(Forecast const& work, int runs, double bandwidth,
                             CostConstants const& constants) {
  double const reached =
      bandwidth > 0 ? bandwidth * constants.device_share : constants.device_unknown;
  double const copied = static_cast<double>(work.inputs) + static_cast<double>(work.results);
  return {
      .copies = constants.device_start + copied / constants.link,
      .runs =
          runs * (constants.device_launch + std::max(static_cast<double>(work.traffic) / reached,
                                                     work.flops / constants.device_flops)),
  };
}

Comparison compare(DeviceSeconds const& device, std::string const& device_backend, double host,
                   std::string const& host_backend) {
  return {.take_device = device.total() < host,
          .why = "estimated " + seconds_text(device.total()) + " on " + device_backend + " (" +
                 seconds_text(device.copies) + " of it copies), " + seconds_text(host) + " on " +
                 host_backend};
}

}  // namespace tessera::app
