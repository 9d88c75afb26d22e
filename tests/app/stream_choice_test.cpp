// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include <gmock/gmock.h>

#include <app/stream/stream.hpp>

namespace tessera::app {
namespace {

BackendFacts backend(BackendChoice choice, bool is_gpu) {
  BackendFacts facts;
  facts.choice = choice;
  facts.is_gpu = is_gpu;
  return facts;
}

TEST(StreamingBackendTest, is_the_best_of_the_host_unless_another_was_chosen) {
  std::vector<BackendFacts> const all{backend(BackendChoice::cuda, true),
                                      backend(BackendChoice::openmp, false),
                                      backend(BackendChoice::serial, false)};
  EXPECT_EQ(streaming_backend(BackendChoice::automatic, all).choice, BackendChoice::openmp);
  EXPECT_EQ(streaming_backend(BackendChoice::serial, all).choice, BackendChoice::serial);
  EXPECT_EQ(streaming_backend(BackendChoice::cuda, all).choice, BackendChoice::cuda);
}

TEST(StreamingBackendTest, is_the_gpu_in_a_build_without_a_backend_of_the_host) {
  std::vector<BackendFacts> const all{backend(BackendChoice::cuda, true)};
  EXPECT_EQ(streaming_backend(BackendChoice::automatic, all).choice, BackendChoice::cuda);
}

}  // namespace
}  // namespace tessera::app
