"""What appears: each of its frames has the motion that follows from that of the placed one and from its joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from modia3d.actions.changes import apply
from modia3d.actions.structural.add import Add
from modia3d.actions.structural.attach import Attach
from modia3d.scene.frame import Frame
from modia3d.scene.joints import RevoluteJoint
from modia3d.topology import edits
from modia3d.topology.build import build_graph
from modia3d.topology.motion import WORLD_AT_REST, FrameMotion, relative_motion
from modia3d.topology.placement import Placement
from modia3d.topology.states import initial_structure
from modiapy import ModelError

from .scenes import difference, solid, world
from .test_joints import AXIS, MAKERS

pytestmark = pytest.mark.white_box

KINDS = {**MAKERS, "driven": lambda a, b: RevoluteJoint(a, b, AXIS, with_flange=True)}


def tree(rng, name, n):
    """Parked bodies, each with frames in random places, joined to any of those before by joints of any kind and direction."""
    objects = {f"{name}.b0": Frame(parked=True, feature=solid())}
    for k in range(1, n):
        before = f"b{rng.integers(k)}"
        objects[f"{name}.b{k}"] = Frame(feature=solid())
        for end, body in (("a", before), ("c", f"b{k}")):
            pose = tuple(rng.normal(size=3)), tuple(rng.normal(size=3))
            objects[f"{name}.{end}{k}"] = Frame(parent=body, translation=pose[0], rotation=pose[1])
        ends = (f"a{k}", f"c{k}")[:: int(rng.choice([1, -1]))]
        objects[f"{name}.j{k}"] = KINDS["driven" if k == 1 else str(rng.choice([*KINDS]))](*ends)
    return objects


class There:
    """A frame ``car`` that moves, and drives that have turned joints."""

    def __init__(self, graph, rng):
        R = Rotation.random(random_state=int(rng.integers(1000))).as_matrix()
        self.car = FrameMotion(R, *rng.normal(size=(3, 3)))
        self.angles = {edge.name: float(rng.normal()) for edge in graph.prescribed_joints}

    def motion_of(self, name):
        return {"world": WORLD_AT_REST, "car": self.car}[name]

    def state_of(self, name):
        return (self.angles[name],), (0.0,)


def placed(rng, **fields):
    vectors = {name: tuple(rng.normal(size=3)) for name in ("translation", "rotation", "velocity", "angular_velocity")}
    return Placement(**vectors, **fields)


def moves_as_placed(graph, seen, frame, base, placement):
    R_BF = Rotation.from_euler("XYZ", placement.rotation).as_matrix()
    wanted = base.moved(R_BF, *map(np.array, (placement.translation, placement.velocity, placement.angular_velocity)))
    return difference(seen.motion_of(frame), wanted) < 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_what_appears_moves_as_its_joints_and_its_placement_say(seed):
    """One assembly beside a frame that moves, then another one beside a frame of the first, in one change."""
    rng = np.random.default_rng(seed)
    objects = {"world": world(), "car": Frame(feature=solid())} | tree(rng, "one", 6) | tree(rng, "two", 4)
    graph = build_graph(objects)
    there, structure = There(graph, rng), initial_structure(graph, {})
    names = {name: [n for n in objects if n.startswith(f"{name}.") and ".j" not in n] for name in ("one", "two")}
    first, base, second = (str(rng.choice(names[name])) for name in ("one", "one", "two"))
    beside_car, beside_one = placed(rng, relative_to="car"), placed(rng, relative_to=base)
    half = edits.add(graph, structure, first, there, beside_car)
    made = edits.add(graph, half.structure, second, half.present, beside_one)
    seen = made.present
    assert moves_as_placed(graph, seen, first, there.car, beside_car)
    assert moves_as_placed(graph, seen, second, seen.motion_of(base), beside_one)
    for node in graph.frames:
        if node.parent >= 0 and node.name[:3] in names:
            held = seen.motion_of(graph.frames[node.parent].name).carried(
                Rotation.from_euler("XYZ", node.frame.rotation).as_matrix(), np.array(node.frame.translation)
            )
            assert difference(seen.motion_of(node.name), held) < 1e-12
    for edge in graph.joints:
        across = relative_motion(*(seen.motion_of(graph.frames[k].name) for k in edge.frames))
        driven = edge.name in there.angles
        q, v = there.state_of(edge.name) if driven else edge.joint.start("quaternion")
        assert seen.state_of(edge.name) == (q, v)
        wanted = edge.joint.motion(q, v, "quaternion")
        for field in ("R_12", "p_12_1", "v_12_1", "w_12_1"):
            assert getattr(across, field) == pytest.approx(getattr(wanted, field), abs=1e-11)
    assert (made.structure.deleted, made.structure.locked) == (frozenset(), ())
    assert seen.fresh == {*names["one"], *names["two"], *(edge.name for edge in graph.joints)}
    assert difference(seen.motion_of("car"), there.car) == 0.0


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("moves", [False, True])
def test_no_impact_stops_what_appears_in_the_same_change(order, moves):
    """It has the velocity with which it is placed; it mates if it has that of the frame to which it is attached."""
    rng = np.random.default_rng(1)
    docks = {f"{name}.dock": Frame(parent=name, lockable=True) for name in ("car", "one.b0")}
    graph = build_graph({"world": world(), "car": Frame(feature=solid()), **tree(rng, "one", 3), **docks})
    there, structure = There(graph, rng), initial_structure(graph, {})
    there.motion_of = {"world": WORLD_AT_REST, "car": there.car, "car.dock": there.car}.__getitem__
    velocity = (0.0, 0.5, 0.0) if moves else (0.0, 0.0, 0.0)
    appears = Add("one.b0.dock", Placement("car.dock", rotation=(np.pi, 0.0, 0.0), velocity=velocity))
    actions = [appears, Attach(*("one.b0.dock", "car.dock")[::order], "impulse")]
    if not moves:
        made = apply(actions, graph, structure, there, "").structure
        assert [str(lock) for lock in made.locks] == ["car.dock - one.b0.dock"]
        return
    with pytest.raises(ModelError, match=r"do not mate.*relative velocity 500 mm/s \(more than"):
        apply(actions, graph, structure, there, "")


def test_one_of_two_that_are_parked_stays_away_with_its_drives():
    rng = np.random.default_rng(0)
    objects = {"world": world(), "car": Frame(feature=solid())} | tree(rng, "one", 3) | tree(rng, "two", 3)
    graph = build_graph(objects)
    structure = initial_structure(graph, {})
    for name, other in (("one", "two"), ("two", "one")):
        made = edits.add(graph, structure, f"{name}.b2", There(graph, rng), Placement()).structure
        assert made.deleted == {f"{other}.b0"}
        assert {joint.name for joint in made.locked} == {e.name for e in graph.prescribed_joints if e.name.startswith(other)}
        assert replace(made, deleted=structure.deleted, locked=structure.locked, sequences=()) == replace(
            structure, sequences=()
        )
