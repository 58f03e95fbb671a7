"""Signals by their names: inputs and tables as users write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modiapy import Model, ModelError, Var, instantiate
from modiapy.simulation.results.comparison import compare

pytestmark = pytest.mark.white_box

VECTOR = Model(
    u=Var(input=True, start=[0.0, 0.0]), x=Var(init=[0.0, 0.0]), k=Var(input=True, start=1.0), equations=["der(x) = k*u"],
)  # fmt: skip
TABLE = Model(m=Var(input=True, start=[[0.0, 0.0], [0.0, 0.0]]), x=Var(init=[[0.0, 0.0], [0.0, 0.0]]), equations=["der(x) = m"])


@pytest.mark.parametrize("given", [[1.0, 2.0], (1, 2), np.array([1.0, 2.0]), ([0.0, 1.0], [[1.0, 2.0], [1.0, 2.0]])])
def test_an_array_as_an_input_is_a_list(given: Any) -> None:
    result = instantiate(VECTOR).simulate(1.0, inputs={"u": given})
    np.testing.assert_allclose(result["x"][-1], [1.0, 2.0], rtol=1e-9)
    with instantiate(VECTOR).stepper(1.0, inputs={"u": given}) as stepper:
        stepper.inputs["u"] = [3, 4]
        np.testing.assert_allclose(stepper.finish()["x"][-1], [3.0, 4.0], rtol=1e-9)


def test_a_matrix_of_two_rows_is_no_pair() -> None:
    result = instantiate(TABLE).simulate(1.0, inputs={"m": [[1.0, 2.0], [3.0, 4.0]]})
    np.testing.assert_allclose(result["x"][-1], [[1.0, 2.0], [3.0, 4.0]], rtol=1e-9)


@pytest.mark.parametrize("given", [[1.0, 2.0, 3.0], [[1.0, 2.0]], [1.0, "a"], [1.0, [2.0]], [], [np.nan, 1.0]])
def test_lists_that_do_not_fit(given: Any) -> None:
    with pytest.raises(ModelError, match="u: "):
        instantiate(VECTOR).simulate(1.0, inputs={"u": given})


def test_a_list_is_no_number() -> None:
    with pytest.raises(ModelError, match="k: "):
        instantiate(VECTOR).simulate(1.0, inputs={"k": [1.0]})


def test_tables_take_names_as_plots_do(tmp_path: Path) -> None:
    result = instantiate(VECTOR).simulate(1.0)
    pytest.importorskip("pandas")
    assert list(result.to_pandas("k", "x").columns) == ["k", "x[0]", "x[1]"]
    for names in ((["k", "x"],), (("k", "x"),), (["k"], "x"), ("k", ["x"])):
        assert list(result.to_pandas(*names).columns) == ["k", "x[0]", "x[1]"]
    assert list(result.to_pandas().columns) == list(result.to_pandas(None).columns)
    pytest.importorskip("xarray")
    assert list(result.to_xarray("k", "u")) == ["k", "u"]
    result.to_csv(tmp_path / "a.csv", "k", "x")
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == "time,k,x[0],x[1]"
    with pytest.raises(ModelError, match="there is no signal 'nothing'"):
        result.to_pandas("k", "nothing")


def test_sizes_of_signals() -> None:
    result = instantiate(TABLE).simulate(1.0)
    assert (result.shape("m"), result.shape("m[0,1]"), result.shape("time")) == ((2, 2), (), ())
    with pytest.raises(ModelError, match="there is no signal 'n'"):
        result.shape("n")


def test_comparing_different_points_says_so() -> None:
    """A straight line is the same between any points."""
    sim = instantiate(VECTOR)
    fine, coarse = (sim.simulate(1.0, interval=h, inputs={"u": [1.0, 2.0]}) for h in (0.01, 0.3))
    found = compare(fine, coarse)
    assert found.same
    assert found.interpolated
    assert found.points == (fine.time.size, coarse.time.size)
    assert not compare(fine, fine).interpolated
