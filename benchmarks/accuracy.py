"""Error and work of simulations for each description of an orientation, against references of high precision.

`python -m benchmarks.accuracy` prints a table, with `--json` one object with `rows`: `case`, `orientation`, `tolerance`,
`steps`, `rhs_evaluations`, `error`. The error is the greatest difference at the end, of an element of a rotation matrix, or
of a coordinate of the double pendulum's masses [m].

Cases: a free spinning body, a gyroscope (a fast symmetric top) and a fast wheel on a rod that hangs by its end on a rope (the
experiment of table 7.1 of the thesis on multibond graphs, with data of our own), whose references are Euler's equations of
the body alone with a quaternion, by scipy's DOP853; a double pendulum, whose reference are its two equations of motion. It
has no orientation among its states ("none").
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from modia3d import (
    MassProperties,
    Model3D,
    NoGravity,
    Object3D,
    Revolute,
    Scene,
    Solid,
    Sphere,
    Spherical,
    UniformGravity,
)
from modia3d.scene.basics.rotations import SEQUENCES, cardan_matrix, matrix_of, quaternion_of
from modiapy import Model, instantiate

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
ORIENTATIONS = ("quaternion", *SEQUENCES, "auto")
STOP_TIME = 2.0
G = 9.81


@dataclass(frozen=True)
class Top:
    """A body that turns about its origin: mass [kg], centre of mass [m], inertia about it [kg m2], start, free or held."""

    mass: float
    centre: tuple[float, float, float]
    moments: tuple[float, float, float]
    rotation: tuple[float, float, float]
    angular_velocity: tuple[float, float, float]
    free: bool = False

    def model(self, orientation: str) -> Model:
        """Return the body in a `Model3D`; gravity along -y."""
        I_x, I_y, I_z = self.moments
        properties = MassProperties(self.mass, self.centre, I_x, I_y, I_z)
        solid = Solid(shape=Sphere(0.1), mass_properties=properties)
        start = {"rotation": self.rotation, "angular_velocity": self.angular_velocity}
        world = Object3D(feature=Scene(gravity=NoGravity() if self.free else UniformGravity(g=G, n="-y")))
        if self.free:
            return Model3D(world=world, body=Object3D(feature=solid, fixed_to_parent=False, orientation=orientation, **start))
        joint = Spherical("world", "body", orientation=orientation, **start)
        return Model3D(world=world, body=Object3D(feature=solid), joint=joint)

    def reference(self) -> np.ndarray:
        """Return ``R_WB`` at the end: Euler's equations about the fixed point, the quaternion of the orientation."""
        c = np.zeros(3) if self.free else np.array(self.centre)
        inertia = np.diag(self.moments) + self.mass * (c @ c * np.eye(3) - np.outer(c, c))
        inverse = np.linalg.inv(inertia)
        weight = np.zeros(3) if self.free else np.array((0.0, -G * self.mass, 0.0))

        def rates(_: float, x: np.ndarray) -> np.ndarray:
            Q, w = x[:4], x[4:]
            torque = np.cross(c, matrix_of("quaternion", Q).T @ weight)
            s, r = Q[0], Q[1:]
            return np.concatenate(
                [[-0.5 * (r @ w)], 0.5 * (s * w + np.cross(r, w)), inverse @ (torque - np.cross(w, inertia @ w))]
            )

        R = cardan_matrix(*self.rotation)
        start = np.concatenate([quaternion_of(R.tolist()), R.T @ self.angular_velocity])
        end = solve_ivp(rates, (0.0, STOP_TIME), start, "DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        return matrix_of("quaternion", end[:4])


TOPS = {
    "free spinning body": Top(2.0, (0.0, 0.0, 0.0), (0.2, 0.35, 0.5), (0.1, 0.2, 0.3), (9.0, 7.0, 3.0), free=True),
    "gyroscope": Top(1.0, (0.0, 0.0, 0.2), (0.01, 0.01, 0.015), (-1.2, 0.3, 0.0), (0.0, 60.0, 0.0)),
    "fast wheel on a rod hung by a rope": Top(1.0, (0.3, 0.0, 0.0), (0.02, 0.011, 0.011), (0.0, 0.0, 0.0), (60.0, 0.0, 0.0)),
}
LENGTH, MASS = 0.5, 1.5


def double_pendulum() -> Model:
    """Return two equal rods without thickness but for a point mass at the end; gravity along -y; they start horizontally."""
    ball = Solid(shape=Sphere(0.1), mass_properties=MassProperties(mass=MASS, Ixx=1e-9, Iyy=1e-9, Izz=1e-9))
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(g=G, n="-y"))),
        one=Object3D(feature=ball),
        two=Object3D(feature=ball),
        before_one=Object3D(parent="one", translation=(-LENGTH, 0.0, 0.0)),
        before_two=Object3D(parent="two", translation=(-LENGTH, 0.0, 0.0)),
        first=Revolute("world", "before_one", "z"),
        second=Revolute("one", "before_two", "z"),
    )


def double_pendulum_reference() -> np.ndarray:
    """Return the positions of both masses at the end, from Lagrange's equations in the angles against the horizontal."""
    I = 1e-9

    def rates(_: float, x: np.ndarray) -> np.ndarray:
        a, b, u, v = x
        c, s, k = math.cos(a - b), math.sin(a - b), MASS * LENGTH**2
        M = np.array([[2.0 * k + I, k * c], [k * c, k + I]])
        force = [-k * s * v * v - 2.0 * MASS * G * LENGTH * math.cos(a), k * s * u * u - MASS * G * LENGTH * math.cos(b)]
        return np.concatenate([[u, v], np.linalg.solve(M, force)])

    a, b = solve_ivp(rates, (0.0, STOP_TIME), np.zeros(4), "DOP853", rtol=1e-13, atol=1e-14).y[:2, -1]
    one = LENGTH * np.array((math.cos(a), math.sin(a), 0.0))
    return np.array([one, one + LENGTH * np.array((math.cos(b), math.sin(b), 0.0))])


def row(case: str, orientation: str, tolerance: float, model: Model, error: Callable[[Any], float]) -> dict[str, Any]:
    """Simulate once."""
    result = instantiate(model).simulate(STOP_TIME, tolerance=tolerance)
    work = {name: int(result.statistics[name]) for name in ("steps", "rhs_evaluations")}
    return {"case": case, "orientation": orientation, "tolerance": tolerance, **work, "error": error(result)}


def measure() -> list[dict[str, Any]]:
    """Return all rows."""
    rows = []
    for case, top in TOPS.items():
        R = top.reference()
        for orientation in ORIENTATIONS:
            for tolerance in TOLERANCES:

                def error(result: Any, R: np.ndarray = R) -> float:
                    return float(np.abs(result["body.R_abs"][-1] - R).max())

                rows.append(row(case, orientation, tolerance, top.model(orientation), error))
    ends = double_pendulum_reference()
    for tolerance in TOLERANCES:
        rows.append(
            row(
                "double pendulum",
                "none",
                tolerance,
                double_pendulum(),
                lambda result: float(
                    np.abs([result[f"{name}.r_abs"][-1] - r for name, r in zip(("one", "two"), ends, strict=True)]).max()
                ),
            )
        )
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    rows = measure()
    if options.json:
        print(json.dumps({"rows": rows}))
        return
    print(f"{'case':<34} {'orientation':<11} {'tolerance':>9} {'steps':>6} {'evaluations':>11}  error")
    for r in rows:
        print(
            f"{r['case']:<34} {r['orientation']:<11} {r['tolerance']:9.0e} {r['steps']:6d} {r['rhs_evaluations']:11d}  "
            f"{r['error']:.1e}"
        )


if __name__ == "__main__":
    main()
