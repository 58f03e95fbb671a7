"""Diagnosis of a model that cannot be solved: equations that are too many, variables that nothing determines, and their
they were written.

The decomposition is that of A. L. Dulmage, N. S. Mendelsohn, Coverings of bipartite graphs, Canadian J. Math. 10 (1958);
A. Pothen, C.-J. Fan, Computing the block triangular form of a sparse matrix, ACM TOMS 16 (1990).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ...model.expression import ZERO, Apply, Equation, Name, names, walk
from ...model.places import FilePlace, exact
from ..flat.flat_model import FlatModel
from ..terms.arrays import shape_of
from ..terms.matching import Matching, match, overdetermined, underdetermined
from ..terms.names import base_of
from .equation_system import EquationSystem

SHOWN = 12
"""So many equations or variables are named in a message."""


@dataclass(frozen=True)
class Decomposition:
    """Rows and columns of the overdetermined, the underdetermined and the well determined part of an incidence.

    In the first two, those come first that are nearest to what has no partner.
    """

    over_rows: Sequence[int]
    over_columns: Sequence[int]
    under_rows: Sequence[int]
    under_columns: Sequence[int]
    well_rows: Sequence[int]
    well_columns: Sequence[int]


def dulmage_mendelsohn(rows: Sequence[Sequence[int]], n_columns: int, matching: Matching | None = None) -> Decomposition:
    """Return the coarse decomposition of Dulmage and Mendelsohn.

    Args:
        rows: columns of each row.
        n_columns: number of columns.
        matching: a maximum matching, if it is known.
    """
    matching = match(rows, n_columns) if matching is None else matching
    over_rows, over_columns = overdetermined(rows, matching)
    under_rows, under_columns = underdetermined(rows, matching)
    other_rows, other_columns = {*over_rows, *under_rows}, {*over_columns, *under_columns}
    well_rows = [r for r in range(len(rows)) if r not in other_rows]
    well_columns = [c for c in range(n_columns) if c not in other_columns]
    return Decomposition(over_rows, over_columns, under_rows, under_columns, well_rows, well_columns)


def structural_error(
    system: EquationSystem, rows: list[list[int]], matching: Matching, unknowns: list[str], redundant: Sequence[Equation]
) -> ModelError:
    """Return the error for equations that cannot be matched with the ``unknowns``; ``redundant`` ones were removed before."""
    parts = dulmage_mendelsohn(rows, len(unknowns), matching)
    text, remedies, path = [], [], ""
    if parts.over_rows:
        nodes = list(dict.fromkeys(system.row_node[r] for r in parts.over_rows))
        excess = len(parts.over_rows) - len(parts.over_columns)
        text.append(
            f"too many equations for {_list([unknowns[c] for c in parts.over_columns]) or 'no unknown'}"
            f" ({excess} too many of {len(parts.over_rows)}):\n  {_equations(system, nodes)}"
        )
        remedies.append(_remedy_for_excess(system, nodes))
        path = _common_path(system, nodes)
    if parts.under_columns:
        nodes = list(dict.fromkeys(system.row_node[r] for r in parts.under_rows))
        missing = len(parts.under_columns) - len(parts.under_rows)
        where = f" in:\n  {_equations(system, nodes)}" if nodes else ""
        lacking = [unknowns[c] for c in parts.under_columns]
        text.append(f"too few equations ({missing} missing) for {_list(lacking)}{where}")
        remedies.append(_remedy_for_lack(system.flat, lacking, nodes))
        path = path or base_of(lacking[0]).rpartition(".")[0]
    if parts.over_rows and parts.under_columns and (array := _array_of_other_shape(system, parts.over_rows)):
        remedies.append(
            "An equation determines an array of its own shape, or one element where all have their equation: give those for"
            f" all elements of '{array}', or make them unknowns of their own: Var(shape=..., elements=True)."
        )
    if redundant:
        listed = [located(e, system.flat) for e in redundant]
        text.append(f"these equations say nothing new:\n  {_lines(listed)}")
    return ModelError(
        f"the model is structurally singular: {len(rows)} equations for {len(unknowns)} unknowns (after alias elimination)\n"
        + "\n".join(text),
        path=path,
        remedy=" ".join(remedies),
    )


def _array_of_other_shape(system: EquationSystem, rows: Sequence[int]) -> str:
    """Return an array variable in one of the equations whose shape is not that of the equation ("" if there is none)."""
    shapes = system.flat.shapes
    for equation in (system.nodes[system.row_node[r]] for r in rows):
        if isinstance(equation, Equation):
            own = shape_of(equation.lhs, shapes) or shape_of(equation.rhs, shapes)
            for name in sorted(names(equation.lhs) | names(equation.rhs)):
                if name in system.flat.variables and shapes.get(name, own) != own:
                    return name
    return ""


def _remedy_for_excess(system: EquationSystem, nodes: Sequence[int]) -> str:
    written = {(_path(e), str(e)): e for e in system.flat.equations if isinstance(e, Equation)}
    found = [written.get((_path(system.nodes[n]), str(system.nodes[n]))) for n in nodes]
    used = _equal(system.flat, set().union(*(names(e.lhs) | names(e.rhs) for e in found if e is not None)))
    for equation in system.flat.equations:
        if str(equation).partition(" = ")[0] in used and (remedy := _remedy_for_open_connector(equation)):
            return remedy
    return (
        _remedy_for_connected(system.flat, used) or "Remove one of these equations, or declare a variable that it determines."
    )


def _remedy_for_connected(flat: FlatModel, used: set[str]) -> str:
    """Return the remedy for an equation that sets the flow of a connector among ``used``, connected already; "" if none
    does.
    """
    equations = [e for e in flat.equations if isinstance(e, Equation)]
    balances = [names(e.lhs) | names(e.rhs) for e in equations if str(e).endswith("]")]
    for equation in equations:
        flows = {
            name for name in used & names(equation.lhs) if "." in name and name in flat.variables and flat.variables[name].flow
        }
        if len(flows) != 1 or str(equation).endswith("]"):
            continue
        (flow,) = flows
        connector = flow.rpartition(".")[0]
        others = sorted(name for balance in balances if flow in balance for name in balance - flows)
        if others and equation.path != connector.rpartition(".")[0]:
            return (
                f"'{connector}' is connected to '{others[0].rpartition('.')[0]}' already, so that '{flow}' is what this takes: "
                f"to add to it, connect a source (rotational.Torque, translational.Force ...) to '{connector}'."
            )
    return ""


def _equal(flat: FlatModel, used: set[str]) -> set[str]:
    """Return ``used``, and all variables that are equal to one of them or its negative by equations between two variables."""
    pairs = []
    for e in flat.equations:
        if isinstance(e, Equation) and len(names(e.lhs) | names(e.rhs)) == 2:
            nodes = [*walk(e.lhs), *walk(e.rhs)]
            if all(type(n) is Name or n == ZERO or (type(n) is Apply and n.op in ("neg", "+", "-")) for n in nodes):
                pairs.append(names(e.lhs) | names(e.rhs))
    while grown := [pair for pair in pairs if len(pair & used) == 1]:
        used = used.union(*grown)
    return used


def remedy_for_contradiction(equations: Iterable[Equation | CallEquation]) -> str:
    """Return the remedy for equations that contradict each other."""
    found = next(filter(None, map(_remedy_for_open_connector, equations)), "")
    return found or "Remove one of them, or the component or connection that it stems from."


def _remedy_for_open_connector(equation: Equation | CallEquation) -> str:
    flow, _, reason = str(equation).partition(" = 0 [")
    if reason != "not connected]":
        return ""
    return f"Nothing is connected to the connector of '{flow}', so that it is 0: connect it, or remove an equation."


def _remedy_for_lack(flat: FlatModel, unknowns: Sequence[str], nodes: Sequence[int]) -> str:
    variables = [flat.variables.get(base_of(name)) for name in unknowns]
    if any(v is not None and v.potential for v in variables) and nodes:
        return "Connect what fixes the potential (a ground, a fixed flange), or add an equation for one of these variables."
    name = unknowns[0] if len(unknowns) == 1 else "one of these variables"
    return f"Add an equation for {name}, give it a value by Var(value), or make it an input."


def describe(equation: Equation | CallEquation) -> str:
    """Return the equation as the user wrote it, with the path of the model it stands in."""
    path = _path(equation)
    return f"{path}: {equation}" if path else str(equation)


def located(equation: Equation | CallEquation, flat: FlatModel) -> str:
    """`describe`, with the file and line where the equation was written, if that is known."""
    place = _place(equation, flat)
    return f"{describe(equation)}  ({Path(place[0]).name}:{place[1]})" if place else describe(equation)


def _place(equation: Equation | CallEquation, flat: FlatModel) -> FilePlace | None:
    places = flat.places.get(_path(equation))
    if not places:
        return None
    bracket = re.search(r" \[([^][]*)\]", str(equation))
    text = bracket[1] if bracket else str(equation)  # of a connection, what stands in brackets
    left = text.partition(" = ")[0]
    if text in places:
        return exact(places[text], [text, *ends(text)])
    return exact(places[""], [text, f"{left}=", f"{left} ="]) if "" in places else None


def ends(text: str) -> list[str]:
    """Return how the ends of a connection are written."""
    match_ = re.fullmatch(r"connect\((.*)\)", text)
    return [quote + match_[1].partition(", ")[0] + quote for quote in "\"'"] if match_ else []


def _path(equation: Equation | CallEquation) -> str:
    return equation.component if isinstance(equation, CallEquation) else equation.path


def _equations(system: EquationSystem, nodes: Sequence[int]) -> str:
    return _lines([located(system.nodes[n], system.flat) for n in nodes])


def _common_path(system: EquationSystem, nodes: Sequence[int]) -> str:
    paths = {_path(system.nodes[n]) for n in nodes}
    return paths.pop() if len(paths) == 1 else ""


def _list(items: list[str]) -> str:
    return ", ".join(f"'{item}'" for item in items[:SHOWN]) + (f" and {len(items) - SHOWN} more" if len(items) > SHOWN else "")


def _lines(items: list[str]) -> str:
    return "\n  ".join(items[:SHOWN]) + (f"\n  and {len(items) - SHOWN} more" if len(items) > SHOWN else "")


# -- place of an error --------------------------------------------------------------------------------------------------
