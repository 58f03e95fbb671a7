"""`EnergySensor`: what the equations see is what the result computes, with forces inside the engine and massless points."""

import numpy as np
import pytest

from modia3d import (
    ActionDelete,
    Bushing,
    EnergySensor,
    EventAfterPeriod,
    GravityPool,
    Model3D,
    ModelActions,
    Object3D,
    PointGravity,
    Revolute,
    RevoluteWithFlange,
    SpringDamperPtP,
    UniformGravity,
)
from modiapy import Var, instantiate

from ..scenes import body, free, world

pytestmark = pytest.mark.white_box


def chain(gravity):
    return {
        "world": world(gravity),
        "arm": body(center=(0.3, 0.0, 0.0)),
        "tip": Object3D(parent="arm", translation=(0.6, 0.0, 0.0)),
        "rev": RevoluteWithFlange("world", "arm", "z", w=Var(init=1.0)),
        "rod": body(center=(0.2, 0.1, 0.0)),
        "hinge": Revolute("tip", "rod", (1.0, 1.0, 0.0), w=0.5),
        "ball": free(translation=(1.5, 0.4, 0.3), velocity=(0.0, 0.5, 0.0), angular_velocity=(1.0, 0.0, 2.0)),
    }


SPRING = {"spring": SpringDamperPtP("tip", "ball", stiffness=30.0, nominal_length=0.5)}
BUSHING = {"bushing": Bushing("tip", "rod", (50, 50, 50), rotational_stiffness=(5, 5, 5))}
POINT = {
    "point": Object3D(parent="world", fixed_to_parent=False),
    "one": SpringDamperPtP("tip", "point", stiffness=60.0, nominal_length=0.05),
    "two": SpringDamperPtP("point", "ball", stiffness=90.0, nominal_length=0.05),
    "three": SpringDamperPtP("world", "point", stiffness=20.0, nominal_length=0.05),
}
DOWN = UniformGravity(n="-y")


@pytest.mark.parametrize("mode", ["ode", "dae"])
@pytest.mark.parametrize(
    ("gravity", "forces", "kept"),
    [
        (DOWN, {}, True),
        (DOWN, SPRING, True),
        (DOWN, SPRING | BUSHING, False),
        (DOWN, POINT, True),
        (DOWN, POINT | SPRING, True),
        (PointGravity(3.0, (0.0, -2.0, 0.0)), POINT, True),
        (GravityPool(G=0.05), SPRING, True),
    ],
    ids=["gravity", "spring", "bushing", "point", "point and spring", "point in a field", "pool"],
)
def test_equations_see_the_energy_of_the_result(gravity, forces, kept, mode):
    model = Model3D(**chain(gravity), **forces, e=EnergySensor())
    result = instantiate(model).simulate(1.0, tolerance=1e-9, interval=0.05, mode=mode)
    for name in ("kinetic", "potential"):
        assert result[f"e.{name}"] == pytest.approx(result[f"mechanics.{name}_energy"], abs=1e-9)
    total = result["e.kinetic"] + result["e.potential"]
    assert np.ptp(result["e.kinetic"]) > 0.3
    if kept:
        assert total == pytest.approx(np.full(len(total), total[0]), rel=5e-7)


def test_energy_without_a_flange_and_after_a_deletion():
    """The energy goes with what is deleted: the ball, and with it the springs of the point that is left with fewer than two."""

    def program(actions):
        EventAfterPeriod(actions, 0.5)
        ActionDelete(actions, "ball")

    parts = chain(DOWN) | {
        "rev": Revolute("world", "arm", "z", w=1.0),
        "ball": free(translation=(1.5, 0.4, 0.3), assembly_root=True),
    }
    model = Model3D(**parts, **POINT, e=EnergySensor(), actions=ModelActions(program))
    result = instantiate(model).simulate(1.0, tolerance=1e-9, interval=0.05)
    for name in ("kinetic", "potential"):
        assert result[f"e.{name}"] == pytest.approx(result[f"mechanics.{name}_energy"], abs=1e-9)
    total = result["e.kinetic"] + result["e.potential"]
    before, after = total[: np.argmax(result.time >= 0.5) + 1], total[result.time > 0.5]
    for part in (before, after):
        assert part == pytest.approx(np.full(len(part), part[0]), rel=5e-7)
    assert abs(after[0] - before[0]) > 1.0
