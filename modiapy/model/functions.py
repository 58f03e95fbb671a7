"""Functions of a user that equations call.

In a `Model` an entry ``f=Function(python_function)`` makes ``f`` a function for the equations of that model and of its
submodels: ``"y = f(u, 3)"``, with several results ``"(a, b) = g(u)"``. The Python function is compiled by numba when the model
is instantiated. It must depend on its arguments only, and it may use what numba supports: arithmetic, loops, `math`, `numpy`.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from .calculus import vanishes
from .constructors import constructor
from .errors import ModelError, nearest
from .expression import ONE, ZERO, Apply, Const, Expr, Name, Operator, add, mul, names, sub, substitute, sum_of
from .parser import parse


class Form(enum.Enum):
    """Form of a derivative as a function of the derivatives of the arguments."""

    LINEAR = "linear"
    AFFINE = "affine"
    OTHER = "other"


@dataclass(frozen=True)
class UserFunction:
    """A Python function of numbers, or of numbers and arrays, for the equations of a model.

    Attributes:
        function: takes numbers, returns a number or, with ``outputs > 1``, a tuple of numbers.
        inputs: number of arguments; by default those that ``function`` has.
        outputs: number of results.
        derivative: total derivative (as Modelica's ``derivative`` annotation): a Python function of all arguments, followed by
            their derivatives, that returns the derivatives of the results. It is used where equations are differentiated. A
            `Function` may be given, if that is to have a derivative itself. It is refused if it is not affine in the
            derivatives of the arguments, by trial at some points; what it returns where they are zero counts.
        no_derivative: names of arguments whose derivatives ``derivative`` does not get, because other arguments have them:
            ``position(q, qd, qdd, t)`` (Modelica's ``noDerivative``).
        zero_derivative: names of arguments for which ``derivative`` holds as long as they do not change, and whose derivatives
            it does not get (Modelica's ``zeroDerivative``).
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
    no_derivative: Union[str, Sequence[str]] = ()  # noqa: UP007
    zero_derivative: Union[str, Sequence[str]] = ()  # noqa: UP007
    symbol: str = field(default="", init=False)
    hidden: int = field(default=0, init=False)
    linear_from: int = field(default=-1, init=False, compare=False)
    found: Form | None = field(default=None, init=False, compare=False)

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
            raise ModelError(f"'{self.name}' has no result", found=f"outputs={self.outputs!r}", expected="1 or more")
        for key in ("no_derivative", "zero_derivative"):
            object.__setattr__(self, key, self._some_arguments(key))
        if self.derivative is not None:
            object.__setattr__(self, "derivative", self._derivative(self.derivative))
        object.__setattr__(self, "inverse", self._inverses())

    def _some_arguments(self, key: str) -> tuple[str, ...]:
        """Return the names of arguments that the attribute ``key`` lists."""
        given = getattr(self, key)
        names_given = (given,) if isinstance(given, str) else tuple(given)
        for name in names_given:
            if name not in self.arguments:
                expected = f"arguments, of {', '.join(self.arguments)}"
                remedy = nearest(name, self.arguments)
                raise ModelError(
                    f"'{key}' of '{self.name}' names no argument", found=repr(name), expected=expected, remedy=remedy
                )
        return names_given

    @property
    def _followed(self) -> list[int]:
        """Positions of the arguments whose derivatives the derivative function gets."""
        left_out = {*self.no_derivative, *self.zero_derivative}
        return [k for k, name in enumerate(self.arguments) if name not in left_out]

    def _derivative(self, given: UserFunction | Callable[..., Any]) -> UserFunction:
        """Return the derivative function, checked."""
        derivative = given if isinstance(given, UserFunction) else UserFunction(given, outputs=self.outputs)
        if self.shapes:
            own = dict(zip(self.arguments, map(Name, derivative.arguments), strict=False))
            shapes = tuple(s if isinstance(s, tuple) else substitute(s, own) for s in self.shapes)
            derivative = dataclasses.replace(derivative, shapes=shapes)
            object.__setattr__(derivative, "linear_from", self.inputs)  # all arguments from there on
        wanted = self.inputs + len(self._followed)
        if derivative.inputs != wanted or derivative.outputs != self.outputs:
            of = ", ".join(self.arguments[k] for k in self._followed)
            raise ModelError(
                f"the derivative of '{self.name}' does not fit",
                found=f"{derivative.inputs} arguments, {derivative.outputs} results",
                expected=f"{wanted} arguments (those of '{self.name}', then the derivatives of {of}), {self.outputs} results",
            )
        assumed = [name for k in self._followed if (name := derivative.arguments[k]) in derivative.no_derivative]
        if assumed:
            raise ModelError(
                f"the second derivative of '{self.name}' is not told how {', '.join(assumed)} change",
                found=f"no_derivative={assumed!r} of '{derivative.name}', which gets unit vectors for these derivatives, too",
                expected="a function that gets the derivatives of all arguments",
            )
        return derivative

    def _inverses(self) -> dict[str, UserFunction]:
        """Return the inverse functions by argument, checked."""
        if not isinstance(self.inverse, Mapping):
            expected = "functions by the name of their argument, for example inverse={'u': lambda y: ...}"
            raise ModelError(
                f"the inverse of '{self.name}' is no mapping of functions", found=repr(self.inverse), expected=expected
            )
        inverse = {}
        for name, given in self.inverse.items():
            if self.shapes:
                raise ModelError(f"'{self.name}' cannot have an inverse", found="a function of arrays", expected="of numbers")
            if name not in self.arguments or self.outputs != 1:
                raise ModelError(
                    f"'{self.name}' cannot have an inverse for '{name}'",
                    found=f"{self.outputs} results" if name in self.arguments else "no such argument",
                    expected=f"one of {', '.join(self.arguments)}, and one result",
                    remedy=nearest(name, self.arguments),
                )
            inverse[name] = given if isinstance(given, UserFunction) else UserFunction(given, self.inputs)
        return inverse

    @property
    def name(self) -> str:
        """Name of the Python function."""
        return getattr(self.function, "__name__", repr(self.function))

    @property
    def differentiable(self) -> bool:
        """True if `partial` knows an answer."""
        if self.derivative is None or len(self._followed) < self.inputs:
            return False
        return self.form is Form.LINEAR

    @property
    def form(self) -> Form:
        """Form of the derivative as a function of the derivatives of the arguments; of arrays, see `check_derivative`."""
        if self.found is None:
            object.__setattr__(self, "found", Form.LINEAR if self.shapes else self.form_at([()] * self.inputs))
        assert self.found is not None
        return self.found

    def check_derivative(self, shapes: Sequence[tuple[int, ...]], path: str) -> None:
        """Refuse a derivative that is not affine in the derivatives of arguments of these shapes."""
        if not isinstance(self.derivative, UserFunction):
            return
        form = self.form_at(shapes)
        if form is Form.OTHER:
            raise ModelError(
                f"the derivative of '{self.name}' is not affine in the derivatives of the arguments",
                path=path,
                expected="the time derivative of the results, to which the derivative of each argument contributes a product",
                remedy="Arguments that are derivatives of others belong to no_derivative=(...).",
            )
        if self.found is not Form.AFFINE:
            object.__setattr__(self, "found", form)
        if self.shapes:
            self.derivative.check_derivative([*shapes, *(shapes[k] for k in self._followed)], path)

    def form_at(self, shapes: Sequence[tuple[int, ...]]) -> Form:
        """Return `form` for arguments of these shapes, by trial; affine if the derivative function has no value at any
        point.
        """
        assert isinstance(self.derivative, UserFunction)
        random, form = np.random.default_rng(0), None
        for scale in _SCALES:
            x = [scale * random.uniform(0.1, 1.0, shape) for shape in shapes]
            one, two = ([random.normal(size=shapes[k]) for k in self._followed] for _ in range(2))
            zero, both = ([p * a + q * b for a, b in zip(one, two, strict=True)] for p, q in ((0.0, 0.0), (2.0, -3.0)))
            try:
                with np.errstate(all="ignore"):
                    rates = [self.derivative.evaluate([*map(_plain, (*x, *changes))]) for changes in (zero, one, two, both)]
            except ValueError:
                continue
            a, b, c, d = (np.concatenate([np.ravel(result) for result in results]) for results in rates)
            size = np.max(np.abs([a, b, c, d]))
            if not np.isfinite(size):
                continue
            if np.any(np.abs(2.0 * (b - a) - 3.0 * (c - a) - (d - a)) > 1e-9 * size):
                return Form.OTHER
            form = Form.LINEAR if form is not Form.AFFINE and not a.any() else Form.AFFINE
        return form or Form.AFFINE

    def _result_shapes(self) -> tuple[Any, ...]:
        """Return ``shapes`` as expressions of the arguments and tuples of numbers."""
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
                    raise ModelError(
                        f"a shape of '{self.name}' is wrong", found=repr(shape), expected="one or two positive integers"
                    )
            result.append(shape)
        return tuple(result)

    @property
    def arguments(self) -> list[str]:
        """Names of the arguments."""
        if not inspect.isfunction(self.function):
            raise ModelError(
                "a Function was not made from a Python function",
                found=repr(self.function),
                expected="def f(u): ... or lambda u: ...",
            )
        if inspect.iscoroutinefunction(self.function) or inspect.isgeneratorfunction(self.function):
            found = f"'{self.name}', which {'yields' if inspect.isgeneratorfunction(self.function) else 'is asynchronous'}"
            raise ModelError(
                "the Python function of a Function does not return its results", found=found, expected="def f(u): return ..."
            )
        parameters = inspect.signature(self.function).parameters.values()
        if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters):
            raise ModelError(f"'{self.name}' cannot be used in equations", found="*args, **kwargs or keyword-only arguments")
        return [p.name for p in parameters]

    def call(self, name: str, args: Sequence[Expr]) -> list[Expr]:
        """Return all results of a call; ``name`` is the path of the function in the model."""
        return [Apply(Operator(name, self, k), tuple(args)) for k in range(self.outputs)]

    def evaluate(self, args: Sequence[Any]) -> Sequence[Any]:
        """Return all results (floats and arrays), computed by Python. Raises ValueError, whatever the function raises."""
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
        """Return the partial derivative of a result: the given derivative function for the k-th unit vector."""
        return self._rate(operator, args, [ONE if i == k else ZERO for i in self._followed])

    def along(self, operator: Operator, args: tuple[Expr, ...], derivative_of: Callable[[Expr], Expr]) -> Expr:
        """Return the derivative of a result where ``derivative_of`` gives those of the arguments.

        Raises:
            ModelError: no derivative function is given, or an argument changes of which that does not allow it.
        """
        for k, name in enumerate(self.arguments):
            if name in self.zero_derivative and not vanishes(derivative_of(args[k])):
                raise ModelError(
                    f"'{Apply(operator, args)}' cannot be differentiated",
                    path=str.__str__(operator),
                    found=f"'{args[k]}', which may change, as the argument '{name}' in zero_derivative",
                    expected="a parameter, or a derivative function that takes the change into account",
                )
        changes = [derivative_of(args[k]) for k in self._followed]
        if all(map(vanishes, changes)) and (not self.no_derivative or all(type(a) is Const for a in args)):
            return ZERO
        if self.shapes or self.derivative is None:
            return self._rate(operator, args, changes)
        self.check_derivative([()] * self.inputs, str.__str__(operator))
        start = ZERO if self.form is Form.LINEAR else self._rate(operator, args, [ZERO] * len(changes))
        terms = [(k, change) for k, change in zip(self._followed, changes, strict=True) if change != ZERO]
        return add(start, sum_of(mul(sub(self.partial(operator, args, k), start), change) for k, change in terms))

    def _rate(self, operator: Operator, args: tuple[Expr, ...], changes: Sequence[Expr]) -> Expr:
        """Return the call of the derivative function."""
        if self.derivative is None:
            raise ModelError(
                f"'{Apply(operator, args)}' cannot be differentiated",
                path=str.__str__(operator),
                found="a function without a derivative",
                remedy="Give Function(..., derivative=...): a function of the arguments and of their derivatives.",
            )
        assert isinstance(self.derivative, UserFunction)
        return Apply(Operator(f"{operator}.derivative", self.derivative, operator.result), (*args, *changes))

    def inverse_of(self, operator: Operator, args: tuple[Expr, ...], k: int, value: Expr) -> Expr | None:
        """Return the argument k computed from the result by the given inverse function."""
        name = self.arguments[k]
        if name not in self.inverse:
            return None
        return Apply(Operator(f"{operator}.inverse.{name}", self.inverse[name]), (*args[:k], value, *args[k + 1 :]))


def _plain(value: Any) -> Any:
    """Return a number, or an array that cannot be written to, as functions get them."""
    array = np.asarray(value, dtype=float)
    array.setflags(write=False)
    return array if array.ndim else float(array)


_SCALES = (1.0, -1.0, 1.0, 10.0, -10.0, 0.1, 1e3, 1e-3)
"""Magnitudes of arguments at which a derivative is tried."""

_REMEDIES = {
    "noDerivative": "It is no_derivative=(names of arguments).",
    "zeroDerivative": "It is zero_derivative=(names of arguments).",
    "order": "A second derivative is that of the derivative: derivative=Function(f1, derivative=f2).",
}
Function = constructor(UserFunction, name="Function", remedies=_REMEDIES)


def is_function(value: Any) -> bool:
    """Return whether an evaluated entry of a model can be called in equations."""
    return callable(getattr(value, "call", None)) and callable(getattr(value, "partial", None))
