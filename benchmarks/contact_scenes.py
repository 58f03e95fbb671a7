"""The scenes of `benchmarks.contact`, each for us and for MuJoCo, from one description."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from modia3d import (
    Box,
    ContactPair,
    Ellipsoid,
    MassProperties,
    Model3D,
    Object3D,
    Plane,
    Scene,
    Solid,
    SolidMaterial,
    Sphere,
    UniformGravity,
)

GRAVITY = 9.81
Vector = tuple[float, ...]


@dataclass(frozen=True)
class Body:
    """A solid; without mass it does not move.

    Attributes:
        shape: "plane" (normal along its z), "sphere", "box" or "ellipsoid". size: diameter, or lengths along x, y, z [m].
        at, rotation, velocity, turning: how it begins, in world; rotation vector [m, rad, m/s, rad/s].
        mass, inertia: [kg], diagonal and products about the middle [kg.m2].
        material: names the pairs of the scene.
    """

    shape: str
    size: Vector = ()
    at: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = (0.0, 0.0, 0.0)
    velocity: Vector = (0.0, 0.0, 0.0)
    turning: Vector = (0.0, 0.0, 0.0)
    mass: float = 0.0
    inertia: Vector = ()
    material: str = "stone"


@dataclass(frozen=True)
class ContactScene:
    """Bodies, how their materials behave, and how long it lasts.

    Attributes:
        bodies: by name.
        pairs: restitution, sliding and rolling friction of pairs of materials.
        stop: [s]. tolerance: ours. softness: factor on the stiffness of our contacts, see `Scene`.
        solver: ours.
    """

    bodies: Mapping[str, Body]
    pairs: Mapping[tuple[str, str], tuple[float, float, float]]
    stop: float
    tolerance: float
    softness: float = 1.0
    solver: str = "cvode"
    youngs_modulus: float = 1e10
    materials: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "materials", tuple(dict.fromkeys(body.material for body in self.bodies.values())))

    def model(self) -> Model3D:
        """For us."""
        made = {m: SolidMaterial(1000.0, name=m, youngs_modulus=self.youngs_modulus, poisson_ratio=0.3) for m in self.materials}
        pairs = {
            f"{a}, {b}": ContactPair(restitution=e, sliding_friction=mu, rolling_resistance=rolling)
            for (a, b), (e, mu, rolling) in self.pairs.items()
        }
        gravity = UniformGravity(GRAVITY, (0.0, 0.0, -1.0))
        world = Scene(gravity=gravity, contact_pairs=pairs, elastic_contact_reduction_factor=self.softness)
        parts = {name: self._object(body, made[body.material]) for name, body in self.bodies.items()}
        return Model3D(world=Object3D(feature=world), **parts)

    def _object(self, body: Body, material: SolidMaterial) -> Object3D:
        shapes: dict[str, Any] = {"plane": Plane, "sphere": Sphere, "box": Box, "ellipsoid": Ellipsoid}
        shape = shapes[body.shape](*body.size)
        pose = {"parent": "world", "translation": body.at, "rotation": Rotation.from_rotvec(body.rotation).as_matrix().tolist()}
        if not body.mass:
            return Object3D(**pose, feature=Solid(shape=shape, contact_material=material, collision=True))
        mass = MassProperties(body.mass, (0.0, 0.0, 0.0), *body.inertia)
        feature = Solid(shape=shape, contact_material=material, mass_properties=mass, collision=True)
        moving = {"velocity": body.velocity, "angular_velocity": body.turning}
        return Object3D(**pose, **moving, fixed_to_parent=False, feature=feature)

    def xml(self, stiffness: float) -> str:
        """For MuJoCo; contacts as hard as steps of ``2 * pi / stiffness`` [s] carry, damped as the restitution wants."""
        geoms = [f"<worldbody>{''.join(self._geom(name, body) for name, body in self.bodies.items())}</worldbody>"]
        names = list(self.bodies)
        pairs = []
        for i, one in enumerate(names):
            for other in names[i + 1 :]:
                a, b = self.bodies[one], self.bodies[other]
                known = self.pairs.get((a.material, b.material)) or self.pairs.get((b.material, a.material))
                if known is None or not (a.mass or b.mass):
                    continue
                e, mu, rolling = known
                log = math.log(max(e, 1e-3))
                ratio = -log / math.sqrt(math.pi**2 + log**2)
                solref = f"{-(stiffness**2)} {-2.0 * ratio * stiffness}"
                friction = f"{max(mu, 1e-5)} {max(mu, 1e-5)} 1e-5 {max(rolling, 1e-5)} {max(rolling, 1e-5)}"
                how = f'condim="6" friction="{friction}" solref="{solref}" solimp="0.99 0.9999 1e-4"'
                pairs.append(f'<pair geom1="{one}" geom2="{other}" {how}/>')
        option = f'<option gravity="0 0 {-GRAVITY}" cone="elliptic"><flag energy="enable"/></option>'
        return f"<mujoco>{option}{geoms[0]}<contact>{''.join(pairs)}</contact></mujoco>"

    def _geom(self, name: str, body: Body) -> str:
        x, y, z, w = Rotation.from_rotvec(body.rotation).as_quat()
        pose = f'pos="{_text(body.at)}" quat="{_text((w, x, y, z))}"'
        size = {
            "plane": (50.0, 50.0, 1.0),
            "sphere": tuple(0.5 * s for s in body.size),
            "box": tuple(0.5 * s for s in body.size),
            "ellipsoid": tuple(0.5 * s for s in body.size),
        }[body.shape]
        plain = f'type="{body.shape}" size="{_text(size)}" contype="0" conaffinity="0"'
        if not body.mass:
            return f'<geom name="{name}" {plain} {pose}/>'
        inertia = (*body.inertia, 0.0, 0.0, 0.0)[:6]
        inertial = f'<inertial pos="0 0 0" mass="{body.mass}" fullinertia="{_text(inertia)}"/>'
        return f'<body name="{name}" {pose}><freejoint/>{inertial}<geom name="{name}" {plain}/></body>'

    @property
    def moving(self) -> list[str]:
        """Names of the bodies that move."""
        return [name for name, body in self.bodies.items() if body.mass]


def _text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def ball(diameter: float, mass: float, **fields: Any) -> Body:
    """Return a homogeneous ball."""
    inertia = 0.1 * mass * diameter**2
    return Body("sphere", (diameter,), mass=mass, inertia=(inertia,) * 3, **fields)


def cube(length: float, mass: float, **fields: Any) -> Body:
    """Return a homogeneous cube."""
    inertia = mass * length**2 / 6.0
    return Body("box", (length,) * 3, mass=mass, inertia=(inertia,) * 3, **fields)


def billiard() -> ContactScene:
    """Return a ball at 3 m/s meets fifteen others that lie 0.1 mm apart, on a table with four cushions."""
    d, mass = 0.06, 0.192
    bodies = {"table": Body("plane", material="cloth")}
    for k, (x, y, a) in enumerate(
        [(1.1, 0.0, math.pi), (-1.1, 0.0, 0.0), (0.0, 0.55, -0.5 * math.pi), (0.0, -0.55, 0.5 * math.pi)]
    ):
        turned = Rotation.from_euler("yz", [0.5 * math.pi, a]).as_rotvec()
        bodies[f"cushion{k}"] = Body("plane", at=(x, y, 0.0), rotation=tuple(turned), material="rubber")
    bodies["cue"] = ball(d, mass, at=(-0.8, 0.002, 0.5 * d), velocity=(3.0, 0.0, 0.0), material="resin")
    for row in range(5):
        for k in range(row + 1):
            at = (0.35 + row * (d + 1e-4) * math.sqrt(0.75), (k - 0.5 * row) * (d + 1e-4), 0.5 * d)
            bodies[f"ball{row}{k}"] = ball(d, mass, at=at, material="resin")
    pairs = {
        ("resin", "resin"): (1.0, 0.0, 0.0),
        ("cloth", "resin"): (0.0, 0.2, 0.01),
        ("resin", "rubber"): (0.98, 0.0, 0.0),
    }
    return ContactScene(bodies, pairs, 5.0, 1e-7)


def stack() -> ContactScene:
    """Return the ten cubes fall 1 mm onto each other, and stand."""
    bodies: dict[str, Body] = {"floor": Body("plane")}
    for k in range(10):
        bodies[f"box{k}"] = cube(0.1, 1.0, at=(0.0, 0.0, 0.051 + 0.101 * k))
    return ContactScene(bodies, {("stone", "stone"): (0.3, 0.5, 0.0)}, 2.0, 1e-6, 1e-3)


def bowl(count: int = 100, stop: float = 0.6) -> ContactScene:
    """Return the spheres fall into a bowl of eight inclined planes."""
    bodies: dict[str, Body] = {}
    for k in range(8):
        a = 2.0 * math.pi * k / 8
        turned = Rotation.from_euler("yz", [-0.7, a]).as_rotvec()
        bodies[f"side{k}"] = Body("plane", at=(0.5 * math.cos(a), 0.5 * math.sin(a), 0.0), rotation=tuple(turned))
    side, random = math.ceil(count ** (1 / 3)), np.random.default_rng(0)
    for k in range(count):
        x, y = (0.12 * (i - side / 2) + 0.01 * random.random() for i in (k % side, k // side % side))
        bodies[f"ball{k}"] = ball(0.1, 4.0, at=(x, y, 0.3 + 0.12 * (k // side**2)))
    return ContactScene(bodies, {("stone", "stone"): (0.5, 0.5, 0.001)}, stop, 1e-5, 1e-3, "chebyshev")


def rattleback() -> ContactScene:
    """Return a celt: an ellipsoid whose principal axes of inertia are turned against it; spun the wrong way it reverses."""
    a, angle = (0.2, 0.05, 0.04), 0.1
    principal = np.diag([2.0e-5, 1.6e-4, 1.7e-4]) * 5.0
    R = Rotation.from_rotvec([0.0, 0.0, angle]).as_matrix()
    J = R @ principal @ R.T
    inertia = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    celt = Body("ellipsoid", a, at=(0.0, 0.0, 0.02), turning=(0.05, 0.0, -5.0), mass=0.2, inertia=tuple(map(float, inertia)))
    return ContactScene({"floor": Body("plane"), "celt": celt}, {("stone", "stone"): (0.0, 0.9, 0.0)}, 4.0, 1e-7, 1e-3)


def dropped(count: int) -> ContactScene:
    """Return the balls in a square grid fall onto a plane, all at once: each evaluation has more contacts, and no more steps
    are made.
    """
    side = math.ceil(math.sqrt(count))
    bodies = {"floor": Body("plane")}
    bodies |= {f"ball{k}": ball(0.1, 4.0, at=(0.2 * (k % side), 0.2 * (k // side), 0.15)) for k in range(count)}
    return ContactScene(bodies, {("stone", "stone"): (0.5, 0.5, 0.0)}, 1.0, 1e-6, 1e-3)
