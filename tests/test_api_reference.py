"""The site: every public name is described and has a place, all pages hold together, and Sphinx has nothing to warn of."""

import importlib
import re
from pathlib import Path

import pytest

from modia3d.files.registry import constructors
from tools import api, docs

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning"),
    pytest.mark.white_box,
]  # Sphinx' own


def test_public_docstrings_describe_what_is_exported() -> None:
    """Content everywhere, and each argument of functions and constructors."""
    assert {name.rpartition(".")[0] for name in api.exported()} >= set(api.MODULES)
    assert api.undocumented() == []


def test_public_docstrings_refer_to_what_is_public() -> None:
    assert api.unknown_references() == []


def test_the_reference_of_yaml_has_every_constructor() -> None:
    page = docs.yaml_page()
    titles = set(re.findall(r"^### (\w+)$", page, re.MULTILINE))
    wanted = {name for name, entry in constructors().items() if "." not in name and entry.model is None}
    assert wanted <= titles
    assert "| `diameter` | its diameter \\[m]. | `1.0` |" in page
    assert {"ActionAttach", "repeat", "wait_until"} <= titles


def test_sphinx_builds_the_site_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="Sphinx makes the site (extra 'docs')")
    assert docs.build(tmp_path / "site") == []
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "site" / "reference").glob("*.html")}
    for module in api.MODULES:
        missing = [name for name in importlib.import_module(module).__all__ if f'id="{module}.{name}"' not in pages[module]]
        assert missing == []
    assert "pretension [N]" in pages["modia3d"]  # a field of SpringDamperPtP with its unit
    assert 'src="../_images/rocket.png"' in (tmp_path / "site" / "tutorials" / "rocket.html").read_text(encoding="utf-8")


def test_faults_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(known: float, forgotten: float) -> float:
        """The sum of ``known`` and what `Nobody` can look up."""
        return known + forgotten

    monkeypatch.setattr("modia3d.Join", lost)
    assert api.undocumented() == ["modia3d.Join: forgotten"]
    assert api.unknown_references() == ["modia3d.Join: `Nobody`"]


def test_a_broken_link_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx", reason="Sphinx makes the site (extra 'docs')")
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "conf.py").write_text((docs.ROOT / "docs" / "conf.py").read_text(encoding="utf-8"), encoding="utf-8")
    (root / "docs" / "index.md").write_text("# Here\n\n[nowhere](missing.md)\n", encoding="utf-8")
    (root / "pyproject.toml").write_text((docs.ROOT / "pyproject.toml").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(docs, "ROOT", root)
    monkeypatch.setattr(docs, "TOP", ())
    monkeypatch.setattr(docs, "yaml_page", lambda: "---\norphan: true\n---\n# YAML\n")
    monkeypatch.setattr(api, "pages", dict)
    (warning,) = docs.build(tmp_path / "site")
    assert "missing.md" in warning
