"""Machine code of `pendulums`.

Context: slot 16 address of (length of a pendulum of the equations, position and correction that the projection refuses, length
and its rate as the equations gave them last, then four times place and factor among the states of the equations); slot 17 the
status of refusal.
"""

from __future__ import annotations

import math

from numba import cfunc, njit

from modiapy.acausal import COMPONENT_SIGNATURE, PROJECTION_SIGNATURE, Slot, float64_array

GRAVITY = 9.81
_X, _DER, _N_X, _DATA = int(Slot.X), int(Slot.DER), int(Slot.N_X), int(Slot.DATA)


@njit
def _tension(x, y, vx, vy, length, rate, second):  # type: ignore[no-untyped-def]
    """Tension over length, such that ``x*ax + y*ay + v^2`` is that of the given length."""
    return (rate**2 + length * second - vx**2 - vy**2 + GRAVITY * y) / (x**2 + y**2)


@cfunc(COMPONENT_SIGNATURE, cache=True)
def swing(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(length, rate, second derivative) -> done."""
    s, rates = float64_array(context[_X], 4), float64_array(context[_DER], 4)
    memory = float64_array(context[_DATA], 5)
    memory[3], memory[4] = inputs[0], inputs[1]
    pull = _tension(s[0], s[1], s[2], s[3], inputs[0], inputs[1], inputs[2])
    rates[0], rates[1] = s[2], s[3]
    rates[2], rates[3] = pull * s[0], pull * s[1] - GRAVITY
    outputs[0] = 0.0
    return 0


@cfunc(COMPONENT_SIGNATURE, cache=True)
def pull(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(x, y, vx, vy) -> accelerations."""
    length = float64_array(context[_DATA], 4)[0]
    made = _tension(inputs[0], inputs[1], inputs[2], inputs[3], length, 0.0, 0.0)
    outputs[0], outputs[1] = made * inputs[0], made * inputs[1] - GRAVITY
    return 0


@njit
def _projected(x, y, vx, vy, length, rate):  # type: ignore[no-untyped-def]
    """The nearest states on ``x^2 + y^2 = length^2`` and ``x*vx + y*vy = length*rate``."""
    size = (x**2 + y**2) ** 0.5
    if abs(size - length) > 1e-15 * length:
        x, y = x * length / size, y * length / size
    along = (x * vx + y * vy) / length - rate
    if abs(along) > 1e-15:
        vx, vy = vx - along * x / length, vy - along * y / length
    return x, y, vx, vy


@njit
def _tangential(x, y, vx, vy, ex, ey, evx, evy, length):  # type: ignore[no-untyped-def]
    """What is left of an error within the constraints."""
    along = (x * ex + y * ey) / length**2
    ex, ey = ex - along * x, ey - along * y
    along = (x * evx + y * evy + vx * ex + vy * ey) / length**2
    return ex, ey, evx - along * x, evy - along * y


@cfunc(PROJECTION_SIGNATURE, cache=True)
def project(context, x_inv, x_var, e_inv, e_var):  # type: ignore[no-untyped-def]
    """Of own states."""
    memory = float64_array(context[_DATA], 5)
    s = float64_array(x_var, 4)
    length, rate = (memory[3], memory[4]) if memory[3] > 0.0 else (memory[0], 0.0)
    if s[0] > memory[1] or abs((s[0] ** 2 + s[1] ** 2) ** 0.5 - length) > memory[2]:
        s[0] = math.nan
        return context[_DATA + 1]
    s[0], s[1], s[2], s[3] = _projected(s[0], s[1], s[2], s[3], length, rate)
    if e_var != 0:
        e = float64_array(e_var, 4)
        e[0], e[1], e[2], e[3] = _tangential(s[0], s[1], s[2], s[3], e[0], e[1], e[2], e[3], length)
    return 0


@cfunc(PROJECTION_SIGNATURE, cache=True)
def project_equations(context, x_inv, x_var, e_inv, e_var):  # type: ignore[no-untyped-def]
    """Of states of the equations, each of which may have the other sign."""
    memory = float64_array(context[_DATA], 13)
    places = memory[5:].reshape((4, 2))
    i, j, k, m = int(places[0, 0]), int(places[1, 0]), int(places[2, 0]), int(places[3, 0])
    a, b, c, d = places[0, 1], places[1, 1], places[2, 1], places[3, 1]
    n = max(i, j, k, m) + 1
    s = float64_array(x_inv, n)
    x, y, vx, vy = _projected(a * s[i], b * s[j], c * s[k], d * s[m], memory[0], 0.0)
    s[i], s[j], s[k], s[m] = a * x, b * y, c * vx, d * vy
    if e_inv != 0:
        e = float64_array(e_inv, n)
        ex, ey, evx, evy = _tangential(x, y, vx, vy, a * e[i], b * e[j], c * e[k], d * e[m], memory[0])
        e[i], e[j], e[k], e[m] = a * ex, b * ey, c * evx, d * evy
    return 0
