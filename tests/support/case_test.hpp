// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <gmock/gmock.h>

#include "support/cases.hpp"
#include "support/runner.hpp"
#include "support/same_bits.hpp"

namespace tessera::test {

template <class C>
class CaseTest : public testing::Test {
 protected:
  using T = typename C::Scalar;
  static constexpr Order order = C::order;

  Runner<T>& runner() { return *runner_; }

 private:
  std::unique_ptr<Runner<T>> runner_ = make_runner_of<C>();
};

}  // namespace tessera::test
