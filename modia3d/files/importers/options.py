"""Options that say how a robot's file becomes a model.

An option is one field of `RobotOptions`. From it follow the signatures of Python, the keys of YAML, the options of
``modia3d import``, the JSON Schema, the messages, and the table of ``docs/import.md``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

from modiapy.model.errors import FieldError, nearest

from ..basics.docstrings import field_texts
from ..basics.quantity_text import QUANTITY

FLANGES = ("none", "needed", "all")
"""Words for joints that get a flange."""


@dataclass(frozen=True)
class Kind:
    """Kind of value that an option has.

    Attributes:
        expected: in words, for messages.
        fits: whether a value is of this kind.
        schema: how it is written in a scenario, as JSON Schema.
    """

    expected: str
    fits: Callable[[Any], bool]
    schema: Mapping[str, Any]


def _is_mapping_to(types: type | tuple[type, ...], value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(v, types) and not isinstance(v, bool) for v in value.values())


def _is_choice_of_joints(value: Any) -> bool:
    names = isinstance(value, Collection) and not isinstance(value, Mapping) and all(isinstance(name, str) for name in value)
    return value in FLANGES if isinstance(value, str) else names


_PATH = (str, os.PathLike)
_TEXT = {"type": "string"}
_NUMBER = {"type": ["number", "string"], "pattern": QUANTITY.pattern}
TRUTH = Kind("true or false", lambda value: isinstance(value, bool), {"type": "boolean"})
WORD = Kind("text", lambda value: isinstance(value, str), _TEXT)
FOLDER = Kind("the name of a folder", lambda value: value is None or isinstance(value, _PATH), _TEXT)
FOLDERS = Kind(
    "folders by their names",
    lambda value: _is_mapping_to(_PATH, value),
    {"type": "object", "additionalProperties": _TEXT},
)
NUMBERS = Kind(
    "numbers by names of joints",
    lambda value: _is_mapping_to((int, float), value),
    {"type": "object", "additionalProperties": _NUMBER},
)
JOINTS = Kind(
    f"{', '.join(FLANGES)}, or a list of names of joints",
    _is_choice_of_joints,
    {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]},
)


def _of(kind: Kind, *, only_python: bool = False, written_as: str = "") -> Mapping[str, Any]:
    """Return the metadata of a field of `RobotOptions`.

    Args:
        kind: of its values.
        only_python: scenarios and the command line decide it themselves.
        written_as: name of the truth value behind which the command line takes this value.
    """
    return {"kind": kind, "only_python": only_python, "written_as": written_as}


@dataclass(frozen=True, kw_only=True)
class RobotOptions:
    """Options that say how a robot's file becomes a model.

    Attributes:
        roots: folders of the packages that ``package://NAME/...`` refers to, by name; of further files, by any name. Files are
            read from there and from the folder of the robot's file only.
        flanges: revolute and prismatic joints that get a flange: none, all, needed (where the file has damping, stiffness,
            armature or mimic), or a list of names.
        floating: whether the root link moves freely instead of being fixed to the world.
        scene: True: a `Model3D` with a world and gravity; False: a part, a `Model` to stand in a `Model3D` that has a frame
            ``world``.
        limits: whether limits of joints are kept.
        visuals: whether shapes that are only seen are kept.
        positions: initial coordinates [rad or m] by name of the joint; zero where none is given.
        copy_meshes: a folder to which meshes are copied; None: the model names them where they are.
        contacts: whether shapes that collide are kept, a mesh as its convex hull.
        contact_material: name of the solid material of all shapes that collide.
        show_contacts: whether shapes that collide are drawn.

    Raises:
        FieldError: a value is not of its kind.
        ModelError: there is no such material.
    """

    roots: Mapping[str, str | os.PathLike[str]] = field(default_factory=dict, metadata=_of(FOLDERS))
    flanges: str | Collection[str] = field(default="none", metadata=_of(JOINTS))
    floating: bool = field(default=False, metadata=_of(TRUTH))
    scene: bool = field(default=True, metadata=_of(TRUTH, only_python=True))
    limits: bool = field(default=True, metadata=_of(TRUTH))
    visuals: bool = field(default=True, metadata=_of(TRUTH))
    positions: Mapping[str, float] = field(default_factory=dict, metadata=_of(NUMBERS))
    copy_meshes: str | os.PathLike[str] | None = field(default=None, metadata=_of(FOLDER, only_python=True))
    contacts: bool = field(default=False, metadata=_of(TRUTH))
    contact_material: str = field(default="Steel", metadata=_of(WORD, written_as="contacts"))
    show_contacts: bool = field(default=False, metadata=_of(TRUTH))

    def __post_init__(self) -> None:
        from ...scene.solid_materials import solid_material

        for name, option in OPTIONS.items():
            value, kind = getattr(self, name), option.metadata["kind"]
            if not kind.fits(value):
                remedy = nearest(value, FLANGES) if kind is JOINTS and isinstance(value, str) else ""
                raise FieldError("the options of a robot", name, found=repr(value), expected=kind.expected, remedy=remedy)
        solid_material(self.contact_material, "contact_material")


OPTIONS: Mapping[str, Field[Any]] = {option.name: option for option in fields(RobotOptions)}
"""The options by name."""

IN_FILES = tuple(name for name, option in OPTIONS.items() if not option.metadata["only_python"])
"""Names of those that scenarios and the command line have."""

TEXTS = dict.fromkeys(OPTIONS, "") | field_texts(RobotOptions)
"""What each option means; nothing where Python leaves out docstrings."""
