"""What is chosen in the description of a closed mechanism has no influence on its motion: all choices at once, at random."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modia3d import Model3D
from modiapy import instantiate
from tests.modia3d.constraints.loop_reference import KINDS, WORLD, Mechanism, random_mechanism, turned
from tests.modia3d.constraints.rows import seeds

pytestmark = pytest.mark.white_box

LENGTHS = {"prismatic": (0,), "cylindrical": (0,), "planar": (0, 1), "fixed": (0, 1, 2)}
"""Which of a joint's coordinates are lengths."""
STOP = 0.3


@st.composite
def mechanisms(draw):
    """In a plane of any direction or in space, not at a singular position."""
    planar = draw(st.booleans())
    kinds = ("revolute", "prismatic") if planar else tuple(kind for kind in KINDS if kind != "fixed")
    closings = draw(st.lists(st.sampled_from(("revolute",) if planar else KINDS), min_size=1, max_size=2))
    made = random_mechanism(
        draw(seeds), draw(st.integers(2, 5)), kinds, closings=closings, planar=planar, copies=draw(st.integers(0, 2))
    )
    assume(made.dof and made.clear and made.contradiction < 1e-9)
    return made


def in_lengths(kind, values, unit):
    """Coordinates or rates of a joint in another unit of length."""
    values = np.array(values, dtype=float)
    for k in LENGTHS.get(kind, ()):
        if k < len(values):
            values[k] *= unit
    return values


def seen_otherwise(made, R, unit):
    """The mechanism in a world that is turned, and whose lengths are given in another unit; time is the same."""

    def frame(k, pose):
        return (R @ pose[0], unit * R @ pose[1]) if k == WORLD else (pose[0], unit * pose[1])

    parts = [
        replace(part, centre=unit * part.centre, inertia=unit**2 * part.inertia, pose=frame(WORLD, part.pose))
        for part in made.parts
    ]
    links = [
        replace(
            link,
            frames=tuple(frame(k, pose) for k, pose in zip(link.bodies, link.frames, strict=True)),
            q=in_lengths(link.kind, link.q, unit),
            pitch=unit * link.pitch,
        )
        for link in made.links
    ]
    return Mechanism(parts, links, unit * R @ made.gravity, made.wish)


def poses(made, *, R=None, unit=1.0, joints=None, bodies=None, cut="", driven=()):
    """Where all bodies are in the end, seen from the world that is not turned, lengths in its unit, shape (n, 4, 3)."""
    R = np.eye(3) if R is None else R
    other = seen_otherwise(made, R, unit)
    scene, rates = other.entries([], ()), dict(zip((link.name for link in made.links), made.rates_at, strict=True))
    names = [part.name for part in made.parts]
    entries = {"world": scene["world"]}
    entries |= {names[k]: scene[names[k]] for k in (range(len(names)) if bodies is None else bodies)}
    entries |= {name: entry for name, entry in scene.items() if name not in entries}
    for k in range(len(made.links)) if joints is None else joints:
        link = other.links[k]
        speeds = in_lengths(link.kind, made.speeds[rates[link.name]], unit)
        entries[link.name] = link.entry(*other.frame_names(link), speeds, link.name in driven)
        if link.name == cut and link.kind != "fixed":
            entries[link.name]["cut"] = True
    exact = {"tolerance": 1e-10, "absolute_tolerance": 1e-11 * min(1.0, unit)}
    result = instantiate(Model3D(**entries)).simulate(STOP, interval=STOP, **exact)
    return np.array([[result[f"{name}.r_abs"][-1] @ R / unit, *(R.T @ result[f"{name}.R_abs"][-1])] for name in names])


@settings(max_examples=12)
@given(mechanisms(), st.data())
def test_neither_cut_nor_order_nor_plane_nor_unit_nor_flanges_matter(made, data):
    names = [link.name for link in made.links]
    cut = data.draw(st.sampled_from(["", *names]))
    found = poses(
        made,
        R=turned(np.random.default_rng(data.draw(seeds)).normal(size=3), 1.0),
        unit=data.draw(st.sampled_from([1.0, 1e3, 1e-3, 25.4])),
        joints=data.draw(st.permutations(range(len(names)))),
        bodies=data.draw(st.permutations(range(len(made.parts)))),
        cut=cut,
        driven=data.draw(st.sets(st.sampled_from(names))) - {cut},
    )
    expected = poses(made)
    assert np.abs(found - expected).max() < 1e-7 * (1.0 + np.abs(expected[:, 0]).max())
