// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/make_runner.hpp"

namespace tessera::test {

template std::unique_ptr<Runner<float>> make_runner<float>(std::string const&);
template std::unique_ptr<Resident<float>> make_resident<float>(std::string const&, Instance);

}  // namespace tessera::test
