"""Parts that assemblies are put together from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError
from modiapy.model.model import Model, Var
from modiapy.model.scoping import moved_in

from ..scene.basics import checks
from ..scene.basics.checks import Vector3
from ..scene.basics.rotations import frame_with_z
from ..scene.constructors import Object3D, Universal

Axis = str | Sequence[float]


def assembled(owner: str, parts: Mapping[str, Any], **outer: str) -> Model:
    """Return a model of parts.

    Args:
        owner: the constructor, for messages.
        parts: by name; equations and connections under ``equations`` and ``connect``.
        outer: names of frames outside that the parts refer to, by the names of the arguments.

    Raises:
        ModelError: a frame outside has the name of a part, so that it could not be meant.
    """
    for field, name in outer.items():
        checks.frame_name(owner, field, name)
        if name.partition(".")[0] in parts:
            raise ModelError(
                f"{field} of {owner} is wrong", found=repr(name), expected="a name that is none of the assembly's own parts"
            )
    return Model(parts)


def place(parent: str, at: Sequence[float], R: np.ndarray | None = None) -> Any:
    """Return a frame that is fixed to another one."""
    turned = {} if R is None or np.array_equal(R, np.eye(3)) else {"rotation": tuple(map(tuple, R.tolist()))}
    return Object3D(parent=parent, translation=tuple(float(x) for x in at), **turned)


def length_of(owner: str, field: str, r: Sequence[float]) -> tuple[Vector3, float]:
    """Return a rod's vector and its length. Raises ModelError where that is zero."""
    vector = checks.vector3(owner, field, r)
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        raise ModelError(
            f"{field} of {owner} is wrong", found="the zero vector", expected="the way from one end of the rod to the other"
        )
    return vector, length


def inner(value: Var | float | str | None) -> Var | float | str | None:
    """Return the value given for a variable of a part: its names are those of the assembly's user."""
    return moved_in(value, 1) if isinstance(value, Var | str) else value


def turned_aside(owner: str, n1_a: Axis, r_rod: Vector3) -> tuple[Vector3, Vector3]:
    """Return both axes of a universal joint at the end of a rod: the given one, and one that is perpendicular to it and to the
    rod.

    Raises:
        ModelError: the axis is along the rod.
    """
    first = checks.unit_vector(owner, "n1_a", n1_a)
    second = np.cross(first, r_rod)
    if float(np.linalg.norm(second)) < 1e-6 * float(np.linalg.norm(r_rod)):
        raise ModelError(
            f"n1_a of {owner} is along the rod", found=f"{n1_a!r}, along the rod", expected="an axis that is not along the rod"
        )
    return first, checks.unit_vector(owner, "n1_a", second.tolist())


def rod_with_frame(owner: str, obj1: str, n1_a: Axis, r_rod: Vector3, tip: str) -> dict[str, Any]:
    """Return a rod that is a body ``frame_ia``, by a universal joint at ``obj1``, and the frame ``tip`` at its other end."""
    axis_a, axis_b = turned_aside(owner, n1_a, r_rod)
    return {
        "frame_ia": Object3D(),
        "universal": Universal(obj1, "frame_ia", axis_a=axis_a, axis_b=axis_b),
        tip: place("frame_ia", r_rod),
    }


def axes_along(axis: Vector3, x: Sequence[float]) -> np.ndarray:
    """Return the axes (3, 3) of a frame with the third one along ``axis`` and the first one where ``x`` points beside that."""
    aside = np.array(x, dtype=float) - (np.array(axis) @ x) * np.array(axis)
    size = float(np.linalg.norm(aside))
    if size == 0.0:
        return frame_with_z(axis)
    e_x = aside / size
    return np.column_stack([e_x, np.cross(axis, e_x), axis])
