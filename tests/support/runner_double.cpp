// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/make_runner.hpp"

namespace tessera::test {

template std::unique_ptr<Runner<double>> make_runner<double>(std::string const&);
template std::unique_ptr<Resident<double>> make_resident<double>(std::string const&, Instance);

}  // namespace tessera::test
