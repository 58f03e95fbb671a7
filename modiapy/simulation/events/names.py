"""Names of events in messages. Plain functions of the machine: nothing here keeps a simulation alive."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..evaluation.machine import Machine


def indicator_text(machine: Machine, k: int) -> tuple[str, str]:
    """Return the text behind an event indicator, as the user wrote it, and the path of its model."""
    if k < machine.n_relations:
        return machine.sorted.relation_texts[k]
    k -= machine.n_relations
    for path, layout in machine.layouts.items():
        if k < layout.n_z:
            text = "" if layout.indicator is None else layout.indicator(k)
            return text or f"indicator {k} of {path or 'the component'}", path
        k -= layout.n_z
    return f"indicator {k}", ""


def indicator_name(machine: Machine, k: int) -> str:
    """Return the name of an event indicator; a relation has its path."""
    text, path = indicator_text(machine, k)
    return f"{path}: {text}" if path and k < machine.n_relations else text


def mode_name(machine: Machine, k: int) -> str:
    """Return the text of a relation by its number; the numbers behind the relations are time events."""
    if k < machine.n_relations:
        return indicator_name(machine, k)
    sorted_model = machine.sorted
    k -= machine.n_relations
    return str(sorted_model.time_relation(k, sorted_model.discrete.readable(sorted_model.time_events[k])))
