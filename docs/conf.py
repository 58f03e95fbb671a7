"""How Sphinx makes the site; ``python -m tools.docs`` brings the generated pages beside these and builds it."""

import re
import tomllib
from pathlib import Path
from typing import Any

_PYPROJECT = next(p for f in Path(__file__).resolve().parents if (p := f / "pyproject.toml").exists())
release = tomllib.loads(_PYPROJECT.read_text(encoding="utf-8"))["project"]["version"]

project = "modia3d"
author = "the authors of modia3d"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"

html_theme = "furo"
html_title = f"modia3d {release}"
html_copy_source = False
html_show_sphinx = False
highlight_language = "none"

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False


def _plural(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """A letter may follow a name in backticks (`Object3D` and an s): docutils wants to be told that the name ends there."""
    lines[:] = [re.sub(r"(?<!`)(`[A-Za-z_][\w.]*`)(?=\w)", r"\1\\ ", line) for line in lines]


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", _plural)
