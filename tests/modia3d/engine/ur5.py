"""The robot UR5: its forward kinematics, all solutions of its inverse kinematics in closed form, its model."""

import itertools
import math

import numpy as np

from modia3d import Box, Model3D, NoGravity, Object3D, Revolute, Scene, Solid

# Denavit-Hartenberg parameters of the robot UR5 (data sheet of the maker) [m, rad]
D = (0.089159, 0.0, 0.0, 0.10915, 0.09465, 0.0823)
A = (0.0, -0.425, -0.39225, 0.0, 0.0, 0.0)
ALPHA = (math.pi / 2, 0.0, 0.0, math.pi / 2, -math.pi / 2, 0.0)
WORLD = Object3D(feature=Scene(gravity=NoGravity()))
BODY = Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), solid_material="Steel"))


def step(k, angle):
    """Pose of the end of link k in that of the link before."""
    c, s, ca, sa = math.cos(angle), math.sin(angle), math.cos(ALPHA[k]), math.sin(ALPHA[k])
    return np.array([[c, -s * ca, s * sa, A[k] * c], [s, c * ca, -c * sa, A[k] * s], [0, sa, ca, D[k]], [0, 0, 0, 1]])


def flange(q):
    """Pose (4, 4) of the flange."""
    T = np.eye(4)
    for k, angle in enumerate(q):
        T = T @ step(k, angle)
    return T


def solutions(T):
    """All angles in closed form: shoulder left or right, wrist up or down, elbow up or down."""
    x, y = (T @ [0.0, 0.0, -D[5], 1.0])[:2]
    for shoulder, wrist, elbow in itertools.product((1.0, -1.0), repeat=3):
        q1 = math.atan2(y, x) + shoulder * math.acos(D[3] / math.hypot(x, y)) + math.pi / 2
        s1, c1 = math.sin(q1), math.cos(q1)
        q5 = wrist * math.acos((T[0, 3] * s1 - T[1, 3] * c1 - D[3]) / D[5])
        s5 = math.sin(q5)
        q6 = math.atan2((T[1, 1] * c1 - T[0, 1] * s1) / s5, (T[0, 0] * s1 - T[1, 0] * c1) / s5)
        T_14 = np.linalg.inv(step(0, q1)) @ T @ np.linalg.inv(step(4, q5) @ step(5, q6))
        px, py = (T_14 @ [0.0, -D[3], 0.0, 1.0])[:2]
        cosine = (px**2 + py**2 - A[1] ** 2 - A[2] ** 2) / (2.0 * A[1] * A[2])
        if abs(cosine) <= 1.0:
            q3 = elbow * math.acos(cosine)
            q2 = -math.atan2(py, -px) + math.asin(A[2] * math.sin(q3) / math.hypot(px, py))
            T_34 = np.linalg.inv(step(1, q2) @ step(2, q3)) @ T_14
            yield np.array([q1, q2, q3, math.atan2(T_34[1, 0], T_34[0, 0]), q5, q6])


def robot(q, **entries):
    """The robot with initial angles q, and entries that are merged."""
    parts, before = {"world": WORLD}, "world"
    for k in range(6):
        parts |= {
            f"link{k}": BODY,
            f"joint{k}": Revolute(before, f"link{k}", "z", phi=q[k]),
            f"end{k}": Object3D(parent=f"link{k}", translation=(A[k], 0.0, D[k]), rotation=(ALPHA[k], 0.0, 0.0)),
        }
        before = f"end{k}"
    return Model3D(**parts) | Model3D(**entries)
