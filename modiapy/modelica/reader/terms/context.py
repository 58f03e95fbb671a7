"""Protocols by which the parts of the reader know each other: the interpreter, and the model that is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ....model.expression import Expr, Name
from ....symbolic.flat.flat_model import FlatModel
from .asserted import FunctionAssertions
from .refusals import Refusal
from .types import Types
from .values import Value

Tree = Mapping[str, Any]
"""A typed tree of the front end."""
Locals = dict[str, Any]
"""Values of the variables of a function, or of the indices of repetitions, by name; None before they have one."""


class ModelLocals(dict[str, Any]):
    """`Locals` of an algorithm of the model: variables by their full paths."""


class Context(Protocol):
    """The model while it is read, see `Reading`."""

    source: Any
    trees: Tree
    flat: FlatModel
    component: str
    differentiated: set[str]
    clocks: set[str]
    types: Types
    names: Any
    parameters: Any
    functions: Any
    tables: Any
    draws: Any
    asserted: FunctionAssertions
    active: Expr

    @property
    def interpreter(self) -> Evaluation:
        """Return the interpreter, which evaluates typed trees."""

    def variable(self, name: str) -> Value:
        """Return a declared variable as equations see it."""

    def is_declared(self, name: str) -> bool:
        """Return whether the model has a variable or a record of this name."""

    def is_final(self, name: str) -> bool:
        """Return whether nothing may change a parameter from outside."""

    def is_discrete(self, name: str) -> bool:
        """Return whether a variable changes at events only, by its declaration."""

    def number(self, expr: Expr) -> float:
        """Return the present value of an expression of parameters."""

    def is_parametric(self, value: Value) -> bool:
        """Return whether a value depends on numbers and parameters only."""

    def named(self, expr: Expr, kind: str) -> Name:
        """Return a new variable that is equal to an expression."""

    def locate(self, refusal: Refusal, parts: Any) -> None:
        """Add the place in the source to a refusal."""

    def known_int(self, value: Value) -> int:
        """Return a value that must be a whole number at translation."""


class Evaluation(Protocol):
    """The interpreter of typed trees, see `Interpreter`."""

    in_function: int

    @property
    def reading(self) -> Context:
        """The model that is read."""

    def value(self, tree: Tree, local: Locals | None = None) -> Value:
        """Return the value of a tree."""

    def scalar(self, tree: Tree, local: Locals | None = None) -> Expr:
        """Return a tree that must be worth a scalar."""

    def known(self, value: Value) -> Value:
        """Return a value as a number."""

    def part(self, value: Value, subscripts: Sequence[Any], local: Locals | None) -> Value:
        """Return an element or a part of an array."""

    def subscript(self, subscript: Any, length: int, local: Locals | None) -> Value:
        """Return the positions, counted from 1, that a subscript of a dimension of this length means."""

    def relation(self, op: str, a: Expr, b: Expr) -> Expr:
        """Return a relation of two scalars."""
