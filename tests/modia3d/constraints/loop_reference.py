"""Random closed mechanisms, and their mechanics in absolute coordinates: a slow reference without a tree and without cuts.

All bodies have six degrees of freedom, and all joints are alike, whichever a tree would keep: a joint demands that the pose of
one of its frames in the other is that of its coordinates (twelve equations, most of them redundant). What follows is dense:
first derivatives by the complex step, second ones by differences of these, the motions that are left by the null space, the
accelerations among them that are nearest to the free ones in the metric of the mass matrix (Gauss' principle).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from modia3d import (
    Cylindrical,
    Fix,
    Object3D,
    Planar,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Screw,
    Spherical,
    UniformGravity,
    Universal,
)  # fmt: skip
from modiapy import Var
from tests.modia3d.scenes import body, world

Array = np.ndarray[Any, Any]
Pose = tuple[Array, Array]
"""Rotation and position of a frame in another."""

WORLD = -1
FREEDOM = {"fixed": 0, "revolute": 1, "prismatic": 1, "screw": 1, "cylindrical": 2, "universal": 2, "planar": 3, "spherical": 3}
KINDS = tuple(FREEDOM)
DRIVEN = {"revolute": (RevoluteWithFlange, "phi", "w"), "prismatic": (PrismaticWithFlange, "s", "v")}
TINY = 1e-9
"""Singular values below this part of the largest one are none: configurations are exact but for rounding."""
_STEP = 1e-3


def turned(axis: Array, angle: Any) -> Array:
    """Rotation about a vector, by its length times an angle, which may be complex."""
    length = np.linalg.norm(axis)
    if length == 0.0:
        return np.eye(3)
    x, y, z = axis / length
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(length * angle) * K + (1.0 - np.cos(length * angle)) * K @ K


def after(one: Pose, two: Pose) -> Pose:
    """The pose of a frame that is given in a frame that is given."""
    return one[0] @ two[0], one[1] + one[0] @ two[1]


def seen_from(one: Pose, two: Pose) -> Pose:
    """The pose of the second frame in the first one."""
    return one[0].T @ two[0], one[0].T @ (two[1] - one[1])


def random_pose(rng: np.random.Generator, size: float = 0.5, flat: bool = False) -> Pose:
    """A frame at random; ``flat``: its z axis is that of the frame it is in."""
    turn = np.array((0.0, 0.0, rng.uniform(-3.0, 3.0))) if flat else rng.uniform(-1.8, 1.8, 3)
    return turned(turn, 1.0), rng.uniform(-size, size, 3)


def axes_with_z(z: Array) -> Array:
    """Some rotation whose third column is a unit vector."""
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


@dataclass(frozen=True, eq=False)
class Part:
    """A body: mass, centre of mass in its axes, inertia about that, its pose at present."""

    name: str
    mass: float
    centre: Array
    inertia: Array
    pose: Pose

    def entry(self) -> Object3D:
        """The body of a scene."""
        I = self.inertia
        return body(self.mass, (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]), tuple(self.centre))


@dataclass(frozen=True, eq=False)
class Link:
    """A joint between frames on two bodies (`WORLD`: none) and its coordinates at present.

    Attributes:
        axes: those of the joint, in both frames; the third one is what it turns about or moves along.
        pitch: advance for each revolution of a screw [m].
        rotation: of a spherical or fixed joint, in place of coordinates.
    """

    name: str
    kind: str
    bodies: tuple[int, int]
    frames: tuple[Pose, Pose]
    axes: Array
    q: Array
    pitch: float = 0.0
    rotation: Array | None = None

    def pose(self, rates: Array, t: Any) -> Pose:
        """Frame 2 in frame 1 after a time, which may be complex, in which the coordinates change with constant rates."""
        q, one, none, ez = self.q + t * rates, np.eye(3), np.zeros(3), np.array((0.0, 0.0, 1.0))
        x, y = np.eye(3)[:2]
        poses: dict[str, Callable[[], Pose]] = {
            "fixed": lambda: (self.rotation, self.axes.T @ self.q),
            "revolute": lambda: (turned(ez, q[0]), none),
            "prismatic": lambda: (one, q[0] * ez),
            "screw": lambda: (turned(ez, q[0]), self.pitch / (2.0 * np.pi) * q[0] * ez),
            "cylindrical": lambda: (turned(ez, q[1]), q[0] * ez),
            "universal": lambda: (turned(x, q[0]) @ turned(y, q[1]), none),
            "planar": lambda: (turned(ez, q[2]), q[0] * x + q[1] * y),
            "spherical": lambda: (self.rotation @ turned(rates, t), none),
        }
        R, p = poses[self.kind]()
        return self.axes @ R @ self.axes.T, self.axes @ p

    def opening(self, pose: Pose) -> float:
        """By how much a pose of frame 2 in frame 1 is none that the joint allows [m, rad]."""
        R, p = self.axes.T @ pose[0] @ self.axes, self.axes.T @ pose[1]
        if self.kind == "fixed":
            return float(max(np.linalg.norm(p - self.axes.T @ self.q), np.abs(R - self.rotation).max()))
        tilt, across = np.hypot(R[0, 2], R[1, 2]), np.hypot(p[0], p[1])
        away, turn = np.linalg.norm(p), np.abs(R - np.eye(3)).max()
        lead = 2.0 * np.pi / self.pitch * p[2]
        thread = np.hypot(R[0, 0] - np.cos(lead), R[1, 0] - np.sin(lead))
        parts = {
            "revolute": (away, tilt),
            "prismatic": (across, turn),
            "screw": (across, tilt, thread),
            "cylindrical": (across, tilt),
            "universal": (away, abs(R[0, 1])),
            "planar": (abs(p[2]), tilt),
            "spherical": (away,),
        }
        return float(max(parts[self.kind]))

    def entry(self, one: str, two: str, rates: Array, driven: bool = False) -> Any:
        """The joint of a scene; ``driven``: with a flange, on which nothing acts."""
        axis = tuple(self.axes[:, 2])
        q, v = self.q.tolist(), rates.tolist()
        if driven and self.kind in DRIVEN:
            maker, coordinate, speed = DRIVEN[self.kind]
            return maker(one, two, axis, **{coordinate: Var(init=q[0]), speed: Var(init=v[0])})
        if self.kind == "fixed":
            return Fix(one, two, translation=q, rotation=self.rotation.tolist())
        if self.kind == "spherical":
            return Spherical(one, two, rotation=self.rotation.tolist(), angular_velocity=self.rotation @ rates)
        if self.kind == "universal":
            return Universal(one, two, "x", "y", phi_a=q[0], phi_b=q[1], w_a=v[0], w_b=v[1])
        if self.kind == "planar":
            return Planar(one, two, "z", axis_x="x", s_x=q[0], s_y=q[1], phi=q[2], v_x=v[0], v_y=v[1], w=v[2])
        if self.kind == "cylindrical":
            return Cylindrical(one, two, axis, s=q[0], phi=q[1], v=v[0], w=v[1])
        if self.kind == "prismatic":
            return Prismatic(one, two, axis, s=q[0], v=v[0])
        if self.kind == "screw":
            return Screw(one, two, axis, pitch=self.pitch, phi=q[0], w=v[0])
        return Revolute(one, two, axis, phi=q[0], w=v[0])


def linked(rng: np.random.Generator, name: str, kind: str, bodies: tuple[int, int], first: Pose, flat: bool = False) -> Link:
    """A joint with random axes and coordinates; its second frame is still that of the body itself."""
    own = kind in ("revolute", "prismatic", "screw", "cylindrical") and not flat
    axes = axes_with_z(turned(rng.normal(size=3), 1.0)[:, 2]) if own else np.eye(3)
    q = rng.uniform(-1.2, 1.2, 3 if kind == "fixed" else 0 if kind == "spherical" else FREEDOM[kind])
    rotation = turned(rng.normal(size=3), 1.0) if kind in ("fixed", "spherical") else None
    if kind == "spherical":
        q = np.zeros(3)
    return Link(name, kind, bodies, (first, (np.eye(3), np.zeros(3))), axes, q, rng.uniform(0.2, 1.0), rotation)


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Bodies and joints at one moment.

    Attributes:
        gravity: acceleration of free fall [m/s2].
        wish: what the speeds are made of, shape (6 n + coordinates of all joints,).
    """

    parts: Sequence[Part]
    links: Sequence[Link]
    gravity: Array
    wish: Array

    # -- motion --------------------------------------------------------------------------------------------------------

    @cached_property
    def rates_at(self) -> list[slice]:
        """Where the rates of each joint are among the unknowns, behind velocities of centre and angular ones of each body."""
        at = 6 * len(self.parts) + np.cumsum([0, *(FREEDOM[link.kind] for link in self.links)])
        return [slice(begin, end) for begin, end in pairwise(at.tolist())]

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return 6 * len(self.parts) + sum(FREEDOM[link.kind] for link in self.links)

    def centre_of(self, k: int) -> Array:
        """Centre of mass in the world at present."""
        R, p = self.parts[k].pose
        return p + R @ self.parts[k].centre

    def pose_after(self, k: int, u: Array, t: Any) -> Pose:
        """A body after a time with constant velocity of its centre and constant angular velocity."""
        if k == WORLD:
            return np.eye(3), np.zeros(3)
        part, v, w = self.parts[k], u[6 * k : 6 * k + 3], u[6 * k + 3 : 6 * k + 6]
        R = turned(w, t) @ part.pose[0]
        return R, self.centre_of(k) + t * v - R @ part.centre

    def gaps(self, u: Array, t: Any) -> Array:
        """By how much the poses at all joints differ from those of their coordinates, after a time with constant speeds."""
        found = []
        for link, at in zip(self.links, self.rates_at, strict=True):
            one, two = (after(self.pose_after(k, u, t), F) for k, F in zip(link.bodies, link.frames, strict=True))
            rates = np.zeros(3) if link.kind == "fixed" else u[at]
            for is_, should in zip(seen_from(one, two), link.pose(rates, t), strict=True):
                found.append((is_ - should).ravel())
        return np.concatenate(found)

    def gap_rates(self, u: Array, t: float = 0.0) -> Array:
        """Their derivatives with respect to time, by the complex step."""
        return self.gaps(u, t + 1e-30j).imag / 1e-30

    @cached_property
    def conditions(self) -> Array:
        """The matrix C of ``C u = 0``, by the complex step."""
        return np.column_stack([self.gap_rates(e) for e in np.eye(self.size)])

    @cached_property
    def motions(self) -> Array:
        """An orthonormal basis of the speeds that all joints allow, shape (size, dof)."""
        _, s, Vt = np.linalg.svd(self.conditions)
        return Vt[int(np.sum(s > TINY * s[0])) :].T

    @property
    def dof(self) -> int:
        """Degrees of freedom."""
        return self.motions.shape[1]

    @property
    def clear(self) -> bool:
        """Whether no singular value is near the tolerances, where the rank is a matter of taste."""
        s = np.linalg.svd(self.conditions, compute_uv=False)
        return not ((s > TINY * s[0] * 1e-3) & (s < 3e-3 * s[0])).any()

    @cached_property
    def speeds(self) -> Array:
        """The allowed speeds nearest to the wish."""
        return self.motions @ (self.motions.T @ self.wish)

    def velocity(self, k: int) -> tuple[Array, Array]:
        """Of a body: velocity of its centre, angular velocity."""
        return self.speeds[6 * k : 6 * k + 3], self.speeds[6 * k + 3 : 6 * k + 6]

    # -- forces --------------------------------------------------------------------------------------------------------

    @cached_property
    def mass_matrix(self) -> Array:
        """Of all bodies, shape (6 n, 6 n)."""
        M = np.zeros((6 * len(self.parts),) * 2)
        for k, part in enumerate(self.parts):
            M[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = part.mass * np.eye(3)
            M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = part.pose[0] @ part.inertia @ part.pose[0].T
        return M

    @cached_property
    def free_accelerations(self) -> Array:
        """Newton's and Euler's equations of bodies without joints, shape (6 n,)."""
        M, n = self.mass_matrix, len(self.parts)
        f = np.zeros(6 * n)
        for k, part in enumerate(self.parts):
            at, w = slice(6 * k + 3, 6 * k + 6), self.velocity(k)[1]
            f[6 * k : 6 * k + 3] = part.mass * self.gravity
            f[at] = -np.cross(w, M[at, at] @ w)
        return np.linalg.solve(M, f)

    @cached_property
    def gap_accelerations(self) -> Array:
        """Second derivatives with constant speeds, by differences of fourth order."""
        rates = [self.gap_rates(self.speeds, k * _STEP) for k in (-2, -1, 1, 2)]
        return np.asarray((rates[0] - 8.0 * rates[1] + 8.0 * rates[2] - rates[3]) / (12.0 * _STEP))

    @cached_property
    def accelerations(self) -> Array:
        """Of all bodies, of their centres and angular, shape (n, 6)."""
        M, m, N = self.mass_matrix, 6 * len(self.parts), self.motions
        particular = np.linalg.lstsq(self.conditions, -self.gap_accelerations, rcond=TINY)[0]
        y = np.linalg.lstsq(N[:m].T @ M @ N[:m], N[:m].T @ M @ (self.free_accelerations - particular[:m]), rcond=TINY)[0]
        return np.asarray((particular + N @ y)[:m].reshape(-1, 6))

    @property
    def contradiction(self) -> float:
        """What is left of the conditions on the accelerations: zero but in singular positions."""
        particular = np.linalg.lstsq(self.conditions, -self.gap_accelerations, rcond=TINY)[0]
        return float(np.abs(self.conditions @ particular + self.gap_accelerations).max(initial=0.0))

    # -- scenes --------------------------------------------------------------------------------------------------------

    def frame_names(self, link: Link) -> tuple[str, str]:
        """Names of a joint's frames in a scene."""
        return f"{link.name}_1", f"{link.name}_2"

    def entries(self, links: Sequence[Link], driven: Collection[str] = ()) -> dict[str, Any]:
        """The entries of a `Model3D` with these joints of it in this order; the frames of all of them are there.

        Args:
            driven: names of joints that have a flange, if their kind can have one.
        """
        g = float(np.linalg.norm(self.gravity))
        entries: dict[str, Any] = {"world": world(UniformGravity(g, tuple(self.gravity / g)))}
        entries |= {part.name: part.entry() for part in self.parts}
        for link in self.links:
            for name, k, (R, p) in zip(self.frame_names(link), link.bodies, link.frames, strict=True):
                parent = "world" if k == WORLD else self.parts[k].name
                entries[name] = Object3D(parent=parent, rotation=R.tolist(), translation=p.tolist())
        rates = dict(zip(self.links, self.rates_at, strict=True))
        for link in links:
            entries[link.name] = link.entry(*self.frame_names(link), self.speeds[rates[link]], link.name in driven)
        return entries

    def spanning_tree(self, order: Sequence[int]) -> tuple[list[Link], list[Link]]:
        """The joints in this order, those that join what is not joined yet and those that close loops."""
        group = list(range(len(self.parts) + 1))  # the world is the last one
        tree: list[Link] = []
        rest: list[Link] = []
        for link in (self.links[k] for k in order):
            one, two = (group[k] for k in link.bodies)
            (rest if one == two else tree).append(link)
            group = [one if g == two else g for g in group]
        return tree, rest


def random_part(rng: np.random.Generator, name: str, pose: Pose) -> Part:
    """A body of three mass points and a ball."""
    masses, points = rng.uniform(0.1, 2.0, 3), rng.uniform(-0.3, 0.3, (3, 3))
    centre = masses @ points / masses.sum()
    inertia = 0.02 * np.eye(3)
    for m, r in zip(masses, points - centre, strict=True):
        inertia += m * (r @ r * np.eye(3) - np.outer(r, r))
    return Part(name, float(masses.sum()), centre, inertia, pose)


def _placed(link: Link, parts: Sequence[Part]) -> Link:
    """The joint with the second frame where its coordinates have it, on a body that has its place."""
    one, two = link.bodies
    first = after(parts[one].pose if one != WORLD else (np.eye(3), np.zeros(3)), link.frames[0])
    target = after(first, link.pose(np.zeros(3 if link.kind == "fixed" else len(link.q)), 0.0))
    return Link(
        link.name, link.kind, link.bodies, (link.frames[0], seen_from(parts[two].pose, target)),
        link.axes, link.q, link.pitch, link.rotation,
    )  # fmt: skip


def _copies(link: Link, shift: float) -> Iterator[Link]:
    """The same joint once more: along its axis where that changes nothing, so that all of its rows are redundant."""
    d = shift * link.axes[:, 2] if link.kind in ("revolute", "prismatic", "cylindrical") else np.zeros(3)
    one, two = (after(F, (np.eye(3), d)) for F in link.frames)
    yield Link(f"{link.name}_again", link.kind, link.bodies, (one, two), link.axes, link.q, link.pitch, link.rotation)


def random_mechanism(
    seed: int, n: int, kinds: Sequence[str] = KINDS, *, closings: Sequence[str] = (), planar: bool = False, copies: int = 0
) -> Mechanism:
    """A tree of joints of these kinds, closed by further ones wherever its bodies are.

    Args:
        n: number of bodies.
        kinds: of the tree's joints.
        closings: kinds of the joints that close loops.
        planar: all axes are parallel in a plane of any direction: three rows of each loop of revolute joints are redundant.
        copies: number of joints that are there twice.
    """
    rng = np.random.default_rng(seed)
    base = turned(rng.normal(size=3), 1.0), rng.normal(size=3)
    parts: list[Part] = []
    links: list[Link] = []
    for k in range(n):
        parent = int(rng.integers(max(WORLD, k - 2), k))
        frame = random_pose(rng, flat=planar)
        first = after(base, frame) if parent == WORLD else frame
        link = linked(rng, f"joint{k}", str(rng.choice(kinds)), (parent, k), first, planar)
        own = random_pose(rng, flat=planar)
        placed = after(first if parent == WORLD else after(parts[parent].pose, first), link.pose(np.zeros(len(link.q)), 0.0))
        parts.append(random_part(rng, f"body{k}", after(placed, seen_from(own, (np.eye(3), np.zeros(3))))))
        links.append(Link(link.name, link.kind, link.bodies, (first, own), link.axes, link.q, link.pitch, link.rotation))
    for k, kind in enumerate(closings):
        two, one = rng.permutation(np.arange(WORLD, n))[:2]
        two, one = (two, one) if two != WORLD else (one, two)
        frame = random_pose(rng, flat=planar)
        first = after(base, frame) if one == WORLD else frame
        links.append(_placed(linked(rng, f"closing{k}", kind, (int(one), int(two)), first, planar), parts))
    for k in rng.permutation(len(links))[:copies]:
        links += _copies(links[k], rng.uniform(0.1, 0.5))
    size = 6 * n + sum(FREEDOM[link.kind] for link in links)
    return Mechanism(parts, links, rng.normal(size=3) * 5.0, rng.normal(size=size))
