"""Arrays whose elements are unknowns of their own: equations with them are written out, element by element.

An equation for an array determines an array of its own shape, which keeps code short and sizes free. It cannot say that one
component of a force is zero along an axis (``n@f = 0``). The elements of a `Variable` with ``elements`` are scalars ``x[0]``,
``x[1]``, ... instead, and so are those of all variables that an equation for arrays joins with one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...acausal.protocol import CallEquation
from ...model.entry import How
from ...model.expression import (
    Apply,
    Const,
    Equation,
    Expr,
    Name,
    Operator,
    add,
    apply,
    index_of,
    is_array_operator,
    mul,
    names,
    postorder,
    substitute,
)
from ...model.language import SUBSCRIPT, entry_of
from ...model.parser import parse
from ..flat.flat_model import FlatModel, Variable, WhenEquation
from ..hybrid.when import join_elements
from ..terms.arrays import Shape, element_name, shape_of


def write_elements(flat: FlatModel, mentioned: set[str]) -> None:
    """Replace the arrays whose elements are unknowns of their own, and write out the equations that have them, in place.

    Args:
        flat: all ``shapes`` are known, all equations have been checked.
        mentioned: elements of array parameters that are used by name; those that are used now are added.
    """
    chosen = _chosen(flat)
    if not chosen:
        return
    written = _Writer(flat, chosen, mentioned)
    flat.equations = [e for item in flat.equations for e in written.equations(item)]
    flat.initial_equations[:] = [e for item in flat.initial_equations for e in written.equations(item)]
    flat.whens[:] = map(written.when, flat.whens)
    flat.assertions[:] = [replace(a, condition=written.scalar(a.condition)) for a in flat.assertions]
    flat.variables = {name: v for old in flat.variables.values() for name, v in _elements(old, flat.shapes, chosen)}
    for name in chosen:
        del flat.shapes[name]


def _chosen(flat: FlatModel) -> set[str]:
    """Return the arrays that are marked, and those that equations for arrays join with them; no inputs, which are given."""
    arrays = {name for name, v in flat.variables.items() if flat.shapes.get(name) and not v.input}
    chosen = {name for name in arrays if flat.variables[name].elements}
    pending = list(chosen)
    joined: dict[str, list[set[str]]] = {}
    for equation in _all_equations(flat) if chosen else ():
        there = (names(equation.lhs) | names(equation.rhs)) & arrays
        if there and (shape_of(equation.lhs, flat.shapes) or shape_of(equation.rhs, flat.shapes)):
            for name in there:
                joined.setdefault(name, []).append(there)
    while pending:
        for group in joined.pop(pending.pop(), ()):
            pending += group - chosen
            chosen |= group
    return chosen


def _all_equations(flat: FlatModel) -> Iterable[Equation]:
    yield from (e for e in flat.equations if isinstance(e, Equation))
    yield from flat.initial_equations
    for when in flat.whens:
        for branch in when.branches:
            yield from branch.equations


def _elements(variable: Variable, shapes: Mapping[str, Shape], chosen: set[str]) -> list[tuple[str, Variable]]:
    """Return a variable, or the variables of its elements if it is chosen, by name."""
    name = variable.name
    if name not in chosen:
        return [(name, variable)]
    values = {a: np.broadcast_to(v, shapes[name]) for a in ("init", "start") if (v := getattr(variable, a)) is not None}
    found = []
    for position in np.ndindex(shapes[name]):
        element = element_name(name, position)
        given: dict[str, Any] = {a: _kept(getattr(variable, a), float(v[position])) for a, v in values.items()}
        found.append((element, replace(variable, name=element, **given)))
    return found


def _kept(whole: Any, value: float) -> Any:
    """Return the value of an element, of the kind of number that the whole is (a `DefaultInit` gives way to equations)."""
    return type(whole)(value) if isinstance(whole, float) else value


class _Writer:
    """Writes expressions, equations and when clauses of a flat model with the elements of its chosen arrays."""

    def __init__(self, flat: FlatModel, chosen: set[str], mentioned: set[str]) -> None:
        self.flat, self.chosen, self.mentioned = flat, chosen, mentioned

    def equations(self, item: Equation | CallEquation) -> Sequence[Any]:
        """Return the equations of the elements; the equation itself where it has no chosen array."""
        if isinstance(item, CallEquation):
            return [replace(item, inputs=tuple(map(self.scalar, item.inputs)))]
        if not self.has_chosen(item.lhs, item.rhs):
            return [item]
        sides = self.pair(item.lhs, item.rhs)
        if len(sides) == 1:
            return [replace(item, lhs=sides[0][0], rhs=sides[0][1], text=str(item))]
        return [replace(item, lhs=a, rhs=b, text=f"{item} [{k}]") for k, (a, b) in enumerate(sides)]

    def pair(self, a: Expr, b: Expr) -> list[tuple[Expr, Expr]]:
        """Return the elements of two expressions side by side; a scalar stands for all elements."""
        both = np.broadcast_arrays(self.elements(a), self.elements(b))
        return list(zip(both[0].ravel(), both[1].ravel(), strict=True))

    def when(self, clause: WhenEquation) -> WhenEquation:
        """Return a when clause that sets elements."""
        branches = tuple(
            replace(
                branch,
                conditions=tuple(map(self.scalar, branch.conditions)),
                equations=tuple(
                    e for whole in join_elements(branch.equations, self.flat.shapes) for e in self.equations(whole)
                ),
                reinits=tuple(
                    p for reinit in branch.reinits for p in (self.pair(*reinit) if self.has_chosen(*reinit) else [reinit])
                ),
            )
            for branch in clause.branches
        )
        return replace(clause, branches=branches)

    def has_chosen(self, *sides: Expr) -> bool:
        """Return whether chosen arrays stand in expressions."""
        return not self.chosen.isdisjoint(set().union(*map(names, sides)))

    def scalar(self, expr: Expr) -> Expr:
        """Return a scalar expression, itself where it has no chosen array."""
        return self.elements(expr).item() if self.has_chosen(expr) else expr

    def elements(self, expr: Expr) -> np.ndarray:
        """Return the elements of an expression, an array of `Expr` of its shape; what operations share is written once."""
        done: dict[int, np.ndarray] = {}
        for node in postorder(expr):
            if type(node) is Apply:
                done[id(node)] = self.operation(node, [done[id(a)] for a in node.args])
            else:
                done[id(node)] = self.leaf(node)
        return done[id(expr)]

    def leaf(self, node: Expr) -> np.ndarray:
        """Return the elements of a name, ``x[0]``, ...: variables or parameters of their own wherever there are such."""
        shape = self.flat.shapes.get(node.name, ()) if type(node) is Name else ()
        found = np.empty(shape, dtype=object)
        if not shape:
            found[()] = node
            return found
        assert type(node) is Name
        for position in np.ndindex(shape):
            element = element_name(node.name, position)
            own = node.name in self.chosen or element in self.flat.parameters
            found[position] = Name(element) if own else _part(node, position)
            if own and node.name not in self.chosen:
                self.mentioned.add(element)
        return found

    def operation(self, node: Apply, args: list[np.ndarray]) -> np.ndarray:
        """Return the elements of an operation on operands whose elements are given."""
        if type(node.op) is Operator and node.op.of_arrays:
            whole = Apply(node.op, tuple(map(_whole, args)))
            shape = shape_of(node, self.flat.shapes)
            return _array([_part(whole, position) for position in np.ndindex(shape)] if shape else [whole], shape)
        if is_array_operator(node.op):
            return self.array_operation(node.op, args)
        operands = np.broadcast_arrays(*args) if args else []
        shape = operands[0].shape if operands else ()
        return _array([apply(node.op, *(a.item(*p) for a in operands)) for p in np.ndindex(shape)], shape)

    def array_operation(self, op: str, args: list[np.ndarray]) -> np.ndarray:
        """Return the elements of an operator on whole arrays, in the way in which its machine code would be made (`How`)."""
        entry = entry_of(op)
        if entry is SUBSCRIPT:
            return _array(args[0][index_of(op)])
        how, text, start = entry.code
        if how is How.PRODUCT:
            return _product(*args)
        if how is How.FOLD:
            first: Expr = Const(start)
            return _array([functools.reduce(functools.partial(apply, text), args[0].ravel(), first)], ())
        if how is How.ELEMENTS:
            operands = dict(zip(entry.names, args, strict=True))
            rule = _Writer(replace(self.flat, shapes={n: a.shape for n, a in operands.items()}), {*operands}, set())
            given = {element_name(n, p): a.item(*p) for n, a in operands.items() for p in np.ndindex(a.shape)}
            found = rule.elements(parse(text))
            return _array([substitute(e, given) for e in found.ravel()], found.shape)
        if how is How.GATHER:
            return _array(entry.value_of_arrays(args[0]))
        if how is How.ROWS:
            return _array(np.stack(np.broadcast_arrays(*args)))
        assert how is How.PARTS
        return _array(np.concatenate([a.ravel() for a in args]))


def _array(elements: Any, shape: Shape | None = None) -> np.ndarray:
    """Return an array of expressions of a shape, by default that of the elements."""
    shape = np.shape(elements) if shape is None else shape
    found = np.empty(shape, dtype=object)
    found.ravel()[:] = list(elements.ravel()) if isinstance(elements, np.ndarray) else elements
    return found


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the elements of a product of matrices or vectors."""
    rows, columns = a.reshape(-1, a.shape[-1]), b.reshape(b.shape[0], -1)
    terms = [[functools.reduce(add, map(mul, row, column)) for column in columns.T] for row in rows]
    return _array(np.array(terms, dtype=object), a.shape[:-1] + b.shape[1:])


def _part(whole: Expr, position: Sequence[int]) -> Expr:
    """Return an element of an expression that stays an array."""
    return Apply(f"[{','.join(map(str, position))}]", (whole,))


def _whole(elements: Any) -> Expr:
    """Return an expression of the array that has the given elements."""
    if not isinstance(elements, np.ndarray):
        return elements
    return Apply("array", tuple(map(_whole, elements))) if elements.shape else elements.item()
