"""The documentation: its examples run, its links lead somewhere, and it names what is public."""

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import modia3d
import modiapy
from modia3d.cli.main import _parser
from modia3d.files.registry import constructors
from modiapy import instantiate
from modiapy.model.model import Model

ROOT = Path(__file__).parent.parent
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
USER = [file for file in FILES if file.name not in ("architecture.md", "dependencies.md")]
WITH_MODELS = ("forces", "joints", "language", "multibody", "sensors", "simulation")
"""Guides whose examples that bind ``model`` can be simulated."""


def blocks(file: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", file.read_text(), re.DOTALL)


def names_after_each_example(guide: str) -> list[dict[str, Any]]:
    """The examples of a guide run one after the other, as a reader would type them."""
    names: dict[str, Any] = {}
    states = []
    for example in blocks(ROOT / "docs" / f"{guide}.md", "python"):
        exec(example, names)
        states.append(dict(names))
    return states


@pytest.mark.parametrize("guide", WITH_MODELS)
def test_examples_run_and_models_simulate(guide: str) -> None:
    texts = blocks(ROOT / "docs" / f"{guide}.md", "python")
    bound = 0
    for text, names in zip(texts, names_after_each_example(guide), strict=True):
        if re.search(r"^model = ", text, re.MULTILINE):
            bound += 1
            assert isinstance(names["model"], Model)
            result = instantiate(names["model"]).simulate(0.1)
            assert result.time[-1] == 0.1
            numbers = [name for name in result.signals() if "cut_" not in name]  # massless points have no cut forces
            assert all(np.isfinite(result[name]).all() for name in numbers)
    assert bound


def test_the_numeric_api_gives_what_it_says() -> None:
    names = names_after_each_example("multibody")[-1]
    d, body = names["d"], names["body"]
    assert d.M @ d.a + d.h == pytest.approx(d.tau, abs=1e-12)
    assert names["energy"] - d.potential_energy() == pytest.approx(0.5 * d.v @ d.M @ d.v, rel=1e-12)
    arm = d.R[body].reshape(3, 3) @ names["p_BF"]
    assert names["J"] @ d.v == pytest.approx(np.concatenate([d.v_W[body] + np.cross(d.w_W[body], arm), d.w_W[body]]), abs=1e-12)
