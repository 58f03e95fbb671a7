"""Parameters and constants: which are numbers for good, and which stay changeable with the expressions between them.

Constants, parameters with ``Evaluate=true``, final ones and those that are no Reals are numbers in the equations, unless they
depend on others that are not. All others are parameters of the flat model; those whose bindings refer to others follow these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...model.expression import Apply, Const, Equation, Expr, evaluate, names
from ...model.tree import walk
from ...symbolic.flat.flat_model import Variable
from .terms.context import Context
from .terms.refusals import Refusal
from .terms.values import Record, Value, filled, is_constant, names_of, scalars

_BEGUN = object()
_OF_TIME = {"initial", "terminal", "sample"}


def is_parameter(variable: Mapping[str, Any]) -> bool:
    """Return whether a variable is a parameter or a constant."""
    return not isinstance(variable["variability"], str) and not {"Parameter", "Constant"}.isdisjoint(variable["variability"])


class Parameters:
    """The parameters of a model, evaluated when they are asked for.

    Attributes:
        numbers: values of those that stay changeable, by the names of their elements.
        bindings: expressions of others that they follow, in an order in which these can be evaluated.
        premises: expressions of parameters that the equations are built on, with their values.
        settled: values of the parameters that are numbers in the equations.
        computed: elements of those that are variables, because what they follow from is computed at the beginning.
    """

    def __init__(self, reading: Context) -> None:
        self.reading = reading
        self.numbers: dict[str, float] = {}
        self.bindings: dict[str, Expr] = {}
        self.premises: dict[str, tuple[Expr, float]] = {}
        self.settled: dict[str, float] = {}
        self.computed: set[str] = set()
        self._values: dict[str, Any] = {}

    def value(self, name: str, variable: Mapping[str, Any]) -> Value:
        """Return the parameter as equations see it."""
        found = self._values.get(name)
        if found is _BEGUN:
            raise Refusal(f"the parameter '{name}' depends on itself")
        if found is None:
            self._values[name] = _BEGUN
            try:
                found = self._values[name] = self._evaluated(name, variable)
            except Refusal as refusal:
                del self._values[name]
                refusal.path = refusal.path or name
                raise
        return found

    def number(self, expr: Expr) -> float:
        """Return the present value of an expression of parameters.

        Raises:
            Refusal: it depends on variables, or has no value.
        """
        if type(expr) is Const:
            return expr.value
        try:
            return float(evaluate(expr, self.numbers))
        except KeyError as error:
            raise Refusal("a value is not known at translation", found=f"'{expr}'", expected="parameters only") from error
        except (ArithmeticError, ValueError) as error:
            raise Refusal(f"'{expr}' has no value", found=str(error)) from error

    def is_parametric(self, value: Value) -> bool:
        """Return whether a value depends on numbers and parameters only."""
        return all(type(e) is Const or (isinstance(e, Expr) and self._is_number(e)) for e in scalars(value))

    def _is_number(self, expr: Expr) -> bool:
        if not names(expr) <= self.numbers.keys():
            return False
        return not any(type(node) is Apply and node.op in _OF_TIME for node in walk(expr))

    def _evaluated(self, name: str, variable: Mapping[str, Any]) -> Value:
        value = self._binding(name, variable)
        if isinstance(value, Record) or any(not isinstance(e, Expr) for e in scalars(value)):
            return value
        kind = self.reading.types.kind(name, variable)
        settled = "Constant" in variable["variability"] or variable["evaluate"] or kind != "Real" or self.reading.is_final(name)
        if settled and is_constant(value):
            return self._settled(name, value)
        dims = tuple(variable["dims"])
        elements = names_of(name, dims)
        if not self.is_parametric(value):
            return self._computed(name, elements, value, kind)
        pairs = zip(scalars(elements), scalars(value), strict=True)
        for element, e in pairs:
            self.numbers[element.name] = self.number(e)
            if type(e) is not Const:
                self.bindings[element.name] = e
        return elements

    def _computed(self, name: str, elements: Value, value: Value, kind: str) -> Value:
        """Return a parameter that follows from others which initialization computes: a variable."""
        flat, path = self.reading.flat, name.rpartition(".")[0]
        if kind not in ("Real", "Integer", "Boolean"):
            raise Refusal(f"the parameter '{name}' depends on what is computed at the beginning", found=f"the type {kind}")
        for element, e in zip(scalars(elements), scalars(value), strict=True):
            self.computed.add(element.name)
            flat.variables[element.name] = Variable(element.name, origin=path, type=kind)
            flat.equations.append(Equation(element, e, path, f"{element.name} = its binding"))
        return elements

    def _settled(self, name: str, value: Value) -> Value:
        """Return a value of numbers, which stays."""
        for element, number in zip(scalars(names_of(name, np.shape(value))), scalars(value), strict=True):
            self.settled[element.name] = number.value
        return value

    def premise(self, expr: Expr) -> float:
        """Return the present value of an expression that the equations are built on: it must stay."""
        value = self.number(expr)
        if type(expr) is not Const:
            self.premises[str(expr)] = expr, value
        return value

    def _binding(self, name: str, variable: Mapping[str, Any]) -> Value:
        """Return the value of a parameter in terms of others: its binding, else its start value."""
        tree = variable["binding"] if variable["binding"] is not None else variable["start"]
        kind = self.reading.types.kind(name, variable)
        dims = tuple(variable["dims"])
        if tree is None:
            if 0 in dims:
                return filled(Const(0), dims)
            if kind == "String":
                return ""
            if kind == "enumeration":
                return Const(1)
            if kind not in ("Real", "Integer", "Boolean"):
                raise Refusal(f"the parameter '{name}' has no value", path=name)
            value: Value = Const(0)
        else:
            value = self.reading.interpreter.value(tree)
        if dims and not isinstance(value, np.ndarray):
            value = filled(value, dims)
        if isinstance(value, np.ndarray) and value.shape != dims:
            if dims == () and value.size == 1:
                return value.flat[0]
            if value.size == 0 and 0 in dims:
                return value.reshape(dims)
            raise Refusal("the value of the parameter has another shape", path=name, found=str(value.shape), expected=str(dims))
        return value


def free(variable: Mapping[str, Any]) -> bool:
    """Return whether a parameter is computed at initialization: ``fixed=false``."""
    fixed = variable["fixed"]
    return is_parameter(variable) and isinstance(fixed, list) and fixed != [] and not any(fixed)
