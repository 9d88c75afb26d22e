// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <app/backend/backends.hpp>

namespace tessera::app {
namespace {

constexpr CostConstants round{.host_thread = 10,
                              .host_most = 40,
                              .link = 5,
                              .device_share = 0.5,
                              .device_unknown = 50,
                              .device_start = 3,
                              .device_launch = 0.25};
constexpr Forecast work{.traffic = 1000, .inputs = 900, .results = 100, .scratch = 7};

TEST(CostModelTest, job_holds_what_it_reads_and_writes_and_works_in) {
  EXPECT_EQ(work.memory(), 1007u);
}

TEST(CostModelTest, host_takes_bytes_over_the_bandwidth_of_its_threads) {
  EXPECT_DOUBLE_EQ(host_seconds(work, 1, 1, round), 100);
  EXPECT_DOUBLE_EQ(host_seconds(work, 1, 2, round), 50);
  EXPECT_DOUBLE_EQ(host_seconds(work, 6, 2, round), 300);
}

TEST(CostModelTest, memory_of_the_host_is_saturated_by_few_threads) {
  EXPECT_DOUBLE_EQ(host_seconds(work, 1, 4, round), 25);
  EXPECT_DOUBLE_EQ(host_seconds(work, 1, 400, round), 25);
}

TEST(CostModelTest, operations_count_where_they_take_longer_than_the_traffic) {
  constexpr CostConstants slow{.host_thread = 10,
                               .host_most = 40,
                               .device_unknown = 50,
                               .device_launch = 0.25,
                               .host_thread_flops = 2,
                               .device_flops = 16};
  constexpr Forecast product{.traffic = 100, .flops = 800};
  EXPECT_DOUBLE_EQ(host_seconds(product, 1, 1, slow), 400);
  EXPECT_DOUBLE_EQ(host_seconds(product, 3, 2, slow), 600);
  EXPECT_DOUBLE_EQ(device_seconds(product, 2, 0, slow).runs, 2 * (0.25 + 50));
  constexpr Forecast light{.traffic = 100, .flops = 8};
  EXPECT_DOUBLE_EQ(host_seconds(light, 1, 1, slow), 10);
  EXPECT_DOUBLE_EQ(device_seconds(light, 1, 0, slow).runs, 0.25 + 2);
}

TEST(CostModelTest, product_multiplies_and_adds_once_for_each_row_column_and_depth) {
  Forecast const product = forecast_product(2, 3, 5, 4, 7);
  EXPECT_DOUBLE_EQ(product.flops, 60);
  EXPECT_EQ(product.inputs, 4u * (10 + 15));
  EXPECT_EQ(product.results, 4u * 6);
  EXPECT_EQ(product.traffic, 4u * 31);
  EXPECT_EQ(product.memory(), 4u * 31 + 7);
}

TEST(CostModelTest, device_starts_copies_once_and_launches_every_run) {
  auto const seconds = device_seconds(work, 4, 200, round);
  EXPECT_DOUBLE_EQ(seconds.copies, 3 + 1000.0 / 5);
  EXPECT_DOUBLE_EQ(seconds.runs, 4 * (0.25 + 1000.0 / 100));
  EXPECT_DOUBLE_EQ(seconds.total(), seconds.copies + seconds.runs);
}

TEST(CostModelTest, unknown_bandwidth_of_a_device_is_estimated) {
  EXPECT_DOUBLE_EQ(device_seconds(work, 1, 0, round).runs, 0.25 + 1000.0 / 50);
}

TEST(CostModelTest, device_is_taken_when_copies_and_runs_are_sooner_done) {
  DeviceSeconds const device{.copies = 2, .runs = 1};
  EXPECT_TRUE(compare(device, "cuda", 3.5, "openmp").take_device);
  EXPECT_FALSE(compare(device, "cuda", 3, "openmp").take_device);
  EXPECT_FALSE(compare(device, "cuda", 1.5, "openmp").take_device);
}

TEST(CostModelTest, sentence_names_both_backends_with_their_times) {
  EXPECT_EQ(compare({.copies = 0.25, .runs = 0.5}, "cuda", 2, "serial").why,
            "estimated 0.75 s on cuda (0.25 s of it copies), 2 s on serial");
}

TEST(CostModelTest, many_runs_of_a_large_matrix_go_to_a_device_and_a_small_one_does_not) {
  constexpr double titan_rtx = 672e9;
  auto const takes_device = [](std::uint64_t bytes, int runs) {
    Forecast const job{.traffic = bytes, .inputs = bytes, .results = 0, .scratch = 0};
    return compare(device_seconds(job, runs, titan_rtx), "cuda", host_seconds(job, runs, 8),
                   "openmp")
        .take_device;
  };
  EXPECT_TRUE(takes_device(std::uint64_t{4} << 30U, 100));
  EXPECT_FALSE(takes_device(std::uint64_t{4} << 30U, 1)) << "one read is faster than a copy";
  EXPECT_FALSE(takes_device(std::uint64_t{1} << 20U, 100)) << "starting takes longer";
}

}  // namespace
}  // namespace tessera::app
