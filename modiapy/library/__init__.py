"""Model libraries. Names and conventions are those of the Modelica Standard Library, parameters in snake_case.

A library model is a value: its documentation is its entry ``description``, and ``print(model)`` shows all of it. What is a
function returns a model. Each package in this folder, or in one of them, is a library: there is no other list of them. Its
models are those that its ``__init__`` names in ``__all__``.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from ..model.model import Model

WITHOUT_PREFIX = ("blocks", "rotational", "translational", "electric", "heat_transfer", "drives")
"""Libraries whose models scenarios may name without the library, where no two of these share the name."""


@functools.cache
def library_names() -> tuple[str, ...]:
    """Return the names of all libraries, such as ``rotational`` and ``electric.polyphase``; none is imported."""
    return tuple(_packages(__path__, ""))


def _packages(folders: Iterable[str], prefix: str) -> Iterator[str]:
    for found in pkgutil.iter_modules(folders):
        if found.ispkg:
            yield prefix + found.name
            inner = [str(Path(folder) / found.name) for folder in folders]
            yield from _packages(inner, f"{prefix}{found.name}.")


@functools.cache
def models_in(library: str) -> dict[str, Model]:
    """Return the models of a library by name."""
    return {name: value for name, value in _public(library) if isinstance(value, Model)}


@functools.cache
def functions_in(library: str) -> dict[str, Callable[..., Model]]:
    """Return the functions of a library that return models, by name."""
    return {name: value for name, value in _public(library) if name[0].isupper() and inspect.isfunction(value)}


def _public(library: str) -> list[tuple[str, Any]]:
    """Return the exports of a library: its ``__all__``, or else all names without underscore."""
    module = importlib.import_module(f"{__name__}.{library}")
    names = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
    return [(name, getattr(module, name)) for name in names]


@functools.cache
def words_in(library: str) -> frozenset[str]:
    """Return all names that the module of a library has, and others; it is not carried out."""
    spec = importlib.util.find_spec(f"{__name__}.{library}")
    assert spec is not None
    assert spec.origin is not None
    code = SourceFileLoader(spec.name, spec.origin).get_code(spec.name)  # pytest has a loader of its own, without code
    assert code is not None
    return frozenset(code.co_names)
