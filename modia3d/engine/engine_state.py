"""The engine's state besides its `x_var`, as plain data: what a snapshot of a simulation holds of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from types import GenericAlias
from typing import Any, get_type_hints

import numpy as np

from modiapy.model.errors import ModelError

from ..constraints.tables import limit_table
from ..forces.contact.layout import CONTACT_COLUMNS, MEMORY
from ..forces.table import ForceTable
from ..topology.structure import Structure
from .program import ScheduleRun
from .segment import SegmentMemory

_PLAIN = frozenset((str, float, int, bool))
"""Types of data that are their own description."""

_LATER = frozenset(("contact",))
"""Fields that snapshots and results of older versions do not have; they have defaults."""

_RENAMED = {"locked": "welded", "held": "locked"}
"""Fields of a structure as older versions wrote them, of which ``held`` is the mark."""

_BOUNDS = slice(limit_table.LOWER, limit_table.UPPER + 1)

_NO_POINTS, _NO_BOUNDS, _NOWHERE = np.zeros((0, 3)), np.zeros((0, 2)), np.zeros(0)
_NO_CONTACTS = np.zeros((0, CONTACT_COLUMNS - MEMORY))
NO_NEAR = np.zeros((0, 2), dtype=np.int64)
"""Pairs of shapes where nothing collides."""


@dataclass(frozen=True)
class EngineState:
    """See `Multibody.snapshot`.

    Attributes:
        structure: locks and so on.
        start_time: when the action program began [s]. log: see `modia3d.engine.program`.
        bounds: limits of the joints that can be locked, as they were when the segment began, shape (n, 2).
        points: where the search for each massless point begins, by name [m].
        near: pairs of shapes that the segment knew to be near each other, shape (m, 2). contacts: what each of them remembered,
            see `modia3d.forces.contact.layout`.
        measured_at: coordinates (nq,) at which closed loops were measured when the segment began; empty where there are none.
        passages: what goes on of singular positions, see `modia3d.constraints.passages`; None where there are no loops.
    """

    structure: Structure
    start_time: float
    log: list[Any]
    bounds: np.ndarray
    points: Mapping[str, np.ndarray]
    measured_at: np.ndarray
    passages: Mapping[str, Any] | None
    near: np.ndarray
    contacts: np.ndarray

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> EngineState:
        """Return the state that `to_data` wrote.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        structure, points, near = read_segment(data)
        bounds = np.array(data["bounds"], dtype=float).reshape(-1, 2)
        measured_at = np.array(data["measured_at"], dtype=float).reshape(-1)
        contacts = np.array(data["contacts"], dtype=float).reshape(len(near), CONTACT_COLUMNS - MEMORY)
        if not np.isfinite(contacts).all():
            raise ValueError("what contacts remember is not finite")
        return cls(
            structure,
            float(data["start_time"]),
            list(data["log"]),
            bounds,
            points,
            measured_at,
            data.get("passages"),
            near,
            contacts,
        )

    @property
    def remembered(self) -> dict[tuple[int, int], np.ndarray]:
        """Return the memory of pairs, by their shapes."""
        return {(i, j): row for (i, j), row in zip(self.near.tolist(), self.contacts, strict=True)}

    def restore_bounds(self, lockable: np.ndarray) -> None:
        """Write `bounds` to the table of joints that may be locked. Raises ModelError where there are others."""
        if len(lockable) != len(self.bounds):
            raise ModelError("the snapshot is damaged", found=f"{len(self.bounds)} limits", expected=f"{len(lockable)}")
        lockable[:, _BOUNDS] = self.bounds

    def loop_coordinates(self, size: int) -> np.ndarray:
        """Return `measured_at`, of this size (nq). Raises ModelError where it is another, or no number."""
        if len(self.measured_at) != size or not np.isfinite(self.measured_at).all():
            found = f"{len(self.measured_at)} coordinates of closed loops"
            raise ModelError("the snapshot is damaged", found=found, expected=f"{size}, finite")
        return self.measured_at


@dataclass(frozen=True)
class Saved:
    """Data for `EngineState.read`, made when somebody asks, and the structure that they are of."""

    structure: Structure
    data: Callable[[], dict[str, Any]]

    def __call__(self) -> dict[str, Any]:
        return self.data()


def engine_data(
    structure: Structure, start_time: float, schedule: ScheduleRun, memory: SegmentMemory
) -> Callable[[], dict[str, Any]]:
    """Return a function that makes plain data for `EngineState.read`, of what there is now."""
    lockable, contacts, loops = memory.lockable, memory.contacts, memory.loops
    now: dict[str, Any] = {"start_time": start_time, "bounds": lockable[:, _BOUNDS].copy() if len(lockable) else _NO_BOUNDS}
    now["near"] = NO_NEAR if contacts is None else contacts.memory.near
    now["contacts"] = _NO_CONTACTS if contacts is None else contacts.memory.pairs[:, MEMORY:].copy()
    now["measured_at"] = _NOWHERE if loops is None else loops.measured_at
    passages = _no_passages if loops is None or loops.passages is None else loops.passages.kept()
    points, n_executed = memory.point_starts(), schedule.n_executed
    return lambda: {
        "structure": structure_data(structure),
        "log": schedule.log()[:n_executed],
        "passages": passages(),
        **now,
        **_point_data(points),
    }


def _no_passages() -> None:
    """Return the state of singular positions without loops: none."""


def segment_data(structure: Structure, forces: ForceTable, near: np.ndarray) -> dict[str, Any]:
    """Return the data, besides the model, that determine the signals of a segment; ``near`` are its near pairs."""
    return {"structure": structure_data(structure), **({"near": near} if len(near) else {}), **_point_data(forces.starts)}


def _point_data(points: Mapping[str, np.ndarray]) -> dict[str, Any]:
    if not points:
        return {"point_names": [], "points": _NO_POINTS}
    return {"point_names": list(points), "points": np.array(list(points.values())).reshape(-1, 3)}


def read_segment(data: Mapping[str, Any]) -> tuple[Structure, dict[str, np.ndarray], np.ndarray]:
    """Return the structure, `ForceTable.starts` and near pairs from what `segment_data` gave. Raises KeyError, TypeError,
    ValueError.
    """
    near = np.array(data.get("near", []), dtype=np.int64).reshape(-1, 2)
    points = np.array(data["points"], dtype=float).reshape(-1, 3)
    return _read_structure(data["structure"]), dict(zip(data["point_names"], points, strict=True)), near


def _read_structure(data: Any) -> Structure:
    """Return a structure, also as older versions wrote it. Errors as of `read_segment`."""
    if isinstance(data, Mapping) and "held" in data:
        data = {_RENAMED.get(name, name): value for name, value in data.items()}
    structure: Structure = _read(Structure, data)
    return structure


def structure_data(value: Any) -> Any:
    """Return a structure as nested lists and mappings, not to be written: each lock keeps its own for the next structure it is
    in.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, tuple):
        return list(value) if _PLAIN.issuperset(map(type, value)) else [structure_data(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(value)
    data = vars(value).get("_data")
    if data is None:
        data = {name: structure_data(getattr(value, name)) for name in value.__dataclass_fields__}
        object.__setattr__(value, "_data", data)
    return data


def _read(kind: Any, data: Any) -> Any:
    """Return a value of the type ``kind`` from what `structure_data` made of it. Raises KeyError, TypeError otherwise."""
    if isinstance(kind, GenericAlias) and kind.__origin__ in (tuple, frozenset):
        if not isinstance(data, list):
            raise TypeError(f"expected a list, found {data!r}")
        kinds = kind.__args__
        if kind.__origin__ is frozenset or kinds[-1] is ...:
            return kind.__origin__(_read(kinds[0], item) for item in data)
        return tuple(_read(part, item) for part, item in zip(kinds, data, strict=True))
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        there = (field.name for field in fields(kind) if field.name in data or field.name not in _LATER)
        return kind(**{name: _read(hints[name], data[name]) for name in there})
    if kind is float and type(data) is int:
        return float(data)
    if type(data) is not kind:
        raise TypeError(f"expected {kind.__name__}, found {data!r}")
    return data
