"""Fingerprint of a model: plain data whose comparison tells which parameters, equations, objects differ."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from ...model.expression import Expr
from ...model.tables import table_at
from ...symbolic.flat.flat_model import FlatModel
from .schema import scalar, table

PACKAGE = "modia3d"
_SHOWN = 5
_LENGTH = 16

Fingerprint = dict[str, dict[str, Any]]

FINGERPRINT = table(table(scalar))
"""What a fingerprint in a file must be."""


def package_version() -> str:
    """Return the version of the installed package; "unknown" where it runs without being installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "unknown"


def fingerprint(flat: FlatModel) -> Fingerprint:
    """Return everything on which the future of a simulation depends, by group and name, each as a value or a digest."""
    equations = [*map(str, flat.equations), *flat.compound, *map(str, flat.initial_equations), *flat.whens, *flat.assertions]
    parameters = {name: _parameter(value) for name, value in flat.parameters.items()}
    arrays = {name: digest(value) for name, value in flat.arrays.items()}
    return {
        "package": {"version": package_version()},
        "equation": {digest(equation): True for equation in equations},
        "variable": {name: digest(variable) for name, variable in flat.variables.items()},
        "parameter": parameters | arrays,
        "clock": {name: digest(clock) for name, clock in flat.clocks.items()},
        "component": {path: type(component).__qualname__ for path, component in flat.components.items()},
        "object": {path: digest(made) for path, made in flat.objects.items()},
    }


def difference(saved: Mapping[str, Any], present: Fingerprint) -> str:
    """Return the differences of two fingerprints as a text; "" if there are none."""
    found = []
    for group, names in present.items():
        before = saved.get(group)
        before = before if isinstance(before, Mapping) else {}
        for name in dict.fromkeys([*names, *before]):
            if name in names and name in before and names[name] == before[name]:
                continue
            found.append(_difference(group, name, before.get(name), names.get(name)))
    more = [f"{len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return "; ".join([*found[:_SHOWN], *more])


def _difference(group: str, name: str, saved: Any, present: Any) -> str:
    if group == "equation":
        return "an equation that only the model has" if saved is None else "an equation that only the snapshot's model has"
    if saved is None or present is None:
        return f"{group} {name}, which only the {'model' if saved is None else 'snapshot'} has"
    if isinstance(saved, str) and len(saved) == _LENGTH:
        return f"{group} {name} differs"
    return f"{group} {name} = {present!r} (in the snapshot {saved!r})"


def _parameter(value: float) -> Any:
    table = table_at(value)
    return float(value) if table is None else digest(table)


def digest(value: Any) -> str:
    """Return the hash of plain data, dataclasses, arrays and functions, the same in every process."""
    hasher = hashlib.sha256()
    _feed(hasher, value, set())
    return hasher.hexdigest()[:_LENGTH]


def _feed(hasher: Any, value: Any, inside: set[int]) -> None:
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic):
        hasher.update(f"{type(value).__name__}:{value!r};".encode())
        return
    if id(value) in inside:
        return
    hasher.update(f"{type(value).__module__}.{type(value).__qualname__}(".encode())
    if isinstance(value, Enum):
        hasher.update(value.name.encode())
    elif isinstance(value, np.ndarray):
        hasher.update(f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, type):
        hasher.update(f"{value.__module__}.{value.__qualname__}".encode())
    else:
        for part in _parts(value):
            _feed(hasher, part, inside | {id(value)})
    hasher.update(b")")


def _parts(value: Any) -> Sequence[Any]:
    """Return the parts that determine a value: entries, fields, code. Addresses and cached values are left out."""
    if isinstance(value, Expr):
        return [str(value)]
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    if isinstance(value, set | frozenset):
        return sorted(map(digest, value))
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, types.MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, types.FunctionType):
        captured = [cell.cell_contents for cell in value.__closure__ or () if cell != types.CellType()]
        return [value.__qualname__, value.__code__, value.__defaults__, value.__kwdefaults__, captured]
    if isinstance(value, types.CodeType):
        return [value.co_code, value.co_names, value.co_consts]
    if is_dataclass(value):
        return [part for f in fields(value) if f.init for part in (f.name, getattr(value, f.name, None))]
    return []
