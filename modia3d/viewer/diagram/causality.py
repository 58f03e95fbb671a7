"""Assignment of the equations of a model to its variables, before any variable is eliminated.

The compiler eliminates equal variables first and sorts what is left, so that its result does not say at which end of a bond an
effort is computed. Here all equations of the flat model are matched with all variables, so that it does:

- A state is known, its derivative is not. Of equal variables one stands for a state, see `_known`.
- Where a state is not differentiated, the equations of its component without it are matched last: one of them is left over.
- Variables that are differentiated and no states are unknown; their derivatives follow from them.
- The matching begins with what the sorted equations compute with which equation. It is changed only where the rest of the
  equations cannot be matched otherwise: where there is just one matching, that is it, and in algebraic loops it is the
  compiler's choice as far as possible. (`bond_graph` changes that where one end of a bond would compute effort and flow.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from modiapy.acausal.protocol import CallEquation
from modiapy.model.expression import Apply, Equation, Expr, Name, postorder
from modiapy.symbolic.flat.flat_model import STATE_SELECT, FlatModel, Node, Variable, expressions
from modiapy.symbolic.flattening.control import expand_control
from modiapy.symbolic.sorted.parts import Assignment, Block, Call, LinearBlock, NonlinearBlock, computed
from modiapy.symbolic.sorted.sorted_model import SortedModel
from modiapy.symbolic.terms.matching import Matching
from modiapy.symbolic.terms.names import derivative_of


@dataclass(frozen=True)
class Causality:
    """Equations by the variables that they compute.

    Attributes:
        states: the variables that are known because they are integrated.
        differentiated: the variables that equations differentiate.
        loops: variables of each system of equations that is solved at once.
        equations, columns, rows, matching: all equations, numbers of the unknowns, those that each equation can be solved for,
            and which one it is.
        balances: numbers of equations of components in which variables that are equal to states meet. For each state without a
            storage of its own an equation is left over, one of these.
    """

    states: frozenset[str]
    differentiated: frozenset[str]
    loops: tuple[frozenset[str], ...]
    equations: Sequence[Node]
    columns: Mapping[str, int]
    rows: Sequence[Sequence[int]]
    matching: Matching
    balances: Sequence[int]

    def equation_of(self, name: str) -> Node | None:
        """Return the equation that computes a variable; None of a state, and where nothing does."""
        row = self.matching.row_of[self.columns[name]] if name in self.columns else -1
        return self.equations[row] if row >= 0 else None

    def loop_of(self, name: str) -> int | None:
        """Return the number of the system that a variable belongs to, None if it belongs to none."""
        return next((k for k, loop in enumerate(self.loops) if name in loop), None)

    @property
    def left_over(self) -> list[int]:
        """Numbers of the equations that compute nothing."""
        return [row for row, column in enumerate(self.matching.column_of) if column < 0]

    def exchanged(self, left: int, other: int) -> Causality | None:
        """Return an assignment in which another equation is left over instead of ``left``; None if there is none."""
        matching = Matching(list(self.matching.row_of), list(self.matching.column_of))
        matching.row_of[matching.column_of[other]] = matching.column_of[other] = -1
        rows = {other: ()} | {left: self.rows[left]}
        if matching.augment(left, lambda row: rows.get(row, self.rows[row])) is not None:
            return None
        return replace(self, matching=matching)

    def changed(self, may: Mapping[str, Callable[[Node], bool]]) -> Causality | None:
        """Return an assignment in which some variables are computed by equations that may do so; None if there is none.

        Args:
            may: says for each of these variables which equations may compute it.
        """
        of = {self.columns[name]: allowed for name, allowed in may.items() if name in self.columns}
        matching = Matching(list(self.matching.row_of), list(self.matching.column_of))

        def columns(row: int) -> list[int]:
            return [c for c in self.rows[row] if c not in of or of[c](self.equations[row])]

        freed = [row for c in of if (row := matching.row_of[c]) >= 0 and c not in columns(row)]
        for row in freed:
            matching.row_of[matching.column_of[row]] = matching.column_of[row] = -1
        if any(matching.augment(row, columns) is not None for row in freed):
            return None
        return replace(self, matching=matching)


def causality(flat: FlatModel, model: SortedModel | None) -> Causality:
    """Return the assignment for a flat model, of which ``model`` was sorted.

    Where that was not possible (None), all that is differentiated is known, and as many equations as possible are assigned: the
    rest shows what contradicts itself or is missing.
    """
    equations = expand_control(flat).equations
    equal = _equal_variables(model) if model is not None else {}
    differentiated = frozenset(name for e in equations for side in expressions(e) for name in _under_der(side))
    blocks = model.blocks if model is not None else []
    states = differentiated
    if model is not None:
        states = frozenset(_known([name, *equal.get(name, [])], flat, differentiated) for name in model.states)
    columns = {name: k for k, name in enumerate(_unknowns(flat, states))}
    rows = [[columns[name] for name in dict.fromkeys(_occurring(e, states)) if name in columns] for e in equations]
    homes = {flat.variables[name].origin for name in states - differentiated if name in flat.variables}
    balances = {k for k, e in enumerate(equations) if isinstance(e, Equation) and e.path in homes and not _has(e, states)}
    matching = Matching([-1] * len(columns), [-1] * len(rows))
    places: dict[tuple[str, str], list[int]] = {}
    for k, equation in enumerate(equations):
        if isinstance(equation, Equation):
            places.setdefault((equation.path, equation.text), []).append(k)
    for equation, variable in _assigned(blocks):
        members = {columns[name] for name in equal.get(variable, [variable]) if name in columns}
        for row in (r for r in places.get((equation.path, equation.text), ()) if r not in balances):
            column = next((c for c in rows[row] if c in members and matching.row_of[c] < 0), None)
            if column is not None and matching.column_of[row] < 0 and all(matching.row_of[c] < 0 for c in members):
                matching.row_of[column], matching.column_of[row] = row, column
                break
    for row in sorted(range(len(rows)), key=lambda r: (r in balances, min(len(rows[r]), 3))):
        if matching.column_of[row] < 0:
            matching.augment(row, rows.__getitem__)
    systems = [block for block in blocks if isinstance(block, LinearBlock | NonlinearBlock)]
    loops = (frozenset(n for name in computed([block]) for n in equal.get(name, [name])) for block in systems)
    near = {_component(v) for s in (model.states if model else ()) for n in equal.get(s, [s]) if (v := flat.variables.get(n))}
    meeting = [k for k, e in enumerate(equations) if isinstance(e, Equation) and e.path in near]
    return Causality(states, differentiated, tuple(loops), equations, columns, rows, matching, meeting)


def _equal_variables(model: SortedModel) -> dict[str, list[str]]:
    """Return the variables that are equal, or the negatives of each other, by the one that is left."""
    equal: dict[str, list[str]] = {}
    for name, alias in model.aliases.items():
        if alias.of:
            equal.setdefault(alias.of, [alias.of]).append(name)
    return equal


def _under_der(expr: Expr) -> Iterator[str]:
    """Generate the variables below derivatives."""
    for node in postorder(expr):
        if type(node) is Apply and node.op == "der":
            yield from (n.name for argument in node.args for n in postorder(argument) if type(n) is Name)


def _known(equal: Sequence[str], flat: FlatModel, differentiated: frozenset[str]) -> str:
    """Return which one of equal variables stands for a state.

    Of those that are differentiated it is the one that is wished for. Where none is (a joint's speed that was asked for), it is
    one of the component in which most of them meet, of equals the largest: there is the balance from which its derivative
    follows.
    """
    own = [name for name in equal if name in differentiated]
    if own:
        return max(own, key=lambda name: STATE_SELECT.index(flat.variables[name].state_select))
    variables = {name: flat.variables[name] for name in equal if name in flat.variables}
    meeting = Counter(map(_component, variables.values()))
    sizes = Counter(map(_component, flat.variables.values()))
    own = [name for name, variable in variables.items() if not (variable.flow or variable.potential)]
    return max(own, key=lambda n: (meeting[variables[n].origin], sizes[variables[n].origin]), default=equal[0])


def _component(variable: Variable) -> str:
    """Return the path of the component that a variable belongs to, also by a connector."""
    return variable.origin.rpartition(".")[0] if variable.flow or variable.potential else variable.origin


def _has(equation: Equation, variables: frozenset[str]) -> bool:
    return any(type(n) is Name and n.name in variables for side in (equation.lhs, equation.rhs) for n in postorder(side))


def _unknowns(flat: FlatModel, states: frozenset[str]) -> Iterator[str]:
    for name, variable in flat.variables.items():
        if not variable.input:
            yield derivative_of(name) if name in states else name


def _occurring(node: Node, states: frozenset[str]) -> Iterator[str]:
    """Generate the unknowns that an equation can be solved for: of derivatives only those of states."""
    sides = node.outputs if isinstance(node, CallEquation) else expressions(node)
    pending: list[tuple[Expr, bool]] = [(side, False) for side in sides]
    while pending:
        expr, below = pending.pop()
        if type(expr) is Name:
            if below == (expr.name in states):
                yield derivative_of(expr.name) if below else expr.name
        elif type(expr) is Apply and expr.op != "pre":
            pending += [(argument, below or expr.op == "der") for argument in expr.args]


def _assigned(blocks: Sequence[Block]) -> Iterator[tuple[Equation, str]]:
    """Generate which equation computes which variable; in systems first what follows in sequence, then what is iterated."""
    for block in blocks:
        if isinstance(block, Assignment):
            if block.equation is not None:
                yield block.equation, block.variable
        elif not isinstance(block, Call):
            yield from _assigned(block.body)
            yield from zip(block.equations, block.unknowns, strict=False)
