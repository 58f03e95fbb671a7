"""Random trees with everything that acts on bodies, and slow mechanics of them in numpy: Newton and Euler of each Object3D.

The equations of all trees are the same, so that they share their machine code: two joints with a flange (``turn``, driven by a
motor, and ``slide``, held by a spring or moved as a function of time), two force elements from equations. What is random is
what the engine does: joints, their places, merged bodies, forces inside.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from modia3d import (
    Bushing,
    Cylindrical,
    Fix,
    ForceAndTorque,
    FreeMotion,
    MassProperties,
    MatingTolerance,
    Model3D,
    Object3D,
    Planar,
    PointGravity,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Screw,
    Solid,
    Spherical,
    SpringDamperPtP,
    UniformGravity,
    Universal,
    UserGravity,
    WorldForce,
    WorldTorque,
)
from modiapy import Map, Model, Var
from modiapy.library import rotational, translational

N_BODIES = 6
MU, CENTRE = 9.0, np.array([0.0, -6.0, 1.0])
G = np.array([0.0, -9.81, 0.0])
WIND = ("0.3*y", "-0.2*x - 4", "0.1*z")  # not the gradient of anything
STIFFNESS, DAMPING, LENGTH, PULL = 12.0, 1.5, 0.4, 0.7
SHIFT, SHIFT_DAMPING = np.array([20.0, 30.0, 10.0]), np.array([0.5, 1.0, 0.2])
MOMENT, MOMENT_DAMPING = np.array([2.0, 1.0, 3.0]), np.array([0.1, 0.2, 0.3])
GUST, TWIST = np.array([0.8, -1.0, 2.0]), np.array([0.1, 0.3, -0.2])
GRAVITIES = (UniformGravity(), PointGravity(MU, tuple(CENTRE)), UserGravity(WIND))


@dataclass
class Tree:
    """A `Model3D`, and what numpy has to know of it.

    Attributes:
        parts: of the model.
        solids: mass, centre of mass and inertia about it of each Object3D, in its axes.
        links: pairs of frames that are connected, by the name of the joint or of the frame that is fixed to its parent.
        elements: frames of each force element: 1, 2, and that which its components refer to.
        free: name of a joint without flange that does not move at first.
    """

    gravity: int
    parts: dict[str, object] = field(default_factory=dict)
    solids: dict[str, tuple[float, np.ndarray, np.ndarray]] = field(default_factory=dict)
    links: dict[str, tuple[str, str]] = field(default_factory=dict)
    elements: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    lock: str = ""

    def model(self, **more: object) -> Model3D:
        return Model3D(**(self.parts | more))


def _vector(rng, scale=0.3):
    return tuple(rng.uniform(-scale, scale, 3))


def _solid(tree: Tree, name: str, rng) -> Solid:
    mass, centre = rng.uniform(0.5, 2.0), np.array(_vector(rng, 0.2))
    A = rng.uniform(-1.0, 1.0, (3, 3))
    S = 0.02 * (A @ A.T) + 0.05 * np.eye(3)  # second moments of mass: any of them is a body's
    I = np.trace(S) * np.eye(3) - S
    tree.solids[name] = mass, centre, I
    properties = MassProperties(mass, tuple(centre), I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return Solid(mass_properties=properties)


def _add_body(tree: Tree, name: str, rng, **root: object) -> list[str]:
    """A body of up to four Object3Ds, some of them without mass; their names."""
    names = [name]
    tree.parts[name] = Object3D(feature=_solid(tree, name, rng), **root)
    for k in range(int(rng.integers(1, 4))):
        parent, part = names[int(rng.integers(len(names)))], f"{name}_{k}"
        feature = _solid(tree, part, rng) if rng.random() < 0.7 else None
        tree.parts[part] = Object3D(
            parent=parent, feature=feature, translation=_vector(rng), rotation=_vector(rng, 3.0), lockable=True
        )
        tree.links[part] = parent, part
        names.append(part)
    return names


def _joint(kind: int, one: str, two: str, rng) -> object:
    axis, speed = _vector(rng, 1.0), rng.uniform(-0.8, 0.8)
    return (
        lambda: Revolute(one, two, axis, phi=speed, w=0.7 * speed),
        lambda: Prismatic(one, two, axis, v=speed),
        lambda: Cylindrical(one, two, axis, v=speed, w=-speed),
        lambda: Universal(one, two, phi_a=0.3, w_a=speed, w_b=-0.5 * speed),
        lambda: Planar(one, two, axis, v_x=speed, w=0.4),
        lambda: Spherical(one, two, rotation=_vector(rng), angular_velocity=_vector(rng, 1.0)),
        lambda: Screw(one, two, axis, pitch=0.1, w=speed),
        lambda: FreeMotion(one, two, velocity=_vector(rng, 0.5), angular_velocity=_vector(rng, 1.0)),
        lambda: Fix(one, two, translation=_vector(rng), rotation=_vector(rng, 3.0)),
    )[kind]()


def random_tree(seed: int, *, prescribed: bool) -> Tree:
    """A tree of `N_BODIES` bodies and a free body ``guest`` with frames that can be locked.

    Args:
        prescribed: whether ``slide`` is moved as a function of time.
    """
    rng = np.random.default_rng(seed)
    tree = Tree(int(rng.integers(len(GRAVITIES))))
    wide = MatingTolerance(position=1e9, z_angle=4.0, symmetry=0)
    tree.parts["world"] = Object3D(feature=Scene(gravity=GRAVITIES[tree.gravity], mating=wide))
    frames, roles = ["world"], rng.permutation(N_BODIES)
    for i in range(N_BODIES):
        parent, own = frames[int(rng.integers(len(frames)))], _add_body(tree, f"b{i}", rng)
        one, two = parent, own[int(rng.integers(len(own)))]
        if parent != "world" and rng.random() < 0.5:
            one, two = two, one
        if roles[i] == 0:
            name, joint = "turn", RevoluteWithFlange(one, two, _vector(rng, 1.0), w=Var(init=0.5))
        elif roles[i] == 1:
            speed = Var(init=0.4 if prescribed else 0.3)
            name, joint = "slide", PrismaticWithFlange(one, two, _vector(rng, 1.0), v=speed)
        elif roles[i] == 2:
            name = tree.lock = "hinge"
            joint = Revolute(one, two, _vector(rng, 1.0), phi=0.4)
        else:
            name, joint = f"j{i}", _joint(int(rng.integers(9)), one, two, rng)
        tree.parts[name], tree.links[name] = joint, (one, two)
        frames += own
    guest = {"translation": (2.0, 0.5, 0.3), "velocity": (0.2, 0.1, 0.0), "angular_velocity": (0.3, 0.0, -0.4)}
    _add_body(tree, "guest", rng, parent="world", fixed_to_parent=False, assembly_root=True, **guest)
    _add_forces(tree, frames[1:], rng)
    _add_drives(tree, prescribed)
    return tree


def _add_forces(tree: Tree, frames: list[str], rng) -> None:
    def some(n):
        return [frames[int(k)] for k in rng.choice(len(frames), n, replace=False)]

    joints = {name: pair for name, pair in tree.links.items() if name not in frames}

    def other_than(one):  # a spring between origins that coincide has no direction
        return next(two for two in some(len(frames)) if two not in reached(one, joints))

    ends = {"spring": frames[0], "leash": "world", "far": "guest"}
    for name, one in ends.items():
        two = other_than(one)
        tree.elements[name] = one, two, ""
        tree.parts[name] = SpringDamperPtP(one, two, STIFFNESS, DAMPING, LENGTH, PULL)
    one, two = some(2)
    tree.elements["bushing"] = one, two, one
    tree.parts["bushing"] = Bushing(one, two, SHIFT, SHIFT_DAMPING, MOMENT, MOMENT_DAMPING)
    at, other, axes = some(3)
    tree.elements |= {"gust": ("", at, axes), "twist": ("", other, "world")}
    tree.parts |= {"gust": WorldForce(at, tuple(GUST), resolved_in=axes), "twist": WorldTorque(other, tuple(TWIST))}
    at, one, two = some(3)
    tree.elements |= {"push": ("", at, "world"), "pull": (one, two, at)}
    tree.parts["push"] = WorldForce(at, ("2*sin(5*time)", "time", "-0.5"))
    tree.parts["pull"] = ForceAndTorque(one, two, at, force=(1, "cos(3*time)", "time"), torque=("0.3*time", 0.1, -0.2))


def _add_drives(tree: Tree, prescribed: bool) -> None:
    tree.parts |= {
        "motor": rotational.Torque,
        "wall": rotational.Fixed,
        "friction": rotational.Damper | Map(d=0.5),
        "connect": [
            ("motor.flange", "turn.flange"),
            ("wall.flange", "friction.flange_a"),
            ("friction.flange_b", "turn.flange"),
        ],
        "equations": ["motor.tau = 2*sin(6*time)"],
    }
    if prescribed:
        tree.parts["guide"] = Model(flange=translational.Flange, equations=["flange.s = 0.1*sin(4*time)"])
        tree.parts["connect"] += [("guide.flange", "slide.flange")]
    else:
        tree.parts |= {"base": translational.Fixed, "coil": translational.SpringDamper | Map(c=40.0, d=1.0)}
        tree.parts["connect"] += [("base.flange", "coil.flange_a"), ("coil.flange_b", "slide.flange")]


# -- mechanics in numpy ---------------------------------------------------------------------------------------------------


class Slow:
    """Wrenches about the world's origin, all in world, at the rows ``at`` of a result."""

    def __init__(self, tree: Tree, result, at: np.ndarray) -> None:
        self.tree, self.result, self.at, self.time = tree, result, at, result.time[at]
        self.get = cache(lambda name: result[name][at])
        self.needed = cache(self._needed)
        self.acting = cache(self._acting)

    def point(self, frame: str) -> tuple[np.ndarray, ...]:
        """R, r, v, w of a frame."""
        return tuple(self.get(f"{frame}.{what}_abs") for what in ("R", "r", "v", "w"))

    def _needed(self, frame: str) -> np.ndarray:
        """Force and torque about the world's origin that move one Object3D and carry its weight, shape (nt, 6)."""
        mass, centre, inertia = self.tree.solids[frame]
        R, r, _, w = self.point(frame)
        a, z = self.get(f"{frame}.a_abs"), self.get(f"{frame}.z_abs")
        arm = R @ centre
        I = R @ inertia @ R.transpose(0, 2, 1)
        c = r + arm
        f = mass * (a + np.cross(z, arm) + np.cross(w, np.cross(w, arm)) - self.gravity(c))
        n = np.einsum("tij,tj->ti", I, z) + np.cross(w, np.einsum("tij,tj->ti", I, w))
        return np.hstack([f, n + np.cross(c, f)])

    def gravity(self, c: np.ndarray) -> np.ndarray:
        """Acceleration of gravity at a point."""
        if self.tree.gravity == 0:
            return np.tile(G, (len(c), 1))
        if self.tree.gravity == 1:
            return MU * (CENTRE - c) / np.linalg.norm(CENTRE - c, axis=1)[:, None] ** 3
        return np.stack([0.3 * c[:, 1], -0.2 * c[:, 0] - 4.0, 0.1 * c[:, 2]], axis=1)

    def _acting(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Force on frame 2, the point where it acts, torque on frame 2; the opposite acts on frame 1 at the same point."""
        one, two, axes = self.tree.elements[name]
        R_2, r_2, v_2, w_2 = self.point(two)
        R_3 = self.point(axes)[0] if axes else R_2
        none, t = np.zeros_like(r_2), self.time
        if name in ("spring", "leash", "far"):
            _, r_1, v_1, _ = self.point(one)
            line, s = r_2 - r_1, np.linalg.norm(r_2 - r_1, axis=1)[:, None]
            rate = np.einsum("ti,ti->t", line / s, v_2 - v_1)[:, None]
            return -(PULL + STIFFNESS * (s - LENGTH) + DAMPING * rate) * line / s, r_2, none
        if name == "bushing":
            R_1, r_1, v_1, w_1 = self.point(one)
            inside = R_1.transpose(0, 2, 1)
            R_12 = inside @ R_2
            s = np.einsum("tij,tj->ti", inside, r_2 - r_1)
            v = np.einsum("tij,tj->ti", inside, v_2 - v_1 - np.cross(w_1, r_2 - r_1))
            w = np.einsum("tij,tj->ti", inside, w_2 - w_1)
            angles = np.stack([R_12[:, 2, 1], R_12[:, 0, 2], R_12[:, 1, 0]], axis=1)
            f, n = -(SHIFT * s + SHIFT_DAMPING * v), -(MOMENT * angles + MOMENT_DAMPING * w)
            return np.einsum("tij,tj->ti", R_1, f), r_2, np.einsum("tij,tj->ti", R_1, n)
        if name == "gust":
            return R_3 @ GUST, r_2, none
        if name == "twist":
            return none, r_2, R_3 @ TWIST
        one_ = np.ones_like(t)
        if name == "push":
            return np.stack([2.0 * np.sin(5.0 * t), t, -0.5 * one_], axis=1), r_2, none
        f = np.stack([one_, np.cos(3.0 * t), t], axis=1)
        n = np.stack([0.3 * t, 0.1 * one_, -0.2 * one_], axis=1)
        return np.einsum("tij,tj->ti", R_3, f), r_2, np.einsum("tij,tj->ti", R_3, n)

    def through(self, cut: str, links: dict[str, tuple[str, str]]) -> np.ndarray:
        """Force on the second frame of a link and torque about its origin, in its axes, shape (nt, 6)."""
        near, far = links[cut]
        others = {name: pair for name, pair in links.items() if name != cut}
        side, sign = reached(far, others), 1.0
        if "world" in side:
            side, sign = reached(near, others), -1.0
        total = sum(self.needed(frame) for frame in side if frame in self.tree.solids) + np.zeros((len(self.time), 6))
        for name, (one, two, _) in self.tree.elements.items():
            if (one in side) == (two in side) or ("guest" in (one, two) and not self.present("guest")):
                continue
            f, at, n = self.acting(name)
            total -= (1.0 if two in side else -1.0) * np.hstack([f, n + np.cross(at, f)])
        R, r, _, _ = self.point(far)
        f, n = sign * total[:, :3], sign * total[:, 3:]
        return np.hstack([np.einsum("tji,tj->ti", R, f), np.einsum("tji,tj->ti", R, n - np.cross(r, f))])

    def present(self, frame: str) -> bool:
        return bool(np.isfinite(self.get(f"{frame}.r_abs")).all())


def reached(start: str, links: dict[str, tuple[str, str]]) -> set[str]:
    """The frames that hang together with one."""
    found, size = {start}, 0
    while size != len(found):
        size = len(found)
        for one, two in links.values():
            if one in found or two in found:
                found |= {one, two}
    return found
