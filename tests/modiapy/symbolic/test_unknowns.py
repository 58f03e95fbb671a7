"""What passes make of a variable knows what it was made of; its text is for readers only."""

import pickle
import re

import numpy as np
import pytest

from benchmarks.translation_models import rigid_servo_chain
from modiapy import Clock, Model, SimulationModel, Var, When, instantiate
from modiapy.model.expression import names
from modiapy.symbolic.sorted.parts import defined_by, expressions_of
from modiapy.symbolic.terms.names import Kind, Unknown, base_of, derivative_of, directional_of, integral_of, order_of

pytestmark = pytest.mark.white_box


def made_names(sim: SimulationModel) -> set[str]:
    """All names in the sorted model, those that read as if a pass had made them."""
    used = {name for block in sim.sorted.blocks for expr in expressions_of(block) for name in names(expr)}
    used |= {name for block in sim.sorted.blocks for name in defined_by(block)} | {*sim.sorted.states, *sim.sorted.derivatives}
    return {name for name in used if re.match(r"(der|pre|hold|previous)\(", name)}


def test_derivatives_of_all_orders_know_their_variable() -> None:
    sim = instantiate(rigid_servo_chain(2))
    found = made_names(sim)
    assert max(map(order_of, found)) >= 2
    for name in found:
        assert base_of(name) in sim.flat.variables
        assert str(name) == "der(" * order_of(name) + base_of(name) + ")" * order_of(name)


def test_values_before_events_and_at_ticks_know_their_variable() -> None:
    model = Model(
        v=Var(init=np.array([1.0, 2.0])),
        x=Var(init=1.0),
        clock=Clock(0.1),
        y=Var(init=0.0),
        z=Var(),
        equations=[
            "der(x) = -z",
            "y = previous(y) + sample(x, clock)",
            "z = hold(y)",
            "v_x = v[0] + x",
            When("x < 0.5", ["v = pre(v) + [1.0, x]"]),
        ],
        v_x=Var(),
    )
    found = {str(name): name for name in made_names(instantiate(model))}
    assert {name: (made.base, made.kind) for name, made in found.items() if type(made) is Unknown and not made.order} == {
        "pre(v)": ("v", Kind.BEFORE),
        "hold(y)": ("y", Kind.HELD),
        "previous(y)": ("y", Kind.PREVIOUS),
    }


def test_a_directional_derivative_is_made_of_a_derivative() -> None:
    slope = directional_of(derivative_of("x", 2))
    assert isinstance(slope, Unknown)
    assert (slope, slope.kind, base_of(slope.base), order_of(slope.base)) == ("der(der(x))'", Kind.DIRECTIONAL, "x", 2)


@pytest.mark.parametrize("order", [1, 2, 5])
def test_a_derivative_is_kept_by_files_and_integrated_step_by_step(order: int) -> None:
    name = pickle.loads(pickle.dumps(derivative_of("x", order)))
    for left in range(order, 0, -1):
        assert (base_of(name), order_of(name)) == ("x", left)
        name = integral_of(name)
    assert name == "x"


def test_the_text_of_a_derivative_finds_its_result() -> None:
    sim = instantiate(Model(x=Var(init=0.0), v=Var(init=1.0), equations=["der(x) = v", "der(der(x)) = -4*x"]))
    result = sim.simulate(1.0, tolerance=1e-9)
    assert result["der(v)"] == pytest.approx(-4 * result["x"], abs=1e-9)
    assert result["x"][-1] == pytest.approx(np.sin(2.0) / 2, abs=1e-6)
