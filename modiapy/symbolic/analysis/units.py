"""Units as documentation that is checked on request: do both sides of every equation, and all terms of every sum, agree?

Units are those of `Var(unit=...)` and `Par(unit=...)` in the notation of pint or of Modelica (``"N.m"``, ``"kg.m2"``). Whatever
has no unit gets that of the equation that defines it, if possible, and is not checked otherwise; a literal number fits
everywhere as a term and has no unit as a factor. Angles are numbers. Equal dimensions with another scale (mm and m) do not
agree, as equations compute with the numbers.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator
from typing import Any

from ...acausal.protocol import CallEquation
from ...model.entry import Unit
from ...model.errors import ModelError
from ...model.expression import TIME, Apply, Const, Equation, Expr, Name
from ...model.language import entry_of
from ...model.model import Model, Par
from ..flat.flat_model import FlatModel
from ..flattening.control import expand_control
from ..flattening.evaluate import EvaluatedModel, evaluate
from ..flattening.flatten import flatten
from ..terms.names import join

LITERAL, UNKNOWN = "literal", "unknown"
"""What an expression of numbers only, and one whose unit is not known, has in place of a unit."""


def check_units(model: Model | EvaluatedModel | FlatModel, name: str = "Model") -> list[str]:
    """Check the units of a model, and return all inconsistencies.

    Args:
        model: a `Model`, or a ``FlatModel``, whose variables have units.
        name: of the model, for messages.

    Returns:
        One sentence for each equation with a mistake and each unit that is not known; [] if there is none.

    Raises:
        ModelError: the model cannot be flattened; pint is not installed.
    """
    if isinstance(model, FlatModel):
        evaluated, flat = None, expand_control(model)
    else:
        evaluated = model if isinstance(model, EvaluatedModel) else evaluate(model, name)
        flat = flatten(evaluated)
    checker = _Checker()
    messages = list(checker.declare(flat, evaluated))
    equations = [e for e in flat.equations if isinstance(e, Equation)]
    checker.infer(equations)
    for equation in [*equations, *flat.initial_equations]:
        messages += checker.check(equation)
    for call in flat.equations:
        if isinstance(call, CallEquation):
            for expr in call.inputs:
                messages += checker.check_expression(expr, call.component, str(call))
    return list(dict.fromkeys(messages))


class _Mismatch(Exception):
    """Two expressions whose units do not agree."""


@functools.cache
def registry() -> Any:
    """Return pint's registry of units. Raises ModelError: it is not installed."""
    try:
        import pint
    except ImportError as error:
        raise ModelError("units cannot be checked", found=str(error), remedy="pip install pint") from None
    registry: Any = pint.UnitRegistry(autoconvert_offset_to_baseunit=True)
    registry.define("@alias ohm = Ohm")
    return registry


def in_notation_of_pint(text: str) -> str:
    """Return a unit with products as points and exponents behind the symbols, as Modelica writes it: ``"kg.m2/s2"``,
    ``"s-1"``.
    """
    products = re.sub(r"(?<=[A-Za-z0-9)])\.(?=[A-Za-z(1])", "*", text)
    return re.sub(r"(?<![A-Za-z_0-9])([A-Za-z_]+)([+-]?\d+)(?![A-Za-z_0-9.])", r"\1**(\2)", products)


class _Checker:
    def __init__(self) -> None:
        self.registry = registry()
        self.units: dict[str, Any] = {TIME.name: self.registry.Unit("s")}
        self.number = self.registry.Unit("")

    def declare(self, flat: FlatModel, evaluated: EvaluatedModel | None) -> Iterator[str]:
        """Read all declared units; yields a message for each that pint does not know."""
        declared = {name: variable.unit for name, variable in flat.variables.items() if variable.unit}
        for instance in evaluated.tree.walk() if evaluated is not None else ():
            for key, entry in instance.model.items():
                if isinstance(entry, Par) and "_constructor" not in entry and entry.get("unit"):
                    declared[join(instance.path, key)] = entry["unit"]
        for name, text in declared.items():
            try:
                self.units[name] = self.registry.Unit(in_notation_of_pint(text))
            except Exception as error:
                yield f"{name}: the unit '{text}' is not known ({error})"

    def infer(self, equations: list[Equation]) -> None:
        """Set the unit of variables without one to that of the other side of an equation ``variable = expression``."""
        pending = [e for e in equations if type(e.lhs) is Name or type(e.rhs) is Name]
        while True:
            known = len(self.units)
            left = []
            for equation in pending:
                sides = ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs))
                without = [(s.name, other) for s, other in sides if type(s) is Name and s.name not in self.units]
                for name, other in without:
                    try:
                        unit = self.unit(other)
                    except _Mismatch:
                        continue
                    if unit not in (LITERAL, UNKNOWN):
                        self.units[name] = unit
                        break
                else:
                    left += [equation] if without else []
            pending = left
            if len(self.units) == known:
                return

    def check(self, equation: Equation) -> list[str]:
        """Return the messages about one equation."""
        return self.check_expression(Apply("==", (equation.lhs, equation.rhs)), equation.path, str(equation))

    def check_expression(self, expr: Expr, path: str, text: str) -> list[str]:
        """Return the messages about one expression of the equation ``text``."""
        try:
            self.unit(expr)
        except _Mismatch as error:
            return [f"{f'{path}: ' if path else ''}in '{text}' {error}"]
        return []

    def unit(self, expr: Expr) -> Any:
        """Return the unit of an expression, `LITERAL` or `UNKNOWN`; raises `_Mismatch`."""
        if type(expr) is Const:
            return LITERAL
        if type(expr) is Name:
            return self.units.get(expr.name, UNKNOWN)
        if type(expr) is not Apply:
            return UNKNOWN
        args, rule = expr.args, entry_of(expr.op).unit
        units = [self.unit(a) for a in args]
        match rule:
            case Unit.NONE:
                return LITERAL
            case Unit.SAME:
                return units[0]
            case Unit.ALIKE:
                return self.alike(args, units)
            case Unit.COMPARED:
                self.alike(args, units)
                return LITERAL
            case Unit.CHOSEN:
                return self.alike(args[1:], units[1:])
            case Unit.NUMBER:
                self.alike((*args, Const(0)), [*units, self.number], wanted=f"the argument of {expr.op}")
                return self.number
            case Unit.RATIO:
                self.alike(args, units)
                return self.number
            case Unit.PRODUCT:
                return self.product(units, 1)
            case Unit.QUOTIENT:
                return self.product(units, -1)
            case Unit.WHOLE:
                return self.whole(args[0], units[0])
            case Unit.RATE:
                return self.product([units[0], self.units[TIME.name]], -1)
            case Unit.POWER:
                return self.power(args[0], args[1], units[0])
            case Unit.ROOT:
                return self.power(args[0], Const(0.5), units[0])
        return UNKNOWN

    def power(self, base: Expr, exponent: Expr, unit: Any) -> Any:
        """Return the unit of ``base**exponent``, where the base is in ``unit``."""
        if unit in (LITERAL, UNKNOWN):
            return unit
        if type(exponent) is Const:
            return unit**exponent.value
        if not self.same(unit, self.number):
            raise _Mismatch(f"'{base}' [{unit:~}] has a unit, but its exponent '{exponent}' may change")
        return self.number

    def whole(self, expr: Expr, unit: Any) -> Any:
        """Return the unit of ``floor(expr)``, where ``expr`` is in ``unit``: with a literal as one side a quotient is any whole
        number.
        """
        while type(expr) is Apply and expr.op in ("neg", "abs"):
            expr = expr.args[0]
        if type(expr) is not Apply or expr.op != "/":
            return unit
        units = [self.unit(a) for a in expr.args]
        self.alike(expr.args, units)
        return next((u for u in (UNKNOWN, LITERAL) if u in units), self.number)

    def alike(self, args: tuple[Expr, ...], units: list[Any], wanted: str = "") -> Any:
        """Return the common unit of several expressions."""
        known = [(a, u) for a, u in zip(args, units, strict=True) if u not in (LITERAL, UNKNOWN)]
        for a, u in known[1:]:
            first, unit = known[0]
            if not self.same(unit, u):
                if wanted:
                    raise _Mismatch(f"{wanted}, '{first}', is in [{unit:~}] and should be a number")
                raise _Mismatch(f"'{first}' is in [{unit:~}] and '{a}' is in [{u:~}]")
        return known[0][1] if known else UNKNOWN if UNKNOWN in units else LITERAL

    def product(self, units: list[Any], sign: int) -> Any:
        """Return the unit of a product (sign 1) or quotient (sign -1)."""
        if UNKNOWN in units:
            return UNKNOWN
        a, b = (self.number if u == LITERAL else u for u in units)
        return LITERAL if units == [LITERAL, LITERAL] else a * b**sign

    def same(self, a: Any, b: Any) -> bool:
        """Return whether two units have the same dimension and the same scale."""
        if a == b:
            return True
        one, other = (self.registry.Quantity(1.0, unit).to_base_units() for unit in (a, b))
        return bool(one.dimensionality == other.dimensionality and math.isclose(one.magnitude, other.magnitude, rel_tol=1e-9))
