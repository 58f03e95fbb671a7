"""The context of a model: one block of eight-byte slots at a stable address."""

from __future__ import annotations

from enum import IntEnum

from ...acausal.memory_layout import Field, Layout, size
from ..sorted.sorted_model import SortedModel


class ContextSlot(IntEnum):
    """Slots of a model's context: what lies at each place is described in `symbolic/codegen`."""

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
    PROJECTION = 16  # address of a table, see `projection`
    WRITE_INPUTS = 17  # address of `input_kernel.write_inputs`; 0: the inputs keep their values
    INPUT_TABLE = 18  # address of what it reads
    COMPONENTS = 19


MODES = Layout(
    Field("mode", size("relations")),
    Field("after", size("times")),
    Field("flag", size("flags")),
    Field("memory", size("values")),
)
"""What operators of these names read (slot MODES): whether relations hold, time events have passed, clocks tick; values before
the event, of scalars, then of arrays."""

AT_EVENTS = Layout(
    Field("after", size("times")),
    Field("reinit", 2 * size("reinits")),
    Field("present", size("values")),
    Field("array_reinit", size("elements")),
)
"""What is written in EVENT mode (slot TIME_EVENTS): arguments of ``after``; (active, value) of each re-initialisation of a
scalar; present values of what ``memory`` reads; (active, elements) of each re-initialisation of an array."""


def event_sizes(model: SortedModel, values: int = 0, elements: int = 0) -> dict[str, int]:
    """Return the sizes of `MODES` and `AT_EVENTS`.

    Args:
        model: sorted.
        values: how many values are remembered, those of arrays included; offsets of fields before do not depend on it.
        elements: of all re-initialisations of arrays, with their flags.
    """
    discrete = model.discrete
    return {
        "relations": len(model.relations),
        "times": len(model.time_events),
        "flags": discrete.n_flags,
        "reinits": len(discrete.reinits),
        "values": values,
        "elements": elements,
    }
