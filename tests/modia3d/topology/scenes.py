"""Scenes for the tests of the topology, and forward kinematics of a forest that shares no code with the package."""

import math

import numpy as np
from scipy.spatial.transform import Rotation

from modia3d.scene.frame import Frame
from modia3d.scene.gravity import NoGravity
from modia3d.scene.joints import PrismaticJoint, RevoluteJoint
from modia3d.scene.mass_properties import MassProperties
from modia3d.scene.scene_feature import SceneFeature
from modia3d.scene.solid import SolidFeature
from modia3d.topology.motion import FrameMotion

HALF = math.pi / 2
FACES = {
    "Xpos": ((0.2, 0, 0), (0, HALF, 0)),
    "Xneg": ((-0.2, 0, 0), (0, -HALF, 0)),
    "Ypos": ((0, 0.2, 0), (-HALF, 0, 0)),
    "Yneg": ((0, -0.2, 0), (HALF, 0, 0)),
    "Zpos": ((0, 0, 0.2), (0, 0, 0)),
    "Zneg": ((0, 0, -0.2), (math.pi, 0, 0)),
}


def world(**mating):
    """The world frame, without gravity."""
    from modia3d.scene.scene_feature import MatingTolerance

    return Frame(feature=SceneFeature(gravity=NoGravity(), mating=MatingTolerance(**mating)))


def solid(mass=1.0):
    """A solid with three different moments of inertia and its center of mass off the origin."""
    return SolidFeature(
        mass_properties=MassProperties(mass, (0.01, 0.02, 0.03), 0.02 * mass, 0.03 * mass, 0.04 * mass, 0.001 * mass)
    )


def box(name, position, velocity=(0, 0, 0), **fields):
    """A cube of 0.4 m with a lock frame on each face; z of a lock frame points outwards."""
    objects = {
        f"{name}.body": Frame(
            parent="world", fixed_to_parent=False, translation=position, velocity=velocity, feature=solid(10.0), **fields
        )
    }
    for face, (translation, rotation) in FACES.items():
        objects[f"{name}.{face}"] = Frame(parent="body", translation=translation, rotation=rotation, lockable=True)
    return objects


def arm(name, n, *, with_flange=True, position=(0.0, 0.0, 0.0), prismatic=()):
    """A chain of n joints about alternating axes from the lock frame ``base`` (z down) to the lock frame ``tip`` (z up)."""
    axes = ("z", "y", "-x", (0.0, 0.6, 0.8))
    objects = {
        f"{name}.link0": Frame(
            parent="world", fixed_to_parent=False, translation=position, assembly_root=True, feature=solid(2.0)
        ),
        f"{name}.base": Frame(parent="link0", rotation=(math.pi, 0, 0), lockable=True),
    }
    for k in range(1, n + 1):
        joint = PrismaticJoint if k in prismatic else RevoluteJoint
        objects[f"{name}.end{k - 1}"] = Frame(parent=f"link{k - 1}", translation=(0, 0, 0.3), rotation=(0.1 * k, 0, 0))
        objects[f"{name}.link{k}"] = Frame(feature=solid(1.0 + 0.1 * k))
        objects[f"{name}.begin{k}"] = Frame(parent=f"link{k}", translation=(0, 0.05, -0.1), rotation=(0, 0.2, 0))
        objects[f"{name}.rev{k}"] = joint(f"end{k - 1}", f"begin{k}", axes[k % 4], with_flange=with_flange)
    objects[f"{name}.tip"] = Frame(parent=f"link{n}", translation=(0, 0, 0.2), lockable=True)
    return objects


def platform(nx=3, ny=3):
    """Lock frames ``platform.X1Y1``, ... on a grid of 0.4 m in the plane z = 0, fixed to the world."""
    return {
        f"platform.X{i}Y{j}": Frame(parent="world", translation=(0.4 * i, 0.4 * j, 0), lockable=True)
        for i in range(1, nx + 1)
        for j in range(1, ny + 1)
    }


def coordinates(forest, joint_start, x):
    """q and v of all joints of a forest from the prescribed joints' values and ``x_var``."""
    n_e, n_q = forest.n_equation, forest.nq - forest.n_equation
    q, v = np.zeros(forest.nq), np.zeros(forest.nv)
    for edge in forest.graph.prescribed_joints:
        (q[edge.equation],), (v[edge.equation],) = joint_start.get(edge.name, ((0.0,), (0.0,)))
    q[n_e:], v[n_e:] = x[:n_q], x[n_q:]
    return q, v


def kinematics(forest, q, v):
    """Motion of all frames by name, from the arrays of a forest as docs/architecture.md describes them."""
    bodies = []
    for row, numbers in zip(forest.ints, forest.floats, strict=True):
        parent, kind, iq, iv = row[:4]
        R, p, velocity, w = bodies[parent] if parent >= 0 else (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
        arm = R @ numbers[9:12]
        p, velocity, R = p + arm, velocity + np.cross(w, arm), R @ numbers[:9].reshape(3, 3)
        if kind == 0:
            w = w + R[:, 2] * v[iv]
            R = R @ Rotation.from_rotvec([0, 0, q[iq]]).as_matrix()
        elif kind == 1:
            slide = R[:, 2] * q[iq]
            p, velocity = p + slide, velocity + np.cross(w, slide) + R[:, 2] * v[iv]
        else:
            assert parent == -1
            R = Rotation.from_quat([*q[iq + 4 : iq + 7], q[iq + 3]]).as_matrix()
            p, velocity, w = q[iq : iq + 3], v[iv : iv + 3], R @ v[iv + 3 : iv + 6]
        bodies.append((R, p, velocity, w))
    motions = {}
    for i, node in enumerate(forest.graph.frames):
        body, R_BF, p_BF = forest.frame_pose(i)
        if body == -2:
            continue
        R, p, velocity, w = bodies[body] if body >= 0 else (np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
        motions[node.name] = FrameMotion(R @ R_BF, p + R @ p_BF, velocity + np.cross(w, R @ p_BF), w)
    return motions


def difference(one, other):
    """Greatest difference of two motions of one frame."""
    pairs = ((one.R_WF, other.R_WF), (one.p_WF, other.p_WF), (one.v_WF_W, other.v_WF_W), (one.w_WF_W, other.w_WF_W))
    return max(float(np.abs(a - b).max()) for a, b in pairs)


def arrays(forest):
    """All arrays of a forest as bytes."""
    return [
        getattr(forest, name).tobytes()
        for name in ("ints", "floats", "gravity", "body_joint", "reversed", "frame_body", "frame_R", "frame_p")
    ]
