"""A pendulum whose functions are written out: 4e7 operations as a tree, 1100 that are distinct."""

from __future__ import annotations

import re

import numpy as np
import pytest

from benchmarks import translation
from modiapy import instantiate
from modiapy.flat import Apply, sort_model
from modiapy.model.expression import tree_size, walk
from modiapy.symbolic.codegen.model import generate

from .written_out_pendulum import Numbers, accelerations, pendulum, residuals

pytestmark = pytest.mark.white_box


def distinct(flat):
    return sum(type(node) is Apply for node in walk(*(side for e in flat.equations for side in (e.lhs, e.rhs))))


def test_a_pendulum_that_is_written_out_moves_as_its_equations_say():
    n = 8
    flat = pendulum(n)
    assert max(tree_size(e.lhs) for e in flat.equations) > 1e7
    assert distinct(flat) < 1000 * n
    sim = instantiate(flat)
    assert not sim.sorted.indicators
    result = sim.simulate(0.5, tolerance=1e-9)
    for k in (0, len(result.time) // 2, -1):
        q, v = (np.array([result[f"{letter}{i + 1}"][k] for i in range(n)]) for letter in "qv")
        rates = [result[f"der(v{i + 1})"][k] for i in range(n)]
        np.testing.assert_allclose(rates, accelerations(q, v), rtol=1e-8, atol=1e-8)
        _, matrices, ends = residuals(Numbers, q, v, np.zeros(n))
        for body in range(n):
            end = [result[f"end{body + 1}{x}"][k] for x in "xyz"]
            np.testing.assert_allclose(end, ends[body], atol=1e-12)
            assert result[f"R{body + 1}12"][k] == pytest.approx(matrices[body][1][2], abs=1e-12)
            assert result[f"color{body + 1}"][k] == (1.0 if end[0] > 0 else -1.0)


def test_each_sine_is_computed_once_for_the_dynamics():
    n = 8
    ir = generate(sort_model(pendulum(n))).ir
    assert len(re.findall(r"call double @modia_sin", ir)) == n
    assert len(re.findall(r"call double @modia_cos", ir)) == n


def test_work_for_a_pendulum_grows_with_its_distinct_operations():
    sizes, lines = [], []
    for n in (4, 8, 16):
        flat = pendulum(n)
        sizes.append(distinct(flat))
        lines.append(len(generate(sort_model(flat)).ir))
    assert translation.exponent(sizes, lines) < 1.15
