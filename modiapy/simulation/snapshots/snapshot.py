"""Snapshots: the state of a simulation at its integrator's last restart, from which it can continue exactly.

The steps of an integrator depend on where it started and on the events ahead, not on output points. So a snapshot holds the
state after the last event (or the start). A simulation that continues computes the steps since then once more and gets the same
bits as without an interruption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike, fspath
from typing import Any

import numpy as np

from ...acausal.abilities import Saves
from ...acausal.protocol import ComponentRun
from ...model.errors import ModelError
from ..files.archive import read_archive, write_archive
from ..files.fingerprint import FINGERPRINT, Fingerprint, difference
from ..files.schema import Damaged, anything, finite, flag, one_of, record, states, table, whole
from ..inputs.time_series import TimeSeries
from ..results.segment_result import RECORD
from ..segments.options import KEPT
from ..solvers import SolverStatistics

FORMAT, VERSION = "modiapy snapshot", 8
_SHOWN = 80
_IN_PROCESS = ("inputs_held", "inputs_next", "state_names")
"""Fields that are not written to files."""

_SCHEMA = record(
    time=finite,
    x=states,
    unknowns=states,
    options=record(**KEPT, dae=flag),
    segment=RECORD,
    work=record(**{field.name: whole for field in fields(SolverStatistics)}),
    points=whole,
    parts=table(whole),
    memory=table(anything),
    sampled=record(h=finite, order=one_of(3, 5), patience=whole, spent=whole, rest=whole, here=flag),
    iteration=anything,
    history=anything,
    components=table(anything),
    inputs=table(anything),
)
"""What a snapshot must be; what is anything here is checked by whom it belongs to, with the sizes of the model."""


@dataclass(eq=False)
class Snapshot:
    """State of a simulation at a restart of its integrator.

    Not to be changed once it is made. It is not frozen because it is made at every event.

    Attributes:
        time: [s].
        x: all states, shape (n,). unknowns: all variables that are computed, shape (n_unknowns,).
        options: arguments of the simulation, see `options.KEPT`, and ``dae``.
        segment: the record of the segment so far, as a mapping.
        work: done until then, as a mapping.
        points: number of points stored of the segment.
        parts: number of states of each component, by path.
        memory: see `Machine.memory`. sampled: see `SampledPath.state`.
        iteration: see `EventIteration.state`. history: see `EventHistory.state`.
        inputs: the series that hold from then on, by name of the input, see `TimeSeries.to_data`.
        inputs_held, inputs_next: their values then, and those set for the next step, else NaN. state_names: of the equations.
            All None where it comes from a file.
        components: what their ``snapshot()`` gave, by path, None of one that cannot be saved; see `plain_states`.
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
    sampled: Mapping[str, Any]
    iteration: Mapping[str, Any]
    history: Mapping[str, Any]
    components: Mapping[str, Any]
    inputs: Mapping[str, Any]
    inputs_held: np.ndarray | None = None
    inputs_next: np.ndarray | None = None
    state_names: Sequence[str] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "components": plain_states(self.components)}

    def series(self) -> dict[str, TimeSeries]:
        """Return the inputs over time. Raises ModelError if the file has wrong data."""
        try:
            return {name: TimeSeries.from_data(data) for name, data in self.inputs.items()}
        except Damaged as error:
            raise damaged(error, "") from None

    def write(self, file: str | PathLike[str], model: Fingerprint) -> None:
        """Write the snapshot to a file, with the fingerprint of the model. Raises ModelError."""
        data = {name: dict(value) if isinstance(value, Mapping) else value for name, value in vars(self).items()}
        for name in _IN_PROCESS:
            del data[name]
        data["components"] = plain_states(self.components)
        write_archive(file, {"format": FORMAT, "version": VERSION, "model": model, "snapshot": data})


def read_snapshot(file: str | PathLike[str], model: Fingerprint) -> Snapshot:
    """Return a snapshot of this model from a file.

    Raises:
        ModelError: the file cannot be read or is damaged, or the snapshot is one of another model (tells what differs).
    """
    name, data = fspath(file), read_archive(file)
    if not isinstance(data, dict) or not _is(data.get("format"), FORMAT):
        raise ModelError("the file is not a snapshot of a simulation", path=name, expected="a file that save(...) wrote")
    if not _is(data.get("version"), VERSION):
        raise ModelError(
            "the format of the snapshot is not known", path=name, found=str(data.get("version"))[:_SHOWN], expected=f"{VERSION}"
        )
    saved = data.get("model", {})
    try:
        FINGERPRINT(saved, "model")
    except Damaged as error:
        raise damaged(error, name) from None
    differs = difference(saved, model)
    if differs:
        raise ModelError(
            "the snapshot belongs to another model",
            path=name,
            found=differs,
            expected="the model that was simulated",
            remedy="If parameters were merged there, give them again: restore(file, merge=...).",
        )
    try:
        given = data.get("snapshot", {})
        _SCHEMA(given, "snapshot")
        snapshot = Snapshot(**given)
        if snapshot.time < max(snapshot.options["start_time"], snapshot.segment["start"]):
            raise Damaged(f"snapshot.time: {snapshot.time!r} s is before the start")
        return snapshot
    except Damaged as error:
        raise damaged(error, name) from None


def _is(value: Any, expected: str | int) -> bool:
    return type(value) is type(expected) and value == expected


def damaged(error: Exception, path: str) -> ModelError:
    """Return the error for a snapshot whose parts do not fit one another."""
    found = str(error) if isinstance(error, Damaged) else f"{type(error).__name__}: {error}"
    return ModelError("the snapshot is damaged", path=path, found=found, remedy="Save again.")


def plain_states(states: Mapping[str, Any]) -> dict[str, Any]:
    """Return the states of components by path; those given as functions are evaluated."""
    return {path: state() if callable(state) else state for path, state in states.items()}


def saved_components(components: Mapping[str, ComponentRun]) -> dict[str, Saves]:
    """Check that all components can be saved, and return them. Raises ModelError if one of them cannot."""
    found: dict[str, Saves] = {path: component for path, component in components.items() if isinstance(component, Saves)}
    for path, component in components.items():
        if path not in found:
            raise ModelError(
                "a simulation with this component cannot be saved",
                path=path,
                found=f"{type(component).__qualname__} without snapshot() and restore(data)",
                remedy="Derive it from modiapy.acausal.Saves, too, and add both methods.",
            )
    return found


def restore_components(components: Mapping[str, ComponentRun], states: Mapping[str, Any]) -> None:
    """Bring all components to their saved states. Raises ModelError if a state does not fit."""
    states = plain_states(states)
    for path, component in saved_components(components).items():
        try:
            component.restore(states[path])
        except ModelError as error:
            error.path = error.path or path
            raise
        except Exception as error:  # a component says what does not fit in its own words
            raise damaged(error, path) from None
