"""Discrete part of a model besides relations: memory of variables, ticks, re-initialisations, assertions.

Also which variables are *discrete*, i.e. change at events only: relations between them need no zero crossing and may be
``==``, and their time derivative is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError, nearest
from ...model.expression import ZERO, Apply, Const, Equation, Expr, Name, Operator, names, postorder, rewrite, sum_of, walk
from ...model.language import SUBSCRIPT, entry_of, names_with
from ..flat.flat_model import Assertion, Variable
from ..terms.names import Unknown, is_before, value_before
from .when import Reinit

_DISCRETE, _PAST, _EVENTS = names_with("discrete"), names_with("past"), names_with("events")
_KEEP_INTEGERS = names_with("keeps_integers")

_SUM = 8
"""Sums of more terms are not searched for a discrete variable."""

FLAGS_PER_TICKER = 2
"""Flags of a ticker: whether it ticks in this iteration, and whether it has ticked before."""


@dataclass(frozen=True)
class Memory:
    """The value of ``expr`` before the present iteration of an event; stands in the blocks as ``Apply("memory", (Const(k),))``.

    Attributes:
        name: of the variable, for messages.
        expr: what is remembered, in terms of variables that are left.
        initial: name of the variable whose ``init`` or ``start`` is the value at the beginning of the simulation.
        discrete: whether it changes at events only. If not, the value at the beginning is the initial value of ``expr``.
    """

    name: str
    expr: Expr
    initial: str
    discrete: bool

    @property
    def before(self) -> Unknown:
        """The value as a variable of the equations; that of an array is one."""
        return value_before(self.name)


@dataclass(frozen=True)
class Ticker:
    """Instants at constant distances: those of ``sample(start, interval)``, or of the clock with the name ``clock``."""

    clock: str = ""
    start: Expr = ZERO
    interval: Expr = ZERO


@dataclass
class Discrete:
    """Everything that events change, in the order of its memory.

    Attributes:
        memory: see `Memory`.
        tickers: the k-th has the flags ``Apply("flag", (Const(2*k),))`` (it ticks) and ``2*k + 1`` (it has ticked before).
        reinits: re-initialisations of scalars; ``state`` is a state, minus one, or an element of such an array.
        assertions: the k-th condition is the variable with the name ``conditions[k]``.
        hidden: variables that the user did not write.
        terminal: whether ``terminal()`` occurs.
        array_memory: of arrays; the values before the event stand in the equations under the name ``pre(x)``.
        array_reinits: re-initialisations of whole arrays.
    """

    memory: list[Memory] = field(default_factory=list)
    tickers: list[Ticker] = field(default_factory=list)
    reinits: list[Reinit] = field(default_factory=list)
    assertions: list[Assertion] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    hidden: set[str] = field(default_factory=set)
    terminal: bool = False
    array_memory: list[Memory] = field(default_factory=list)
    array_reinits: list[Reinit] = field(default_factory=list)

    def scalars(self) -> list[Expr]:
        """Return the values that an evaluation at an event writes besides indicators.

        First come (active, value) of each scalar's reinit, then the memory.
        """
        return [e for r in self.reinits for e in (r.active, r.value)] + [m.expr for m in self.memory]

    def expressions(self) -> list[Expr]:
        """Return `scalars`, and what is needed of arrays."""
        arrays = [m.expr for m in self.array_memory] + [e for r in self.array_reinits for e in (r.active, r.value)]
        return self.scalars() + arrays

    def readable(self, expr: Expr) -> Expr:
        """Return ``expr`` with ``pre(v)`` where its memory is read, as it was written."""

        def change(node: Expr) -> Expr | None:
            if type(node) is Apply and node.op == "memory" and type(node.args[0]) is Const:
                return Apply("pre", (Name(self.memory[int(node.args[0].value)].name),))
            return None

        return rewrite(expr, change)

    @property
    def n_flags(self) -> int:
        """Total number of flags."""
        return FLAGS_PER_TICKER * len(self.tickers)


class Discreteness:
    """Test of expressions that change at events only: names that do, relations that make events, memory.

    What expressions share is examined once. ``noEvent`` has to be gone, as `extract_events` takes it out.

    Args:
        names: of variables and parameters that change at events only.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._found: dict[int, tuple[Expr, bool]] = {}  # by identity; kept alive, so that nothing else gets that

    def holds(self, expr: Expr) -> bool:
        """Return whether ``expr`` changes at events only."""
        found = self._found
        for node in postorder(expr, done=found):
            if type(node) is Name:
                alone = node.name in self._names or is_before(node.name)
            elif type(node) is Apply:
                alone = node.op in _DISCRETE or node.op in _EVENTS or all(found[id(a)][1] for a in node.args)
            else:
                alone = True
            found[id(node)] = node, alone
        return found[id(expr)][1]


def is_discrete(expr: Expr, discrete: Collection[str]) -> bool:
    """Return whether ``expr``, in which relations make events except inside ``noEvent``, changes at events only.

    Args:
        expr: to be examined.
        discrete: names that do (variables and parameters).
    """
    stack, seen = [(expr, True)], set[tuple[int, bool]]()
    while stack:
        node, events = stack.pop()
        if (id(node), events) in seen:
            continue
        seen.add((id(node), events))
        if type(node) is Name and node.name not in discrete and not is_before(node.name):
            return False
        stack += _decisive(node, events)
    return True


def _decisive(node: Expr, events: bool) -> Sequence[tuple[Expr, bool]]:
    """Return the arguments that decide whether ``node`` changes only at events, each with whether its relations make events."""
    if type(node) is not Apply or node.op in _DISCRETE or (events and node.op in _EVENTS):
        return ()
    if node.op == "smooth":
        return [(node.args[1], events and node.args[0] == ZERO)]
    return [(a, events and node.op != "noEvent") for a in node.args]


def discrete_variables(
    variables: Mapping[str, Variable],
    parameters: Iterable[str],
    equations: Iterable[Equation | CallEquation],
    declared: Collection[str],
) -> set[str]:
    """Return the names of all variables that change at events only.

    These are the ``declared`` ones (Integers, Booleans, set by when clauses, clocked), and those that an explicit equation
    computes from such variables, parameters and relations; the latter are looked for if the model has any of the former or
    refers to the past.
    """
    explicit: list[tuple[str, Expr]] = []
    backwards: list[tuple[str, Expr]] = []
    for equation in equations:
        if isinstance(equation, Equation):
            for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
                if type(side) is Name and side.name in variables and side.name not in declared:
                    given = variables.get(other.name) if side is equation.rhs and type(other) is Name else None
                    (backwards if given is not None and given.type != "Real" else explicit).append((side.name, other))
            explicit += _solved_sum(equation, variables, declared)
    # 'b = y' with an Integer or Boolean b says that y is discrete only where nothing else says what y is
    computed = {name for name, _ in explicit}
    explicit += [(name, other) for name, other in backwards if name not in computed]
    if not declared and not _remember(expr for _, expr in explicit):
        return set()
    fixed = set(parameters)
    return _propagated(explicit, fixed | set(declared)) - fixed


def _propagated(explicit: Sequence[tuple[str, Expr]], known: set[str]) -> set[str]:
    """Return ``known``, and all names whose expressions are discrete because of these; each shared operation is visited
    once.
    """
    Key = tuple[int, bool]
    waits: dict[Key, int] = {}  # for so many of its operands
    users: dict[Key, list[Key]] = {}
    of_name: dict[str, list[Key]] = {}
    computed: dict[Key, list[str]] = {}
    settled: list[Key] = []
    for name, expr in explicit:
        computed.setdefault((id(expr), True), []).append(name)
    stack = [(expr, True) for _, expr in explicit]
    while stack:
        node, events = stack.pop()
        key = id(node), events
        if key in waits:
            continue
        parts = _decisive(node, events)
        waits[key] = len(parts)
        for part, inside in parts:
            users.setdefault((id(part), inside), []).append(key)
        stack += parts
        if type(node) is Name and node.name not in known and not is_before(node.name):
            waits[key] = 1
            of_name.setdefault(node.name, []).append(key)
        elif not parts:
            settled.append(key)
    while settled:
        key = settled.pop()
        ready = users.pop(key, [])
        for name in computed.get(key, ()):
            if name not in known:
                known.add(name)
                ready += of_name.pop(name, ())
        for user in ready:
            waits[user] -= 1
            if not waits[user]:
                settled.append(user)
    return known


def _solved_sum(equation: Equation, variables: Mapping[str, Variable], declared: Collection[str]) -> list[tuple[str, Expr]]:
    """Return ``(x, rest)`` for each variable x that a sum ``x + rest = 0`` computes, but for the sign; none of long sums."""
    if type(equation.lhs) is Name or type(equation.rhs) is Name:
        side = equation.lhs if type(equation.lhs) is Name else equation.rhs
        if not (type(side) is Name and side.name in variables and side.name not in declared):
            return []
    terms: list[Expr] = []
    stack = [equation.lhs, equation.rhs]
    while stack and len(terms) <= _SUM:
        node = stack.pop()
        if type(node) is Apply and node.op in ("+", "-", "neg"):
            stack += node.args
        else:
            terms.append(node)
    if stack or len(terms) > _SUM:
        return []
    alone = [side.name for side in (equation.lhs, equation.rhs) if type(side) is Name]  # these are known without a sum
    candidates = {term.name for term in terms if type(term) is Name and term.name in variables and term.name not in declared}
    candidates.difference_update(alone)
    if not candidates:
        return []
    used = [names(term) for term in terms]
    found = []
    for k, term in enumerate(terms):
        if type(term) is Name and term.name in candidates and not any(term.name in u for u in used[:k] + used[k + 1 :]):
            found.append((term.name, sum_of(terms[:k] + terms[k + 1 :])))
    return found


def _remember(exprs: Iterable[Expr]) -> bool:
    return any(type(node) is Apply and node.op in _PAST for node in walk(*exprs))


def check_discrete(
    equations: Iterable[Equation | CallEquation],
    variables: Mapping[str, Variable],
    known: Collection[str],
    conditions: Collection[str],
) -> None:
    """Refuse equations that give a continuous value to an Integer, a Boolean, or the condition of a when clause.

    Functions of the user and ``noEvent`` are the author's own responsibility.

    Args:
        equations: without when clauses and clocks.
        variables: by name.
        known: names of what changes at events only.
        conditions: names of the variables that stand for conditions of when clauses and assertions.

    Raises:
        ModelError: names the equation and what is continuous in it.
    """
    known = {*known, *(name for name, v in variables.items() if v.input)}
    equations = list(equations)
    sides = [side for e in equations if isinstance(e, Equation) for side in (e.lhs, e.rhs)]
    differentiated = names(*(node for node in walk(*sides) if type(node) is Apply and node.op == "der"))
    for equation in equations:
        if not isinstance(equation, Equation):
            continue
        for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
            variable = variables.get(side.name) if type(side) is Name else None
            if variable is None or variable.type == "Real" or _on_trust(other):
                continue
            state = side is equation.lhs and type(other) is Name and other.name in differentiated
            slope = side is equation.rhs and type(other) is Apply and other.op == "der"  # der(x) = n determines x
            if slope or (is_discrete(other, known) and not state):
                _check_type(variable, other, equation)
                continue
            hidden = variable.name in conditions
            raise ModelError(
                f"'{other}' in '{equation}' is continuous"
                if hidden
                else f"the {variable.type} '{variable.name}' cannot have the continuous value '{other}' in '{equation}'",
                path=equation.path,
                found=f"{', '.join(sorted(names(other) - known or names(other)))} changes between events",
                expected='a condition such as "x > 0.5"' if hidden else "a value that changes at events only",
                remedy="" if hidden else "Write a relation such as 'x > 0.5', set it in a When, or declare it as Real.",
            )


def _check_type(variable: Variable, value: Expr, equation: Equation) -> None:
    """Refuse an Integer that gets a fraction, and a Boolean that gets a number."""
    wrong = next((e for e in _summands(value) if _is_wrong(e, variable.type)), None)
    if wrong is not None:
        raise ModelError(
            f"the {variable.type} '{variable.name}' cannot have the value '{wrong}' in '{equation}'",
            path=equation.path,
            expected="True or False" if variable.type == "Boolean" else "a whole number",
            remedy="Write a relation."
            if variable.type == "Boolean"
            else "Round it, by div(n, 2), floor(x) or integer(x + 0.5).",
        )


def _is_wrong(expr: Expr, kind: str) -> bool:
    if type(expr) is Const:
        return not (expr.value in (0.0, 1.0) if kind == "Boolean" else float(expr.value).is_integer())
    return kind == "Integer" and type(expr) is Apply and expr.op == "/"


def _summands(expr: Expr) -> Iterator[Expr]:
    """Generate the operands behind operators that keep whole numbers whole; conditions and functions are left out."""
    stack, seen = [expr], set[int]()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if type(node) is Apply and node.op in _KEEP_INTEGERS:
            stack += node.args[1:] if node.op == "if" else node.args
        else:
            yield node


def _on_trust(expr: Expr) -> bool:
    return any(type(node) is Apply and (node.op == "noEvent" or isinstance(node.op, Operator)) for node in walk(expr))


def solved_for(
    equation: Equation, occurring: Sequence[str], assigned: Collection[str], set_at_events: Collection[str]
) -> Sequence[str]:
    """Return the variables that an equation may be solved for.

    Args:
        equation: ordinary, or the one that a when clause or a clock became (then it is ``v = ... if ... else ...``).
        occurring: its variables.
        assigned: variables that are computed by assignments only.
        set_at_events: those of them that have an equation of their own.
    """
    lhs, rhs = _variable(equation.lhs), _variable(equation.rhs)
    if lhs in set_at_events and type(equation.rhs) is Apply and equation.rhs.op in ("if", "memory"):
        return [lhs]  # only the memory is left where a condition never becomes true
    alone = [name for name in (lhs, rhs) if name in assigned and name not in set_at_events]
    if alone:
        return [name for name in (lhs, rhs) if name in occurring and name not in set_at_events]
    return [name for name in occurring if name not in assigned]


def _variable(expr: Expr) -> str:
    """Name of the variable, if the expression is one or minus one; else ""."""
    alone = expr.args[0] if type(expr) is Apply and expr.op == "neg" else expr
    return alone.name if type(alone) is Name else ""


def resolve_discrete(
    discrete: Discrete, substitute: Callable[[Expr], Expr], states: Sequence[str], preferred: Collection[str] = ()
) -> Discrete:
    """Return the same in terms of variables that are left after alias elimination.

    A re-initialisation of one of the variables ``preferred``, which would like to be states, is left out if there were too
    many of them: the others carry its motion.

    Raises:
        ModelError: what is to be re-initialised is not a state.
    """

    def is_possible(reinit: Reinit) -> bool:
        target = state_of(substitute(reinit.state))[0]
        if type(target) is Name and target.name in states:
            return True
        if type(target) is not Name or target.name not in preferred:
            raise ModelError(
                f"'{reinit.state}' in '{reinit.text}' is not a state",
                path=reinit.path,
                found=f"states {', '.join(states)}" if states else "no states",
                expected="a variable whose derivative occurs, and that the equations do not determine otherwise",
                remedy=nearest(str(reinit.state), states),
            )
        return False

    def remembered(memory: Iterable[Memory]) -> list[Memory]:
        return [replace(m, expr=substitute(m.expr)) for m in memory]

    def resolved(reinits: Iterable[Reinit]) -> list[Reinit]:
        kept = filter(is_possible, reinits)
        return [replace(r, state=substitute(r.state), active=substitute(r.active), value=substitute(r.value)) for r in kept]

    return replace(
        discrete,
        memory=remembered(discrete.memory),
        reinits=resolved(discrete.reinits),
        array_memory=remembered(discrete.array_memory),
        array_reinits=resolved(discrete.array_reinits),
    )


def state_of(expr: Expr) -> tuple[Expr, float, str]:
    """Return the variable that a reinit refers to by ``x``, ``-x`` or ``x[0]``; its sign; the subscript or ""."""
    sign, index = 1.0, ""
    while type(expr) is Apply and (expr.op == "neg" or entry_of(expr.op) is SUBSCRIPT):
        sign, index = (-sign, index) if expr.op == "neg" else (sign, expr.op)
        expr = expr.args[0]
    return expr, sign, index


def refuse_loop(unknowns: Sequence[str], equations: Sequence[Equation | CallEquation], assigned: Collection[str]) -> None:
    """Refuse to solve equations for discrete variables that need each other's present values.

    Raises:
        ModelError: names the variables and equations.
    """
    found = [name for name in unknowns if name in assigned]
    if not found:
        return
    first = equations[0]
    shown = "; ".join(dict.fromkeys(f"'{equation}'" for equation in equations[:6]))
    raise ModelError(
        f"the discrete variable{'s' if len(found) > 1 else ''} {', '.join(found[:6])} need each other's present values: {shown}"
        if len(found) > 1
        else f"the discrete variable '{found[0]}' needs its own present value: {shown}",
        path=first.component if isinstance(first, CallEquation) else first.path,
        expected="equations that can be evaluated one after the other",
        remedy="Break the loop with pre(...): the value before the event.",
    )
