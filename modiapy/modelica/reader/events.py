"""When-equations of typed trees as those of the flat model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...model.expression import Const, Equation, Expr, Name
from ...symbolic.flat.flat_model import Assertion, Variable, WhenBranch, WhenEquation
from .clocks.operators import is_clock
from .clocks.partitions import Clocked
from .reading import Reading
from .terms.asserted import Asserted
from .terms.refusals import Refusal
from .terms.values import scalars


def read_whens(reading: Reading) -> list[Clocked]:
    """Return all when-equations; those of clocks are given back."""
    clocked: list[Clocked] = []
    for chain in reading.trees["when_chains"]:
        blocks = [chain["first"], *(chain.get("else_when") or ())]
        span = blocks[0].get("span")
        reading.component = _owner(blocks)
        place = reading.source.places.of(span)
        branches = tuple(_branch(reading, block) for block in blocks)
        if is_clock(branches[0].conditions[0], reading.clocks):
            clocked.append(_clocked(branches, reading))
            continue
        text = f"when {', '.join(map(str, branches[0].conditions))[:100]}" + (f" ({place})" if place else "")
        reading.flat.whens.append(WhenEquation(branches, reading.component, text))
    return clocked


def _clocked(branches: Sequence[WhenBranch], reading: Reading) -> Clocked:
    branch = branches[0]
    if len(branches) > 1 or len(branch.conditions) > 1 or branch.reinits or branch.terminations:
        raise Refusal("a when-equation of a clock has other parts than one condition and equations", path=reading.component)
    return Clocked(branch.conditions[0], list(branch.equations))


def _owner(blocks: Sequence[Mapping[str, Any]]) -> str:
    """Return the path of the component that a when-equation belongs to: that of the first variable that it sets."""
    for block in blocks:
        for entry in block["equations"]:
            ((_, what),) = entry.items()
            target = what.get("target") or what.get("state")
            if isinstance(target, str):
                return target.rpartition(".")[0]
    return ""


def conditions_of(reading: Reading, tree: Any, local: Any = None) -> tuple[Expr, ...]:
    """Return the conditions of a branch: one, or those of a vector."""
    value = reading.interpreter.value(tree, local)
    return tuple(scalars(value))


def _branch(reading: Reading, block: Mapping[str, Any]) -> WhenBranch:
    equations: list[Equation] = []
    reinits: list[tuple[Expr, Expr]] = []
    terminations: list[str] = []
    conditions = conditions_of(reading, block["condition"])
    reading.draws.open()
    claimed: list[Asserted] = []
    with reading.asserted.apart(claimed.append), reading.under_conditions(conditions):
        for entry in block["equations"]:
            if "Assert" in entry:
                equations.append(_read_assertion(reading, entry["Assert"]))
            else:
                _read_entry(reading, entry, equations, reinits, terminations)
    equations += claims_of_branch(reading, claimed)
    equations += reading.draws.close(reading.component)
    return WhenBranch(conditions, tuple(equations), tuple(reinits), tuple(terminations))


def _read_assertion(reading: Reading, tree: Mapping[str, Any]) -> Equation:
    message = str(reading.interpreter.value(tree["message"]))
    level = reading.interpreter.value(tree["level"]) if tree.get("level") is not None else None
    return assertion_of_branch(
        reading, reading.interpreter.scalar(tree["condition"]), message, "warning" if level == Const(1) else "error"
    )


def assertion_of_branch(reading: Reading, condition: Expr, message: str, level: str) -> Equation:
    """Return an assertion that is looked at when a branch becomes active: a Boolean that the branch sets must hold."""
    flat, path = reading.flat, reading.component
    name = f"{path}.assertion({len(flat.assertions) + 1})".lstrip(".")
    flat.variables[name] = Variable(name, init=1.0, type="Boolean", origin=path)
    flat.assertions.append(Assertion(Name(name), message, level, path, message[:60]))
    return Equation(Name(name), condition, path)


def claims_of_branch(reading: Reading, claimed: Sequence[Asserted]) -> list[Equation]:
    """Return the assertions of the functions that a branch calls, each once."""
    return [assertion_of_branch(reading, one.condition, one.message, one.level) for one in dict.fromkeys(claimed)]


def _read_entry(
    reading: Reading, entry: Any, equations: list[Equation], reinits: list[tuple[Expr, Expr]], terminations: list[str]
) -> None:
    ((kind, what),) = entry.items()
    if kind == "Assign":
        target = _target(reading, what["target"])
        value = reading.interpreter.value(what["value"])
        equations += [Equation(a, b, reading.component) for a, b in _assigned(reading, target, value, what)]
    elif kind == "Reinit":
        target = _target(reading, what["state"])
        value = reading.interpreter.value(what["value"])
        reinits += _assigned(reading, target, value, what)
    elif kind == "Terminate":
        terminations.append(str(reading.interpreter.value(what["message"])))
    else:
        refusal = Refusal(f"'{kind}' in a when-equation is not read")
        reading.locate(refusal, what)
        raise refusal


def _target(reading: Reading, target: Any) -> Any:
    if isinstance(target, str):
        return reading.names.value(target, None, reading.interpreter, None)
    if isinstance(target, Mapping) and "name" in target and "component_ref" in target:
        return reading.names.value(target["name"], target["component_ref"], reading.interpreter, None)
    if isinstance(target, Mapping) and len(target) == 1:
        return reading.interpreter.value(target)
    raise Refusal("something unknown is assigned", found=str(target)[:100])


def _assigned(reading: Reading, target: Any, value: Any, what: Any) -> Sequence[tuple[Name, Expr]]:
    left, right = list(scalars(target)), list(scalars(value))
    right = right * len(left) if len(right) == 1 and not isinstance(value, np.ndarray) else right
    if len(left) != len(right) or not all(type(e) is Name for e in left):
        refusal = Refusal(
            "the sides of an assignment in a when-equation do not fit", found=f"{len(left)} and {len(right)} scalars"
        )
        reading.locate(refusal, what)
        raise refusal
    return list(zip(left, right, strict=True))
