"""Functions of a model as operators of expressions: users' functions and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .expression import Expr


class EquationFunction(Protocol):
    """A function that is not part of the language, but of a model: a user's function, a table."""

    @property
    def symbol(self) -> str:
        """Name of the external symbol if one piece of machine code serves all such functions; "" if each has its own."""

    @property
    def inputs(self) -> int:
        """Number of inputs that a user writes."""

    @property
    def outputs(self) -> int:
        """Number of results of the machine code."""

    @property
    def differentiable(self) -> bool:
        """Whether `partial` knows an answer."""

    @property
    def shapes(self) -> Sequence[Any]:
        """Shapes of the results of a function of arrays (see `UserFunction`); () where arguments and results are numbers."""

    @property
    def hidden(self) -> int:
        """Number of arguments of an `Apply` that precede those a user writes."""

    def call(self, name: str, args: Sequence[Expr]) -> list[Expr]:
        """All results of a call that a user writes; ``name`` is the path of the function in the model."""

    def evaluate(self, args: Sequence[float]) -> Sequence[float]:
        """All results; raises ValueError, ZeroDivisionError or OverflowError where there are none."""

    def partial(self, operator: Operator, args: tuple[Expr, ...], k: int) -> Expr:
        """Partial derivative of the result ``operator.result`` with respect to input k.

        Raises:
            ModelError: it is not known.
        """

    def inverse_of(self, operator: Operator, args: tuple[Expr, ...], k: int, value: Expr) -> Expr | None:
        """Input k such that the (only) result is ``value``, all other inputs as in ``args``; None if that is not known."""


class Operator(str):
    """Operator of an `Apply` that calls a function of a model; the text is its path in the model.

    Attributes:
        function: what is called.
        result: which of its results is meant.
    """

    __slots__ = ("function", "result")

    function: EquationFunction
    result: int

    def __new__(cls, name: str, function: EquationFunction, result: int = 0) -> Operator:
        self = super().__new__(cls, name)
        self.function, self.result = function, result
        return self

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        same = type(other) is Operator and self.result == other.result and self.function == other.function
        return same and str.__eq__(self, other) is True  # type: ignore[arg-type]

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    @property
    def of_arrays(self) -> bool:
        """Whether its arguments and results may be arrays."""
        return bool(self.function.shapes)

    @property
    def symbol(self) -> str:
        """Name of the external symbol of its machine code."""
        return self.function.symbol or f"function.{str.__str__(self)}"
