"""Description of an operator or function of the language: `Entry`, the type of the rows of `language`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, NamedTuple, cast

import numpy as np


class Kind(Enum):
    """Sort of operator that an entry is."""

    ARITHMETIC = auto()
    RELATION = auto()
    LOGIC = auto()
    CHOICE = auto()
    FUNCTION = auto()
    """Elementary functions: of numbers, element by element of arrays."""
    DERIVED = auto()
    """Written in terms of others; replaced when it is read."""
    EQUATION = auto()
    """A function with a meaning of its own in equations."""
    ARRAY = auto()
    """Works on whole arrays."""
    MEMORY = auto()
    """Made by the passes: reads the memory of a simulation by number."""


class Unit(Enum):
    """Unit of the result, and what the units of the operands have to be."""

    UNKNOWN = auto()
    NONE = auto()
    """Any operands; a number that fits everywhere."""
    SAME = auto()
    """That of the first operand."""
    ALIKE = auto()
    """All operands have it."""
    COMPARED = auto()
    """All operands agree; the result is a number that fits everywhere."""
    CHOSEN = auto()
    """All operands but the first have it."""
    NUMBER = auto()
    """Operands and result are pure numbers."""
    RATIO = auto()
    """All operands agree; the result is a pure number."""
    PRODUCT = auto()
    QUOTIENT = auto()
    POWER = auto()
    ROOT = auto()
    WHOLE = auto()
    """That of the operand; of a quotient a pure number: how often the divisor, which has the same unit, goes into the other."""
    RATE = auto()
    """That of the operand by second."""


class How(Enum):
    """Way in which the machine code of an operator is made: of numbers by `Emitter`, of whole arrays by `ArrayWriter`.

    Of numbers: an ``INSTRUCTION`` of LLVM, by its name; ``COMPARE`` by a condition of LLVM; ``LOGIC``; ``SELECT``; ``CALL`` of
    an intrinsic ``llvm...`` or a function of the C library; an ``EXPRESSION`` of other operators, in the names of the operands;
    ``READ`` from the memory of a simulation.

    Of arrays: ``GATHER`` copies elements from where `Entry.of_arrays` takes them; ``ELEMENTS`` are ``[...]`` of the result,
    written with those of operands of fixed shapes, ``x[0]``; ``FOLD``, a reduction of one array: the operator of that name
    between all elements, after `Code.start`; ``PRODUCT`` of rows of the first by columns of the second one; ``ROWS``, operands
    below each other in an array of one dimension more; ``PARTS``, operands one after the other; ``SPREAD``, the operand in a
    shape that the operator names.
    """

    NONE = auto()
    INSTRUCTION = auto()
    COMPARE = auto()
    LOGIC = auto()
    SELECT = auto()
    CALL = auto()
    EXPRESSION = auto()
    READ = auto()
    GATHER = auto()
    ELEMENTS = auto()
    FOLD = auto()
    PRODUCT = auto()
    ROWS = auto()
    PARTS = auto()
    SPREAD = auto()

    @property
    def makes_arrays(self) -> bool:
        """True if it serves operators on whole arrays, those of kind `ARRAY`."""
        return self.value >= How.GATHER.value


class Code(NamedTuple):
    """Recipe for the machine code of an operator.

    Attributes:
        how: see `How`.
        what: name or text.
        start: of a reduction: its value where the array has no elements.
    """

    how: How
    what: str = ""
    start: float = 0.0


NO_CODE = Code(How.NONE)

Shape = tuple[int, ...]


class ShapeError(Exception):
    """Operands do not fit; the text says what is expected, ``{0}`` and ``{1}`` stand for operands."""


@dataclass(frozen=True, eq=False)
class Entry:
    """All that is known of one operator.

    Attributes:
        name: as `Apply.op` and as a user writes it.
        kind: see `Kind`.
        operands: names of the operands in rules, separated by blanks.
        most: number of operands at most, where that is not the number of names.
        value: of numbers.
        of_arrays: value of arrays, as a function of numpy; by default that of numpy with the same name, else ``value`` of each
            element.
        expansion: what stands for it as soon as it is read.
        derivative: expression of the operands ``x``, of their derivatives ``dx``, and of ``result``; "" if there is none.
        linear: in all operands together; the derivative is the same operator applied to derivatives.
        inverse: of a strictly monotonic function: its operand, where ``x`` is the value.
        code: see `Code`.
        unit: see `Unit`.
        shape: of an operator on whole arrays: shape of the result by those of the operands (None: the number 0, which stands
            for zeros of any shape). Raises ShapeError.
        elementwise: works element by element on arrays.
        moves: only moves elements of arrays.
        keeps_integers: whole numbers give a whole number.
        reads: reads memory of the simulation, whose value changes at events only, although no operand changes.
        discrete: its value changes at events only.
        past: compares with the past.
        events: makes events where its operands change continuously.
        level: precedence when written as an operator.
        joint: text between operands.
        stands_in: where alone it has a meaning.
        remedy: for a wrong number of operands.
    """

    name: str
    kind: Kind
    operands: str = "x"
    most: float | None = None
    value: Callable[..., float | bool] | None = None
    of_arrays: Callable[..., Any] | None = None
    expansion: str = ""
    derivative: str = ""
    linear: bool = False
    inverse: str = ""
    code: Code = NO_CODE
    unit: Unit = Unit.UNKNOWN
    shape: Callable[[Sequence[Shape | None]], Shape] | None = None
    elementwise: bool = False
    moves: bool = False
    keeps_integers: bool = False
    reads: bool = False
    discrete: bool = False
    past: bool = False
    events: bool = False
    level: int | None = None
    joint: str = ""
    stands_in: str = ""
    remedy: str = ""
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.operands.split()))

    @property
    def largest(self) -> float:
        """Number of operands at most."""
        return len(self.names) if self.most is None else self.most

    @property
    def expected(self) -> str:
        """The number of operands, in words."""
        least, most = len(self.names), self.largest
        return str(least) if least == most else f"{least} or more" if most == math.inf else f"{least} or {most:g}"

    def accepts(self, count: int) -> bool:
        """Return whether it takes so many operands."""
        return len(self.names) <= count <= self.largest

    @property
    def collects(self) -> bool:
        """True if it makes an array of its operands: the number 0 among them is one element."""
        return self.code.how in (How.ROWS, How.PARTS)

    @property
    def fills(self) -> bool:
        """True if a scalar beside an array is made an array, so that it still is one when the other operand has become 0."""
        several = self.kind is Kind.FUNCTION and len(self.names) > 1
        return several or self.kind is Kind.CHOICE or self.name in ("+", "-")

    def value_of_arrays(self, *operands: Any) -> Any:
        """Return the value where operands are arrays."""
        function: Any = self.of_arrays or getattr(np, self.name, None) or np.vectorize(cast(Any, self.value), otypes=[float])
        return function(*operands)
