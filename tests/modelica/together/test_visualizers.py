"""What visualizers of a Modelica model say is seen: shapes where variables place them, vectors, the direction of gravity."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from modia3d.cli.main import main
from modia3d.viewer.animation import animate
from modia3d.viewer.content import Body
from modia3d.viewer.live import Follower
from modiapy import Map, Model, ModelError, Result, instantiate, read_result

from .conftest import Loaded

pytestmark = pytest.mark.white_box

LIBRARY = """
  record Orientation
    Real T[3, 3];
    Real w[3];
  end Orientation;
  function turned "about z"
    input Real phi;
    output Orientation R;
  algorithm
    R.T := [cos(phi), sin(phi), 0; -sin(phi), cos(phi), 0; 0, 0, 1];
    R.w := {0, 0, 0};
  end turned;
  type Quantity = enumeration(Force, Torque, RelativePosition);
  model Shape
    parameter String shapeType = "box";
    input Orientation R = turned(0);
    input Real r[3] = {0, 0, 0};
    input Real r_shape[3] = {0, 0, 0};
    input Real lengthDirection[3] = {1, 0, 0};
    input Real widthDirection[3] = {0, 1, 0};
    input Real length = 0;
    input Real width = 0;
    input Real height = 0;
    input Real extra = 0;
    input Real color[3] = {255, 0, 0};
    input Real specularCoefficient = 0.7;
  end Shape;
  model Vector
    input Orientation R = turned(0);
    input Real r[3] = {0, 0, 0};
    input Real coordinates[3] = {0, 0, 0};
    input Real color[3] = {0, 255, 0};
    parameter Quantity quantity = Quantity.Force;
    input Boolean headAtOrigin = false;
  end Vector;
"""
SOURCE = f"""
package P
{LIBRARY}
  model World
    parameter Real n[3] = {{0, -1, 0}};
  end World;
  model M
    parameter Real L = 2;
    World world;
    Real phi(start = 0.3, fixed = true);
    Shape box(r = {{1, time, 0}}, R = turned(phi), r_shape = {{0.1, 0, 0}}, lengthDirection = {{0, 2, 0}},
      widthDirection = {{0, 0.3, 1}}, length = L, width = 0.5, height = 0.25, color = {{0, 128, 255}});
    Shape rods[2](shapeType = {{"cylinder", "spring"}}, r = {{{{0, 0, 1}}, {{0, 0, 2}}}}, R = fill(turned(0), 2),
      length = {{1, 1 + time}}, width = {{0.2, 0.3}}, height = {{0.2, 0.02}}, extra = {{0, 7}});
    Vector force(r = {{1, 0, 0}}, R = turned(phi), coordinates = {{0, 50*time, 0}});
    Vector other(r = {{2, 0, 0}}, coordinates = {{0, 0, -25*time}}, headAtOrigin = true);
    Vector way(quantity = Quantity.RelativePosition, coordinates = {{0.5, 0, 0}});
  equation
    der(phi) = 1;
  end M;
  model Kinds
    Shape s[8](shapeType = {{"box", "sphere", "cylinder", "cone", "pipe", "beam", "gearwheel", "spring"}}, each r = {{0, 0, 0}},
      R = fill(turned(0), 8), each length = 2, each width = 0.4, each height = 0.1, each extra = 0.5);
    Shape unknown(shapeType = "teapot", length = 1, width = 1, height = 1);
    Shape nothing(shapeType = "box");
  end Kinds;
end P;
"""


def _simulated(loaded: Loaded, name: str = "P.M", **merge: Any) -> Result:
    return instantiate(loaded(SOURCE, name)).simulate(1.0, interval=0.25, merge=Map(**merge))


def _body(result: Result, name: str) -> Body:
    return next(body for body in animate(result).bodies if body.frames[0].name == name)


def _world(body: Body, point: Any, row: int) -> np.ndarray:
    """A point of the frame of a body's shape in the world."""
    frame = body.frames[0]
    inside = Rotation.from_quat(frame.quaternion).apply(point) + frame.position
    scaled = inside if body.scale is None else inside * body.scale[row]
    found: np.ndarray = Rotation.from_quat(body.quaternion[row]).apply(scaled) + body.position[row]
    return found


@pytest.mark.parametrize("length", [2.0, 3.0])
def test_a_box_is_where_the_variables_say(loaded: Loaded, length: float) -> None:
    result = _simulated(loaded, L=length)
    animation = animate(result)
    body = _body(result, "box")
    frame = body.frames[0]
    shape: Any = frame.shape
    assert (shape.length_x, shape.length_y, shape.length_z) == (length, 0.5, 0.25)
    assert body.scale is None
    assert frame.material is not None
    assert frame.material.rgb == pytest.approx((0.0, 128 / 255, 1.0))
    for row, t in enumerate(animation.time):
        turn = Rotation.from_euler("z", 0.3 + t)  # of the object in the world: the transpose of T
        begin = turn.apply([0.1, 0.0, 0.0]) + [1.0, t, 0.0]
        x, y = turn.apply([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
        z = np.cross(x, y)
        for corner in ((-1, -1, -1), (1, 1, -1), (1, -1, 1)):
            expected = begin + x * length * (0.5 + 0.5 * corner[0]) + 0.25 * corner[1] * y + 0.125 * corner[2] * z
            assert _world(body, 0.5 * np.array([length, 0.5, 0.25]) * corner, row) == pytest.approx(expected, abs=1e-6)


def test_elements_of_arrays_and_sizes_that_change(loaded: Loaded) -> None:
    result = _simulated(loaded)
    rod, spring = _body(result, "rods[1]"), _body(result, "rods[2]")
    rod_shape, spring_shape = rod.frames[0].shape, spring.frames[0].shape
    assert type(rod_shape).__name__ == "CylinderShape"
    assert _world(rod, [0.5, 0.0, 0.0], 0) == pytest.approx([1.0, 0.0, 1.0])
    assert type(spring_shape).__name__ == "SpringShape"
    assert getattr(spring_shape, "windings", 0) == 7.0
    for row, t in enumerate(animate(result).time):
        assert _world(spring, [2.0, 0.0, 0.0], row) == pytest.approx([1.0 + t, 0.0, 2.0])


def test_vectors_are_arrows_whose_lengths_compare(loaded: Loaded) -> None:
    result = _simulated(loaded)
    animation = animate(result)
    last = len(animation.time) - 1
    turn = Rotation.from_euler("z", 1.3)
    along = turn.apply([0.0, 1.0, 0.0])
    tip = _world(_body(result, "force.head"), [1.0, 0.0, 0.0], last) - [1.0, 0.0, 0.0]
    length = float(np.linalg.norm(tip))
    assert tip == pytest.approx(length * along, abs=1e-6)
    assert length == pytest.approx(0.2 * animation.view.size)
    assert _world(_body(result, "force.shaft"), [-0.5, 0.0, 0.0], last) == pytest.approx([1.0, 0.0, 0.0])
    assert _world(_body(result, "other.head"), [1.0, 0.0, 0.0], last) == pytest.approx([2.0, 0.0, 0.0], abs=1e-9)
    assert _world(_body(result, "other.shaft"), [-0.5, 0.0, 0.0], last) == pytest.approx([2.0, 0.0, 0.5 * length])
    assert not _body(result, "force.head").exists[0]  # it is zero at the beginning
    assert _world(_body(result, "way.head"), [1.0, 0.0, 0.0], last) == pytest.approx([0.5, 0.0, 0.0])


def test_up_is_against_gravity(loaded: Loaded) -> None:
    assert animate(_simulated(loaded)).view.up == pytest.approx([0.0, 1.0, 0.0])
    assert animate(_simulated(loaded, **{"world.n": [0.0, 0.0, -2.0]})).view.up == pytest.approx([0.0, 0.0, 1.0])


def test_all_kinds_begin_at_the_origin_and_what_is_unknown_is_left_out(loaded: Loaded) -> None:
    result = _simulated(loaded, "P.Kinds")
    bodies = animate(result).bodies
    assert [body.frames[0].name for body in bodies] == [f"s[{k}]" for k in range(1, 9)]
    kinds = [type(body.frames[0].shape).__name__.removesuffix("Shape") for body in bodies]
    assert kinds == ["Box", "Ellipsoid", "Cylinder", "Cone", "Cylinder", "Beam", "GearWheel", "Spring"]
    pipe: Any = bodies[4].frames[0].shape
    assert pipe.inner_diameter == pytest.approx(0.2)
    cone: Any = bodies[3].frames[0].shape
    assert cone.top_diameter == pytest.approx(0.2)
    for body, kind in zip(bodies, kinds, strict=True):
        centred = kind not in ("Cone", "Spring")
        assert _world(body, [-1.0 if centred else 0.0, 0.0, 0.0], 0) == pytest.approx(np.zeros(3)), kind
        stretch = np.ones(3) if body.scale is None else body.scale[0]
        assert stretch[2] == pytest.approx(0.25 if kind in ("Cylinder", "Cone", "GearWheel") else 1.0), kind


def test_a_component_is_seen_within_another_model(loaded: Loaded) -> None:
    result = instantiate(Model(part=loaded(SOURCE, "P.M") | Map(L=4.0))).simulate(1.0, interval=0.25)
    shape: Any = _body(result, "part.box").frames[0].shape
    assert shape.length_x == 4.0
    with pytest.raises(ModelError, match="nothing in the model is visible"):
        animate(instantiate(loaded("model M Real x = time; end M;")).simulate(1.0))


TETRAHEDRON = "solid\n" + "".join(
    "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {v}\n" for v in facet) + "endloop\nendfacet\n"
    for facet in (
        ("0 0 0", "0 1 0", "1 0 0"), ("0 0 0", "1 0 0", "0 0 1"), ("0 0 0", "0 0 1", "0 1 0"), ("1 0 0", "0 1 0", "0 0 1"),
    )
) + "endsolid\n"  # fmt: skip


def test_meshes_are_those_of_libraries(loaded: Loaded, tmp_path: Path) -> None:
    """Files anywhere else are not read, whatever a model says."""
    folder = tmp_path / "libraries" / "Lib"
    (folder / "Resources").mkdir(parents=True)
    (folder / "package.mo").write_text(f"package Lib\n{LIBRARY}\nend Lib;")
    for place in (folder / "Resources", folder.parent):
        (place / "part.stl").write_text(TETRAHEDRON)
    text = f"""model M
      Lib.Shape part(shapeType = "modelica://Lib/Resources/part.stl",
        lengthDirection = {{0, 1, 0}}, widthDirection = {{-1, 0, 0}});
      Lib.Shape outside(shapeType = "modelica://Lib/../part.stl");
      Lib.Shape absolute(shapeType = "{(folder.parent / "part.stl").as_posix()}");
      Lib.Shape address(shapeType = "file://{(folder.parent / "part.stl").as_posix()}");
      Lib.Shape gone(shapeType = "modelica://Lib/Resources/other.stl");
    end M;"""
    bodies = animate(instantiate(loaded(text, "M", [str(folder.parent)])).simulate(1.0)).bodies
    assert [body.frames[0].name for body in bodies] == ["part"]
    assert _world(bodies[0], [1.0, 0.0, 0.0], 0) == pytest.approx([0.0, 1.0, 0.0])


def test_a_window_waits_for_what_is_seen_at_the_end(loaded: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is simulated there is nothing to follow, and that is no mistake."""

    class Closed:
        def show(self, animation: object) -> None:
            raise AssertionError("nothing is seen yet")

    monkeypatch.setattr("modia3d.viewer.live.FIRST_S", 0.0)
    simulation = instantiate(loaded(SOURCE, "P.M"))
    follower = Follower(Closed(), simulation, title="M", stop_time=1.0)  # type: ignore[arg-type]
    assert simulation.simulate(1.0, progress=follower.progress).status == "finished"


def test_files_show_it(loaded: Loaded, tmp_path: Path) -> None:
    loaded(SOURCE, "P.M")
    file = tmp_path / "source.mo"
    page, solid, stored = tmp_path / "m.html", tmp_path / "m.glb", tmp_path / "m.h5"
    arguments = ["--model", "P.M", "--stop-time", "1", "--html", str(page), "--gltf", str(solid), "--output", str(stored)]
    assert main(["run", str(file), *arguments]) == 0
    assert "rods[2]" in page.read_text()
    assert solid.read_bytes()[:4] == b"glTF"
    names = [body.frames[0].name for body in animate(read_result(stored)).bodies]
    assert "box" in names
    assert "force.head" in names
