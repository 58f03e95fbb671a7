"""Index-1 form of models without a static selection of states (Cartesian pendulum, kinematic loops written as equations).

Where the constraints between states are nonlinear in all their variables, no choice of independent states is right for all
times. Then the variables stay states although they depend on each other, and the constraints are kept beside their
derivatives: with ``c(x) = 0`` and what follows from it by differentiation, ``d/dt c = 0``, every level of a constraint gets a
multiplier m, which is a state too, and

    der(x) = f(t, x) + C(x)' der(m),    0 = c(x),    C = dc/dx

in place of ``der(x) = f(t, x)``. In exact arithmetic der(m) is zero; in an integration it takes away what drifts off the
constraint, at the level of positions and of velocities alike. The form has index 1 in (x, m) because ``C C'`` is regular.
Sources: C. W. Gear, G. K. Gupta, B. Leimkuhler, Automatic integration of Euler-Lagrange equations with constraints, J. Comput.
Appl. Math. 12 (1985); C. W. Gear, Differential-algebraic equation index transformations, SIAM J. Sci. Stat. Comput. 9 (1988);
M. Otter, H. Elmqvist, Transformation of differential algebraic array equations to index one form, Modelica Conference 2017.
Difference to the first: accelerations and constraint forces are solved for in ``f``, from the differentiated constraint; so
forces are ordinary variables, and nothing is asked of how they enter the equations.

Linear constraints between the same variables still give dummies: these are eliminated from C.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...model.errors import ModelError
from ...model.expression import ONE, Equation, Expr, div, mul, neg, sub
from ..sorted.parts import Constraint
from ..terms.affine import coefficients
from ..terms.arrays import shape_at
from ..terms.constants import constant_value, is_constant
from .equation_system import EquationSystem
from .state_selection import NoStaticSelection, Selection, least_wanted_first, lower_row, pivot_rows, selection_without

Gradient = dict[int, Expr]
"""Variable -> coefficient."""


@dataclass
class IndexOneForm:
    """States that depend on each other, and what keeps them consistent.

    Attributes:
        selection: states and unknowns, multipliers not included.
        constraints: between the states.
        nodes: their equations, which compute nothing.
    """

    selection: Selection
    constraints: list[Constraint] = field(default_factory=list)
    nodes: set[int] = field(default_factory=set)


def index_one_form(
    system: EquationSystem, wanted: Callable[[str], Sequence[object]], refusal: NoStaticSelection
) -> IndexOneForm:
    """Return the index-1 form of a model that `select_states` refused.

    Args:
        system: after index reduction.
        wanted: see `select_states`.
        refusal: what it raised.

    Raises:
        NoStaticSelection: a constraint goes through a component function, whose partial derivatives are not known.
    """
    rows = [r for n in range(len(system.nodes)) if system.derivative[n] < 0 and system.integral[n] >= 0 for r in system.rows[n]]
    level = [v for v in range(len(system.variables)) if system.up[v] < 0 and system.down[v] >= 0]
    columns, dummies = level, set[int]()
    kept: list[int] = []
    form = IndexOneForm(Selection([], []))
    order = 0
    while rows or kept:
        pivots, left_over, matrix = pivot_rows(system, rows, least_wanted_first(system, columns, wanted))
        if any(not matrix[r] or not isinstance(system.nodes[system.row_node[r]], Equation) for r in left_over):
            raise refusal
        dummies.update(pivots)
        kept += sorted(left_over)
        gradients = _reduced(system, pivots, kept, set(level))
        if gradients is None:
            raise refusal
        for row, slopes in gradients.items():
            _keep(system, form, row, slopes, order)
        rows = [r for r in (lower_row(system, r) for r in rows if r not in left_over) if _differentiated(system, r)]
        kept = [r for r in (lower_row(system, r) for r in kept) if _differentiated(system, r)]
        columns = [system.down[v] for v in pivots if system.down[system.down[v]] >= 0]
        level = [system.down[v] for v in level if system.down[system.down[v]] >= 0]
        order += 1
    form.selection = selection_without(system, dummies)
    form.constraints.reverse()  # positions before velocities
    return form


def _differentiated(system: EquationSystem, row: int) -> bool:
    return system.integral[system.row_node[row]] >= 0


def _keep(system: EquationSystem, form: IndexOneForm, row: int, slopes: Gradient, order: int) -> None:
    """Add the constraint whose derivative stands in ``row``, with the coefficients of derivatives in it."""
    node = system.integral[system.row_node[row]]
    equation = system.nodes[node]
    assert isinstance(equation, Equation)
    form.nodes.add(node)
    directions = {system.variables[system.down[v]]: slope for v, slope in slopes.items()}
    arrays = [name for name in directions if shape_at(name, system.flat.shapes)]
    if arrays:
        raise ModelError(
            f"the constraint '{equation}' allows no static selection of states, and it is one between arrays",
            path=equation.path,
            found=", ".join(f"'{name}' of shape {shape_at(name, system.flat.shapes)}" for name in arrays[:8]),
            expected="scalars, of which IDA keeps constraints",
            remedy="Write this constraint and the equations of its variables for each element.",
        )
    name = f"multiplier{len(form.constraints) + 1}"
    while name in system.flat.variables or name in system.flat.parameters:
        name += "_"
    form.constraints.append(Constraint(name, sub(equation.lhs, equation.rhs), equation, directions, order))


def _reduced(
    system: EquationSystem, pivots: dict[int, int], kept: Sequence[int], level: set[int]
) -> dict[int, Gradient] | None:
    """Return the coefficients of the derivatives of states in the rows ``kept``, dummies eliminated; None where they are not
    known.
    """
    gradients = {r: _gradient(system, r, level) for r in [*pivots.values(), *kept]}
    for v, pivot_row in pivots.items():
        source = gradients.pop(pivot_row)
        pivot = source.pop(v)
        known = isinstance(system.nodes[system.row_node[pivot_row]], Equation)
        for target in gradients.values():
            if v not in target:
                continue
            if not known:
                return None
            factor = div(target.pop(v), pivot)
            for u, slope in source.items():
                target[u] = sub(target[u], mul(factor, slope)) if u in target else neg(mul(factor, slope))
                if is_constant(target[u], system.flat.parameters) and constant_value(target[u], system.flat.parameters) == 0.0:
                    del target[u]
    return gradients


def _gradient(system: EquationSystem, row: int, level: set[int]) -> Gradient:
    equation = system.nodes[system.row_node[row]]
    if not isinstance(equation, Equation):
        k = row - system.rows[system.row_node[row]][0]
        return {system.index[equation.outputs[k].name]: ONE}
    here = {system.variables[v] for v in system.incidence[system.row_node[row]] if v in level}
    slopes = coefficients(sub(equation.lhs, equation.rhs), here) or {}
    return {system.index[name]: slope for name, slope in slopes.items()}
