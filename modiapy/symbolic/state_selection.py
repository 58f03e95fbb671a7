"""Selection of states by static dummy derivatives.

Differentiated equations are constraints between the derivatives of variables. Level by level as many of these derivatives
become *dummies* (ordinary unknowns) as there are constraints, such that the constraints can be solved for them for all
values of the variables; what is not a dummy is the derivative of a state. Source: S. E. Mattsson, G. Soederlind, Index
reduction in differential-algebraic equations using dummy derivatives, SIAM J. Sci. Comput. 14 (1993).

Which are dummies: a Gaussian elimination over the Jacobian of the constraints, columns of the least wanted states first.
Only coefficients of constants and parameters (at their present values) are pivots; a coefficient that changes in time may
vanish.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..acausal.protocol import CallEquation
from ..model.errors import ModelError
from ..model.expression import ZERO, Equation, evaluate, sub
from .affine import coefficients
from .events import is_constant
from .index_reduction import EquationSystem
from .sorted_model import base_and_order

CHANGING = None
"""Stands in a sparse matrix for a coefficient that is not constant."""

Row = dict[int, float | None]


@dataclass
class Selection:
    """Variables that the integrator provides, and all others (both by number)."""

    states: list[int]
    unknowns: list[int]


def select_states(system: EquationSystem, wanted: Callable[[str], Sequence[object]]) -> Selection:
    """Choose the states.

    Args:
        system: after index reduction.
        wanted: how much a variable is wanted as a state; larger is more. Equal ones: the one declared first.

    Raises:
        ModelError: constraints that depend on each other, or nonlinear ones without a static selection.
    """
    highest = [v for v in range(len(system.variables)) if system.up[v] < 0]
    rows = [r for n in range(len(system.nodes)) if system.derivative[n] < 0 and system.integral[n] >= 0 for r in system.rows[n]]
    columns = [v for v in highest if system.down[v] >= 0]
    dummies: set[int] = set()
    while rows:
        order = _least_wanted_first(system, columns, wanted)
        chosen = _independent_columns(system, rows, order)
        dummies.update(chosen)
        # one level down: the constraints and the dummies before their last differentiation
        rows = [r for r in (_lower_row(system, r) for r in rows) if system.integral[system.row_node[r]] >= 0]
        columns = [system.down[v] for v in chosen if system.down[system.down[v]] >= 0]
    states = [v for v, up in enumerate(system.up) if up >= 0 and up not in dummies]
    position = {name: k for k, name in enumerate(system.flat.variables)}
    # numbers grow with the order of derivatives
    states.sort(key=lambda v: (position[base_and_order(system.variables[v])[0]], v))
    known = set(states)
    return Selection(states, [v for v in range(len(system.variables)) if v not in known])


def _lower_row(system: EquationSystem, row: int) -> int:
    node = system.row_node[row]
    return system.rows[system.integral[node]][row - system.rows[node][0]]


def _least_wanted_first(system: EquationSystem, columns: list[int], wanted: Callable[[str], Sequence[object]]) -> list[int]:
    position = {name: k for k, name in enumerate(system.flat.variables)}

    def key(v: int) -> tuple[Sequence[object], int]:
        state = system.variables[system.down[v]]
        return wanted(state), -position[base_and_order(state)[0]]

    return sorted(columns, key=key)  # type: ignore[arg-type]


def _independent_columns(system: EquationSystem, rows: list[int], columns: list[int]) -> list[int]:
    """The first columns, in their order, for which the constraints ``rows`` can be solved."""
    candidates = set(columns)
    matrix = {r: _gradient(system, r, candidates) for r in rows}
    rows_of: dict[int, set[int]] = {v: set() for v in columns}
    for r, entries in matrix.items():
        for v in entries:
            rows_of[v].add(r)
    chosen = []
    open_rows = set(rows)
    for v in columns:
        pivot = _pivot(matrix, rows_of, v)
        if pivot is None:
            continue
        chosen.append(v)
        open_rows.discard(pivot)
        for u in matrix[pivot]:
            rows_of[u].discard(pivot)
        for r in sorted(rows_of[v]):
            _eliminate(matrix, rows_of, r, pivot, v)
    if open_rows:
        _refuse(system, sorted(open_rows), matrix, rows)
    return chosen


def _pivot(matrix: dict[int, Row], rows_of: dict[int, set[int]], column: int) -> int | None:
    """The row with the fewest entries, those in sparse columns first, among the ones with a constant coefficient."""
    sizes = {r: abs(a) for r in rows_of[column] if (a := matrix[r][column]) is not CHANGING}
    if not sizes:
        return None
    enough = 0.1 * max(sizes.values())
    candidates = (r for r, size in sizes.items() if size >= enough)
    return min(candidates, key=lambda r: (len(matrix[r]), sum(len(rows_of[v]) for v in matrix[r]), r))


def _eliminate(matrix: dict[int, Row], rows_of: dict[int, set[int]], row: int, pivot_row: int, column: int) -> None:
    """``row -= factor * pivot_row`` so that ``column`` vanishes; what involves a changing coefficient is changing."""
    target, source = matrix[row], matrix[pivot_row]
    a, p = target.pop(column), source[column]
    assert p is not CHANGING
    factor = None if a is None else a / p
    rows_of[column].discard(row)
    for v, s in source.items():
        if v == column:
            continue
        t = target.get(v, 0.0)
        if factor is None or s is None or t is None:
            target[v] = CHANGING
        else:
            new = t - factor * s
            if abs(new) <= 1e-12 * (abs(t) + abs(factor * s)):
                target.pop(v, None)
                rows_of[v].discard(row)
                continue
            target[v] = new
        rows_of[v].add(row)


def _gradient(system: EquationSystem, row: int, columns: set[int]) -> Row:
    """Coefficients of ``columns`` in a differentiated scalar equation."""
    node = system.row_node[row]
    equation = system.nodes[node]
    entries: Row = {v: CHANGING for v in system.incidence[node] if v in columns}
    if isinstance(equation, CallEquation):
        k = row - system.rows[node][0]
        for i, output in enumerate(equation.outputs):
            entries.pop(system.index[output.name], None)
            if i == k:
                entries[system.index[output.name]] = 1.0
        return entries
    # the derivative of an equation is affine in the highest derivatives
    slopes = coefficients(sub(equation.lhs, equation.rhs), {system.variables[v] for v in entries}) or {}
    for v in list(entries):
        slope = slopes.get(system.variables[v], ZERO)
        if is_constant(slope, system.flat.parameters):
            value = evaluate(slope, system.flat.parameters)
            if value == 0.0:
                del entries[v]
            else:
                entries[v] = value
    return entries


def _refuse(system: EquationSystem, stuck: list[int], matrix: dict[int, Row], rows: list[int]) -> None:
    def original(row: int) -> Equation | CallEquation:
        node = system.row_node[row]
        while system.integral[node] >= 0:
            node = system.integral[node]
        return system.nodes[node]

    nodes = list(dict.fromkeys(original(r) for r in stuck))
    path = nodes[0].component if isinstance(nodes[0], CallEquation) else nodes[0].path
    text = ", ".join(f"'{node}'" for node in nodes[:6])
    left = {base_and_order(system.variables[v])[0]: None for r in stuck for v in matrix[r]}
    if left:
        raise ModelError(
            f"no static selection of states exists: the constraint {text} is nonlinear in {', '.join(left)}",
            path=path,
            expected="constraints between states that are linear with constant coefficients in at least one of their variables",
            remedy="Constraints that need a change of states while the simulation runs are not supported.",
        )
    others = list(dict.fromkeys(f"'{original(r)}'" for r in rows if r not in stuck))
    raise ModelError(
        f"the constraint {text} depends on other constraints or contradicts them: {', '.join(others[:6])}",
        path=path,
        expected="independent equations",
    )
