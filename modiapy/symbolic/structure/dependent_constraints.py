"""Constraints that depend on each other: closure equations of a planar loop that is written in space.

Three equations close a planar loop in a tilted plane, of which one is a combination of the others, and nothing determines
the force perpendicular to the plane. The coefficients are rarely integers, so the exact elimination of `singularities`
does not see it. Here equations without derivatives are evaluated at random points: functions are dependent if their values
are, at more points than there are functions (rank by a QR factorisation with pivoting). One equation of each dependency is
removed, and an unknown that the remaining equations leave open, in the same direction at all points, is set to zero.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from ...acausal.protocol import CallEquation
from ...model.calculus import partial
from ...model.errors import ModelError
from ...model.expression import ZERO, Const, Equation, Expr, Name, evaluate, mul, names, sub, substitute, sum_of
from ..flat.flat_model import FlatModel
from ..terms.names import base_of, order_of
from .alias import Elimination, compose, eliminate_aliases, vanishes
from .singularities import Singularities

_LARGEST = 300
"""So many equations without derivatives are examined at most."""
_ZERO = 1e-11
"""Relative size of what is nothing but rounding errors."""
_POINTS = 5
"""At so many points an unknown must be left open."""


def remove_dependent(
    flat: FlatModel, before: Singularities, elsewhere: Collection[str], anchors: Collection[str]
) -> Singularities | None:
    """Remove equations that depend on others, and choose the unknowns that are open without them.

    Args:
        flat: the model.
        before: what is left of it.
        elsewhere: names that occur outside of the equations; they are not chosen.
        anchors: see `eliminate_aliases`.

    Returns:
        None if there are no such equations, or not as many open unknowns.
    """
    if flat.shapes:
        return None
    elimination = before.elimination
    sample = _Sample(flat, elimination)
    removed, assumptions = sample.dependent()
    arbitrary = sample.open_unknowns(set(removed), elsewhere) if removed else []
    if not removed or len(arbitrary) != len(removed):
        return None
    kept = [equation for i, equation in enumerate(elimination.equations) if i not in removed]
    kept += [Equation(Name(name), ZERO, "", f"{name} = 0 [arbitrary]") for name in arbitrary]
    again = eliminate_aliases(replace(flat, variables=elimination.variables), kept, anchors, elimination.differentiated)
    gone = [e for i in removed if isinstance(e := elimination.equations[i], Equation)]
    after = replace(
        again,
        aliases=compose(elimination.aliases, again.aliases, flat.variables),
        redundant=[*elimination.redundant, *gone, *again.redundant],
        coincidental=[*elimination.coincidental, *gone, *again.coincidental],
        assumptions=[*elimination.assumptions, *assumptions, *again.assumptions],
    )
    return Singularities(after, before.constraints, [*before.arbitrary, *arbitrary])


def describe_open(chosen: Sequence[str], removed: Sequence[Equation], flat: FlatModel) -> str:
    """Return a warning that names the unknowns that were set to zero, and the equations that were removed."""
    gone = ", ".join(f"'{equation}'" for equation in removed)
    return (
        f"{flat.name}: {', '.join(chosen)} set to 0, because nothing determines it: "
        f"the constraint {gone} follows from others and was removed"
    )


class _Sample:
    """The equations at random points."""

    def __init__(self, flat: FlatModel, elimination: Elimination) -> None:
        self.flat, self.elimination = flat, elimination
        self.random = np.random.default_rng(1)
        self.used = {i: names(e.lhs) | names(e.rhs) for i, e in enumerate(elimination.equations) if isinstance(e, Equation)}
        self.every = sorted(set().union(*self.used.values(), {"time"}) - flat.parameters.keys())

    def point(self) -> dict[str, float]:
        """Return the values of all names; positive, so that logarithms and roots exist."""
        return {**self.flat.parameters, **dict(zip(self.every, self.random.uniform(0.2, 1.5, len(self.every)), strict=True))}

    def residual(self, i: int) -> Expr:
        equation = self.elimination.equations[i]
        assert isinstance(equation, Equation)
        return sub(equation.lhs, equation.rhs)

    def dependent(self) -> tuple[list[int], list[tuple[Expr, Equation]]]:
        """Return the numbers of equations that are combinations of others; what must be zero with other parameters, too."""
        from scipy.linalg import qr

        static = [i for i, used in self.used.items() if not any(order_of(name) for name in used)]
        residuals = {i: self.residual(i) for i in static}
        if not 2 <= len(residuals) <= _LARGEST:
            return [], []
        points = [self.point() for _ in range(len(residuals) + 10)]
        values = {i: _values(residual, points) for i, residual in residuals.items()}
        columns = {i: v / np.linalg.norm(v) for i, v in values.items() if v is not None and np.linalg.norm(v) > 0.0}
        if len(columns) < 2:
            return [], []
        number, matrix = list(columns), np.column_stack(list(columns.values()))
        diagonal, order = _diagonal(qr(matrix, mode="economic", pivoting=True))
        rank = int((diagonal > _ZERO * diagonal[0]).sum())
        removed, assumptions = [], []
        for k in order[rank:]:
            base = order[:rank]
            factors = np.linalg.lstsq(matrix[:, base], matrix[:, k], rcond=None)[0]
            terms = [(number[k], 1.0), *((number[j], -float(f)) for j, f in zip(base, factors, strict=True) if abs(f) > 1e-9)]
            total = self._at(points[0], residuals, [(i, f / float(np.linalg.norm(values[i]))) for i, f in terms])  # type: ignore[arg-type]
            equation = self.elimination.equations[number[k]]
            assert isinstance(equation, Equation)
            if names(total):
                if not vanishes(total, self.flat.parameters):
                    continue
                assumptions.append((total, equation))
            removed.append(number[k])
        return sorted(removed), assumptions

    def _at(self, point: dict[str, float], residuals: dict[int, Expr], terms: list[tuple[int, float]]) -> Expr:
        """Return a combination of residuals at a point: an expression of parameters."""
        fixed: dict[str, Expr] = {name: Const(point[name]) for name in self.every}
        return sum_of(mul(Const(factor), substitute(residuals[i], fixed)) for i, factor in terms)

    def open_unknowns(self, removed: set[int], elsewhere: Collection[str]) -> list[str]:
        """Return the unknowns of which a combination may change without a change of any equation."""
        from scipy.linalg import qr

        fixed = {base_of(name) for name in elsewhere}
        fixed |= {base_of(name) for name in self.every if order_of(name)}
        for equation in self.elimination.equations:
            if isinstance(equation, CallEquation):
                for expr in (*equation.inputs, *equation.outputs):
                    fixed |= {base_of(name) for name in names(expr)}
        candidates = [name for name in self.every if self._may_be_chosen(name) and name not in fixed]
        points = [self.point() for _ in range(_POINTS)]
        rows: list[np.ndarray] = []
        for i, used in self.used.items():
            if i in removed or used.isdisjoint(candidates):
                continue
            block = np.zeros((_POINTS, len(candidates)))
            for j, name in enumerate(candidates):
                if name in used:
                    slope = _slopes(self.residual(i), name, points)
                    if slope is None:
                        return []
                    block[:, j] = slope
            rows.append(block)
        if not rows:
            return []
        matrix = np.vstack(rows)
        matrix = matrix / np.maximum(np.linalg.norm(matrix, axis=0), 1e-300)
        diagonal, order = _diagonal(qr(matrix, mode="economic", pivoting=True))
        rank = int((diagonal > _ZERO * diagonal[0]).sum())
        return sorted(candidates[j] for j in order[rank:])

    def _may_be_chosen(self, name: str) -> bool:
        variable = self.elimination.variables.get(name)
        return variable is not None and variable.type == "Real" and not variable.input and variable.init is None


def _diagonal(factors: tuple[np.ndarray, np.ndarray, np.ndarray]) -> tuple[np.ndarray, list[int]]:
    """Return the magnitudes of the diagonal of R, and the order of the columns."""
    return np.abs(np.diag(factors[1])), [int(j) for j in factors[2]]


def _values(expr: Expr, points: Sequence[dict[str, float]]) -> np.ndarray | None:
    try:
        values = np.array([float(evaluate(expr, point)) for point in points])
    except (KeyError, ValueError, ArithmeticError, TypeError, ModelError):
        return None
    return values if np.isfinite(values).all() else None


def _slopes(expr: Expr, name: str, points: Sequence[dict[str, float]]) -> np.ndarray | None:
    try:
        return _values(partial(expr, name), points)
    except ModelError:
        return None
