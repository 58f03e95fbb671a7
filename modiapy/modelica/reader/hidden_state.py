"""Random numbers of a generator whose state no variable of the model has: the state becomes discrete variables.

Each branch of a ``when`` that draws has variables of its own: how many numbers have been drawn, and the state after the last.
It goes on from the newest state of all branches; of those that are active at one instant, in the order of their source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ...model.expression import Apply, Const, Equation, Expr, Name, add, apply
from ...symbolic.flat.flat_model import FlatModel, Variable
from .terms.refusals import Refusal

Generator = Callable[[Sequence[Expr]], tuple[Expr, list[Expr]]]
"""Random number and next state of a state."""


class Draws:
    """The hidden state of a model.

    Attributes:
        flat: where its variables are declared.
    """

    def __init__(self, flat: FlatModel) -> None:
        self.flat = flat
        self._seed: Expr | None = None
        self._first: Callable[[float], list[float]] = lambda seed: []
        self._size = 0
        self._branches: list[list[Name]] = []
        self._open = False
        self._drawn = 0
        self._present: list[Expr] = []

    def begin(self, seed: Expr, first: Callable[[float], list[float]], size: int) -> None:
        """Begin with the seed, and what makes of it the state, of this size, from which the first number is drawn."""
        if self._seed is not None and self._seed != seed:
            raise Refusal("the random numbers with a hidden state have two seeds", found=f"'{self._seed}' and '{seed}'")
        self._seed, self._first, self._size = seed, first, size

    def open(self) -> None:
        """Open a branch of a ``when``: it draws what is drawn from now on."""
        self._open, self._drawn = True, 0

    def close(self, path: str) -> list[Equation]:
        """Return the additional assignments of a branch that has drawn random numbers."""
        self._open = False
        if not self._drawn:
            return []
        count = add(self._newest(Apply("pre", (n,)) for n in self._names(0))[0], Const(float(self._drawn)))
        self._branches.append(self._declared(len(self._branches) + 1))
        return [Equation(a, b, path) for a, b in zip(self._branches[-1], (count, *self._present), strict=True)]

    def draw(self, generator: Generator) -> Expr:
        """Return the next random number."""
        if not self._open:
            raise Refusal("a random number with a hidden state is drawn outside of a 'when'")
        if self._seed is None:
            raise Refusal("a random number with a hidden state is drawn before the state has a seed")
        if not self._drawn:
            self._present = self._newest(Apply("pre", (name,)) for name in self._names(0))[1:]
        number, self._present = generator(self._present)
        self._drawn += 1
        return number

    def finish(self) -> None:
        """Declare the newest state of all, once all branches are known."""
        if self._branches:
            newest = self._newest(self._branches[0])
            self.flat.equations += [Equation(a, b) for a, b in zip(self._declared(0), newest, strict=True)]

    def _newest(self, given: Iterable[Expr]) -> list[Expr]:
        """Count and state: the given ones, or those of the branch that has drawn since."""
        newest = list(given)
        for branch in self._branches:
            later = Apply(">", (branch[0], newest[0]))
            newest = [apply("if", later, a, b) for a, b in zip(branch, newest, strict=True)]
        return newest

    def _names(self, number: int) -> list[Name]:
        """Count and state after a branch; of number 0 the newest of all."""
        return [Name(f"drawn({number},{i})") for i in range(self._size + 1)]

    def _declared(self, number: int) -> list[Name]:
        names = self._names(number)
        for name in names:
            self.flat.variables[name.name] = Variable(name.name, init=0.0, type="Integer", description="hidden state")
        return names

    def settle(self, number: Callable[[Expr], float]) -> None:
        """Compute the first state from the seed, which is known now."""
        if self._seed is None or not self._branches:
            return
        first = self._first(number(self._seed))
        for k in range(len(self._branches) + 1):
            for name, value in zip(self._names(k)[1:], first, strict=True):
                self.flat.variables[name.name] = replace(self.flat.variables[name.name], init=value)
