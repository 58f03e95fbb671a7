"""Initial poses on random trees of all kinds of joints, with and without flange, and on free trees."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from modia3d import (
    Box,
    Cylindrical,
    FreeMotion,
    InitialPose,
    Model3D,
    NoGravity,
    Object3D,
    Planar,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Screw,
    Solid,
    Spherical,
    Universal,
)
from modia3d.dynamics import Dynamics
from modia3d.topology import forest_of
from modiapy import Var, instantiate

ORIENTED = {"spherical": Spherical, "free": FreeMotion}
SIMPLE = {
    "revolute": lambda a, b, axis, q: Revolute(a, b, axis, phi=q),
    "revolute with flange": lambda a, b, axis, q: RevoluteWithFlange(a, b, axis, phi=Var(init=q)),
    "prismatic": lambda a, b, axis, q: Prismatic(a, b, axis, s=q),
    "prismatic with flange": lambda a, b, axis, q: PrismaticWithFlange(a, b, axis, s=Var(init=q)),
    "screw": lambda a, b, axis, q: Screw(a, b, axis, pitch=0.4, phi=q),
    "cylindrical": lambda a, b, axis, q: Cylindrical(a, b, axis, s=q, phi=-q),
    "universal": lambda a, b, axis, q: Universal(a, b, "x", "z", phi_a=q, phi_b=-q),
    "planar": lambda a, b, axis, q: Planar(a, b, axis, s_x=q, s_y=-q, phi=0.5 * q),
}
SEEDS = given(st.integers(0, 10**6))
KEPT = settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow], phases=(Phase.explicit, Phase.generate))


def random_tree(seed, orientation="quaternion", n=4, kinds=(*SIMPLE, *ORIENTED), free=True):
    """Bodies with joints of any kind in any direction and branches; the last body carries ``tool``; ``other`` is elsewhere."""
    rng = np.random.default_rng(seed)
    is_free = bool(rng.random() < 0.4) and free

    def vector(scale=0.4):
        return tuple((scale * rng.normal(size=3)).tolist())

    objects = {"world": Object3D(feature=Scene(gravity=NoGravity())), "post": Object3D(parent="world", translation=vector())}
    for k in range(n):
        solid = Solid(Box(0.3, 0.2, 0.1), "Steel")
        if k == 0 and is_free:
            moves = {"velocity": vector(), "angular_velocity": vector()}
            more = {"parent": "post", "fixed_to_parent": False, "translation": vector(), "rotation": vector(), **moves}
            objects["b0"] = Object3D(feature=solid, orientation=orientation, **more)
            continue
        before = f"b{max(k - 1 - (rng.random() < 0.3), 0)}" if k else "world"
        objects[f"b{k}"] = Object3D(feature=solid)
        objects[f"a{k}"] = Object3D(parent=before, translation=vector(), rotation=vector())
        objects[f"c{k}"] = Object3D(parent=f"b{k}", translation=vector(), rotation=vector())
        ends = (f"a{k}", f"c{k}") if rng.random() < 0.6 else (f"c{k}", f"a{k}")
        kind, q = str(rng.choice(kinds)), float(0.5 * rng.normal())
        if kind in ORIENTED:
            objects[f"j{k}"] = ORIENTED[kind](*ends, rotation=vector(), angular_velocity=vector(), orientation=orientation)
        else:
            objects[f"j{k}"] = SIMPLE[kind](*ends, vector(1.0), q)
    objects["tool"] = Object3D(parent=f"b{n - 1}", translation=vector(), rotation=vector())
    objects["other"] = Object3D(parent=f"b{int(rng.integers(n - 1))}", translation=vector(), rotation=vector())
    return objects, rng


def dynamics_at(forest, q, v):
    dynamics = Dynamics(forest.ints, forest.floats, forest.gravity)
    dynamics.q[:], dynamics.v[:] = q, v
    dynamics.kinematics()

    def frame(name):
        body, R_BF, p_BF = forest.frame_pose(forest.graph.index[name])
        if body < 0:
            return R_BF, p_BF, np.zeros(3), np.zeros(3)
        R, w = dynamics.R[body].reshape(3, 3), dynamics.w_W[body]
        return R @ R_BF, dynamics.p[body] + R @ p_BF, dynamics.v_W[body] + np.cross(w, R @ p_BF), w

    return frame


def seen(frame, base):
    """Pose and velocity of a frame as seen from another one, in that."""
    (R, p, v, w), (R_B, p_B, v_B, w_B) = frame, base
    return R_B.T @ R, R_B.T @ (p - p_B), R_B.T @ (v - v_B - np.cross(w_B, p - p_B)), R_B.T @ (w - w_B)


def names_of(forest):
    """Names of coordinates and of speeds in the order of ``q`` and ``v``."""
    n = forest.nq - forest.n_equation
    flange = [f"{e.name}.{'phi' if e.joint.kind == 'revolute' else 's'}" for e in forest.graph.prescribed_joints]
    speed = [f"{name.rpartition('.')[0]}.{'w' if name.endswith('phi') else 'v'}" for name in flange]
    return [*flange, *forest.x_names[:n]], [*speed, *forest.x_names[n:]]


def random_state(forest, rng):
    q, v = 0.6 * rng.normal(size=forest.nq), rng.normal(size=forest.nv)
    for i, name in enumerate(names_of(forest)[0]):
        if name.endswith(".q[0]"):
            q[i : i + 4] = rng.normal(size=4)
            q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
    return q, v


def begin(objects, **poses):
    return instantiate(Model3D(**objects, **poses)).simulate(0.0)


@SEEDS
@KEPT
def test_a_reachable_pose_and_velocity_are_there_with_everything_attached(seed):
    objects, rng = random_tree(seed)
    forest = forest_of(Model3D(**objects))
    q, v = random_state(forest, rng)
    wanted = dynamics_at(forest, q, v)
    relative_to = str(rng.choice(["", "post"]))
    R, p, velocity, w = seen(wanted("tool"), wanted(relative_to or "world"))
    pose = InitialPose("tool", p, R.tolist(), velocity, w, relative_to=relative_to)
    result = begin(objects, pose=pose)

    reached = dynamics_at(forest, *(np.array([result[name][0] for name in names]) for names in names_of(forest)))
    for node in forest.graph.frames:  # the engine's frames are where the kernels put them at these states
        for signal, value in zip(("R_abs", "r_abs", "v_abs", "w_abs"), reached(node.name), strict=True):
            assert result[f"{node.name}.{signal}"][0] == pytest.approx(value, abs=1e-9), (node.name, signal)
    for value, expected in zip(seen(reached("tool"), reached(relative_to or "world")), (R, p, velocity, w), strict=True):
        assert value == pytest.approx(expected, abs=1e-8)


@SEEDS
@KEPT
def test_the_choice_of_coordinates_changes_nothing_and_what_carries_not_stays(seed):
    objects, rng = random_tree(seed)
    forest = forest_of(Model3D(**objects))
    R, p, *_ = dynamics_at(forest, *random_state(forest, rng))("tool")
    before = begin(objects)
    after = [begin(random_tree(seed, o)[0], pose=InitialPose("tool", p, R.tolist())) for o in ("quaternion", "zyx", "auto")]
    for node in forest.graph.frames:
        for signal in ("R_abs", "r_abs", "v_abs", "w_abs"):
            first, *others = (result[f"{node.name}.{signal}"][0] for result in after)
            for other in others:
                assert other == pytest.approx(first, abs=1e-9), (node.name, signal)
    carries, frame = {"b0"}, objects["tool"]["parent"]
    while f"a{frame[1:]}" in objects:
        carries.add(f"j{frame[1:]}")
        frame = objects[f"a{frame[1:]}"]["parent"]
    for name in (name for names in names_of(forest) for name in names):
        if name.rpartition(".")[0] not in carries:
            assert after[0][name][0] == before[name][0], name


@SEEDS
@KEPT
def test_two_poses_are_met_together(seed):
    objects, rng = random_tree(seed)
    forest = forest_of(Model3D(**objects))
    frame = dynamics_at(forest, *random_state(forest, rng))
    p, (_, r, velocity, _) = frame("other")[1], seen(frame("tool"), frame("other"))
    poses = {
        "one": InitialPose("other", (p[0], None, None)),
        "two": InitialPose("tool", r, velocity=velocity, relative_to="other"),
    }
    result = begin(objects, **poses)
    reached = seen(*((result[f"{n}.R_abs"][0], *(result[f"{n}.{s}_abs"][0] for s in "rvw")) for n in ("tool", "other")))
    assert result["other.r_abs"][0, 0] == pytest.approx(p[0], abs=1e-9)
    assert reached[1] == pytest.approx(r, abs=1e-9)
    assert reached[2] == pytest.approx(velocity, abs=1e-8)


@SEEDS
@KEPT
def test_the_change_of_joints_is_the_least(seed):
    """Where the position is kept, no direction is left in which the coordinates come nearer to their own initial values."""
    objects, rng = random_tree(seed, kinds=[kind for kind in SIMPLE if kind != "screw"], free=False)
    forest = forest_of(Model3D(**objects))
    names = names_of(forest)[0]
    start = begin(objects)
    q_0 = np.array([start[name][0] for name in names])
    p = dynamics_at(forest, q_0 + 0.3 * rng.normal(size=q_0.size), np.zeros(q_0.size))("tool")[1]
    reached = begin(objects, pose=InitialPose("tool", p))
    dynamics = Dynamics(forest.ints, forest.floats, forest.gravity)
    dynamics.q[:] = [reached[name][0] for name in names]
    body, _, p_BF = forest.frame_pose(forest.graph.index["tool"])
    J = dynamics.frame_jacobian(body, p_BF)[:3]
    change = dynamics.q - q_0
    assert change - np.linalg.pinv(J, rcond=1e-8) @ (J @ change) == pytest.approx(np.zeros(q_0.size), abs=1e-5)
