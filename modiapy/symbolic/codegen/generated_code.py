"""Code that is generated from a sorted model, before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...acausal.protocol import ComponentFunction
from ...model.expression import Operator
from .array_layout import Word
from .external import ArrayCall
from .systems import Solver, System


@dataclass(frozen=True)
class GeneratedCode:
    """Product of the writer of a model.

    Attributes:
        ir: text of the module with the functions ``model`` and ``outputs``.
        functions: component functions that it calls, by external symbol.
        mathematics: names of mathematical functions that it calls.
        systems: systems of equations between scalars.
        array_systems: blocks of systems with array unknowns, which get their place when a simulation begins.
        linear_iteration_bytes: bytes of the IR that belong to linear blocks.
        calls_newton: whether there is a nonlinear system.
        operators: functions of the model that it calls, by external symbol.
        words: numbers that depend on shapes of arrays, see `array_layout`; empty for a model without arrays.
        array_calls: users' functions of arrays that it calls, by external symbol.
        has_residuals: whether RESIDUALS mode delivers residuals.
    """

    ir: str
    functions: dict[str, ComponentFunction]
    mathematics: tuple[str, ...]
    systems: tuple[System, ...]
    array_systems: tuple[int, ...]
    linear_iteration_bytes: int
    calls_newton: bool
    operators: dict[str, Operator] = field(default_factory=dict)
    words: tuple[Word, ...] = ()
    array_calls: dict[str, ArrayCall] = field(default_factory=dict)
    has_residuals: bool = False

    @property
    def sparse(self) -> list[System]:
        """Systems of scalars that are solved by sparse factors."""
        return [system for system in self.systems if system.solver is Solver.SPARSE]
