#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
#
# docs/build.sh FOLDER: builds the site into FOLDER/html. ./dev docs calls it.
# A warning of Doxygen or of Sphinx is an error. The site shows benchmarks/results as `results`: Sphinx reads a copy of docs
# that contains this folder, with the links between both folders adapted.
set -euo pipefail
docs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
folder=$(mkdir -p "$1" && cd "$1" && pwd -P)
cd "$docs/.."

rm -rf "$folder/xml" "$folder/html" "$folder/source"
{
  cat docs/Doxyfile
  printf 'OUTPUT_DIRECTORY = "%s"\n' "$folder"
} | doxygen -

mkdir "$folder/source"
cp -R docs CHANGELOG.md CITATION.cff CONTRIBUTING.md "$folder/source"
ln -s "$PWD/src" "$PWD/examples" "$folder/source"
cp -R benchmarks/results "$folder/source/docs/results"
find "$folder/source/docs" -name '*.md' -exec \
  sed -i -E -e 's#\.\./((\.\./)*)benchmarks/results/#\1results/#g' -e 's#\.\./\.\./docs/#../#g' {} +

TESSERA_VERSION=$(sed -nE 's/^ *VERSION ([0-9.]+)$/\1/p' CMakeLists.txt | head -1) \
  TESSERA_DOXYGEN_XML=$folder/xml \
  sphinx-build --builder html --fail-on-warning --keep-going --doctree-dir "$folder/doctrees" "$folder/source/docs" "$folder/html"
printf 'the site is %s/html/index.html\n' "$folder"
