#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# docs/build.sh FOLDER: builds the site into FOLDER/html. ./dev docs calls it where the tools are.
# A warning of Doxygen or of Sphinx is an error.
set -euo pipefail
docs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
folder=$(mkdir -p "$1" && cd "$1" && pwd -P)
cd "$docs/.."

rm -rf "$folder/xml" "$folder/html"
{
  cat docs/Doxyfile
  printf 'OUTPUT_DIRECTORY = "%s"\n' "$folder"
} | doxygen -

TESSERA_VERSION=$(sed -nE 's/^ *VERSION ([0-9.]+)$/\1/p' CMakeLists.txt | head -1) \
  TESSERA_DOXYGEN_XML=$folder/xml \
  sphinx-build --builder html --fail-on-warning --keep-going --doctree-dir "$folder/doctrees" docs "$folder/html"
printf 'the site is %s/html/index.html\n' "$folder"
