// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace tessera::app {

/// What the program tells its caller.
enum class ExitStatus : int {
  good = 0,        ///< all done
  difference = 1,  ///< a check found that a result is wrong, or could not judge it
  usage = 2,       ///< the command line makes no sense
  file = 3,        ///< an input is bad, or a file cannot be read or written
  resources = 4,   ///< out of memory, or trouble with a backend or a device
};

}  // namespace tessera::app
