# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""A package that uses Kokkos: it starts it when it is imported, unless it runs, and ends it with the process."""

import atexit
import ctypes
import os
import sys

_library = ctypes.CDLL(os.environ["TESSERA_OTHER_PACKAGE"], mode=sys.getdlopenflags())  # as extensions are loaded
is_running = _library.other_is_running
is_running.restype = ctypes.c_bool
sum = _library.other_sum
sum.restype = ctypes.c_double
finish = _library.other_finish
_library.other_start.restype = ctypes.c_bool

has_started = _library.other_start()
atexit.register(finish)
