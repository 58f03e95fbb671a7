"""Blocks of Modelica.Blocks.Nonlinear."""

from __future__ import annotations

from math import factorial

from ...model.errors import ModelError
from ...model.model import Model, Var
from .interfaces import SISO

Limiter = SISO | Model(
    description="u, limited to u_min (by default -u_max) and u_max",
    u_max=1.0,
    u_min="-u_max",
    equations=["y = u_max if u > u_max else (u_min if u < u_min else u)"],
)

VariableLimiter = SISO | Model(
    description="u, limited to limit1 (upper) and limit2 (lower)",
    limit1=Var(input=True, description="upper limit"),
    limit2=Var(input=True, description="lower limit"),
    equations=["y = limit1 if u > limit1 else (limit2 if u < limit2 else u)"],
)

SlewRateLimiter = SISO | Model(
    description="u, followed not faster than rising [1/s] and falling [1/s] (by default -rising), with the time constant Td [s]"
    " where it is not limited; begins at y_start",
    rising=1.0,
    falling="-rising",
    Td=0.001,
    y_start=0.0,
    y=Var(init="y_start", output=True),
    equations=["der(y) = rising if u - y > rising*Td else (falling if u - y < falling*Td else (u - y)/Td)"],
)

DeadZone = SISO | Model(
    description="Zero between u_min (by default -u_max) and u_max; outside the distance to that zone",
    u_max=1.0,
    u_min="-u_max",
    equations=["y = u - u_max if u > u_max else (u - u_min if u < u_min else 0)"],
)

FixedDelay = SISO | Model(
    description="u, delayed by delay_time [s]; before that u at the start",
    delay_time=1.0,
    equations=["y = delay(u, delay_time)"],
)

VariableDelay = SISO | Model(
    description="u, delayed by the input delay_time [s], which must not exceed delay_max",
    delay_max=1.0,
    delay_time=Var(input=True, description="delay time [s]"),
    equations=["y = delay(u, delay_time, delay_max)"],
)


def PadeDelay(n: int = 1, m: int | None = None) -> Model:
    """Approximation of a dead time delay_time [s] by a transfer function of the order n, with m powers of s in the numerator.

    Its states are x1, ..., xn; m is n where it is not given. Source: Padé approximant of exp(-T*s) (Golub, van Loan).

    Raises:
        ModelError: not ``0 <= m <= n`` with n >= 1.
    """
    m = n if m is None else m
    if not 0 <= m <= n or n < 1:
        raise ModelError("this is no approximation of a dead time", found=f"n={n}, m={m}", expected="0 <= m <= n, n >= 1")
    # powers of T*s, the lowest first
    a = [factorial(n + m - k) * factorial(n) / (factorial(n + m) * factorial(k) * factorial(n - k)) for k in range(n + 1)]
    b = [
        (-1) ** k * factorial(n + m - k) * factorial(m) / (factorial(n + m) * factorial(k) * factorial(m - k))
        for k in range(m + 1)
    ]
    b += [0.0] * (n - m)
    states = [f"x{k + 1}" for k in range(n)]
    high = f"(u - {' - '.join(f'({c!r})*{x}' for c, x in zip(a, states, strict=False))})/({a[n]!r})"
    y = " + ".join(f"({c!r})*{x}" for c, x in zip(b, [*states, "x_high"], strict=True))
    return (
        SISO
        | Model({x: Var(init=0.0) for x in states})
        | Model(
            description=f"Padé approximation of a dead time, order {n}",
            delay_time=1.0,
            x_high=Var(description="highest derivative, times a power of delay_time"),
            equations=[f"x_high = {high}", f"y = {y}"]
            + [f"delay_time*der({x}) = {following}" for x, following in zip(states, [*states[1:], "x_high"], strict=True)],
        )
    )
