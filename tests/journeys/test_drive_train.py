"""The journey of a notebook: a drive train of one's own components is fitted, linearised, controlled, and shown in line."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient runs the notebook (extra 'test')")
nbformat = pytest.importorskip("nbformat")

NOTEBOOK = Path(__file__).parent / "drive_train.ipynb"
ROOT = Path(__file__).parent.parent.parent


def outputs(notebook: Any, kind: str) -> Iterator[str]:
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if kind in output.get("data", {}):
                yield output["data"][kind]


def test_the_notebook_runs_and_shows_equations_plots_and_an_animation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")])))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "the notebook is kept without outputs"
    nbclient.NotebookClient(notebook, timeout=240, kernel_name=kernel(tmp_path, monkeypatch)).execute(cwd=str(tmp_path))
    latex = list(outputs(notebook, "text/latex"))
    assert len(latex) == 3  # a model, the sorted blocks, the linear model
    assert r"J \dot{w} &= \tau_{\mathrm{flange}} + i k" in latex[0]
    assert "assignment of" in latex[1]
    assert r"\begin{bmatrix}" in latex[2]
    assert len(list(outputs(notebook, "image/png"))) == 3
    (animation,) = (html for html in outputs(notebook, "text/html") if "<iframe" in html)
    assert "srcdoc" in animation
    assert any("d = 2.3" in output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", ()))


def kernel(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kernel of this very interpreter, whatever others are installed."""
    from ipykernel.kernelspec import write_kernel_spec

    write_kernel_spec(str(folder / "kernels" / "here"))
    monkeypatch.setenv("JUPYTER_PATH", str(folder))
    assert sys.executable in (folder / "kernels" / "here" / "kernel.json").read_text()
    return "here"
