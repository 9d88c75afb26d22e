# SPDX-FileCopyrightText: 2026 The Tessera authors
# SPDX-License-Identifier: Apache-2.0
"""Sphinx's settings. docs/build.sh, which ./dev docs calls, sets the environment."""

import os

project = "Tessera"
author = "The Tessera authors"
project_copyright = "2026 The Tessera authors"
version = release = os.environ["TESSERA_VERSION"]

extensions = ["myst_parser", "breathe", "sphinx.ext.graphviz"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
graphviz_output_format = "svg"

breathe_projects = {"tessera": os.environ["TESSERA_DOXYGEN_XML"]}
breathe_default_project = "tessera"
primary_domain = "cpp"
highlight_language = "cpp"

html_theme = "furo"
html_title = f"Tessera {release}"
html_static_path = ["_static"]
html_css_files = ["tessera.css"]
html_copy_source = False
