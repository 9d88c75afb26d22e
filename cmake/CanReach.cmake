# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# cmake -DURL=… -P CanReach.cmake: succeeds if the address answers.
file(DOWNLOAD "${URL}" STATUS result TIMEOUT 10 INACTIVITY_TIMEOUT 5)
if(NOT result MATCHES "^0;")
  message(FATAL_ERROR "${URL}: ${result}")
endif()
