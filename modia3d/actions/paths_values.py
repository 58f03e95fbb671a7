"""The actions that declare and move reference paths, as frozen values; recorded by `modia3d.actions.NAME`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError

from .checks import Rows, number_row, positive_value, three_numbers
from .pose import FREE_ROTATION, Pose, wanted_rotation

LARGEST = 1e100
"""Larger limits could not be multiplied with each other."""


@dataclass(frozen=True)
class PathLimits:
    """Largest velocity, acceleration and jerk of each joint of a path, positive (rad or m, s); None: any jerk."""

    v_max: tuple[float, ...]
    a_max: tuple[float, ...]
    j_max: tuple[float, ...] | None = None

    @cached_property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The three, each of shape (n,); infinite where the jerk has no limit."""
        jerk = np.full(len(self.v_max), math.inf) if self.j_max is None else np.array(self.j_max)
        return np.array(self.v_max), np.array(self.a_max), jerk


@dataclass(frozen=True)
class AddPath:
    """A reference path: signals ``<name>.position``, ``.velocity``, ``.acceleration``, at rest at ``position`` at first.

    Attributes:
        names: of the signals.
        position: where the path begins (rad or m).
        v_max, a_max: largest velocity and acceleration of each.
        j_max: largest jerk of each: the acceleration is continuous then; None: it jumps.
        joints: the joints that follow the signals, for `moveLinear`; None: those of the same names.
    """

    names: tuple[str, ...]
    position: tuple[float, ...]
    v_max: tuple[float, ...]
    a_max: tuple[float, ...]
    j_max: tuple[float, ...] | None = None
    joints: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for field in ("names", "joints") if self.joints is not None else ("names",):
            object.__setattr__(self, field, _distinct(field, getattr(self, field)))
        for field in ("position", "v_max", "a_max", "j_max"):
            if field == "j_max" and self.j_max is None:
                continue
            row = number_row(f"{field} of addReferencePath", getattr(self, field))
            object.__setattr__(self, field, row)
            if field != "position" and not all(0.0 < limit <= LARGEST for limit in row):
                expected = f"limits above zero, and at most {LARGEST:g}"
                raise ModelError(f"{field} of addReferencePath must be positive", found=repr(row), expected=expected)
        for field in ("position", "v_max", "a_max", "j_max", "joints"):
            values = getattr(self, field)
            if values is not None and len(values) != len(self.names):
                found = f"{len(values)} values for {len(self.names)} names"
                raise ModelError(
                    f"{field} of addReferencePath has the wrong length", found=found, expected="one value for each name"
                )

    @property
    def limits(self) -> PathLimits:
        """The limits of all joints."""
        return PathLimits(self.v_max, self.a_max, self.j_max)

    def __str__(self) -> str:
        return f"addReferencePath {', '.join(self.names)}"


@dataclass(frozen=True)
class PtpJointSpace:
    """Move a reference path through ``positions``; the program goes on when the last row is reached.

    Attributes:
        positions: one row, or several rows, of joint positions (rad or m); a `Pose` in the place of a row means the positions
            that follow by inverse kinematics when the motion begins.
        names: the names of the path; None if the program has one path only.
        blend: None: the joints stop at each row. Else they pass the rows between without stopping, and no joint is farther
            than this (rad or m) from the row when it leaves the straight line to it.
    """

    positions: tuple[tuple[float, ...] | Pose, ...]
    names: tuple[str, ...] | None = None
    blend: float | None = None

    def __post_init__(self) -> None:
        given: Any = self.positions
        rows = [given] if isinstance(given, Pose) else list(given)
        if not rows:
            raise ModelError(
                "ptpJointSpace has no positions", found="an empty list", expected="one row of joint positions, or several"
            )
        if all(isinstance(r, int | float) or getattr(r, "ndim", None) == 0 for r in rows):
            rows = [rows]
        object.__setattr__(self, "positions", tuple(map(_row, rows)))
        object.__setattr__(self, "names", path_names(self.names))
        if self.blend is not None:
            object.__setattr__(self, "blend", positive_value("blend of ptpJointSpace", self.blend))

    @property
    def poses(self) -> tuple[Pose, ...]:
        """The rows that are poses."""
        return tuple(row for row in self.positions if isinstance(row, Pose))

    def __str__(self) -> str:
        return f"ptpJointSpace through {len(self.positions)} position{'s' if len(self.positions) > 1 else ''}"


def _row(row: Any) -> tuple[float, ...] | Pose:
    return row if isinstance(row, Pose) else number_row("positions of ptpJointSpace", row)


@dataclass(frozen=True)
class MoveLinear:
    """Move a frame on a straight line by the joints of a path; it turns about one fixed axis. Planned when it begins.

    Attributes:
        frame: the frame to be moved.
        translation: where its origin goes [m]; None: it stays.
        rotation: where it turns: Cardan angles x, y, z [rad] or a 3x3 matrix; None: it keeps its orientation; "free": any.
        relative_to: the frame in which both are given, as it is when the motion begins; "": the world.
        v_max, a_max: largest velocity [m/s] and acceleration [m/s2] of its origin, or of its rotation [rad/s, rad/s2] where the
            origin stays. The limits of the joints hold, too. None: they alone.
        names: the names of the path; None if the program has one path only.
        tolerance: largest distance of the origin from the line [m], and a hundred times that [rad] of its orientation
            from the wanted one.
    """

    frame: str
    translation: tuple[float, ...] | None = None
    rotation: tuple[float, ...] | Rows | str | None = None
    relative_to: str = ""
    v_max: float | None = None
    a_max: float | None = None
    names: tuple[str, ...] | None = None
    tolerance: float = 1e-5

    def __post_init__(self) -> None:
        if not isinstance(self.frame, str) or not self.frame:
            raise ModelError("frame of moveLinear must be the name of a frame", found=repr(self.frame), expected="a text")
        if not isinstance(self.relative_to, str):
            raise ModelError(
                "relative_to of moveLinear must be the name of a frame",
                found=repr(self.relative_to),
                expected="the name of a frame",
            )
        if self.translation is not None:
            object.__setattr__(self, "translation", three_numbers("translation of moveLinear", self.translation))
        object.__setattr__(self, "rotation", wanted_rotation("rotation of moveLinear", self.rotation))
        if self.translation is None and self.rotation in (None, FREE_ROTATION):
            raise ModelError("moveLinear has no target", expected="a translation, a rotation, or both")
        for field in ("v_max", "a_max"):
            if getattr(self, field) is not None:
                object.__setattr__(self, field, positive_value(f"{field} of moveLinear", getattr(self, field)))
        object.__setattr__(self, "tolerance", positive_value("tolerance of moveLinear", self.tolerance))
        object.__setattr__(self, "names", path_names(self.names))

    def __str__(self) -> str:
        return f"moveLinear {self.frame}"


def path_names(names: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the names that select a path; a single one may stand alone. Raises ModelError: they are no texts."""
    given = [names] if isinstance(names, str) else names
    if given is None:
        return None
    if not isinstance(given, Sequence) or not given or not all(isinstance(name, str) for name in given):
        raise ModelError(
            "the names of a path must be texts", found=repr(names), expected="a list of names, as in addReferencePath"
        )
    return tuple(given)


def _distinct(field: str, names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str) or not names or not all(isinstance(n, str) and n for n in names):
        raise ModelError(f"{field} of addReferencePath must be texts", found=repr(names), expected="a list of names")
    if len(set(names)) < len(names):
        raise ModelError(f"{field} of addReferencePath must differ", found=repr(tuple(names)), expected="each name once")
    for name in names if field == "names" else ():
        inside = next((n for n in names if name.startswith(f"{n}.")), None)
        if inside is not None or not all(map(str.isidentifier, name.split("."))):
            expected = (
                f"no signals inside '{inside}'" if inside else "letters, digits and underscores: signals are <name>.position"
            )
            raise ModelError("addReferencePath needs names that an expression can use", found=repr(name), expected=expected)
    return tuple(names)
