// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include <app/backend/devices.hpp>
#include <app/cli/options.hpp>

namespace tessera::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t gib = std::uint64_t{1} << 30U;
backends::Device const titan{.id = 1,
                             .name = "TITAN RTX",
                             .major = 7,
                             .minor = 5,
                             .multiprocessors = 72,
                             .memory = 24 * gib,
                             .bandwidth = 672e9};

TEST(DeviceSentenceTest, device_is_described_by_name_architecture_and_memory) {
  EXPECT_EQ(name_of(titan), "TITAN RTX (device 1)");
  EXPECT_EQ(describe(titan), "TITAN RTX, sm_75, 72 multiprocessors, 24.0 GiB");
}

TEST(DeviceSentenceTest, found_device_is_no_trouble) {
  backends::DeviceSurvey survey;
  survey.driver_version = 13000;
  survey.devices = {titan};
  EXPECT_EQ(why_no_device(survey, std::nullopt), "");
  EXPECT_EQ(why_no_device(survey, "1"), "");
}

TEST(DeviceSentenceTest, missing_driver_is_named) {
  backends::DeviceSurvey survey;
  survey.runtime_version = 13000;
  survey.error = "CUDA driver version is insufficient for CUDA runtime version";
  EXPECT_EQ(why_no_device(survey, std::nullopt), "no CUDA driver was found on this machine");
}

TEST(DeviceSentenceTest, old_driver_is_named_with_both_versions) {
  backends::DeviceSurvey survey;
  survey.driver_version = 12040;
  survey.runtime_version = 13000;
  survey.error = "CUDA driver version is insufficient for CUDA runtime version";
  EXPECT_EQ(why_no_device(survey, std::nullopt),
            "the CUDA driver is too old: expected one for CUDA 13.0, found one for 12.4");
}

TEST(DeviceSentenceTest, hidden_devices_are_blamed_on_the_environment) {
  backends::DeviceSurvey survey;
  survey.driver_version = survey.runtime_version = 13000;
  survey.error = "no CUDA-capable device is detected";
  EXPECT_EQ(why_no_device(survey, ""), "no CUDA device was found: CUDA_VISIBLE_DEVICES is ''");
  EXPECT_EQ(why_no_device(survey, std::nullopt),
            "no CUDA device was found: no CUDA-capable device is detected");
}

TEST(DeviceSentenceTest, device_that_answers_is_no_trouble) {
  EXPECT_EQ(why_not_usable(titan, {.error = "", .lacks_code = false, .free = gib}, {90}), "");
}

TEST(DeviceSentenceTest, wrong_architecture_says_what_is_there_and_what_to_build) {
  auto const why = why_not_usable(
      titan, {.error = "no kernel image is available", .lacks_code = true, .free = 0}, {80, 90});
  EXPECT_EQ(why,
            "TITAN RTX (device 1) is sm_75, and this program was compiled for sm_80, sm_90: build "
            "it for sm_75 (no kernel image is available)");
}

TEST(DeviceSentenceTest, other_trouble_is_in_the_words_of_the_driver) {
  auto const why =
      why_not_usable(titan, {.error = "out of memory", .lacks_code = false, .free = 0}, {75});
  EXPECT_EQ(why, "TITAN RTX (device 1) cannot be used: out of memory");
}

TEST(DeviceMemoryTest, job_fits_with_room_to_spare_only) {
  EXPECT_TRUE(fits_on_device(0, gib));
  EXPECT_TRUE(fits_on_device(gib - (std::uint64_t{64} << 20U), gib));
  EXPECT_FALSE(fits_on_device(gib - (std::uint64_t{64} << 20U) + 1, gib));
  EXPECT_FALSE(fits_on_device(gib, gib));
  EXPECT_FALSE(fits_on_device(2 * gib, gib));
  EXPECT_FALSE(fits_on_device(0, 0)) << "free memory below what is lost must not wrap around";
  EXPECT_FALSE(fits_on_device(~std::uint64_t{0}, gib));
}

TEST(DeviceMemoryTest, sentence_says_needed_free_and_what_to_do) {
  auto const sentence = no_room_sentence("a.npy", "the matrix", 32 * gib, 23 * gib, titan);
  EXPECT_THAT(sentence,
              AllOf(HasSubstr("a.npy: not enough memory on TITAN RTX (device 1) for the matrix: "),
                    HasSubstr("expected 32.0 GiB free, found 23.0 GiB of 24.0 GiB; "),
                    HasSubstr("--device N"), HasSubstr("--backend openmp")));
}

std::optional<int> device_in(std::vector<char const*> words) {
  words.insert(words.begin(), "tessera");
  auto const parsed = parse_options(static_cast<int>(words.size()), words.data());
  return std::get<ComputeOptions>(std::get<Options>(parsed)).device;
}

TEST(DeviceOptionTest, every_operation_takes_a_device) {
  for (auto const* const command : {"atax", "gemv", "gemvt"}) {
    EXPECT_EQ(device_in({command, "a.npy"}), std::nullopt);
    EXPECT_EQ(device_in({command, "a.npy", "--device", "0"}), 0);
    EXPECT_EQ(device_in({command, "a.npy", "--backend", "cuda", "--device", "7"}), 7);
  }
}

TEST(DeviceOptionTest, what_is_no_device_is_bad_usage) {
  for (auto const* const word : {"-1", "1.5", "gpu", ""}) {
    char const* const words[] = {"tessera", "atax", "a.npy", "--device", word};
    auto const parsed = parse_options(5, words);
    ASSERT_TRUE(std::holds_alternative<ExitStatus>(parsed)) << word;
    EXPECT_EQ(std::get<ExitStatus>(parsed), ExitStatus::usage) << word;
  }
}

}  // namespace
}  // namespace tessera::app
