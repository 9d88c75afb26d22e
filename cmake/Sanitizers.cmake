# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0

# TESSERA_SANITIZERS is a list such as "address;undefined".
set(TESSERA_SANITIZERS "" CACHE STRING "Sanitizers to build everything with, a ;-list")

if(TESSERA_SANITIZERS)
  list(JOIN TESSERA_SANITIZERS "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
endif()
