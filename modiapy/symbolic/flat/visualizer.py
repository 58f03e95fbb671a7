"""Visible parts of a model, as its author has said in the source: for animations, which do not know the source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Visualizer:
    """One visible object, or what else an animation needs.

    Attributes:
        path: of the component, with the index of an element, counted from 1, where it is an array: ``"label.lines[2]"``.
        kind: "shape", "vector", or "gravity" (its direction is one quantity).
        what: kind of the shape ("box", "cylinder", ..., or a file), or of the quantity that a vector shows ("Force", ...).
        values: by quantity (``r``, ``R.T``, ``length``, ...) the names of variables and parameters, arrays by rows, or numbers.
    """

    path: str
    kind: str
    what: str
    values: Mapping[str, tuple[str | float, ...]]

    def as_data(self, numbers: Mapping[str, float]) -> dict[str, Any]:
        """Return the plain data, with ``numbers`` for names of parameters."""
        values = {key: [numbers.get(e, e) if isinstance(e, str) else e for e in given] for key, given in self.values.items()}
        return {"path": self.path, "kind": self.kind, "what": self.what, "values": values}
