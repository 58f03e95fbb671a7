"""How things look: sizes of surfaces, the floor, colours of materials, signals that are the same."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d import (
    Beam,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Model3D,
    NoGravity,
    Object3D,
    Plane,
    Prismatic,
    Scene,
    Solid,
    Sphere,
    UniformGravity,
    Visual,
    VisualMaterial,
)
from modia3d.engine.visuals import COLORS, look_of_solid
from modia3d.scene.colors import rgb_of
from modia3d.scene.solid_materials import SOLID_MATERIALS
from modia3d.viewer.animation import Animation, animate
from modia3d.viewer.contacts import contact_bodies
from modia3d.viewer.objects import parts_of
from modia3d.viewer.shown_signals import MAX_SIGNALS, shown_signals
from modiapy import Model, ModelError, SegmentRecord, Var, instantiate

pytestmark = pytest.mark.white_box


def animated(model: Any, stop_time: float = 0.2, **options: Any) -> Animation:
    sim = instantiate(model)
    return animate(sim.simulate(stop_time), sim.flat.components.items(), **options)


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("make", [Cylinder, Cone, Capsule])
def test_shapes_lie_along_their_axis(make: Any, axis: str) -> None:
    """Diameter 1 and length 3: the box around the surface is 3 (a capsule 4) long where the axis points."""
    shape = make(diameter=1.0, length=3.0, axis=axis)
    (frame,) = animated(Model3D(world=Object3D(feature=Scene()), it=Object3D(parent="world", feature=Visual(shape)))).seen
    size = np.ptp(parts_of(frame)[0][0].points, axis=0)
    along = "xyz".index(axis)
    assert size[along] == pytest.approx(4.0 if make is Capsule else 3.0, abs=1e-5)
    assert np.delete(size, along) == pytest.approx([1.0, 1.0], abs=0.02)


def test_a_plane_is_a_square_plate_below_it() -> None:
    (frame,) = animated(Model3D(world=Object3D(feature=Scene()), it=Object3D(parent="world", feature=Visual(Plane())))).seen
    points = parts_of(frame)[0][0].points
    corners = {(round(x / abs(points).max()), round(y / abs(points).max())) for x, y, _ in points.tolist()}
    assert corners - {(0, 0)} == {(1, 1), (-1, 1), (-1, -1), (1, -1)}
    assert points[:, 2].max() == 0.0
    assert np.ptp(points[:, 0]) == np.ptp(points[:, 1])


def test_the_floor_is_below_what_is_lowest() -> None:
    """A sphere of radius 0.2 m 1 m above the origin, a box 0.4 m high around it: the floor is at -0.2 m."""
    model = Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(n=(0, 0, -1)))),
        low=Object3D(parent="world", feature=Visual(Box(0.3, 0.3, 0.4))),
        high=Object3D(parent="world", feature=Visual(Sphere(0.4)), translation=(0.0, 0.0, 1.0)),
    )
    view = animated(model).view
    assert view.floor == pytest.approx(-0.2)
    np.testing.assert_allclose([view.low[2], view.high[2]], [-0.2, 1.2], atol=1e-3)


def test_a_needle_is_seen_in_those_segments_in_which_something_touches() -> None:
    """Two segments; the solids touch in the second one only."""

    class Segment(dict[str, Any]):
        def __init__(self, time: np.ndarray) -> None:
            force = np.zeros((time.size, 3)) + (0.0, 0.0, 4.0)
            super().__init__({"mechanics.contact[a,b].force": force, "mechanics.contact[a,b].point": np.zeros((time.size, 3))})
            self.time, self.points, self.find = time, time.size, self.get

    class Told:
        time = np.array([0.0, 0.5, 1.0, 1.0, 1.5, 2.0])
        parts = (Segment(time[:3]), Segment(time[3:]))
        segments = (SegmentRecord(1, 0.0, "", 0, 0), SegmentRecord(2, 1.0, "", 0, 0))
        contacts = ({"pair": ["a", "b"], "begin": 1.2, "end": 1.8},)

        def segment(self, index: int) -> Segment:
            return self.parts[index - 1]

        def signals(self) -> list[str]:
            return list(self.parts[0])

        def __contains__(self, name: str) -> bool:
            return name in self.parts[0]

    needle = contact_bodies(Told(), "", np.arange(6), 1.0)[0]
    assert needle.exists.tolist() == [False] * 3 + [True] * 3


def test_a_video_has_30_pictures_per_second_unless_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = animated(Model3D(world=Object3D(feature=Scene()), it=Object3D(parent="world", feature=Visual(Box()))))
    given: list[Any] = []
    monkeypatch.setattr("modia3d.viewer.pictures.write_video", lambda *args: given.append(args) or Path("x"))
    made.write_video(tmp_path / "x.mp4")
    assert given[0][2:] == (30.0, 1.0, 1280, 720)
    assert inspect.signature(Animation.write_png).parameters["width"].default == 1280


# -- colours ---------------------------------------------------------------------------------------------------------------


def two(**looks: Any) -> Animation:
    """Solids side by side, by the arguments of each."""
    names = list(looks)
    shapes = {name: Box(0.1, 0.1, 0.1) for name in names}
    frames = {
        name: Object3D(parent="world", feature=Solid(shape=shapes[name], **looks[name]), translation=(0.2 * k, 0.0, 0.0))
        for k, name in enumerate(names)
    }
    return animated(Model3D(world=Object3D(feature=Scene(gravity=NoGravity())), **frames))


def test_solids_of_different_materials_differ_in_colour() -> None:
    """All of the palette, and names of others; what has a look keeps it."""
    every = {name: look_of_solid(name) for name in SOLID_MATERIALS if not name.startswith("Modia3D.")}
    colors = {rgb_of(look.color) for look in every.values() if look is not None and isinstance(look.color, str)}
    assert len(colors) == len(every)
    distances = [np.linalg.norm(np.subtract(a, b)) for a in colors for b in colors if a is not b]
    assert min(distances) > 0.03
    assert look_of_solid("Modia3D.Steel") == look_of_solid("Steel")
    assert {name.rpartition(".")[2] for name in SOLID_MATERIALS} <= set(COLORS)
    seen = {
        frame.name: frame.material
        for frame in two(
            steel={"solid_material": "Steel"},
            copper={"solid_material": "Copper"},
            red={"solid_material": "Steel", "visual_material": VisualMaterial(color="Red")},
        ).seen
    }
    assert seen["steel"].color != seen["copper"].color
    assert seen["red"].color == "Red"
    assert look_of_solid(None) is None


# -- signals ---------------------------------------------------------------------------------------------------------------


def test_aliases_are_drawn_once() -> None:
    """The same values and unit, or none that is given; what has the same values with another unit, or other values, stays."""
    model = Model(
        x=Var(init=1.0, unit="m"),
        y=Var("x", unit="m"),
        z=Var("-x", unit="m"),
        v=Var("1.0*x", unit="s"),
        bare=Var("x"),
        still=Var("0.0*time", unit="m"),
        none=Var("0.0*time"),
        equations=["der(x) = -x"],
    )
    result = instantiate(model).simulate(1.0)
    for first in ("x", "bare"):
        shown = shown_signals(result, [first, *({"x", "bare"} - {first}), "y", "z", "v", "still", "none"])
        aliases = {(one.name, one.unit): one.aliases for one in shown}
        (other,) = {"x", "bare"} - {first}
        assert aliases == {(first, "m"): (other, "y"), ("z", "m"): (), ("v", "s"): (), ("still", "m"): (), ("none", ""): ()}


def test_too_many_signals_are_refused_before_anything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """By names and sizes: of a vector each element counts."""
    n = MAX_SIGNALS // 3 + 1
    model = Model(**{f"v{k}": Var(f"[time, {k}.0, 1.0]") for k in range(n)}, x=Var(init=1.0), equations=["der(x) = -x"])
    result = instantiate(model).simulate(1.0)
    assert len(shown_signals(result, ["v0", "x"])) == 4
    read: list[str] = []
    monkeypatch.setattr(type(result), "__getitem__", lambda self, name: read.append(name))
    with pytest.raises(ModelError, match=rf"too many signals for the page; found {3 * n} .*at most {MAX_SIGNALS}"):
        shown_signals(result, ["v*"])
    with pytest.raises(ModelError, match="there is no signal 'nothing'"):
        shown_signals(result, ["v0", "nothing"])
    assert read == []


def test_what_moves_is_not_looked_for_before_names_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        box=Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), solid_material="Aluminium")),
        slide=Prismatic(obj1="world", obj2="box", axis="y", v=0.5),
        other=Object3D(parent="world", feature=Visual(Ellipsoid())),
        bar=Object3D(parent="world", feature=Visual(Beam())),
    )
    sim = instantiate(model)
    result = sim.simulate(0.1)

    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr("modia3d.viewer.animation._bodies", never)
    with pytest.raises(ModelError, match="too many signals"):
        animate(result, sim.flat.components.items(), signals=["*"])
