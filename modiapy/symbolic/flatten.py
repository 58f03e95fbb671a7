"""Flattening: from the tree of instances to the scalar variables and equations of `FlatModel`, all by full path."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator

import numpy as np

from ..acausal.protocol import CallEquation, ComponentFunction
from ..model.errors import ModelError
from ..model.expression import CONSTANTS, TIME, Const, Equation, Expr, Name, rewrite
from ..model.model import Model, Var, is_number
from ..model.parser import parse_equation
from .connections import Connections, connection_equations
from .evaluate import EvaluatedModel, evaluate, parsed
from .flat_model import FlatModel, Variable
from .instance import Instance, element, join, locate, suggest


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
        scope = _Scope(instance, mentioned)
        flat.equations += scope.equations()
    for instance in evaluated.tree.walk():
        _add_variables(instance, flat, connections, mentioned)
    flat.equations += connections.equations
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
            input=bool(var.get("input")) and top and not bound,
            output=bool(var.get("output")),
            potential=bool(var.get("potential")),
            flow=bool(var.get("flow")),
            unit=var.get("unit") or "",
            description=var.get("description") or "",
            origin=instance.path,
        )
        if var.get("input") and not (top or bound or name in connections.connected or name in mentioned):
            if var.get("start") is None:
                raise ModelError(
                    "nothing is connected to this input",
                    path=name,
                    expected="a connection, an equation of the enclosing model, a binding Var(value) or Var(start=...)",
                )
            flat.parameters[f"{name}.start"] = var["start"]
            flat.equations.append(Equation(Name(name), Name(f"{name}.start"), instance.path, f"{key} = {var['start']!r}"))


@functools.lru_cache(maxsize=65536)
def _parsed_equation(text: str) -> Equation:
    return parse_equation(text)


class _Scope:
    """Resolves the names in the equations of one instance."""

    def __init__(self, instance: Instance, mentioned: set[str]) -> None:
        self.instance = instance
        self.mentioned = mentioned
        self.known: dict[tuple[str, str], Expr] = {("time", ""): TIME}

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
        for equation in given:
            yield self.equation(equation)

    def equation(self, equation: object) -> Equation | CallEquation:
        """One entry of ``equations``, all names by full path."""
        path = self.instance.path
        if isinstance(equation, CallEquation):
            return self.call(equation)
        if isinstance(equation, str):
            try:
                equation = _parsed_equation(equation)
            except ModelError as error:
                error.path = path
                raise
        if not isinstance(equation, Equation):
            raise ModelError(
                "this is not an equation", path=path, found=repr(equation), expected='text such as "J*der(w) = tau"'
            )
        text = str(equation)
        return Equation(self.resolve(equation.lhs, text), self.resolve(equation.rhs, text), path, text)

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
        return rewrite(expr, lambda node: self.name(node.name, text, skip) if type(node) is Name else None)

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
            if place.index:
                raise ModelError(f"'{name}' in '{text}' is a scalar variable", path=self.instance.path, expected="no index")
            if entry.get("input") and place.instance.owner() is not self.instance:
                self.mentioned.add(place.path)
            return Name(place.path)
        value = None if isinstance(entry, Model) else place.instance.values[place.key]
        value = element(value, place.index, join(self.instance.path, text))
        if not is_number(value):
            if isinstance(value, np.ndarray):
                found, remedy = (
                    f"an array of shape {value.shape}",
                    f"Write an element, e.g. {name}[{','.join('0' * value.ndim)}].",
                )
            else:
                found, remedy = f"a {type(value).__name__}", ""
            raise ModelError(f"'{name}' in '{text}' is not a number", path=self.instance.path, found=found, remedy=remedy)
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
    ):
        for here, there, verb in ((names_a, names_b, "is gone"), (names_b, names_a, "is new")):
            for name in here:
                if name not in there:
                    return f"{what} '{name}' {verb}"
    for name, variable in a.variables.items():
        other = b.variables[name]
        for attribute, old, new in (
            ("input", variable.input, other.input),
            ("init", variable.init is not None, other.init is not None),
            ("start", variable.start is not None, other.start is not None),
        ):
            if old != new:
                return f"variable '{name}' {'now has' if new else 'no longer has'} '{attribute}'"
    for one, two in zip(a.equations, b.equations, strict=False):
        if _essence(one) != _essence(two):
            return f"equation '{one}' became '{two}'"
    if len(a.equations) != len(b.equations):
        longer, verb = (a, "is gone") if len(a.equations) > len(b.equations) else (b, "is new")
        return f"equation '{longer.equations[min(len(a.equations), len(b.equations))]}' {verb}"
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
