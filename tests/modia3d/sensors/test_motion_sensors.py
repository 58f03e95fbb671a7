"""Sensors against result signals, against each other, against differences in time, and across changes of structure."""

import math

import numpy as np
import pytest

from modia3d import (
    AbsoluteSensor,
    ActionAttach,
    ActionDelete,
    ActionRelease,
    Box,
    Distance,
    EventAfterPeriod,
    MassProperties,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    RelativeSensor,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    WorldForce,
)
from modiapy import ModelError, Var, instantiate

from ..scenes import vector

pytestmark = pytest.mark.white_box

ALL = ("r", "R", "angles", "quaternion", "v", "w", "a", "z")


def body(center=(0.0, 0.0, 0.0), **fields):
    properties = MassProperties(1.0, center, 0.1, 0.2, 0.15)
    return Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), mass_properties=properties), **fields)


def system(**more):
    return Model3D(
        world=Object3D(feature=Scene()),
        a=body((0.3, 0.0, 0.0)),
        b=body((0.2, 0.1, 0.0)),
        a_end=Object3D(parent="a", translation=(0.5, 0.1, 0.0), rotation=(0.3, -0.2, 0.5)),
        tip=Object3D(parent="b", translation=(0.4, 0.2, 0.1), rotation=(-0.1, 0.4, 0.2)),
        rev=RevoluteWithFlange("world", "a", axis="z", w=Var(init=0.7)),
        passive=Revolute("a_end", "b", axis=(1.0, 1.0, 0.0), w=0.5),
        loose=body(parent="world", fixed_to_parent=False, translation=(1.0, 2.0, 0.5), angular_velocity=(0.3, 0.2, -0.5)),
        push=WorldForce("tip", ("sin(time)", 0.3, "0.1*time")),
        **more,
    )


def simulate(stop_time=0.5, points=500, **more):
    return instantiate(system(**more)).simulate(stop_time, tolerance=1e-11, interval=stop_time / points)


def matrix(result, name):
    return np.stack([np.stack([result[f"{name}.R.{i}{j}"] for j in "xyz"], -1) for i in "xyz"], -2)


def slope(values, time):
    """Derivatives of fourth order in the interior."""
    h = time[1] - time[0]
    return (values[:-4] - 8.0 * values[1:-3] + 8.0 * values[3:-1] - values[4:]) / (12.0 * h)


def test_absolute_sensors_are_the_result_signals():
    result = simulate(
        world_s=AbsoluteSensor("tip", quantities=ALL), own=AbsoluteSensor("tip", "tip", quantities=("r", "v", "w", "a", "z"))
    )
    R = result["tip.R_abs"]
    assert matrix(result, "world_s") == pytest.approx(R, abs=1e-12)
    for name, signal in {"r": "r_abs", "v": "v_abs", "w": "w_abs", "a": "a_abs", "z": "z_abs"}.items():
        assert vector(result, f"world_s.{name}") == pytest.approx(result[f"tip.{signal}"], abs=1e-9)
        here = np.einsum("tji,tj->ti", R, result[f"tip.{signal}"])
        assert vector(result, f"own.{name}") == pytest.approx(here, abs=1e-9)


@pytest.mark.parametrize("resolved_in", [None, "", "a", "tip"])
def test_each_level_is_the_derivative_of_the_level_below(resolved_in):
    """Seen from the moving frame 1, and the compiler's derivatives in whatever frame the vector is resolved."""
    result = simulate(
        s=RelativeSensor("loose", "tip", resolved_in, quantities=ALL),
        turn=RelativeSensor("loose", "tip", quantities=("w",)),
        dr=Var("der(s.r.x)"),
        dv=Var("der(s.v.y)"),
        ddr=Var("der(dr)"),
        dw=Var("der(s.w.z)"),
        dR=Var("der(s.R.yz)"),
        dangle=Var("der(s.angles.y)"),
        dq=Var("der(s.quaternion.x)"),
    )
    pairs = (("s.r.x", "dr"), ("s.v.y", "dv"), ("dr", "ddr"), ("s.w.z", "dw"), ("s.R.yz", "dR"), ("s.angles.y", "dangle"))
    for below, above in (*pairs, ("s.quaternion.x", "dq")):
        expected = result[above][2:-2]
        assert slope(result[below], result.time) == pytest.approx(expected, abs=2e-6 * max(1.0, np.abs(expected).max())), above
    R_12 = matrix(result, "s")
    assert pytest.approx(np.einsum("tji,tjk->tik", result["loose.R_abs"], result["tip.R_abs"]), abs=1e-12) == R_12


def test_the_resolving_frame_turns_components_only():
    result = simulate(
        one=RelativeSensor("loose", "tip", quantities=("r", "w")),
        other=RelativeSensor("loose", "tip", "a", quantities=("r", "w")),
    )
    R = np.einsum("tji,tjk->tik", result["a.R_abs"], result["loose.R_abs"])
    for name in ("r", "v", "a", "w", "z"):
        turned = np.einsum("tij,tj->ti", R, vector(result, f"one.{name}"))
        assert vector(result, f"other.{name}") == pytest.approx(turned, abs=1e-9)


def test_distance_and_its_derivatives():
    result = simulate(d=Distance("tip", "loose"), dv=Var("der(d.s)"), da=Var("der(dv)"))
    distance = np.linalg.norm(result["tip.r_abs"] - result["loose.r_abs"], axis=1)
    assert result["d.s"] == pytest.approx(distance, abs=1e-12)
    assert result["dv"] == pytest.approx(result["d.v"], abs=1e-12)
    assert result["da"] == pytest.approx(result["d.a"], abs=1e-9)
    assert slope(distance, result.time) == pytest.approx(result["dv"][2:-2], abs=1e-6)
    assert slope(result["dv"], result.time) == pytest.approx(result["da"][2:-2], abs=1e-6)


def test_a_trace_of_sensors_goes_through_changes_of_structure():
    """A thrown body is caught and let go; its sensors, one of them of a controller, go on without a new compilation."""

    def program(actions):
        ActionAttach(actions, "hook", "dock")
        EventAfterPeriod(actions, 0.4)
        ActionRelease(actions, "hook")
        EventAfterPeriod(actions, 0.3)
        ActionDelete(actions, "other")

    upside_down = (math.pi, 0.0, 0.0)
    simulation = instantiate(
        Model3D(
            world=Object3D(feature=Scene(gravity=NoGravity())),
            dock=Object3D(parent="world", lockable=True),
            box=body(assembly_root=True),
            hook=Object3D(parent="box", rotation=upside_down, lockable=True),
            other=body(
                parent="world", fixed_to_parent=False, translation=(1.0, 0.0, 0.0), velocity=(0.0, 1.0, 0.0), assembly_root=True
            ),
            s=AbsoluteSensor("hook", quantities=("r", "a")),
            d=RelativeSensor("hook", "other", "", quantities="r"),
            push=WorldForce("box", (2, 0, "-3*s.v.z")),
            actions=ModelActions(program),
        )
    )
    result = simulation.simulate(1.0, tolerance=1e-10)
    assert result.statistics["compilations_after_start"] == 0
    held, loose = (result.time > 0.0) & (result.time < 0.4), result.time > 0.4
    assert vector(result, "s.a")[held] == pytest.approx(np.zeros((held.sum(), 3)), abs=1e-12)
    assert result["s.a.x"][loose] == pytest.approx(np.full(loose.sum(), 2.0), abs=1e-9)
    assert result["s.r.x"][loose] == pytest.approx((result.time[loose] - 0.4) ** 2, abs=1e-8)
    there, gone = result.time < 0.7, result.time > 0.7
    assert result["d.r.y"][there] == pytest.approx(result.time[there], abs=1e-8)
    assert np.isnan(result["d.r.y"][gone]).all()


def test_equations_go_on_with_what_was_deleted():
    """A controller that brakes a body goes on without it; the other sensor says that nothing is there."""

    def program(actions):
        EventAfterPeriod(actions, 0.4)
        ActionDelete(actions, "box")

    rest = AbsoluteSensor("box", "box", quantities=("r", "v", "w", "R"), rest_when_deleted=True)
    result = instantiate(
        Model3D(
            world=Object3D(feature=Scene(gravity=NoGravity())),
            box=body(
                parent="world",
                fixed_to_parent=False,
                velocity=(1.0, 0.0, 0.0),
                angular_velocity=(0.0, 0.0, 0.5),
                assembly_root=True,
            ),
            s=rest,
            other=AbsoluteSensor("box", quantities=("v",)),
            travelled=Var(init=0.0),
            brake=WorldForce("box", ("-2*s.v.x", 0, 0), resolved_in="box"),
            equations=["der(travelled) = s.v.x"],
            actions=ModelActions(program),
        )
    ).simulate(1.0, tolerance=1e-9)
    there, gone = result.time < 0.4, result.time > 0.4
    assert np.isnan(result["other.v.x"][gone]).all()
    for name in ("r", "v", "w"):
        assert vector(result, f"s.{name}")[gone] == pytest.approx(np.zeros((gone.sum(), 3)), abs=0.0)
    assert matrix(result, "s")[gone] == pytest.approx(np.tile(np.eye(3), (gone.sum(), 1, 1)), abs=0.0)
    assert np.abs(result["s.v.x"][there]).min() > 0.1
    assert np.ptp(result["travelled"][gone]) == 0.0


def test_rest_when_deleted_is_true_or_false():
    with pytest.raises(ModelError, match="rest_when_deleted of AbsoluteSensor is wrong; found 2"):
        instantiate(system(s=AbsoluteSensor("tip", rest_when_deleted=2)))
