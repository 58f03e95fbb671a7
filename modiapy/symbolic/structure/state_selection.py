"""Selection of states by static dummy derivatives.

Differentiated equations are constraints between the derivatives of variables. Level by level as many of these derivatives
become *dummies* (ordinary unknowns) as there are constraints, such that the constraints can be solved for them for all
values of the variables; what is not a dummy is the derivative of a state. Source: S. E. Mattsson, G. Soederlind, Index
reduction in differential-algebraic equations using dummy derivatives, SIAM J. Sci. Comput. 14 (1993).

Which are dummies: a Gaussian elimination over the Jacobian of the constraints, columns of the least wanted states first.
Only coefficients of constants and parameters (at their present values) are pivots; a coefficient that changes in time may
vanish. The exception is a constraint on a variable with ``state_select="always"``: what must be no dummy leaves the choice of
such a coefficient, and the constraint is solved for that variable by Newton iteration. Derivatives of such a variable are
wanted, too, but less than the variables themselves: where they are dummies at one level, so may be the lower ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ...model.expression import ZERO, Equation, sub
from ..flat.flat_model import Variable
from ..sorted.parts import Alias
from ..terms.affine import coefficients
from ..terms.constants import constant_value, is_constant
from ..terms.disjoint_sets import DisjointSets
from ..terms.matching import Matching
from ..terms.names import base_of, derivative_of
from .equation_system import EquationSystem

CHANGING = None
"""Stands in a sparse matrix for a coefficient that is not constant."""

Row = dict[int, float | None]


class NoStaticSelection(ModelError):
    """The constraints cannot be solved for the same variables at all times.

    Attributes:
        system: the equations after index reduction.
        constraints: nodes (as they were before differentiation) of the constraints that are nonlinear in all their variables.
        rows: the differentiated rows of these constraints at the level where the selection failed.
    """

    def __init__(
        self, message: str, system: EquationSystem, constraints: Sequence[int], rows: Sequence[int], **details: str
    ) -> None:
        super().__init__(message, **details)  # type: ignore[arg-type]
        self.system, self.constraints, self.rows = system, tuple(constraints), tuple(rows)


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
        NoStaticSelection: constraints that are nonlinear in all their variables.
        ModelError: constraints that depend on each other.
    """
    highest = [v for v in range(len(system.variables)) if system.up[v] < 0]
    rows = [r for n in range(len(system.nodes)) if system.derivative[n] < 0 and system.integral[n] >= 0 for r in system.rows[n]]
    columns = [v for v in highest if system.down[v] >= 0]
    dummies: set[int] = set()
    spared: set[int] = set()
    while rows:
        order = least_wanted_first(system, columns, wanted)
        chosen = _independent_columns(system, rows, order, spared)
        dummies.update(chosen)
        spared = {system.down[v] for v in spared.union(_always(system, columns)).difference(chosen)} - {-1}
        # one level down: the constraints and the dummies before their last differentiation
        rows = [r for r in (lower_row(system, r) for r in rows) if system.integral[system.row_node[r]] >= 0]
        columns = [system.down[v] for v in chosen if system.down[system.down[v]] >= 0]
    return selection_without(system, dummies)


def selection_without(system: EquationSystem, dummies: Set[int]) -> Selection:
    """Return the selection of all differentiated variables but those whose derivative is a dummy."""
    states = [v for v, up in enumerate(system.up) if up >= 0 and up not in dummies]
    position = {name: k for k, name in enumerate(system.flat.variables)}
    # numbers grow with the order of derivatives
    states.sort(key=lambda v: (position[base_of(system.variables[v])], v))
    known = set(states)
    return Selection(states, [v for v in range(len(system.variables)) if v not in known])


def lower_row(system: EquationSystem, row: int) -> int:
    """Return the row that ``row`` is the derivative of."""
    node = system.row_node[row]
    return system.rows[system.integral[node]][row - system.rows[node][0]]


def least_wanted_first(system: EquationSystem, columns: list[int], wanted: Callable[[str], Sequence[object]]) -> list[int]:
    """Return the derivatives in the order in which they become dummies, if they can."""
    position = {name: k for k, name in enumerate(system.flat.variables)}

    def key(v: int) -> tuple[Sequence[object], int]:
        state = system.variables[system.down[v]]
        return wanted(state), -position[base_of(state)]

    return sorted(columns, key=key)  # type: ignore[arg-type]


def _always(system: EquationSystem, columns: Iterable[int]) -> set[int]:
    """Return the derivatives of variables that must be states."""
    variables = system.flat.variables
    return {v for v in columns if variables[base_of(system.variables[v])].state_select == "always"}


def _independent_columns(system: EquationSystem, rows: list[int], columns: list[int], spared: Set[int]) -> list[int]:
    """Return the first columns, in their order, for which the constraints ``rows`` can be solved.

    ``spared``: derivatives of variables that must be states and were no dummies at the level before.
    """
    always = _always(system, columns)
    pivots, open_rows, matrix = pivot_rows(system, rows, columns, always, spared)
    if open_rows and spared:
        pivots, open_rows, matrix = pivot_rows(system, rows, columns, always)
    if open_rows:
        _refuse(system, sorted(open_rows), matrix, rows)
    return list(pivots)


def pivot_rows(
    system: EquationSystem,
    rows: Sequence[int],
    columns: Sequence[int],
    always: Set[int] = frozenset(),
    spared: Set[int] = frozenset(),
) -> tuple[dict[int, int], set[int], dict[int, Row]]:
    """Carry out Gaussian elimination over the constraints ``rows``; columns ``always`` are pivots only where nothing else is
    one.

    Rows with such a column, or with one that is ``spared``, which is never a pivot, are solved for changing coefficients, too.

    Returns:
        The first columns, in their order, for which rows can be solved, each with its row; the rows left over; the matrix after
        the elimination.
    """
    candidates, protected = {*columns, *spared}, always | spared
    matrix = {r: _gradient(system, r, candidates) for r in rows}
    rows_of: dict[int, set[int]] = {v: set() for v in candidates}
    for r, entries in matrix.items():
        for v in entries:
            rows_of[v].add(r)
    pivots: dict[int, int] = {}
    open_rows = set(rows)

    def kept(v: int) -> set[int]:
        """Return the rows that must not be solved for what they have in ``protected``, and may be for the column v."""
        return {r for r in rows_of[v] if not protected.isdisjoint(matrix[r])}

    attempts = [(v, False) for v in columns if v not in always]
    attempts += [(v, True) for v in columns if protected and v not in always]
    attempts += [(v, False) for v in columns if v in always]
    attempts += [(v, True) for v in columns if v in always and system.down[system.down[v]] >= 0]
    for v, changing in attempts:
        if v in pivots:
            continue
        pivot = min(kept(v), default=None) if changing else _pivot(matrix, rows_of, v)
        if pivot is None:
            continue
        pivots[v] = pivot
        open_rows.discard(pivot)
        for u in matrix[pivot]:
            rows_of[u].discard(pivot)
        for r in sorted(rows_of[v]):
            _eliminate(matrix, rows_of, r, pivot, v)
    return pivots, open_rows, matrix


def _pivot(matrix: dict[int, Row], rows_of: dict[int, set[int]], column: int) -> int | None:
    """Return the row with the fewest entries, those in sparse columns first, among the ones with a constant coefficient."""
    sizes = {r: abs(a) for r in rows_of[column] if (a := matrix[r][column]) is not CHANGING}
    if not sizes:
        return None
    enough = 0.1 * max(sizes.values())
    candidates = (r for r, size in sizes.items() if size >= enough)
    return min(candidates, key=lambda r: (len(matrix[r]), sum(len(rows_of[v]) for v in matrix[r]), r))


def _eliminate(matrix: dict[int, Row], rows_of: dict[int, set[int]], row: int, pivot_row: int, column: int) -> None:
    """Subtract ``factor * pivot_row`` so that ``column`` vanishes; what involves a changing coefficient is changing."""
    target, source = matrix[row], matrix[pivot_row]
    a, p = target.pop(column), source[column]
    factor = None if a is None or p is None else a / p
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
    """Return the coefficients of ``columns`` in a differentiated scalar equation."""
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
            value = constant_value(slope, system.flat.parameters)
            if value == 0.0:
                del entries[v]
            else:
                entries[v] = value if math.isfinite(value) else CHANGING
    return entries


def _refuse(system: EquationSystem, stuck: list[int], matrix: dict[int, Row], rows: list[int]) -> None:
    def origin(row: int) -> int:
        node = system.row_node[row]
        while system.integral[node] >= 0:
            node = system.integral[node]
        return node

    def original(row: int) -> Equation | CallEquation:
        return system.nodes[origin(row)]

    nodes = list(dict.fromkeys(original(r) for r in stuck))
    path = nodes[0].component if isinstance(nodes[0], CallEquation) else nodes[0].path
    text = ", ".join(f"'{node}'" for node in nodes[:6])
    left = {base_of(system.variables[v]): None for r in stuck for v in matrix[r]}
    if left:
        raise NoStaticSelection(
            f"no static selection of states exists: the constraint {text} is nonlinear in {', '.join(left)}",
            system,
            list(dict.fromkeys(map(origin, stuck))),
            stuck,
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


# -- wishes -------------------------------------------------------------------------------------------------------------


def add_wished_states(system: EquationSystem, variables: Mapping[str, Variable], orders: Mapping[str, int]) -> None:
    """Add the derivative of variables that must be states, even if no equation differentiates them.

    Args:
        system: before index reduction.
        variables: those that are not eliminated.
        orders: of derivatives, see `wishes_of_higher_order`; 1 for others.
    """
    for name, variable in variables.items():
        if variable.state_select == "always" and not variable.input and not variable.discrete:
            system.add_variable(derivative_of(name, orders.get(name, 1)))


def wishes_of_higher_order(system: EquationSystem, selection: Selection) -> dict[str, int]:
    """Return the variables that must be states and are none, although they could, if they were differentiated as often as
    others.

    In ``x = 2*b``, ``der(der(b)) = -b`` x and its derivative can take the place of b and its derivative, but x alone not that
    of b.

    Args:
        system: after index reduction.
        selection: of it.

    Returns:
        Each with the highest order of derivatives of variables that constraints join with it; empty if none is larger.
    """
    states = {system.variables[v] for v in selection.states}
    found = {}
    for name, v in system.index.items():
        variable = system.flat.variables.get(name)
        if variable is not None and variable.state_select == "always" and system.up[v] >= 0 and name not in states:
            order = max(_highest(system, other) for other in {name, *related(system, [name])})
            if order > _highest(system, name):
                found[name] = order
    return found


def _highest(system: EquationSystem, name: str) -> int:
    """Return how often a variable is differentiated at most."""
    v, order = system.index[name], 0
    while system.up[v] >= 0:
        v, order = system.up[v], order + 1
    return order


def possible_states(system: EquationSystem, matching: Matching, variables: Mapping[str, Variable]) -> list[str]:
    """Return the variables that are preferred as states and that no equation differentiates, but whose equations can be.

    These are linear with constant coefficients, without time and events: differentiating them loses no jump. (A tool may
    choose such variables as states: Modelica Language Specification 3.6, section 4.4.4.2.)

    Args:
        system: after index reduction.
        matching: of it.
        variables: those that are not eliminated.
    """
    found = []
    for name, variable in variables.items():
        wanted = variable.state_select == "prefer" and not variable.input and not variable.discrete
        if wanted and not system.flat.shapes.get(name) and system.up[system.index[name]] < 0:
            rows = {system.row_node[matching.row_of[system.index[name]]]: None}
            queue = list(rows)
            for node in queue:
                if not is_smooth(system, node):
                    break
                for v in system.incidence[node]:
                    row = matching.row_of[v]
                    if system.up[v] < 0 and row >= 0 and system.row_node[row] not in rows:
                        rows[system.row_node[row]] = None
                        queue.append(system.row_node[row])
            else:
                found.append(name)
    return found


def related(system: EquationSystem, given: Iterable[str]) -> set[str]:
    """Return the variables that constraints between states join with those that are ``given``, of the same order of
    derivatives.
    """
    groups: DisjointSets[str] = DisjointSets()
    for node, used in enumerate(system.incidence):
        if system.derivative[node] >= 0:
            for v in used:
                groups.unite(system.variables[used[0]], system.variables[v])
    roots = {groups.find(name) for name in given}
    return {name for name in groups.parent if groups.find(name) in roots}


def is_smooth(system: EquationSystem, node: int) -> bool:
    """Return whether an equation is linear with constant coefficients, without time and events."""
    equation = system.nodes[node]
    if not isinstance(equation, Equation) or any(map(system.is_discrete, system.incidence[node])):
        return False
    difference = sub(equation.lhs, equation.rhs)
    present = {system.variables[v] for v in system.incidence[node]}
    slopes = coefficients(difference, present)
    if slopes is None or not all(is_constant(slope, system.flat.parameters) for slope in slopes.values()):
        return False
    return is_constant(difference, {*system.flat.parameters, *present})


def check_wishes(
    system: EquationSystem, states: Sequence[str], variables: Mapping[str, Variable], aliases: Mapping[str, Alias]
) -> None:
    """Check that ``state_select`` "always" and "never" are respected.

    Args:
        system: after index reduction.
        states: names of the chosen states.
        variables: those that are not eliminated, with inherited wishes.
        aliases: the eliminated ones.

    Raises:
        ModelError: names the variable, and the constraints or the equation that stand against it.
    """
    known = set(states)
    for name, alias in aliases.items():
        variable = system.flat.variables[name]
        if variable.state_select == "always" and alias.value is not None:
            raise ModelError(
                "the variable cannot be a state",
                path=name,
                found=f"{name} = {alias.value}, constant",
                expected='a variable that changes, because of state_select="always"',
                remedy="Remove state_select.",
            )
    for name, variable in variables.items():
        if variable.state_select == "always" and name not in known:
            others = _constraints_of(system, name)
            raise ModelError(
                'the variable cannot be a state, but has state_select="always"',
                path=name,
                found="the constraints " + ", ".join(f"'{e}'" for e in others[:6]) if others else f"{_kind(variable)} variable",
                expected=f"independent states; chosen are {', '.join(states) or 'none'}",
                remedy='Write state_select="prefer", or let another variable be free.',
            )
        if variable.state_select == "never" and name in known:
            v = system.index[name]
            using = next((e for e, used in zip(system.nodes, system.incidence, strict=True) if system.up[v] in used), None)
            raise ModelError(
                'the variable is needed as a state, but has state_select="never"',
                path=name,
                found=f"'{using}'" if using is not None else f"der({name})",
                expected="a constraint that determines it from other states",
                remedy='Write state_select="avoid", or use another variable in der(...).',
            )


def _kind(variable: Variable) -> str:
    return "an input" if variable.input else "a discrete" if variable.discrete else "an algebraic"


def _constraints_of(system: EquationSystem, name: str) -> list[Equation | CallEquation]:
    """Return the equations between states (those that were differentiated) in which a variable occurs."""
    return [
        equation
        for n, equation in enumerate(system.nodes)
        if system.integral[n] < 0 and system.derivative[n] >= 0 and system.index[name] in system.incidence[n]
    ]
