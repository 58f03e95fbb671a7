"""The scene: gravity, contact, and when two lock frames are taken to mate. The frame that carries it is the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from modiapy.model.errors import ModelError

from .basics import checks
from .basics.paths import permitted_path
from .camera import Camera
from .contact_pairs import RESPONSES, ContactPair, Pairs, pairs_of, read_contact_pairs
from .gravity import Gravity, GravityPool, NoGravity, PointGravity, UniformGravity, UserGravity


@dataclass(frozen=True)
class MatingTolerance:
    """Tolerances of mating: how far two lock frames may be from the exact pose when they are attached.

    Attributes:
        position: distance of the origins [m].
        z_angle: angle between one z axis and the opposite of the other [rad].
        twist_angle: angle about z to the nearest multiple of 360 deg / ``symmetry`` [rad].
        velocity: relative velocity of the origins [m/s].
        angular_velocity: relative angular velocity [rad/s].
        symmetry: number of mating positions in a full turn about z; 0 means any angle.
    """

    position: float = 1e-3
    z_angle: float = 1e-3
    twist_angle: float = 1e-3
    velocity: float = 1e-3
    angular_velocity: float = 1e-3
    symmetry: int = 4

    def __post_init__(self) -> None:
        for item in fields(self)[:-1]:
            object.__setattr__(self, item.name, checks.not_negative("MatingTolerance", item.name, getattr(self, item.name)))
        symmetry = checks.not_negative("MatingTolerance", "symmetry", self.symmetry)
        if symmetry != int(symmetry):
            raise ModelError("symmetry of MatingTolerance is wrong", found=repr(self.symmetry), expected="a whole number")
        object.__setattr__(self, "symmetry", int(symmetry))


DAMPINGS = ("exact", "flores")


@dataclass(frozen=True)
class SceneFeature:
    """Global properties of a scene; its `Object3D` is the world.

    Attributes:
        gravity: gravity field, in world coordinates.
        mating: tolerances for attaching two lock frames.
        enable_contact_detection: False: no solids collide, whatever they say themselves.
        contact_response: "elastic" (forces that grow with penetration) or "rigid" (impulses and constraints); a
            `ContactPair` may say otherwise.
        elastic_contact_reduction_factor: factor on the stiffness of all elastic contacts; less than 1 makes them softer, and
            simulations quicker.
        deep_penetration: solids that penetrate each other by more than this part of the smallest length of the smaller one are
            told, once for each pair.
        maximum_contact_damping: largest damping of elastic contacts relative to their stiffness [s/m].
        contact_damping: what the damping of elastic contacts follows from: "exact": the restitution of the pair is that of
            a central impact, "flores": the formula of Flores et al. that Modia3D has.
        contact_pairs: pairs of materials besides those of the program, which they replace: a palette (a TOML file), or
            ``{"Steel, Foam": ContactPair(...)}``.
        no_contact: pairs of names of what does not collide: contact groups, frames, or submodels with all they contain.
        visualize_contacts: whether animations show where solids touch, and the forces between them.
        camera: from where animations show the scene, see `Camera`; None: such that all is seen.
        folders: where the palette may be, as ``folders`` of a `Mesh`.

    Raises:
        ModelError: a field has the wrong type or value; the palette cannot be read.
    """

    gravity: Gravity = field(default_factory=UniformGravity)
    mating: MatingTolerance = field(default_factory=MatingTolerance)
    enable_contact_detection: bool = True
    contact_response: str = "elastic"
    elastic_contact_reduction_factor: float = 1.0
    deep_penetration: float = 0.05
    maximum_contact_damping: float = 2000.0
    contact_damping: str = "exact"
    contact_pairs: str | Mapping[Any, Any] | None = None
    no_contact: Sequence[Sequence[str]] = ()
    visualize_contacts: bool = False
    camera: Camera | None = None
    folders: Sequence[str] = ()
    pairs: Pairs = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        fields_of_gravity = UniformGravity, NoGravity, PointGravity, UserGravity, GravityPool
        checks.instance("Scene", "gravity", self.gravity, *fields_of_gravity)
        checks.instance("Scene", "mating", self.mating, MatingTolerance)
        detected = checks.truth("Scene", "enable_contact_detection", self.enable_contact_detection)
        object.__setattr__(self, "enable_contact_detection", detected)
        shown = checks.truth("Scene", "visualize_contacts", self.visualize_contacts)
        object.__setattr__(self, "visualize_contacts", shown)
        if self.camera is not None:
            checks.instance("Scene", "camera", self.camera, Camera)
        checks.choice("Scene", "contact_response", self.contact_response, RESPONSES)
        checks.choice("Scene", "contact_damping", self.contact_damping, DAMPINGS)
        for name in ("elastic_contact_reduction_factor", "deep_penetration", "maximum_contact_damping"):
            object.__setattr__(self, name, checks.positive("Scene", name, getattr(self, name)))
        object.__setattr__(self, "no_contact", _name_pairs(self.no_contact))
        object.__setattr__(self, "folders", checks.folders("Scene", self.folders))
        object.__setattr__(self, "pairs", self._read_pairs())

    def _read_pairs(self) -> dict[frozenset[str], ContactPair]:
        if self.contact_pairs is None:
            return {}
        if isinstance(self.contact_pairs, str):
            return read_contact_pairs(permitted_path("contact_pairs of Scene", self.contact_pairs, self.folders))
        if not isinstance(self.contact_pairs, Mapping):
            expected = "the name of a palette, or {'Steel, Foam': ContactPair(...)}"
            raise ModelError("contact_pairs of Scene is wrong", found=repr(self.contact_pairs), expected=expected)
        return pairs_of(self.contact_pairs)


def _name_pairs(given: object) -> tuple[tuple[str, str], ...]:
    """Return the pairs of names. Raises ModelError if something else stands there."""
    expected = "pairs of names: [('hand', 'ball'), ...]"
    if not isinstance(given, list | tuple):
        raise ModelError("no_contact of Scene is wrong", found=repr(given), expected=expected)
    found = []
    for pair in given:
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(isinstance(n, str) and n for n in pair):
            raise ModelError("no_contact of Scene is wrong", found=repr(pair), expected=expected)
        found.append((pair[0], pair[1]))
    return tuple(found)
