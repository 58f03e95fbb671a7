"""The initialization problem: all equations and the initial ones, with the states as unknowns too.

Unknowns are the variables, their derivatives and the states. Besides the equations (differentiated ones included) there are as
many conditions as there are states, chosen in this order as long as they are structurally independent: the initial equations,
``init`` of states, ``init`` of any variable, defaults of components, ``start`` of states, 0 for the other states. Source: S. E.
Mattsson, H. Elmqvist, M. Otter, H. Olsson, Initialization of hybrid differential-algebraic equations in Modelica 2.0, Modelica
Conference 2002.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError, nearest
from ...model.expression import Apply, Equation, Expr, Name, names
from ...model.model import DefaultInit
from ..flat.flat_model import FlatModel, Variable
from ..hybrid.events import extract_events
from ..sorted.sorted_model import Initialization, SortedModel
from ..terms.arrays import matchable, shape_at, shape_of
from ..terms.matching import Matching, match
from ..terms.names import base_of, derivative_of, order_of
from .alias import Elimination
from .array_blocks import arranged, scalars_first
from .equation_system import EquationSystem
from .index_reduction import reduce_index
from .sorting import sort_equations
from .tearing import solve_component


def needs_initialization(flat: FlatModel, variables: Mapping[str, Variable], states: Sequence[str]) -> bool:
    """Return whether initial values must be computed: there are initial equations, or ``init`` of others than states fixes
    a state.

    A state that has none of its own, or a default where a user gives that of another variable, may be fixed by others.
    """
    if flat.initial_equations:
        return True
    known = set(states)
    others = [v.init for n, v in variables.items() if v.init is not None and not v.discrete and not v.input and n not in known]
    own = [variables[name].init if name in variables else None for name in states]
    if any(init is None for init in own):
        return bool(others)
    return any(isinstance(init, DefaultInit) for init in own) and not all(isinstance(init, DefaultInit) for init in others)


def initialization(sorted_model: SortedModel, system: EquationSystem, elimination: Elimination) -> Initialization:
    """Return the initialization problem, sorted.

    Args:
        sorted_model: of the simulation.
        system: its equations after index reduction; gets the initial conditions added.
        elimination: of aliases.

    Raises:
        ModelError: an initial equation contradicts others structurally, or has an unknown that the model does not have.
    """
    variables = elimination.variables
    equations = _initial_equations(sorted_model.flat, system, elimination)
    chooser = _Chooser(system)
    for equation in equations:
        unknowns = _unknowns(equation, system)
        allowed = matchable(equation, unknowns, sorted_model.flat.shapes) if sorted_model.flat.shapes else unknowns
        if not allowed:
            raise _without_shape(equation, unknowns, sorted_model.flat.shapes)
        stuck = chooser.add(sorted(system.index[n] for n in allowed))
        if stuck is not None:
            raise _overdetermined(equation, equations, stuck, chooser.n_equations, system)
    taken: dict[str, None] = {}
    checked: list[str] = []
    for name in _declared(elimination, set(sorted_model.states)):
        if name not in system.index:
            continue
        if chooser.add([system.index[name]]) is None:
            taken[name] = None
        else:
            checked.append(name)
    states = [n for n in sorted_model.states if n in system.index and n not in taken and n not in checked]
    states.sort(key=lambda name: name not in variables or variables[name].start is None)
    fixed = [name for name in states if chooser.add([system.index[name]]) is None]
    conditions = [*taken, *fixed]
    values = {f"init({name})": name for name in conditions}
    flat = sorted_model.flat
    flat = replace(flat, variables={**flat.variables, **{n: Variable(n) for n in conditions if n not in flat.variables}})
    begun = Initialization(replace(sorted_model, flat=flat), values, tuple(fixed), tuple(checked))
    system.flat = begun.flat(flat)
    for equation in equations:
        system.add_node(equation)
    for parameter, name in values.items():
        text = f"{name} = {'init' if name in taken else 'start'}"
        system.add_node(Equation(Name(name), Name(parameter), base_of(name).rpartition(".")[0], text))
    return replace(begun, sorted=_sorted(sorted_model, system))


def _declared(elimination: Elimination, states: Set[str]) -> list[str]:
    """Return the variables with ``init``, those of users before defaults, and states first: everything else follows from these.

    Where ``der(x)`` is a state, so is the variable that an equation says it is. A state that would follow from others may do so
    by a factor that is zero at the beginning, as in ``time*x = y``.
    """
    variables = elimination.variables
    states = states | {rate.of for name, rate in elimination.rates.items() if derivative_of(name) in states}
    given = [name for name, variable in variables.items() if variable.init is not None and not variable.discrete]
    return sorted(given, key=lambda name: (isinstance(variables[name].init, DefaultInit), name not in states))


def _sorted(sorted_model: SortedModel, system: EquationSystem) -> SortedModel:
    from ..sorted.parts import computed

    shapes = system.flat.shapes
    variables, parameters = system.variables, system.flat.parameters
    blocks = [
        block
        for c in sort_equations(system, range(len(variables)))
        for block in solve_component([system.nodes[n] for n in c.nodes], [variables[v] for v in c.unknowns], parameters, shapes)
    ]
    if shapes:
        blocks = [arranged(block, system.flat) for block in blocks]
    return replace(
        sorted_model,
        flat=system.flat,
        states=(),
        derivatives=(),
        blocks=blocks,
        unknowns=scalars_first(computed(blocks), shapes),
        redundant_initials=(),
        discrete=replace(sorted_model.discrete, assertions=[], conditions=[]),  # looked at when the simulation begins
        constraints=(),
    )


class _Chooser:
    """Accepts conditions as long as they are independent of the equations and of each other."""

    def __init__(self, system: EquationSystem) -> None:
        self.rows = [list(columns) for columns in system.row_columns]
        self.n_equations = len(self.rows)
        self.matching: Matching = match(self.rows, len(system.variables))

    def add(self, columns: Sequence[int]) -> list[int] | None:
        """Add a condition for the variables ``columns``; else the rows that determine them already."""
        self.rows.append(list(columns))
        self.matching.column_of.append(-1)
        stuck = self.matching.augment(len(self.rows) - 1, self.rows.__getitem__)
        if stuck is None:
            return None
        self.rows.pop()
        self.matching.column_of.pop()
        return stuck[0]


def _unknowns(equation: Equation, system: EquationSystem) -> set[str]:
    return {n for n in names(equation.lhs) | names(equation.rhs) if n in system.index}


def _initial_equations(flat: FlatModel, system: EquationSystem, elimination: Elimination) -> list[Equation]:
    """Return the initial equations in terms of the variables of ``system``; relations in them make no events."""

    def still(side: Expr) -> Expr:
        return Apply("noEvent", (side,))

    given: list[Equation | CallEquation] = []
    for e in flat.initial_equations:
        given.append(replace(e, lhs=still(e.lhs), rhs=still(e.rhs), text=str(e)))
    bare = replace(flat, equations=given, initial_equations=[], whens=[], assertions=[], clocks={})
    extracted = extract_events(bare).equations
    result = []
    for equation in extracted:
        assert isinstance(equation, Equation)
        new = replace(equation, lhs=elimination.substitute(equation.lhs), rhs=elimination.substitute(equation.rhs))
        used = names(new.lhs) | names(new.rhs)
        _add_derivatives(system, sorted(name for name in used if order_of(name) and name not in system.index))
        if not _unknowns(new, system):
            raise ModelError(f"the initial equation '{equation}' has no unknown", path=equation.path, expected="a variable")
        result.append(new)
    return result


def _add_derivatives(system: EquationSystem, missing: Sequence[str]) -> None:
    """Add derivatives that only initial equations need to the system: the equations of their variables are differentiated.

    Raises:
        ModelError: that cannot be differentiated, or the variable is an input.
    """
    for name in missing:
        if base_of(name) not in system.index:
            raise ModelError(
                f"'{name}' in an initial equation is not computed by the model",
                path=name,
                expected="derivatives of variables that equations determine",
                remedy=nearest(name, [n for n in system.variables if order_of(n)]),
            )
        system.add_variable(name)
    if missing:
        reduce_index(system)


def _without_shape(equation: Equation, unknowns: set[str], shapes: Mapping[str, tuple[int, ...]]) -> ModelError:
    listed = ", ".join(f"'{name}' of shape {shape_at(name, shapes)}" for name in sorted(unknowns)[:6])
    return ModelError(
        f"the initial equation '{equation}' determines no variable as a whole",
        path=equation.path,
        found=f"shape {shape_of(equation.lhs, shapes) or shape_of(equation.rhs, shapes)}, and {listed}",
        expected="an equation of the shape of one of its variables",
        remedy="Give initial equations for all elements of an array.",
    )


def _overdetermined(
    equation: Equation, equations: Sequence[Equation], stuck: Sequence[int], first: int, system: EquationSystem
) -> ModelError:
    others = [equations[row - first] for row in stuck if first <= row < first + len(equations)]
    before = [f"'{e}'" for e in dict.fromkeys(others) if e is not equation]
    model = [f"'{system.nodes[system.row_node[row]]}'" for row in stuck if row < first]
    found = "; ".join(filter(None, ("initial equations " + ", ".join(before[:6]) if before else "", ", ".join(model[:6]))))
    return ModelError(
        f"the initial equation '{equation}' is one too many: its unknowns are already determined",
        path=equation.path,
        found=found,
        expected="at most one initial condition per state",
        remedy="Remove one of these initial equations.",
    )
