"""Wishes which variables are states, and magnitudes of states."""

import itertools
import math

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, Var, When, instantiate
from modiapy.flat import sort_model

from ..symbolic.flat_models import flat_model

pytestmark = pytest.mark.white_box


def coupled(**wishes):
    """Two inertias on an ideal gear; phi and w of one of them are states."""
    attributes = {name: Var(state_select=wish) for name, wish in wishes.items()}
    variables = {name: Var() for name in ("phi1", "phi2", "w1", "w2", "t1", "t2")}
    return Model(
        r=3.0,
        **{**variables, **attributes},
        equations=["w1 = der(phi1)", "w2 = der(phi2)", "phi1 = r*phi2", "der(w1) = 1 - t1", "2*der(w2) = t2", "t2 = r*t1"],
    )


@pytest.mark.parametrize(
    ("wishes", "states"),
    [
        ({"phi1": "prefer", "w1": "prefer"}, {"phi1", "w1"}),
        ({"phi2": "prefer", "w2": "prefer"}, {"phi2", "w2"}),
        ({"phi2": "always", "w2": "always"}, {"phi2", "w2"}),
        ({"phi1": "always", "w2": "always"}, {"phi1", "w2"}),
        ({"phi1": "never", "w1": "never"}, {"phi2", "w2"}),
        ({"phi2": "avoid", "w2": "avoid"}, {"phi1", "w1"}),
        ({"phi1": "avoid", "w1": "avoid", "phi2": "never", "w2": "never"}, {"phi1", "w1"}),
        ({"phi1": "prefer", "phi2": "always", "w1": "prefer", "w2": "always"}, {"phi2", "w2"}),
    ],
)
def test_wishes_of_coupled_inertias(wishes, states):
    sim = instantiate(coupled(**wishes))
    assert set(sim.states) == states
    result = sim.simulate(2.0)
    acceleration = 1.0 / (1.0 + 2.0 / 9.0)  # J1 + J2/r**2
    np.testing.assert_allclose(result["w1"], acceleration * result.time, atol=1e-6)
    np.testing.assert_allclose(result["phi2"], acceleration * result.time**2 / 6.0, atol=1e-6)


def test_a_wish_is_stronger_than_init():
    sim = instantiate(coupled(phi2="prefer", w2="prefer") | Map(w1=Var(init=6.0), phi1=Var(init=0.0)))
    assert set(sim.states) == {"phi2", "w2"}
    assert sim.simulate(0.1)["w2"][0] == pytest.approx(2.0)


def test_a_wish_holds_for_aliases():
    model = coupled() | Model(flange=Var(state_select="always"), equations=["flange = phi2"])
    assert any(name in instantiate(model).states for name in ("phi2", "flange"))


STRENGTH = ("never", "default", "avoid", "prefer", "always")
"""Of two wishes of equal variables the stronger one holds for both: no wish is weaker than all but "never"."""


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize(("own", "others"), list(itertools.product(STRENGTH, STRENGTH)))
def test_of_the_wishes_of_equal_variables_the_stronger_one_holds(own, others, sign):
    """Seen in who is the state beside y, which is declared first, and wanted by default, less, or not at all."""
    both = max(own, others, key=STRENGTH.index)
    equations = ["der(x) = f", "der(y) = g", "x + y = sin(time)", "f - g = x", f"u = {sign}x"]
    for wish, beaten_by in (
        ("default", ("prefer", "always")),
        ("avoid", ("default", "prefer", "always")),
        ("never", STRENGTH[1:]),
    ):
        declared = {"y": wish, "u": others, "x": own, "f": "default", "g": "default"}
        flat = flat_model(equations, {name: {"state_select": wish} for name, wish in declared.items()})
        if wish == both == "never":
            with pytest.raises(ModelError, match='has state_select="never"'):
                sort_model(flat)
        else:
            assert sort_model(flat).states == ["x" if both in beaten_by else "y"]


@pytest.mark.parametrize("given", ["x", "y"])
def test_of_variables_that_differ_by_a_constant_the_one_with_an_initial_value_is_the_state(given):
    """Although equations say that the derivatives of both are variables, which are one and the same."""
    equations = ["y = x + 1", "v = der(x)", "w = der(y)", "der(v) = -x"]
    declared = {name: Var(init=1.5 - (name == "x")) if name == given else Var() for name in "xy"}
    sim = instantiate(Model(**declared, v=Var(init=0.0), w=Var(), equations=equations))
    assert sim.states[0] == given
    assert sim.sorted.initialization is None
    result = sim.simulate(1.0, tolerance=1e-9)
    np.testing.assert_allclose(result["y"], 1.0 + 0.5 * np.cos(result.time), atol=1e-7)


def test_an_algebraic_variable_as_state():
    model = Model(k=2.0, x=Var(init=1.0), y=Var(state_select="always"), equations=["der(x) = -x", "y = k*x + 1"])
    sim = instantiate(model)
    assert sim.states == ("y",)
    result = sim.simulate(1.0)
    assert result["y"][0] == pytest.approx(3.0)
    assert result["x"][-1] == pytest.approx(math.exp(-1.0), abs=1e-5)


ALWAYS = Var(state_select="always")

OTHER_COORDINATES = {
    "sum": (["x = 2*b + sin(time)"], {}, ["x"]),
    "sum of two": (["x = 2*b + c", "der(der(c)) = -c"], {"c": Var(start=0.4)}, ["x"]),
    "polar": (["x = b*cos(c)", "y = b*sin(c)", "der(der(c)) = -c"], {"y": ALWAYS, "c": Var(start=0.4)}, ["x", "y"]),
    "chain": (["x = 3*c", "c = b + 1"], {"c": Var()}, ["x"]),
}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", OTHER_COORDINATES)
def test_a_coordinate_that_nothing_differentiates_becomes_the_state(kind, turned):
    """The equation of motion is that of b, twice differentiated; the wished states take its place with their derivatives."""
    relations, others, wished = OTHER_COORDINATES[kind]
    equations = ["der(der(b)) = -b", *relations]
    model = Model(
        b=Var(), x=ALWAYS, **others, equations=equations[:: -1 if turned else 1],
        initial_equations=["b = 1", "der(b) = 0.2", *(["c = 0.4", "der(c) = 0"] if "der(der(c)) = -c" in equations else [])],
    )  # fmt: skip
    sim = instantiate(model)
    assert {*wished, *(f"der({name})" for name in wished)} <= set(sim.states)
    result = sim.simulate(1.0, tolerance=1e-9)
    np.testing.assert_allclose(result["b"], np.cos(result.time) + 0.2 * np.sin(result.time), atol=1e-6)


def test_states_of_a_wheel_set():
    """Rolling without slip: two nonholonomic constraints for velocities, turning in the plane; the wheels drive it."""
    wished = ("x", "y", "phi", "theta1", "theta2", "w1", "w2")
    m, J, Jw, r, l = 2.0, 0.3, 0.1, 0.4, 0.9
    model = Model(
        m=m, J=J, Jw=Jw, r=r, l=l, **dict.fromkeys(wished, ALWAYS), f1=Var(), f2=Var(), side=Var(), vx=Var(), vy=Var(),
        equations=[
            "der(x) = vx", "der(y) = vy", "der(theta1) = w1", "der(theta2) = w2",
            "m*der(vx) = (f1 + f2)*cos(phi) - side*sin(phi)", "m*der(vy) = (f1 + f2)*sin(phi) + side*cos(phi)",
            "J*der(der(phi)) = (f1 - f2)*l/2", "Jw*der(w1) = 1 - f1*r", "Jw*der(w2) = 0.5 - f2*r",
            "vy*cos(phi) - vx*sin(phi) = 0", "vx*cos(phi) + vy*sin(phi) = r*(w1 + w2)/2", "der(phi) = r*(w1 - w2)/l",
        ],
    )  # fmt: skip
    sim = instantiate(model)
    assert set(sim.states) == set(wished)
    result = sim.simulate(1.5, tolerance=1e-9)
    forward = 0.75 * r / (Jw + m * r**2 / 2)  # of the mean speed of the wheels
    turning = 0.5 / (Jw + 2 * J * r**2 / l**2)  # of the difference of their speeds
    np.testing.assert_allclose(result["w1"] + result["w2"], 2 * forward / r * result.time, atol=1e-6)
    np.testing.assert_allclose(result["w1"] - result["w2"], turning * result.time, atol=1e-6)
    np.testing.assert_allclose(np.hypot(result["vx"], result["vy"]), forward * result.time, atol=1e-6)


def test_always_but_impossible():
    with pytest.raises(ModelError, match="cannot be a state") as error:
        instantiate(coupled(phi1="always", phi2="always"))
    assert error.value.path in ("phi1", "phi2")
    assert "phi1 = r*phi2" in error.value.found


def test_always_but_constant():
    model = Model(p=2.0, x=Var(), c=Var(state_select="always"), equations=["der(x) = -x*c", "c = p"])
    with pytest.raises(ModelError, match="cannot be a state") as error:
        instantiate(model)
    assert error.value.path == "c"


def test_a_state_that_must_be_none_is_refused_by_the_equation_that_needs_it():
    """Not by another one in which it occurs."""
    model = Model(x=Var(state_select="never"), y=Var(), z=Var(), equations=["y = x**2", "z = y + x", "der(x) = -x + y"])
    with pytest.raises(ModelError, match=r"x: the variable is needed as a state.*found 'der\(x\) = -x \+ y'"):
        instantiate(model)


def test_never_but_needed():
    model = Model(x=Var(state_select="never"), equations=["der(x) = -x"])
    with pytest.raises(ModelError, match="needed as a state") as error:
        instantiate(Model(tank=model), "Plant")
    assert error.value.path == "tank.x"
    assert "der(x) = -x" in error.value.found


def test_misspelled_wish():
    with pytest.raises(ModelError, match="alway") as error:
        instantiate(Model(x=Var(state_select="alway"), equations=["der(x) = -x"]))
    assert "'always'" in error.value.remedy


# -- nominal ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["cvode", "sundae", "scipy"])
def test_nominal_scales_the_absolute_tolerance(solver):
    """A state of magnitude 1e-9: with a nominal value of 1 the tolerance means nothing."""
    model = Model(x=Var(init=1e-9), v=Var(init=0.0), equations=["der(x) = v", "der(v) = -x"])
    expected = 1e-9 * math.cos(20.0)
    plain = instantiate(model | Map(x=Var(nominal=1.0), v=Var(nominal=1.0))).simulate(20.0, solver=solver)
    scaled = instantiate(model | Map(x=Var(nominal=1e-9), v=Var(nominal=1e-9))).simulate(20.0, solver=solver)
    assert abs(plain["x"][-1] - expected) > 1e-11
    assert abs(scaled["x"][-1] - expected) < 1e-12


@pytest.mark.parametrize("own", [None, 1e-9])
def test_nominal_of_an_alias(own):
    """It counts where the state has none of its own."""
    other = 1e-9 if own is None else 1.0
    model = Model(
        x=Var(init=1e-9, nominal=own), v=Var(init=0.0, nominal=own), y=Var(nominal=other), w=Var(nominal=other),
        equations=["der(x) = v", "der(v) = -x", "y = -x", "w = v"],
    )  # fmt: skip
    assert abs(instantiate(model).simulate(20.0)["x"][-1] - 1e-9 * math.cos(20.0)) < 1e-12


def test_the_derivative_of_a_variable_has_its_nominal_value():
    """Where it is a state, too: steps are those of a speed that has it itself."""
    model = Model(x=Var(init=0.0, nominal=1e-9), equations=["der(der(x)) = -x"])
    unnamed = instantiate(model | Model(initial_equations=["der(x) = 1e-9"]))
    named = instantiate(model | Model(v=Var(init=1e-9, nominal=1e-9), equations=["v = der(x)"]))
    assert (named.states, unnamed.states) == (("x", "v"), ("x", "der(x)"))
    results = [sim.simulate(20.0) for sim in (named, unnamed)]
    assert len({result.statistics["steps"] for result in results}) == 1
    assert abs(results[1]["der(x)"][-1] - 1e-9 * math.cos(20.0)) < 1e-12


def test_nominal_value_is_positive():
    with pytest.raises(ModelError, match="nominal") as error:
        instantiate(Model(x=Var(nominal=0.0), equations=["der(x) = -x"]))
    assert error.value.path == "x"


def test_inputs_and_discrete_variables_are_no_states_whatever_is_wished():
    """ "prefer" is a wish; what is given from outside, or changes at events only, cannot follow it."""
    model = Model(
        u=Var(input=True, start=3.0, state_select="prefer"),
        n=Var(start=1.0, state_select="prefer"),
        x=Var(init=0.0),
        equations=["der(x) = u + n", When("x > 2", ["n = pre(n) + 4"])],
    )
    sim = instantiate(model)
    assert sim.states == ("x",)
    result = sim.simulate(1.0)
    assert result["x"][-1] == pytest.approx(2.0 + 8.0 * 0.5, rel=1e-6)
