"""Flattening of arrays: elements on left sides are gathered, shapes found and checked, scalars beside arrays become arrays."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ...model.expression import ZERO, Apply, Equation, Expr, Name, Operator, is_array_operator, names, postorder
from ...model.language import ARRAY_FUNCTIONS, SUBSCRIPT, entry_of
from ..flat.flat_model import FlatModel, Variable, expressions
from ..hybrid.when import join_elements
from ..terms.arrays import Shape, element_name, index_of, partial_shape, shape_of, shape_of_operation
from ..terms.names import base_of
from .array_elements import write_elements
from .vector_equations import split_vector_equations

ARRAY_SYNTAX = re.compile(rf"[\[@]|\b(?:{'|'.join(ARRAY_FUNCTIONS)})\(")
"""What the text of an equation contains if it uses operators on arrays."""


def settle_arrays(flat: FlatModel, mentioned: set[str]) -> None:
    """Find the shapes of all arrays of a flat model and check all equations.

    Args:
        flat: ``shapes`` holds what is declared; it is completed, equations, variables and parameters are changed in place.
        mentioned: elements of array parameters that are used by name; others are no parameters where the array is.

    Raises:
        ModelError: shapes that do not fit each other; names the equation and what was found.
    """
    undetermined = {n for n, v in flat.variables.items() if v.init is None and v.start is None and n not in flat.shapes}
    settle_shapes(flat, undetermined)
    if any(v.elements for v in flat.variables.values()):
        _check_equations(replace(flat, equations=[*flat.equations], initial_equations=[*flat.initial_equations]))
        write_elements(flat, mentioned)
    _gather_elements(flat)
    split_vector_equations(flat, _missing_equations(flat))
    _check_equations(flat)
    for name, value in flat.arrays.items():
        for position in np.ndindex(value.shape):
            if element_name(name, position) not in mentioned:
                flat.parameters.pop(element_name(name, position), None)
    _check_events(flat)
    for name, variable in flat.variables.items():
        flat.variables[name] = _in_shape(variable, flat.shapes.get(name, ()))


def align_elements(old: FlatModel, new: FlatModel) -> None:
    """Set the elements of array parameters of ``new`` to those of ``old``, else NaN: unused elements may come and go."""
    extra, missing = new.parameters.keys() - old.parameters.keys(), old.parameters.keys() - new.parameters.keys()
    if not extra and not missing:
        return
    used = _used_names(old) | _used_names(new)
    for name in extra:
        if name.endswith("]") and name not in used:
            del new.parameters[name]
    new.parameters.update((name, np.nan) for name in missing if name.endswith("]") and name not in used)


def _used_names(flat: FlatModel) -> set[str]:
    """Return the names in all equations, conditions and assertions."""
    found = [e for equation in (*flat.equations, *flat.initial_equations) for e in expressions(equation)]
    for when in flat.whens:
        for branch in when.branches:
            found += [*branch.conditions, *(e for q in branch.equations for e in (q.lhs, q.rhs))]
            found += [value for _, value in branch.reinits]
    found += [assertion.condition for assertion in flat.assertions]
    return set().union(*map(names, found))


def _in_shape(variable: Variable, shape: tuple[int, ...]) -> Variable:
    """Return the variable with ``init`` and ``start`` of its shape; a number stands for all elements."""
    changed: dict[str, Any] = {}
    for attribute in ("init", "start"):
        value = getattr(variable, attribute)
        if value is None or np.shape(value) == shape:
            continue
        if np.ndim(value):
            raise ModelError(
                f"'{attribute}' does not have the shape of the variable",
                path=variable.name,
                found=f"shape {np.shape(value)}",
                expected=f"shape {shape}" if shape else "a scalar",
            )
        changed[attribute] = np.full(shape, value)
    return dataclasses.replace(variable, **changed) if changed else variable


def settle_shapes(flat: FlatModel, undetermined: set[str]) -> None:
    """Find the shapes of variables that do not declare one, check all equations, make scalars beside arrays arrays.

    Args:
        flat: ``shapes`` holds what is declared; it is completed, the equations are changed in place.
        undetermined: variables without a declared shape; scalars if the equations do not say otherwise.

    Raises:
        ModelError: shapes that do not fit each other; names the equation and what was found.
    """
    open_names = set(undetermined)
    fixed = flat.parameters.keys() | flat.arrays.keys()

    def known(name: str) -> Shape | None:
        base = base_of(name)
        return None if base in open_names else flat.shapes.get(base, ())

    equations = [e for e in flat.equations if isinstance(e, Equation)]
    pending = [e for e in equations if any(base_of(n) in open_names for n in names(e.lhs) | names(e.rhs))]

    def find_scalar(side: Expr, other: Expr) -> bool:
        """Return whether ``other`` is found to be a scalar: only constants stand for all elements of an array."""
        if type(other) is not Name or other.name not in open_names or not names(side) - fixed:
            return False
        scalar = partial_shape(side, known, flat.shapes) == ()
        open_names.difference_update([other.name] if scalar else ())
        return scalar

    def find_shape(side: Expr, other: Expr) -> bool:
        shape = partial_shape(side, known, flat.shapes)
        pushed = [_push(e, shape, open_names, known, flat.shapes) for e in (side, other)] if shape else []
        return any(pushed)

    def find(by: Callable[[Expr, Expr], bool]) -> bool:
        found = False
        for equation in pending:
            with _Located(equation):
                for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
                    found |= by(side, other)
        return found

    while open_names and (find(find_scalar) or find(find_shape)):
        pass


def _check_equations(flat: FlatModel) -> None:
    for k, item in enumerate(flat.equations):
        with _Located(item):
            flat.equations[k] = _checked(item, flat)
    for k, equation in enumerate(flat.initial_equations):
        with _Located(equation):
            checked = _checked(equation, flat)
            assert isinstance(checked, Equation)
            flat.initial_equations[k] = checked


def _check_events(flat: FlatModel) -> None:
    """Check the shapes in bodies of when clauses; conditions are scalars."""
    for k, when in enumerate(flat.whens):
        branches = []
        for branch in when.branches:
            for condition in branch.conditions:
                _check_condition(condition, when.path, flat)
            equations = _checked_assignments(join_elements(_checked_assignments(branch.equations, flat), flat.shapes), flat)
            reinits = []
            for state, value in branch.reinits:
                as_equation = Equation(state, value, when.path, f"reinit({state}, {value})")
                with _Located(as_equation):
                    checked = _checked(as_equation, flat)
                assert isinstance(checked, Equation)
                reinits.append((checked.lhs, checked.rhs))
            branches.append(replace(branch, equations=tuple(equations), reinits=tuple(reinits)))
        flat.whens[k] = replace(when, branches=tuple(branches))
    for assertion in flat.assertions:
        _check_condition(assertion.condition, assertion.path, flat)


def _checked_assignments(assignments: Sequence[Equation], flat: FlatModel) -> list[Equation]:
    found = []
    for assignment in assignments:
        with _Located(assignment):
            checked = _checked(assignment, flat)
        assert isinstance(checked, Equation)
        found.append(checked)
    return found


def _check_condition(condition: Expr, path: str, flat: FlatModel) -> None:
    shape = shape_of(_typed(condition, flat.shapes), flat.shapes)
    if shape:
        raise ModelError(f"the condition '{condition}' is an array", path=path, found=f"shape {shape}", expected="a scalar")


def _gather_elements(flat: FlatModel) -> None:
    """Join equations whose left sides are all elements of a vector (or of its derivative) to one equation for the vector.

    That is done only where variables of that shape outnumber the equations, first for vectors that no other equation has as a
    whole: what remains are equations for the variables on their right sides.
    """
    complete = _complete_elements(flat.equations, flat.shapes)
    missing = _missing_equations(flat) if complete else Counter()
    chosen = {}
    for target in sorted(complete, key=lambda target: _as_a_whole(flat, target)):
        shape = flat.shapes[_base(target)]
        if missing[shape] > 0:
            missing[shape] -= 1
            chosen[target] = complete[target]
    _join_elements(flat.equations, chosen)
    _join_elements(flat.initial_equations, _complete_elements(flat.initial_equations, flat.shapes))


def _complete_elements(equations: Sequence[Equation | CallEquation], shapes: Mapping[str, Shape]) -> dict[Expr, list[int]]:
    """Return the vectors, or derivatives of vectors, of which all elements are left sides, and the numbers of these
    equations.
    """
    parts: dict[Expr, list[tuple[int, range]]] = {}
    for k, equation in enumerate(equations):
        part = _element(equation.lhs, shapes) if isinstance(equation, Equation) else None
        if part is not None:
            parts.setdefault(part[0], []).append((k, part[1]))
    complete: dict[Expr, list[int]] = {}
    for target, found in parts.items():
        found.sort(key=lambda item: (item[1].start, item[1].stop))
        if [i for _, indices in found for i in indices] == list(range(shapes[_base(target)][0])):
            complete[target] = [k for k, _ in found]
    return complete


def _join_elements(equations: list[Any], chosen: Mapping[Expr, list[int]]) -> None:
    """Put one equation for a whole vector in place of those for its elements."""
    dropped: set[int] = set()
    for target, numbers in chosen.items():
        joined = [equations[k] for k in numbers]
        together = Apply("concat", tuple(e.rhs for e in joined))
        equations[numbers[0]] = replace(joined[0], lhs=target, rhs=together, text="; ".join(map(str, joined)))
        dropped.update(numbers[1:])
    equations[:] = [e for k, e in enumerate(equations) if k not in dropped]


def _missing_equations(flat: FlatModel) -> Counter[Shape]:
    """Return for each shape the number of variables minus the number of equations."""
    missing = Counter(flat.shapes.get(name, ()) for name, v in flat.variables.items() if not v.input)
    for equation in flat.equations:
        if isinstance(equation, Equation):
            with _Located(equation):
                missing[shape_of(equation.lhs, flat.shapes) or shape_of(equation.rhs, flat.shapes)] -= 1
    return missing


def _base(target: Expr) -> str:
    """Name of the variable x in ``x`` or ``der(x)``."""
    while type(target) is Apply:
        target = target.args[0]
    assert type(target) is Name
    return target.name


def _element(expr: Expr, shapes: Mapping[str, Shape]) -> tuple[Expr, range] | None:
    """Return the vector, or its derivative, and the positions in it, of ``x[i]``, ``der(x)[i]`` or ``der(x[i])`` (or a
    slice).
    """
    if type(expr) is not Apply:
        return None
    if expr.op == "der":
        inner = _element(expr.args[0], shapes)
        return None if inner is None else (Apply("der", (inner[0],)), inner[1])
    whole = expr.args[0]
    plain = whole.args[0] if type(whole) is Apply and whole.op == "der" else whole
    if entry_of(expr.op) is not SUBSCRIPT or type(plain) is not Name or len(shapes.get(plain.name, ())) != 1:
        return None
    n, index = shapes[plain.name][0], index_of(expr.op)
    if len(index) != 1:
        return None
    if isinstance(index[0], slice):
        return whole, range(*index[0].indices(n))
    k = index[0] + n if index[0] < 0 else index[0]
    return whole, range(k, k + 1)


def _as_a_whole(flat: FlatModel, target: Expr) -> bool:
    """Return whether an equation has a vector or its derivative outside of operators on whole arrays."""
    base = _base(target)
    sides = (side for e in flat.equations if isinstance(e, Equation) for side in (e.lhs, e.rhs))
    return any(base in _elementwise_names(side) for side in sides)


def _push(
    expr: Expr, shape: Shape, open_names: set[str], known: Callable[[str], Shape | None], shapes: dict[str, Shape]
) -> bool:
    """Set the shape of undetermined names in ``expr`` so that it gets ``shape``; return whether there was one."""
    if type(expr) is Name:
        base = base_of(expr.name)
        if base not in open_names:
            return False
        open_names.discard(base)
        shapes[base] = shape
        return True
    if type(expr) is Apply and expr.op == "@":
        return _push_factor(expr, shape, open_names, known, shapes)
    if type(expr) is not Apply or is_array_operator(expr.op) or type(expr.op) is Operator:
        return False
    args = expr.args[1:] if expr.op == "if" else expr.args
    if expr.op in ("*", "/", "**"):
        # the other operand may be a scalar
        args = tuple(a for a in args if partial_shape(a, known, shapes) is None)
        if len(args) != 1 or any(partial_shape(a, known, shapes) for a in expr.args):
            return False
    return sum(_push(a, shape, open_names, known, shapes) for a in args) > 0


def _push_factor(
    product: Apply, shape: Shape, open_names: set[str], known: Callable[[str], Shape | None], shapes: dict[str, Shape]
) -> bool:
    """Push a shape as `_push` does, to the undetermined factor of a product whose other factor is a matrix."""
    a, b = (partial_shape(factor, known, shapes) for factor in product.args)
    if a is not None and len(a) == 2 and b is None:
        return _push(product.args[1], (a[1], *shape[1:]), open_names, known, shapes)
    if b is not None and len(b) == 2 and a is None:
        return _push(product.args[0], (*shape[:-1], b[0]), open_names, known, shapes)
    return False


class _Located:
    """Adds path and text of an equation to an error about shapes."""

    def __init__(self, equation: Equation | CallEquation) -> None:
        self.equation = equation

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: object, __: object) -> None:
        if isinstance(error, ModelError) and not error.path:
            e = self.equation
            error.path = e.path if isinstance(e, Equation) else e.component
            text = str(e)
            if text not in error.message:
                error.message += f" in the equation '{text}'"


def _checked(item: Equation | CallEquation, flat: FlatModel) -> Equation | CallEquation:
    if isinstance(item, CallEquation):
        inputs = tuple(_typed(e, flat.shapes) for e in item.inputs)
        for expr in (*inputs, *item.outputs):
            if shape_of(expr, flat.shapes):
                raise ModelError(f"'{expr}' is an array", found=f"shape {shape_of(expr, flat.shapes)}", expected="a scalar")
        return replace(item, inputs=inputs)
    lhs, rhs = _typed(item.lhs, flat.shapes), _typed(item.rhs, flat.shapes)
    a, b = shape_of(lhs, flat.shapes), shape_of(rhs, flat.shapes)
    if a and b and a != b:
        raise ModelError("the two sides of the equation have different shapes", found=f"{a} = {b}", expected="equal shapes")
    if a != b:
        scalar = rhs if a else lhs
        if any(base_of(n) in flat.variables and n not in flat.shapes for n in _elementwise_names(scalar)):
            raise ModelError(
                "one side of the equation is an array, the other a scalar variable",
                found=f"'{lhs}' of shape {a} and '{rhs}' of shape {b}",
                expected="equal shapes, or a constant for all elements",
            )
        lhs, rhs = (lhs, _filled(rhs, lhs, a, flat.shapes)) if a else (_filled(lhs, rhs, b, flat.shapes), rhs)
    return replace(item, lhs=lhs, rhs=rhs)


def _elementwise_names(expr: Expr) -> set[str]:
    """Return the names in an expression, but for those in arguments of operators on whole arrays."""
    if type(expr) is Name:
        return {expr.name}
    if type(expr) is not Apply or is_array_operator(expr.op):
        return set()
    return set().union(*map(_elementwise_names, expr.args))


def _typed(expr: Expr, shapes: dict[str, Shape]) -> Expr:
    """Return ``expr`` with scalars beside arrays made arrays; what is shared is looked at once."""
    done: dict[int, tuple[Expr, Shape]] = {}
    for node in postorder(expr):
        if type(node) is Apply:
            operands = [done[id(a)] for a in node.args]
            result = _typed_operation(node, tuple(e for e, _ in operands), [s for _, s in operands], shapes)
            done[id(node)] = result, shape_of_operation(result, [shape for _, shape in operands], shapes)
        else:
            done[id(node)] = node, shape_of(node, shapes)
    return done[id(expr)][0]


def _typed_operation(expr: Apply, args: tuple[Expr, ...], found: list[Shape], shapes: dict[str, Shape]) -> Apply:
    """Return an operation on ``args``, whose shapes are ``found``; those that are made arrays are entered there."""
    op = expr.op
    if any(found) and not (entry_of(op).elementwise or is_array_operator(op) or type(op) is Operator):
        k = next(k for k, s in enumerate(found) if s)
        raise ModelError(f"'{args[k]}' in '{expr}' is an array", found=f"shape {found[k]}", expected="a scalar")
    if entry_of(op).fills and any(found) and not all(found):
        like = next(k for k, s in enumerate(found) if s)
        first = 1 if op == "if" else 0
        args = tuple(
            _filled(a, args[like], found[like], shapes) if k >= first and not s else a
            for k, (a, s) in enumerate(zip(args, found, strict=True))
        )
    if type(op) is Operator and op.of_arrays:
        function: Any = op.function
        function.check_derivative(found, str.__str__(op))
    if op == "concat" or (type(op) is Operator and op.of_arrays):
        args = tuple(_part(a, s, shapes) if s else a for a, s in zip(args, found, strict=True))
    return Apply(op, args) if args != expr.args else expr


def _part(array: Expr, shape: Shape, shapes: dict[str, Shape]) -> Expr:
    """Return an array that keeps its shape, which is recorded in ``shapes``, also when nothing but 0 is left of it."""
    label = str(array)
    shapes[label] = shape
    return Apply(f"part {label}", (array,))


def _filled(scalar: Expr, like: Expr, shape: Shape, shapes: dict[str, Shape]) -> Expr:
    """Return a scalar as an array of the shape of ``like``, which is recorded in ``shapes``."""
    if scalar == ZERO:
        return scalar
    label = str(like)
    shapes[label] = shape
    return Apply(f"fill {label}", (scalar,))
