"""What `init` says of a variable that others stand for holds at the beginning, or is refused."""

import numpy as np
import pytest

from modia3d import Box, Model3D, NoGravity, Object3D, RevoluteWithFlange, Scene, Solid
from modiapy import Map, Model, ModelError, ModiaError, SimulationError, Var, instantiate
from modiapy.library.rotational import Fixed, Inertia
from modiapy.model.model import DefaultInit, FoundInit

pytestmark = pytest.mark.white_box

PENDULUM = Model(
    x=Var(init=0.6), y=Var(start=-0.5), vx=Var(), vy=Var(), force=Var(),
    equations=[
        "der(x) = vx", "der(y) = vy", "der(vx) = -force*x", "der(vy) = -force*y - 9.81", "x**2 + y**2 = 1",
    ],
)  # fmt: skip
BEGIN = {"x": 0.6, "y": -0.8, "vx": 1.0, "vy": 0.75}
"""On the circle with speed 1 to the right: vx*x + vy*y = 0."""


@pytest.mark.parametrize(
    ("equation", "init"),
    [("w = vx", 1.0), ("w = -vx", -1.0), ("0 = w + vx", -1.0), ("vx = w", 1.0), ("w = der(x)", 1.0), ("-w = der(x)", -1.0),
     ("w = 2*vx", 2.0), ("w = vx + x", 1.6), ("w = vy", 0.75), ("w = -vy", -0.75)],
)  # fmt: skip
def test_init_of_an_alias_of_a_constrained_state(equation, init):
    result = instantiate(PENDULUM | Map(w=Var(init=init), equations=[equation])).simulate(0.1)
    assert {name: result[name][0] for name in BEGIN} == pytest.approx(BEGIN, abs=1e-9)
    assert result["w"][0] == pytest.approx(init, abs=1e-9)


@pytest.mark.parametrize(("w", "expected"), [(1.0, BEGIN), (-1.0, BEGIN | {"vx": -1.0, "vy": -0.75})])
def test_init_of_an_alias_may_be_merged(w, expected):
    model = instantiate(PENDULUM | Map(w=Var(init=0.1), equations=["w = vx"]))
    result = model.simulate(0.1, merge=Map(w=Var(init=w)))
    assert {name: result[name][0] for name in BEGIN} == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("equations", [["w = y"], ["w = -u", "u = -y"], ["y = w"]])
def test_init_of_an_alias_of_a_position(equations):
    extra = Map(w=Var(init=-0.8), u=Var(), x=Var(init=None, start=0.5), equations=equations)
    extra = extra if "u" in str(equations) else extra | Map(equations=["u = w"])
    result = instantiate(PENDULUM | extra).simulate(0.1)
    assert result["x"][0] == pytest.approx(0.6, abs=1e-12)
    assert result["w"][0] == result["y"][0] == -0.8


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (PENDULUM | Map(w=Var(init=1.0), u=Var(init=0.5), equations=["w = vx", "u = vx"]), ("w", "u")),
        (PENDULUM | Map(w=Var(init=1.0), u=Var(init=1.0), equations=["w = vx", "u = -vx"]), ("w", "u")),
        (PENDULUM | Map(w=Var(init=1.0), u=Var(init=0.5), equations=["w = vx", "u = vy"]), ("vx", "vy")),
        (PENDULUM | Map(w=Var(init=0.5), equations=["w = y"]), ("y",)),
        (Model(u=Var(input=True, start=1.0), y=Var(init=7.0), x=Var(), equations=["y = u", "der(x) = -x"]), ("y",)),
        (Model(u=Var(input=True, start=1.0), y=Var(init=1.0), x=Var(), equations=["y = -u", "der(x) = -x"]), ("y",)),
        (Model(u=Var(input=True, init=7.0), x=Var(), equations=["der(x) = -u"]), ("u",)),
        (Model(x=Var(init=1.0), y=Var(), w=Var(init=2.0), equations=["x + y = time", "der(x) + 3*der(y) = 1", "w = y"]),
         ("w",)),
        (Model(x=Var(init=[1.0, 2.0]), y=Var(), w=Var(init=[2.0, 4.0]), equations=["der(x) = -x", "y = 2*x", "w = -y"]),
         ("w",)),
    ],
)  # fmt: skip
def test_init_that_cannot_hold_is_refused_by_name(model, named):
    with pytest.raises(ModiaError) as error:
        instantiate(model).simulate(0.1)
    assert all(name in str(error.value) for name in named)
    assert "contradict" in str(error.value)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_dummy_that_stands_for_an_alias(sign):
    model = Model(x=Var(), y=Var(), w=Var(init=2.0), equations=["x + y = time", "der(x) + 3*der(y) = 1", f"w = {sign}*y"])
    result = instantiate(model).simulate(1.0)
    assert result["w"][0] == pytest.approx(2.0, abs=1e-12)
    np.testing.assert_allclose(result["y"], sign * 2.0, atol=1e-9)  # x + y = t and x' + 3 y' = 1 leave y at rest
    np.testing.assert_allclose(result["x"], result.time - sign * 2.0, atol=1e-9)


@pytest.mark.parametrize("relative", [1e-5, -1e-4, 0.1])
def test_an_initial_value_contradicts_by_more_than_the_equations_are_solved_to(relative):
    """y is no state: its initial value is what the equations make of x, to a millionth."""

    def model(factor):
        return Model(x=Var(init=1.0), y=Var(init=2.0 * factor), equations=["der(x) = -x", "y = x + x**2"])

    assert instantiate(model(1.0 + 1e-9)).simulate(0.0)["y"][0] == 2.0
    with pytest.raises(SimulationError, match=r"y: .*contradicts the equations.*expected 2.0"):
        instantiate(model(1.0 + relative)).simulate(0.0)


@pytest.mark.parametrize("phi", [None, Var()])
def test_init_of_a_drive_is_that_of_a_joint_for_which_nobody_gives_one(phi):
    """A joint that begins at 0 by default gives way; one that the user gives another value is refused."""

    def shaft(phi, w):
        return Model3D(
            world=Object3D(feature=Scene(gravity=NoGravity())),
            arm=Object3D(feature=Solid(Box(0.1, 0.1, 0.1), "Steel")),
            bearing=RevoluteWithFlange("world", "arm", "x", phi=phi, w=w),
            rotor=Inertia | Map(J=1.0, phi=Var(init=0.5), w=Var(init=2.0)),
            connect=[("rotor.flange_b", "bearing.flange")],
        )

    result = instantiate(shaft(phi, phi)).simulate(1.0)
    assert result["bearing.phi"][[0, -1]] == pytest.approx([0.5, 2.5], abs=1e-9)
    with pytest.raises(ModelError, match=r"initial values of 'rotor.w' and 'bearing.w' contradict"):
        instantiate(shaft(phi, Var(init=0.0)))


@pytest.mark.parametrize("sign", [1, -1])
def test_init_of_what_is_constant_is_its_value_whatever_is_merged(sign):
    """To the digits in which numbers are equal; y is x, or minus it, and has the value of a parameter."""
    equations = ["y = p", f"x = {'-' * (sign < 0)}y", "der(z) = x"]
    sim = instantiate(Model(p=2.0, x=Var(init=2.0 * sign), y=Var(), z=Var(init=0.0), equations=equations))
    assert sim.simulate(1.0, merge=Map(p=3.0, x=Var(init=3.0 * sign)))["z"][-1] == pytest.approx(3.0 * sign)
    assert sim.simulate(0.0, merge=Map(x=Var(init=2.0 * sign * (1.0 + 1e-12))))["x"][0] == 2.0 * sign
    for changed in (Map(p=3.0), Map(x=Var(init=2.0 * sign * (1.0 + 1e-6)))):
        with pytest.raises(
            ModelError, match=r"contradicts the equations; found init=-?2\.0.*because the equations say x"
        ) as error:
            sim.simulate(0.0, merge=changed)
        assert error.value.path == "x"
        with pytest.raises(ModelError, match=r"contradicts the equations"):
            instantiate(Model(p=2.0, x=Var(init=2.0 * sign), y=Var(), z=Var(init=0.0), equations=equations) | changed)


@pytest.mark.parametrize("kind", [DefaultInit, FoundInit])
def test_what_is_constant_contradicts_no_default(kind):
    model = Model(p=2.0, x=Var(init=kind(1.0)), z=Var(init=0.0), equations=["x = p", "der(z) = x"])
    assert instantiate(model).simulate(1.0)["z"][-1] == pytest.approx(2.0)


def test_a_joint_may_be_held_at_any_angle():
    parts = {"world": Object3D(feature=Scene()), "arm": Object3D(feature=Solid(Box(0.1, 0.1, 0.1), "Steel"))}
    joint = RevoluteWithFlange("world", "arm", "x")
    model = Model3D(**parts, rev=joint, wall=Fixed | Map(phi0=0.5), connect=[("wall.flange", "rev.flange")])
    result = instantiate(model).simulate(0.1)
    assert (result["rev.phi"][0], result["rev.phi"][-1], result["rev.w"][-1]) == (0.5, 0.5, 0.0)


@pytest.mark.parametrize(
    ("said", "found"), [({"start": -1.0}, -2.0), ({"init": -2.0}, -2.0), ({"init": 2.0, "start": 1.0}, 2.0)]
)
def test_an_iteration_begins_at_the_start_value_and_else_at_the_initial_one(said, found):
    """Which has to be the solution."""
    assert instantiate(Model(x=Var(**said), equations=["x*x = 4"])).simulate(0.1)["x"][-1] == pytest.approx(found)
    with pytest.raises(SimulationError, match=r"found init=-2.0; expected 2.0"):
        instantiate(Model(x=Var(init=-2.0, start=1.0), equations=["x*x = 4"])).simulate(0.1)
