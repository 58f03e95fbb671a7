"""Other values by path: for parameters, as something to merge, and for arguments of ``simulate``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, nearest
from modiapy.model.model import Entries, Map, Par, Var
from modiapy.symbolic.flat.flat_model import FlatModel

from .quantities import units_in
from .registry import entry_of, modifiable
from .yaml_tree import Node, ScenarioError, tree_of

SETTINGS = ("simulation.stop_time", "simulation.tolerance", "simulation.interval")
"""Paths of what is no parameter of the model but an argument of ``simulate``."""


def assignments(texts: Iterable[str]) -> Iterator[tuple[str, Node, str]]:
    """Generate the path and value of each text ``PATH=VALUE``, and how messages call it.

    Raises:
        ScenarioError: a text is something else, or its value is not written as in a scenario.
    """
    for text in texts:
        path, equals, written = (part.strip() for part in text.partition("="))
        place = f"--set {text}"
        if not equals or not written:
            raise ScenarioError(
                "this gives no value to a parameter", file=place, expected="PATH=VALUE, for example gear.ratio=100"
            )
        yield path, tree_of(written, Path(place)), place


def check_path(model: Any, path: str) -> None:
    """Refuse a path that names nothing in a model.

    Raises:
        ModelError: says how far the path leads, and what is nearest to its next name.
    """
    if path in SETTINGS:
        return
    if isinstance(model, FlatModel):
        known = [*model.parameters, *model.arrays, *model.variables]
        if path not in known:
            raise ModelError("there is no such parameter", path=path, remedy=nearest(path, known))
        return
    inside: Any = model
    parts = path.split(".")
    if not path or not all(parts):
        raise ModelError("this is no path of a parameter", found=f"'{path}'", expected="names with points between")
    for k, name in enumerate(parts):
        known = [key for key in modifiable(inside) if key != "rot"] if isinstance(inside, Entries) else []
        entry = _entry(inside, name)
        if name not in known and entry is None:
            raise ModelError(
                f"'{'.'.join(parts[:k])}' has no '{name}'" if k else f"the model has no '{name}'",
                path=path,
                expected="the path of a parameter",
                remedy=nearest(name, known),
            )
        inside = entry
    if isinstance(inside, Var) and "init" in inside and "value" not in inside:
        raise ModelError(
            "this is a variable that its equations determine",
            path=path,
            expected="a parameter, or an attribute of the variable",
            remedy=f"Its initial value is {path}.init.",
        )


def _entry(inside: Any, name: str) -> Any:
    return entry_of(inside, name) if isinstance(inside, Mapping) else None


def units_at(model: Any, path: str) -> Sequence[str]:
    """Return the units that are expected at a path, none where that is not known."""
    if path in SETTINGS:
        return ("s",) if path != "simulation.tolerance" else ()
    if (element := _element(model, path)) is not None:
        path = element[0]
    *parts, last = path.split(".")
    inside: Any = model
    outer: Sequence[str] = ()
    for name in parts:
        outer = units_in(inside, name, outer)
        inside = _entry(inside, name)
    return units_in(inside, last, outer)


def with_whole_vectors(model: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by path in which elements (``"body.translation[2]"``, ``"matrix[0,1]"``) have become the whole vectors
    of a model.

    Raises:
        ModelError: the vector is not that long.
    """
    whole: dict[str, Any] = {}
    for path, value in values.items():
        found = _element(model, path)
        if found is None:
            whole[path] = value
            continue
        name, place, vector = found
        vector = whole.setdefault(name, vector)
        inside = vector
        for k, index in enumerate(place):
            if not isinstance(inside, list) or index >= len(inside):
                length = len(inside) if isinstance(inside, list) else "no"
                raise ModelError(
                    "there is no such element",
                    path=path,
                    found=f"[{','.join(map(str, place))}]",
                    expected=f"one of {length} elements, counted from 0",
                )
            if k < len(place) - 1:
                inside = inside[index]
        inside[place[-1]] = value
    return whole


def _element(model: Any, path: str) -> tuple[str, list[int], list[Any]] | None:
    """Return the path of the vector, indices and a copy of the vector, where a path names an element of one that is written
    out.
    """
    name, bracket, written = path.rpartition("[")
    if not bracket or not re.fullmatch(r"\d+(,\d+)*\]", written):
        return None
    inside: Any = model
    for part in name.split("."):
        inside = _entry(inside, part)
    if isinstance(inside, Par):
        inside = inside.get("value")
    if isinstance(inside, np.ndarray):
        inside = inside.tolist()
    if not isinstance(inside, list | tuple):
        return None
    return (
        name,
        [int(k) for k in written[:-1].split(",")],
        [list(row) if isinstance(row, tuple) else row for row in deepcopy(inside)],
    )


def changes(values: Mapping[str, Any]) -> Map:
    """Return the values by path as a `Map` to merge, e.g. ``{"gear.ratio": 2.0}`` as ``Map(gear=Map(ratio=2.0))``."""
    merged = Map()
    for path, value in values.items():
        *parts, last = path.split(".")
        inside = merged
        for part in parts:
            inside = inside.setdefault(part, Map())
        inside[last] = value
    return merged
