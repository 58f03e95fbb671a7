"""The Python examples of docs/multibody.md run, one after the other, and each model simulates."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modiapy import instantiate
from modiapy.model.model import Model

TEXT = (Path(__file__).parents[2] / "docs" / "multibody.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture(scope="module")
def after() -> list[dict[str, Any]]:
    """The names after each example."""
    names: dict[str, Any] = {}
    states = []
    for example in EXAMPLES:
        exec(example, names)
        states.append(dict(names))
    return states


@pytest.mark.parametrize("number", [k for k, example in enumerate(EXAMPLES) if re.search(r"^model = ", example, re.MULTILINE)])
def test_each_model_simulates(after: list[dict[str, Any]], number: int) -> None:
    model = after[number]["model"]
    assert isinstance(model, Model)
    result = instantiate(model).simulate(0.1)
    assert result.time[-1] == 0.1
    assert np.isfinite(result["mechanics.kinetic_energy"]).all()


def test_the_numeric_api_gives_what_it_says(after: list[dict[str, Any]]) -> None:
    names = after[-1]
    d = names["d"]
    assert d.M @ d.a + d.h == pytest.approx(d.tau, abs=1e-12)
    assert names["energy"] == pytest.approx(0.5 * d.v @ d.M @ d.v, rel=1e-12)
    assert names["J"] @ d.v == pytest.approx(np.concatenate([d.v_W[0], d.w_W[0]]), abs=1e-12)
