"""The site: guides, tutorials and the generated references of YAML and of the API, made by Sphinx.

    python -m tools.docs [FOLDER]

Writes into ``build/site`` by default; begin with ``index.html``. Needs Sphinx, MyST, furo (extra ``docs``). What Sphinx warns
of is an error: a link that leads nowhere, a page that nobody reaches, a docstring that cannot be read.
"""

from __future__ import annotations

import argparse
import inspect
import io
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tools import api

ROOT = Path(__file__).parent.parent
TOP = ("CHANGELOG.md", "CONTRIBUTING.md")
"""Pages that lie beside the folder of the others."""


def write_sources(folder: Path) -> None:
    """Write the pages as Sphinx reads them: those of ``docs``, those beside it, and the generated ones."""
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name in TOP:
        text = (ROOT / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace("](docs/", "]("), encoding="utf-8")
    reference = folder / "reference"
    reference.mkdir(exist_ok=True)
    (reference / "yaml.md").write_text(yaml_page(), encoding="utf-8")
    for name, text in api.pages().items():
        (reference / f"{name}.rst").write_text(text, encoding="utf-8")


def build(folder: Path) -> list[str]:
    """Build the site in a folder (an earlier one is replaced); returns Sphinx' warnings."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    shutil.rmtree(folder, ignore_errors=True)
    source = folder.with_name(f"{folder.name}.source")
    shutil.rmtree(source, ignore_errors=True)
    write_sources(source)
    warnings = io.StringIO()
    with patch_docutils(str(source)), docutils_namespace():
        Sphinx(source, source, folder, folder / ".doctrees", "html", status=None, warning=warnings, freshenv=True).build()
    shutil.rmtree(folder / ".doctrees")
    shutil.rmtree(source)
    return [re.sub(r"\x1b\[[\d;]*m", "", line) for line in warnings.getvalue().splitlines() if line.strip()]


# -- the reference of YAML ----------------------------------------------------------------------------------------------


def yaml_page() -> str:
    """Return the reference of scenarios, from their JSON Schema and the signatures of the constructors."""
    from modia3d.files.schema import scenario_schema

    schema = scenario_schema()
    known = schema["definitions"]
    lines = ["# Reference of YAML", "", *_INTRODUCTION, "", "## The file", "", *_table(schema["properties"], {}), ""]
    lines += ["### simulation", "", *_table(schema["properties"]["simulation"]["properties"], {})]
    for title, names in (("Constructors", known["call"]["properties"]), ("Actions and steps", known["step"]["properties"])):
        lines += ["", f"## {title}"]
        for name in sorted((n for n in names if "." not in n and not _is_model(n)), key=str.lower):
            lines += _call(name, known.get(f"arguments.{name}", {}))
    return "\n".join(lines) + "\n"


_INTRODUCTION = (
    "Made from the constructors, as the JSON Schema is that `modia3d schema` writes for editors. How calls, names, units and",
    "files are written is told in [scenarios](../scenarios.md), the models of the libraries in [libraries](../library.md).",
)


def _is_model(name: str) -> bool:
    from modia3d.files.registry import constructors

    entry = constructors().get(name)
    return entry is not None and entry.model is not None


def _call(name: str, schema: Mapping[str, Any]) -> Iterable[str]:
    described = next((s for s in (schema, *schema.get("anyOf", ())) if "properties" in s), {"properties": {}})
    text = str(schema.get("description", ""))
    return ["", f"### {name}", "", _shown(text), "", *_table(described["properties"], _defaults(name))]


def _defaults(name: str) -> Mapping[str, Any]:
    """Return the defaults of the arguments of a constructor."""
    from modia3d.files.registry import constructors

    entry = constructors().get(name)
    if entry is None or entry.make is None:
        return {}
    parameters = inspect.signature(entry.make).parameters.values()
    return {p.name: p.default for p in parameters if isinstance(p.default, str | int | float | bool | tuple | None)}


def _table(properties: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[str]:
    if not properties:
        return []
    rows = ["| key | meaning | default |", "|---|---|---|"]
    for key, value in properties.items():
        default = f"`{defaults[key]!r}`" if key in defaults else ""
        rows.append(f"| `{key}` | {_shown(str(value.get('description', '')))} | {default} |")
    return rows


def _shown(text: str) -> str:
    return re.sub(r"([|*_<\[$`])", r"\\\1", " ".join(text.split()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site", metavar="FOLDER")
    folder = parser.parse_args().folder.resolve()
    found = build(folder)
    for line in found:
        print(line, file=sys.stderr)
    print(folder / "index.html")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
