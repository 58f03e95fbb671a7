"""Closed mechanisms of `benchmarks.loops`, described once: bodies and joints where they are at the start, all in the world.

Every mechanism has one degree of freedom. `Joint.cut` is what a tree leaves out, for those who need a tree; our engine gets the
whole of it. Sources:
  N four-bars    problem A02 of the IFToMM library of computational benchmark problems: N windows of rods of 1 m and 1 kg, tips
                 at 1 m/s; the parallelogram stays one, though it passes through positions in line, where it has a choice
  squeezer       Andrews' squeezing mechanism (Schiehlen 1990; Hairer and Wanner, vol. II, VII.7): the data, and positions at
                 0.03 s, are those of the Test Set for IVP Solvers
  Bricard        problem A04 of the IFToMM library: five rods and six hinges along edges of a cube, one row of 30 is redundant
  engine V6      geometry and masses of `EngineV6` of the Modelica Standard Library, which runs without gas and load
  arm            a robot of seven hinges whose both ends are held, under gravity
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
WORLD = "world"
X, Y, Z = np.eye(3)
ORIGIN = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: mass [kg], centre of mass [m], inertia about it [kg.m2], origin of its frame, in the world at the start."""

    name: str
    mass: float
    centre: Array
    inertia: Array
    origin: Array


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint of two bodies (`WORLD`: none) in the world at the start: "revolute", "prismatic" or "fixed"."""

    name: str
    kind: str
    one: str
    two: str
    point: Array
    axis: Array
    cut: bool = False


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring between a point of the world and one of a body, both in the world at the start."""

    fixed: Array
    body: str
    point: Array
    stiffness: float
    length: float


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A closed mechanism.

    Attributes:
        case: its name.
        bodies: parents before children; each is the ``two`` of one joint that is not cut.
        speed: of the first joint at the start [rad/s].
        probes: bodies and points on them, in the world at the start, whose motion is compared.
        size: length of a typical link, by which errors are divided [m].
        normal: of the planes in which all bodies move, if there are any.
        springs, torques: what acts besides gravity; constant torques on bodies from outside.
    """

    case: str
    bodies: Sequence[Body]
    joints: Sequence[Joint]
    gravity: Array
    stop_time: float
    speed: float
    probes: Sequence[tuple[str, Array]]
    size: float = 1.0
    normal: Array | None = None
    springs: Sequence[Spring] = ()
    torques: Sequence[tuple[str, Array]] = ()

    @property
    def tree(self) -> list[Joint]:
        """The joints of the bodies, in their order."""
        before = {joint.two: joint for joint in self.joints if not joint.cut}
        return [before[body.name] for body in self.bodies]

    @property
    def cuts(self) -> list[Joint]:
        """The joints that a tree leaves out."""
        return [joint for joint in self.joints if joint.cut]


def axes_about(direction: Array) -> Array:
    """Return a rotation matrix whose third column has this direction."""
    z = direction / np.linalg.norm(direction)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def rod(name: str, mass: float, begin: Array, end: Array, width: float = 0.0) -> Body:
    """Return a uniform rod of square cross-section."""
    along = end - begin
    length = float(np.linalg.norm(along))
    e = along / length
    across = mass * (length**2 + width**2) / 12.0
    inertia = across * (np.eye(3) - np.outer(e, e)) + max(mass * width**2 / 6.0, 1e-6 * across) * np.outer(e, e)
    return Body(name, mass, 0.5 * (begin + end), inertia, begin)


def four_bars(n: int, stop_time: float = 10.0) -> Mechanism:
    """Return a chain of n windows, upright at the start."""
    bodies, joints = [], []
    for k in range(n + 1):
        foot, top = k * X, k * X + Y
        bodies.append(rod(f"rocker{k}", 1.0, foot, top))
        joints.append(Joint(f"foot{k}", "revolute", WORLD, f"rocker{k}", foot, Z))
        if k < n:
            bodies.append(rod(f"coupler{k}", 1.0, top, top + X))
            joints.append(Joint(f"top{k}", "revolute", f"rocker{k}", f"coupler{k}", top, Z))
        if k:
            joints.append(Joint(f"pin{k}", "revolute", f"coupler{k - 1}", f"rocker{k}", top, Z, cut=True))
    return Mechanism(
        f"{n} four-bars", bodies, joints, -9.81 * Y, stop_time, -1.0, [("rocker0", Y), (f"rocker{n}", n * X + Y)], normal=Z
    )


def four_bars_angle(n: int, times: Array) -> Array:
    """Return the angle of all rockers [rad]: each turns about its foot, the couplers only move along with their tops."""
    from scipy.integrate import solve_ivp

    J, weight = (n + 1) / 3.0 + n, ((n + 1) / 2.0 + n) * 9.81
    ode = solve_ivp(
        lambda _, y: (y[1], -weight / J * math.cos(y[0])), (0.0, times[-1]), (math.pi / 2.0, -1.0), "DOP853",
        t_eval=times, rtol=1e-13, atol=1e-13,
    )  # fmt: skip
    return np.asarray(ode.y[0])


SQUEEZER_START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
    0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)  # fmt: skip
"""Angles beta, Theta, gamma, Phi, delta, Omega, epsilon at the start [rad]."""
SQUEEZER_END = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
    1.048080741042263,
)  # fmt: skip
"""The same at 0.03 s, as published."""


def squeezer_points(angles: Sequence[float]) -> dict[str, Array]:
    """Return the joints, centres of mass and the end of the spring of Andrews' squeezer at its seven angles [m]."""
    beta, theta, gamma, phi, delta, omega, epsilon = angles

    def at(angle: float, along: float, across: float = 0.0) -> Array:
        """Return a vector with components along and across the direction of an angle."""
        c, s = math.cos(angle), math.sin(angle)
        return np.array((along * c - across * s, along * s + across * c, 0.0))

    A, B = np.array((-0.06934, -0.00227, 0.0)), np.array((-0.03635, 0.03273, 0.0))
    F = at(beta, 0.007)
    G, H = A + at(delta, 0.04), A + at(epsilon, 0.0, -0.04)
    return {
        "O": ORIGIN, "A": A, "B": B, "C": np.array((0.014, 0.072, 0.0)), "D": B + at(gamma, 0.02, -0.018),
        "F": F, "G": G, "H": H, "E": F - at(beta + theta, 0.028),
        "K1": at(beta, 0.00092), "K2": F - at(beta + theta, 0.0115), "K3": B + at(gamma, 0.01043, -0.01874),
        "K4": G + at(phi + delta, 0.0, -(0.02 - 0.01421)), "K5": A + at(delta, 0.02308, 0.00916),
        "K6": H + at(omega + epsilon, 0.02 - 0.01421), "K7": A + at(epsilon, 0.00449, -0.01228),
    }  # fmt: skip


def squeezer() -> Mechanism:
    """Return seven bodies in a plane, three loops through one point; a motor of 0.033 N.m, a spring."""
    p = squeezer_points(SQUEEZER_START)
    data = {
        "K1": (0.04325, 2.194e-6, "O"), "K2": (0.00365, 4.410e-7, "F"), "K3": (0.02373, 5.255e-6, "B"),
        "K5": (0.07050, 1.169e-5, "A"), "K4": (0.00706, 5.667e-7, "G"), "K7": (0.05498, 1.912e-5, "A"),
        "K6": (0.00706, 5.667e-7, "H"),
    }  # fmt: skip
    before = {"K1": WORLD, "K2": "K1", "K3": WORLD, "K5": WORLD, "K4": "K5", "K7": WORLD, "K6": "K7"}
    bodies = [Body(name, m, p[name], J * np.eye(3), p[at]) for name, (m, J, at) in data.items()]
    joints = [Joint(f"hinge of {name}", "revolute", before[name], name, p[at], Z) for name, (_, _, at) in data.items()]
    joints += [Joint(f"pin of {name}", "revolute", "K2", name, p["E"], Z, cut=True) for name in ("K3", "K4", "K6")]
    joints = [Joint(j.name.replace(" ", "_"), j.kind, j.one, j.two, j.point, j.axis, j.cut) for j in joints]
    return Mechanism(
        "squeezer", bodies, joints, ORIGIN, 0.03, 0.0, [("K1", p["F"]), ("K3", p["D"]), ("K5", p["G"]), ("K7", p["H"])], 0.02,
        normal=Z, springs=[Spring(p["C"], "K3", p["D"], 4530.0, 0.07785)], torques=[("K1", 0.033 * Z)],
    )  # fmt: skip


def bricard(stop_time: float = 10.0) -> Mechanism:
    """Return the rods of 1 m and 1 kg with a cross-section of 0.1 m, from corner to corner of a cube."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    edges = np.roll(corners, -1, axis=0) - corners
    axes = [np.cross(edges[k - 1], edges[k]) for k in range(6)]
    bodies = [rod(f"rod{k}", 1.0, corners[k], corners[k + 1], 0.1) for k in range(5)]
    joints = [Joint(f"hinge{k}", "revolute", f"rod{k - 1}" if k else WORLD, f"rod{k}", corners[k], axes[k]) for k in range(5)]
    joints.append(Joint("hinge5", "revolute", "rod4", WORLD, corners[5], axes[5], cut=True))
    return Mechanism("Bricard", bodies, joints, -9.81 * Y, stop_time, 0.0, [("rod2", corners[3]), ("rod1", corners[2])])


STEEL = 7700.0
"""Density of the bodies of the Modelica library [kg/m3]."""
CRANK_ANGLES = (-30.0, 90.0, 210.0, 210.0, 90.0, -30.0)
CYLINDER_ANGLES = (-30.0, 30.0, -30.0, 30.0, -30.0, 30.0)


def _cylinder(diameter: float, length: float, centre: Array, along: Array) -> tuple[float, Array, Array]:
    """Return the mass, centre and inertia about it of a cylinder of steel."""
    mass = STEEL * math.pi / 4.0 * diameter**2 * length
    around, across = mass * diameter**2 / 8.0, mass * (diameter**2 / 16.0 + length**2 / 12.0)
    return mass, centre, across * np.eye(3) + (around - across) * np.outer(along, along)


def _box(size: tuple[float, float, float], centre: Array, axes: Array) -> tuple[float, Array, Array]:
    """Return the mass, centre and inertia about it of a box of steel, whose edges are the columns of ``axes``."""
    mass, (a, b, c) = STEEL * math.prod(size), size
    return mass, centre, axes @ np.diag((b * b + c * c, a * a + c * c, a * a + b * b)) @ axes.T * mass / 12.0


def _together(name: str, parts: Sequence[tuple[float, Array, Array]], origin: Array) -> Body:
    """Return one body of several."""
    mass = sum(m for m, _, _ in parts)
    centre = sum((m * c for m, c, _ in parts), ORIGIN) / mass
    inertia = sum((I + m * ((c - centre) @ (c - centre) * np.eye(3) - np.outer(c - centre, c - centre)) for m, c, I in parts),
                  np.zeros((3, 3)))  # fmt: skip
    return Body(name, mass, centre, inertia, origin)


def engine_v6(stop_time: float = 1.0) -> Mechanism:
    """Return the crankshaft along x with the inertia of the load, 1 kg.m2; six rods and pistons; 10 rad/s."""
    radius, length = 0.1, 0.2
    shaft: list[tuple[float, Array, Array]] = [(1e-6, ORIGIN, np.diag((1.0, 1e-6, 1e-6)))]
    bodies, joints = [], [Joint("bearing", "revolute", WORLD, "crankshaft", ORIGIN, X)]
    for k, (crank, cylinder) in enumerate(zip(np.radians(CRANK_ANGLES), np.radians(CYLINDER_ANGLES), strict=True)):
        begin, along = 0.2 * k * X, math.cos(cylinder) * Y + math.sin(cylinder) * Z
        web = math.cos(crank) * Y + math.sin(crank) * Z
        pin, turned = begin + 0.15 * X + radius * web, np.column_stack([web, X, np.cross(web, X)])
        shaft += [
            _cylinder(0.05, 0.12, begin + 0.05 * X, X),
            _box((0.1, 0.02, 0.05), begin + 0.1 * X + 0.05 * web, turned),
            _cylinder(0.03, 0.12, begin + 0.15 * X + radius * web, X),
            _box((0.1, 0.02, 0.05), begin + 0.2 * X + 0.05 * web, turned),
        ]
        offset = radius * web - radius * (web @ along) * along
        wrist = pin - offset + math.sqrt(length**2 - offset @ offset) * along
        e = (wrist - pin) / length
        bodies.append(
            _together(f"rod{k}", [_box((0.22, 0.02, 0.06), pin + 0.09 * e, np.column_stack([e, X, np.cross(e, X)]))], pin)
        )
        bodies.append(_together(f"piston{k}", [_cylinder(0.1, 0.1, wrist + 0.05 * along, along)], wrist))
        joints.append(Joint(f"pin{k}", "revolute", "crankshaft", f"rod{k}", pin, X))
        joints.append(Joint(f"cylinder{k}", "prismatic", WORLD, f"piston{k}", wrist, along))
        joints.append(Joint(f"wrist{k}", "revolute", f"rod{k}", f"piston{k}", wrist, X, cut=True))
        if k == 0:
            first = wrist
    bodies.insert(0, _together("crankshaft", shaft, ORIGIN))
    probes = [("crankshaft", radius * Y), ("piston0", first)]
    return Mechanism("engine V6", bodies, joints, -9.80665 * Y, stop_time, 10.0, probes, radius, normal=X)


def arm(stop_time: float = 2.0) -> Mechanism:
    """Link of 0.2 m and about 2 kg; axes z y z y z y z where the arm is stretched, both ends held where it is bent."""
    angles = (0.3, 0.5, -0.4, 1.2, 0.6, 0.9, 0.2)
    R, p, before, bodies, joints = np.eye(3), 0.15 * Z, WORLD, [], []
    for k, (angle, axis) in enumerate(zip(angles, (Z, Y, Z, Y, Z, Y, Z), strict=True)):
        joints.append(Joint(f"joint{k}", "revolute", before, f"link{k}", p, R @ axis))
        R = R @ _rotation(axis, angle)
        bodies.append(Body(f"link{k}", 3.0 - 0.3 * k, p + R @ (0.01, 0.02, 0.08), R @ np.diag((0.02, 0.02, 0.01)) @ R.T, p))
        p, before = p + R @ (0.03 * (k % 2), 0.05 * (k == 1), 0.2 if k < 6 else 0.1), f"link{k}"
    joints.append(Joint("second_end", "fixed", before, WORLD, p, Z, cut=True))
    elbow = bodies[3].origin
    return Mechanism("arm", bodies, joints, -9.81 * Z, stop_time, 0.3, [("link2", elbow), ("link4", bodies[5].origin)], 0.2)


def _rotation(axis: Array, angle: float) -> Array:
    from modia3d.scene.basics.rotations import axis_rotation

    return axis_rotation(axis.tolist(), angle)


CASES: dict[str, Callable[[], Mechanism]] = {"squeezer": squeezer, "Bricard": bricard, "engine V6": engine_v6, "arm": arm}
