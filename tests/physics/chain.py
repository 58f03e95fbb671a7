"""A chain of bodies on driven revolute joints, as a model and as plain numpy mechanics of the same numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from modia3d import MassProperties, Model3D, Object3D, RevoluteWithFlange, Scene, Solid, UniformGravity
from modiapy import Map, Var
from modiapy.library.blocks import Ramp
from modiapy.library.drives import RigidDrive

G = 9.81
RATIO, J_MOTOR, K_P, K_PI, T_PI = 105.0, 2e-4, 8.0, 0.3, 0.2
"""Of every drive."""


@dataclass(frozen=True)
class Chain:
    """n bodies, each on a revolute joint of the one before. Gravity acts along -z.

    Attributes:
        axes: of the joints, "x", "y" or "z".
        places: of the joints on the body before, (n, 3) [m].
        masses: (n,) [kg]. centres: centres of mass from the joint, (n, 3) [m]. moments: principal moments of inertia about
            them, (n, 3) [kg.m2]; all in coordinates of the body.
        heights: of the ramps that the drives follow, (n,) [rad].
    """

    axes: tuple[str, ...]
    places: np.ndarray
    masses: np.ndarray
    centres: np.ndarray
    moments: np.ndarray
    heights: np.ndarray

    @property
    def n(self) -> int:
        return len(self.axes)


def chain(n: int, seed: int = 0) -> Chain:
    """A chain that is folded at random, so that it stays within reach however long it is."""
    rng = np.random.default_rng(seed)
    axes = tuple("yzx"[k % 3] for k in range(n))
    return Chain(
        axes,
        rng.uniform(-0.3, 0.3, (n, 3)),
        rng.uniform(0.5, 2.0, n),
        rng.uniform(-0.2, 0.2, (n, 3)),
        rng.uniform(0.02, 0.03, (n, 3)),
        rng.uniform(-1.0, 1.0, n),
    )


DRIVE = RigidDrive | Map(ratio=RATIO, J_motor=J_MOTOR, k_p=K_P, k_pi=K_PI, T_pi=T_PI)
"""Controller, motor inertia and rigid gear."""


def model_of(c: Chain) -> Any:
    """The chain with joints ``joint0``, ``joint1``, ... bodies ``body0``, ... and drives ``drive0``, ..."""
    entries: dict[str, Any] = {"world": Object3D(feature=Scene(gravity=UniformGravity(g=G, n="-z")))}
    connect, equations = [], []
    for k in range(c.n):
        Ixx, Iyy, Izz = c.moments[k].tolist()
        properties = MassProperties(mass=float(c.masses[k]), Ixx=Ixx, Iyy=Iyy, Izz=Izz)
        entries[f"body{k}"] = Object3D()
        entries[f"mass{k}"] = Object3D(
            parent=f"body{k}", translation=c.centres[k].tolist(), feature=Solid(mass_properties=properties)
        )
        entries[f"place{k}"] = Object3D(parent=f"body{k - 1}" if k else "world", translation=c.places[k].tolist())
        entries[f"joint{k}"] = RevoluteWithFlange(
            obj1=f"place{k}", obj2=f"body{k}", axis=c.axes[k], phi=Var(init=0.0), w=Var(init=0.0)
        )
        entries[f"drive{k}"] = DRIVE
        entries[f"ramp{k}"] = Ramp | Map(height=float(c.heights[k]), duration=0.5, start_time=0.1)
        connect += [(f"drive{k}.flange", f"joint{k}.flange"), (f"ramp{k}.y", f"drive{k}.phi_ref")]
        equations.append(f"drive{k}.w_ref = 0")
    return Model3D(**entries, connect=connect, equations=equations)


def _turn(axis: str, angle: Any) -> np.ndarray:
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    R = np.eye(3, dtype=np.asarray(angle).dtype if np.iscomplexobj(angle) else float)
    R[j, j] = R[k, k] = np.cos(angle)
    R[k, j] = np.sin(angle)
    R[j, k] = -R[k, j]
    return R


def _jacobians(c: Chain, q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For every body: rotation, and the matrices from joint speeds to velocity of the centre of mass and angular velocity."""
    R, p = np.eye(3), np.zeros(3)
    axes, origins, result = [], [], []
    for k in range(c.n):
        p = p + R @ c.places[k]
        axes.append(R[:, "xyz".index(c.axes[k])])
        origins.append(p)
        R = R @ _turn(c.axes[k], q[k])
        centre = p + R @ c.centres[k]
        J_v, J_w = np.zeros((3, c.n), q.dtype), np.zeros((3, c.n), q.dtype)
        for i in range(k + 1):
            J_w[:, i], J_v[:, i] = axes[i], np.cross(axes[i], centre - origins[i])
        result.append((R, J_v, J_w))
    return result


def equations_of_motion(c: Chain, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M (n, n) and h (n,) of ``M a + h = tau``, from the power that forces and torques of inertia have (d'Alembert).

    The rates of the Jacobians are exact derivatives, by a complex step along the motion.
    """
    step = 1e-30
    M, h = np.zeros((c.n, c.n)), np.zeros(c.n)
    shifted = _jacobians(c, q + 1j * step * v)
    for k, (R, J_v, J_w) in enumerate(_jacobians(c, q.astype(float))):
        inertia, w = R @ np.diag(c.moments[k]) @ R.T, J_w @ v
        a_v, a_w = (shifted[k][i].imag @ v / step for i in (1, 2))
        M += c.masses[k] * J_v.T @ J_v + J_w.T @ inertia @ J_w
        h += c.masses[k] * J_v.T @ (a_v + [0.0, 0.0, G]) + J_w.T @ (inertia @ a_w + np.cross(w, inertia @ w))
    return M, h
