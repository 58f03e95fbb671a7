"""What an impact makes of a scene must not depend on how the scene is written: units, root, order of declaration."""

import numpy as np
import pytest

from modia3d import ActionLock, ActionWait, ModelActions, Object3D, Prismatic, Revolute, RevoluteWithFlange
from modiapy import Var
from tests.modia3d.scenes import body, energy, free, run, world

pytestmark = pytest.mark.white_box


def program(actions):
    ActionWait(actions, 0.3)
    ActionLock(actions, "wrist", on_contact="impulse")


def scene(length=1.0, mass=1.0, *, root="one", backwards=False):
    """Four bodies in flight: a slide runs into its stop, a hinge rests at a stop, a brake closes soon after."""

    def inertia(*moments):
        return tuple(mass * length**2 * moment for moment in moments)

    def at(*place):
        return tuple(length * x for x in place)

    entries = {
        "world": world(),
        "one": free(
            mass=2.0 * mass, inertia=inertia(0.1, 0.2, 0.25), velocity=at(0.3, 0.0, 0.1), angular_velocity=(0.2, 0.4, -0.3)
        ),
        "two": body(1.5 * mass, inertia(0.2, 0.1, 0.15), at(0.1, 0.2, 0.1)),
        "three": body(0.7 * mass, inertia(0.05, 0.1, 0.12), at(0.3, -0.1, 0.05), assembly_root=root == "three"),
        "four": body(0.4 * mass, inertia(0.02, 0.03, 0.04), at(0.2, 0.1, -0.1)),
        "tip": Object3D(parent="two", translation=at(0.4, 0.1, 0.2), rotation=(0.3, -0.2, 0.5)),
        "slide": Prismatic("one", "two", (1.0, 2.0, -0.5), v=0.8 * length, limits=(-length, 0.1 * length)),
        "hinge": Revolute("tip", "three", "z", limits=(0.0, 1.0)),
        "wrist": RevoluteWithFlange("three", "four", (0.3, 1.0, 0.2), w=Var(init=-1.5), lockable=True),
        "actions": ModelActions(program),
    }
    items = list(entries.items())
    return dict(reversed(items) if backwards else items)


def outcome(length=1.0, mass=1.0, **written):
    """Energies lost and motion after the impacts, in units of the scene that is one metre and one kilogram."""
    result = run(0.5, tolerance=1e-11, **scene(length, mass, **written))
    changes = [record for record in result.segments if "energy_lost" in record.info]
    lost = [record.info["energy_lost"] / (mass * length**2) for record in changes]
    after = [result.segment(1 + list(result.segments).index(record)) for record in changes]
    motion = [
        np.concatenate([segment["four.v_abs"][0] / length, segment["four.w_abs"][0], segment["one.v_abs"][0] / length])
        for segment in after
    ]
    gone = [energy(result.segment(k))[-1] - energy(result.segment(k + 1))[0] for k in range(1, len(result.segments))]
    assert sum(gone) / (mass * length**2) == pytest.approx(sum(lost), rel=1e-7)
    for name in ("mechanics.momentum", "mechanics.angular_momentum"):  # nothing acts from outside
        unit = mass * length ** (1 if name.endswith(".momentum") else 2)
        assert np.ptp(result[name] / unit, axis=0) == pytest.approx([0.0, 0.0, 0.0], abs=1e-8)
    return (
        np.array(lost),
        np.array(motion),
        [sorted(event.split(" = ")[0] for event in record.cause.split("; ")[:-1]) for record in changes],
    )


@pytest.mark.parametrize(
    "written",
    [{"length": 1e3}, {"length": 1e-3, "mass": 1e-3}, {"root": "three"}, {"backwards": True}],
    ids=["kilometres", "grams and millimetres", "root", "order"],
)
def test_the_outcome_is_that_of_the_scene_in_metres(written):
    lost, motion, causes = outcome()
    assert len(lost) == 2
    assert (lost > 1e-3).all()
    other_lost, other_motion, other_causes = outcome(**written)
    assert other_causes == causes
    assert other_lost == pytest.approx(lost, rel=1e-6)
    assert other_motion == pytest.approx(motion, abs=1e-6)
