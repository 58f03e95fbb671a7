"""What a user of scenes is told names what the user wrote, and what works."""

from __future__ import annotations

import re
from contextlib import nullcontext as nothing
from typing import Any

import numpy as np
import pytest

import modia3d
from modia3d import (
    Box,
    Bushing,
    EventAfterPeriod,
    Fix,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    SpringDamperPtP,
    UniformGravity,
    WorldForce,
    addReferencePath,
    ptpJointSpace,
)
from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library import rotational
from modiapy.symbolic.flattening.evaluate import evaluate
from modiapy.symbolic.flattening.flatten import flatten

pytestmark = pytest.mark.white_box

WORLD = Object3D(feature=Scene(gravity=NoGravity()))
BODY = Object3D(feature=Solid(Box(1.0, 0.1, 0.1), "Steel"))
PATH: dict[str, Any] = {"names": ["a"], "position": [0.0], "v_max": [1.0], "a_max": [1.0]}


def forgets(actions: Any) -> Any:
    addReferencePath(actions, **PATH)
    yield ptpJointSpace(actions, [[1.0]])


def too_late(actions: Any) -> Any:
    yield EventAfterPeriod(actions, 0.5)
    yield addReferencePath(actions, **PATH)


def right(actions: Any) -> Any:
    yield addReferencePath(actions, **PATH)
    yield ptpJointSpace(actions, [[1.0]])


def test_a_path_that_was_not_yielded() -> None:
    def model(program: Any) -> Model:
        return Model3D(world=WORLD, actions=ModelActions(program), x=Var("actions.a.position"))

    for program in (forgets, too_late):
        with pytest.raises(ModelError, match=r"declares no reference path 'a'.*in a generator it is yielded"):
            instantiate(model(program))
    assert instantiate(model(right)).simulate(4.0)["x"][-1] == pytest.approx(1.0)


def test_only_signals_of_the_program_are_explained_by_its_paths() -> None:
    for name in ("rod.position", "actiona.a.position", "a.velocity", "actions.a.positions"):
        with pytest.raises(ModelError) as caught:
            instantiate(Model3D(world=WORLD, rod=BODY, actions=ModelActions(right), x=Var(name)))
        assert name in str(caught.value)
        assert "reference path" not in str(caught.value)


def test_a_loop_may_be_rigid_or_soft() -> None:
    tip = Object3D(parent="rod", translation=(0.5, 0, 0))
    model = Model3D(world=WORLD, rod=BODY, tip=tip, hinge=Revolute("world", "rod", "z"), closing=Fix(obj1="tip", obj2="goal"))
    model |= Model(goal=Object3D(parent="world", translation=(0.5, 0, 0)))
    pushed = Model(push=WorldForce("tip", force=(0.0, 100.0, 0.0)))
    closed = instantiate(model | pushed).simulate(1.0)
    assert closed.segments[0].info["dof"] == 0
    assert abs(closed["tip.r_abs"][:, 1]).max() < 1e-12
    held = model | Map(closing=None) | Model(closing=Bushing("goal", "tip", stiffness=(1e4,) * 3, damping=(10.0,) * 3))
    result = instantiate(held | pushed).simulate(5.0)
    assert abs(result["tip.r_abs"][-1, 1]) < 0.02


def test_a_locked_joint_is_called_by_its_name() -> None:
    model = Model3D(world=WORLD, rod=BODY, hinge=RevoluteWithFlange("world", "rod", limits=(-1, 1)))
    equations = [str(equation) for equation in flatten(evaluate(model)).equations]
    assert any("hinge.locked*der(hinge.w)" in text for text in equations)
    assert not [text for text in equations if "locked0" in text]
    sliding = Model3D(world=WORLD, rod=BODY, slide=PrismaticWithFlange("world", "rod", limits=(-1, 1)))
    for made, unit in ((model, "N.m"), (sliding, "N")):
        variables = flatten(evaluate(made)).variables
        kinds = ("constraint_torque", "constraint_force")
        assert [str(variables[name].unit) for name in variables if name.endswith(kinds)] == [unit]


def test_forces_in_a_modifier_mean_the_model_where_it_is_written() -> None:
    body = Object3D(parent="world", fixed_to_parent=False, feature=Solid(Box(1, 1, 1), "Steel"))
    part = Model(c=1.0, body=body, gust=WorldForce("body", force=("c*cos(time)", 0, 0)))
    for change, factor in ((Map(), 1.0), (Map(gust=Map(force=("2*c", 0, 0))), 6.0)):
        model = Model3D(world=WORLD, c=3.0, part=part | change)
        with pytest.warns(UserWarning, match="where it is written") if factor == 6.0 else nothing():
            result = instantiate(model).simulate(0.1)
        assert result["part.gust.force.x"][0] == factor


FRAME, SYSTEM = ("r", "R", "v", "w", "a", "z"), ("kinetic_energy", "potential_energy")
POWERS = ("power", "drive_power", "force_power", "dissipated_power")
RESULTS = (
    *(f"ball.{q}_abs" for q in FRAME),
    "hinge.cut_force",
    "hinge.cut_torque",
    *(f"mechanics.{q}" for q in SYSTEM + POWERS),
)


def test_the_sensor_that_a_message_names_says_what_the_result_says() -> None:
    """Written as the message says, with the first element of what is a vector or a matrix."""
    parts = {
        "world": Object3D(feature=Scene(gravity=UniformGravity(9.81, "-y"))),
        "rod": BODY,
        "hinge": RevoluteWithFlange("world", "rod", (1.0, 2.0, 3.0), w=Var(init=2.0)),
        "spring": rotational.Spring | Map(c=5.0),
        "wall": rotational.Fixed | Map(phi0=1.0),
        "ball": Object3D(parent="world", fixed_to_parent=False, rotation=(0.3, 0.2, 0.1), feature=BODY["feature"]),
        "rope": SpringDamperPtP("rod", "ball", stiffness=9.0, damping=1.0, nominal_length=0.1),
        "push": WorldForce("ball", ("sin(time)", "2.0", "-time")),
        "connect": [("wall.flange", "spring.flange_a"), ("spring.flange_b", "hinge.flange")],
    }
    parts["ball"] |= Map(translation=(0.4, -0.5, 0.6), velocity=(0.3, 0.2, 0.5), angular_velocity=(0.5, 2.0, -1.0))
    asked = {}
    for k, name in enumerate(RESULTS):
        index = {"R_abs": "[0,0]"}.get(name.rpartition(".")[2], "" if "mechanics" in name else "[0]")
        with pytest.raises(ModelError) as caught:
            instantiate(Model3D(**parts, x=Var(f"{name}{index}")))
        found = re.search(r"It is a result; equations need a sensor: s = (\w+)\((.*)\), s\.([\w.]+)\.$", str(caught.value))
        assert found is not None, str(caught.value)
        given = dict(item.split("=") for item in found[2].split(", ") if "=" in item)
        names = [item for item in found[2].split(", ") if item and "=" not in item]
        values = {key: value.strip("'") for key, value in given.items()}
        sensor = getattr(modia3d, found[1])(*(value.strip("'") for value in names), **values)
        asked |= {f"s{k}": sensor, f"x{k}": Var(f"s{k}.{found[3]}")}
    result = instantiate(Model3D(**parts, **asked)).simulate(0.3, tolerance=1e-9)
    for k, name in enumerate(RESULTS):
        expected = result[name].reshape(len(result.time), -1)[:, 0]
        assert np.abs(expected).max() > 1e-3, name
        assert result[f"x{k}"] == pytest.approx(expected, abs=1e-8 * max(1.0, np.abs(expected).max())), name
