"""Groups of the blocks of a model by the occasions on which they are evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ...model.expression import Expr, names
from ..sorted.parts import Assignment, Block, Call, NonlinearBlock, defined_by, expressions_of
from ..sorted.sorted_model import SortedModel


class Group(IntEnum):
    """Group of blocks that are evaluated on the same occasions: each with those before it.

    ``DERIVATIVES`` always, ``INDICATORS`` also where event indicators are wanted, ``EVENTS`` at events and where results are
    stored, ``OUTPUTS`` where results are stored.
    """

    DERIVATIVES = 0
    INDICATORS = 1
    EVENTS = 2
    OUTPUTS = 3


def group_blocks(model: SortedModel) -> list[Group]:
    """Return for each block the first group that needs it.

    Raises:
        ModelError: derivatives need a variable that is not zero at events only.
    """
    home = _homes(model)
    _refuse_states(model)
    groups = [Group.OUTPUTS] * len(model.blocks)

    def require(pending: list[int], group: Group) -> None:
        while pending:
            k = pending.pop()
            if groups[k] > group:
                groups[k] = group
                pending += _blocks_of(names_of(expressions_of(model.blocks[k])), home, model)

    sinks = [k for k, block in enumerate(model.blocks) if any(c.function.sink for c in calls_of(block))]
    constrained = names_of(e for c in model.constraints for e in (c.residual, *c.directions.values()))
    require(_blocks_of([*model.derivatives, *constrained], home, model) + sinks, Group.DERIVATIVES)
    for k in impulse_blocks(model):
        if groups[k] == Group.DERIVATIVES:
            raise ModelError(
                "derivatives need an impulse",
                path=next(iter(defined_by(model.blocks[k]))),
                found=str(getattr(model.blocks[k], "equation", None) or model.blocks[k].equations[0]),  # type: ignore[union-attr]
                expected="variables with impulse=True only in equations of others, in conditions of events and in reinit",
            )
    wanted = [e for e, late in zip(model.indicators, late_indicators(model), strict=True) if not late]
    require(_blocks_of(names_of(wanted), home, model), Group.INDICATORS)
    at_events = (*model.indicators, *model.time_events, *model.discrete.expressions())
    require(_blocks_of(names_of(at_events), home, model), Group.EVENTS)
    return groups


def _refuse_states(model: SortedModel) -> None:
    """Refuse impulses whose derivatives occur, so that they are states."""
    for name in model.states:
        variable = model.flat.variables.get(name)
        if variable is not None and variable.impulse:
            raise ModelError("an impulse has a derivative", path=name, expected="a variable that is zero except at events")


def late_indicators(model: SortedModel) -> list[bool]:
    """Return for each indicator whether it depends on impulses, so that it is examined at events only."""
    home, impulsive = _homes(model), impulse_blocks(model)
    return [any(k in impulsive for k in _blocks_of(names(e), home, model)) for e in model.indicators]


def impulse_blocks(model: SortedModel) -> set[int]:
    """Return the blocks that compute impulses, and those that need them: they are evaluated at events only."""
    impulses = [v.name for v in model.flat.variables.values() if v.impulse]
    if not impulses:
        return set()
    home = _homes(model)
    found = set(_blocks_of(impulses, home, model))
    for k, block in enumerate(model.blocks):
        if k not in found and any(b in found for b in _blocks_of(names_of(expressions_of(block)), home, model)):
            found.add(k)
    return found


def _homes(model: SortedModel) -> dict[str, int]:
    """Return for each variable the block that computes it."""
    return {name: k for k, block in enumerate(model.blocks) for name in defined_by(block)}


def _blocks_of(wanted: Iterable[str], home: dict[str, int], model: SortedModel) -> list[int]:
    return [home[name] for name in (resolved(model, n) for n in wanted) if name in home]


def resolved(model: SortedModel, name: str) -> str:
    """Return the variable behind an eliminated one."""
    while (alias := model.aliases.get(name)) is not None and alias.of:
        name = alias.of
    return name


def names_of(expressions: Iterable[Expr]) -> set[str]:
    """Return the names in several expressions."""
    return set().union(*(names(e) for e in expressions))


def calls_of(block: Block) -> Sequence[CallEquation]:
    """Return the calls of component functions in a block."""
    if isinstance(block, Call):
        return [block.call]
    if isinstance(block, Assignment):
        return []
    steps = block.body + (block.directional_derivatives if isinstance(block, NonlinearBlock) else ())
    return [step.call for step in steps if isinstance(step, Call)]
