"""Functions of a user that equations call.

In a `Model` an entry ``f=Function(python_function)`` makes ``f`` a function for the equations of that model and of its
submodels: ``"y = f(u, 3)"``, with several results ``"(a, b) = g(u)"``. The Python function is compiled by numba when the model
is instantiated. It must depend on its arguments only, and it may use what numba supports: arithmetic, loops, `math`, `numpy`.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from .errors import ModelError, nearest
from .expression import ONE, ZERO, Apply, Expr, Name, Operator, names, substitute
from .model import constructor
from .parser import parse


@dataclass(frozen=True)
class UserFunction:
    """A Python function of numbers, or of numbers and arrays, for the equations of a model.

    Attributes:
        function: takes numbers, returns a number or, with ``outputs > 1``, a tuple of numbers.
        inputs: number of arguments; by default those that ``function`` has.
        outputs: number of results.
        derivative: total derivative (as Modelica's ``derivative`` annotation): a Python function of all arguments, followed by
            their derivatives, that returns the derivatives of the results. It is used where equations are differentiated. A
            `Function` may be given, if that is to have a derivative itself.
        inverse: for each argument (by its name) that can be computed from the result, a Python function that takes the
            arguments with the result in the place of that one, and returns the argument.
        shapes: makes it a function of arrays: for each result an expression of the arguments that has its shape (``"v"``,
            ``"A@v"``, ``"sum(v)"`` or ``""`` for a number), or the shape itself. Arrays come as numpy arrays that cannot be
            written to, and are returned as such. After construction: expressions and tuples.

    Raises:
        ModelError: the number of arguments does not fit, an unknown argument in ``inverse`` or ``shapes``.
    """

    function: Callable[..., Any]
    inputs: int = 0
    outputs: int = 1
    derivative: Union[UserFunction, Callable[..., Any], None] = None  # noqa: UP007
    inverse: Mapping[str, Any] = field(default_factory=dict, hash=False)
    shapes: Any = ()
    symbol: str = field(default="", init=False)
    hidden: int = field(default=0, init=False)
    linear_from: int = field(default=-1, init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "function", getattr(self.function, "py_func", self.function))
        arguments = self.arguments
        object.__setattr__(self, "shapes", self._result_shapes())
        if self.shapes:
            object.__setattr__(self, "outputs", len(self.shapes))
        if not self.inputs:
            object.__setattr__(self, "inputs", len(arguments))
        if len(arguments) != self.inputs:
            raise ModelError(f"'{self.name}' has {len(arguments)} arguments", expected=f"inputs={self.inputs}")
        if not isinstance(self.outputs, int) or self.outputs < 1:
            raise ModelError(f"'{self.name}' needs a result", found=f"outputs={self.outputs!r}", expected="1 or more")
        if self.derivative is not None:
            derivative = self.derivative
            if not isinstance(derivative, UserFunction):
                derivative = UserFunction(derivative, outputs=self.outputs)
            if self.shapes:
                own = dict(zip(arguments, map(Name, derivative.arguments), strict=False))
                shapes = tuple(s if isinstance(s, tuple) else substitute(s, own) for s in self.shapes)
                derivative = dataclasses.replace(derivative, shapes=shapes)
                object.__setattr__(derivative, "linear_from", self.inputs)  # all arguments from there on
            if derivative.inputs != 2 * self.inputs or derivative.outputs != self.outputs:
                raise ModelError(
                    f"the derivative of '{self.name}' does not fit",
                    found=f"{derivative.inputs} arguments, {derivative.outputs} results",
                    expected=f"{2 * self.inputs} arguments (those of '{self.name}', then their derivatives), "
                    f"{self.outputs} results",
                )
            object.__setattr__(self, "derivative", derivative)
        if not isinstance(self.inverse, Mapping):
            expected = "functions by the name of their argument, for example inverse={'u': lambda y: ...}"
            raise ModelError(f"the inverse of '{self.name}'", found=repr(self.inverse), expected=expected)
        inverse = {}
        for name, given in self.inverse.items():
            if self.shapes:
                raise ModelError(f"'{self.name}' cannot have an inverse", found="a function of arrays", expected="of numbers")
            if name not in arguments or self.outputs != 1:
                raise ModelError(
                    f"'{self.name}' cannot have an inverse for '{name}'",
                    found=f"{self.outputs} results" if name in arguments else "no such argument",
                    expected=f"one of {', '.join(arguments)}, and one result",
                    remedy=nearest(name, arguments),
                )
            inverse[name] = given if isinstance(given, UserFunction) else UserFunction(given, self.inputs)
        object.__setattr__(self, "inverse", inverse)

    @property
    def name(self) -> str:
        """Name of the Python function."""
        return getattr(self.function, "__name__", repr(self.function))

    @property
    def differentiable(self) -> bool:
        """Whether a derivative is given."""
        return self.derivative is not None

    def _result_shapes(self) -> tuple[Any, ...]:
        """``shapes`` as expressions of the arguments and tuples of numbers."""
        given = self.shapes if isinstance(self.shapes, list | tuple) else [self.shapes]
        result: list[Any] = []
        for shape in given:
            if isinstance(shape, str | Expr):
                shape = (parse(shape) if shape else ONE) if isinstance(shape, str) else shape
                for name in sorted(names(shape) - set(self.arguments)):
                    raise ModelError(
                        f"'{shape}' in the shapes of '{self.name}' refers to '{name}'",
                        expected=f"an expression of {', '.join(self.arguments)}",
                        remedy=nearest(name, self.arguments),
                    )
            else:
                shape = tuple(shape) if isinstance(shape, list | tuple) else (shape,)
                if len(shape) > 2 or any(type(n) is not int or n < 1 for n in shape):
                    raise ModelError(f"a shape of '{self.name}'", found=repr(shape), expected="one or two positive integers")
            result.append(shape)
        return tuple(result)

    @property
    def arguments(self) -> list[str]:
        """Names of the arguments."""
        if not inspect.isfunction(self.function):
            raise ModelError(
                "a Function is made from a Python function",
                found=repr(self.function),
                expected="def f(u): ... or lambda u: ...",
            )
        parameters = inspect.signature(self.function).parameters.values()
        if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters):
            raise ModelError(f"'{self.name}' cannot be used in equations", found="*args, **kwargs or keyword-only arguments")
        return [p.name for p in parameters]

    def call(self, name: str, args: Sequence[Expr]) -> list[Expr]:
        """All results of a call; ``name`` is the path of the function in the model."""
        return [Apply(Operator(name, self, k), tuple(args)) for k in range(self.outputs)]

    def evaluate(self, args: Sequence[Any]) -> Sequence[Any]:
        """All results (floats and arrays), computed by Python. Raises ValueError, whatever the function raises."""
        try:
            results = self.function(*args)
        except Exception as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error
        values = tuple(results) if isinstance(results, tuple | list) else (results,)
        if len(values) != self.outputs:
            raise ValueError(f"{self.name} returned {len(values)} results instead of {self.outputs}")
        try:
            if self.shapes:
                return tuple(np.asarray(v, dtype=float) if np.ndim(v) else float(v) for v in values)
            return tuple(map(float, values))
        except TypeError:  # complex numbers, None
            raise ValueError(f"{self.name} returned {results!r}") from None

    def partial(self, operator: Operator, args: tuple[Expr, ...], k: int) -> Expr:
        """Partial derivative of a result: the given derivative function for the k-th unit vector."""
        if self.derivative is None:
            raise ModelError(
                f"'{Apply(operator, args)}' cannot be differentiated",
                path=str.__str__(operator),
                found="a function without a derivative",
                remedy="Give Function(..., derivative=...): a function of the arguments and of their derivatives.",
            )
        assert isinstance(self.derivative, UserFunction)
        seeds = tuple(ONE if i == k else ZERO for i in range(len(args)))
        return Apply(Operator(f"{operator}.derivative", self.derivative, operator.result), (*args, *seeds))

    def directional(self, operator: Operator, args: tuple[Expr, ...], changes: Sequence[Expr]) -> Expr:
        """Derivative of a result of a function of arrays, where the arguments have the derivatives ``changes``."""
        if self.derivative is None:
            return self.partial(operator, args, 0)  # raises
        assert isinstance(self.derivative, UserFunction)
        return Apply(Operator(f"{operator}.derivative", self.derivative, operator.result), (*args, *changes))

    def inverse_of(self, operator: Operator, args: tuple[Expr, ...], k: int, value: Expr) -> Expr | None:
        """Argument k computed from the result by the given inverse function."""
        name = self.arguments[k]
        if name not in self.inverse:
            return None
        return Apply(Operator(f"{operator}.inverse.{name}", self.inverse[name]), (*args[:k], value, *args[k + 1 :]))


Function = constructor(UserFunction, name="Function")


def is_function(value: Any) -> bool:
    """Whether an evaluated entry of a model can be called in equations."""
    return callable(getattr(value, "call", None)) and callable(getattr(value, "partial", None))
