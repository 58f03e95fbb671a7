"""A translated model as a text."""

from __future__ import annotations

from typing import Protocol

from ..symbolic.flat.flat_model import FlatModel
from ..symbolic.sorted.sorted_model import SortedModel
from .run import Run

_SHOWN = 30
"""So many states, inputs and parameters are printed."""


class Translated(Protocol):
    """Protocol of a `SimulationModel` that is shown."""

    name: str
    flat: FlatModel
    sorted: SortedModel
    translation_s: float

    @property
    def states(self) -> tuple[str, ...]: ...


def shown(sim: Translated, last: Run) -> str:
    """Return the states, inputs and parameters with their values in the last simulation, components, and its segments."""
    values = last.values
    start = {name: values.start(name) for name in sim.states if name in values.flat.variables}
    inputs = {name: values.start(name) for name in sim.sorted.inputs}
    parts = [("states", start), ("inputs", inputs), ("parameters", values.parameters)]
    lines = [f"{sim.name}: {len(sim.flat.equations)} equations, translated in {sim.translation_s:.2g} s"]
    for title, known in parts:
        items = [f"{name} = {0.0 if value is None else value!r}" for name, value in known.items()]
        more = [f"... and {len(items) - _SHOWN} more"] if len(items) > _SHOWN else []
        lines += [f"  {title}:", *(f"    {item}" for item in [*items[:_SHOWN], *more])] if items else []
    for path, component in sim.flat.components.items():
        text = str(component).splitlines()
        more = [f"... and {len(text) - _SHOWN} lines more"] if len(text) > _SHOWN else []
        lines += [f"  component {path or 'of the model'}:", *(f"    {line}" for line in [*text[:_SHOWN], *more])]
    if last.result is not None:
        lines += ["  last simulation:", *(f"    {line}" for line in str(last.result).splitlines())]
    return "\n".join(lines)
