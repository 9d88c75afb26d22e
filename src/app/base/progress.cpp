// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <ftxui/dom/elements.hpp>
#include <ftxui/screen/screen.hpp>

#include <app/base/progress.hpp>
#include <app/base/text.hpp>

namespace tessera::app {
namespace {

bool stderr_can_show_a_bar() {
  char const* const term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

void put(std::string const& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressBar::ProgressBar(std::string title) : title_(std::move(title)) {
  if (!stderr_can_show_a_bar()) return;
  try {
    painter_ = std::thread([this] { draw_until_stopped(); });
  } catch (std::system_error const&) {  // NOLINT(bugprone-empty-catch)
    // No thread can be started.
  }
}

ProgressBar::~ProgressBar() {
  if (!painter_.joinable()) return;
  {
    std::lock_guard const lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_one();
  painter_.join();
}

void ProgressBar::draw_until_stopped() {
  std::unique_lock lock(mutex_);
  auto const until_stopped = [this] { return stop_; };
  if (stopped_.wait_for(lock, std::chrono::seconds(1), until_stopped)) return;
  do {
    draw();
  } while (!stopped_.wait_for(lock, std::chrono::milliseconds(100), until_stopped));
  put("\r\x1b[K");
}

void ProgressBar::draw() const {
  auto const total = total_.load(std::memory_order_relaxed);
  auto const done = std::min(done_.load(std::memory_order_relaxed), total);
  float const share = total == 0 ? 0.0f : static_cast<float>(done) / static_cast<float>(total);
  auto const percent = std::to_string(static_cast<int>(100 * share)) + " %";

  int const columns =
      static_cast<int>(std::clamp<std::size_t>(columns_of(STDERR_FILENO), 2, 81)) - 1;
  std::string const title = without_controls(title_ + " " + (note_.empty() ? "" : note_ + " "));
  // In a short line only the title is cut.
  constexpr int least_gauge = 5;
  int const room = columns - static_cast<int>(percent.size()) - 1;
  auto const wide = static_cast<int>(title.size()) + least_gauge <= room;
  auto const line = wide ? ftxui::hbox({ftxui::text(title), ftxui::gauge(share) | ftxui::flex,
                                        ftxui::text(" " + percent)})
                         : ftxui::hbox({ftxui::text(percent + " "), ftxui::text(title)});
  auto screen = ftxui::Screen::Create(ftxui::Dimension::Fixed(columns), ftxui::Dimension::Fixed(1));
  ftxui::Render(screen, line);
  put("\r" + screen.ToString());
}

}  // namespace tessera::app
