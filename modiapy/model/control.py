"""Choices and repetition among the ``equations`` of a `Model`: `If` and `For`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .arguments import as_written, condition_as_written
from .errors import ModelError


@dataclass(frozen=True)
class If:
    """Equations that hold while a condition holds.

    All branches must have the same number of equations, unless the conditions depend on parameters only: then one branch is
    chosen when the model is instantiated.

    Attributes:
        condition: text of a Boolean expression.
        equations: a list of what may stand in ``equations``.
        elseif: pairs of a condition and equations.
        otherwise: equations that hold where no condition does.
    """

    condition: str
    equations: Sequence[Any]
    elseif: Sequence[tuple[str, Sequence[Any]]] = ()
    otherwise: Sequence[Any] = ()

    def __post_init__(self) -> None:
        check_pairs("If", "elseif", self.elseif)
        pairs = [(condition_as_written(condition), as_written(equations)) for condition, equations in self.elseif]
        rewritten(self, condition=condition_as_written(self.condition), elseif=tuple(pairs))
        rewritten(self, equations=as_written(self.equations), otherwise=as_written(self.otherwise))
        for condition, equations in self.branches:
            if not isinstance(condition, str):
                raise ModelError("If: the condition is not a text", found=repr(condition), expected='such as "u > 0"')
            _check_list("If", equations)
        _check_list("If", self.otherwise)

    @property
    def branches(self) -> list[tuple[str, Sequence[Any]]]:
        """Conditions and equations of all branches but the last one (``otherwise``)."""
        return [(self.condition, self.equations), *self.elseif]

    def __str__(self) -> str:
        return f"If({self.condition!r})"


@dataclass(frozen=True)
class For:
    """Equations that are repeated for ``index`` = ``first``, ``first + 1``, ... (``count`` times).

    Attributes:
        index: a name; it stands for a number in the equations, also as in ``x[i]``, ``p[2*i, 0]``.
        count: number of repetitions; an integer or the text of an expression of parameters.
        equations: a list of what may stand in ``equations``.
        first: first value of the index, as ``count``.
    """

    index: str
    count: int | str
    equations: Sequence[Any]
    first: int | str = 0

    def __post_init__(self) -> None:
        if not isinstance(self.index, str) or not self.index.isidentifier():
            raise ModelError("For: the index is not a name", found=repr(self.index), expected='such as "i"')
        rewritten(self, count=as_written(self.count), first=as_written(self.first), equations=as_written(self.equations))
        _check_list("For", self.equations)

    def __str__(self) -> str:
        return f"For({self.index!r}, {self.count!r})"


def rewritten(entry: object, **fields: Any) -> None:
    """Set fields of a frozen entry while it is made, which may have been written otherwise (by sympy)."""
    for name, value in fields.items():
        object.__setattr__(entry, name, value)


def check_pairs(what: str, name: str, given: Any) -> None:
    """Refuse further branches of an `If` or a `When` that are no pairs of a condition and equations."""
    branches = given if isinstance(given, list | tuple) else [given]
    wrong = [given] if branches is not given else [b for b in branches if not isinstance(b, list | tuple) or len(b) != 2]
    if wrong:
        raise ModelError(
            f"{what}: a branch of '{name}' is not a condition with its equations",
            found=repr(wrong[0]),
            expected=f'{name}=[("condition", ["variable = expression"]), ...]',
        )


def _check_list(what: str, equations: Any) -> None:
    if isinstance(equations, str) or not isinstance(equations, list | tuple):
        raise ModelError(f"{what}: the equations are not a list", found=repr(equations), expected='["lhs = rhs", ...]')
    for equation in equations:
        connection = what == "For" and isinstance(equation, list | tuple)
        if not isinstance(equation, str) and not connection and not dataclasses.is_dataclass(equation):
            expected = '"lhs = rhs", or another For or If'
            raise ModelError(f"{what}: an equation is not a text", found=repr(equation), expected=expected)
