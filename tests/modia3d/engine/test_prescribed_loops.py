"""Motions that equations prescribe in a loop: more of them than degrees of freedom, which fit or contradict each other."""

import numpy as np
import pytest

from modia3d import Model3D, Object3D, Revolute, RevoluteWithFlange
from modiapy import Model, SimulationError, instantiate
from modiapy.library.rotational import Flange
from tests.modia3d.scenes import body, world

pytestmark = pytest.mark.white_box

LEAN = (0.3, 0.8, 0.0)
AHEAD = (1.0, 0.0, 0.0)


def parallelogram(*, beside=None, within="", **angles):
    """Two cranks and a coupler; these joints turn as they are told, by functions of time that begin with zero."""
    middle = tuple(0.5 * x for x in LEAN)
    made = {
        "world": world(),
        "foot": Object3D(parent="world", translation=AHEAD),
        "crank": body(center=middle),
        "coupler": body(center=(0.5, 0.0, 0.0)),
        "rocker": body(center=middle),
        "crank_tip": Object3D(parent="crank", translation=LEAN),
        "coupler_tip": Object3D(parent="coupler", translation=AHEAD),
        "rocker_tip": Object3D(parent="rocker", translation=LEAN),
        "connect": [],
    }
    ends = {
        "motor": ("world", "crank"),
        "knee": ("crank_tip", "coupler"),
        "pivot": ("foot", "rocker"),
        "pin": ("coupler_tip", "rocker_tip"),
    }
    for name, (one, two) in ends.items():
        made[name] = RevoluteWithFlange(one, two) if name in angles else Revolute(one, two)
    for name, angle in angles.items():
        made[f"of_{name}"] = Model(flange=Flange, equations=[f"flange.phi = {angle}"])
        made["connect"].append((f"of_{name}.flange", f"{name}.flange"))
    model = Model3D(**made, **(beside or {}))
    return instantiate(Model(**{within: model}) if within else model)


@pytest.mark.parametrize("mode", ["ode", "dae"])
@pytest.mark.parametrize("other", ["pivot", "knee"])
def test_two_prescribed_motions_that_fit_are_followed(mode, other):
    sign = -1.0 if other == "knee" else 1.0
    result = parallelogram(motor="0.3*time**2", **{other: f"{sign}*0.3*time**2"}).simulate(1.0, tolerance=1e-8, mode=mode)
    assert result["pin.phi"] == pytest.approx(0.3 * result.time**2, abs=1e-9)
    assert np.abs(result["mechanics.constraint_residual"]).max() < 1e-12


@pytest.mark.parametrize("pivot", ["0.301*time**2", "0.3*time**2 + 1e-3*time**3", "0.3*time**2 + 1e-3*sin(time)**4"])
def test_those_that_contradict_each_other_are_named(pivot):
    """From the beginning with different accelerations, or ones that part later: positions or accelerations tell first."""
    with pytest.raises(SimulationError) as caught:
        parallelogram(motor="0.3*time**2", pivot=pivot).simulate(1.0, tolerance=1e-8)
    error = str(caught.value)
    assert "motor, pivot" in error
    assert "motions that equations" in error
    assert "mechanics." not in error


def test_others_are_not_named():
    """Joints with a flange that hang beside the loop."""
    beside = {"vane": body(center=LEAN), "hinge": RevoluteWithFlange("world", "vane"), "tail": body(center=LEAN)}
    beside |= {"bend": RevoluteWithFlange("vane", "tail")}
    with pytest.raises(SimulationError) as caught:
        parallelogram(motor="0.3*time**2", pivot="0.301*time**2", beside=beside, within="cell").simulate(1.0, tolerance=1e-8)
    assert "prescribe for cell.motor, cell.pivot contradict each other" in str(caught.value)


def another_loop():
    """Four bars that nothing drives and that stay closed, beside the others."""
    return {
        "left": Object3D(parent="world", translation=(0.0, 0.0, 1.0)),
        "right": Object3D(parent="world", translation=(1.0, 0.0, 1.0)),
        **{name: body(center=(0.5, 0.0, 0.0)) for name in ("bar_a", "bar_b", "bar_c")},
        **{f"{name}_end": Object3D(parent=name, translation=AHEAD) for name in ("bar_a", "bar_b", "bar_c")},
        "joint_a": Revolute("left", "bar_a", phi=1.0, w=0.1),
        "joint_b": Revolute("bar_a_end", "bar_b", phi=-1.0),
        "joint_c": Revolute("right", "bar_c", phi=1.0),
        "joint_d": Revolute("bar_b_end", "bar_c_end", cut=True),
    }


TELLS = {"closed": ("scipy", 1e-9), "followed": ("chebyshev", 1e-3)}
"""Of the two messages each that of this integrator and tolerance: how far it tries to go where the positions end."""


@pytest.mark.parametrize("told", TELLS)
@pytest.mark.parametrize("first", [{}, another_loop()], ids=["alone", "with another loop"])
def test_the_end_of_what_can_be_reached_is_named(first, told):
    """The crank is driven to where knee and pin are farthest apart, and on."""
    tip = np.array((np.cos(0.8), np.sin(0.8), 0.0))
    made = {
        "world": world(),
        **first,
        "foot": Object3D(parent="world", translation=(1.2, 0.0, 0.0)),
        "crank": body(center=tuple(0.5 * tip)),
        "crank_tip": Object3D(parent="crank", translation=tuple(tip)),
        "coupler": body(center=(0.5, 0.0, 0.0)),
        "coupler_tip": Object3D(parent="coupler", translation=AHEAD),
        "rocker": body(center=(0.25, 0.0, 0.0)),
        "rocker_tip": Object3D(parent="rocker", translation=(0.5, 0.0, 0.0)),
        "motor": RevoluteWithFlange("world", "crank"),
        "knee": Revolute("crank_tip", "coupler", phi=-0.7),
        "pivot": Revolute("foot", "rocker", phi=1.0),
        "pin": Revolute("coupler_tip", "rocker_tip", cut=True),
        "drive": Model(flange=Flange, equations=["flange.phi = 0.5*time"]),
        "connect": [("drive.flange", "motor.flange")],
    }
    solver, tolerance = TELLS[told]
    with pytest.raises(SimulationError, match=f"a loop cannot be {told}") as caught:
        instantiate(Model(cell=Model3D(**made))).simulate(10.0, solver=solver, tolerance=tolerance)
    assert caught.value.path == "cell.pin"
    # the coupler and the rocker are in line there: a triangle of 1, 1.2 and 1 + 0.5 m
    reached = np.arccos((1.0 + 1.2**2 - 1.5**2) / (2.0 * 1.2))
    assert caught.value.time == pytest.approx((reached - 0.8) / 0.5, abs=1e-3)
    assert "in the loop: knee, motor, pivot; fixed: motor. " in str(caught.value)
    assert "joint_" not in str(caught.value)


def test_speeds_that_contradict_each_other_are_refused_at_the_start():
    with pytest.raises(SimulationError, match=r"what is left of the speeds.*fixed: motor, pivot") as caught:
        parallelogram(motor="time", pivot="2*time").simulate(1.0)
    assert caught.value.time == 0.0
