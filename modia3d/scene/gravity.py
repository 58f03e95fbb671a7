"""Gravity fields of a scene."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError
from modiapy.model.functions import UserFunction

from .basics import checks
from .basics.checks import Vector3
from .formulas import function_of_text


@dataclass(frozen=True)
class NoGravity:
    """A scene without gravity."""


@dataclass(frozen=True)
class UniformGravity:
    """A field that is the same everywhere.

    Attributes:
        g: gravity acceleration [m/s2].
        n: its direction in world: "x", ..., "-z" or a vector of any length but zero.
    """

    g: float = 9.81
    n: str | Sequence[float] = (0.0, -1.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "g", checks.number("UniformGravity", "g", self.g))
        object.__setattr__(self, "n", checks.unit_vector("UniformGravity", "n", self.n))

    @property
    def acceleration(self) -> Vector3:
        """Gravity acceleration in world [m/s2]."""
        x, y, z = checks.unit_vector("UniformGravity", "n", self.n)
        return self.g * x, self.g * y, self.g * z


@dataclass(frozen=True)
class PointGravity:
    """The field of a point mass that does not move, e.g. of a planet; it acts at the centre of mass of every solid.

    Attributes:
        mu: gravitational constant times the mass [m3/s2].
        position: of the point mass, in world [m].
    """

    mu: float
    position: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", checks.positive("PointGravity", "mu", self.mu))
        object.__setattr__(self, "position", checks.vector3("PointGravity", "position", self.position))


Field = UserFunction | Callable[..., object] | Sequence[str] | str
"""A function of the position, three numbers: a Python function that numba can compile, or text with the names x, y, z."""


@dataclass(frozen=True)
class UserGravity:
    """A field that the user gives; it acts at the centre of mass of every solid.

    Attributes:
        acceleration: gravity acceleration in world as a function of the position x, y, z in world [m/s2]: a Python function
            that returns three numbers, or three expressions, e.g. ``("0", "-9.81*(1 - 2*y/6.4e6)", "0")``.
        potential: potential energy per mass there [m2/s2]: a Python function with one result, or one expression; with it the
            potential energy of the system contains the field.
    """

    acceleration: Field
    potential: Field | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "acceleration", _field("acceleration", self.acceleration, 3))
        if self.potential is not None:
            object.__setattr__(self, "potential", _field("potential", self.potential, 1))


def _field(name: str, value: object, outputs: int) -> UserFunction:
    owner, coordinates = "UserGravity", ("x", "y", "z")
    if inspect.isfunction(value):
        value = UserFunction(value, outputs=outputs)
    if isinstance(value, UserFunction):
        if (value.inputs, value.outputs) != (3, outputs):
            raise ModelError(
                f"{name} of {owner}: the function '{value.name}' does not fit",
                found=f"{value.inputs} arguments, {value.outputs} results",
                expected=f"3 arguments (x, y, z) and {outputs} result{'s' if outputs > 1 else ''}",
            )
        return value
    texts = (value,) if isinstance(value, str | int | float) else tuple(value) if isinstance(value, Sequence) else ()
    if len(texts) != outputs or not all(isinstance(text, str | int | float) for text in texts):
        what = "three expressions" if outputs == 3 else "one expression"
        raise ModelError(f"{name} of {owner} is wrong", found=repr(value), expected=f"{what} of x, y, z, or a function of them")
    return function_of_text(owner, coordinates, [str(text) for text in texts])


@dataclass(frozen=True)
class GravityPool:
    """Mutual attraction: each of some solids attracts each other one, as Newton's law says for their centres of mass.

    Attributes:
        G: gravitational constant [m3/(kg.s2)].
        bodies: names of the Object3Ds that carry these solids; empty means all solids with mass.
    """

    G: float = 6.6743e-11
    bodies: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "G", checks.positive("GravityPool", "G", self.G))
        if isinstance(self.bodies, str) or not isinstance(self.bodies, Sequence):
            raise ModelError("bodies of GravityPool is wrong", found=repr(self.bodies), expected="a list of names of Object3Ds")
        object.__setattr__(self, "bodies", tuple(checks.text("GravityPool", "bodies", name) for name in self.bodies))


Gravity = UniformGravity | NoGravity | PointGravity | UserGravity | GravityPool
