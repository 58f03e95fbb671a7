"""Flattening: from the tree of instances to the scalar variables and equations of `FlatModel`, all by full path."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..acausal.protocol import CallEquation, ComponentFunction
from ..model.errors import ModelError, nearest
from ..model.expression import CONSTANTS, ONE, TIME, Apply, Const, Equation, Expr, Name, Text, linear_in, names, rewrite
from ..model.control import For, If
from ..model.model import Model, Var, is_number
from ..model.parser import parse_equation, parse_statement
from ..model.tables import FOLLOWING, LookupTable
from ..model.when import Assert, ClockDefinition, When
from .array_flattening import ARRAY_SYNTAX, settle_arrays
from .arrays import same_rank
from .connections import Connections, connection_equations, record_at
from .control import Branch, chosen, integer, joined
from .evaluate import EvaluatedModel, evaluate, parsed
from .flat_model import STATE_SELECT, TYPES, Assertion, FlatModel, Variable, WhenBranch, WhenEquation
from .index_reduction import expressions
from .instance import Instance, compare_texts, element, find_function, join, literal_index, literals_of, locate, suggest
from .when import flat_assertion, flat_when


def flatten(model: Model | EvaluatedModel, name: str = "Model") -> FlatModel:
    """Evaluate a model (unless that is done) and flatten it.

    The equations come in the order of declaration: each model's binding equations, its own, those of its submodels; then those
    of the connections.

    Raises:
        ModelError: whatever `evaluate` refuses; a name in an equation that leads nowhere; wrong connections; an input of a
            submodel that nothing gives a value.
    """
    evaluated = model if isinstance(model, EvaluatedModel) else evaluate(model, name)
    flat = FlatModel(
        name=evaluated.name,
        variables={},
        parameters=dict(evaluated.parameters),
        equations=[],
        components=dict(evaluated.components),
        objects=evaluated.objects,
    )
    connections = connection_equations(evaluated.tree)
    mentioned: set[str] = set()
    for instance in evaluated.tree.walk():
        scope = _Scope(instance, mentioned, flat.parameters, connections)
        if instance.model.places:
            flat.places[instance.path] = instance.model.places
        flat.equations += scope.equations()
        flat.initial_equations += scope.initial_equations()
        flat.whens += scope.whens
        flat.assertions += scope.assertions
        flat.clocks |= scope.clocks
        flat.arrays |= scope.arrays
        flat.variables |= scope.variables
    for instance in evaluated.tree.walk():
        _add_variables(instance, flat, connections, mentioned)
    written = any(ARRAY_SYNTAX.search(str(e)) for e in flat.equations)
    flat.equations += connections.equations
    flat.shapes |= {name: value.shape for name, value in flat.arrays.items()}
    if written or flat.shapes:
        settle_arrays(flat, mentioned)
    return flat


def _add_variables(instance: Instance, flat: FlatModel, connections: Connections, mentioned: set[str]) -> None:
    """Add the variables of an instance; inputs of submodels that nothing is connected to get their ``start`` value."""
    top = instance.owner().parent is None
    for key, var in instance.variables.items():
        name = join(instance.path, key)
        bound = var.get("value") is not None
        flat.variables[name] = Variable(
            name=name,
            init=var.get("init"),
            start=var.get("start"),
            nominal=_nominal(name, var),
            state_select=_state_select(name, var),
            input=bool(var.get("input")) and top and not bound,
            output=bool(var.get("output")),
            potential=bool(var.get("potential")),
            flow=bool(var.get("flow")),
            unit=var.get("unit") or "",
            description=var.get("description") or "",
            origin=instance.path,
            type=variable_type(var, name),
            literals=literals_of(var),
        )
        shape = var["shape"] if "shape" in var else np.shape(var.get("init")) or np.shape(var.get("start"))
        if shape:
            flat.shapes[name] = shape
        if var.get("input") and not (top or bound or name in connections.connected or name in mentioned):
            if var.get("start") is None:
                raise ModelError(
                    "nothing is connected to this input",
                    path=name,
                    expected="a connection, an equation of the enclosing model, a binding Var(value) or Var(start=...)",
                )
            if np.ndim(var["start"]):
                flat.arrays[f"{name}.start"] = var["start"]
                flat.shapes[f"{name}.start"] = np.shape(var["start"])
            else:
                flat.parameters[f"{name}.start"] = var["start"]
            flat.equations.append(Equation(Name(name), Name(f"{name}.start"), instance.path, f"{key} = {var['start']!r}"))


def variable_type(var: Var, path: str) -> str:
    """The type of a variable. Raises ModelError if there is no such type."""
    kind = "Integer" if literals_of(var) else var.get("type") or "Real"
    if kind not in TYPES:
        raise ModelError(f"unknown type '{kind}'", path=path, expected=f"one of {', '.join(TYPES)}", remedy=nearest(kind, TYPES))
    return str(kind)


def _nominal(name: str, var: Var) -> float | None:
    nominal: float | None = var.get("nominal")
    if nominal is not None and not 0.0 < nominal < math.inf:
        raise ModelError("a nominal value is a magnitude", path=name, found=f"nominal={nominal!r}", expected="a positive number")
    return nominal


def _state_select(name: str, var: Var) -> str:
    choice = var.get("state_select") or "default"
    if choice not in STATE_SELECT:
        expected = ", ".join(f'"{word}"' for word in STATE_SELECT)
        raise ModelError(f"unknown state_select '{choice}'", path=name, expected=expected, remedy=nearest(choice, STATE_SELECT))
    return str(choice)


@functools.lru_cache(maxsize=65536)
def _parsed_equation(text: str) -> Equation:
    return parse_equation(text)


class _Scope:
    """Resolves the names in the equations of one instance.

    Args:
        instance: whose equations.
        mentioned: receives the inputs of submodels that they mention.
        handles: receives the handles of the tables that they call, by path.
        connections: of the whole model.
    """

    def __init__(
        self, instance: Instance, mentioned: set[str], handles: dict[str, float], connections: Connections
    ) -> None:
        self.connections = connections
        self.instance = instance
        self.mentioned, self.handles = mentioned, handles
        self.known: dict[tuple[str, str], Expr] = {("time", ""): TIME}
        self.whens: list[WhenEquation] = []
        self.assertions: list[Assertion] = []
        self.clocks: dict[str, ClockDefinition] = {}
        self.arrays: dict[str, np.ndarray] = {}
        self.variables: dict[str, Variable] = {}
        self.abscissas: dict[str, tuple[str, Expr]] = {}

    def equations(self) -> Iterator[Equation | CallEquation]:
        """Binding equations of the variables, then the equations of the model."""
        path = self.instance.path
        for key, var in self.instance.variables.items():
            value = var.get("value")
            if value is None:
                continue
            text = f"{key} = {value}"
            if not is_number(value) and not isinstance(value, str):
                raise ModelError("a binding is a number or an expression", path=join(path, key), found=repr(value))
            rhs = Const(float(value)) if is_number(value) else self.resolve(parsed(value, join(path, key)), text, skip=key)
            yield Equation(Name(join(path, key)), rhs, path, text)
        given = self.instance.model.get("equations") or ()
        if not isinstance(given, list | tuple):
            raise ModelError("'equations' is a list", path=path, found=repr(given), expected='["lhs = rhs", ...]')
        for entry in given:
            yield from self.entry(entry)

    def entry(self, entry: object) -> Iterator[Equation | CallEquation]:
        """Equations of one entry of ``equations``; when clauses and assertions are kept apart."""
        path = self.instance.path
        if isinstance(entry, When):
            self.whens.append(flat_when(entry, path, self.resolve))
        elif isinstance(entry, Assert):
            self.assertions.append(flat_assertion(entry, path, self.resolve))
        elif isinstance(entry, If):
            yield from self.choice(entry)
        elif isinstance(entry, For):
            yield from self.repetition(entry)
        else:
            yield from self.equation(entry)

    def choice(self, entry: If) -> Iterator[Equation | CallEquation]:
        """Equations of an `If`: those of the branch that parameters choose, or if-expressions of all branches."""
        path = self.instance.path
        conditions = [self.resolve(parsed(c, path), c) for c, _ in entry.branches]
        sides = [*(e for _, e in entry.branches), entry.otherwise]
        if len({len(s) for s in sides}) > 1 and (choice := chosen(conditions, self.handles)) is not None:
            for inner in sides[choice]:
                yield from self.entry(inner)
            return
        flat = [list(self.branch(side, entry)) for side in sides]
        yield from joined([Branch(c, e) for c, e in zip(conditions, flat, strict=False)], flat[-1], path, str(entry))

    def branch(self, entries: Sequence[object], of: If) -> Iterator[Equation]:
        """Equations of one branch."""
        for entry in entries:
            if isinstance(entry, When | Assert) or (isinstance(entry, str) and parse_statement(entry) is not None):
                raise ModelError(f"'{entry}' cannot stand in '{of}'", path=self.instance.path, expected="equations, If and For")
            for equation in self.entry(entry):
                if not isinstance(equation, Equation):
                    raise ModelError(f"'{equation}' cannot stand in '{of}'", path=self.instance.path, expected="equations")
                yield equation

    def repetition(self, entry: For) -> Iterator[Equation | CallEquation]:
        """Equations of a `For`, unrolled."""
        path, key = self.instance.path, (entry.index, "")
        first, count = (
            integer(Const(n) if is_number(n) else self.resolve(parsed(n, path), str(entry)), self.handles, str(entry), path)
            for n in (entry.first, entry.count)
        )
        outer = self.known.get(key)
        for k in range(first, first + count):
            self.known[key] = Const(k)
            for inner in entry.equations:
                for equation in self.entry(inner):
                    if isinstance(equation, Equation):
                        equation = dataclasses.replace(equation, text=f"{equation} with {entry.index} = {k}")
                    yield equation
        self.known.pop(key, None)
        if outer is not None:
            self.known[key] = outer

    def element(self, node: Apply, text: str, skip: str) -> Expr:
        """``x[i]`` with indices that parameters, and indices of `For`, determine."""
        array, *indices = node.args
        known = [integer(self.resolve(i, text), self.handles, text, self.instance.path) for i in indices]
        position = f"[{','.join(map(str, known))}]"
        return self.name(f"{array}{position}", text, skip) if type(array) is Name else Apply(position, (self.resolve(array, text),))

    def initial_equations(self) -> Iterator[Equation]:
        """Equations that hold at the beginning only."""
        path = self.instance.path
        given = self.instance.model.get("initial_equations") or ()
        if not isinstance(given, list | tuple):
            raise ModelError("'initial_equations' is a list", path=path, found=repr(given), expected='["lhs = rhs", ...]')
        for entry in given:
            for equation in self.equation(entry):
                if not isinstance(equation, Equation):
                    raise ModelError("a call of a component cannot be an initial equation", path=path, found=str(entry))
                yield equation

    def equation(self, equation: object) -> Iterator[Equation | CallEquation]:
        """One entry of ``equations``, all names by full path; nothing for a ``connect``."""
        path = self.instance.path
        if isinstance(equation, CallEquation):
            yield self.call(equation)
            return
        if isinstance(equation, str):
            if parse_statement(equation, path) is not None:
                return
            try:
                equation = _parsed_equation(equation)
            except ModelError as error:
                error.path = path
                raise
        if not isinstance(equation, Equation):
            raise ModelError(
                "this is not an equation", path=path, found=repr(equation), expected='text such as "J*der(w) = tau"'
            )
        if type(equation.lhs) is Apply and equation.lhs.op == "results":
            yield from self.several(equation)
            return
        text = str(equation)
        yield Equation(self.resolve(equation.lhs, text), self.resolve(equation.rhs, text), path, text)

    def call(self, call: CallEquation) -> CallEquation:
        """The call with full paths, belonging to the component that is nearest above."""
        owner: Instance | None = self.instance
        while owner is not None and owner.component is None:
            owner = owner.parent
        if owner is None:
            raise ModelError(f"'{call}' stands in no predefined acausal component", path=self.instance.path)
        outputs = tuple(self.resolve(name, str(call)) for name in call.outputs)
        if not all(isinstance(name, Name) and name.name not in self.instance.values for name in outputs):
            raise ModelError(f"an output of '{call}' is not a variable", path=self.instance.path)
        return dataclasses.replace(
            call,
            inputs=tuple(self.resolve(expr, str(call)) for expr in call.inputs),
            outputs=tuple(name for name in outputs if isinstance(name, Name)),
            component=owner.path,
        )

    def resolve(self, expr: Expr, text: str, skip: str = "") -> Expr:
        """An expression of the equation ``text`` with all names by full path; ``skip`` is the variable that it is bound to."""

        def change(node: Expr) -> Expr | None:
            if type(node) is Name:
                return self.name(node.name, text, skip)
            if type(node) is Text:
                return self.literal(node.value, text)
            if type(node) is Apply and node.op in ("==", "!="):
                return self.comparison(node, text)
            if type(node) is Apply and node.op == "element":
                return self.element(node, text, skip)
            if type(node) is not Apply or node.op != "call":
                return None
            results = self.results(node, text, skip)
            if len(results) > 1:
                raise ModelError(
                    f"'{node.args[0]}' in '{text}' has {len(results)} results",
                    path=self.instance.path,
                    expected="one result in an expression",
                    remedy=f"Write ({', '.join('abcdefgh'[: len(results)])}) = {node.args[0]}(...).",
                )
            return results[0]

        return rewrite(expr, change)

    def comparison(self, node: Apply, text: str) -> Expr | None:
        """``kind == "PI"`` as 0 or 1; None if no side is text."""

        def text_of(side: Expr) -> str | None:
            if type(side) is Text:
                return side.value
            place = locate(self.instance, side.name) if type(side) is Name else None
            value = place.instance.values.get(place.key) if place is not None else None
            return value if isinstance(value, str) else None

        for one, other in (node.args, node.args[::-1]):
            place = locate(self.instance, one.name) if type(one) is Name and type(other) is Text else None
            if place is not None and (literals := literals_of(place.instance.model[place.key])):
                assert type(other) is Text
                return Apply(node.op, (self.resolve(one, text), literal_index(other.value, literals, text, self.instance.path)))
        return compare_texts(node, text_of, text, self.instance.path)

    def literal(self, value: str, text: str) -> Expr:
        """Number of a literal of an enumeration, found by the variables of this model and of its submodels."""
        types = {literals_of(var) for i in self.instance.walk() for var in i.variables.values()}
        having = {t for t in types if value in t}
        if len({t.index(value) for t in having}) == 1:
            return literal_index(value, having.pop(), text, self.instance.path)
        raise ModelError(
            f"'{value}' in '{text}' is text",
            path=self.instance.path,
            found=f"{len(having)} enumerations with this literal" if having else "no variable of an enumeration that has it",
            expected="a number, a comparison of parameters, or a literal of Var(type=(...))",
            remedy=nearest(value, [word for t in types for word in t]),
        )

    def results(self, node: Apply, text: str, skip: str = "") -> list[Expr]:
        """Results of the call of a function of the model, all names by full path."""
        assert type(node.args[0]) is Name
        if node.args[0].name.startswith("Connections."):
            return [self.rooted(node, text)]
        name, args = node.args[0].name, [self.resolve(a, text, skip) for a in node.args[1:]]
        function, path = find_function(
            self.instance, name, len(args), text, self.instance.path, lambda p: p.instance.values[p.key]
        )
        handle = getattr(function, "handle", None)
        if handle is not None:
            self.handles[path] = handle
        if isinstance(function, LookupTable) and function.has_kinks and self.grows_like_time(args[0]):
            return function.timed(path, self.following(path, args[0], text), args[0])
        return function.call(path, args)

    def grows_like_time(self, u: Expr) -> bool:
        """Whether an expression is time plus a constant."""
        ab = linear_in(u, TIME.name)
        return ab is not None and ab[0] == ONE and names(ab[1]) <= self.handles.keys()

    def following(self, path: str, u: Expr, text: str) -> Name:
        """A new discrete variable: the next abscissa of the table at ``path``, a function of time, where an event is made."""
        for name, made in self.abscissas.items():
            if made == (path, u):
                return Name(name)
        name = join(self.instance.path, f"{path.rpartition('.')[2]}.next{len(self.abscissas) or ''}")
        self.abscissas[name] = (path, u)
        self.variables[name] = Variable(name, description=f"next abscissa in '{text}'", origin=self.instance.path)
        assignment = Equation(Name(name), FOLLOWING.call(path, [u])[0], self.instance.path, f"next abscissa in '{text}'")
        due = Apply(">=", (u, Apply("pre", (Name(name),))))
        conditions = (Apply("initial", ()), due)
        self.whens.append(WhenEquation((WhenBranch(conditions, (assignment,)),), self.instance.path, f"next abscissa in '{text}'"))
        return Name(name)

    def rooted(self, node: Apply, text: str) -> Expr:
        """``Connections.is_root(R)`` and ``Connections.rooted(R)`` (nearer to the root than the other end of its branch), 0 or 1."""
        path, function = self.instance.path, str(node.args[0])
        if function not in ("Connections.is_root", "Connections.rooted") or len(node.args) != 2:
            expected = "Connections.is_root(a.R) or Connections.rooted(a.R)"
            raise ModelError(f"'{function}' in '{text}' is not a function of one record", path=path, expected=expected)
        graph, forest = self.connections.graph, self.connections.forest
        record = record_at(self.instance, str(node.args[1]), text, self.connections.records)
        if function == "Connections.is_root":
            return Const(forest.is_root(record))
        ends = [e.b if e.a == record else e.a for e in graph.branches if record in (e.a, e.b)]
        if len(ends) != 1:
            raise ModelError(
                f"'{node.args[1]}' in '{text}' belongs to {len(ends)} branches", path=path, expected="one Connections.branch"
            )
        return Const(forest.parent.get(ends[0]) == record)

    def several(self, equation: Equation) -> Iterator[Equation]:
        """``(a, b) = f(u)`` as one equation for each result; ``_`` is a result that nobody wants."""
        path, text = self.instance.path, str(equation)
        targets = equation.lhs.args if type(equation.lhs) is Apply else ()
        call = equation.rhs
        if type(call) is not Apply or call.op != "call":
            raise ModelError(f"'{text}' has several left sides", path=path, expected="a call of a function on the right side")
        results = self.results(call, text)
        if len(targets) != len(results):
            raise ModelError(
                f"'{call.args[0]}' in '{text}'", path=path, found=f"{len(targets)} left sides", expected=f"{len(results)} results"
            )
        for target, result in zip(targets, results, strict=True):
            if target != Name("_"):
                yield Equation(self.resolve(target, text), result, path, text)

    def name(self, name: str, text: str, skip: str) -> Expr:
        """What a name means: a variable here or below, a parameter here, below or in an enclosing model, a constant."""
        key = (name, skip if name == skip else "")
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self.find(name, text, skip)
        return found

    def find(self, name: str, text: str, skip: str) -> Expr:
        """`name`, not from the cache."""
        place = locate(self.instance, name, skip)
        if place is None:
            if name in CONSTANTS:
                return Const(CONSTANTS[name])
            raise self.unknown(name, text)
        entry = place.instance.model[place.key]
        if isinstance(entry, Var):
            if place.scope is not self.instance:
                raise ModelError(
                    f"'{name}' in '{text}' is a variable of the enclosing model '{place.scope.path or 'at the top'}'",
                    path=self.instance.path,
                    expected="a variable of this model or its submodels",
                    remedy="Declare an input or a connector and connect it.",
                )
            if entry.get("input") and place.instance.owner() is not self.instance:
                self.mentioned.add(join(place.instance.path, place.key))
            variable = Name(join(place.instance.path, place.key))
            return Apply(place.index, (variable,)) if place.index else variable
        value = None if isinstance(entry, Model) else place.instance.values[place.key]
        value = element(value, place.index, join(self.instance.path, text))
        if isinstance(value, ClockDefinition):
            self.clocks[place.path] = value
            return Name(place.path)
        if isinstance(value, np.ndarray) and value.ndim in (1, 2) and value.dtype.kind in "biuf":
            path = place.path
            self.arrays[path] = np.array(value, dtype=float)
            return Name(path)
        if not is_number(value):
            found = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
            raise ModelError(f"'{name}' in '{text}' is not a number", path=self.instance.path, found=found)
        self.mentioned.add(place.path)
        return Name(place.path)

    def unknown(self, name: str, text: str) -> ModelError:
        """The error for a name that leads nowhere."""
        here: Instance | None = self.instance
        for part in name.split("."):
            here = here.children.get(part) if here is not None else None
        if here is not None:
            options = ", ".join(f"{name}.{key}" for key in here.variables)
            return ModelError(f"'{name}' in '{text}' is a model", path=self.instance.path, expected=options or "a variable")
        return ModelError(f"unknown name '{name}' in '{text}'", path=self.instance.path, remedy=suggest(self.instance, name))


# -- comparison ---------------------------------------------------------------------------------------------------------


def same_structure(a: FlatModel, b: FlatModel) -> str | None:
    """The first difference between two flat models that would need new machine code; None if there is none.

    Values of parameters, ``init`` and ``start`` may differ; names, roles, equations and component functions may not.
    """
    for what, names_a, names_b in (
        ("variable", a.variables, b.variables),
        ("parameter", a.parameters, b.parameters),
        ("component", a.components, b.components),
        ("array parameter", a.arrays, b.arrays),
    ):
        for here, there, verb in ((names_a, names_b, "is gone"), (names_b, names_a, "is new")):
            for name in here:
                if name not in there:
                    return f"{what} '{name}' {verb}"
    for one, two in itertools.zip_longest(a.initial_equations, b.initial_equations):
        if one is None or two is None or _essence(one) != _essence(two):
            return f"initial equation '{one}' became '{two}'"
    for name, variable in a.variables.items():
        other = b.variables[name]
        if variable.state_select != other.state_select:
            return f"'state_select' of '{name}' became '{other.state_select}'"
        for attribute, old, new in (
            ("input", variable.input, other.input),
            ("init", variable.init is not None, other.init is not None),
            ("start", variable.start is not None, other.start is not None),
        ):
            if old != new:
                return f"variable '{name}' {'now has' if new else 'no longer has'} '{attribute}'"
    rank = same_rank(a.shapes, b.shapes)
    if rank is not None:
        return rank
    for one, two in zip(a.equations, b.equations, strict=False):
        if _essence(one) != _essence(two):
            if str(one) == str(two) and isinstance(one, Equation) and isinstance(two, Equation):
                return f"equation '{one}', in effect '{one.lhs} = {one.rhs}', became '{two.lhs} = {two.rhs}'"
            return f"equation '{one}' became '{two}'"
    if len(a.equations) != len(b.equations):
        longer, verb = (a, "is gone") if len(a.equations) > len(b.equations) else (b, "is new")
        return f"equation '{longer.equations[min(len(a.equations), len(b.equations))]}' {verb}"
    for one, two in itertools.zip_longest([*a.whens, *a.assertions], [*b.whens, *b.assertions]):
        if str(one) != str(two):
            return f"'{one}' became '{two}'" if one and two else f"'{one or two}' {'is gone' if one else 'is new'}"
    if list(a.clocks) != list(b.clocks):
        return f"the clocks {', '.join(a.clocks)} became {', '.join(b.clocks)}"
    return None


def _essence(equation: Equation | CallEquation) -> tuple[object, ...]:
    if isinstance(equation, Equation):
        return equation.lhs, equation.rhs
    return _signature(equation.function), equation.inputs, equation.outputs, equation.component


def _signature(function: ComponentFunction | None) -> tuple[object, ...]:
    if function is None:
        return ()
    own = (function.name, function.n_in, function.n_out, function.symbol, function.linear_in, function.sink)
    return (*own, *_signature(function.derivative))
