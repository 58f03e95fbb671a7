"""Description of a result: the model, its units, where it came from, and the versions that computed it."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ...acausal.abilities import StoresSignals
from ...symbolic.flat.flat_model import FlatModel
from ..files.fingerprint import FINGERPRINT, Fingerprint, digest, package_version
from ..files.schema import Damaged, anything, each, entries, finite, one_of, record, scalar, table, text
from .signals import SignalTable, relative_name

FORMAT, VERSION = "modia3d result", 1

SIGNAL_GROUPS = ("component", "object")
"""Groups of a fingerprint on which signals of components depend."""

_VISUALIZER = record(path=text, kind=text, what=text, values=table(each(scalar)))

_ORIGIN = entries(
    file=text,
    scenario=text,
    included=table(text),
    overrides=table(scalar),
    files=table(text),
    visualizers=each(_VISUALIZER),
)

_HEADER = record(
    format=one_of(FORMAT),
    version=one_of(VERSION),
    name=text,
    stop_time=finite,
    model=FINGERPRINT,
    units=table(text),
    origin=_ORIGIN,
    versions=table(text),
    checksums=table(text),
    table=table(anything),
)


@dataclass(frozen=True)
class About:
    """Description of a result, kept with it.

    Attributes:
        name: of the model.
        model: groups of its fingerprint on which signals depend.
        units: by the full path of a variable, or by a pattern such as ``*.r_abs``.
        origin: where the model came from, as plain data: ``file``, ``scenario`` (its text), ``overrides``,
            ``visualizers`` (what animations show, see `Visualizer`), whatever is known.
        versions: of the packages.
        checksums: of the groups of the model's fingerprint (equations, parameters, objects ...), and of the whole model.
    """

    name: str
    model: Fingerprint = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    checksums: Mapping[str, str] = field(default_factory=dict)

    def unit(self, name: str) -> str:
        """Return the unit of a signal, also of an element of it; "" where it is not known."""
        if name == "time":
            return "s"
        for known in (name, name.rpartition("[")[0]):
            if known in self.units:
                return self.units[known]
        return next((unit for pattern, unit in self.units.items() if "*" in pattern and fnmatchcase(name, pattern)), "")


def plain(origin: Mapping[str, Any]) -> dict[str, Any]:
    """Return the origin of a model as plain data; large parts that are functions are evaluated."""
    return {entry: value() if callable(value) else value for entry, value in origin.items()}


def about_model(name: str, flat: FlatModel, groups: Fingerprint, origin: Mapping[str, Any]) -> About:
    """Return the description of a simulation of this model; large parts of ``origin`` may be functions."""
    units = {path: variable.unit for path, variable in flat.variables.items() if variable.unit}
    for path, component in flat.components.items():
        if isinstance(component, StoresSignals):
            units |= {relative_name(path, pattern): unit for pattern, unit in component.units().items()}
    versions = {"modia3d": package_version(), "numpy": np.__version__, "python": platform.python_version()}
    checksums = {group: digest(sorted(entries.items())) for group, entries in groups.items()}
    checksums["model"] = digest(sorted(checksums.items()))
    model = {group: groups[group] for group in SIGNAL_GROUPS}
    numbers = {**flat.settled, **flat.parameters}
    seen = [visualizer.as_data(numbers) for visualizer in flat.visualizers]
    return About(name, model, units, plain(origin) | ({"visualizers": seen} if seen else {}), versions, checksums)


_PLAIN = ("name", "model", "units", "origin", "versions", "checksums")


def header_text(about: About, stop_time: float, signals: SignalTable) -> bytes:
    """Return the text of a result file's header."""
    data = {"format": FORMAT, "version": VERSION, **{name: getattr(about, name) for name in _PLAIN}, "stop_time": stop_time}
    return json.dumps({**data, "table": signals.to_data()}).encode()


def read_header(content: bytes) -> tuple[About, float, SignalTable]:
    """Return the description that `header_text` wrote. Raises Damaged or ValueError for another text."""
    data = json.loads(content)
    if isinstance(data, dict) and data.get("format") == FORMAT and data.get("version") != VERSION:
        raise Damaged(f"version {data.get('version')!r} of the format, expected {VERSION}")
    _HEADER(data, "header")
    about = About(**{name: data[name] for name in _PLAIN})
    return about, float(data["stop_time"]), SignalTable.from_data(data["table"])
