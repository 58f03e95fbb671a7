"""A quantity as a function of the factors, for optimisers."""

import math

import numpy as np
import pytest
from distributed import LocalCluster
from scipy.optimize import minimize

from modia3d.batch import Study, StudyFunction
from modiapy import Assert, Model, ModelError, SimulationError, Var


def study(**changes: object) -> Study:
    """x(1) = exp(-k), so that the cost has its minimum 0 at k = 1, c = 2."""
    model = Model(k=0.5, c=1.0, x=Var(init=1.0), equations=["der(x) = -k*x"])
    given: dict[str, object] = {
        "factors": {"k": {"uniform": [0.1, 3.0]}, "c": {"list": [0.0, 5.0]}},
        "quantities": {"x": "final(x)", "cost": "(final(x) - exp(-1))**2 + 0.1*(c - 2)**2", "said": "verdict()"},
        "simulation": {"stop_time": 1.0, "tolerance": 1e-9},
    }
    return Study(model, **(given | changes))  # type: ignore[arg-type]


def test_values_and_gradients_are_those_of_the_closed_form() -> None:
    f = StudyFunction(study(), "x")
    assert f([0.7, 1.0]) == pytest.approx(math.exp(-0.7), abs=1e-8)
    assert f.gradient([0.7, 1.0]) == pytest.approx([-math.exp(-0.7), 0.0], abs=1e-5)
    assert f.runs == 5
    assert f.bounds == [pytest.approx((0.1, 3.0)), (0.0, 5.0)]
    assert f.names == ["k", "c"]


def test_scipy_finds_the_minimum_with_runs_side_by_side(cluster: LocalCluster) -> None:
    with StudyFunction(study(), "cost", scheduler=cluster.scheduler_address) as f:
        found = minimize(f.value_and_gradient, [0.5, 1.0], jac=True, bounds=f.bounds, method="L-BFGS-B")
    assert found.x == pytest.approx([1.0, 2.0], abs=1e-3)
    assert found.fun < 1e-7


def test_the_same_numbers_side_by_side(cluster: LocalCluster) -> None:
    points = [[k, 1.0] for k in np.linspace(0.2, 2.0, 5)]
    with StudyFunction(study(), "cost", scheduler=cluster.scheduler_address) as f:
        assert f.values(points).tolist() == StudyFunction(study(), "cost").values(points).tolist()


def test_a_run_that_fails_is_an_error_or_a_value() -> None:
    model = Model(k=0.5, c=1.0, x=Var(init=1.0), equations=["der(x) = -k*x", Assert("x > 0.9", "x is too small")])
    factors = {"k": {"uniform": [0.1, 3.0]}, "c": {"list": [0.0, 5.0]}}
    sick = Study(model, factors, {"x": "final(x)"}, simulation={"stop_time": 1.0})
    with pytest.raises(SimulationError, match=r"k = 1, c = 1 failed.*x is too small"):
        StudyFunction(sick, "x")([1.0, 1.0])
    assert StudyFunction(sick, "x", failed=math.inf)([1.0, 1.0]) == math.inf


def test_mistakes() -> None:
    with pytest.raises(ModelError, match="Did you mean 'cost'"):
        StudyFunction(study(), "cots")
    with pytest.raises(ModelError, match="a text"):
        StudyFunction(study(), "said")
    with pytest.raises(ModelError, match="one number for each factor"):
        StudyFunction(study(), "cost")([1.0])
