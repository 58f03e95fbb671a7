"""Storage elements of value zero: ``C*der(v) = i`` with C = 0 says ``i = 0``, and v is no state.

A coefficient is a parameter, whose value may change without new machine code; so it is no reason to drop a term that it is zero
at present. It is one where the equations cannot be solved for the derivatives: there the constants that are zero are taken to
be zero for good (`Storage.zeros`), what they multiply vanishes, and all passes begin anew with the equations that are left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...acausal.protocol import CallEquation
from ...model.calculus import linear_in
from ...model.errors import StructureError
from ...model.expression import ZERO, Apply, Const, Equation, Expr, Name, names, neg, rewrite, sub
from ..flat.flat_model import FlatModel
from ..sorted.parts import SolvedForRates, Storage
from ..terms.affine import coefficients
from ..terms.constants import constant_value, is_constant
from ..terms.matching import match
from ..terms.names import order_of
from .diagnosis import located

DENSE_SIZE = 300
"""Systems with more unknowns than this are examined by their structure only."""

_RANK = 1e-11
"""What is smaller than this, relative to the largest singular value of the scaled matrix, counts as zero."""


def without(equations: Sequence[Equation | CallEquation], zeros: Collection[Expr]) -> list[Equation | CallEquation]:
    """Return the equations with 0 for the constants ``zeros``."""
    if not zeros:
        return list(equations)

    constants = {*zeros, *map(neg, zeros)}  # a coefficient may have got the other sign

    def change(node: Expr) -> Expr | None:
        return ZERO if node in constants else None

    return [
        replace(e, lhs=rewrite(e.lhs, change), rhs=rewrite(e.rhs, change)) if isinstance(e, Equation) else e for e in equations
    ]


def solved_for_rates(
    nodes: Sequence[Equation | CallEquation], unknowns: Sequence[str], rates: Collection[str]
) -> SolvedForRates | None:
    """Return the system of equations, if its equations are solved for rates of variables and parameters may be their
    coefficients.

    Args:
        nodes, unknowns: the equations and what they are solved for.
        rates: names of variables that are derivatives of others, besides those that are named so.
    """
    found = frozenset(name for name in unknowns if order_of(name) or name in rates)
    if not any(isinstance(e, Equation) and _slopes(e, found) for e in nodes if found):
        return None
    return SolvedForRates(tuple(nodes), tuple(unknowns), found)


def _slopes(equation: Equation, unknowns: Collection[str]) -> dict[str, Expr | None]:
    """Return the coefficients of the unknowns that are no numbers; None where the equation is nonlinear in an unknown."""
    present = (names(equation.lhs) | names(equation.rhs)).intersection(unknowns)
    if not present:
        return {}
    difference = sub(equation.lhs, equation.rhs)
    slopes: Mapping[str, Expr | None] | None = coefficients(difference, present)
    if slopes is None:
        each = {name: linear_in(difference, name) for name in sorted(present)}
        slopes = {name: None if ab is None else ab[0] for name, ab in each.items()}
    return {name: slope for name, slope in slopes.items() if type(slope) is not Const}


def zero_constants(
    systems: Iterable[SolvedForRates], equations: Iterable[Equation | CallEquation], flat: FlatModel
) -> dict[Expr, Equation]:
    """Return the constants that are zero and for that reason leave a system of equations without a solution.

    Args:
        systems: to be examined.
        equations: of the model; those of the form ``name = ...`` say which coefficients vanish with others.
        flat: its parameters have the values.
    """
    vanishing = _Vanishing(equations, flat)
    result: dict[Expr, Equation] = {}
    for system in systems:
        found: dict[Expr, Equation] = {}
        for node in system.nodes:
            if isinstance(node, Equation):
                for name, slope in _slopes(node, system.rates).items():
                    found |= dict.fromkeys(vanishing.of_slope(node, name, slope) or (), node)
        if found and _is_singular(system, vanishing):
            result |= found
    return result


class _Vanishing:
    """Expressions that are zero because constants are."""

    def __init__(self, equations: Iterable[Equation | CallEquation], flat: FlatModel) -> None:
        self.flat = flat
        self.known: dict[str, frozenset[Expr] | None] = {}
        self.definitions: dict[str, Expr] = {}
        for e in equations:
            if isinstance(e, Equation):
                for side, other in ((e.lhs, e.rhs), (e.rhs, e.lhs)):
                    if type(side) is Name and side.name in flat.variables:
                        self.definitions.setdefault(side.name, other)

    def because(self, expr: Expr) -> frozenset[Expr] | None:
        """Return the constants for which ``expr`` is zero whatever the variables are; None if it is not."""
        if type(expr) is Const:
            return frozenset() if expr.value == 0.0 else None
        if type(expr) is Name and expr.name not in self.flat.parameters:
            return self._of_name(expr)
        found = self._of_operands(expr) if type(expr) is Apply else None
        if found is None and is_constant(expr, self.flat.parameters) and constant_value(expr, self.flat.parameters) == 0.0:
            return frozenset([expr])
        return found

    def of_slope(self, equation: Equation, unknown: str, slope: Expr | None) -> frozenset[Expr] | None:
        """Return the constants for which ``slope``, the coefficient of ``unknown``, is zero; it is None in a nonlinear
        equation.
        """
        if slope is not None:
            return self.because(slope)
        constants: set[Expr] = set()

        def change(node: Expr) -> Expr | None:
            if type(node) is Apply and node.op in ("*", "/") and (found := self.because(node)) is not None:
                constants.update(found)
                return ZERO
            return None

        left = rewrite(sub(equation.lhs, equation.rhs), change)
        return None if unknown in names(left) else frozenset(constants)

    def _of_operands(self, expr: Apply) -> frozenset[Expr] | None:
        if expr.op == "*":
            first = self.because(expr.args[0])
            return self.because(expr.args[1]) if first is None else first
        if expr.op in ("/", "neg"):
            return self.because(expr.args[0])
        if expr.op not in ("+", "-", "if", "array"):
            return None
        result: frozenset[Expr] = frozenset()
        for part in expr.args[1:] if expr.op == "if" else expr.args:
            found = self.because(part)
            if found is None:
                return None
            result |= found
        return result

    def _of_name(self, expr: Name) -> frozenset[Expr] | None:
        if expr.name in self.flat.arrays:
            return None if np.any(self.flat.arrays[expr.name]) else frozenset([expr])
        if expr.name not in self.known:
            self.known[expr.name] = None  # what is defined by itself is not known to be zero
            definition = self.definitions.get(expr.name)
            self.known[expr.name] = None if definition is None else self.because(definition)
        return self.known[expr.name]


def _is_singular(system: SolvedForRates, vanishing: _Vanishing) -> bool:
    """Return whether the equations cannot be solved, whatever values those coefficients have that are no constants."""
    column = {name: k for k, name in enumerate(system.unknowns)}
    generic = np.random.default_rng(0)
    rows: list[dict[int, float]] = []
    for node in system.nodes:
        if isinstance(node, CallEquation):
            inputs = set().union(*(names(node.inputs[k]) for k in node.function.linear_in))
            for output in node.outputs:
                rows.append(
                    {column[name]: generic.uniform(1.0, 2.0) for name in sorted({*inputs, output.name} & column.keys())}
                )
            continue
        difference = sub(node.lhs, node.rhs)
        present = sorted(names(difference) & column.keys())
        numbers = coefficients(difference, set(present)) or {}
        slopes = _slopes(node, column)
        row = {}
        for name in present:
            slope = slopes.get(name, numbers.get(name, ZERO))
            if slope is not None and _is_number(slope, vanishing.flat):
                row[name] = constant_value(slope, vanishing.flat.parameters)
            elif vanishing.of_slope(node, name, slope) is None:
                row[name] = generic.uniform(1.0, 2.0)
        rows.append({column[name]: value for name, value in row.items() if value})
    n = len(column)
    if -1 in match([list(row) for row in rows], n).row_of:
        return True
    return n <= DENSE_SIZE and _rank(rows, n) < n


def _is_number(slope: Expr, flat: FlatModel) -> bool:
    return is_constant(slope, flat.parameters) and bool(np.isfinite(constant_value(slope, flat.parameters)))


def _rank(rows: Sequence[Mapping[int, float]], n: int) -> int:
    matrix = np.zeros((n, n))
    for r, row in enumerate(rows):
        for k, value in row.items():
            matrix[r, k] = value
    for _ in range(4):
        matrix /= np.sqrt(np.abs(matrix).max(axis=1, keepdims=True))
        matrix /= np.sqrt(np.abs(matrix).max(axis=0, keepdims=True))
    return int(np.linalg.matrix_rank(matrix, tol=_RANK * n))


def describe_zeros(zeros: Mapping[Expr, Equation], flat: FlatModel) -> list[str]:
    """Return the list of parameters that were taken as zero, line by line."""
    return [f"no state, because {constant} = 0: {located(equation, flat)}" for constant, equation in zeros.items()]


def check_zeros(storage: Storage, flat: FlatModel) -> None:
    """Check that with other parameters the same storage elements are states as when the model was translated.

    Args:
        storage: of the model as it was translated.
        flat: with the new values.

    Raises:
        StructureError: a constant that was zero no longer is, or one has become zero.
    """
    remedy = "Merge before: instantiate(model | Map(...))."
    vanishing = _Vanishing((), flat)
    for constant, equation in storage.zeros.items():
        if vanishing.because(constant) is None:
            array = flat.arrays.get(str(constant))
            value = constant_value(constant, flat.parameters) if array is None else array
            raise StructureError(
                f"{constant} was 0 when the model was translated, so that the equation '{located(equation, flat)}' has no"
                " derivative and no state",
                path=equation.path,
                found=f"{constant} = {value!r}",
                expected="0",
                remedy=remedy,
            )
    for constant, equation in zero_constants(storage.systems, storage.equations, flat).items():
        raise StructureError(
            f"with {constant} = 0 the equation '{located(equation, flat)}' determines no derivative: a storage element of value"
            " zero is no state, and the model was translated with a state",
            path=equation.path,
            found=f"{constant} = 0",
            expected="a value other than 0",
            remedy=remedy,
        )
