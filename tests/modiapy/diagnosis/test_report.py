"""`sim.report()` and `sim.incidence()`."""

from __future__ import annotations

import re

import numpy as np
import pytest

from benchmarks.translation_models import rc_ladder, resistor_ladder
from modiapy import Map, Model, Var, instantiate
from modiapy.library.electric import ConstantVoltage, Resistor
from modiapy.symbolic.structure.sort import PASSES

from ..dae.test_dependent_constraints import four_bar

pytestmark = pytest.mark.white_box


def test_report_is_a_table_of_the_passes():
    sim = instantiate(resistor_ladder(8), "Ladder")
    report = sim.report()
    assert report["linear systems"] == 1
    lines = str(report).splitlines()
    assert lines[0].split() == ["model", "Ladder", "equations", "variables"]
    assert lines[1].split()[:4] == ["flat", "model", str(report["equations"]), str(len(sim.flat.variables))]
    (eliminated,) = (line.split() for line in lines if line.startswith("eliminate aliases"))
    assert eliminated[2:4] == [str(report["equations after alias elimination"])] * 2
    assert "1 torn" in str(report)


def test_report_tells_what_was_removed_and_chosen():
    model = Model(V=ConstantVoltage, R=Resistor, connect=[("V.p", "R.p"), ("V.n", "R.n")])
    with pytest.warns(UserWarning, match="is set to 0"):
        text = str(instantiate(model).report())
    assert "removed, because it follows from others: V.n.i + R.n.i = 0 [connect(V.n, R.n)]  (test_report.py:" in text
    assert "set to 0, because nothing determines it: " in text


@pytest.mark.filterwarnings("ignore:.*nothing determines it")
@pytest.mark.parametrize(
    "model",
    [
        four_bar(False),  # a constraint is removed when states are selected
        Model(C=0.0, v=Var(start=0.0), i=Var(), u=Var("sin(time)"), equations=["C*der(v) = i", "u - v = i"]),
        Model(x=Var(state_select="always"), b=Var(init=1.0), equations=["x = 2*b", "der(der(b)) = -b"]),
    ],
)
def test_each_pass_is_reported_once_also_where_the_translation_goes_back(model):
    lines = str(instantiate(model).report()).splitlines()
    begins = [[p.name for p in PASSES if line.startswith(p.name + " ")] for line in lines]
    # the initialization problem is posed with what is reported
    assert [name for names in begins for name in names] == [p.name for p in PASSES[:-1]]


def test_the_six_largest_systems_are_listed_and_six_of_their_unknowns():
    variables, equations = {}, []
    for k, n in enumerate((2, 2, 2, 9, 2, 2, 2, 2)):
        names = [f"x{k}_{i}" for i in range(n)]
        variables |= {name: Var() for name in names}
        factors = [[f"({1 + (i + 1) * (j + 2) % 7 + 20 * (i == j)} + time)" for j in range(n)] for i in range(n)]
        equations += [" + ".join(f"{a}*{x}" for a, x in zip(row, names, strict=True)) + " = 1" for row in factors]
    text = str(instantiate(Model(**variables, equations=equations)).report())
    found = re.findall(r"^  linear, .*: (\d+) unknowns, (\d+) torn: (.*)$", text, re.M)
    assert [int(size) for size, _, _ in found] == [9, 2, 2, 2, 2, 2]
    shown = found[0][2].split(", ")
    assert int(found[0][1]) > 6
    assert len(shown) == 7
    assert {name.partition("_")[0] for name in shown[:6]} == {"x3"}
    assert shown[6] == "..."
    assert "  and 2 smaller systems" in text


def test_incidence_of_a_chain_is_lower_triangular():
    model = Model(
        x=Var(init=1.0), a=Var(), b=Var(), c=Var(), equations=["c = a*b + time", "b = a + 1", "a = x*x", "der(x) = -c"]
    )
    incidence = instantiate(model).incidence(plot=False)
    matrix = incidence.matrix.toarray()
    assert matrix.shape == (4, 4)
    assert np.array_equal(matrix, np.tril(matrix))
    assert np.all(np.diag(matrix) == 1)
    assert list(incidence.equations) == ["a = x*x", "b = a + 1", "c = a*b + time", "der(x) = -c"]
    assert list(incidence.unknowns) == ["a", "b", "c", "der(x)"]
    assert [count for _, count in incidence.blocks] == [1, 1, 1, 1]


def test_incidence_is_block_lower_triangular_and_can_be_plotted():
    import matplotlib

    matplotlib.use("agg")
    incidence = instantiate(resistor_ladder(5)).incidence()
    n = len(incidence.unknowns)
    matrix = incidence.matrix.toarray()
    for first, count in incidence.blocks:
        assert not matrix[first : first + count, first + count :].any()
        assert matrix[first : first + count, first : first + count].any(axis=1).all()
    assert sum(count for _, count in incidence.blocks) == n == matrix.shape[0]
    figure = incidence.plot()
    assert len(figure.axes[0].patches) == sum(count > 1 for _, count in incidence.blocks)


def test_ladders_scale():
    for n in (40, 400):
        report = instantiate(rc_ladder(n) | Map(source=Map(V=2.0))).report()
        assert report["states"] == n
        assert report["linear systems"] == 0
