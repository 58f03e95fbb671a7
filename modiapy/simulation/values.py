"""Values with which a model is simulated: those of its translation, or those merged for one simulation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..model.errors import ModelError, nearest
from ..model.model import Map
from ..symbolic.flat.flat_model import FlatModel
from ..symbolic.flattening.evaluate import EvaluatedModel, evaluated_parameters, parameter_at
from .files.fingerprint import Fingerprint, fingerprint


@dataclass(frozen=True, eq=False)
class Values:
    """Parameters, initial values, and the components made from them.

    Attributes:
        flat: the flat model with these values.
        evaluated: the tree of instances; None for a flat model written by hand.
    """

    flat: FlatModel
    evaluated: EvaluatedModel | None

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """Return the fingerprint that tells a simulation with these values from others."""
        return fingerprint(self.flat)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters of the flat model, numbers and arrays, by full path."""
        return {**self.flat.parameters, **self.flat.arrays}

    @property
    def evaluated_parameters(self) -> Map:
        """Values of all parameters, nested as the model is."""
        return Map(**self.parameters) if self.evaluated is None else evaluated_parameters(self.evaluated.tree)

    def parameter(self, path: str) -> Any:
        """Return the value of a parameter: a number, array, text or object; a `Map` of all if it is a submodel.

        Raises:
            ModelError: there is no such parameter.
        """
        if self.evaluated is not None:
            return parameter_at(self.evaluated.tree, path)
        values = self.parameters
        if path not in values:
            raise ModelError("there is no such parameter", path=path, remedy=nearest(path, values))
        return values[path]

    def start(self, path: str) -> Any:
        """Return the initial value of a variable or of an element of it: its ``init``, else its ``start``; None if it has
        neither.

        Raises:
            ModelError: there is no such variable.
        """
        flat = self.flat
        whole, indices = (path, ()) if path in flat.variables else element_of(path)
        variable = flat.variables.get(whole)
        value = None if variable is None else variable.start if variable.init is None else variable.init
        shape = flat.shapes.get(whole, ())
        if variable is None or (indices and not _inside(indices, shape)):
            raise ModelError("there is no such variable", path=path, remedy=nearest(path, flat.variables))
        if value is None or not indices:
            return value
        return np.broadcast_to(np.asarray(value), shape)[indices]


def element_of(path: str) -> tuple[str, tuple[int, ...]]:
    """Return the name and indices of an element, ``"a.x[1,2]"`` as ``("a.x", (1, 2))``; without readable indices none."""
    found = re.fullmatch(r"(.+)\[(\d+(?:,\d+)*)\]", path.replace(" ", ""))
    return (found[1], tuple(map(int, found[2].split(",")))) if found else (path, ())


def _inside(indices: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(indices) == len(shape) and all(k < n for k, n in zip(indices, shape, strict=True))
