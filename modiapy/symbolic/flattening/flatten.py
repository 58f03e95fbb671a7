"""Flattening: from the tree of instances to the scalar variables and equations of `FlatModel`, all by full path."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...acausal.protocol import CallEquation, ComponentFunction
from ...model.errors import ModelError, nearest, nesting_limited
from ...model.expression import Apply, Equation, Name
from ...model.language import SUBSCRIPT, entry_of
from ...model.limits import MOST_UNKNOWNS, check_numbers, copies_counted
from ...model.model import FLAT, Model, Var
from ..flat.flat_model import STATE_SELECT, TYPES, FlatModel, Variable
from ..hybrid.initial_memory import settle_initial_memory
from ..terms.arrays import same_rank
from ..terms.names import join
from .array_flattening import ARRAY_SYNTAX, settle_arrays
from .connections import Connections, connection_equations
from .delays import settle_delays
from .evaluate import EvaluatedModel, evaluate
from .instance import Instance, literals_of
from .scope import Scope


@nesting_limited()
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
        scope = Scope(instance, mentioned, flat.parameters, connections)
        if instance.model.places:
            flat.places[instance.path] = instance.model.places
        with copies_counted():
            flat.equations += scope.equations()
            flat.initial_equations += scope.initial_equations()
        flat.equations += scope.added
        flat.whens += scope.whens
        flat.assertions += scope.assertions
        flat.clocks |= scope.clocks
        flat.arrays |= scope.arrays
        flat.variables |= scope.variables
        if FLAT in instance.model:
            instance.model[FLAT].add_to(flat, instance.path)
    unused = connections.settle(mentioned)
    for instance in evaluated.tree.walk():
        _add_variables(instance, flat, connections, mentioned, unused)
    settle_delays(flat)
    written = any(ARRAY_SYNTAX.search(str(e)) for e in flat.equations)
    written |= any(
        type(side) is Apply and entry_of(side.op) is SUBSCRIPT for e in connections.equations for side in (e.lhs, e.rhs)
    )
    flat.equations += connections.equations
    flat.shapes |= {name: value.shape for name, value in flat.arrays.items()}
    if written or flat.shapes:
        settle_arrays(flat, mentioned)
    settle_initial_memory(flat)
    return flat


def _add_variables(
    instance: Instance, flat: FlatModel, connections: Connections, mentioned: set[str], unused: set[str]
) -> None:
    """Add the variables of an instance that are used; inputs of submodels without a connection get their ``start`` value."""
    top = instance.owner().parent is None
    for key, var in instance.variables.items():
        name = join(instance.path, key)
        if name in unused:
            continue
        bound = var.get("value") is not None
        _check_roles(name, var)
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
            observed=bool(var.get("observed")),
            impulse=bool(var.get("impulse")),
            elements=bool(var.get("elements")),
            unit=var.get("unit") or "",
            description=var.get("description") or "",
            origin=instance.path,
            type=variable_type(var, name),
            literals=literals_of(var),
        )
        shape = var["shape"] if "shape" in var else _shape(var, "init") or _shape(var, "start")
        if shape:
            check_numbers(shape, MOST_UNKNOWNS, "the variable", name)
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


def _shape(var: Var, attribute: str) -> tuple[int, ...]:
    value = var.get(attribute)
    return () if value is None else np.shape(value)


def variable_type(var: Var, path: str) -> str:
    """Return the type of a variable. Raises ModelError if there is no such type."""
    literals = literals_of(var)
    if isinstance(var.get("type"), list | tuple) and not (
        literals and all(isinstance(word, str) for word in literals) and len(set(literals)) == len(literals)
    ):
        raise ModelError(
            "the literals of the enumeration are wrong",
            path=path,
            found=repr(literals),
            expected='different words, ("closed", "open")',
        )
    kind = "Integer" if literals else var.get("type") or "Real"
    if kind not in TYPES:
        raise ModelError(
            f"unknown type '{kind}'", path=path, expected=f"one of {', '.join(TYPES)}", remedy=nearest(kind, TYPES)
        )
    return str(kind)


def _check_roles(name: str, var: Var) -> None:
    """Refuse attributes that contradict each other, and values that a variable of this type cannot have."""
    for one, other in (("input", "output"), ("potential", "flow")):
        if var.get(one) and var.get(other):
            raise ModelError(f"the variable is both '{one}' and '{other}'", path=name, expected="one of them")
    kind = variable_type(var, name)
    if var.get("impulse") and (var.get("init") is not None or var.get("input") or kind != "Real"):
        found = "init" if var.get("init") is not None else "input" if var.get("input") else f"type {kind}"
        raise ModelError("an impulse is zero except at events", path=name, found=found, expected="Var(impulse=True) without it")
    for attribute in ("init", "start") if kind != "Real" else ():
        values = np.asarray(var.get(attribute, 0.0))
        if not (np.isin(values, (0, 1)) if kind == "Boolean" else values == np.floor(values)).all():
            what = f"'{attribute}' is no value of a variable of type {kind}"
            expected = "True or False" if kind == "Boolean" else "a whole number"
            raise ModelError(what, path=name, found=repr(var[attribute]), expected=expected)


def _nominal(name: str, var: Var) -> float | None:
    nominal: float | None = var.get("nominal")
    if nominal is not None and not 0.0 < nominal < math.inf:
        raise ModelError(
            "the nominal value is not positive", path=name, found=f"nominal={nominal!r}", expected="a positive number"
        )
    return nominal


def _state_select(name: str, var: Var) -> str:
    choice = var.get("state_select") or "default"
    if choice not in STATE_SELECT:
        expected = ", ".join(f'"{word}"' for word in STATE_SELECT)
        raise ModelError(f"unknown state_select '{choice}'", path=name, expected=expected, remedy=nearest(choice, STATE_SELECT))
    return str(choice)


# -- comparison ---------------------------------------------------------------------------------------------------------


def same_structure(a: FlatModel, b: FlatModel) -> str | None:
    """Return the first difference between two flat models that would need new machine code; None if there is none.

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
        if variable.type != other.type:
            return f"the type of '{name}' became {other.type}"
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


def remedy_for_merge(model: object, changes: Mapping[str, Any], path: str = "") -> str:
    """Return the remedy where merging ``changes`` into a model changes its structure."""
    entries = model if isinstance(model, Model) else Model()
    for key, new in changes.items():
        old, here = entries.get(key), join(path, key)
        if isinstance(old, Model) and isinstance(new, Mapping):
            remedy = remedy_for_merge(old, new, here)
            if remedy != _MERGE_BEFORE:
                return remedy
        elif isinstance(old, Var) and (not isinstance(new, Mapping) or new.get("value") is not None):
            value = new["value"] if isinstance(new, Mapping) else new
            own = f"'{here}' is a variable: its initial value is {key}=Var(init={value!r})"
            return f"{own}. An equation is no value. {_MERGE_BEFORE}"
        elif isinstance(old, Var) and isinstance(new, Mapping) and new.get("init") is not None and old.get("init") is None:
            return f"'{here}' has no init in the model: write {key}=Var(init=...) there; its value may be merged then."
    return _MERGE_BEFORE


_MERGE_BEFORE = "Merge before: instantiate(model | Map(...))."


def _essence(equation: Equation | CallEquation) -> tuple[object, ...]:
    if isinstance(equation, Equation):
        return equation.lhs, equation.rhs
    return _signature(equation.function), equation.inputs, equation.outputs, equation.component, equation.rate


def _signature(function: ComponentFunction | None) -> tuple[object, ...]:
    if function is None:
        return ()
    own = (function.name, function.n_in, function.n_out, function.symbol, function.linear_in, function.sink)
    return (*own, *_signature(function.derivative))
