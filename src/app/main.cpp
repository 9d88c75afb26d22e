// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/application.hpp>

int main(int argc, char** argv) {
  return tessera::app::run_application(argc, argv);
}
