"""What would take all memory or all time is refused with its name, before it does."""

import json
import struct

import numpy as np
import pytest

from modia3d import Box, MassProperties, Mesh, Model3D, ModelActions, Object3D, Parallel, Pool, Scene, Solid, Spawn, Visual
from modia3d.viewer import instants
from modia3d.viewer.animation import animate
from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate

pytestmark = pytest.mark.white_box


def with_parameter(text):
    return Model(n=text, x=Var(init=1.0), equations=["der(x) = -x"])


EXPRESSIONS = {
    "zeros(99999999)": "'zeros' in 'zeros.99999999.' is too large; found 99999999 elements",
    "zeros(99999, 99999)": "'zeros' in .* is too large",
    "9**9**9**9": "has no value",
    "-" * 50_000 + "1": "cannot be read as an expression",
    "(" * 5_000 + "1" + ")" * 5_000: "cannot be read as an expression",
    "1" * 300_000: "cannot be read as an expression",
    "+".join(["1"] * 20_000): "cannot be read|nested",
}


@pytest.mark.parametrize("text", EXPRESSIONS, ids=[text[:12] for text in EXPRESSIONS])
def test_expressions(text):
    with pytest.raises(ModelError, match=EXPRESSIONS[text]) as caught:
        instantiate(with_parameter(text))
    assert len(str(caught.value)) < 1500


def test_sizes_that_are_merged():
    simulation = instantiate(Model(n=3, x=Var(init="zeros(n)"), equations=["der(x) = -x"]))
    with pytest.raises(ModelError, match=r"'zeros' in 'zeros.n.' is too large"):
        simulation.simulate(1.0, merge=Map(n=99999999))


def test_output_points():
    with pytest.raises(
        ModelError, match=r"the argument 'interval' of simulate is wrong; found 1e-06; expected at least 9\.9e-06 s"
    ):
        instantiate(with_parameter(1.0)).simulate(99.0, interval=1e-6)


def solid(mass=1.0):
    return Solid(shape=Box(1, 1, 1), mass_properties=MassProperties(mass, (0, 0, 0), 1.0, 1.0, 1.0))


def scene(**more):
    return Model3D(world=Object3D(feature=Scene()), **more)


def body(feature=None):
    return Object3D(parent="world", fixed_to_parent=False, feature=feature or solid())


def test_copies_and_magnitudes():
    with pytest.raises(ModelError, match="size of Pool is wrong; found 100000000; expected at most 10000"):
        instantiate(scene(p=Pool(Model(body=Object3D(feature=solid(), parked=True)), size=10**8)))
    with pytest.raises(ModelError, match=r"^mass of MassProperties is wrong; found 1e\+300; expected a mag"):
        instantiate(scene(b=body(solid(1e300))))
    for moments in ((1e300, 1e300, 1e300), (1.0, 1.0, 10**400)):
        with pytest.raises(ModelError, match=r"MassProperties is wrong; found|number is too large"):
            instantiate(scene(b=body(Solid(mass_properties=MassProperties(1.0, (0, 0, 0), *moments)))))


def spawns(actions):
    def again():
        while True:
            yield Spawn(again)

    yield Spawn(again)


def splits(actions):
    def again():
        yield Parallel(again, again)

    yield Parallel(again, again)


@pytest.mark.parametrize("program", [spawns, splits])
def test_tasks_without_end(program):
    with pytest.raises(SimulationError, match=r"the program starts task after task.*more than 1000 tasks at one time"):
        instantiate(scene(b=body(), actions=ModelActions(program))).simulate(1.0)


def test_meshes_that_declare_more_than_they_hold(tmp_path):
    parts = {"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}], "nodes": [{"mesh": 0}]}
    parts["accessors"] = [{"componentType": 5126, "count": 10**9, "type": "VEC3"}, {"componentType": 5125, "count": 10**9}]
    gltf = {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "scene": 0, "bufferViews": [], "buffers": [], **parts}
    (tmp_path / "a.gltf").write_text(json.dumps(gltf))
    (tmp_path / "a.stl").write_bytes(b"x" * 80 + struct.pack("<I", 10**9) + bytes(50))
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3000000000\n")
    for file in tmp_path.iterdir():
        with pytest.raises(ModelError, match=r"the mesh '.*' (cannot be read|is empty)"):
            instantiate(scene(b=Object3D(parent="world", feature=Visual(Mesh(str(file))))))


def test_a_long_animation_has_fewer_frames_and_says_so(monkeypatch):
    simulation = instantiate(scene(b=body()))
    result = simulation.simulate(100.0)
    monkeypatch.setattr(instants, "MAX_FRAMES", 200)
    with pytest.warns(
        UserWarning, match=r"animation of 100 s has \d+ key frames, one every 0\.\d+ s, in place of 30 per second"
    ):
        made = animate(result, simulation.flat.components.items())
    assert 150 < made.time.size <= 200
    assert made.time[[0, -1]].tolist() == [0.0, 100.0]
    np.testing.assert_allclose(made.bodies[-1].position[-1], result["b.r_abs"][-1], rtol=1e-12)
