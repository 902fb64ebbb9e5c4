"""The documentation as one searchable site; built by scripts/docs, which lays out the pages."""

import os
import re

project = "riemann2"
author = "the riemann2 developers"
copyright = "the riemann2 developers"  # noqa: A001, the name that Sphinx expects
version = release = os.environ["RIEMANN2_VERSION"]

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"riemann2 {version}"
html_static_path = ["static"]
html_css_files = ["riemann2.css"]
html_copy_source = False

myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

breathe_projects = {"riemann2": os.environ["RIEMANN2_XML"]}
breathe_default_project = "riemann2"
breathe_domain_by_extension = {"h": "c"}
breathe_default_members = ("members", "undoc-members")

napoleon_google_docstring = False
autodoc_member_order = "bysource"
autodoc_typehints = "description"


def as_plain_text(app, what, name, thing, options, lines):
    """Docstrings are plain text: stars and bars in them are no markup, and one backtick marks code."""
    for i, line in enumerate(lines):
        parts = re.split(r"(`+[^`]*`+)", line)
        for k, part in enumerate(parts):
            code = part.startswith("`")
            parts[k] = f"``{part.strip('`')}``" if code else re.sub(r"([*|])", r"\\\1", part)
        lines[i] = "".join(parts)


def setup(app):
    app.connect("autodoc-process-docstring", as_plain_text, priority=900)  # after napoleon
