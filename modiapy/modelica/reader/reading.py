"""A model while it is read: what its parts need of each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.errors import warn_user
from ...model.expression import ONE, Apply, Const, Equation, Expr, Name, apply
from ...symbolic.flat.flat_model import Assertion, FlatModel, Variable
from .expressions import Interpreter
from .functions import Functions
from .hidden_state import Draws
from .names import Names
from .parameters import Parameters, free, is_parameter
from .tables import Tables
from .terms.asserted import Asserted, FunctionAssertions
from .terms.refusals import Refusal
from .terms.types import Types
from .terms.values import Value, each, names_of

if TYPE_CHECKING:
    from ..frontend.flat_source import FlatSource


class Reading:
    """The model that is read, and the flat model that comes out.

    Attributes:
        source: what the front end gave.
        flat: what has been read so far.
        component: path of the component whose equations are read.
        differentiated: names of all variables of which derivatives occur.
        clocks: names of all variables that are clocks.
        asserted: what functions assert.
        initial: whether what is read holds at the beginning only.
        active: false where what is read is not needed: no condition of its ``when`` is true.
    """

    def __init__(self, source: FlatSource) -> None:
        self.source = source
        self.trees: Mapping[str, Any] = source.trees
        self.flat = FlatModel(name=source.model, variables={}, parameters={}, equations=[])
        self.component = ""
        self.differentiated: set[str] = set()
        self.clocks: set[str] = set()
        self.types = Types(self.trees)
        self.names = Names(self, self.trees)
        self.parameters = Parameters(self)
        self.interpreter = Interpreter(self)
        self.functions = Functions(self)
        self.tables = Tables(self)
        self.draws = Draws(self.flat)
        self.asserted = FunctionAssertions(self._claim)
        self.initial = False
        self.active: Expr = ONE
        self.computed_booleans: dict[Expr, Name] = {}
        self._named: dict[Expr, Name] = {}
        self._claimed: set[Assertion] = set()

    def variable(self, name: str) -> Value:
        """Return a declared variable as equations see it: names, or the numbers of a parameter."""
        variable = self.trees["variables"][name]
        if is_parameter(variable) and not free(variable):
            return self.parameters.value(name, variable)
        names = names_of(name, variable["dims"])
        return (
            each(self.as_boolean, names) if is_parameter(variable) and self.types.kind(name, variable) == "Boolean" else names
        )

    def as_boolean(self, name: Name) -> Expr:
        """Return a Boolean parameter that initialization computes: there it is a Real unknown, 0 or 1."""
        expr = Apply("noEvent", (Apply(">", (name, Const(0.5))),))
        self.computed_booleans[expr] = name
        return expr

    def is_declared(self, name: str) -> bool:
        """Return whether the model has a variable or a record of this name."""
        return name in self.trees["variables"] or name in self.trees["record_instances"]

    def is_final(self, name: str) -> bool:
        """Return whether nothing may change a parameter from outside."""
        return bool(self.trees["variable_final_flags"].get(name, False))

    def is_discrete(self, name: str) -> bool:
        """Return whether a variable changes at events only, by its declaration."""
        variable = self.trees["variables"][name]
        declared = not isinstance(variable["variability"], str) and "Discrete" in variable["variability"]
        return declared or self.types.kind(name, variable) != "Real"

    def number(self, expr: Expr) -> float:
        """See `Parameters.number`."""
        return self.parameters.number(expr)

    def is_parametric(self, value: Value) -> bool:
        """See `Parameters.is_parametric`."""
        return self.parameters.is_parametric(value)

    def named(self, expr: Expr, kind: str) -> Name:
        """Return a new variable of the flat model that is equal to an expression."""
        if expr not in self._named:
            name = Name(f"{self.component}.{kind}({len(self._named) + 1})".lstrip("."))
            self._named[expr] = name
            self.flat.variables[name.name] = Variable(name.name, type=kind, origin=self.component)
            self.flat.equations.append(Equation(name, expr, self.component))
        return self._named[expr]

    def _claim(self, asserted: Asserted) -> None:
        """Add an assertion of a function that is called by an equation, or for the value of a parameter."""
        condition = asserted.condition
        if self.is_parametric(condition):
            if not self.number(condition):
                if asserted.level == "error":
                    raise Refusal(asserted.message, expected=f"'{asserted.text}'")
                warn_user(f"{self.component}: {asserted.message}".lstrip(": "))
            return
        if self.initial:
            condition = apply("or", apply("not", Apply("initial", ())), condition)
        one = Assertion(Apply("noEvent", (condition,)), asserted.message, asserted.level, self.component, asserted.text)
        if one not in self._claimed:
            self._claimed.add(one)
            self.flat.assertions.append(one)

    @contextmanager
    def under_conditions(self, conditions: Sequence[Expr]) -> Iterator[None]:
        """Read a branch of a ``when`` within the block."""
        self.active = reduce(lambda a, b: apply("or", a, b), conditions)
        try:
            yield
        finally:
            self.active = ONE

    def locate(self, refusal: Refusal, parts: Any) -> None:
        """Add the place in the source, and the component, to a refusal."""
        if refusal.file:
            return
        refusal.path = refusal.path or self.component
        span = parts.get("span") if isinstance(parts, Mapping) else None
        place = self.source.places.of(span)
        if place is not None:
            refusal.file, refusal.line = place.file, place.line
            refusal.message += f" (column {place.column})"

    def known_int(self, value: Value) -> int:
        """Return a value that must be a whole number at translation."""
        number = self.interpreter.known(value)
        if type(number) is not Const or isinstance(number, np.ndarray):
            raise Refusal("a whole number is not known at translation", found=str(value)[:80])
        return int(number.value)
