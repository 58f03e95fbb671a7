"""The stabilised explicit method: its order, what stiffness costs it, and what becomes of a model that cannot be evaluated."""

from itertools import pairwise

import numpy as np
import pytest

from modiapy import Array, Map, Model, SimulationError, Var, instantiate


def turning():
    """``x'' + 0.2 x' + 1.01 x = 0``: ``x = exp(-0.1 t) cos t``."""
    equations = ["der(x) = v", "der(v) = -0.2*v - 1.01*x"]
    return instantiate(Model(x=Var(init=1.0), v=Var(init=-0.1), equations=equations), "Turning")


def test_the_error_follows_the_tolerance_with_order_two():
    model, errors = turning(), []
    for tolerance in (1e-4, 1e-6, 1e-8):
        result = model.simulate(10.0, tolerance=tolerance, solver="chebyshev")
        errors.append(np.abs(result["x"] - np.exp(-0.1 * result.time) * np.cos(result.time)).max())
    assert errors[0] < 1e-2
    for coarse, fine in pairwise(errors):  # 100**(2/3) is 22
        assert 10.0 < coarse / fine < 45.0


@pytest.mark.parametrize("rate", [1e4, 1e5, 1e6])
def test_stiffness_costs_its_root(rate):
    # x = cos t is a slow solution, to which all others come at the rate; an explicit method of its order that is not
    # stabilised takes a step each 2/rate seconds
    model = instantiate(Model(k=rate, x=Var(init=1.0), equations=["der(x) = -k*(x - cos(time)) - sin(time)"]), "Slow")
    result = model.simulate(10.0, tolerance=1e-5, solver="chebyshev")
    assert result["x"] == pytest.approx(np.cos(result.time), abs=1e-4)
    assert result.statistics["rhs_evaluations"] < 60.0 * np.sqrt(10.0 * rate)
    assert result.statistics["jacobian_evaluations"] == 0


def test_heat_in_a_rod_as_with_cvode():
    cell = Model(T=Var(init=0.0), left=Var(), right=Var(), equations=["der(T) = 1e4*(left - 2.0*T + right)"])
    ends = ["cell[0].left = 1.0", "cell[99].right = 0.0"]
    between = [f"cell[{k}].right = cell[{k + 1}].T" for k in range(99)] + [
        f"cell[{k}].left = cell[{k - 1}].T" for k in range(1, 100)
    ]
    rod = instantiate(Model(cell=Array(100, cell), equations=[*ends, *between]), "Rod")
    ours, other = (rod.simulate(0.2, tolerance=t, solver=s) for s, t in (("chebyshev", 1e-6), ("cvode", 1e-9)))
    for k in (0, 50, 99):
        assert ours[f"cell[{k}].T"] == pytest.approx(other[f"cell[{k}].T"], abs=1e-4)


def test_output_points_change_nothing():
    bouncing = Model(
        h=Var(init=1.0),
        v=Var(init=0.0),
        down=Var(),
        equations=["der(h) = v", "down = 1.0 if h < 0.0 else 0.0", "der(v) = -9.81 - down*(1e5*h + 50.0*v)"],
    )
    model = instantiate(bouncing, "Bouncing")
    few, many = (model.simulate(2.0, interval=interval, solver="chebyshev") for interval in (1.0, 1e-3))
    assert few.statistics["events"] == many.statistics["events"] > 3
    assert few["h"][-1] == many["h"][-1]
    assert few.statistics["steps"] == many.statistics["steps"]


def test_a_model_that_ends_is_told_with_its_time():
    # x = sqrt(1 - 2 t) ends at 0.5 s
    model = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -1.0/x + 0.0*sqrt(x)"]), "Ending")
    with pytest.raises(SimulationError) as caught:
        model.simulate(1.0, solver="chebyshev")
    assert caught.value.time == pytest.approx(0.5, abs=1e-3)
    assert model.simulate(0.4, solver="chebyshev")["x"][-1] == pytest.approx(np.sqrt(0.2), abs=1e-4)


def test_another_start_with_the_same_model():
    result = turning().simulate(1.0, solver="chebyshev", merge=Map(x=Map(init=0.0), v=Map(init=0.0)))
    assert not result["x"].any()


def test_rates_that_depend_on_no_state_in_the_end():
    """A chain of integrators: the powers of its matrix end in zero, and so does the search for the largest eigenvalue."""
    model = Model(x=Var(init=1.0), v=Var(init=2.0), a=Var(init=0.5), equations=["der(x) = v", "der(v) = a", "der(a) = 0*time"])
    result = instantiate(model).simulate(2.0, solver="chebyshev", tolerance=1e-8)
    t = result.time
    assert result["x"] == pytest.approx(1.0 + 2.0 * t + 0.25 * t**2, abs=1e-6)


@pytest.mark.parametrize("rate", [0.0, 1e2, 1e4])
def test_a_parabola_of_time_is_exact_whatever_the_number_of_stages(rate):
    """Each stage is at its own time; between the ends of steps, too. The tolerance lets steps be long."""
    model = Model(
        x=Var(init=1.0),
        y=Var(init=1e-3),
        k=rate,
        c=3.0,
        equations=["der(x) = 2*c*time - c", "der(y) = -k*(y - 1e-3)"],
    )
    result = instantiate(model).simulate(3.0, interval=0.01, solver="chebyshev", tolerance=1e-2)
    t = result.time
    assert result["x"] == pytest.approx(1.0 + 3.0 * t**2 - 3.0 * t, abs=1e-10)
    assert result["y"] == pytest.approx(1e-3, rel=1e-6)
    assert result.statistics["steps"] < 100
