"""A pendulum of n rods in space, written out as a front end does that puts the bodies of functions in place of their calls.

Rotation matrices, velocities, accelerations, forces and torques are no variables, but expressions that refer to each other:
the recursive Newton-Euler algorithm (Featherstone, Rigid Body Dynamics Algorithms, 2008, section 5.3) on objects that are
numbers or expressions alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from modiapy.flat import Apply, Const, Equation, Expr, FlatModel, Name, Variable
from modiapy.model.expression import ONE, ZERO, add, apply, mul, neg, sub

Scalar = Any
Vector = Sequence[Scalar]
GRAVITY, LENGTH, MASS, INERTIA = 9.81, 1.0, 2.0, (0.3, 0.2, 0.25)
SLANTED = math.sqrt(0.5)
AXES = ((0.0, 1.0, 0.0), (SLANTED, SLANTED, 0.0), (1.0, 0.0, 0.0))


class Numbers:
    """Arithmetic of floats."""

    number: Callable[..., Scalar] = staticmethod(float)
    sin, cos = staticmethod(math.sin), staticmethod(math.cos)

    @staticmethod
    def sum(*terms: Scalar) -> Scalar:
        return math.fsum(terms)

    @staticmethod
    def product(a: Scalar, b: Scalar) -> Scalar:
        return a * b

    @staticmethod
    def minus(a: Scalar, b: Scalar) -> Scalar:
        return a - b


class Expressions(Numbers):
    """Arithmetic of expressions."""

    number = staticmethod(Const)
    product, minus = staticmethod(mul), staticmethod(sub)

    @staticmethod
    def sin(x: Scalar) -> Scalar:
        return apply("sin", x)

    @staticmethod
    def cos(x: Scalar) -> Scalar:
        return apply("cos", x)

    @staticmethod
    def sum(*terms: Scalar) -> Scalar:
        total: Expr = ZERO
        for term in terms:
            total = add(total, term)
        return total


class Mechanics:
    """Functions that are written out."""

    def __init__(self, of: type[Numbers]) -> None:
        self.of = of

    def vector(self, *values: float) -> Vector:
        return [self.of.number(v) for v in values]

    def plus(self, *vectors: Vector) -> Vector:
        return [self.of.sum(*elements) for elements in zip(*vectors, strict=True)]

    def scaled(self, factor: Scalar, v: Vector) -> Vector:
        return [self.of.product(factor, x) for x in v]

    def dot(self, a: Vector, b: Vector) -> Scalar:
        return self.of.sum(*(self.of.product(x, y) for x, y in zip(a, b, strict=True)))

    def cross(self, a: Vector, b: Vector) -> Vector:
        p, m = self.of.product, self.of.minus
        return [m(p(a[i - 2], b[i - 1]), p(a[i - 1], b[i - 2])) for i in range(3)]

    def rotation(self, axis: Sequence[float], angle: Scalar) -> Sequence[Vector]:
        """Columns: the axes of the parent frame in the turned one."""
        s, c = self.of.sin(angle), self.of.cos(angle)
        n = self.vector(*axis)
        rest = self.of.minus(self.of.number(1.0), c)
        columns = []
        for k in range(3):
            e = self.vector(*np.eye(3)[k])
            columns.append(
                self.plus(self.scaled(c, e), self.scaled(self.of.product(n[k], rest), n), self.scaled(s, self.cross(e, n)))
            )
        return columns

    def into(self, R: Sequence[Vector], v: Vector) -> Vector:
        """A vector of the parent in the turned frame."""
        return self.plus(*(self.scaled(x, column) for x, column in zip(v, R, strict=True)))

    def back(self, R: Sequence[Vector], v: Vector) -> Vector:
        return [self.dot(column, v) for column in R]


def residuals(of: type[Numbers], q: Vector, v: Vector, a: Vector) -> tuple[Vector, list[list[Vector]], list[Vector]]:
    """Torques about the axes; rotation matrices, and ends of the rods, in the world."""
    m = Mechanics(of)
    n = len(q)
    w, dw, lift = m.vector(0, 0, 0), m.vector(0, 0, 0), m.vector(0, 0, GRAVITY)
    arm, half = m.vector(0, 0, -LENGTH), m.vector(0, 0, -LENGTH / 2)
    turned, forces, torques, ends = [], [], [], []
    world, matrices = [m.vector(*row) for row in np.eye(3)], []
    end = m.vector(0, 0, 0)
    for k in range(n):
        axis = m.vector(*AXES[k % 3])
        R = m.rotation(AXES[k % 3], q[k])
        base = m.plus(lift, m.cross(dw, arm), m.cross(w, m.cross(w, arm))) if k else lift
        own = m.scaled(v[k], axis)
        carried = m.into(R, w)
        dw = m.plus(m.into(R, dw), m.scaled(a[k], axis), m.cross(carried, own))
        w = m.plus(carried, own)
        lift = m.into(R, base)
        centre = m.plus(lift, m.cross(dw, half), m.cross(w, m.cross(w, half)))
        forces.append(m.scaled(of.number(MASS), centre))
        momentum = [of.product(of.number(i), x) for i, x in zip(INERTIA, w, strict=True)]
        change = [of.product(of.number(i), x) for i, x in zip(INERTIA, dw, strict=True)]
        torques.append(m.plus(change, m.cross(w, momentum), m.cross(half, forces[-1])))
        turned.append(R)
        world = [m.into(R, column) for column in world]
        matrices.append(world)
        end = m.plus(end, m.back(world, arm))
        ends.append(end)
    found: list[Scalar] = []
    force, torque = m.vector(0, 0, 0), m.vector(0, 0, 0)
    for k in reversed(range(n)):
        torque = m.plus(torque, torques[k], m.cross(arm, force))
        force = m.plus(force, forces[k])
        found.insert(0, m.dot(m.vector(*AXES[k % 3]), torque))
        torque, force = m.back(turned[k], torque), m.back(turned[k], force)
    return found, matrices, ends


def accelerations(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """By numbers."""
    n = len(q)
    bias = np.array(residuals(Numbers, q, v, np.zeros(n))[0])
    columns = [np.array(residuals(Numbers, q, v, e)[0]) - bias for e in np.eye(n)]
    return np.linalg.solve(np.column_stack(columns), -bias)


def pendulum(n: int, animated: bool = True) -> FlatModel:
    """With states ``q1, v1, ...``; ``animated``: matrices and ends as observed variables, and colors that depend on them."""
    q, v = ([Name(f"{letter}{k + 1}") for k in range(n)] for letter in "qv")
    a = [Apply("der", (x,)) for x in v]
    torques, matrices, ends = residuals(Expressions, q, v, a)
    equations = [Equation(torque, ZERO) for torque in torques]
    equations += [Equation(Apply("der", (x,)), y) for x, y in zip(q, v, strict=True)]
    variables = {x.name: Variable(x.name, init=0.2 + 0.1 * k) for k, x in enumerate(q)}
    variables |= {x.name: Variable(x.name, init=-0.3 + 0.2 * k) for k, x in enumerate(v)}
    if animated:
        shown = {f"R{k + 1}{i}{j}": matrices[k][i][j] for k in range(n) for i in range(3) for j in range(3)}
        shown |= {f"end{k + 1}{'xyz'[i]}": ends[k][i] for k in range(n) for i in range(3)}
        shown |= {f"color{k + 1}": Apply("if", (Apply(">", (ends[k][0], ZERO)), ONE, neg(ONE))) for k in range(n)}
        equations += [Equation(Name(name), e) for name, e in shown.items()]
        variables |= {name: Variable(name, observed=True) for name in shown}
    return FlatModel("Pendulum", variables, {}, equations)
