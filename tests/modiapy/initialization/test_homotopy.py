"""``homotopy(actual, simplified)``: the initial solution is the one that continues that of the simplified expressions."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Map, Model, SimulationError, Var, instantiate
from modiapy.flat import Equation
from modiapy.model.expression import evaluate, sub
from modiapy.symbolic.hybrid.homotopy import HOMOTOPY, going_over

pytestmark = pytest.mark.white_box

COMPARATOR = "min(15, max(-15, 1000*v))"
SWITCHED = "(15 if 1000*v > 15 else -15 if 1000*v < -15 else 1000*v)"


def amplifier(limited: str, simplified: float) -> Model:
    """An amplifier whose positive feedback gives it three solutions at the beginning: -15, 0 and 15."""
    return Model(
        v=Var(),
        y=Var(),
        x=Var(init=0.0),
        chosen=simplified,
        equations=[f"y = homotopy({limited}, chosen)", "v = 0.5*y - 0.6*x", "der(x) = y - x"],
    )


@pytest.mark.parametrize("limited", [COMPARATOR, SWITCHED])
@pytest.mark.parametrize("simplified", [-15.0, 15.0])
def test_of_several_solutions_the_simplified_expression_chooses(limited: str, simplified: float) -> None:
    result = instantiate(amplifier(limited, simplified)).simulate(0.5, interval=0.1, tolerance=1e-9)
    assert result["y"] == pytest.approx(np.full(result.time.size, simplified))
    assert result["x"] == pytest.approx(simplified * (1.0 - np.exp(-result.time)), abs=1e-6)


def test_the_way_is_cut_into_parts_where_relations_do_not_settle_at_once() -> None:
    kinks = ((0, 0.5), (3, 2), (4, -4), (-1, -8))
    actual = "5 - 0.5*y" + "".join(f" + ({change}*(y - {at}) if y > {at} else 0)" for at, change in kinks)
    around = {"equations": ["der(x) = y - x"], "initial_equations": ["x = 2*y"]}
    direct = Model(y=Var(), x=Var(), **around) | Map(equations=[f"y = {actual}"])
    with pytest.raises(SimulationError, match="do not settle"):
        instantiate(direct).simulate(0.0)
    model = Model(y=Var(), x=Var(), **around) | Map(equations=[f"y = homotopy({actual}, -2)"])
    result = instantiate(model).simulate(0.0)
    assert (result["y"][0], result["x"][0]) == pytest.approx((-6 / 19, -12 / 19))


def test_initial_equations_go_over_too() -> None:
    model = Model(
        x=Var(), y=Var(), equations=["der(x) = -x", "y**3 = x"], initial_equations=["y**2 = homotopy(4, y**2 + y + 2)"]
    )
    assert instantiate(model).simulate(0.0)["y"][0] == pytest.approx(-2.0)


def test_parameters_of_the_simplified_expression_may_change() -> None:
    simulation = instantiate(amplifier(COMPARATOR, 15.0))
    for chosen in (-15.0, 0.0, 15.0):
        assert simulation.simulate(0.0, merge=Map(chosen=chosen))["y"][0] == pytest.approx(chosen)


def test_without_a_simplified_solution_the_actual_expressions_are_solved_alone() -> None:
    model = Model(y=Var(start=1.0), equations=["exp(y) = homotopy(3, -1)"])
    assert instantiate(model).simulate(0.0)["y"][0] == pytest.approx(np.log(3.0))
    with pytest.raises(SimulationError, match="exp"):
        instantiate(Model(y=Var(start=1.0), equations=["exp(y) + y**2 = homotopy(-3, -1)"])).simulate(0.0)


def test_the_simulation_itself_has_the_actual_expressions() -> None:
    model = Model(x=Var(init=2.0), y=Var(), equations=["y + y**3 = homotopy(x, 0)", "der(x) = -y"])
    simulation = instantiate(model)
    assert not simulation.sorted.inputs
    assert not any("homotopy" in str(block.lines(str)) for block in simulation.sorted.blocks)
    result = simulation.simulate(1.0, tolerance=1e-10)
    assert result["y"] + result["y"] ** 3 == pytest.approx(result["x"], abs=1e-12)


def test_between_both_ends_the_expressions_are_mixed_in_proportion() -> None:
    flat = instantiate(Model(y=Var(), equations=["y = homotopy(3*time + 1, 5)"])).flat
    (equation,) = going_over(flat).equations
    assert isinstance(equation, Equation)
    for part in (0.0, 0.25, 0.5, 1.0):
        value = evaluate(sub(equation.lhs, equation.rhs), {"time": 2.0, "y": 0.0, HOMOTOPY: part})
        assert value == pytest.approx(-(7.0 * part + 5.0 * (1.0 - part)))


@pytest.mark.parametrize("equation", ["y = homotopy(x**2, 1)", "homotopy(x**2, 1) = y", "y = x + homotopy(x**2, y0)"])
def test_what_follows_at_once_needs_no_way_from_the_simplified_expression(equation: str) -> None:
    model = Model(y0=3.0, x=Var(init=2.0), y=Var(), equations=["der(x) = -x", equation])
    simulation = instantiate(model)
    assert simulation.sorted.initialization is None
    assert simulation.simulate(0.0)["y"][0] == (6.0 if "x +" in equation else 4.0)
