"""Blocks of Modelica.Blocks.Routing: signals joined to vectors, taken out of them and passed through."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from ...model.errors import ModelError
from ...model.model import Model, Var


def _places(sizes: int | Sequence[int]) -> list[tuple[int, int]]:
    """Return where each of several signals begins and ends in a vector of all; a number: so many scalars."""
    lengths = [1] * sizes if isinstance(sizes, int) else list(sizes)
    if not lengths or not all(isinstance(n, int) and n >= 1 for n in lengths):
        raise ModelError("signals of a vector", found=repr(sizes), expected="how many, or the length of each, all 1 or more")
    return list(pairwise(accumulate([0, *lengths])))


def _parts(sizes: int | Sequence[int], letter: str, whole: str, *, given: str) -> tuple[dict[str, Var], list[str], int]:
    role: dict[str, Any] = {given: True}
    entries, equations, end = {}, [], 0
    for k, (begin, end) in enumerate(_places(sizes)):
        name, single = f"{letter}{k + 1}", end == begin + 1
        entries[name] = Var(**role) if single else Var(shape=end - begin, **role)
        place = f"{whole}[{begin}]" if single else f"{whole}[{begin}:{end}]"
        equations.append(f"{place} = {name}" if given == "input" else f"{name} = {place}")
    return entries, equations, end


def Multiplex(sizes: int | Sequence[int] = 2) -> Model:
    """The vector y of the inputs u1, u2, ... one after the other.

    Args:
        sizes: how many scalars, or the length of each input (1: a scalar).
    """
    inputs, equations, n = _parts(sizes, "u", "y", given="input")
    return Model(description=f"{len(inputs)} signals as one vector", **inputs, y=Var(output=True, shape=n), equations=equations)


def DeMultiplex(sizes: int | Sequence[int] = 2) -> Model:
    """The outputs y1, y2, ... of which the vector u consists.

    Args:
        sizes: how many scalars, or the length of each output (1: a scalar).
    """
    outputs, equations, n = _parts(sizes, "y", "u", given="output")
    return Model(description=f"A vector as {len(outputs)} signals", u=Var(input=True, shape=n), **outputs, equations=equations)


def Replicator(nout: int = 2) -> Model:
    """A vector y of nout elements that are all u."""
    (_, n) = _places([nout])[0]
    return Model(
        description=f"A signal {n} times",
        u=Var(input=True),
        y=Var(output=True, shape=n),
        equations=[f"y[{k}] = u" for k in range(n)],
    )


def Extractor(nin: int = 2) -> Model:
    """The element of the vector u of nin elements with the number index, counted from 1; 0 where there is no such element."""
    value = "0"
    for k in range(nin, 0, -1):
        value = f"u[{k - 1}] if index == {k} else ({value})"
    return Model(
        description=f"One of {nin} elements",
        u=Var(input=True, shape=nin),
        index=Var(type="Integer", input=True),
        y=Var(output=True),
        equations=[f"y = {value}"],
    )


RealPassThrough = Model(description="The input itself", u=Var(input=True), y=Var(output=True), equations=["y = u"])

IntegerPassThrough = Model(
    description="The input itself",
    u=Var(type="Integer", input=True),
    y=Var(type="Integer", output=True),
    equations=["y = u"],
)

BooleanPassThrough = Model(
    description="The input itself",
    u=Var(type="Boolean", input=True),
    y=Var(type="Boolean", output=True),
    equations=["y = u"],
)
