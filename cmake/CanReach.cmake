# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# cmake -DURL=… -P CanReach.cmake: succeeds if the address answers within five seconds.
set(ENV{RES_OPTIONS} "timeout:2 attempts:2") # TIMEOUT does not interrupt glibc's resolver
file(DOWNLOAD "${URL}" STATUS result TIMEOUT 5)
if(NOT result MATCHES "^0;")
  message(FATAL_ERROR "${URL}: ${result}")
endif()
