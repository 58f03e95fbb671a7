"""The API reference: every public name is described, and the pages that pdoc makes hold together."""

from pathlib import Path

import pytest

from tools import api


def test_public_docstrings_describe_what_is_exported() -> None:
    """Content everywhere, and each argument of functions and constructors."""
    assert {name.rpartition(".")[0] for name in api.exported()} >= set(api.MODULES)
    assert api.undocumented() == []


def test_public_docstrings_refer_to_what_is_public() -> None:
    assert api.unknown_references() == []


def test_pages_have_every_name_and_no_broken_link(tmp_path: Path) -> None:
    pytest.importorskip("pdoc", reason="pdoc makes the pages (extra 'docs')")
    pages = api.write(tmp_path)
    assert api.missing(pages) == []
    assert api.broken_links(pages) == []
    page = (tmp_path / "modia3d.html").read_text()
    assert "pretension [N]" in page  # a field of SpringDamperPtP with its unit


def test_faults_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(known: float, forgotten: float) -> float:
        """The sum of ``known`` and what `Nobody` can look up."""
        return known + forgotten

    monkeypatch.setattr("modia3d.actions.Join", lost)
    assert api.undocumented() == ["modia3d.actions.Join: forgotten"]
    assert api.unknown_references() == ["modia3d.actions.Join: `Nobody`"]
    one, two = tmp_path / "one.html", tmp_path / "two.html"
    one.write_text('<p id="here"><a href="#here"></a><a href="two.html#there"></a><a href="https://x.org"></a></p>')
    two.write_text('<p id="here"><a href="one.html#here"></a><a href="three.html"></a></p>')
    assert api.broken_links([one, two]) == ["one.html: two.html#there", "two.html: three.html"]
