"""Arrays of a `FlatModel` that was written by hand: what flattening does for a `Model`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...model.errors import ModelError
from ...model.expression import Apply, Equation, Expr, Name, rewrite
from ..flat.checks import check_flat
from ..flat.flat_model import FlatModel, WhenEquation
from .array_flattening import settle_arrays
from .control import expand_control


def with_arrays(flat: FlatModel) -> FlatModel:
    """Return a flat model with the shapes of all its arrays, and its equations checked; itself, if it has no arrays.

    The shape of an array parameter is that of its value, of a variable that in ``shapes``, else that of ``init`` or ``start``,
    else what the equations say.

    Raises:
        ModelError: shapes that do not fit each other; names the equation and what was found. See `check_flat`, too.
    """
    check_flat(flat)
    declared = {name: np.shape(value) for name, value in flat.arrays.items()}
    for name, variable in flat.variables.items():
        value = variable.start if variable.init is None else variable.init
        if value is not None and np.ndim(value):
            declared[name] = np.shape(value)
    shapes = {**declared, **flat.shapes}
    if not shapes:
        return flat
    for name in flat.arrays:
        if shapes[name] != declared[name]:
            raise ModelError(
                "the parameter does not have its shape", path=name, found=str(declared[name]), expected=str(shapes[name])
            )
    arrays = {name: np.array(value, dtype=float) for name, value in flat.arrays.items()}
    flat = expand_control(replace(flat, shapes=shapes, arrays=arrays, variables=dict(flat.variables)))

    def read(expr: Expr) -> Expr:
        return rewrite(expr, lambda node: _element(node, shapes))

    def equation(e: Equation) -> Equation:
        return replace(e, lhs=read(e.lhs), rhs=read(e.rhs), text=str(e))

    def when(clause: WhenEquation) -> WhenEquation:
        branches = tuple(
            replace(
                b,
                conditions=tuple(map(read, b.conditions)),
                equations=tuple(map(equation, b.equations)),
                reinits=tuple((read(state), read(value)) for state, value in b.reinits),
            )
            for b in clause.branches
        )
        return replace(clause, branches=branches)

    flat = replace(
        flat,
        equations=[
            equation(e) if isinstance(e, Equation) else replace(e, inputs=tuple(map(read, e.inputs))) for e in flat.equations
        ],
        initial_equations=list(map(equation, flat.initial_equations)),
        whens=list(map(when, flat.whens)),
        assertions=[replace(a, condition=read(a.condition)) for a in flat.assertions],
        parameters=dict(flat.parameters),
        shapes=dict(shapes),
    )
    settle_arrays(flat, set(flat.parameters))
    return flat


def _element(node: Expr, shapes: dict[str, tuple[int, ...]]) -> Expr | None:
    """Return ``x[0]``, which is read as one name, as an element of the array x."""
    if type(node) is not Name or not node.name.endswith("]"):
        return None
    whole, _, index = node.name.rpartition("[")
    return Apply(f"[{index}", (Name(whole),)) if whole in shapes else None
