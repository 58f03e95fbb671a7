"""A solid of several convex parts is one solid: its contacts are one, with the sum of what its parts do."""

import numpy as np
import pytest

from modia3d import (
    ActionDelete,
    Box,
    ContactPair,
    ContactSensor,
    EventAfterPeriod,
    MassProperties,
    Mesh,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Scene,
    Solid,
    Sphere,
    UniformGravity,
)
from modiapy import instantiate

FACES = "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
G, TILT, HALF = 9.81, 0.5, 0.1
PARTS = {"low": ((0.0, -1.0, -0.5), (2.0, 2.0, 0.5)), "side": ((-0.5, -1.0, 0.0), (0.5, 2.0, 2.0))}
"""Lowest corner and size of a floor z < 0, and of a wall x < 0."""


@pytest.fixture(scope="module")
def corner(tmp_path_factory):
    """The shape of both, and its files."""
    folder = tmp_path_factory.mktemp("parts")
    for name, (low, size) in PARTS.items():
        lines = [f"v {x} {y} {z}" for x, y, z in CORNERS * size + low]
        (folder / f"{name}.obj").write_text("\n".join([*lines, FACES]))
    files = [str(folder / f"{name}.obj") for name in PARTS]
    return Mesh(files[0], convex_parts=files)


def fixed(shape, **fields):
    return Object3D(**{"parent": "world"} | fields, feature=Solid(shape, contact_material="Steel", collision=True))


def free(shape, at, **fields):
    solid = Solid(shape, "Steel", MassProperties(2.0, (0.0,) * 3, 0.02, 0.02, 0.02), collision=True)
    return Object3D(parent="world", fixed_to_parent=False, translation=at, feature=solid, **fields)


def world(gravity, **fields):
    return Object3D(feature=Scene(gravity=gravity, contact_pairs={"Steel, Steel": ContactPair(0.0, 0.0)}, **fields))


@pytest.mark.parametrize("order", [("corner", "ball"), ("ball", "corner")])
def test_distance_and_normal_are_those_of_the_nearest_part(corner, order):
    """A ball flies by, nearer to the floor at first, then to the wall, which is at the corner of the angle between both."""
    parts = {"corner": fixed(corner), "ball": free(Sphere(0.2), (0.9, 0.1, 0.3), velocity=(-0.7, 0.0, 0.4))}
    result = instantiate(Model3D(world=world(NoGravity()), **{name: parts[name] for name in order})).simulate(1.0, interval=0.1)
    x, _, z = result["ball.r_abs"].T
    pair = "mechanics.contact[corner,ball]"
    assert result[f"{pair}.distance"] == pytest.approx(np.minimum(x, z) - 0.1, abs=1e-12)
    assert (x < z).any()
    assert (x > z).any()
    expected = np.where((x < z)[:, None], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    assert result[f"{pair}.normal"] == pytest.approx(expected, abs=1e-12)
    assert not result[f"{pair}.touching"].any()
    assert not result["ball.contacts"].any()


@pytest.mark.parametrize("order", [("corner", "block"), ("block", "corner")])
@pytest.mark.parametrize("response", ["elastic", "rigid"])
def test_what_lies_in_a_corner_has_one_contact_with_the_sum_of_both_forces(corner, response, order):
    """Gravity leans towards the wall; what is declared before, of several parts too, is deleted on the way."""

    def program(actions):
        EventAfterPeriod(actions, 0.3)
        ActionDelete(actions, "other")

    gravity = UniformGravity(G, (-np.sin(TILT), 0.0, -np.cos(TILT)))
    parts = {"corner": fixed(corner), "block": free(Box(*(2.0 * HALF,) * 3), (HALF, 0.0, HALF))}
    quantities = ["contacts"] if response == "rigid" else ["force", "normal_force", "contacts"]
    model = Model3D(
        world=world(gravity, contact_response=response, elastic_contact_reduction_factor=1e-2),
        other=Object3D(
            fixed_to_parent=False,
            assembly_root=True,
            translation=(0.0, 0.0, 50.0),
            feature=Solid(corner, "Steel", MassProperties(1.0, (0.0,) * 3, 1.0, 1.0, 1.0), collision=True),
        ),
        **{name: parts[name] for name in order},
        felt=ContactSensor("block", quantities=quantities),
        between=ContactSensor("corner", "block", quantities=quantities),
        gone=ContactSensor("other", "block", quantities=quantities),
        actions=ModelActions(program),
    )
    result = instantiate(model).simulate(0.6, tolerance=1e-8, interval=0.05)
    side, down = 2.0 * G * np.sin(TILT), 2.0 * G * np.cos(TILT)
    rel = 1e-8 if response == "rigid" else 2e-3
    pair = "mechanics.contact[corner,block]"
    late = np.flatnonzero((result.time > 0.25) & (np.diff(result.time, prepend=-1.0) > 0.0))
    late = late[np.abs(result.time[late] - 0.3) > 1e-9]
    assert len(late) > 4
    for k in late:
        assert result[f"{pair}.force"][k] == pytest.approx([side, 0.0, down], rel=rel, abs=rel * down)
        assert result["block.contact_force"][k] == pytest.approx([side, 0.0, down], rel=rel, abs=rel * down)
        assert result["corner.contact_force"][k] == pytest.approx([-side, 0.0, -down], rel=rel, abs=rel * down)
        share = side / (side + down)  # the center of pressure of both, weighted by their normal forces
        assert result[f"{pair}.point"][k] == pytest.approx([HALF * (1.0 - share), 0.0, HALF * share], abs=1e-3)
        for name in ("mechanics.contacts", "block.contacts", "corner.contacts", f"{pair}.touching", "felt.contacts"):
            assert result[name][k] == 1.0, name
        assert result["between.contacts"][k] == 1.0
        assert result[f"{pair}.phase"][k] == 1.0  # it slides: there is no friction
        assert result["gone.contacts"][k] == 0.0 if result.time[k] < 0.3 else np.isnan(result["gone.contacts"][k])
        if response == "elastic":
            for name, sign in (("felt", 1.0), ("between", -1.0)):
                force = [result[f"{name}.force.{axis}"][k] for axis in "xyz"]
                assert force == pytest.approx([sign * side, 0.0, sign * down], rel=rel, abs=rel * down)
                assert result[f"{name}.normal_force"][k] == pytest.approx(side + down, rel=rel)
    (*_, row) = result.contacts
    assert row["pair"] == list(order)
    assert row["end"] is None
    assert sum(one["impulse"] for one in result.contacts) == pytest.approx(0.6 * (side + down), rel=5e-3)
