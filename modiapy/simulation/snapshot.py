"""Snapshots: the state of a simulation at its integrator's last restart, from which it can go on as if nothing had been.

The steps of an integrator depend on where it started and on the events ahead, not on output points. So a snapshot holds what
there is after the last event (or the start), and a simulation that goes on computes the steps since then once more: the same
bits follow as without an interruption.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from os import PathLike, fspath
from typing import Any

import numpy as np

from ..acausal.protocol import AcausalComponent
from ..model.errors import ModelError
from .archive import read_archive, write_archive
from .fingerprint import Fingerprint, difference

FORMAT, VERSION = "modiapy snapshot", 1


class Damaged(Exception):
    """Data of a snapshot are not what they should be; the text says which."""


@dataclass(frozen=True)
class Snapshot:
    """State of a simulation at a restart of its integrator.

    Attributes:
        time: [s].
        x: all states, shape (n,). unknowns: all variables that are computed, shape (n_unknowns,).
        options: arguments of the simulation, see `options.KEPT`, and ``dae``.
        segment: the record of the segment so far, as a mapping.
        work: of the integrators before, as a mapping.
        points: number of points stored of the segment.
        parts: number of states of each component, by path.
        memory: see `Machine.memory`. iteration: see `EventIteration.state`. watch: see `EventWatch.state`.
        components: what their ``snapshot()`` gave, by path.
    """

    time: float
    x: np.ndarray
    unknowns: np.ndarray
    options: Mapping[str, Any]
    segment: Mapping[str, Any]
    work: Mapping[str, Any]
    points: int
    parts: Mapping[str, int]
    memory: Mapping[str, np.ndarray]
    iteration: Mapping[str, Any]
    watch: Mapping[str, Any]
    components: Mapping[str, Any]

    def write(self, file: str | PathLike[str], model: Fingerprint) -> None:
        """Write to a file, with what tells the model from others. Raises ModelError."""
        data = {name: dict(value) if isinstance(value, Mapping) else value for name, value in vars(self).items()}
        write_archive(file, {"format": FORMAT, "version": VERSION, "model": model, "snapshot": data})


def read_snapshot(file: str | PathLike[str], model: Fingerprint) -> Snapshot:
    """A snapshot of this model from a file.

    Raises:
        ModelError: the file cannot be read or is damaged, or the snapshot is one of another model (tells what differs).
    """
    name, data = fspath(file), read_archive(file)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ModelError("this is no snapshot of a simulation", path=name, expected="a file that save(...) wrote")
    if data.get("version") != VERSION:
        raise ModelError(
            "the format of the snapshot is not known", path=name, found=str(data.get("version")), expected=f"{VERSION}"
        )
    saved = data.get("model")
    differs = difference(saved if isinstance(saved, dict) else {}, model)
    if differs:
        raise ModelError(
            "the snapshot is one of another model",
            path=name,
            found=differs,
            expected="the model that was simulated",
            remedy="If parameters were merged there, give them again: restore(file, merge=...).",
        )
    try:
        given = data["snapshot"]
        snapshot = Snapshot(**{field.name: given[field.name] for field in fields(Snapshot)})
        check_number(snapshot.time, "time")
        for vector in (snapshot.x, snapshot.unknowns):
            check_vector(vector, np.size(vector), "states")
        return snapshot
    except (KeyError, TypeError, Damaged) as error:
        raise damaged(error, name) from None


def damaged(error: Exception, path: str) -> ModelError:
    """The error for a snapshot whose parts do not fit one another."""
    found = f"no '{error.args[0]}'" if isinstance(error, KeyError) and error.args else str(error)
    return ModelError("the snapshot is damaged", path=path, found=found, remedy="Save again.")


def check_vector(value: Any, size: int, what: str) -> np.ndarray:
    """The value, if it is a vector of ``size`` floats. Raises Damaged."""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64 or value.shape != (size,):
        raise Damaged(f"{what}: expected {size} numbers")
    return value


def check_number(value: Any, what: str) -> float:
    """The value, if it is a finite number. Raises Damaged."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise Damaged(f"{what}: expected a number, found {value!r}")
    return float(value)


def component_states(components: Mapping[str, Any]) -> dict[str, Any]:
    """What all components say about their state; a component that cannot say it is None."""
    return {path: component.snapshot() if can_be_saved(component) else None for path, component in components.items()}


def can_be_saved(component: Any) -> bool:
    """Whether a component has the methods for it."""
    return hasattr(component, "snapshot") and hasattr(component, "restore")


def check_components(components: Mapping[str, AcausalComponent]) -> None:
    """Refuse components that cannot be saved. Raises ModelError."""
    for path, component in components.items():
        if not can_be_saved(component):
            raise ModelError(
                "a simulation with this component cannot be saved",
                path=path,
                found=f"{type(component).__qualname__} without snapshot() and restore(data)",
                remedy="Add both methods, see modiapy.acausal.protocol.AcausalComponent.",
            )


def restore_components(components: Mapping[str, AcausalComponent], states: Mapping[str, Any]) -> None:
    """Bring all components to the state they had. Raises ModelError where it does not fit."""
    check_components(components)
    for path, component in components.items():
        try:
            component.restore(states[path])  # type: ignore[attr-defined]
        except ModelError as error:
            error.path = error.path or path
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise damaged(error, path) from None
