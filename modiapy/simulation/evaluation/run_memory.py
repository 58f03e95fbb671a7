"""Memory of one run that later evaluations need: modes of relations, remembered values of equations, last solutions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...symbolic.codegen.model_context import ModelContext
from ...symbolic.kernels.newton_memory import Header, Part
from ..files.schema import Damaged, record, vector

_MEMORY = ("modes", "after", "flags", "pre", "time_events", "current", "bands")
"""Arrays of `RunMemory` that last beyond an evaluation."""

_NOTHING = np.zeros(0)
_NO_SOLUTIONS: list[np.ndarray] = []

_SWITCHES = ("modes", "after", "flags", "solved")
"""Those of them that are false or true."""


class Aside(NamedTuple):
    """Memory of systems of equations: last solutions of the nonlinear ones; matrices, factors and pivots of all."""

    solutions: list[np.ndarray]
    workspace: np.ndarray


class RunMemory:
    """The memory of one run that a machine evaluates in, besides states, parameters and contexts of components.

    Args:
        context: of the machine code, which owns the arrays. They may be written in place; see `ModelContext`.

    Attributes:
        context: the same.
        bands: noise within which relations rest, see `Relations.note_rest`; the other arrays are those of the context.
    """

    def __init__(self, context: ModelContext) -> None:
        self.context, self._newton = context, context.newton
        self.modes, self.after, self.time_events, self.pre = context.modes, context.after, context.time_events, context.pre
        self.flags, self.current, self.unknowns = context.flags, context.current, context.unknowns
        self.reinits, self.array_reinits = context.reinits, context.array_reinits
        self.inputs = context.inputs
        self.bands = np.zeros(self.modes.size)
        self._lasting = {name: getattr(self, name) for name in _MEMORY}
        self._filled = {name: array for name, array in self._lasting.items() if array.size}
        self._nothing = {**self._lasting, "solved": _NOTHING, "solutions": _NOTHING}

    @property
    def solves_nonlinear(self) -> bool:
        """True if there are nonlinear systems of equations."""
        return bool(self._newton)

    def begin_with(self, values: Mapping[str, float]) -> None:
        """Set the values of the unknowns with which nonlinear systems begin."""
        if self._newton:
            elements = self.context.layout.by_element(values)
            for memory in self._newton:
                memory.set_last(elements)

    def solutions(self) -> list[np.ndarray]:
        """Return the last solutions of the nonlinear systems."""
        return [memory.part(Part.LAST).copy() for memory in self._newton] if self._newton else _NO_SOLUTIONS

    def begin_from(self, solutions: list[np.ndarray]) -> None:
        """Set the last solutions to those that `solutions` returned: the next point is near the point of these solutions."""
        for memory, last in zip(self._newton, solutions, strict=True):
            memory.part(Part.LAST)[:] = last

    def put_aside(self) -> Aside:
        """Return a copy of the memory of systems of equations, for `go_on_with`."""
        return Aside(self.solutions(), self.context.workspace.copy())

    def go_on_with(self, aside: Aside) -> None:
        """Restore what `put_aside` returned: the next evaluation does not depend on the evaluations since then."""
        self.context.workspace[:] = aside.workspace
        if self._newton:
            self.begin_from(aside.solutions)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return a copy of the memory without the states, for `restore`."""
        arrays = self._nothing.copy()
        for name, array in self._filled.items():
            arrays[name] = array.copy()
        if self._newton:
            arrays["solved"] = np.array([memory.header[Header.SOLVED] for memory in self._newton], dtype=float)
            arrays["solutions"] = np.concatenate(self.solutions())
        return arrays

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Restore what `arrays` returned. Raises Damaged if it does not fit."""
        newton = self._newton
        sizes = [len(memory.unknowns) for memory in newton]
        expected = {name: array.size for name, array in self._lasting.items()}
        expected |= {"solved": len(newton), "solutions": sum(sizes)}
        record(**{name: vector(size) for name, size in expected.items()})(arrays, "memory")
        for name in _SWITCHES:
            if not ((arrays[name] == 0.0) | (arrays[name] == 1.0)).all():
                raise Damaged(f"memory.{name}: expected zeros and ones")
        self.put_back(arrays)

    def put_back(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Restore what `arrays` returned of this memory."""
        newton = self._newton
        for name, array in self._filled.items():
            array[:] = arrays[name]
        if not newton:
            return
        sizes = [len(memory.unknowns) for memory in newton]
        solved, solutions = arrays["solved"], arrays["solutions"]
        self.begin_from(np.split(solutions, np.cumsum(sizes)[:-1]))
        for memory, flag in zip(newton, solved, strict=True):
            memory.header[Header.SOLVED] = flag != 0.0

    @property
    def acting(self) -> int:
        """Largest number of impulses that were computed together."""
        return self.context.acting

    @property
    def factorisations(self) -> int:
        """Return how often matrices of linear systems of more than one equation were factorised."""
        return self.context.factorisations

    def forget_factors(self) -> None:
        """Discard the factors of linear systems: their rounding errors and pivots depend on earlier points."""
        self.context.invalidate()

    def newton_values(self) -> Mapping[str, float]:
        """Return the last solutions of the nonlinear systems, by name."""
        return self.context.newton_values()
