"""The context of a model: one block of eight-byte slots at a stable address."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


class ContextSlot(IntEnum):
    """Slots of a model's context, see docs/architecture.md."""

    PARAMETERS = 0
    MODES = 1
    WORKSPACE = 2
    UNKNOWNS = 3
    TIME_EVENTS = 4
    INPUTS = 5
    N_STATES = 6
    N_INDICATORS = 7
    EVALUATIONS = 8
    FAILED_BLOCK = 9
    SCRATCH = 10  # address of memory for derivatives that nobody wants (event indicators, outputs)
    XDOT = 11  # RESIDUALS mode: address of the derivatives that the integrator supplies
    N_RESIDUALS = 12  # RESIDUALS mode: the first so many states have residuals from the model, the others derivatives
    N_X = 13  # number of states, those of components included
    ARRAYS = 14  # address of the memory of arrays
    WORDS = 15  # address of sizes and offsets that depend on shapes of arrays
    COMPONENTS = 16
