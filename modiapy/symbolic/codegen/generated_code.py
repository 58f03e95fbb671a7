"""What code generation makes of a sorted model, before it is loaded."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...acausal.protocol import ComponentFunction
from ...model.expression import Operator
from ..kernels.incidence import Incidence
from .array_layout import Word
from .external import ArrayCall


@dataclass(frozen=True)
class GeneratedCode:
    """What the writer delivers.

    Attributes:
        ir: text of the module with the functions ``model`` and ``outputs``.
        functions: component functions that it calls, by external symbol.
        mathematics: names of mathematical functions that it calls.
        workspace: for each linear block its offset and its number of eight-byte words, size and whether it is constant.
        linear_iteration_bytes: bytes of the IR that belong to linear blocks.
        calls_linear_iteration: whether there is a block with more than one unknown.
        sparse: incidence of the linear blocks that are solved by sparse factors, by offset.
        newton: for each nonlinear block its offset in the workspace, and its number.
        array_newton: numbers of the nonlinear blocks whose memory lies in that of arrays.
        operators: functions of the model that it calls, by external symbol.
        words: numbers that depend on shapes of arrays, see `array_layout`; empty for a model without arrays.
        array_calls: users' functions of arrays that it calls, by external symbol.
        has_residuals: whether RESIDUALS mode delivers residuals.
    """

    ir: str
    functions: dict[str, ComponentFunction]
    mathematics: tuple[str, ...]
    workspace: tuple[tuple[int, int, bool], ...]
    linear_iteration_bytes: int
    calls_linear_iteration: bool
    sparse: dict[int, Incidence] = field(default_factory=dict)
    newton: tuple[tuple[int, int], ...] = ()
    array_newton: tuple[int, ...] = ()
    operators: dict[str, Operator] = field(default_factory=dict)
    words: tuple[Word, ...] = ()
    array_calls: dict[str, ArrayCall] = field(default_factory=dict)
    has_residuals: bool = False
